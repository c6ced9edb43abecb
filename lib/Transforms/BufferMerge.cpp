//===- Merging as a library call -----------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Transforms/BufferMerge.h"
#include "buffer-merge/Report/CapacityErrors.h"
#include "buffer-merge/Report/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge;

/// Allocate the pool at the front of its scope, behind `previous` if that is
/// not null (R1).
static memref::AllocOp createPool(RewriterBase &rewriter, const PoolPlan &plan,
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
                          memref::AllocOp pool, int64_t offset) {
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
                                     alloc.getDynamicSizes());
  view->setDiscardableAttrs(alloc->getDiscardableAttrDictionary());
  Value replacement = view;
  if (viewType != type)
    replacement = memref::CastOp::create(rewriter, loc, type, replacement);
  rewriter.replaceOp(alloc, replacement);
}

/// Free `pool` wherever control leaves `scope` (R3).
static void freeAtExits(RewriterBase &rewriter, Region &scope,
                        memref::AllocOp pool) {
  for (Block &block : scope) {
    if (block.getNumSuccessors() != 0)
      continue;
    rewriter.setInsertionPoint(block.getTerminator());
    memref::DeallocOp::create(rewriter, pool.getLoc(), pool);
  }
}

/// Let all buffers of `shared` have the first allocation, and add the
/// deallocations that are no longer needed to `deallocs`.
static void shareAllocation(RewriterBase &rewriter,
                            const SharedAllocation &shared,
                            llvm::SmallSetVector<Operation *, 8> &deallocs) {
  memref::AllocOp first = shared.buffers.front()->alloc;
  if (shared.alignment)
    rewriter.modifyOpInPlace(first,
                             [&] { first.setAlignment(*shared.alignment); });
  for (const BufferLifetime *buffer : shared.buffers) {
    for (memref::DeallocOp dealloc : buffer->deallocs)
      if (dealloc != shared.lastDealloc)
        deallocs.insert(dealloc);
    memref::AllocOp alloc = buffer->alloc;
    if (alloc != first)
      rewriter.replaceOp(alloc, first.getResult());
  }
  if (!shared.isFreedAtEnd)
    return;
  rewriter.setInsertionPoint(first->getBlock()->getTerminator());
  memref::DeallocOp::create(rewriter, first.getLoc(), first);
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
    bool isDeallocated = poolPlan.isDeallocated();
    Operation *&previous = lastPool[poolPlan.scope];
    memref::AllocOp pool = createPool(rewriter, poolPlan, previous);
    previous = pool;
    for (auto [buffer, offset] :
         llvm::zip_equal(poolPlan.buffers, poolPlan.schedule.offsets)) {
      for (memref::DeallocOp dealloc : buffer->deallocs)
        deallocs.insert(dealloc);
      replaceByView(rewriter, buffer->alloc, pool, offset);
    }
    if (isDeallocated)
      freeAtExits(rewriter, *poolPlan.scope, pool);
    result.numMerged += poolPlan.buffers.size();
    ++result.numPools;
    result.bytesMerged += poolPlan.totalBytes;
    result.bytesPools += poolPlan.schedule.poolSize;
  }
  for (const SharedAllocation &shared : plan.shared) {
    shareAllocation(rewriter, shared, deallocs);
    result.numShared += shared.buffers.size() - 1;
  }
  for (Operation *dealloc : deallocs)
    rewriter.eraseOp(dealloc);
  return result;
}

FailureOr<BufferMergeResult>
buffer_merge::mergeBuffers(Operation *root, const BufferMergeOptions &options) {
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
  IRRewriter rewriter(root->getContext());
  return applyMergePlan(rewriter, plan);
}
