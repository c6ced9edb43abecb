//===- WholeOverwrite.cpp - Writes of all elements of a buffer ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation is proved to write all elements by its interface or by its
// semantics, never by its effects: a write effect says nothing about how much
// is written.
//
// A loop nest is proved from the inside: each index of a store is the induction
// variable of a loop around it that counts from 0 to the size of the dimension
// in steps of 1, and nothing but these loops is between the store and the
// outermost of them, so that no iteration leaves the store out.
//
//===----------------------------------------------------------------------===//

#include "WholeOverwrite.h"
#include "BufferSize.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the type of `value` if it is a memref with a known number of
/// elements, at least one, or null.
static MemRefType getStaticType(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() > 0
             ? type
             : MemRefType();
}

/// Return the number of values that each loop of `op` counts: the size of the
/// first dimension that is that loop alone, which is what
/// `LinalgOp::getStaticLoopRanges` computes by inverting maps.
static SmallVector<int64_t> getLoopRanges(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges(op.getNumLoops(), ShapedType::kDynamic);
  llvm::SmallBitVector isKnown(ranges.size());
  for (auto [map, operand] :
       llvm::zip_equal(op.getIndexingMapsArray(), op->getOpOperands()))
    for (auto [result, size] :
         llvm::zip_equal(map.getResults(), op.getShape(&operand)))
      if (auto loop = dyn_cast<AffineDimExpr>(result);
          loop && !isKnown.test(loop.getPosition())) {
        isKnown.set(loop.getPosition());
        ranges[loop.getPosition()] = size;
      }
  return ranges;
}

/// Return true if `use`, by a `linalg` operation on buffers, may be an output.
/// Outputs are the last operands, one for each value that the body yields: this
/// is less than what `isDpsInit` has to do.
static bool mayBeOutput(linalg::LinalgOp op, OpOperand &use) {
  if (op->getNumResults() != 0)
    return false;
  unsigned numOutputs = op.getBlock()->getTerminator()->getNumOperands();
  return use.getOperandNumber() + numOutputs >= op->getNumOperands();
}

/// Return true if dimension `a` of one memref is as large as dimension `b` of
/// the other one because their allocations are given the same value.
static bool haveSameSize(Value first, unsigned a, Value second, unsigned b) {
  auto getSize = [](Value value, unsigned dimension) -> Value {
    auto alloc = value.getDefiningOp<memref::AllocOp>();
    if (!alloc || !alloc.getType().isDynamicDim(dimension))
      return {};
    return alloc
        .getDynamicSizes()[alloc.getType().getDynamicDimIndex(dimension)];
  };
  Value size = getSize(first, a);
  return size && size == getSize(second, b);
}

/// Return true if `loop` of `op` runs over all of dimension `dimension` of the
/// output `use`, which is of unknown size: so do all operands that may tell
/// how often it runs.
static bool runsOver(linalg::LinalgOp op, OpOperand &use, unsigned dimension,
                     unsigned loop) {
  for (auto [map, operand] :
       llvm::zip_equal(op.getIndexingMapsArray(), op->getOpOperands()))
    for (auto [other, result] : llvm::enumerate(map.getResults())) {
      auto loopOfOther = dyn_cast<AffineDimExpr>(result);
      if (&operand != &use && loopOfOther &&
          loopOfOther.getPosition() == loop &&
          !haveSameSize(use.get(), dimension, operand.get(), other))
        return false;
    }
  return true;
}

static bool overwritesWhole(linalg::LinalgOp op, OpOperand &use) {
  if (!mayBeOutput(op, use) || !op.hasPureBufferSemantics() ||
      !op.isDpsInit(&use))
    return false;
  // Not payloadUsesValueFromOperand(), which is true for all of linalg.map.
  if (!op.getMatchingBlockArgument(&use).use_empty() &&
      !isMutated("L10-output-is-read"))
    return false;
  // Each dimension of the output is a loop of its own, and runs over all of it:
  // the ranges may come from another operand. A loop that the map leaves out
  // must run at least once.
  AffineMap map = op.getMatchingIndexingMap(&use);
  if (!map.isProjectedPermutation())
    return false;
  SmallVector<int64_t> ranges = getLoopRanges(op);
  ArrayRef<int64_t> shape = cast<MemRefType>(use.get().getType()).getShape();
  for (auto [dimension, result] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    int64_t size = shape[dimension];
    if (ShapedType::isDynamic(size) ? !runsOver(op, use, dimension, loop)
                                    : ranges[loop] != size)
      return false;
    ranges[loop] = 1;
  }
  return llvm::all_of(ranges, [](int64_t range) { return range > 0; }) ||
         isMutated("L10-range");
}

/// Return true if a vector of the elements of `type` has fewer bytes than
/// a memref of as many of them. Elements that are vectors are stored one by
/// one.
static bool isPacked(vector::TransferWriteOp op, MemRefType type) {
  return !isa<VectorType>(type.getElementType()) &&
         isPackedInVectors(type.getElementType(), DataLayout::closest(op));
}

static bool overwritesWhole(vector::TransferWriteOp op, MemRefType type) {
  VectorType vector = op.getVectorType();
  AffineMap map = op.getPermutationMap();
  if (op.getMask() || op.hasOutOfBoundsDim() || vector.isScalable() ||
      !map.isPermutation() || !llvm::all_of(op.getIndices(), [](Value index) {
        return isConstantIntValue(index, 0);
      }))
    return false;
  // Dimension by dimension: if elements are vectors, their numbers tell
  // nothing.
  for (auto [result, size] : llvm::zip(map.getResults(), vector.getShape()))
    if (type.getDimSize(cast<AffineDimExpr>(result).getPosition()) != size &&
        !isMutated("L10-part-of-a-row"))
      return false;
  return !isPacked(op, type);
}

/// Return true if the loop `op` gives `variable` the values 0, 1, ...,
/// `size - 1`.
static bool countsTo(LoopLikeOpInterface op, Value variable, int64_t size) {
  auto variables = op.getLoopInductionVars();
  auto lower = op.getLoopLowerBounds();
  auto upper = op.getLoopUpperBounds();
  auto steps = op.getLoopSteps();
  if (!variables || !lower || !upper || !steps)
    return false;
  auto it = llvm::find(*variables, variable);
  if (it == variables->end())
    return false;
  size_t index = it - variables->begin();
  return isConstantIntValue((*lower)[index], 0) &&
         isConstantIntValue((*steps)[index], 1) &&
         (isConstantIntValue((*upper)[index], size) || isMutated("L10-loop"));
}

/// Return the outermost of the loops around `store` that count through
/// `indices`, the indices of a memref of type `type`, or null if they do not
/// cover all of it, each element in one iteration.
static Operation *findLoopNest(Operation *store, ValueRange indices,
                               MemRefType type) {
  // An index of a dimension of one element needs no loop.
  llvm::SmallDenseMap<Value, int64_t, 4> left;
  for (auto [index, size] : llvm::zip_equal(indices, type.getShape()))
    if (size != 1 || !isConstantIntValue(index, 0))
      if (!left.try_emplace(index, size).second)
        return nullptr;
  Operation *nest = store;
  while (!left.empty()) {
    nest = nest->getParentOp();
    // Not scf.if: it may leave the store out.
    if (!isa_and_nonnull<scf::ForOp, scf::ParallelOp, scf::ForallOp,
                         affine::AffineForOp>(nest))
      return nullptr;
    auto loop = cast<LoopLikeOpInterface>(nest);
    auto variables = loop.getLoopInductionVars();
    if (!variables)
      return nullptr;
    for (Value variable : *variables) {
      auto it = left.find(variable);
      // A loop that no index depends on might run no iteration.
      if (it == left.end() || !countsTo(loop, variable, it->second))
        return nullptr;
      left.erase(it);
    }
  }
  return nest;
}

bool buffer_merge::mayOverwriteWhole(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return mayBeOutput(linalgOp, use);
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return &use == &copy.getTargetMutable();
  return isa<vector::TransferWriteOp, memref::StoreOp, affine::AffineStoreOp>(
      op);
}

Operation *buffer_merge::findWholeOverwrite(OpOperand &use) {
  Operation *op = use.getOwner();
  if (!isa<MemRefType>(use.get().getType()))
    return nullptr;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return overwritesWhole(linalgOp, use) ? op : nullptr;
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return &use == &copy.getTargetMutable() ? op : nullptr;
  MemRefType type = getStaticType(use.get());
  if (!type)
    return nullptr;
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return &use == &write.getBaseMutable() && overwritesWhole(write, type)
               ? op
               : nullptr;
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return &use == &store.getMemrefMutable()
               ? findLoopNest(op, store.getIndices(), type)
               : nullptr;
  if (auto store = dyn_cast<affine::AffineStoreOp>(op))
    return &use == &store.getMemrefMutable() &&
                   store.getAffineMap().isIdentity() &&
                   store.getAffineMap().getNumSymbols() == 0
               ? findLoopNest(op, store.getMapOperands(), type)
               : nullptr;
  return nullptr;
}

bool buffer_merge::isViewOfAll(Value view, Value source) {
  if (!isa<MemRefType>(source.getType()) || !isa<MemRefType>(view.getType()))
    return false;
  Operation *op = view.getDefiningOp();
  if (isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
          memref::TransposeOp, memref::AssumeAlignmentOp>(op))
    return true;
  auto subview = dyn_cast<memref::SubViewOp>(op);
  MemRefType from = getStaticType(source), to = getStaticType(view);
  if (!subview || !from || !to ||
      !llvm::all_of(subview.getStaticStrides(),
                    [](int64_t stride) { return stride == 1; }))
    return false;
  // As many elements, each at most once: all of them.
  return from.getNumElements() == to.getNumElements() || isMutated("L10-view");
}

bool buffer_merge::usesMemRefsInside(Operation *op) {
  WalkResult result = op->walk([&](Operation *nested) {
    bool usesMemRef =
        nested != op && llvm::any_of(nested->getOperandTypes(), [](Type type) {
          return isa<BaseMemRefType>(type);
        });
    return usesMemRef ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}
