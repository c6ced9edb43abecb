//===- BlockPeak.cpp - What is held beside run-time pools -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockPlanner.h"
#include "Mutation.h"
#include "Planning/Heap/HeapScopes.h"
#include "Scheduling/SaturatingBytes.h"

using namespace mlir;
using namespace buffer_merge;

BlockPlanner::ItemBytes BlockPlanner::findBytes(const HeapItem &item,
                                                Operation *first) {
  // What is executed several times while the pool is there may be of another
  // size each time.
  bool isFixed =
      item.op->getBlock() == block || !block->findAncestorOpInBlock(*item.op);
  if (auto alloc = dyn_cast_or_null<memref::AllocOp>(
          item.pool || item.inner ? nullptr : item.op))
    if (const std::optional<SizePolynomial> &bytes =
            sizes.getBytes(alloc, context.layout);
        bytes && (isFixed || isKnownAt(*bytes, first)))
      return {&*bytes, std::nullopt};
  if (!item.bytes.isUnknown)
    return {nullptr, item.bytes.most};
  return {nullptr, std::nullopt, !isFixed || item.mayVary};
}

/// Return what `item` of a heap holds, in terms of `variables`.
SymbolicItem BlockPlanner::makeItem(const HeapItem &item,
                                    const RuntimePool &pool,
                                    PoolVariables &variables) {
  ItemBytes bytes = findBytes(item, pool.first);
  SymbolicItem symbolic;
  symbolic.ticks = item.ticks;
  symbolic.mayVary = bytes.mayVary;
  // It need not take a multiple of what the pool is aligned to.
  if (bytes.polynomial)
    symbolic.bytes = variables.get(
        *bytes.polynomial,
        pool.alignment <=
                getAlignmentClass(
                    cast<memref::AllocOp>(item.op).getAlignment().value_or(
                        1)) ||
            isMutated("R9-padding"));
  else if (bytes.number)
    symbolic.bytes = {*bytes.number};
  else if (!bytes.mayVary)
    symbolic.bytes = variables.getUnknown(item.op);
  return symbolic;
}

/// Call `addHeld` for what is held beside a pool in place of those that do not
/// count, and `addGiven` for what is without any. Return the ticks that every
/// execution of the block comes by.
SmallVector<int64_t, 0> BlockPlanner::visitHeap(
    llvm::function_ref<void(const HeapItem &)> addHeld,
    llvm::function_ref<void(const HeapItem &)> addGiven) const {
  const BufferLifetime &any = *candidates.front().buffer;
  Region *scope = findHeapScope(context, any.getAllocOp());
  SmallVector<int64_t, 0> ownTicks = {
      context.order.getTicks(&block->back()).first};
  if (const ScopeHeap *heap = planned->lookup(scope, any.getMemorySpace()))
    for (const HeapItem &item : heap->items)
      if (!item.pool || !replaced.contains(item.pool))
        addHeld(item);
  if (const ScopeHeap *heap = given->lookup(scope, any.getMemorySpace()))
    for (const HeapItem &item : heap->items) {
      if (inReplaced.contains(item.op))
        addHeld(item);
      addGiven(item);
      if (item.op->getBlock() == block)
        ownTicks.push_back(context.order.getTicks(item.op).first);
    }
  return ownTicks;
}

/// Find what is held beside `pool` at the ticks `held`, and what is without it;
/// nothing if that has too many variables, or too much was looked at before.
std::optional<BlockPlanner::Surroundings>
BlockPlanner::findSurroundings(const RuntimePool &pool,
                               PoolVariables &variables, TickRange held) {
  if (visitsLeft <= 0)
    return std::nullopt;
  llvm::DenseSet<Operation *> members;
  for (const BufferLifetime *buffer : pool.buffers)
    members.insert(buffer->getAllocOp());
  // Some are in other pools that are held at the same time.
  SmallVector<const RuntimePool *> poolsBeside;
  SmallVector<int64_t> poolTicks;
  for (const RuntimePool &other : pools) {
    for (const BufferLifetime *buffer : other.buffers)
      members.insert(buffer->getAllocOp());
    if (other.held.first > held.last || held.first > other.held.last)
      continue;
    poolsBeside.push_back(&other);
    poolTicks.append({other.held.first, other.held.last + 1});
  }
  SmallVector<SymbolicItem, 0> beside, certain;
  auto areTooMany = [&] {
    return pool.variables.size() > PoolVariables::maxVariables;
  };
  SmallVector<int64_t, 0> ownTicks = visitHeap(
      [&](const HeapItem &item) {
        if (!areTooMany() && item.ticks.first <= held.last &&
            held.first <= item.ticks.last &&
            (item.pool || !members.contains(item.op)))
          beside.push_back(makeItem(item, pool, variables));
      },
      [&](const HeapItem &item) {
        --visitsLeft;
        if (areTooMany())
          return;
        SymbolicItem symbolic = makeItem(item, pool, variables);
        // Less may be held for certain.
        if (!item.bytes.isUnknown && item.bytes.least != item.bytes.most)
          symbolic.bytes = {item.bytes.least};
        for (TickRange range : item.certain) {
          symbolic.ticks = range;
          certain.push_back(symbolic);
        }
      });
  // By pool, the most of its bytes.
  SmallVector<SmallVector<LinearBytes, 2>> sizesBeside;
  for (const RuntimePool *other : poolsBeside) {
    auto &sizes = sizesBeside.emplace_back();
    for (const LinearBytes &size : other->orders.front().sizes)
      sizes.push_back(variables.get(*other, size));
  }
  if (areTooMany())
    return std::nullopt;
  SymbolicSums allowed(certain), others(beside, poolTicks);
  Surroundings surroundings;
  for (int64_t tick : ownTicks)
    surroundings.given.add(allowed.get(tick));
  bool isComplete = true;
  auto add = [&](int64_t tick, const SymbolicSums::Sum &sum) {
    Surroundings::Beside &found = surroundings.beside.emplace_back();
    found.tick = tick;
    found.bytes = {sum.bytes};
    for (auto [other, sizes] : llvm::zip(poolsBeside, sizesBeside)) {
      if (tick < other->held.first || tick > other->held.last ||
          isMutated("R9-pools-beside"))
        continue;
      LargestBytes both;
      for (const LinearBytes &bytes : found.bytes)
        for (const LinearBytes &size : sizes)
          both.add(getSum(bytes, size));
      isComplete &= both.isComplete();
      found.bytes.assign(both.get().begin(), both.get().end());
    }
    // As much more is there at this tick without the pool.
    if (sum.mayVary)
      found.allowed = allowed.get(tick);
  };
  SymbolicSums::Sum first = {held.first, {}, false};
  for (const SymbolicSums::Sum &sum : others.get())
    if (sum.tick <= held.first)
      first = sum;
  add(held.first, first);
  for (const SymbolicSums::Sum &sum : others.get())
    if (sum.tick > held.first && sum.tick <= held.last)
      add(sum.tick, sum);
  if (!isComplete)
    return std::nullopt;
  return surroundings;
}

std::optional<SmallVector<PeakBound, 1>>
BlockPlanner::Surroundings::getBounds() const {
  SmallVector<PeakBound, 1> bounds;
  LargestBytes largest;
  for (const Beside &found : beside)
    if (found.allowed)
      bounds.push_back(
          {{found.bytes.begin(), found.bytes.end()}, {*found.allowed}});
    else
      for (const LinearBytes &bytes : found.bytes)
        largest.add(bytes);
  if (!largest.isComplete())
    return std::nullopt;
  if (!largest.get().empty())
    bounds.push_back({SmallVector<LinearBytes, 4>(largest.get()),
                      SmallVector<LinearBytes, 4>(given.get())});
  return bounds;
}

std::optional<int64_t>
BlockPlanner::Surroundings::findExcess(const RuntimePool &pool,
                                       ArrayRef<int64_t> values,
                                       int64_t &aliveTick) const {
  SmallVector<std::pair<TickRange, int64_t>, 0> sizes;
  for (const PoolUnit &unit : collectUnits(pool).units)
    sizes.emplace_back(unit.ticks, evaluate(unit.bytes, values));
  int64_t alive;
  std::tie(alive, aliveTick) = findPeak(sizes);
  int64_t given = evaluateLargest(this->given.get(), values);
  std::optional<int64_t> excess;
  for (const BlockPlanner::Surroundings::Beside &beside : this->beside) {
    int64_t allowed =
        beside.allowed ? evaluate(*beside.allowed, values) : given;
    if (addBytes(alive, evaluateLargest(beside.bytes, values)) > allowed &&
        (!excess ||
         std::abs(beside.tick - aliveTick) < std::abs(*excess - aliveTick)))
      excess = beside.tick;
  }
  return excess;
}

/// Return the ticks at which `pool`, of `members`, is held.
TickRange BlockPlanner::findHeld(const RuntimePool &pool,
                                 ArrayRef<const Candidate *> members) const {
  if (pool.isInArena && !isMutated("R9-arena-is-held"))
    return context.order.getTicks(block->getParent());
  TickRange held = context.order.getTicks(pool.first);
  for (const Candidate *member : members)
    held = held.hull(member->held);
  if (pool.last)
    return held.hull(context.order.getTicks(pool.last));
  if (options.limitPeak == FreePoint::AsGiven)
    held.last =
        context.order.getTicks(findHeapScope(context, pool.first)).last + 1;
  return held;
}

/// Sum up what the heap holds for some sizes.
void BlockPlanner::sampleHeap() {
  if (candidates.empty())
    return;
  llvm::DenseMap<Operation *, Candidate *> byAlloc;
  int64_t alignment = options.getLeastAlignment(
      candidates.front().buffer->getMemorySpace(), /*isInDeviceCode=*/false,
      /*isWorkgroup=*/false);
  for (Candidate &candidate : candidates) {
    byAlloc[candidate.buffer->getAllocOp()] = &candidate;
    candidate.sampled = {
        candidate.alive, {}, sampleBytes(candidate.bytes, alignment)};
  }
  sampled.emplace(context.order.getTicks(block));
  // Nothing if it may vary.
  auto sample = [&](const HeapItem &item) -> std::optional<SampledBytes> {
    ItemBytes bytes = findBytes(item, &block->back());
    if (bytes.mayVary)
      return std::nullopt;
    return bytes.polynomial ? sampleBytes(*bytes.polynomial, alignment)
                            : sampleBytes(bytes.number.value_or(0));
  };
  SmallVector<int64_t, 0> ownTicks = visitHeap(
      [&](const HeapItem &item) {
        std::optional<SampledBytes> bytes = sample(item);
        if (!bytes)
          return sampled->addVarying(item.ticks);
        sampled->addHeld(item.ticks, *bytes);
        if (auto it = byAlloc.find(item.op); !item.pool && it != byAlloc.end())
          it->second->sampled.held.push_back(item.ticks);
      },
      [&](const HeapItem &item) {
        std::optional<SampledBytes> bytes = sample(item);
        if (!item.bytes.isUnknown && item.bytes.least != item.bytes.most)
          bytes = sampleBytes(item.bytes.least);
        for (TickRange range : item.certain)
          if (bytes)
            sampled->addCertain(range, *bytes);
      });
  for (int64_t tick : ownTicks)
    sampled->addOwnTick(tick);
  SmallVector<SampledHeap::Member *, 0> members;
  for (Candidate &candidate : candidates)
    members.push_back(&candidate.sampled);
  sampled->finish(members);
}

/// Let `pool`, of the buffers `inPool`, be held in place of these.
void BlockPlanner::samplePool(const RuntimePool &pool,
                              ArrayRef<const Candidate *> inPool) {
  SmallVector<const SampledHeap::Member *, 0> members = llvm::map_to_vector<0>(
      inPool, [](const Candidate *candidate) { return &candidate->sampled; });
  SampledBytes bytes;
  for (auto [index, sample] : llvm::enumerate(bytes))
    sample = evaluateLargest(pool.orders.front().sizes,
                             evaluateVariables(pool, int64_t(1) << index));
  sampled->replace(members, pool.held, bytes);
}
