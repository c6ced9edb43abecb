//===- PoolCollection.cpp - Which buffers may share a pool ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolCollection.h"
#include "KernelMemory.h"
#include "Mutation.h"
#include "WorkgroupPlan.h"
#include "buffer-merge/Analysis/OtherSync.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

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

namespace {
/// The pools of a plan, by what they have in common.
using PoolMap = llvm::MapVector<std::pair<Region *, Attribute>, PoolPlan>;
} // namespace

/// Group the mergeable buffers of `lifetimes`, and add the others to `plan`.
/// Return the groups and the number of each buffer within its group.
static std::pair<PoolMap, SmallVector<BufferId, 0>>
groupBuffers(const BufferLifetimes &lifetimes, MergePlan &plan) {
  llvm::SmallPtrSet<const BufferLifetime *, 8> replaced;
  for (const SharedAllocation &shared : plan.shared)
    for (const BufferLifetime *buffer : llvm::drop_begin(shared.buffers))
      replaced.insert(buffer);
  PoolMap pools;
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
    if (buffer.isWorkgroup && !pool.workgroup)
      pool.workgroup.emplace().sync = lifetimes.getWorkgroupSync(buffer.scope);
    ids.back() = pool.buffers.size();
    pool.buffers.push_back(&buffer);
  }
  return {std::move(pools), std::move(ids)};
}

/// Add the pairs of buffers that can be used in place to the problems of
/// `pools`.
static void addInPlacePairs(const BufferLifetimes &lifetimes,
                            ArrayRef<BufferId> ids, PoolMap &pools) {
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
}

/// Choose where `pool`, in workgroup memory, is, and find out what else is
/// there.
static void addWorkgroupPart(PoolPlan &pool, const MergePlanOptions &options,
                             KernelMemory &kernelMemory,
                             DynamicMemory &dynamicMemory) {
  chooseWorkgroupPool(pool, options.workgroupPool, dynamicMemory);
  llvm::DenseSet<Operation *> allocs;
  for (const BufferLifetime *buffer : pool.buffers)
    allocs.insert(buffer->alloc);
  pool.workgroup->isWantedAnyway =
      pool.workgroup->storage != PoolStorage::Alloc &&
      llvm::any_of(allocs, [&](Operation *alloc) {
        return !options.haveLowering.contains(alloc);
      });
  if (const Capacity *capacity =
          options.findCapacity(pool.memorySpace, pool.isInDeviceCode()))
    pool.workgroup->otherBytes =
        sumBytes(kernelMemory.collect(*pool.scope, capacity->spaces, allocs));
}

MergePlan buffer_merge::collectPools(const BufferLifetimes &lifetimes,
                                     const MergePlanOptions &options) {
  MergePlan plan;
  plan.otherAllocations = lifetimes.getOtherAllocations();
  plan.shared = findSharedAllocations(lifetimes);
  auto [pools, ids] = groupBuffers(lifetimes, plan);
  for (auto &[key, pool] : pools)
    pool.problem = buildSchedulingProblem(
        pool.buffers,
        pool.workgroup ? options.workgroupAlignment : options.alignment);
  addInPlacePairs(lifetimes, ids, pools);

  std::optional<OtherSync> otherBarriers;
  if (options.barriers != BarrierPolicy::Existing)
    otherBarriers.emplace(lifetimes.getRoot(), OtherSync::Kind::SharedBarrier,
                          lifetimes.getWorkgroupOptions());
  KernelMemory kernelMemory(lifetimes.getRoot(), lifetimes.getDeviceCode());
  DynamicMemory dynamicMemory(lifetimes.getRoot(), kernelMemory);
  for (auto &[key, pool] : pools) {
    if (pool.workgroup) {
      // It is lowered to a barrier of all threads, which some of them might
      // meet at another operation.
      if (otherBarriers && !isMutated("insert-beside-other-barriers"))
        pool.workgroup->barrierObstacle = otherBarriers->findIn(*pool.scope);
      addWorkgroupPart(pool, options, kernelMemory, dynamicMemory);
    }
    plan.pools.push_back(std::move(pool));
  }
  plan.overfullKernels =
      findOverfullKernels(lifetimes, plan.pools, options, kernelMemory);
  return plan;
}
