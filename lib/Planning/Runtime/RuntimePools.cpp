//===- RuntimePools.cpp - What is in pools of run-time size ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimePools.h"
#include "Analysis/BufferSize.h"
#include "Analysis/FunctionContext.h"
#include "Mutation.h"
#include "Planning/Gain.h"
#include "Planning/Heap/HeapScopes.h"
#include "Planning/Pins.h"
#include "Planning/PoolCollection.h"
#include "Premises.h"
#include "SymbolicHeap.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

/// More buffers in one pool would take too long: every two are compared.
static constexpr size_t maxBuffers = 2048;
/// Places in a block that pools may begin at, and times that buffers are left
/// out.
static constexpr unsigned maxPlaces = 64, maxRounds = 64;

namespace {
/// A buffer that may be in a pool of run-time size.
struct Candidate {
  const BufferLifetime *buffer;
  SizePolynomial bytes;
  /// From its allocation until it may be freed: the ticks of operations.
  TickRange held;
  bool isDynamic;
};

/// Finds the pools of one block in one memory space.
class BlockPlanner {
public:
  BlockPlanner(const MergePlanOptions &options, Block *block,
               const FunctionContext &context, SizePolynomials &sizes,
               DominanceInfo &dominance, const ProgramHeap *given,
               const ProgramHeap *planned)
      : options(options), block(block), context(context), sizes(sizes),
        dominance(dominance), given(given), planned(planned) {}

  /// Add `buffer` if it can be in a pool here.
  void add(const BufferLifetime &buffer, bool isDynamic);

  /// Add the buffers of `pool`, which does not count any more.
  void replace(const PoolPlan &pool, const BufferLifetimes &lifetimes);

  /// Return the pools of the buffers that were added.
  SmallVector<RuntimePool, 1> findPools();

  /// What is held beside a pool, and without it.
  struct Surroundings {
    struct Beside {
      int64_t tick;
      LinearBytes bytes;
      /// What is held without the pool at the same tick, if something of
      /// unknown size is held beside it.
      std::optional<LinearBytes> allowed;
    };

    /// From its tick on, until that of the next one.
    SmallVector<Beside, 0> beside;
    /// What is held without the pool at some ticks of its block.
    LargestBytes given;

    SmallVector<PeakBound, 1> getBounds() const;
  };

private:
  std::optional<RuntimePool> findPool(SmallVector<Candidate, 0> members);
  bool isKnownAt(const Candidate &candidate, Operation *first);
  Operation *findLast(ArrayRef<Candidate> members) const;
  TickRange findHeld(const RuntimePool &pool,
                     ArrayRef<Candidate> members) const;
  SymbolicItem makeItem(const HeapItem &item, Operation *first,
                        PoolVariables &variables);
  Surroundings findSurroundings(const RuntimePool &pool,
                                PoolVariables &variables, TickRange held);

  const MergePlanOptions &options;
  Block *block;
  const FunctionContext &context;
  SizePolynomials &sizes;
  DominanceInfo &dominance;
  /// What the program holds without pools, and with those of the plan; null if
  /// the peak is not limited.
  const ProgramHeap *given, *planned;
  /// Pools that do not count, and the allocations that are in them.
  llvm::DenseSet<const PoolPlan *> replaced;
  llvm::DenseSet<Operation *> inReplaced;
  SmallVector<Candidate, 0> candidates;
};
} // namespace

void BlockPlanner::add(const BufferLifetime &buffer, bool isDynamic) {
  memref::AllocOp alloc = buffer.alloc;
  std::optional<SizePolynomial> bytes = sizes.getBytes(alloc, context.layout);
  if (!bytes || hasPin(alloc) || buffer.needsManualDealloc)
    return;
  TickRange held = context.order.getTicks(alloc);
  held = held.hull(context.order.getTicks(buffer.lastUse));
  held.last =
      ask<Stage::EarlyFrees, Premise::PoolIsHeld, Proof::ComparedAddresses,
          Proof::InFlight>(std::max(held.last, buffer.getHeldUntil()));
  for (OpOperand *dealloc : buffer.deallocs) {
    if (!isa<memref::DeallocOp>(dealloc->getOwner()) ||
        dealloc->getOwner()->getBlock() != block)
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
  candidates.push_back({&buffer, std::move(*bytes), held, isDynamic});
}

void BlockPlanner::replace(const PoolPlan &pool,
                           const BufferLifetimes &lifetimes) {
  replaced.insert(&pool);
  if (pool.getPool())
    for (const BufferLifetime *buffer : pool.buffers)
      inReplaced.insert(buffer->getAlloc());
  llvm::SmallSetVector<const BufferLifetime *, 8> whole;
  for (const BufferLifetime *buffer : pool.buffers)
    whole.insert(lifetimes.getWhole(buffer));
  for (const BufferLifetime *buffer : whole)
    add(*buffer, /*isDynamic=*/false);
}

/// Return true if all that the size of `candidate` depends on can be known in
/// front of `first`.
bool BlockPlanner::isKnownAt(const Candidate &candidate, Operation *first) {
  for (const auto &[product, coefficient] : candidate.bytes)
    for (unsigned symbol : product)
      if (!SizePolynomials::isAvailable(sizes.getSymbol(symbol), first,
                                        dominance))
        return false;
  return true;
}

/// Return the operation of the block behind which none of `members` is held;
/// null if none is ever freed.
Operation *BlockPlanner::findLast(ArrayRef<Candidate> members) const {
  if (llvm::all_of(members, [](const Candidate &member) {
        return member.buffer->deallocs.empty();
      }))
    return nullptr;
  int64_t last = 0;
  for (const Candidate &member : members)
    last = std::max(last, member.held.last);
  for (Operation &op : *block)
    if (context.order.getTicks(&op).last >= last)
      return &op;
  return nullptr;
}

/// Return what `item` of a heap holds, in terms of `variables`.
SymbolicItem BlockPlanner::makeItem(const HeapItem &item, Operation *first,
                                    PoolVariables &variables) {
  SymbolicItem symbolic;
  symbolic.ticks = item.ticks;
  // What is executed several times while the pool is there may be of another
  // size each time.
  bool isFixed =
      item.op->getBlock() == block || !block->findAncestorOpInBlock(*item.op);
  if (auto alloc = dyn_cast_or_null<memref::AllocOp>(
          item.pool || item.inner ? nullptr : item.op))
    if (std::optional<SizePolynomial> bytes =
            sizes.getBytes(alloc, context.layout);
        bytes &&
        (isFixed ||
         isKnownAt({nullptr, *bytes, {}, /*isDynamic=*/true}, first))) {
      symbolic.bytes = variables.get(*bytes);
      return symbolic;
    }
  if (!item.bytes.isUnknown)
    symbolic.bytes = {item.bytes.most};
  else if (isFixed && !item.mayVary)
    symbolic.bytes = variables.getUnknown(item.op);
  else
    symbolic.mayVary = true;
  return symbolic;
}

/// Find what is held beside `pool` at the ticks `held`, and what is without it.
BlockPlanner::Surroundings
BlockPlanner::findSurroundings(const RuntimePool &pool,
                               PoolVariables &variables, TickRange held) {
  Region *scope = findHeapScope(context, pool.first);
  llvm::DenseSet<Operation *> members;
  for (const BufferLifetime *buffer : pool.buffers)
    members.insert(buffer->alloc);
  SmallVector<SymbolicItem, 0> beside, certain;
  SmallVector<int64_t, 0> ownTicks = {
      context.order.getTicks(&block->back()).first};
  if (const ScopeHeap *heap = planned->lookup(scope, pool.memorySpace))
    for (const HeapItem &item : heap->items)
      if (item.pool ? !replaced.contains(item.pool)
                    : !members.contains(item.op))
        beside.push_back(makeItem(item, pool.first, variables));
  if (const ScopeHeap *heap = given->lookup(scope, pool.memorySpace))
    for (const HeapItem &item : heap->items) {
      SymbolicItem symbolic = makeItem(item, pool.first, variables);
      if (inReplaced.contains(item.op) && !members.contains(item.op))
        beside.push_back(symbolic);
      // Less may be held for certain.
      if (!item.bytes.isUnknown && item.bytes.least != item.bytes.most)
        symbolic.bytes = {item.bytes.least};
      for (TickRange range : item.certain) {
        symbolic.ticks = range;
        certain.push_back(symbolic);
      }
      if (item.op->getBlock() == block)
        ownTicks.push_back(context.order.getTicks(item.op).first);
    }
  SymbolicSums allowed(certain), others(beside);
  Surroundings surroundings;
  // Every execution of the block comes by these ticks.
  for (int64_t tick : ownTicks)
    surroundings.given.add(allowed.get(tick));
  auto add = [&](int64_t tick, const SymbolicSums::Sum &sum) {
    Surroundings::Beside &found = surroundings.beside.emplace_back();
    found.tick = tick;
    found.bytes = sum.bytes;
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
  return surroundings;
}

SmallVector<PeakBound, 1> BlockPlanner::Surroundings::getBounds() const {
  SmallVector<PeakBound, 1> bounds;
  LargestBytes largest;
  for (const Beside &found : beside)
    if (found.allowed)
      bounds.push_back({{found.bytes}, {*found.allowed}});
    else
      largest.add(found.bytes);
  if (!largest.get().empty())
    bounds.push_back({SmallVector<LinearBytes, 4>(largest.get()),
                      SmallVector<LinearBytes, 4>(given.get())});
  return bounds;
}

/// Return the largest of `all` for `values` of the variables.
static int64_t evaluateLargest(ArrayRef<LinearBytes> all,
                               ArrayRef<int64_t> values) {
  int64_t largest = 0;
  for (const LinearBytes &bytes : all)
    largest = std::max(largest, evaluate(bytes, values));
  return largest;
}

/// Return a tick at which every pool of the buffers of `pool` would raise the
/// peak if the variables are `values`: the one next to the tick at which most
/// of their bytes are alive, which is set.
static std::optional<int64_t>
findExcess(const RuntimePool &pool, const BlockPlanner::Surroundings &around,
           ArrayRef<int64_t> values, int64_t &aliveTick) {
  SmallVector<std::pair<TickRange, int64_t>, 0> sizes;
  for (auto [buffer, bytes] : llvm::zip(pool.buffers, pool.bytes))
    sizes.emplace_back(buffer->ticks, evaluate(bytes, values));
  int64_t alive;
  std::tie(alive, aliveTick) = findPeak(sizes);
  int64_t given = evaluateLargest(around.given.get(), values);
  std::optional<int64_t> excess;
  for (const BlockPlanner::Surroundings::Beside &beside : around.beside) {
    int64_t allowed =
        beside.allowed ? evaluate(*beside.allowed, values) : given;
    if (alive + evaluate(beside.bytes, values) > allowed &&
        (!excess ||
         std::abs(beside.tick - aliveTick) < std::abs(*excess - aliveTick)))
      excess = beside.tick;
  }
  return excess;
}

/// Return the ticks at which `pool`, of `members`, is held.
TickRange BlockPlanner::findHeld(const RuntimePool &pool,
                                 ArrayRef<Candidate> members) const {
  TickRange held = context.order.getTicks(pool.first);
  for (const Candidate &member : members)
    held = held.hull(member.held);
  if (pool.last)
    return held.hull(context.order.getTicks(pool.last));
  if (options.limitPeak == FreePoint::AsGiven)
    held.last =
        context.order.getTicks(findHeapScope(context, pool.first)).last + 1;
  return held;
}

std::optional<RuntimePool>
BlockPlanner::findPool(SmallVector<Candidate, 0> members) {
  auto isWorthIt = [&] {
    return members.size() > 1 &&
           llvm::any_of(members, [](const Candidate &member) {
             return member.isDynamic;
           });
  };
  for (unsigned round = 0; round < maxRounds && isWorthIt(); ++round) {
    RuntimePool pool;
    memref::AllocOp front = members.front().buffer->alloc;
    pool.first = front;
    pool.last = findLast(members);
    pool.memorySpace = front.getType().getMemorySpace();
    pool.alignment = options.getLeastAlignment(
        pool.memorySpace, /*isInDeviceCode=*/false, /*isWorkgroup=*/false);
    for (const Candidate &member : members) {
      memref::AllocOp alloc = member.buffer->alloc;
      int64_t natural =
          getNaturalAlignment(alloc.getType().getElementType(), context.layout);
      pool.alignment =
          std::max({pool.alignment, member.buffer->alignment, natural});
    }
    PoolVariables variables(pool, sizes);
    for (const Candidate &member : members) {
      pool.buffers.push_back(member.buffer);
      pool.bytes.push_back(variables.get(member.bytes));
    }
    pool.held = findHeld(pool, members);
    SmallVector<int64_t> counterexample;
    if (!given) {
      if (findOrders(pool, std::nullopt, options, counterexample))
        return pool;
      return std::nullopt;
    }
    Surroundings around = findSurroundings(pool, variables, pool.held);
    // What cannot be for a few sizes need not be tried.
    std::optional<int64_t> excess;
    int64_t aliveTick = 0;
    for (int64_t symbols = 1; symbols <= 8192 && !excess; symbols *= 2)
      excess =
          findExcess(pool, around, evaluateVariables(pool, symbols), aliveTick);
    if (!excess) {
      if (findOrders(pool, ArrayRef<PeakBound>(around.getBounds()), options,
                     counterexample))
        return pool;
      if (!counterexample.empty())
        excess = findExcess(pool, around, counterexample, aliveTick);
    }
    if (!excess)
      return std::nullopt;
    size_t count = members.size();
    llvm::erase_if(members, [&](const Candidate &member) {
      return *excess > aliveTick ? member.held.last >= *excess
                                 : member.held.first <= *excess;
    });
    if (members.size() == count)
      return std::nullopt;
  }
  return std::nullopt;
}

SmallVector<RuntimePool, 1> BlockPlanner::findPools() {
  SmallVector<RuntimePool, 1> pools;
  // In the order of the block.
  SmallVector<Candidate, 0> left = candidates;
  llvm::sort(left, [](const Candidate &a, const Candidate &b) {
    memref::AllocOp later = b.buffer->alloc;
    return a.buffer->getAlloc()->isBeforeInBlock(later);
  });
  for (unsigned place = 0; place < maxPlaces && left.size() > 1; ++place) {
    Operation *first = left.front().buffer->getAlloc();
    SmallVector<Candidate, 0> known;
    llvm::copy_if(left, std::back_inserter(known),
                  [&](const Candidate &candidate) {
                    return isKnownAt(candidate, first);
                  });
    if (known.size() > maxBuffers)
      known.resize(maxBuffers);
    std::optional<RuntimePool> pool = findPool(std::move(known));
    if (!pool) {
      left.erase(left.begin());
      continue;
    }
    // Proofs know nothing of a pool that is held at the same time.
    llvm::erase_if(left, [&](const Candidate &candidate) {
      return llvm::is_contained(pool->buffers, candidate.buffer) ||
             (given && candidate.held.first <= pool->held.last &&
              pool->held.first <= candidate.held.last);
    });
    pools.push_back(std::move(*pool));
  }
  return pools;
}

//===----------------------------------------------------------------------===//
// All blocks
//===----------------------------------------------------------------------===//

/// Return the block that the pool of `plan` is allocated in.
static Block *getHome(const PoolPlan &plan) {
  return plan.first ? plan.first->getBlock() : &plan.scope->front();
}

/// Return true if the buffers of `pool` may be in another pool instead.
static bool mayBeRuntimePool(const PoolPlan &pool,
                             const BufferLifetimes &lifetimes) {
  if (pool.workgroup || pool.region || pool.isPinned || pool.argument ||
      !pool.calls.empty() || pool.isInFlightAtEnd() || pool.isInDeviceCode() ||
      pool.excessiveBytes ||
      llvm::any_of(pool.problem.buffers, [](const Buffer &buffer) {
        return buffer.fixedOffset.has_value();
      }))
    return false;
  if (const Pool *made = pool.getPool(); made) {
    if (made->storage != PoolStorage::Alloc)
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
    return !whole->arms && !whole->refusal &&
           whole->getAlloc()->getBlock() == home;
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
  plan.shared = findSharedAllocations(lifetimes, options.limitPeak, taken);
  llvm::DenseSet<const BufferLifetime *> others = taken;
  for (const SharedAllocation &shared : plan.shared)
    for (const BufferLifetime *buffer : llvm::drop_begin(shared.buffers))
      others.insert(buffer);
  plan.unmergeable.clear();
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (buffer.refusal && !others.contains(&buffer))
      plan.unmergeable.push_back(&buffer);
}

namespace {
/// The buffers of a block in one memory space.
struct BlockBuffers {
  SmallVector<const BufferLifetime *, 0> dynamic;
  SmallVector<size_t, 1> pools;
};
} // namespace

/// Return the number of allocations that `pool` merges.
static size_t countMerged(const PoolPlan &pool) {
  return pool.getPool() ? pool.countAllocations() : 0;
}

void buffer_merge::addRuntimePools(MergePlan &plan,
                                   const MergePlanOptions &options) {
  const BufferLifetimes &lifetimes = *plan.lifetimes;
  llvm::MapVector<std::pair<Block *, Attribute>, BlockBuffers> blocks;
  // A limit would have to be checked when the program runs.
  auto isLimited = [&](Attribute memorySpace) {
    return options.findCapacity(memorySpace, /*isInDeviceCode=*/false) ||
           options.hasRegions(memorySpace);
  };
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (buffer.shareable && !buffer.isInDeviceCode &&
        !isLimited(buffer.getMemorySpace()))
      blocks[{buffer.getAlloc()->getBlock(), buffer.getMemorySpace()}]
          .dynamic.push_back(&buffer);
  if (blocks.empty())
    return;
  for (auto [index, pool] : llvm::enumerate(plan.pools))
    if (mayBeRuntimePool(pool, lifetimes))
      if (auto it = blocks.find({getHome(pool), pool.memorySpace});
          it != blocks.end())
        it->second.pools.push_back(index);
  const ProgramHeap *given = nullptr;
  std::optional<ProgramHeap> planned;
  if (options.limitPeak && !isMutated("R9-peak")) {
    given = &getBaseline(plan);
    ProgramHeapOptions heapOptions;
    heapOptions.freePoint = plan.freePoint;
    heapOptions.isPlanned = true;
    heapOptions.other = given;
    planned.emplace(plan, heapOptions);
  }
  SizePolynomials sizes;
  llvm::DenseMap<Operation *, std::unique_ptr<DominanceInfo>> dominances;
  llvm::DenseSet<size_t> gone;
  llvm::DenseSet<const BufferLifetime *> taken;
  for (auto &[key, buffers] : blocks) {
    const BufferLifetime &front = *buffers.dynamic.front();
    const FunctionContext *context = lifetimes.getContext(front.function);
    // The check that no number wraps around is for numbers of 64 bits.
    if (!context || context->layout.getTypeSizeInBits(
                        IndexType::get(front.function->getContext())) != 64)
      continue;
    std::unique_ptr<DominanceInfo> &dominance = dominances[front.function];
    if (!dominance)
      dominance = std::make_unique<DominanceInfo>(front.function);
    auto findPools = [&](ArrayRef<size_t> replaced) {
      BlockPlanner planner(options, key.first, *context, sizes, *dominance,
                           given, planned ? &*planned : nullptr);
      for (size_t index : replaced)
        planner.replace(plan.pools[index], lifetimes);
      for (const BufferLifetime *buffer : buffers.dynamic)
        planner.add(*buffer, /*isDynamic=*/true);
      return planner.findPools();
    };
    auto countBuffers = [](ArrayRef<RuntimePool> pools) {
      size_t count = 0;
      for (const RuntimePool &pool : pools)
        count += pool.buffers.size();
      return count;
    };
    SmallVector<RuntimePool, 1> pools = findPools(buffers.pools);
    size_t numStatic = 0;
    for (size_t index : buffers.pools)
      numStatic += countMerged(plan.pools[index]);
    if (numStatic != 0) {
      SmallVector<RuntimePool, 1> apart = findPools({});
      if (pools.empty() ||
          countBuffers(apart) + numStatic > countBuffers(pools)) {
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
      plan.runtimePools.push_back(std::move(pool));
    }
    if (!pools.empty())
      gone.insert(buffers.pools.begin(), buffers.pools.end());
  }
  if (taken.empty())
    return;
  replacePools(plan, options, gone, taken);
}
