//===- HoistParallelPools.cpp - Slots for parallel loops ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/AllocScope.h"
#include "Analysis/GPU/DeviceCode.h"
#include "Analysis/IterationSpace.h"
#include "Mutation.h"
#include "Planning/Pins.h"
#include "buffer-merge/Transforms/BufferMerge.h"
#include "buffer-merge/Transforms/Transforms.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace buffer_merge;

/// Return how many operations around `op` run their regions in parallel, `op`
/// included.
static unsigned countParallelOps(Operation *op) {
  unsigned count = 0;
  for (; op; op = op->getParentOp())
    count += getRegionExecution(op) == RegionExecution::Parallel;
  return count;
}

/// Return the depth of the parallel body that is the alloc scope of `alloc`; 0
/// if it is in none.
static unsigned getParallelDepth(memref::AllocOp alloc) {
  std::variant<Region *, Refusal> scope = findAllocScope(alloc);
  Region *const *body = std::get_if<Region *>(&scope);
  if (!body)
    return 0;
  Operation *loop = (*body)->getParentOp();
  return getRegionExecution(loop) == RegionExecution::Parallel
             ? countParallelOps(loop)
             : 0;
}

/// Return true if the buffer of `alloc` means the same memory in front of the
/// loop as in its body.
static bool isInHostMemory(memref::AllocOp alloc, const DeviceCode &device,
                           const WorkgroupOptions &options) {
  Attribute space = alloc.getType().getMemorySpace();
  auto gpuSpace = dyn_cast_or_null<gpu::AddressSpaceAttr>(space);
  bool isOfThreads =
      options.isWorkgroupSpace(space, /*isInDeviceCode=*/false) ||
      (gpuSpace && gpuSpace.getValue() == gpu::AddressSpace::Private);
  if (isOfThreads && !isMutated("hoist-memory-of-threads"))
    return false;
  return !device.contains(alloc) || isMutated("hoist-from-device-code");
}

/// Count what becomes of the pools of `plan`.
static void count(const MergePlan &plan, HoistParallelPoolsResult &result) {
  for (const PoolPlan &pool : plan.pools) {
    if (!pool.getPool()) {
      result.numLeft += pool.buffers.size();
      continue;
    }
    result.numHoisted += pool.buffers.size();
    result.numSlots +=
        countIterations(*getIterationRanges(pool.scope->getParentOp()));
  }
}

FailureOr<HoistParallelPoolsResult>
buffer_merge::hoistParallelPools(Operation *root,
                                 const HoistParallelPoolsOptions &options) {
  HoistParallelPoolsResult result;
  unsigned maxDepth = 0;
  root->walk([&](memref::AllocOp alloc) {
    maxDepth = std::max(maxDepth, getParallelDepth(alloc));
  });
  for (unsigned depth = maxDepth; depth > 0; --depth) {
    DeviceCode device(root, options.lifetimes.workgroup);
    BufferMergeOptions merge;
    merge.plan.lifetimes = options.lifetimes;
    merge.plan.lifetimes.isEligible = [&](memref::AllocOp alloc) {
      return getParallelDepth(alloc) == depth &&
             (!hasPin(alloc) || isMutated("hoist-pinned")) &&
             isInHostMemory(alloc, device, options.lifetimes.workgroup);
    };
    merge.plan.scheduler = options.scheduler;
    merge.plan.alignment = options.alignment;
    merge.plan.pool = PoolStorage::Slots;
    merge.plan.maxSlots = options.maxSlots;
    merge.inspectPlan = [&](Operation *, const MergePlan &plan) {
      count(plan, result);
      return success();
    };
    if (failed(mergeBuffers(root, merge)))
      return failure();
  }
  return result;
}
