//===- Merging as a library call -----------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Transforms/BufferMerge.h"
#include "AttributionBuffers.h"
#include "WorkgroupPool.h"
#include "buffer-merge/Report/CapacityErrors.h"
#include "buffer-merge/Report/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge;

/// Allocate the pool at the front of its scope, behind `previous` if that is
/// not null (R1).
static Value createPool(RewriterBase &rewriter, const PoolPlan &plan,
                        Operation *previous) {
  Block &entry = plan.scope->front();
  if (previous)
    rewriter.setInsertionPointAfter(previous);
  else
    rewriter.setInsertionPointToStart(&entry);
  auto type = MemRefType::get({plan.schedule.poolSize}, rewriter.getI8Type(),
                              MemRefLayoutAttrInterface(), plan.memorySpace);
  return memref::AllocOp::create(
      rewriter, plan.scope->getLoc(), type,
      rewriter.getI64IntegerAttr(plan.schedule.poolAlignment));
}

/// Replace `alloc` by a view of `pool` from byte `offset` on (R2).
static void replaceByView(RewriterBase &rewriter, memref::AllocOp alloc,
                          Value pool, int64_t offset) {
  rewriter.setInsertionPoint(alloc);
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  // Views have no layout; what was merged is row-major all the same.
  MemRefType viewType = type;
  if (!type.getLayout().isIdentity())
    viewType =
        MemRefType::get(type.getShape(), type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace());
  Value byteShift = arith::ConstantIndexOp::create(rewriter, loc, offset);
  auto view = memref::ViewOp::create(rewriter, loc, viewType, pool, byteShift,
                                     /*sizes=*/ValueRange());
  view->setDiscardableAttrs(alloc->getDiscardableAttrDictionary());
  Value replacement = view;
  if (viewType != type)
    replacement = memref::CastOp::create(rewriter, loc, type, replacement);
  rewriter.replaceOp(alloc, replacement);
}

/// Free `pool` wherever control leaves `scope` (R3).
static void freeAtExits(RewriterBase &rewriter, Region &scope, Value pool) {
  for (Block &block : scope) {
    if (block.getNumSuccessors() != 0)
      continue;
    rewriter.setInsertionPoint(block.getTerminator());
    memref::DeallocOp::create(rewriter, pool.getLoc(), pool);
  }
}

BufferMergeResult buffer_merge::applyMergePlan(RewriterBase &rewriter,
                                               const MergePlan &plan) {
  BufferMergeResult result;
  result.numLeftByReason.resize(getAllReasons().size());
  auto countLeft = [&](UnmergeableReason reason, int64_t count) {
    result.numLeft += count;
    result.numLeftByReason[static_cast<size_t>(reason)] += count;
  };
  for (const BufferLifetime *buffer : plan.unmergeable)
    countLeft(*buffer->reason, 1);
  // Of several pools of one scope the first in the plan comes first.
  DenseMap<Region *, Operation *> lastPool;
  // A deallocation may free one buffer of several: it vanishes once.
  llvm::SmallSetVector<Operation *, 8> deallocs;
  for (const PoolPlan &poolPlan : plan.pools) {
    if (poolPlan.reason) {
      countLeft(*poolPlan.reason, poolPlan.buffers.size());
      continue;
    }
    // The memory of a workgroup is not freed (R10).
    bool isDeallocated = !poolPlan.isWorkgroup && poolPlan.isDeallocated();
    Operation *&previous = lastPool[poolPlan.scope];
    Value pool;
    if (poolPlan.kind == PoolKind::Alloc) {
      pool = createPool(rewriter, poolPlan, previous);
      previous = pool.getDefiningOp();
    } else {
      pool = createWorkgroupPool(rewriter, poolPlan);
    }
    for (auto [buffer, offset] :
         llvm::zip_equal(poolPlan.buffers, poolPlan.schedule.offsets)) {
      for (memref::DeallocOp dealloc : buffer->deallocs)
        deallocs.insert(dealloc);
      replaceByView(rewriter, buffer->alloc, pool, offset);
    }
    if (isDeallocated)
      freeAtExits(rewriter, *poolPlan.scope, pool);
    insertBarriers(rewriter, poolPlan);
    result.numBarriers += poolPlan.barriers.size();
    result.numMerged += poolPlan.buffers.size();
    ++result.numPools;
    result.bytesMerged += poolPlan.totalBytes;
    result.bytesPools += poolPlan.schedule.poolSize;
  }
  for (Operation *dealloc : deallocs)
    rewriter.eraseOp(dealloc);
  return result;
}

/// Merge what can be merged inside `root`, of which `attributions` are made
/// allocations already.
static FailureOr<BufferMergeResult>
mergeAllocations(Operation *root, const BufferMergeOptions &options,
                 AttributionBuffers &attributions) {
  BufferLifetimes lifetimes(root, options.lifetimes);
  MergePlan plan = collectPools(lifetimes, options.plan);
  if (failed(options.fixOffsets(root, plan)))
    return failure();
  schedulePools(plan, options.plan);
  if (failed(emitCapacityErrors(plan)))
    return failure();
  if (failed(options.inspectPlan(root, plan)))
    return failure();
  emitMergeRemarks(plan);
  llvm::DenseSet<Operation *> merged;
  for (const PoolPlan &pool : plan.pools)
    if (!pool.reason)
      for (const BufferLifetime *buffer : pool.buffers)
        merged.insert(buffer->alloc);
  attributions.toAttributions(merged);
  IRRewriter rewriter(root->getContext());
  return applyMergePlan(rewriter, plan);
}

FailureOr<BufferMergeResult>
buffer_merge::mergeBuffers(Operation *root, const BufferMergeOptions &options) {
  AttributionBuffers attributions;
  if (!options.mergeAttributions)
    return mergeAllocations(root, options, attributions);
  attributions.toAllocations(root);
  BufferMergeOptions withAttributions = options;
  withAttributions.plan.haveLowering = attributions.getAllocations();
  FailureOr<BufferMergeResult> result =
      mergeAllocations(root, withAttributions, attributions);
  // What is left of them after a failure.
  attributions.toAttributions({});
  return result;
}
