//===- PoolDecision.cpp - Whether a pool is worth having ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolDecision.h"
#include "Analysis/BufferSize.h"
#include "Gain.h"
#include "Mutation.h"
#include "Planning/GPU/WorkgroupPlan.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

/// Decide against `pool` because of `noPool`, or because its buffers exceed the
/// capacity as they are.
static NoPool leaveAlone(PoolPlan &pool, NoPool noPool,
                         const MergePlanOptions &options) {
  if (!pool.capacity || pool.totalBytes <= *pool.capacity) {
    pool.excessiveBytes.reset();
    return noPool;
  }
  pool.excessiveBytes = pool.totalBytes;
  if (options.overCapacity == OverCapacityPolicy::Error)
    noPool.reason = UnmergeableReason::OverCapacity;
  return noPool;
}

/// Return why no pool of `bytes` bytes can be in the scope of `pool`, if an
/// index does not count that far.
static std::optional<NoPool> checkOverflow(const PoolPlan &pool,
                                           int64_t bytes) {
  int64_t limit =
      getMaxPoolBytes(DataLayout::closest(pool.buffers.front()->function),
                      pool.scope->getContext());
  if (bytes <= limit)
    return std::nullopt;
  return NoPool{
      UnmergeableReason::SizeOverflow,
      llvm::formatv("{0} bytes, and an index counts up to {1}", bytes, limit)};
}

//===----------------------------------------------------------------------===//
// Before scheduling
//===----------------------------------------------------------------------===//

static void setCapacity(PoolPlan &pool, const MergePlanOptions &options) {
  if (pool.isErased)
    return;
  if (pool.region) {
    pool.capacity = pool.region->range.end - pool.region->range.begin;
    pool.problem.capacity = std::max<int64_t>(*pool.capacity, 1);
    return;
  }
  const Capacity *capacity =
      options.findCapacity(pool.memorySpace, pool.isInDeviceCode());
  if (!capacity)
    return;
  int64_t otherBytes = pool.workgroup ? pool.workgroup->otherBytes : 0;
  pool.capacity = std::max<int64_t>(capacity->bytes - otherBytes, 0);
  pool.problem.capacity = std::max<int64_t>(*pool.capacity, 1);
  Operation *scopeOp = pool.scope->getParentOp();
  if (!pool.workgroup && !isa<FunctionOpInterface>(scopeOp) &&
      !countConcurrentExecutions(scopeOp, options.maxThreads))
    pool.capacityNote = "it counts once towards the capacity: how many "
                        "executions run at the same time is not known, "
                        "'threads' of the target says it";
}

/// Return why `pool` is not worth scheduling, or nothing if it is.
static std::optional<NoPool> prepare(PoolPlan &pool,
                                     const MergePlanOptions &options) {
  if (llvm::Error error = checkProblem(pool.problem))
    return NoPool{UnmergeableReason::SizeOverflow,
                  llvm::toString(std::move(error))};
  pool.totalBytes = getAllocatedBytes(pool.buffers);
  pool.lowerBound = computeLowerBound(pool.problem);
  if (std::optional<NoPool> overflow =
          checkOverflow(pool, pool.lowerBound.bytes))
    return overflow;
  setCapacity(pool, options);
  if (pool.workgroup)
    addSyncConflicts(pool, options);
  if (pool.buffers.size() == 1 && !pool.buffers.front()->parts &&
      !pool.region && !pool.isPinned &&
      pool.getReason() != UnmergeableReason::NoRegion &&
      !(pool.workgroup && pool.workgroup->isWantedAnyway))
    return leaveAlone(pool, {UnmergeableReason::NoPartner}, options);
  if (const NoPool *noPool = pool.getNoPool())
    return leaveAlone(pool, *noPool, options);
  return std::nullopt;
}

void buffer_merge::preparePool(PoolPlan &pool,
                               const MergePlanOptions &options) {
  // What is in an argument has been decided.
  if (pool.host)
    return;
  if (std::optional<NoPool> noPool = prepare(pool, options))
    pool.decision = std::move(*noPool);
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

/// Return why `pool` has no schedule.
static NoPool describeFailure(PoolPlan &pool, llvm::Error failure) {
  NoPool noPool = {UnmergeableReason::NotScheduled};
  llvm::handleAllErrors(
      std::move(failure),
      [&](const CapacityError &error) {
        noPool.reason = UnmergeableReason::OverCapacity;
        pool.excessiveBytes = error.getNeededBytes();
        pool.isExcessProved = error.isProved();
        if (error.isOpen())
          pool.undecidedNote = error.message();
      },
      [&](const llvm::ErrorInfoBase &error) {
        // Of several, the first says what failed and the next ones why.
        if (!noPool.message.empty())
          noPool.message += ": ";
        noPool.message += error.message();
      });
  return noPool;
}

/// Return a schedule of `pool` within its capacity; with
/// `OverCapacityPolicy::Warn` else one that exceeds it, for the smallest pool
/// exceeds it by the least.
static std::variant<Schedule, NoPool>
findSchedule(PoolPlan &pool, const MergePlanOptions &options) {
  // Offsets may have been fixed since.
  if (pool.region && pool.region->schedule &&
      !findScheduleViolation(pool.problem, *pool.region->schedule))
    return *pool.region->schedule;
  auto run = [&](const SchedulingProblem &problem) {
    return runScheduler(*options.scheduler, problem, options.schedulerOptions);
  };
  auto find = [&] {
    return pool.workgroup ? scheduleWorkgroupPool(pool, options, run)
                          : run(pool.problem);
  };
  if (options.shareCapacities && pool.problem.capacity && !pool.workgroup) {
    // A search ends with anything that fits.
    std::optional<int64_t> capacity = std::exchange(pool.problem.capacity, {});
    llvm::Expected<Schedule> smallest = find();
    pool.problem.capacity = capacity;
    if (smallest && smallest->poolSize <= *capacity)
      return std::move(*smallest);
    if (!smallest)
      llvm::consumeError(smallest.takeError());
  }
  llvm::Expected<Schedule> schedule = find();
  if (schedule)
    return std::move(*schedule);
  NoPool noPool = describeFailure(pool, schedule.takeError());
  bool isError = options.overCapacity == OverCapacityPolicy::Error;
  if (noPool.reason != UnmergeableReason::OverCapacity)
    return noPool;

  // The smallest pool found is the one to speak of; a proof stops at a bound,
  // which is less than what any pool takes.
  if (isError && !pool.isExcessProved)
    return noPool;
  std::optional<WorkgroupPlan> workgroup = pool.workgroup;
  std::optional<int64_t> capacity = std::exchange(pool.problem.capacity, {});
  schedule = find();
  pool.problem.capacity = capacity;
  if (isError) {
    // There is no pool, and so no barriers are inserted for it.
    pool.workgroup = std::move(workgroup);
    if (schedule)
      pool.excessiveBytes =
          std::max(pool.excessiveBytes, std::optional(schedule->poolSize));
    else
      llvm::consumeError(schedule.takeError());
    return noPool;
  }
  pool.excessiveBytes.reset();
  if (!schedule)
    return describeFailure(pool, schedule.takeError());
  if (schedule->poolSize > *pool.capacity)
    pool.excessiveBytes = schedule->poolSize;
  return std::move(*schedule);
}

/// Return a schedule of `problem` without reuse and, as sizes are multiples of
/// alignments, without gaps: the most aligned buffers come first.
static Schedule stackByAlignment(const SchedulingProblem &problem) {
  auto order = llvm::to_vector(llvm::seq<BufferId>(0, problem.buffers.size()));
  llvm::sort(order, [&](BufferId a, BufferId b) {
    return std::pair(-problem.buffers[a].alignment, a) <
           std::pair(-problem.buffers[b].alignment, b);
  });
  SmallVector<int64_t, 0> offsets(order.size());
  int64_t top = 0;
  for (BufferId id : order) {
    offsets[id] = llvm::alignTo(top, problem.buffers[id].alignment);
    top = offsets[id] + problem.buffers[id].size;
  }
  return makeSchedule(problem, std::move(offsets));
}

std::optional<Schedule>
buffer_merge::scheduleByOwnAlignment(PoolPlan &pool,
                                     const MergePlanOptions &options) {
  SchedulingProblem problem = pool.problem;
  for (auto [buffer, lifetime] : llvm::zip_equal(problem.buffers, pool.buffers))
    buffer.alignment = lifetime->alignment;
  llvm::Expected<Schedule> schedule =
      runScheduler(*options.scheduler, problem, options.schedulerOptions);
  if (!schedule) {
    llvm::consumeError(schedule.takeError());
    return std::nullopt;
  }
  if (schedule->poolSize > pool.totalBytes)
    if (Schedule stacked = stackByAlignment(problem);
        stacked.poolSize < schedule->poolSize &&
        !findScheduleViolation(problem, stacked))
      *schedule = std::move(stacked);
  pool.problem = std::move(problem);
  return std::move(*schedule);
}

/// Return true if the pool of `schedule` has a gain, or shall be made without.
static bool isWorthHaving(const PoolPlan &pool, const Schedule &schedule,
                          const MergePlanOptions &options) {
  // Keep the pool for `bump`: a schedule without reuse was asked for on
  // purpose. Offsets that were decided elsewhere are not its own.
  bool isFixed = llvm::all_of(pool.problem.buffers, [](const Buffer &buffer) {
    return buffer.fixedOffset.has_value();
  });
  if (pool.region || pool.isPinned ||
      (pool.workgroup && pool.workgroup->isWantedAnyway) ||
      (!isFixed && !options.scheduler->reusesBytes()))
    return true;
  return hasGain(pool, schedule.poolSize, options);
}

/// Return why the pool of `schedule` is not to be made, or nothing.
static std::optional<NoPool> checkSchedule(PoolPlan &pool,
                                           const Schedule &schedule,
                                           const MergePlanOptions &options) {
  if (std::optional<NoPool> overflow = checkOverflow(pool, schedule.poolSize))
    return overflow;
  if (pool.workgroup && pool.workgroup->storage == PoolStorage::Dynamic &&
      !fitsDynamicMemory(schedule)) {
    StringRef obstacle = "it exceeds the size of dynamic memory";
    NoPool noPool = {UnmergeableReason::DynamicMemory, obstacle.str()};
    if (!pool.workgroup->otherStorage)
      return leaveAlone(pool, std::move(noPool), options);
    useOtherStorage(pool, obstacle);
  }
  if (!isWorthHaving(pool, schedule, options))
    return leaveAlone(pool, {UnmergeableReason::NoGain}, options);
  return std::nullopt;
}

SchedulingProblem buffer_merge::alignLess(const PoolPlan &pool) {
  SchedulingProblem problem = pool.problem;
  for (auto [buffer, lifetime] : llvm::zip(problem.buffers, pool.buffers)) {
    int64_t needed = isMutated("R1-needed-alignment") ? 1 : lifetime->alignment;
    // An allocation that asks for nothing gets as much from malloc as the
    // largest access that fits into it may rely on.
    uint64_t size = std::max<int64_t>(buffer.size, 1);
    auto given =
        static_cast<int64_t>(std::min<uint64_t>(llvm::bit_floor(size), 16));
    int64_t divisor = buffer.size & -buffer.size;
    buffer.alignment =
        std::min(buffer.alignment, std::max({needed, given, divisor}));
  }
  return problem;
}

/// Replace `result`, which is of `pool`, by a schedule with less alignment if
/// that is smaller: then all of what is lost is the choice of this library.
static void tryLessAlignment(PoolPlan &pool,
                             std::variant<Schedule, NoPool> &result,
                             const MergePlanOptions &options) {
  const auto *schedule = std::get_if<Schedule>(&result);
  bool isTooLarge = schedule ? schedule->poolSize > pool.lowerBound.bytes
                             : std::get<NoPool>(result).reason ==
                                   UnmergeableReason::OverCapacity;
  if (!isTooLarge || !pool.mayAlignLess || pool.isPinned ||
      hasFixedOffsets(pool.problem) || !options.scheduler->reusesBytes())
    return;
  PoolPlan other = pool;
  other.problem = alignLess(pool);
  if (other.problem == pool.problem)
    return;
  if (other.region)
    other.region->schedule.reset();
  other.excessiveBytes.reset();
  other.isExcessProved = false;
  other.undecidedNote.clear();
  // What searching once more could find is less than the padding, and it would
  // take longer than the whole pass does otherwise.
  MergePlanOptions quick = options;
  quick.schedulerOptions.effort = 0;
  std::variant<Schedule, NoPool> found = findSchedule(other, quick);
  const auto *smaller = std::get_if<Schedule>(&found);
  bool isLess = smaller ? !schedule || smaller->poolSize < schedule->poolSize
                        : !schedule && other.excessiveBytes &&
                              (!pool.excessiveBytes ||
                               *other.excessiveBytes < *pool.excessiveBytes);
  if (!isLess)
    return;
  pool = std::move(other);
  result = std::move(found);
}

void buffer_merge::schedulePool(PoolPlan &pool,
                                const MergePlanOptions &options) {
  // Whether one buffer in a loop is worth a pool is decided only here, because
  // other solvers are not asked about it (`fixOffsets`).
  if (pool.getReason() == UnmergeableReason::NoPartner &&
      hasGain(pool, pool.problem.buffers.front().size, options))
    pool.decision = Pool();
  if (!pool.getPool() || pool.host)
    return;
  std::variant<Schedule, NoPool> result = findSchedule(pool, options);
  tryLessAlignment(pool, result, options);
  if (auto *noPool = std::get_if<NoPool>(&result)) {
    // Only what is between the buffers of a pool may exceed it.
    bool fitsAlone = noPool->reason == UnmergeableReason::OverCapacity &&
                     !pool.workgroup && !pool.region &&
                     pool.totalBytes <= *pool.capacity &&
                     !hasFixedOffsets(pool.problem);
    if (fitsAlone)
      *noPool = leaveAlone(pool, {UnmergeableReason::NoGain}, options);
    pool.decision = std::move(*noPool);
    return;
  }
  auto &schedule = std::get<Schedule>(result);
  std::optional<NoPool> noPool = checkSchedule(pool, schedule, options);
  if (noPool) {
    noPool->schedule = std::move(schedule);
    pool.decision = std::move(*noPool);
    return;
  }
  Pool made;
  made.schedule = std::move(schedule);
  if (pool.workgroup) {
    made.storage = pool.workgroup->storage;
    made.storageNote = pool.workgroup->storageNote;
  }
  pool.decision = std::move(made);
}
