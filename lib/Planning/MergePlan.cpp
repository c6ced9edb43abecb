//===- What to merge, and where to ---------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Planning/MergePlan.h"
#include "ArenaPlan.h"
#include "KernelMemory.h"
#include "Mutation.h"
#include "StorageChoice.h"
#include "WorkgroupPlan.h"
#include "buffer-merge/Analysis/BufferSize.h"
#include "buffer-merge/Analysis/OtherSync.h"

#include "mlir/IR/Threading.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace buffer_merge;

bool PoolPlan::isDeallocated() const {
  return llvm::any_of(buffers, [](const BufferLifetime *buffer) {
    return !buffer->deallocs.empty();
  });
}

int64_t PoolPlan::getProvedBound() const {
  if (llvm::none_of(problem.buffers, [](const Buffer &buffer) {
        return buffer.fixedOffset.has_value();
      }))
    return std::max(schedule.provedBound, computeProvedBound(problem));
  SchedulingProblem unfixed = problem;
  for (Buffer &buffer : unfixed.buffers)
    buffer.fixedOffset.reset();
  return computeProvedBound(unfixed);
}

int64_t PoolPlan::getCapacity() const { return isFull ? 0 : *problem.capacity; }

MemRefType PoolPlan::getPoolType() const {
  return MemRefType::get({schedule.poolSize},
                         IntegerType::get(scope->getContext(), 8),
                         MemRefLayoutAttrInterface(), memorySpace);
}

bool PoolPlan::isInFlightAtEnd() const {
  return llvm::any_of(buffers, [](const BufferLifetime *buffer) {
    return buffer->isInFlightAtEnd;
  });
}

StringRef buffer_merge::getPoolStorageName(PoolStorage storage) {
  switch (storage) {
  case PoolStorage::Alloc:
    return "alloc";
  case PoolStorage::Stack:
    return "stack";
  case PoolStorage::Arena:
    return "arena";
  case PoolStorage::Global:
    return "global";
  }
  llvm_unreachable("not a pool storage");
}

bool PoolPlan::needsManualDealloc() const {
  return llvm::any_of(buffers, [](const BufferLifetime *buffer) {
    return buffer->needsManualDealloc;
  });
}

const Capacity *MergePlanOptions::findCapacity(Attribute memorySpace,
                                               bool isInDeviceCode) const {
  for (const Capacity &capacity : capacities)
    if (capacity.spaces.contains(memorySpace, isInDeviceCode))
      return &capacity;
  return nullptr;
}

SchedulingProblem
buffer_merge::buildSchedulingProblem(ArrayRef<const BufferLifetime *> buffers,
                                     int64_t alignment) {
  SchedulingProblem problem;
  for (const BufferLifetime *lifetime : buffers) {
    Buffer &buffer = problem.buffers.emplace_back();
    buffer.size = lifetime->size;
    buffer.alignment = isMutated("alignment-asked-for")
                           ? lifetime->alignment
                           : std::max(lifetime->alignment, alignment);
    // Closed in the analysis, half open in the problem.
    buffer.begin = lifetime->ticks.first;
    buffer.end = lifetime->ticks.last + 1;
    if (isMutated("planning-ends-before-the-last-access") &&
        lifetime->ticks.first != lifetime->ticks.last)
      --buffer.end;
  }
  return problem;
}

/// Leave the buffers of `pool` alone, for `reason` or because they exceed the
/// capacity as they are.
static void leaveAlone(PoolPlan &pool, UnmergeableReason reason,
                       OverCapacityPolicy policy) {
  pool.reason = reason;
  std::optional<int64_t> capacity = pool.problem.capacity;
  if (!capacity || pool.totalBytes <= *capacity)
    return;
  pool.neededBytes = pool.totalBytes;
  if (policy == OverCapacityPolicy::Error)
    pool.reason = UnmergeableReason::OverCapacity;
}

/// Return true if `bytes` bytes are more than a pool of the scope may have, and
/// note it in `pool`.
static bool refuseOverflow(PoolPlan &pool, int64_t bytes) {
  int64_t limit = getMaxPoolBytes(
      DataLayout::closest(pool.scope->getParentOp()), pool.scope->getContext());
  if (bytes <= limit || isMutated("size-of-a-pool-for-any-index"))
    return false;
  pool.reason = UnmergeableReason::SizeOverflow;
  pool.message =
      llvm::formatv("{0} bytes, and an index counts up to {1}", bytes, limit);
  return true;
}

/// Set what is known of `pool`, which has its problem, before it is scheduled.
static void preparePool(PoolPlan &pool, const MergePlanOptions &options) {
  std::optional<UnmergeableReason> reason = pool.reason;
  if (llvm::Error error = checkProblem(pool.problem)) {
    pool.reason = UnmergeableReason::SizeOverflow;
    pool.message = llvm::toString(std::move(error));
    return;
  }
  pool.totalBytes = computeTotalBytes(pool.problem);
  pool.lowerBound = computeLowerBound(pool.problem);
  if (refuseOverflow(pool, pool.lowerBound.bytes))
    return;
  if (const Capacity *capacity = options.findCapacity(
          pool.memorySpace, pool.buffers.front()->isInDeviceCode))
    pool.problem.capacity = capacity->bytes;
  if (pool.isWorkgroup) {
    if (pool.problem.capacity) {
      pool.isFull = *pool.problem.capacity <= pool.otherBytes;
      pool.problem.capacity =
          std::max<int64_t>(*pool.problem.capacity - pool.otherBytes, 1);
    }
    addSyncConflicts(pool, options.barriers);
  }
  if (pool.buffers.size() == 1 && !pool.isWantedAnyway)
    leaveAlone(pool, UnmergeableReason::NoPartner, options.overCapacity);
  if (reason && !pool.reason)
    leaveAlone(pool, *reason, options.overCapacity);
}

/// Note in `pool` why it has no schedule.
static void noteFailure(PoolPlan &pool, llvm::Error failure) {
  pool.reason = UnmergeableReason::NotScheduled;
  llvm::handleAllErrors(
      std::move(failure),
      [&](const CapacityError &error) {
        pool.reason = UnmergeableReason::OverCapacity;
        pool.neededBytes = error.getNeededBytes();
      },
      [&](const llvm::ErrorInfoBase &error) {
        // Of several, the first says what failed and the next ones why.
        if (!pool.message.empty())
          pool.message += ": ";
        pool.message += error.message();
      });
}

/// If `pool` exceeds its capacity, note the bytes that `schedule` makes it need
/// without one. A scheduler that fails may have stopped at a bound, which is
/// less than what any pool takes.
static void
noteNeededBytes(PoolPlan &pool,
                function_ref<llvm::Expected<Schedule>()> findSchedule) {
  if (pool.reason != UnmergeableReason::OverCapacity ||
      isMutated("capacity-needed-bytes"))
    return;
  int64_t capacity = *pool.problem.capacity;
  SmallVector<SyncConflict, 0> conflicts = pool.conflicts;
  pool.problem.capacity.reset();
  llvm::Expected<Schedule> schedule = findSchedule();
  pool.problem.capacity = capacity;
  // There is no pool, and so no barriers are inserted for it.
  pool.barriers.clear();
  pool.conflicts = std::move(conflicts);
  if (schedule)
    pool.neededBytes = std::max(pool.neededBytes, schedule->poolSize);
  else
    llvm::consumeError(schedule.takeError());
}

/// Schedule `pool` and decide whether it is worth having.
static void schedulePool(PoolPlan &pool, const MergePlanOptions &options) {
  auto run = [&](const SchedulingProblem &problem) {
    return runScheduler(*options.scheduler, problem, options.schedulerOptions);
  };
  auto findSchedule = [&] {
    return pool.isWorkgroup ? scheduleWorkgroupPool(pool, options.barriers, run)
                            : run(pool.problem);
  };
  std::string message = pool.message;
  llvm::Expected<Schedule> schedule = findSchedule();
  if (!schedule) {
    noteFailure(pool, schedule.takeError());
    if (options.overCapacity == OverCapacityPolicy::Error)
      noteNeededBytes(pool, findSchedule);
    if (pool.reason != UnmergeableReason::OverCapacity ||
        options.overCapacity == OverCapacityPolicy::Error ||
        isMutated("R6-warning-makes-no-pool"))
      return;
    // The smallest pool exceeds the capacity by the least.
    pool.reason.reset();
    pool.message = std::move(message);
    pool.neededBytes = 0;
    int64_t capacity = *pool.problem.capacity;
    pool.problem.capacity.reset();
    schedule = findSchedule();
    pool.problem.capacity = capacity;
    if (!schedule)
      return noteFailure(pool, schedule.takeError());
    if (schedule->poolSize > capacity)
      pool.neededBytes = schedule->poolSize;
  }
  pool.schedule = std::move(*schedule);
  if (refuseOverflow(pool, pool.schedule.poolSize))
    return;
  if (pool.kind == PoolKind::Dynamic && !fitsDynamicMemory(pool.schedule)) {
    pool.message = "it exceeds the size or alignment of dynamic memory";
    return isMutated("R6-dynamic-memory-without-limit")
               ? void(pool.reason = UnmergeableReason::DynamicMemory)
               : leaveAlone(pool, UnmergeableReason::DynamicMemory,
                            options.overCapacity);
  }
  // Keep the pool for `bump`: a schedule without reuse was asked for on
  // purpose. Offsets that were decided elsewhere are not its own.
  bool isFixed = llvm::all_of(pool.problem.buffers, [](const Buffer &buffer) {
    return buffer.fixedOffset.has_value();
  });
  if ((isFixed || options.scheduler->reusesBytes()) && !pool.isWantedAnyway &&
      pool.schedule.poolSize >=
          pool.totalBytes + isMutated("R4-pool-without-gain"))
    leaveAlone(pool, UnmergeableReason::NoGain, options.overCapacity);
}

/// Call `function` for each pool of `plan`, in the threads of the MLIR context
/// if it has more than one. Each call may change its own pool alone.
static void forEachPool(MergePlan &plan,
                        function_ref<void(PoolPlan &)> function) {
  if (!plan.pools.empty())
    parallelForEach(plan.pools.front().scope->getContext(), plan.pools,
                    function);
}

/// Group the mergeable buffers by alloc scope and memory space, and build the
/// problem of each group. Pools that need no schedule have a reason: it is
/// `NoPartner`, `SizeOverflow` or `OverCapacity`.
static MergePlan collectPools(const BufferLifetimes &lifetimes,
                              const MergePlanOptions &options) {
  MergePlan plan;
  plan.otherAllocations = lifetimes.getOtherAllocations();
  plan.shared = findSharedAllocations(lifetimes);
  llvm::SmallPtrSet<const BufferLifetime *, 8> replaced;
  for (const SharedAllocation &shared : plan.shared)
    for (const BufferLifetime *buffer : llvm::drop_begin(shared.buffers))
      replaced.insert(buffer);
  llvm::MapVector<std::pair<Region *, Attribute>, PoolPlan> pools;
  // The number of each buffer within its pool.
  SmallVector<BufferId, 0> ids;
  for (const BufferLifetime &buffer : lifetimes.getBuffers()) {
    ids.push_back(0);
    if (buffer.reason) {
      if (!replaced.contains(&buffer))
        plan.unmergeable.push_back(&buffer);
      continue;
    }
    PoolPlan &pool = pools[{buffer.scope, buffer.getMemorySpace()}];
    pool.scope = buffer.scope;
    pool.memorySpace = buffer.getMemorySpace();
    pool.isWorkgroup = buffer.isWorkgroup;
    ids.back() = pool.buffers.size();
    pool.buffers.push_back(&buffer);
  }
  for (auto &[key, pool] : pools)
    pool.problem = buildSchedulingProblem(
        pool.buffers,
        pool.isWorkgroup ? options.workgroupAlignment : options.alignment);
  for (const InPlaceBuffers &pair : lifetimes.getInPlaceBuffers()) {
    const BufferLifetime &buffer = lifetimes.getBuffers()[pair.later];
    SchedulingProblem &problem =
        pools[{buffer.scope, buffer.getMemorySpace()}].problem;
    // An operation with regions has several ticks. In the problem the two meet
    // at the first one, as no buffer begins at the others.
    Buffer &earlier = problem.buffers[ids[pair.earlier]];
    if (earlier.end == pair.ticks.last + 1 &&
        !isMutated("in-place-several-ticks"))
      earlier.end = pair.ticks.first + 1;
    problem.inPlacePairs.push_back(
        {ids[pair.earlier], ids[pair.later], pair.condition});
  }
  std::optional<OtherSync> otherBarriers;
  if (options.barriers != BarrierPolicy::Existing)
    otherBarriers.emplace(lifetimes.getRoot(), OtherSync::Kind::SharedBarrier,
                          lifetimes.getWorkgroupOptions());
  KernelMemory kernelMemory(lifetimes.getRoot(), lifetimes.getDeviceCode());
  DynamicMemory dynamicMemory(lifetimes.getRoot(), kernelMemory);
  for (auto &[key, pool] : pools) {
    if (pool.isWorkgroup) {
      pool.sync = lifetimes.getWorkgroupSync(pool.scope);
      // It is lowered to a barrier of all threads, which some of them might
      // meet at another operation.
      if (otherBarriers && !isMutated("insert-beside-other-barriers"))
        pool.barrierObstacle = otherBarriers->findIn(*pool.scope);
      chooseWorkgroupPool(pool, options.workgroupPool, dynamicMemory);
      pool.isWantedAnyway =
          pool.kind != PoolKind::Alloc &&
          llvm::any_of(pool.buffers, [&](const BufferLifetime *buffer) {
            return !options.haveLowering.contains(buffer->alloc);
          });
      if (const Capacity *capacity = options.findCapacity(
              pool.memorySpace, pool.buffers.front()->isInDeviceCode)) {
        llvm::DenseSet<Operation *> allocs;
        for (const BufferLifetime *buffer : pool.buffers)
          allocs.insert(buffer->alloc);
        pool.otherBytes = sumBytes(
            kernelMemory.collect(*pool.scope, capacity->spaces, allocs));
      }
    }
    plan.pools.push_back(std::move(pool));
  }
  plan.overfullKernels =
      findOverfullKernels(lifetimes, plan.pools, options, kernelMemory);
  forEachPool(plan, [&](PoolPlan &pool) { preparePool(pool, options); });
  return plan;
}

/// Schedule the pools of `plan` that have no reason yet not to be. Every
/// schedule is verified. Buffers with a fixed offset are placed there; where
/// all of a pool have one, no scheduler is asked.
static void schedulePools(MergePlan &plan, const MergePlanOptions &options) {
  auto schedule = [&](PoolPlan &pool) {
    if (!pool.reason)
      schedulePool(pool, options);
  };
  // Who asks for progress hears of one pool after the other.
  if (options.schedulerOptions.progress)
    llvm::for_each(plan.pools, schedule);
  else
    forEachPool(plan, schedule);
  if (!isMutated("dealloc-group-of-pools"))
    refuseSharedDeallocs(plan.pools);
}

/// Fail if `options` ask for pools that change more than the inside of
/// functions, and `root` is not the whole module.
static LogicalResult checkRoot(Operation *root,
                               const MergePlanOptions &options) {
  bool needsModule =
      options.pool == PoolStorage::Arena || options.pool == PoolStorage::Global;
  if (!needsModule || (!root->getParentOp() && isa<ModuleOp>(root)))
    return success();
  return emitError(root->getLoc())
         << "pool=" << getPoolStorageName(options.pool)
         << " changes the module, so the pass must run on the top-level "
            "module, not on '"
         << root->getName() << "'";
}

/// Choose where the pools of `plan`, which are scheduled, are.
static LogicalResult placePools(Operation *root, MergePlan &plan,
                                const MergePlanOptions &options) {
  if (options.pool == PoolStorage::Alloc)
    return success();
  auto arenas = std::make_shared<ArenaPlan>();
  if (options.pool != PoolStorage::Arena)
    return chooseStorage(FunctionGraph(root), *arenas, plan, options);
  auto module = cast<ModuleOp>(root);
  if (failed(arenas->initialize(module)) ||
      failed(chooseStorage(arenas->getGraph(), *arenas, plan, options)) ||
      failed(arenas->compute(module, plan, options)))
    return failure();
  plan.arenas = std::move(arenas);
  return success();
}

FailureOr<MergePlan>
buffer_merge::computeMergePlan(const BufferLifetimes &lifetimes,
                               const MergePlanOptions &options) {
  Operation *root = lifetimes.getRoot();
  if (failed(checkRoot(root, options)))
    return failure();
  MergePlan plan = collectPools(lifetimes, options);
  if (failed(options.fixOffsets(root, plan)))
    return failure();
  schedulePools(plan, options);
  if (failed(placePools(root, plan, options)))
    return failure();
  return plan;
}

FailureOr<MergePlan>
buffer_merge::computeMergePlan(Operation *root,
                               const MergePlanOptions &options) {
  auto lifetimes =
      std::make_shared<const BufferLifetimes>(root, options.lifetimes);
  FailureOr<MergePlan> plan = computeMergePlan(*lifetimes, options);
  if (succeeded(plan))
    plan->lifetimes = std::move(lifetimes);
  return plan;
}
