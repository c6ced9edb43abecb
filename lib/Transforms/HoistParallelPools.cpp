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
#include "Planning/Pins.h"
#include "Planning/Storage/StorageChoice.h"
#include "PoolSlots.h"
#include "Report/Remarks.h"
#include "buffer-merge/Transforms/BufferMerge.h"
#include "buffer-merge/Transforms/Transforms.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

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
  return !isOfThreads && !device.contains(alloc);
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

namespace {
/// Hoists the pools of parallel bodies, inner ones first.
class PoolHoister {
public:
  PoolHoister(Operation *root, const HoistParallelPoolsOptions &options);

  LogicalResult run();

  HoistParallelPoolsResult result;

private:
  LogicalResult planDepth(unsigned depth);
  bool areAlone(ArrayRef<memref::AllocOp> slots) const;
  void hoistAlone(memref::AllocOp slots);
  void noteSlots(Operation *loop, unsigned count);

  Operation *root;
  const HoistParallelPoolsOptions &options;
  MergePlanOptions planOptions;
  /// The depths at which something has to be planned, and the deepest one.
  llvm::DenseSet<unsigned> plannedDepths;
  unsigned maxDepth = 0;
  /// Slots that are alone in a body need no plan.
  bool mayBeAlone = true;
  /// The slots in front of the loops of the last depth, in parallel bodies.
  SmallVector<memref::AllocOp> made;
};
} // namespace

PoolHoister::PoolHoister(Operation *root,
                         const HoistParallelPoolsOptions &options)
    : root(root), options(options) {
  planOptions.lifetimes = options.lifetimes;
  // Only a bound is a size of slots.
  if (planOptions.lifetimes.dynamic != DynamicPolicy::Bounded)
    planOptions.lifetimes.dynamic = DynamicPolicy::None;
  planOptions.scheduler = options.scheduler;
  planOptions.alignment = options.alignment;
  planOptions.pool = PoolStorage::Slots;
  planOptions.maxSlots = options.maxSlots;
  root->walk([&](Operation *op) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      unsigned depth = getParallelDepth(alloc);
      plannedDepths.insert(depth);
      maxDepth = std::max(maxDepth, depth);
    }
    // With blocks, who frees a pool is a matter of the whole function.
    for (Region &region : op->getRegions())
      mayBeAlone &= region.empty() || region.hasOneBlock();
  });
  // Handlers of actions may want to skip some.
  mayBeAlone &= !root->getContext()->hasActionHandler();
}

/// Note the `count` slots that have been made in front of `loop`.
void PoolHoister::noteSlots(Operation *loop, unsigned count) {
  std::variant<Region *, Refusal> scope = findAllocScope(loop);
  Region *const *body = std::get_if<Region *>(&scope);
  if (!body ||
      getRegionExecution((*body)->getParentOp()) != RegionExecution::Parallel)
    return;
  Operation *op = loop;
  for (; count > 0; --count) {
    op = op->getPrevNode();
    made.push_back(cast<memref::AllocOp>(op));
  }
}

LogicalResult PoolHoister::planDepth(unsigned depth) {
  DeviceCode device(root, options.lifetimes.workgroup);
  BufferMergeOptions merge;
  merge.plan = planOptions;
  merge.plan.lifetimes.isEligible = [&](memref::AllocOp alloc) {
    return getParallelDepth(alloc) == depth && !hasPin(alloc) &&
           isInHostMemory(alloc, device, options.lifetimes.workgroup);
  };
  llvm::MapVector<Operation *, unsigned> loops;
  merge.inspectPlan = [&](Operation *, const MergePlan &plan) {
    count(plan, result);
    for (const PoolPlan &pool : plan.pools) {
      // What is in use behind its loop is so for longer than the loop lasts.
      for (const BufferLifetime *buffer : pool.buffers)
        mayBeAlone &= !buffer->isInFlightAtEnd;
      if (pool.getPool())
        ++loops[pool.scope->getParentOp()];
    }
    return success();
  };
  if (failed(mergeBuffers(root, merge)))
    return failure();
  made.clear();
  if (mayBeAlone)
    for (auto [loop, count] : loops)
      noteSlots(loop, count);
  return success();
}

/// Return true if no two of `slots` would be in one pool.
bool PoolHoister::areAlone(ArrayRef<memref::AllocOp> slots) const {
  llvm::DenseSet<std::pair<Region *, Attribute>> pools;
  return llvm::all_of(slots, [&](memref::AllocOp alloc) {
    return pools
        .insert({std::get<Region *>(findAllocScope(alloc)),
                 alloc.getType().getMemorySpace()})
        .second;
  });
}

/// Hoist `slots`, made in front of a loop and alone in a parallel body, without
/// a plan: in a nest of loops, a plan for each would take quadratic time.
void PoolHoister::hoistAlone(memref::AllocOp slots) {
  MergePlan plan;
  BufferLifetime lifetime;
  lifetime.alloc = slots;
  lifetime.function = slots->getParentOfType<FunctionOpInterface>();
  PoolPlan &pool = plan.pools.emplace_back();
  pool.scope = std::get<Region *>(findAllocScope(slots));
  pool.memorySpace = slots.getType().getMemorySpace();
  pool.buffers = {&lifetime};
  Schedule schedule;
  schedule.offsets = {0};
  schedule.poolSize = slots.getType().getNumElements();
  schedule.poolAlignment = *slots.getAlignment();
  StringRef reason = checkSlots(pool, schedule, planOptions);
  if (!reason.empty())
    pool.decision = NoPool{UnmergeableReason::Ineligible, reason.str()};
  else
    pool.decision =
        Pool{PoolStorage::Slots, "", /*storageObstacle=*/nullptr, schedule};
  emitSlotRemarks(plan);
  count(plan, result);
  if (!reason.empty())
    return;
  IRRewriter rewriter(slots);
  rewriter.setInsertionPointToStart(&pool.scope->front());
  Value slot = createSlot(rewriter, pool);
  for (Operation *user : llvm::make_early_inc_range(slots->getUsers()))
    if (isa<memref::DeallocOp>(user)) {
      rewriter.eraseOp(user);
      freeSlots(rewriter, slot);
    }
  rewriter.replaceOp(slots, slot);
  noteSlots(pool.scope->getParentOp(), 1);
}

LogicalResult PoolHoister::run() {
  for (unsigned depth = maxDepth; depth > 0; --depth) {
    if (!mayBeAlone || plannedDepths.contains(depth) || !areAlone(made)) {
      if (failed(planDepth(depth)))
        return failure();
      continue;
    }
    for (memref::AllocOp slots : std::exchange(made, {}))
      hoistAlone(slots);
  }
  return success();
}

FailureOr<HoistParallelPoolsResult>
buffer_merge::hoistParallelPools(Operation *root,
                                 const HoistParallelPoolsOptions &options) {
  PoolHoister hoister(root, options);
  if (failed(hoister.run()))
    return failure();
  return hoister.result;
}
