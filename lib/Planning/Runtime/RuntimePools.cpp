//===- RuntimePools.cpp - What is in pools of run-time size ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimePools.h"
#include "Analysis/ArgumentSizes.h"
#include "Analysis/BufferSize.h"
#include "Analysis/FunctionContext.h"
#include "Analysis/ViewSources.h"
#include "Mutation.h"
#include "Planning/Gain.h"
#include "Planning/Heap/HeapScopes.h"
#include "Planning/Pins.h"
#include "Planning/Storage/ArenaPlan.h"
#include "Premises.h"
#include "SampledHeap.h"
#include "Scheduling/SaturatingBytes.h"
#include "SymbolicHeap.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
using namespace buffer_merge;

/// More buffers in one pool would take too long: every two are compared.
static constexpr size_t maxBuffers = 2048;
/// Proofs with more variables would take too long.
static constexpr size_t maxVariables = 48;
/// What may be looked at, in all, to find out what is held beside the pools of
/// a block: each of them asks for all of it, some seconds for thousands of
/// pools.
static constexpr int64_t maxVisits = int64_t(1) << 23;
/// Places in a block at which no pool can begin, alone or beside others, and
/// times that buffers are left out.
static constexpr unsigned maxPlaces = 64, maxPlacesBeside = 16, maxRounds = 64;

namespace {
/// A buffer that may be in a pool of run-time size.
struct Candidate {
  const BufferLifetime *buffer;
  SizePolynomial bytes;
  /// From its allocation until it may be freed: the ticks of operations.
  TickRange held;
  /// When it is in use, and nothing else is in its place.
  TickRange alive;
  bool isDynamic;
  int64_t alignment;
  SampledHeap::Member sampled = {};
  /// What it is in place of, if that is in the same pool.
  const Candidate *inPlaceOf = nullptr;
};

using Candidates = SmallVector<const Candidate *, 0>;

/// Finds the pools of one block in one memory space.
class BlockPlanner {
public:
  BlockPlanner(const MergePlanOptions &options, Block *block,
               const FunctionContext &context, SizePolynomials &sizes,
               DominanceInfo &dominance, ArrayRef<int64_t> assertions,
               const ProgramHeap *given,
               llvm::function_ref<const ProgramHeap &()> getPlanned,
               bool hasArena)
      : options(options), block(block), context(context), sizes(sizes),
        dominance(dominance), assertions(assertions), given(given),
        getPlanned(getPlanned), hasArena(hasArena) {}

  /// Add `buffer` if it can be in a pool here.
  void add(const BufferLifetime &buffer, bool isDynamic);

  /// Add the buffers of `pool`, which does not count any more.
  void replace(const PoolPlan &pool, const BufferLifetimes &lifetimes);

  /// Return the pools of the buffers that were added, of which `pairs` may be
  /// in place of each other.
  SmallVector<RuntimePool, 1> findPools(ArrayRef<InPlaceBuffers> pairs);

  /// Return the buffers, in pools or not, that could not be in some pool with
  /// others because it would raise the peak.
  const llvm::DenseSet<const BufferLifetime *> &getPeakRaising() const {
    return peakRaising;
  }

  /// Return the buffers of run-time size that may be in pools with others.
  auto getDynamic() const {
    return llvm::map_range(
        llvm::make_filter_range(
            candidates,
            [](const Candidate &candidate) { return candidate.isDynamic; }),
        [](const Candidate &candidate) { return candidate.buffer; });
  }

  /// What is held beside a pool, and without it.
  struct Surroundings {
    struct Beside {
      int64_t tick;
      /// The largest of these.
      SmallVector<LinearBytes, 1> bytes;
      /// What is held without the pool at the same tick, if something of
      /// unknown size is held beside it.
      std::optional<LinearBytes> allowed;
    };

    /// From its tick on, until that of the next one.
    SmallVector<Beside, 0> beside;
    /// What is held without the pool at some ticks of its block.
    LargestBytes given;

    /// Return what they come to; nothing if that is too much to be proved.
    std::optional<SmallVector<PeakBound, 1>> getBounds() const;
  };

private:
  std::optional<RuntimePool> findPool(Candidates members, int64_t &tried);
  Candidates collectKnown(ArrayRef<const Candidate *> from);
  void chooseInPlace(ArrayRef<InPlaceBuffers> pairs);
  void addPools(Candidates &left, bool mayMeet, unsigned maxPlaces);
  bool raisesNoPeak();
  bool isKnownAt(const SizePolynomial &bytes, Operation *first);
  bool mayBeInArena(const Candidate &candidate);
  Operation *findLast(ArrayRef<const Candidate *> members);
  TickRange findHeld(const RuntimePool &pool,
                     ArrayRef<const Candidate *> members) const;
  SmallVector<int64_t, 0>
  visitHeap(llvm::function_ref<void(const HeapItem &)> addHeld,
            llvm::function_ref<void(const HeapItem &)> addGiven) const;
  void sampleHeap();
  void samplePool(const RuntimePool &pool, ArrayRef<const Candidate *> inPool);
  /// Return what buffers must have in common to be in one pool: the alignment,
  /// if one asks for more than all get.
  int64_t getAlignmentClass(int64_t alignment) const {
    return std::max(
        {alignment, MergePlanOptions::defaultAlignment,
         options.getLeastAlignment(candidates.front().buffer->getMemorySpace(),
                                   /*isInDeviceCode=*/false,
                                   /*isWorkgroup=*/false)});
  }
  /// In what terms the bytes of something held are known: one of the first
  /// two, or as a number that is fixed, or that may be another at each tick.
  struct ItemBytes {
    const SizePolynomial *polynomial;
    std::optional<int64_t> number;
    bool mayVary = false;
  };
  /// Return that for `item` of a heap, in front of `first`.
  ItemBytes findBytes(const HeapItem &item, Operation *first);
  SymbolicItem makeItem(const HeapItem &item, const RuntimePool &pool,
                        PoolVariables &variables);
  std::optional<Surroundings> findSurroundings(const RuntimePool &pool,
                                               PoolVariables &variables,
                                               TickRange held);

  const MergePlanOptions &options;
  Block *block;
  const FunctionContext &context;
  SizePolynomials &sizes;
  DominanceInfo &dominance;
  /// The ticks of `cf.assert` in the function.
  ArrayRef<int64_t> assertions;
  /// What the program holds without pools, and with those of the plan; null if
  /// the peak is not limited, or no pool raises it.
  const ProgramHeap *given, *planned = nullptr;
  llvm::function_ref<const ProgramHeap &()> getPlanned;
  /// Pools may be in the arena of the function, and those that are looked for
  /// now are.
  bool hasArena, isForArena = false;
  bool isPeakProved = false;
  /// More buffers together have had too many terms, this often so far.
  size_t mostTogether = maxBuffers;
  unsigned numTooMany = 0;
  int64_t visitsLeft = maxVisits;
  /// Pools that do not count, and the allocations that are in them.
  llvm::DenseSet<const PoolPlan *> replaced;
  llvm::DenseSet<Operation *> inReplaced;
  SmallVector<Candidate, 0> candidates;
  llvm::DenseSet<const BufferLifetime *> peakRaising;
  std::optional<SampledHeap> sampled;
  /// Those that were found so far.
  SmallVector<RuntimePool, 1> pools;
  /// The operations of the block, each behind its last tick.
  SmallVector<std::pair<int64_t, Operation *>, 0> byTick;
};
} // namespace

void BlockPlanner::add(const BufferLifetime &buffer, bool isDynamic) {
  memref::AllocOp alloc = buffer.getAllocOp();
  std::optional<SizePolynomial> bytes = sizes.getBytes(alloc, context.layout);
  if (!bytes || hasPin(alloc) || buffer.needsManualDealloc)
    return;
  TickRange held = context.order.getTicks(alloc);
  held = held.hull(context.order.getTicks(buffer.lastUse));
  held.last =
      ask<Stage::EarlyFrees, Premise::PoolIsHeld, Proof::ComparedAddresses,
          Proof::InFlight>(std::max(held.last, buffer.getHeldUntil()));
  for (OpOperand *dealloc : buffer.deallocs) {
    // It is erased with the buffer, so it must free no other one.
    if (!isa<memref::DeallocOp>(dealloc->getOwner()) ||
        dealloc->getOwner()->getBlock() != block ||
        (findViewedMemory(dealloc->get()) != alloc &&
         !isMutated("R9-own-deallocs")))
      return;
    held = held.hull(context.order.getTicks(dealloc->getOwner()));
  }
  // Nothing can be freed behind the terminator, which may have regions. What is
  // in use behind that leaves the block.
  TickRange all = held.hull(buffer.ticks);
  if ((all.first < context.order.getTicks(block).first ||
       all.last >= context.order.getTicks(&block->back()).first) &&
      !isMutated("R9-stays-in-its-block"))
    return;
  int64_t natural =
      getNaturalAlignment(alloc.getType().getElementType(), context.layout);
  candidates.push_back({&buffer, std::move(*bytes), held, buffer.ticks,
                        isDynamic, std::max(buffer.alignment, natural)});
}

void BlockPlanner::replace(const PoolPlan &pool,
                           const BufferLifetimes &lifetimes) {
  replaced.insert(&pool);
  if (pool.getPool())
    for (const BufferLifetime *buffer : pool.buffers)
      inReplaced.insert(buffer->getAllocOp());
  llvm::SmallSetVector<const BufferLifetime *, 8> whole;
  for (const BufferLifetime *buffer : pool.buffers)
    whole.insert(lifetimes.getWhole(buffer));
  for (const BufferLifetime *buffer : whole)
    add(*buffer, /*isDynamic=*/false);
}

/// Return true if all that `bytes` depend on can be known in front of `first`.
bool BlockPlanner::isKnownAt(const SizePolynomial &bytes, Operation *first) {
  for (const auto &[product, coefficient] : bytes)
    for (unsigned symbol : product)
      if (!SizePolynomials::isAvailable(sizes.getSymbol(symbol), first,
                                        dominance))
        return false;
  return true;
}

/// Return true if the bytes of `candidate` are known to who calls the function,
/// and no assertion in front of it may refuse what they depend on.
bool BlockPlanner::mayBeInArena(const Candidate &candidate) {
  const bool isAsserted = !assertions.empty() &&
                          assertions.front() < candidate.held.first &&
                          !isMutated("R9-arena-assertions");
  for (const auto &[product, coefficient] : candidate.bytes)
    for (unsigned symbol : product) {
      Value value = sizes.getSymbol(symbol);
      if (!isFromArgumentSizes(value) ||
          (isAsserted && !value.getDefiningOp<memref::DimOp>()))
        return false;
    }
  return true;
}

/// Return the operation of the block behind which none of `members` is held;
/// null if none is ever freed.
Operation *BlockPlanner::findLast(ArrayRef<const Candidate *> members) {
  if (isForArena || llvm::all_of(members, [](const Candidate *member) {
        return member->buffer->deallocs.empty();
      }))
    return nullptr;
  int64_t last = 0;
  for (const Candidate *member : members)
    last = std::max(last, member->held.last);
  if (byTick.empty())
    for (Operation &op : *block)
      byTick.emplace_back(context.order.getTicks(&op).last, &op);
  auto it = llvm::partition_point(
      byTick, [&](const auto &place) { return place.first < last; });
  return it == byTick.end() ? nullptr : it->second;
}

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
  auto areTooMany = [&] { return pool.variables.size() > maxVariables; };
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

/// Return a tick at which every pool of the buffers of `pool` would raise the
/// peak if the variables are `values`: the one next to the tick at which most
/// of their bytes are alive, which is set.
static std::optional<int64_t>
findExcess(const RuntimePool &pool, const BlockPlanner::Surroundings &around,
           ArrayRef<int64_t> values, int64_t &aliveTick) {
  SmallVector<std::pair<TickRange, int64_t>, 0> sizes;
  for (const PoolUnit &unit : collectUnits(pool).units)
    sizes.emplace_back(unit.ticks, evaluate(unit.bytes, values));
  int64_t alive;
  std::tie(alive, aliveTick) = findPeak(sizes);
  int64_t given = evaluateLargest(around.given.get(), values);
  std::optional<int64_t> excess;
  for (const BlockPlanner::Surroundings::Beside &beside : around.beside) {
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

/// Return a pool of some of `members`, which are in the order of the block; all
/// that begin at `tried` or earlier were tried as its first one.
std::optional<RuntimePool> BlockPlanner::findPool(Candidates members,
                                                  int64_t &tried) {
  auto isWorthIt = [&] {
    return (isForArena || members.size() > 1) &&
           llvm::any_of(members, [](const Candidate *member) {
             return member->isDynamic;
           });
  };
  bool isPeakRaised = false;
  auto refuse = [&](const Candidate *member) {
    isPeakRaised = true;
    peakRaising.insert(member->buffer);
  };
  // Leave out what is held at `excess`, on its side of the most bytes alive.
  auto leaveOut = [&](int64_t excess, int64_t aliveTick) {
    auto rest = std::stable_partition(
        members.begin(), members.end(), [&](const Candidate *member) {
          return excess > aliveTick ? member->held.last < excess
                                    : member->held.first > excess;
        });
    // Without any of them it is as high as before.
    if (rest == members.end())
      rest = members.begin();
    std::for_each(rest, members.end(), refuse);
    members.erase(rest, members.end());
  };
  for (unsigned round = 0; round < maxRounds && isWorthIt(); ++round) {
    RuntimePool pool;
    tried = members.front()->held.first;
    memref::AllocOp front = members.front()->buffer->getAllocOp();
    pool.first = front;
    pool.last = findLast(members);
    pool.isInArena = isForArena;
    pool.held = findHeld(pool, members);
    int64_t aliveTick = 0;
    // What cannot be for a few sizes need not be tried.
    if (given) {
      SmallVector<const SampledHeap::Member *, 0> samples =
          llvm::map_to_vector<0>(members, [](const Candidate *member) {
            return &member->sampled;
          });
      if (auto excess = sampled->findExcess(samples, pool.held, aliveTick)) {
        leaveOut(*excess, aliveTick);
        continue;
      }
    }
    pool.memorySpace = front.getType().getMemorySpace();
    pool.alignment = options.getLeastAlignment(
        pool.memorySpace, /*isInDeviceCode=*/false, /*isWorkgroup=*/false);
    for (const Candidate *member : members)
      pool.alignment = std::max(pool.alignment, member->alignment);
    PoolVariables variables(pool, sizes);
    llvm::DenseMap<const Candidate *, size_t> numbers;
    for (const Candidate *member : members) {
      numbers[member] = pool.buffers.size();
      pool.buffers.push_back(member->buffer);
      pool.bytes.push_back(variables.get(member->bytes));
    }
    for (const Candidate *member : members) {
      auto it = numbers.find(member->inPlaceOf);
      pool.inPlaceOf.push_back(it == numbers.end() ? std::optional<size_t>()
                                                   : std::optional(it->second));
    }
    SmallVector<int64_t> counterexample;
    std::optional<Surroundings> around;
    std::optional<SmallVector<PeakBound, 1>> bounds;
    if (given) {
      around = findSurroundings(pool, variables, pool.held);
      if (around)
        bounds = around->getBounds();
    } else if (isPeakProved) {
      // The bytes of all of its buffers are held in the end without it.
      LinearBytes sum;
      for (const LinearBytes &bytes : pool.bytes)
        sum = getSum(sum, bytes);
      bounds = {{{LinearBytes()}, {sum}}};
    }
    if (bounds || (!given && !isPeakProved)) {
      std::optional<ArrayRef<PeakBound>> goal;
      if (bounds)
        goal = *bounds;
      if (findOrders(pool, goal, options, counterexample))
        return pool;
      if (!counterexample.empty()) {
        std::optional<int64_t> excess;
        if (given)
          excess = findExcess(pool, *around, counterexample, aliveTick);
        if (!excess) {
          isPeakRaised = true;
          break;
        }
        leaveOut(*excess, aliveTick);
        continue;
      }
    }
    // Without the first one, or a few, there may be just few enough terms; of
    // half as many buffers there are fewer.
    constexpr unsigned maxTooMany = 4;
    if (++numTooMany <= maxTooMany)
      return std::nullopt;
    mostTogether = members.size() / 2;
    members.truncate(mostTogether);
  }
  if (isPeakRaised)
    llvm::for_each(members, refuse);
  return std::nullopt;
}

/// Return those of `from` that are known at the first of them, as many as may
/// be in one pool.
Candidates BlockPlanner::collectKnown(ArrayRef<const Candidate *> from) {
  Operation *first = from.front()->buffer->getAllocOp();
  std::set<std::vector<unsigned>> variables;
  // An assertion behind the front of the pool may refuse numbers that only what
  // is behind it is large by.
  const int64_t *assertion =
      llvm::upper_bound(assertions, from.front()->held.first);
  llvm::DenseSet<unsigned> unrefused;
  auto mayBeRefused = [&](unsigned symbol) {
    return !unrefused.contains(symbol) &&
           !sizes.getSymbol(symbol).getDefiningOp<memref::DimOp>();
  };
  Candidates known;
  for (const Candidate *candidate : from) {
    bool isAsserted =
        assertion != assertions.end() && *assertion < candidate->held.first;
    auto products = llvm::make_first_range(candidate->bytes);
    if (isAsserted && !isMutated("R9-assertions") &&
        llvm::any_of(products, [&](ArrayRef<unsigned> product) {
          return llvm::any_of(product, mayBeRefused);
        }))
      continue;
    // All of a pool take multiples of one alignment.
    if ((!isForArena && !isKnownAt(candidate->bytes, first)) ||
        (getAlignmentClass(candidate->alignment) !=
             getAlignmentClass(from.front()->alignment) &&
         !isMutated("R9-alignment")))
      continue;
    for (const auto &[product, coefficient] : candidate->bytes)
      variables.insert(product);
    if (known.size() == mostTogether || variables.size() > maxVariables)
      break;
    for (ArrayRef<unsigned> product : products)
      unrefused.insert_range(product);
    known.push_back(candidate);
  }
  return known;
}

/// Return true if every execution of the scope allocates the same, and frees
/// nothing: then it holds the bytes of all buffers of a pool in the end, and of
/// all pools.
bool BlockPlanner::raisesNoPeak() {
  if (candidates.empty() || options.limitPeak != FreePoint::AsGiven)
    return false;
  memref::AllocOp any = candidates.front().buffer->getAllocOp();
  const ScopeHeap *heap = given->lookup(
      findHeapScope(context, any), candidates.front().buffer->getMemorySpace());
  return heap && heap->outerItems.empty() &&
         llvm::all_of(heap->items, [&](const HeapItem &item) {
           return item.branch == 0 && item.certain.size() == 1 &&
                  item.certain.front() == item.ticks && !item.mayVary &&
                  !item.inner &&
                  (item.ticks.last > heap->ticks.last ||
                   isMutated("R9-nothing-freed")) &&
                  (item.bytes.isUnknown || item.bytes.least == item.bytes.most);
         });
}

/// Choose for each candidate what it is in place of: one of equal size that
/// nothing else is in place of.
void BlockPlanner::chooseInPlace(ArrayRef<InPlaceBuffers> pairs) {
  llvm::DenseMap<const BufferLifetime *, Candidate *> byBuffer;
  for (Candidate &candidate : candidates)
    byBuffer[candidate.buffer] = &candidate;
  llvm::DenseSet<const Candidate *> replaced;
  for (const InPlaceBuffers &pair : pairs) {
    Candidate *earlier = byBuffer.lookup(pair.earlier);
    Candidate *later = byBuffer.lookup(pair.later);
    if (!earlier || !later || later->inPlaceOf ||
        (earlier->bytes != later->bytes &&
         !isMutated("R9-in-place-is-as-large")) ||
        (!replaced.insert(earlier).second && !isMutated("R9-in-place-of-one")))
      continue;
    later->inPlaceOf = earlier;
    // It is in the place of the later one from there on.
    earlier->alive.last = pair.ticks.first - 1;
  }
}

SmallVector<RuntimePool, 1>
BlockPlanner::findPools(ArrayRef<InPlaceBuffers> pairs) {
  chooseInPlace(pairs);
  if (given && raisesNoPeak()) {
    isPeakProved = true;
    given = nullptr;
  }
  if (given) {
    planned = &getPlanned();
    sampleHeap();
  }
  // In the order of the block.
  Candidates left;
  for (const Candidate &candidate : candidates)
    left.push_back(&candidate);
  auto isEarlier = [](const Candidate *a, const Candidate *b) {
    return a->held.first < b->held.first;
  };
  llvm::sort(left, isEarlier);
  if (hasArena) {
    auto *rest = std::stable_partition(
        left.begin(), left.end(),
        [&](const Candidate *candidate) { return mayBeInArena(*candidate); });
    Candidates known(left.begin(), rest);
    left.erase(left.begin(), rest);
    isForArena = true;
    addPools(known, /*mayMeet=*/true, maxPlacesBeside);
    isForArena = false;
    llvm::append_range(left, known);
    llvm::sort(left, isEarlier);
  }
  addPools(left, /*mayMeet=*/!given, maxPlaces);
  // What was beside a pool then may be in another one.
  if (given && !pools.empty())
    addPools(left, /*mayMeet=*/true, maxPlacesBeside);
  return std::move(pools);
}

/// Add pools of some of `left`, which are in the order of the block, and remove
/// these. Two of them may be held at the same time only if they `mayMeet`. The
/// search ends at the last of `maxPlaces` at which no pool begins.
void BlockPlanner::addPools(Candidates &left, bool mayMeet,
                            unsigned maxPlaces) {
  Candidates open = left;
  llvm::DenseSet<const BufferLifetime *> taken;
  for (unsigned place = 0;
       place < maxPlaces && open.size() > (isForArena ? 0 : 1);) {
    int64_t tried = open.front()->held.first;
    std::optional<RuntimePool> pool = findPool(collectKnown(open), tried);
    if (!pool) {
      ++place;
      llvm::erase_if(open, [&](const Candidate *candidate) {
        return candidate->held.first <= tried;
      });
      continue;
    }
    llvm::DenseSet<const BufferLifetime *> ofPool(pool->buffers.begin(),
                                                  pool->buffers.end());
    taken.insert_range(pool->buffers);
    Candidates inPool, kept;
    auto *next = open.begin();
    // Few of many are looked at for each pool.
    for (; next != open.end(); ++next) {
      const Candidate *candidate = *next;
      bool mayBeHeld = !mayMeet && candidate->held.first <= pool->held.last;
      if (inPool.size() == ofPool.size() && !mayBeHeld)
        break;
      if (ofPool.contains(candidate->buffer))
        inPool.push_back(candidate);
      else if (!mayBeHeld || pool->held.first > candidate->held.last)
        kept.push_back(candidate);
    }
    open.erase(open.begin(), next);
    open.insert(open.begin(), kept.begin(), kept.end());
    if (given)
      samplePool(*pool, inPool);
    pools.push_back(std::move(*pool));
  }
  llvm::erase_if(left, [&](const Candidate *candidate) {
    return taken.contains(candidate->buffer);
  });
}

//===----------------------------------------------------------------------===//
// All blocks
//===----------------------------------------------------------------------===//

/// Return the block that the pool of `plan` is allocated in.
static Block *getHome(const PoolPlan &plan) {
  return plan.first ? plan.first->getBlock() : &plan.scope->front();
}

/// Return true if the buffers of `pool` may be in another pool instead; with
/// `hasArena`, in the arena that they are in.
static bool mayBeRuntimePool(const PoolPlan &pool,
                             const BufferLifetimes &lifetimes, bool hasArena) {
  if (pool.workgroup || pool.region || pool.isPinned || pool.argument ||
      !pool.calls.empty() || pool.isInFlightAtEnd() || pool.isInDeviceCode() ||
      pool.excessiveBytes || hasFixedOffsets(pool.problem))
    return false;
  if (const Pool *made = pool.getPool(); made) {
    if (made->storage != PoolStorage::Alloc &&
        !(made->storage == PoolStorage::Arena && hasArena))
      return false;
  } else {
    UnmergeableReason reason = pool.getNoPool()->reason;
    if (reason != UnmergeableReason::NoGain &&
        reason != UnmergeableReason::NoPartner &&
        reason != UnmergeableReason::RaisesPeak)
      return false;
  }
  Block *home = getHome(pool);
  return llvm::all_of(pool.buffers, [&](const BufferLifetime *buffer) {
    const BufferLifetime *whole = lifetimes.getWhole(buffer);
    return !whole->parts && !whole->refusal &&
           whole->getAllocOp()->getBlock() == home;
  });
}

/// Take `taken` out of what else `plan` does, and the pools `gone`, of which
/// nothing else is in a pool any more.
static void replacePools(MergePlan &plan, const MergePlanOptions &options,
                         const llvm::DenseSet<size_t> &gone,
                         const llvm::DenseSet<const BufferLifetime *> &taken) {
  const BufferLifetimes &lifetimes = *plan.lifetimes;
  SmallVector<PoolPlan, 0> pools;
  for (auto [index, pool] : llvm::enumerate(plan.pools)) {
    if (!gone.contains(index)) {
      pools.push_back(std::move(pool));
      continue;
    }
    llvm::SmallSetVector<const BufferLifetime *, 8> left;
    for (const BufferLifetime *buffer : pool.buffers)
      if (const BufferLifetime *whole = lifetimes.getWhole(buffer);
          !taken.contains(whole))
        left.insert(whole);
    if (left.empty())
      continue;
    PoolPlan &rest = pools.emplace_back();
    rest.scope = pool.scope;
    rest.memorySpace = pool.memorySpace;
    rest.buffers.assign(left.begin(), left.end());
    rest.problem = buildSchedulingProblem(
        rest.buffers, options.getLeastAlignment(pool.memorySpace,
                                                /*isInDeviceCode=*/false,
                                                /*isWorkgroup=*/false));
    rest.totalBytes = getAllocatedBytes(rest.buffers);
    rest.lowerBound = computeLowerBound(rest.problem);
    rest.decision = NoPool{UnmergeableReason::RaisesPeak};
  }
  plan.pools = std::move(pools);
}

namespace {
/// What is found once for a function.
struct FunctionFacts {
  FunctionFacts(Operation *function, const ExecutionOrder &order)
      : dominance(function) {
    function->walk([&](cf::AssertOp op) {
      assertions.push_back(order.getTicks(op).first);
    });
    llvm::sort(assertions);
  }

  DominanceInfo dominance;
  SmallVector<int64_t> assertions;
};

/// The buffers of a block in one memory space.
struct BlockBuffers {
  SmallVector<const BufferLifetime *, 0> dynamic;
  SmallVector<size_t, 1> pools;
  /// The function has an arena, which may have a size of run time.
  bool hasArena = false;
};
} // namespace

/// Return the number of allocations that `pool` merges.
static size_t countMerged(const PoolPlan &pool) {
  return pool.getPool() ? pool.countAllocations() : 0;
}

/// Return the number of allocations that `pools` merge.
static size_t countMerged(ArrayRef<RuntimePool> pools) {
  size_t count = 0;
  for (const RuntimePool &pool : pools)
    count += pool.buffers.size();
  return count;
}

/// Return the bytes of `pools`, and of those of `buffers` that are in none of
/// them, each a multiple of `alignment`, where all symbols are `symbols`.
static int64_t countBytes(ArrayRef<RuntimePool> pools,
                          ArrayRef<const BufferLifetime *> buffers,
                          int64_t symbols, uint64_t alignment,
                          SizePolynomials &sizes, const DataLayout &layout) {
  int64_t sum = 0;
  llvm::DenseSet<const BufferLifetime *> pooled;
  for (const RuntimePool &pool : pools) {
    pooled.insert(pool.buffers.begin(), pool.buffers.end());
    SmallVector<int64_t> values = evaluateVariables(pool, symbols);
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const PoolOrder &order : pool.orders)
      least = std::min(least, evaluateLargest(order.sizes, values));
    sum = addBytes(sum, least);
  }
  for (const BufferLifetime *buffer : buffers)
    if (!pooled.contains(buffer))
      if (const auto &bytes = sizes.getBytes(buffer->getAllocOp(), layout))
        sum = addBytes(
            sum, llvm::alignTo(std::min(evaluate(*bytes, symbols), maxBytes),
                               alignment));
  return sum;
}

/// Return true if `pools` have all buffers of `plan` in arenas.
static bool keepArena(ArrayRef<RuntimePool> pools, const PoolPlan &plan,
                      const BufferLifetimes &lifetimes) {
  if (!plan.getPool() || plan.getPool()->storage != PoolStorage::Arena)
    return true;
  llvm::DenseSet<const BufferLifetime *> inArena;
  for (const RuntimePool &pool : pools)
    if (pool.isInArena)
      inArena.insert_range(pool.buffers);
  return llvm::all_of(plan.buffers, [&](const BufferLifetime *buffer) {
    return inArena.contains(lifetimes.getWhole(buffer));
  });
}

/// Let the program check that the pools of `plan` that are allocated fit the
/// capacities, with what of static size is held at the same time.
static void limitPools(MergePlan &plan, const MergePlanOptions &options) {
  if (options.capacities.empty() || plan.runtimePools.empty() ||
      options.overCapacity == OverCapacityPolicy::Warn)
    return;
  ProgramHeapOptions heapOptions;
  heapOptions.isPlanned = true;
  heapOptions.maxThreads = options.maxThreads;
  const ProgramHeap program(plan, heapOptions);
  for (RuntimePool &pool : plan.runtimePools) {
    const Capacity *capacity =
        options.findCapacity(pool.memorySpace, /*isInDeviceCode=*/false);
    if (!capacity || pool.isInArena || isMutated("R9-capacity"))
      continue;
    const FunctionContext *context =
        plan.lifetimes->getContext(pool.buffers.front()->function);
    const ScopeHeap *heap =
        program.lookup(findHeapScope(*context, pool.first), pool.memorySpace);
    SmallVector<std::pair<TickRange, int64_t>, 0> beside;
    for (const HeapItem &item : heap->items) {
      TickRange common = {std::max(item.ticks.first, pool.held.first),
                          std::min(item.ticks.last, pool.held.last)};
      if (!item.isRuntimePool && common.first <= common.last)
        beside.emplace_back(common, item.bytes.most);
    }
    pool.mostBytes =
        std::max<int64_t>(capacity->bytes - findPeak(beside).first, 0);
  }
}

void buffer_merge::addRuntimePools(MergePlan &plan,
                                   const MergePlanOptions &options) {
  const BufferLifetimes &lifetimes = *plan.lifetimes;
  // With these, nothing is to be allocated.
  const bool isOnlyForArenas =
      options.pool != PoolStorage::Alloc && options.left == LeftPolicy::Error;
  std::shared_ptr<ArenaPlan> arenas;
  std::optional<SymbolTable> symbols;
  llvm::MapVector<std::pair<Block *, Attribute>, BlockBuffers> blocks;
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (buffer.shareable && !buffer.isInDeviceCode &&
        !options.hasRegions(buffer.getMemorySpace()))
      blocks[{buffer.getAllocOp()->getBlock(), buffer.getMemorySpace()}]
          .dynamic.push_back(&buffer);
  if (blocks.empty())
    return;
  if (options.pool == PoolStorage::Arena) {
    arenas = std::make_shared<ArenaPlan>(*plan.arenas);
    symbols.emplace(lifetimes.getRoot());
  }
  for (auto &[key, buffers] : blocks)
    if (auto function = dyn_cast<func::FuncOp>(key.first->getParentOp());
        function && arenas && !key.second && key.first->isEntryBlock())
      buffers.hasArena = arenas->mayHaveRuntimePools(function, *symbols);
  for (auto [index, pool] : llvm::enumerate(plan.pools))
    if (auto it = blocks.find({getHome(pool), pool.memorySpace});
        it != blocks.end() &&
        mayBeRuntimePool(pool, lifetimes, it->second.hasArena))
      it->second.pools.push_back(index);
  llvm::DenseMap<Block *, SmallVector<InPlaceBuffers, 0>> inPlace;
  for (const InPlaceBuffers &pair : lifetimes.getInPlaceBuffers())
    if (memref::AllocOp alloc = pair.later->getAllocOp())
      inPlace[alloc->getBlock()].push_back(pair);
  const ProgramHeap *given = nullptr;
  std::optional<ProgramHeap> planned;
  if (options.limitPeak && !isMutated("R9-peak"))
    given = &getBaseline(plan);
  auto getPlanned = [&]() -> const ProgramHeap & {
    if (!planned)
      planned.emplace(analyzePlanned(plan, *given));
    return *planned;
  };
  SizePolynomials sizes;
  llvm::DenseMap<Operation *, std::unique_ptr<FunctionFacts>> factsOf;
  llvm::DenseSet<size_t> gone;
  llvm::DenseSet<const BufferLifetime *> taken, peakRaising, alone;
  SmallVector<RuntimePool, 0> found;
  for (auto &entry : blocks) {
    auto &buffers = entry.second;
    Block *block = entry.first.first;
    Attribute memorySpace = entry.first.second;
    const BufferLifetime &front = *buffers.dynamic.front();
    const FunctionContext *context = lifetimes.getContext(front.function);
    // The check that no number wraps around is for numbers of 64 bits.
    if (!context || context->layout.getTypeSizeInBits(
                        IndexType::get(front.function->getContext())) != 64)
      continue;
    std::unique_ptr<FunctionFacts> &facts = factsOf[front.function];
    if (!facts)
      facts = std::make_unique<FunctionFacts>(front.function, context->order);
    auto findPools = [&](ArrayRef<size_t> replaced) {
      BlockPlanner planner(options, block, *context, sizes, facts->dominance,
                           facts->assertions, given, getPlanned,
                           buffers.hasArena);
      for (size_t index : replaced)
        planner.replace(plan.pools[index], lifetimes);
      for (const BufferLifetime *buffer : buffers.dynamic)
        planner.add(*buffer, /*isDynamic=*/true);
      SmallVector<RuntimePool, 1> pools = planner.findPools(inPlace[block]);
      if (isOnlyForArenas)
        llvm::erase_if(pools,
                       [](const RuntimePool &pool) { return !pool.isInArena; });
      peakRaising.insert_range(planner.getPeakRaising());
      if (!isOnlyForArenas)
        alone.insert_range(planner.getDynamic());
      return pools;
    };
    SmallVector<RuntimePool, 1> pools = findPools(buffers.pools);
    size_t numStatic = 0;
    for (size_t index : buffers.pools)
      numStatic += countMerged(plan.pools[index]);
    if (numStatic != 0) {
      SmallVector<RuntimePool, 1> apart = findPools({});
      // A pool of static size knows of values, gaps and what is in place.
      auto isLarger = [&](int64_t symbols) {
        SmallVector<const BufferLifetime *, 0> all(buffers.dynamic);
        auto count = [&](ArrayRef<RuntimePool> chosen) {
          return countBytes(chosen, all, symbols,
                            options.getLeastAlignment(memorySpace,
                                                      /*isInDeviceCode=*/false,
                                                      /*isWorkgroup=*/false),
                            sizes, context->layout);
        };
        int64_t bytes = count(apart);
        llvm::SmallSetVector<const BufferLifetime *, 8> whole;
        for (size_t index : buffers.pools) {
          const PoolPlan &pool = plan.pools[index];
          bytes =
              addBytes(bytes, pool.getPool() ? pool.getPool()->schedule.poolSize
                                             : pool.totalBytes);
          for (const BufferLifetime *buffer : pool.buffers)
            whole.insert(lifetimes.getWhole(buffer));
        }
        llvm::append_range(all, whole);
        return count(pools) > bytes;
      };
      auto keepsArena = [&](size_t index) {
        return keepArena(pools, plan.pools[index], lifetimes);
      };
      if (pools.empty() || !llvm::all_of(buffers.pools, keepsArena) ||
          countMerged(apart) + numStatic > countMerged(pools) ||
          llvm::any_of(ArrayRef<int64_t>{1, 128, 8192}, isLarger)) {
        pools = std::move(apart);
        buffers.pools.clear();
      }
    }
    for (RuntimePool &pool : pools) {
      if (!verifyRuntimePool(pool)) {
        assert(false && "buffers of a pool of run-time size share bytes");
        continue;
      }
      taken.insert(pool.buffers.begin(), pool.buffers.end());
      found.push_back(std::move(pool));
    }
    if (pools.empty())
      continue;
    for (size_t index : buffers.pools) {
      gone.insert(index);
      const Pool *made = plan.pools[index].getPool();
      if (made && made->storage == PoolStorage::Arena)
        arenas->removePool(cast<func::FuncOp>(front.function));
    }
  }
  if (arenas) {
    const Capacity *capacity =
        options.overCapacity == OverCapacityPolicy::Warn
            ? nullptr
            : options.findCapacity(Attribute(), /*isInDeviceCode=*/false);
    for (const RuntimePool &pool : found)
      if (pool.isInArena)
        arenas->addRuntimePool(pool, capacity ? std::optional(capacity->bytes)
                                              : std::nullopt);
    plan.arenas = std::move(arenas);
  }
  plan.runtimePools = std::move(found);
  replacePools(plan, options, gone, taken);
  limitPools(plan, options);
  llvm::erase_if(plan.unmergeable, [&](const UnmergeableBuffer &left) {
    return taken.contains(left.buffer);
  });
  for (UnmergeableBuffer &left : plan.unmergeable)
    if (peakRaising.contains(left.buffer))
      left.refusal = UnmergeableReason::RaisesPeak;
    else if (alone.contains(left.buffer) && !left.refusal.op)
      left.refusal = UnmergeableReason::NoPartner;
}
