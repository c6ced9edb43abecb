//===- Merging as a library call -----------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Transforms/BufferMerge.h"
#include "ArenaRewriter.h"
#include "AttributionBuffers.h"
#include "MergeAction.h"
#include "Mutation.h"
#include "PoolBuilder.h"
#include "Report/CapacityErrors.h"
#include "Report/Remarks.h"
#include "WorkgroupPool.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Replace `alloc` by a view of `pool` from byte `offset` on (R2 views).
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
  if (viewType == type)
    return rewriter.replaceOp(alloc, view);
  // No memref.cast: normalize-memrefs changes the type of its result only.
  SmallVector<int64_t> strides;
  int64_t typeOffset;
  [[maybe_unused]] LogicalResult isStrided =
      type.getStridesAndOffset(strides, typeOffset);
  assert(succeeded(isStrided) && "row-major layouts have strides");
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      alloc, type, view, rewriter.getIndexAttr(typeOffset),
      getMixedValues(type.getShape(), alloc.getDynamicSizes(), rewriter),
      getAsIndexOpFoldResult(rewriter.getContext(), strides));
}

/// Take the operands `deallocs` out of the deallocations that they belong to.
static void removeDeallocs(RewriterBase &rewriter,
                           ArrayRef<OpOperand *> deallocs) {
  llvm::MapVector<Operation *, llvm::BitVector> removed;
  for (OpOperand *dealloc : deallocs) {
    Operation *op = dealloc->getOwner();
    llvm::BitVector &operands = removed[op];
    operands.resize(op->getNumOperands());
    operands.set(dealloc->getOperandNumber());
  }
  for (auto &[op, operands] : removed) {
    auto dealloc = dyn_cast<bufferization::DeallocOp>(op);
    if (!dealloc) {
      if (!isMutated("R3-deallocations-stay"))
        rewriter.eraseOp(op);
      continue;
    }
    SmallVector<Value> memrefs, conditions;
    for (auto [index, memref, condition] :
         llvm::enumerate(dealloc.getMemrefs(), dealloc.getConditions())) {
      if (operands.test(index))
        continue;
      memrefs.push_back(memref);
      conditions.push_back(condition);
    }
    rewriter.setInsertionPoint(op);
    if (memrefs.empty()) {
      // All owners were merged: nothing is owned any more, so every result is
      // false.
      SmallVector<Value> owned;
      for (size_t i = 0; i < op->getNumResults(); ++i)
        owned.push_back(arith::ConstantIntOp::create(rewriter, op->getLoc(),
                                                     /*value=*/0, /*width=*/1));
      rewriter.replaceOp(op, owned);
      continue;
    }
    rewriter.replaceOpWithNewOp<bufferization::DeallocOp>(
        dealloc, memrefs, conditions, dealloc.getRetained());
  }
}

/// Let all buffers of `shared` have the first allocation, and add the
/// deallocations that are no longer needed to `deallocs`.
static void shareAllocation(RewriterBase &rewriter,
                            const SharedAllocation &shared,
                            llvm::SmallSetVector<OpOperand *, 8> &deallocs) {
  memref::AllocOp first = shared.buffers.front()->alloc;
  if (shared.alignment && !isMutated("dynamic-alignment"))
    rewriter.modifyOpInPlace(first,
                             [&] { first.setAlignment(*shared.alignment); });
  for (const BufferLifetime *buffer : shared.buffers) {
    for (OpOperand *dealloc : buffer->deallocs)
      if (dealloc->getOwner() != shared.lastDealloc &&
          !isMutated("dynamic-freed-twice"))
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
  std::optional<ArenaRewriter> arenas;
  if (plan.arenas)
    arenas.emplace(*plan.arenas).addArguments(rewriter);
  PoolBuilder builder(rewriter, options);
  // A deallocation may free one buffer of several: it vanishes once.
  llvm::SmallSetVector<OpOperand *, 8> deallocs;
  /// A pool that is being filled.
  struct Pool {
    const PoolPlan &plan;
    Value memory;
    int64_t numMerged = 0;
  };
  SmallVector<Pool> pools;
  for (const PoolPlan &poolPlan : plan.pools) {
    if (const NoPool *noPool = poolPlan.getNoPool()) {
      countLeft(noPool->reason, poolPlan.buffers.size());
      continue;
    }
    // A pool in workgroup memory changes the kernel, and its launches.
    bool isMadeLater = poolPlan.workgroup &&
                       poolPlan.getPool()->storage != PoolStorage::Alloc &&
                       !isMutated("workgroup-pools-without-merges");
    pools.push_back(
        {poolPlan, isMadeLater ? Value() : builder.create(poolPlan)});
  }
  auto merge = [&](MergeUnit unit) {
    for (auto [poolIndex, index] : unit) {
      Pool &pool = pools[poolIndex];
      const BufferLifetime &buffer = *pool.plan.buffers[index];
      deallocs.insert_range(buffer.deallocs);
      ++pool.numMerged;
      result.bytesMerged += pool.plan.problem.buffers[index].size;
      if (!pool.memory)
        pool.memory = builder.create(pool.plan);
      replaceByView(rewriter, buffer.alloc, pool.memory,
                    pool.plan.getPool()->schedule.offsets[index]);
    }
  };
  SmallVector<const PoolPlan *> filled =
      llvm::map_to_vector(pools, [](const Pool &pool) { return &pool.plan; });
  forEachMerge(filled, rewriter.getContext(), merge);

  for (Pool &pool : pools) {
    int64_t numLeft = pool.plan.buffers.size() - pool.numMerged;
    result.numLeft += numLeft;
    result.numMerged += pool.numMerged;
    if (pool.numMerged == 0) {
      if (pool.memory)
        builder.discard(pool.plan, pool.memory);
      continue;
    }
    insertBarriers(rewriter, pool.plan);
    if (pool.plan.workgroup)
      result.numBarriers += pool.plan.workgroup->barriers.size();
    bool needsDealloc = pool.plan.isDeallocated() ||
                        (pool.plan.needsManualDealloc() &&
                         !isMutated("R3-pool-across-blocks-is-left")) ||
                        isMutated("R3-pool-is-always-freed");
    if (needsDealloc && !isMutated("R3-pool-is-never-freed"))
      builder.freeAtExits(pool.plan, pool.memory);
    ++result.numPools;
    result.bytesPools += pool.plan.getPool()->schedule.poolSize;
  }
  for (const SharedAllocation &shared : plan.shared) {
    shareAllocation(rewriter, shared, deallocs);
    result.numShared += shared.buffers.size() - 1;
  }
  removeDeallocs(rewriter, deallocs.getArrayRef());
  if (arenas)
    arenas->forwardArenas(rewriter);
  return result;
}

/// Report what exceeds its capacity in `plan`, and compute which options would
/// help.
static LogicalResult reportCapacity(Operation *root, const MergePlan &plan,
                                    const MergePlanOptions &options) {
  auto isOver = [&](bool isWorkgroup) {
    return llvm::any_of(plan.pools, [&](const PoolPlan &pool) {
      return pool.excessiveBytes && pool.workgroup.has_value() == isWorkgroup;
    });
  };
  // Only how many bytes the pools would have matters.
  MergePlanOptions other = options;
  other.pool = PoolStorage::Alloc;
  other.fixOffsets = MergePlanOptions().fixOffsets;
  SmallVector<CapacityAlternative> alternatives;
  auto addAlternative = [&](StringRef option) {
    FailureOr<MergePlan> otherPlan = computeMergePlan(root, other);
    if (succeeded(otherPlan))
      alternatives.push_back({option, std::move(*otherPlan)});
  };
  if (isOver(/*isWorkgroup=*/true) &&
      options.barriers != BarrierPolicy::Insert &&
      !isMutated("capacity-with-barriers")) {
    other.barriers = BarrierPolicy::Insert;
    addAlternative("barriers=insert");
    other.barriers = options.barriers;
  }
  if (isOver(/*isWorkgroup=*/false) && !options.lifetimes.findInPlacePairs &&
      !isMutated("capacity-in-place")) {
    other.lifetimes.findInPlacePairs = true;
    addAlternative("in-place");
  }
  return emitCapacityErrors(plan, options.overCapacity, alternatives);
}

namespace {
/// Notes what a rewriter erases: an action handler may skip what was planned.
struct ErasedOps : public RewriterBase::Listener {
  void notifyOperationErased(Operation *op) override { ops.insert(op); }
  llvm::DenseSet<Operation *> ops;
};
} // namespace

/// Decide what becomes of the allocations inside `root`, and of attributions if
/// the options ask for them: these are made allocations first, for `function`
/// to make them attributions again.
static LogicalResult planMerge(
    Operation *root, const BufferMergeOptions &options,
    llvm::function_ref<LogicalResult(const MergePlan &, AttributionBuffers &)>
        function) {
  AttributionBuffers attributions;
  MergePlanOptions planOptions = options.plan;
  if (options.mergeAttributions) {
    attributions.toAllocations(root, options.plan.lifetimes.workgroup);
    planOptions.haveLowering = attributions.getAllocations();
  }
  FailureOr<MergePlan> plan = computeMergePlan(root, planOptions);
  LogicalResult result =
      failed(plan) ? failure() : function(*plan, attributions);
  // What is left of them.
  attributions.toAttributions({});
  return result;
}

LogicalResult buffer_merge::inspectMergePlan(
    Operation *root, const BufferMergeOptions &options,
    llvm::function_ref<void(const MergePlan &)> show) {
  auto inspect = [&](const MergePlan &plan, AttributionBuffers &) {
    if (failed(options.inspectPlan(root, plan)))
      return failure();
    show(plan);
    return success();
  };
  return planMerge(root, options, inspect);
}

FailureOr<BufferMergeResult>
buffer_merge::mergeBuffers(Operation *root, const BufferMergeOptions &options) {
  BufferMergeResult result;
  auto merge = [&](const MergePlan &plan, AttributionBuffers &attributions) {
    if (failed(reportCapacity(root, plan, options.plan)) ||
        failed(options.inspectPlan(root, plan)))
      return failure();
    emitMergeRemarks(plan);
    attributions.emitRemarks();
    ErasedOps erased;
    IRRewriter rewriter(root->getContext(), &erased);
    result = applyMergePlan(rewriter, plan, options);
    if (isMutated("attributions-skipped"))
      for (const PoolPlan &pool : plan.pools)
        if (pool.getPool())
          for (const BufferLifetime *buffer : pool.buffers)
            erased.ops.insert(buffer->alloc);
    attributions.toAttributions(erased.ops);
    return success();
  };
  if (failed(planMerge(root, options, merge)))
    return failure();
  return result;
}
