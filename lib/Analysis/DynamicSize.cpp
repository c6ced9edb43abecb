//===- DynamicSize.cpp - Sizes known at run time --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/DynamicSize.h"
#include "KnownRange.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace buffer_merge;

DynamicSizes::Bounds DynamicSizes::getBounds(Value size) {
  auto [it, isNew] = bounds.try_emplace(size);
  Bounds &result = it->second;
  if (!isNew)
    return result;
  auto map = AffineMap::getMultiDimIdentityMap(1, size.getContext());
  KnownRange range = computeRange(map, size);
  result.upper = range.upper;
  result.lower = std::max<int64_t>(result.lower, range.lower.value_or(0));
  return result;
}

std::variant<BufferSize, UnmergeableReason>
DynamicSizes::computeBound(memref::AllocOp alloc, const DataLayout &layout,
                           int64_t maxWaste) {
  MemRefType type = alloc.getType();
  // Strides may depend on the sizes.
  if (!type.getLayout().isIdentity())
    return UnmergeableReason::Layout;
  SmallVector<int64_t> upperShape(type.getShape()), lowerShape = upperShape;
  unsigned numDynamic = 0;
  for (auto [upper, lower] : llvm::zip_equal(upperShape, lowerShape)) {
    if (!ShapedType::isDynamic(upper))
      continue;
    Bounds known = getBounds(alloc.getDynamicSizes()[numDynamic++]);
    if (!known.upper || *known.upper < known.lower)
      return UnmergeableReason::DynamicShape;
    upper = *known.upper;
    lower = known.lower;
  }
  auto computeSize = [&](ArrayRef<int64_t> shape) {
    return computeBufferSize(MemRefType::get(shape, type.getElementType()),
                             layout);
  };
  std::variant<BufferSize, UnmergeableReason> most = computeSize(upperShape);
  if (std::holds_alternative<UnmergeableReason>(most))
    return most;
  // No dimension is larger than above.
  auto least = std::get<BufferSize>(computeSize(lowerShape));
  if (std::get<BufferSize>(most).bytes - least.bytes > maxWaste)
    return UnmergeableReason::WastefulBound;
  return most;
}
