//===- RuntimePools.cpp - What is in pools of run-time size ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimePools.h"
#include "BlockPlanner.h"
#include "Mutation.h"
#include "Planning/Gain.h"
#include "Planning/Heap/HeapScopes.h"
#include "Planning/Storage/ArenaPlan.h"
#include "Scheduling/SaturatingBytes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the block that the pool of `plan` is allocated in.
static Block *getHome(const PoolPlan &plan) {
  return plan.first ? plan.first->getBlock() : &plan.scope->front();
}

/// Return true if the buffers of `pool` may be in another pool instead; with
/// `hasArena`, in the arena that they are in.
static bool mayBeRuntimePool(const PoolPlan &pool,
                             const BufferLifetimes &lifetimes, bool hasArena) {
  if (pool.workgroup || pool.region || pool.isPinned || pool.host ||
      !pool.calls.empty() || pool.isInFlightAtEnd() || pool.isInDeviceCode() ||
      pool.excessiveBytes || pool.isErased || hasFixedOffsets(pool.problem))
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

/// Return the most bytes of static size that are held at one of `ticks` on
/// every path that executes `op`, which is in `scope` of `program`. Of callees,
/// those that are `known` were asked for before; a call of itself holds
/// nothing.
static int64_t findCertainPeak(
    const ProgramHeap &program, Region *scope, Operation *op,
    Attribute memorySpace, TickRange ticks,
    llvm::DenseMap<std::pair<Region *, Attribute>, int64_t> &known) {
  const ScopeHeap *heap = program.lookup(scope, memorySpace);
  SmallVector<std::pair<TickRange, int64_t>, 0> held;
  for (const HeapItem &item :
       heap ? ArrayRef(heap->items) : ArrayRef<HeapItem>()) {
    if (item.isRuntimePool || !item.op->getBlock()->findAncestorOpInBlock(*op))
      continue;
    int64_t bytes = item.bytes.least;
    ArrayRef<TickRange> certainTicks = item.certain;
    if (item.pool || item.isArena) {
      // What is in front of it in its block is executed as well.
      bytes = item.bytes.most;
      certainTicks = item.ticks;
    }
    if (item.inner) {
      // A loop may have no iterations.
      if (!isa<func::CallOp>(item.op))
        continue;
      // Calls may be nested as deep.
      constexpr size_t maxKnown = 4096;
      const auto key = std::pair(item.inner, memorySpace);
      if (known.size() < maxKnown && known.try_emplace(key, 0).second)
        known[key] = findCertainPeak(
            program, item.inner, &item.inner->front().front(), memorySpace,
            {0, std::numeric_limits<int64_t>::max()}, known);
      bytes = known.lookup(key);
    }
    for (TickRange certain : certainTicks)
      if (certain.first <= ticks.last && ticks.first <= certain.last)
        held.emplace_back(TickRange{std::max(certain.first, ticks.first),
                                    std::min(certain.last, ticks.last)},
                          bytes);
  }
  return findPeak(held).first;
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
  llvm::DenseMap<std::pair<Region *, Attribute>, int64_t> known;
  constexpr AttributeChanges aborts =
      AttributeChanges() | AttributeChange::MayAbort;
  FunctionGraph graph;
  if (auto module = dyn_cast<ModuleOp>(plan.lifetimes->getRoot()))
    graph = FunctionGraph(module);
  const auto falseOf = findFalseForCallers(graph, aborts);
  auto mayAbort = [&](Operation *function) {
    std::optional<unsigned> index = graph.lookup(function);
    return !(index ? falseOf[*index] : findFalseAttribute(function, aborts));
  };
  for (RuntimePool &pool : plan.runtimePools) {
    const Capacity *capacity =
        options.findCapacity(pool.memorySpace, /*isInDeviceCode=*/false);
    Operation *function = pool.buffers.front()->function;
    if (!capacity || pool.isInArena || !mayAbort(function) ||
        isMutated("R9-capacity"))
      continue;
    const FunctionContext *context = plan.lifetimes->getContext(function);
    pool.mostBytes = std::max<int64_t>(
        capacity->bytes -
            findCertainPeak(program, findHeapScope(*context, pool.first),
                            pool.first, pool.memorySpace, pool.held, known),
        0);
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
    if (buffer.isOfRuntimeSize && !buffer.isInDeviceCode &&
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
      planned.emplace(analyzePlanned(plan, *given, /*countsStack=*/false));
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
