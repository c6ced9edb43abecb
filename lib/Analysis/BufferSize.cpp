//===- Bytes of a memref -------------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Analysis/BufferSize.h"
#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

bool buffer_merge::isRowMajor(MemRefType type) {
  if (type.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return false;
  std::optional<int64_t> expected = 1;
  for (auto [stride, size] : llvm::zip_equal(llvm::reverse(strides),
                                             llvm::reverse(type.getShape()))) {
    if (!expected || stride != *expected)
      return false;
    expected = llvm::checkedMul(*expected, size);
  }
  return true;
}

/// Return true if `DataLayout` can be asked for the size of `type`: it aborts
/// for types that it does not know.
static bool hasSizeInDataLayout(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return hasSizeInDataLayout(complex.getElementType());
  if (auto vector = dyn_cast<VectorType>(type))
    return !vector.isScalable() && hasSizeInDataLayout(vector.getElementType());
  return type.isIntOrIndexOrFloat() || isa<DataLayoutTypeInterface>(type);
}

std::variant<BufferSize, UnmergeableReason>
buffer_merge::computeBufferSize(MemRefType type, const DataLayout &layout) {
  if (!type.hasStaticShape())
    return UnmergeableReason::DynamicShape;
  if (!isRowMajor(type))
    return UnmergeableReason::Layout;
  Type elementType = type.getElementType();
  if (!hasSizeInDataLayout(elementType))
    return UnmergeableReason::ElementType;
  llvm::TypeSize elementSize = layout.getTypeSize(elementType);
  // Without a specification, the ABI alignment of i64 and wider integers is 4
  // in MLIR and more in LLVM, so that LLVM's loads and strides need the
  // preferred one.
  uint64_t alignment = std::max(layout.getTypeABIAlignment(elementType),
                                layout.getTypePreferredAlignment(elementType));
  if (elementSize.isScalable() || !llvm::isPowerOf2_64(alignment))
    return UnmergeableReason::ElementType;

  // One dimension of size 0 makes all the others irrelevant.
  if (llvm::is_contained(type.getShape(), 0))
    return BufferSize{0, static_cast<int64_t>(alignment)};
  std::optional<int64_t> bytes =
      llvm::alignTo(elementSize.getFixedValue(), alignment);
  for (int64_t size : type.getShape())
    if (bytes)
      bytes = llvm::checkedMul(*bytes, size);
  if (!bytes || *bytes > maxBytes || static_cast<int64_t>(alignment) > maxBytes)
    return UnmergeableReason::SizeOverflow;
  return BufferSize{*bytes, static_cast<int64_t>(alignment)};
}
