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

int64_t buffer_merge::getMaxPoolBytes(const DataLayout &layout,
                                      MLIRContext *context) {
  uint64_t bits =
      layout.getTypeSizeInBits(IndexType::get(context)).getFixedValue();
  if (bits == 0)
    return 0;
  return bits > 62 ? maxBytes : (int64_t(1) << (bits - 1)) - 1;
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

int64_t buffer_merge::getNaturalAlignment(Type type, const DataLayout &layout) {
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  // In LLVM a vector of several dimensions is an array of vectors, and one of
  // no dimension has one element; the data layout does not know the latter.
  if (auto vector = dyn_cast<VectorType>(type)) {
    type = vector.getElementType();
    if (vector.getRank() != 0)
      type = VectorType::get(vector.getShape().take_back(), type);
  }
  // A memref in memory is a struct of pointers and sizes.
  if (!hasSizeInDataLayout(type))
    return 16;
  uint64_t alignment = std::max(layout.getTypeABIAlignment(type),
                                layout.getTypePreferredAlignment(type));
  return llvm::isPowerOf2_64(alignment) && alignment <= maxBytes ? alignment
                                                                 : 16;
}

/// Return the distance of elements of `type` in memory and their alignment, or
/// nothing if one of them is not known or too large.
static std::optional<BufferSize> computeElementSize(Type type,
                                                    const DataLayout &layout) {
  llvm::TypeSize size = layout.getTypeSize(type);
  // Without a specification, the ABI alignment of i64 and wider integers is 4
  // in MLIR and more in LLVM, so that LLVM's loads and strides need the
  // preferred one.
  uint64_t alignment = std::max(layout.getTypeABIAlignment(type),
                                layout.getTypePreferredAlignment(type));
  if (size.isScalable() || !llvm::isPowerOf2_64(alignment) ||
      size.getFixedValue() > maxBytes)
    return std::nullopt;
  int64_t bytes = llvm::alignTo(size.getFixedValue(), alignment);

  // In LLVM this is an array of vectors, of which each is padded by itself.
  if (auto vector = dyn_cast<VectorType>(type);
      vector && vector.getRank() > 1) {
    auto inner =
        VectorType::get(vector.getShape().take_back(), vector.getElementType());
    std::optional<BufferSize> element = computeElementSize(inner, layout);
    if (!element)
      return std::nullopt;
    std::optional<int64_t> arrayBytes = element->bytes;
    for (int64_t dim : vector.getShape().drop_back())
      if (arrayBytes)
        arrayBytes = llvm::checkedMul(*arrayBytes, dim);
    if (!arrayBytes || *arrayBytes > maxBytes)
      return std::nullopt;
    bytes = std::max<int64_t>(bytes, llvm::alignTo(*arrayBytes, alignment));
  }
  return BufferSize{bytes, static_cast<int64_t>(alignment)};
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
  std::optional<BufferSize> element = computeElementSize(elementType, layout);
  if (!element)
    return UnmergeableReason::ElementType;

  // One dimension of size 0 makes all the others irrelevant.
  if (llvm::is_contained(type.getShape(), 0))
    return BufferSize{0, element->alignment};
  std::optional<int64_t> bytes = element->bytes;
  for (int64_t size : type.getShape())
    if (bytes)
      bytes = llvm::checkedMul(*bytes, size);
  if (!bytes || *bytes > maxBytes || element->alignment > maxBytes)
    return UnmergeableReason::SizeOverflow;
  return BufferSize{*bytes, element->alignment};
}
