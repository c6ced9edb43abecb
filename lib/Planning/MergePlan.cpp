//===- What to merge, and where to ---------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Planning/MergePlan.h"
#include "WorkgroupPlan.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

bool PoolPlan::isDeallocated() const {
  return llvm::any_of(buffers, [](const BufferLifetime *buffer) {
    return !buffer->deallocs.empty();
  });
}

std::optional<int64_t>
MergePlanOptions::getCapacity(Attribute memorySpace) const {
  for (auto [space, bytes] : capacities)
    if (space == memorySpace)
      return bytes;
  return std::nullopt;
}

SchedulingProblem
buffer_merge::buildSchedulingProblem(ArrayRef<const BufferLifetime *> buffers,
                                     int64_t alignment) {
  SchedulingProblem problem;
  for (const BufferLifetime *lifetime : buffers) {
    Buffer &buffer = problem.buffers.emplace_back();
    buffer.size = lifetime->size;
    buffer.alignment = std::max(lifetime->alignment, alignment);
    // Closed in the analysis, half open in the problem.
    buffer.begin = lifetime->ticks.first;
    buffer.end = lifetime->ticks.last + 1;
  }
  return problem;
}

/// Leave the buffers of `pool` alone, for `reason` or because they exceed the
/// capacity as they are.
static void leaveAlone(PoolPlan &pool, UnmergeableReason reason) {
  pool.reason = reason;
  std::optional<int64_t> capacity = pool.problem.capacity;
  if (!capacity || pool.totalBytes <= *capacity)
    return;
  pool.reason = UnmergeableReason::OverCapacity;
  pool.neededBytes = pool.totalBytes;
}

/// Set what is known of `pool` before it is scheduled.
static void preparePool(PoolPlan &pool, const MergePlanOptions &options) {
  std::optional<UnmergeableReason> reason = pool.reason;
  pool.problem = buildSchedulingProblem(
      pool.buffers,
      pool.isWorkgroup ? options.workgroupAlignment : options.alignment);
  if (llvm::Error error = checkProblem(pool.problem)) {
    pool.reason = UnmergeableReason::SizeOverflow;
    pool.message = llvm::toString(std::move(error));
    return;
  }
  pool.totalBytes = computeTotalBytes(pool.problem);
  pool.lowerBound = computeLowerBound(pool.problem);
  pool.problem.capacity = options.getCapacity(pool.memorySpace);
  if (pool.isWorkgroup) {
    if (pool.problem.capacity) {
      pool.otherBytes = computeOtherBytes(pool);
      pool.problem.capacity =
          std::max<int64_t>(*pool.problem.capacity - pool.otherBytes, 1);
    }
    addSyncConflicts(pool, options.barriers);
  }
  if (pool.buffers.size() == 1 && !pool.isWantedAnyway)
    leaveAlone(pool, UnmergeableReason::NoPartner);
  if (reason && !pool.reason)
    leaveAlone(pool, *reason);
}

namespace {
/// Leaves every buffer at its fixed offset.
class FixedOffsets final : public Scheduler {
public:
  StringRef getName() const override { return "fixed-offsets"; }
  StringRef getDescription() const override {
    return "Offsets that were decided elsewhere";
  }
  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions & /*options*/) const override {
    SmallVector<int64_t, 0> offsets;
    for (const Buffer &buffer : problem.buffers)
      offsets.push_back(*buffer.fixedOffset);
    Schedule schedule = makeSchedule(problem, std::move(offsets));
    if (problem.capacity && schedule.poolSize > *problem.capacity)
      return llvm::make_error<CapacityError>(
          "the fixed offsets exceed the capacity", schedule.poolSize,
          /*isProved=*/false);
    return schedule;
  }
};
} // namespace

/// Schedule `pool` and decide whether it is worth having.
static void schedulePool(PoolPlan &pool, const MergePlanOptions &options) {
  FixedOffsets fixedOffsets;
  bool isFixed = llvm::all_of(pool.problem.buffers, [](const Buffer &buffer) {
    return buffer.fixedOffset.has_value();
  });
  const Scheduler &scheduler = isFixed ? fixedOffsets : *options.scheduler;
  auto run = [&](const SchedulingProblem &problem) {
    return runScheduler(scheduler, problem, options.schedulerOptions);
  };
  llvm::Expected<Schedule> schedule =
      pool.isWorkgroup ? scheduleWorkgroupPool(pool, options.barriers, run)
                       : run(pool.problem);
  if (!schedule) {
    pool.reason = UnmergeableReason::NotScheduled;
    llvm::handleAllErrors(
        schedule.takeError(),
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
    return;
  }
  pool.schedule = std::move(*schedule);
  if (pool.kind == PoolKind::Dynamic && !fitsDynamicMemory(pool.schedule)) {
    pool.reason = UnmergeableReason::DynamicMemory;
    return;
  }
  // Who asks for a scheduler without reuse wants to see the pool.
  if (scheduler.reusesBytes() && !pool.isWantedAnyway &&
      pool.schedule.poolSize >= pool.totalBytes)
    leaveAlone(pool, UnmergeableReason::NoGain);
}

/// A deallocation that may free buffers of two pools vanishes or stays as a
/// whole: give up pools that share one with a pool that shall not be.
static void checkDeallocGroups(MutableArrayRef<PoolPlan> pools) {
  DenseMap<Operation *, SmallVector<PoolPlan *, 1>> poolsOf;
  SmallVector<PoolPlan *> worklist;
  for (PoolPlan &pool : pools) {
    for (const BufferLifetime *buffer : pool.buffers)
      for (memref::DeallocOp dealloc : buffer->deallocs)
        poolsOf[dealloc].push_back(&pool);
    if (pool.reason)
      worklist.push_back(&pool);
  }
  while (!worklist.empty())
    for (const BufferLifetime *buffer : worklist.pop_back_val()->buffers)
      for (memref::DeallocOp dealloc : buffer->deallocs)
        for (PoolPlan *other : poolsOf[dealloc]) {
          if (other->reason)
            continue;
          other->reason = UnmergeableReason::DeallocGroup;
          worklist.push_back(other);
        }
}

MergePlan buffer_merge::collectPools(const BufferLifetimes &lifetimes,
                                     const MergePlanOptions &options) {
  MergePlan plan;
  llvm::MapVector<std::pair<Region *, Attribute>, PoolPlan> pools;
  for (const BufferLifetime &buffer : lifetimes.getBuffers()) {
    if (buffer.reason) {
      plan.unmergeable.push_back(&buffer);
      continue;
    }
    PoolPlan &pool = pools[{buffer.scope, buffer.getMemorySpace()}];
    pool.scope = buffer.scope;
    pool.memorySpace = buffer.getMemorySpace();
    pool.isWorkgroup = buffer.isWorkgroup;
    pool.buffers.push_back(&buffer);
  }
  DynamicMemory dynamicMemory(lifetimes.getRoot());
  for (auto &[key, pool] : pools) {
    if (pool.isWorkgroup) {
      pool.sync = lifetimes.getWorkgroupSync(pool.scope);
      chooseWorkgroupPool(pool, options.workgroupPool, dynamicMemory);
      pool.isWantedAnyway =
          pool.kind != PoolKind::Alloc &&
          llvm::any_of(pool.buffers, [&](const BufferLifetime *buffer) {
            return !options.haveLowering.contains(buffer->alloc);
          });
    }
    preparePool(pool, options);
    plan.pools.push_back(std::move(pool));
  }
  return plan;
}

void buffer_merge::schedulePools(MergePlan &plan,
                                 const MergePlanOptions &options) {
  for (PoolPlan &pool : plan.pools)
    if (!pool.reason)
      schedulePool(pool, options);
  checkDeallocGroups(plan.pools);
}

MergePlan buffer_merge::computeMergePlan(const BufferLifetimes &lifetimes,
                                         const MergePlanOptions &options) {
  MergePlan plan = collectPools(lifetimes, options);
  schedulePools(plan, options);
  return plan;
}
