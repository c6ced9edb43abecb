//===- What to merge, and where to ---------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Planning/MergePlan.h"

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

/// Schedule `pool` and decide whether it is worth having.
static void schedulePool(PoolPlan &pool, const MergePlanOptions &options) {
  pool.problem = buildSchedulingProblem(pool.buffers, options.alignment);
  if (llvm::Error error = checkProblem(pool.problem)) {
    pool.reason = UnmergeableReason::SizeOverflow;
    pool.message = llvm::toString(std::move(error));
    return;
  }
  pool.totalBytes = computeTotalBytes(pool.problem);
  pool.lowerBound = computeLowerBound(pool.problem);
  std::optional<int64_t> capacity = options.getCapacity(pool.memorySpace);
  pool.problem.capacity = capacity;
  auto leaveAlone = [&](UnmergeableReason reason) {
    pool.reason = reason;
    if (capacity && pool.totalBytes > *capacity) {
      pool.reason = UnmergeableReason::OverCapacity;
      pool.neededBytes = pool.totalBytes;
    }
  };
  if (pool.buffers.size() == 1)
    return leaveAlone(UnmergeableReason::NoPartner);

  llvm::Expected<Schedule> schedule =
      runScheduler(*options.scheduler, pool.problem, options.schedulerOptions);
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
  // Who asks for a scheduler without reuse wants to see the pool.
  if (options.scheduler->reusesBytes() &&
      pool.schedule.poolSize >= pool.totalBytes)
    leaveAlone(UnmergeableReason::NoGain);
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

MergePlan buffer_merge::computeMergePlan(const BufferLifetimes &lifetimes,
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
    pool.buffers.push_back(&buffer);
  }
  for (auto &[key, pool] : pools) {
    schedulePool(pool, options);
    plan.pools.push_back(std::move(pool));
  }
  checkDeallocGroups(plan.pools);
  return plan;
}
