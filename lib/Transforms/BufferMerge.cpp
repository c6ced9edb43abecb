//===- Merging as a library call -----------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Transforms/BufferMerge.h"
#include "Arena.h"
#include "PoolStorage.h"
#include "buffer-merge/Report/CapacityErrors.h"
#include "buffer-merge/Report/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge;

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
                                     alloc.getDynamicSizes());
  view->setDiscardableAttrs(alloc->getDiscardableAttrDictionary());
  Value replacement = view;
  if (viewType != type)
    replacement = memref::CastOp::create(rewriter, loc, type, replacement);
  rewriter.replaceOp(alloc, replacement);
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

BufferMergeResult
buffer_merge::applyMergePlan(RewriterBase &rewriter, const MergePlan &plan,
                             const BufferMergeOptions &options) {
  BufferMergeResult result;
  result.numLeftByReason.resize(getAllReasons().size());
  auto countLeft = [&](UnmergeableReason reason, int64_t count) {
    result.numLeft += count;
    result.numLeftByReason[static_cast<size_t>(reason)] += count;
  };
  for (const BufferLifetime *buffer : plan.unmergeable)
    countLeft(*buffer->reason, 1);
  PoolBuilder pools(rewriter, options);
  // A deallocation may free one buffer of several: it vanishes once.
  llvm::SmallSetVector<Operation *, 8> deallocs;
  for (const PoolPlan &poolPlan : plan.pools) {
    if (poolPlan.reason) {
      countLeft(*poolPlan.reason, poolPlan.buffers.size());
      continue;
    }
    bool isDeallocated = poolPlan.isDeallocated();
    Value pool = pools.create(poolPlan);
    for (auto [buffer, offset] :
         llvm::zip_equal(poolPlan.buffers, poolPlan.schedule.offsets)) {
      for (memref::DeallocOp dealloc : buffer->deallocs)
        deallocs.insert(dealloc);
      replaceByView(rewriter, buffer->alloc, pool, offset);
    }
    if (isDeallocated)
      pools.freeAtExits(poolPlan, pool);
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
  if (needsModule(options) && (root->getParentOp() || !isa<ModuleOp>(root)))
    return emitError(root->getLoc())
           << "pool=" << getPoolStorageName(options.pool)
           << " changes the module, so that the pass must run on the top-level "
              "module, not on '"
           << root->getName() << "'";
  BufferLifetimes lifetimes(root, options.lifetimes);
  MergePlan plan = collectPools(lifetimes, options.plan);
  if (failed(options.fixOffsets(root, plan)))
    return failure();
  schedulePools(plan, options.plan);
  FunctionGraph graph;
  ArenaPlan arenas(graph);
  auto module = dyn_cast<ModuleOp>(root);
  if (options.pool != PoolStorage::Alloc) {
    graph = FunctionGraph(root);
    if (options.pool == PoolStorage::Arena && failed(arenas.initialize(module)))
      return failure();
    if (failed(assignPoolStorage(graph, arenas, plan, options)))
      return failure();
  }
  if (failed(emitCapacityErrors(plan)))
    return failure();
  if (options.pool == PoolStorage::Arena &&
      failed(arenas.compute(module, plan, options)))
    return failure();
  if (failed(options.inspectPlan(root, plan)))
    return failure();
  emitMergeRemarks(plan);
  IRRewriter rewriter(root->getContext());
  arenas.addArguments(rewriter);
  BufferMergeResult result = applyMergePlan(rewriter, plan, options);
  arenas.handOn(rewriter);
  return result;
}
