//===- StridedParts.cpp - Parts of buffers that are not contiguous --------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedParts.h"
#include "BufferSize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace buffer_merge;

/// Return the subview of `source` that has all elements of `value`, or null.
static memref::SubViewOp findSubviewOf(Value source, Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto subview = dyn_cast<memref::SubViewOp>(op);
    if (subview && subview.getSource() == source)
      return subview;
    // None of them has elements that its source does not have.
    if (!isa<memref::SubViewOp, memref::CastOp, memref::ExpandShapeOp,
             memref::CollapseShapeOp, memref::TransposeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return {};
}

bool buffer_merge::isBeside(memref::SubViewOp part, Value value) {
  memref::SubViewOp other = findSubviewOf(part.getSource(), value);
  auto hasUnitStrides = [](memref::SubViewOp subview) {
    return llvm::all_of(subview.getStaticStrides(),
                        [](int64_t stride) { return stride == 1; });
  };
  if (!other || !hasUnitStrides(part) || !hasUnitStrides(other))
    return false;
  for (auto [firstBegin, firstSize, secondBegin, secondSize] :
       llvm::zip_equal(part.getStaticOffsets(), part.getStaticSizes(),
                       other.getStaticOffsets(), other.getStaticSizes())) {
    if (ShapedType::isDynamic(firstBegin) || ShapedType::isDynamic(firstSize) ||
        ShapedType::isDynamic(secondBegin) || ShapedType::isDynamic(secondSize))
      continue;
    if (firstBegin + firstSize <= secondBegin ||
        secondBegin + secondSize <= firstBegin)
      return true;
  }
  return false;
}

/// Return true if all uses of `alloc` and of its subviews take any layout.
static bool acceptsStrides(memref::AllocOp alloc) {
  SmallVector<Value> views = {alloc};
  while (!views.empty())
    for (Operation *op : views.pop_back_val().getUsers()) {
      if (auto subview = dyn_cast<memref::SubViewOp>(op))
        views.push_back(subview);
      else if (!isa<linalg::LinalgOp, memref::LoadOp, memref::StoreOp,
                    memref::CopyOp, memref::DimOp, affine::AffineLoadOp,
                    affine::AffineStoreOp, vector::TransferReadOp,
                    vector::TransferWriteOp>(op))
        return false;
    }
  return true;
}

memref::SubViewOp buffer_merge::findStridedPart(memref::CopyOp copy,
                                                memref::AllocOp inner) {
  auto part = copy.getTarget().getDefiningOp<memref::SubViewOp>();
  if (!part || copy.getSource() != inner ||
      inner.getType().getNumElements() == 0 ||
      !part.getType().hasStaticShape() ||
      !llvm::all_of(part.getStaticStrides(),
                    [](int64_t stride) { return stride == 1; }) ||
      !acceptsStrides(inner))
    return {};
  return part;
}

int64_t buffer_merge::getRowAlignment(memref::SubViewOp part,
                                      const DataLayout &layout) {
  SmallVector<int64_t> strides;
  int64_t offset, divisor = 0, distance = 1;
  std::optional<int64_t> element = getElementBytes(part.getType(), layout);
  if (!element || failed(part.getType().getStridesAndOffset(strides, offset)) ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return 1;
  for (auto [size, stride] : llvm::zip_equal(
           llvm::reverse(part.getType().getShape()), llvm::reverse(strides))) {
    // Within a row, elements are where they are in the inner buffer.
    if (size != 1 && stride != distance)
      divisor = std::gcd(divisor, stride * *element);
    distance *= size;
  }
  return divisor & -divisor;
}
