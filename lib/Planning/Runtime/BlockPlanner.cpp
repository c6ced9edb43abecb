//===- BlockPlanner.cpp - Run-time pools of one block ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockPlanner.h"
#include "Analysis/ArgumentSizes.h"
#include "Analysis/BufferSize.h"
#include "Analysis/ViewSources.h"
#include "Mutation.h"
#include "Planning/Gain.h"
#include "Planning/Heap/HeapScopes.h"
#include "Planning/Pins.h"
#include "Premises.h"

#include <set>

using namespace mlir;
using namespace buffer_merge;

/// Places in a block at which no pool can begin, alone or beside others, and
/// times that buffers are left out.
static constexpr unsigned maxPlaces = 64, maxPlacesBeside = 4, maxRounds = 64;
/// Parts of a block in which pools are looked for beside others.
static constexpr unsigned maxParts = 16;

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
        (findViewedMemory(dealloc->get()) != alloc &&
         !isMutated("R9-own-deallocs")))
      return;
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

/// Return a pool of some of `members`, which are in the order of the block; all
/// that begin at `tried` or earlier were tried as its first one.
std::optional<RuntimePool> BlockPlanner::findPool(Candidates members,
                                                  int64_t &tried) {
  auto isDynamic = [](const Candidate *member) { return member->isDynamic; };
  auto isWorthIt = [&] {
    return (isForArena || members.size() > 1) &&
           (mayBeStatic || llvm::any_of(members, isDynamic));
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
      if (findOrders(pool, goal, options, counterexample)) {
        if (llvm::any_of(members, isDynamic) || isMutated("R9-static-gain"))
          return pool;
        int64_t bytes = getAllocatedBytes(pool.buffers);
        if (bytes - getLeastBytes(pool) < getNeededGain(bytes, options))
          return std::nullopt;
        return pool;
      }
      if (!counterexample.empty()) {
        std::optional<int64_t> excess;
        if (given)
          excess = around->findExcess(pool, counterexample, aliveTick);
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
    if (++numTooMany <= maxTooMany) {
      if (given || isPeakProved)
        refuse(members.front());
      return std::nullopt;
    }
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
    if (known.size() == mostTogether ||
        variables.size() > PoolVariables::maxVariables)
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
    addPools(known, /*mayMeet=*/true, maxPlaces);
    isForArena = false;
    llvm::append_range(left, known);
    llvm::sort(left, isEarlier);
  }
  addPools(left, /*mayMeet=*/!given, maxPlaces);
  if (given)
    addPoolsBeside(std::move(left));
  return std::move(pools);
}

/// Add pools of some of `left`, of which each may be held beside others. What
/// is alive together at the peak has no room beside it: what is still left is
/// divided there, in what is held in front of that tick and behind it.
void BlockPlanner::addPoolsBeside(Candidates left) {
  mayBeStatic = true;
  SmallVector<Candidates> parts = {std::move(left)};
  for (unsigned i = 0; i < maxParts && !parts.empty(); ++i) {
    Candidates part = parts.pop_back_val();
    addPools(part, /*mayMeet=*/true, maxPlacesBeside);
    if (part.size() < 2)
      continue;
    SmallVector<const SampledHeap::Member *, 0> samples;
    TickRange held = part.front()->held;
    for (const Candidate *candidate : part) {
      samples.push_back(&candidate->sampled);
      held = held.hull(candidate->held);
    }
    int64_t tick = part[part.size() / 2]->held.first;
    sampled->findExcess(samples, held, tick);
    Candidates before, behind;
    for (const Candidate *candidate : part)
      if (candidate->held.last < tick)
        before.push_back(candidate);
      else if (candidate->held.first > tick)
        behind.push_back(candidate);
    parts.push_back(std::move(behind));
    parts.push_back(std::move(before));
  }
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
