//===- Bytes of a memref -------------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/BufferSize.h"
#include "Mutation.h"
#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

bool buffer_merge::hasDefaultLayout(MemRefType type) {
  return !isa<StridedLayoutAttr>(type.getLayout()) &&
         type.getLayout().isIdentity();
}

bool buffer_merge::isRowMajor(MemRefType type) {
  if (hasDefaultLayout(type))
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
    // A stride that is not known either need not be this many elements.
    if (ShapedType::isDynamic(size) && !isMutated("in-place-strides"))
      expected = std::nullopt;
    else
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

/// Return the product of numbers of which none is negative, or nothing if it
/// does not fit a pool.
static std::optional<int64_t> multiply(ArrayRef<int64_t> factors) {
  std::optional<int64_t> product = 1;
  for (int64_t factor : factors)
    if (product)
      product = llvm::checkedMul(*product, factor);
  return product && *product <= maxBytes ? product : std::nullopt;
}

/// A size that is not rounded up to the alignment, and the alignment.
static std::optional<BufferSize> checkSize(uint64_t bytes, uint64_t alignment) {
  // The alignment of i0 is 0, and a specification may say anything.
  if (!llvm::isPowerOf2_64(alignment) || alignment > maxBytes ||
      bytes > maxBytes)
    return std::nullopt;
  return BufferSize{static_cast<int64_t>(bytes),
                    static_cast<int64_t>(alignment)};
}

/// Return the distance of values of `size` in memory, below 2^62.
static int64_t getDistance(const BufferSize &size) {
  return llvm::alignTo(size.bytes, size.alignment);
}

static std::optional<BufferSize> computeTypeSize(Type type,
                                                 const DataLayout &layout);

/// Return the size of a vector: in LLVM an array of vectors, of which each is
/// padded by itself, and one of one element if it has no dimension.
static std::optional<BufferSize> computeVectorSize(VectorType type,
                                                   const DataLayout &layout) {
  std::optional<BufferSize> element =
      computeTypeSize(type.getElementType(), layout);
  if (type.isScalable() || !element)
    return std::nullopt;
  // `DataLayout` expects a dimension, and does not look for an overflow.
  ArrayRef<int64_t> shape = type.getShape();
  bool isRow = !shape.empty();
  uint64_t rowElements = isRow ? llvm::PowerOf2Ceil(shape.back()) : 1;
  if (rowElements > maxBytes)
    return std::nullopt;
  std::optional<int64_t> row =
      multiply({static_cast<int64_t>(rowElements), element->bytes});
  std::optional<int64_t> numRows = multiply(isRow ? shape.drop_back() : shape);
  if (!row || !numRows)
    return std::nullopt;
  std::optional<BufferSize> rowSize = checkSize(*row, llvm::PowerOf2Ceil(*row));
  std::optional<int64_t> packed = multiply({*numRows, *row});
  if (!rowSize || !packed)
    return std::nullopt;
  std::optional<int64_t> padded = multiply({*numRows, getDistance(*rowSize)});
  return padded ? checkSize(*padded, llvm::PowerOf2Ceil(*packed))
                : std::nullopt;
}

/// Return the bytes of a value of `type` and its alignment, or nothing if one
/// of them is not known or too large. `DataLayout` aborts for types that it
/// does not know.
static std::optional<BufferSize> computeTypeSize(Type type,
                                                 const DataLayout &layout) {
  if (auto vector = dyn_cast<VectorType>(type))
    return computeVectorSize(vector, layout);
  if (auto complex = dyn_cast<ComplexType>(type)) {
    // Two values, each aligned.
    std::optional<BufferSize> part =
        computeTypeSize(complex.getElementType(), layout);
    if (!part)
      return std::nullopt;
    int64_t distance = getDistance(*part);
    return checkSize(2 * distance, part->alignment);
  }
  if (!type.isIntOrIndexOrFloat() && !isa<DataLayoutTypeInterface>(type))
    return std::nullopt;
  llvm::TypeSize size = layout.getTypeSize(type);
  if (size.isScalable())
    return std::nullopt;
  // Without a specification, the ABI alignment of i64 and wider integers is 4
  // in MLIR and more in LLVM, so that LLVM's loads and strides need the
  // preferred one.
  return checkSize(size.getFixedValue(),
                   std::max(layout.getTypeABIAlignment(type),
                            layout.getTypePreferredAlignment(type)));
}

int64_t buffer_merge::getNaturalAlignment(Type type, const DataLayout &layout) {
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  // In LLVM a vector of several dimensions is an array of vectors.
  if (auto vector = dyn_cast<VectorType>(type); vector && vector.getRank() > 1)
    type =
        VectorType::get(vector.getShape().take_back(), vector.getElementType());
  // A memref in memory is a struct of pointers and sizes.
  std::optional<BufferSize> size = computeTypeSize(type, layout);
  return size ? size->alignment : 16;
}

bool buffer_merge::isPackedInVectors(Type element, const DataLayout &layout) {
  std::optional<BufferSize> size = computeTypeSize(element, layout);
  return !size || layout.getTypeSizeInBits(element) !=
                      8 * static_cast<uint64_t>(getDistance(*size));
}

/// Return the distance of elements of `size`.
static int64_t getElementDistance(const BufferSize &size) {
  return isMutated("R1-element-distance") ? size.bytes : getDistance(size);
}

std::optional<int64_t> buffer_merge::getElementBytes(MemRefType type,
                                                     const DataLayout &layout) {
  std::optional<BufferSize> size =
      computeTypeSize(type.getElementType(), layout);
  return size ? std::optional(getElementDistance(*size)) : std::nullopt;
}

std::variant<BufferSize, UnmergeableReason>
buffer_merge::computeBufferSize(MemRefType type, const DataLayout &layout) {
  if (!type.hasStaticShape())
    return UnmergeableReason::DynamicShape;
  if (!isRowMajor(type) && !isMutated("L9-layout"))
    return UnmergeableReason::Layout;
  Type elementType = type.getElementType();
  std::optional<BufferSize> element = computeTypeSize(elementType, layout);
  if (!element)
    return UnmergeableReason::ElementType;

  // One dimension of size 0 makes all the others irrelevant.
  if (llvm::is_contained(type.getShape(), 0))
    return BufferSize{0, element->alignment};
  SmallVector<int64_t> factors(type.getShape());
  factors.push_back(getElementDistance(*element));
  std::optional<int64_t> bytes = multiply(factors);
  if (!bytes)
    return UnmergeableReason::SizeOverflow;
  return BufferSize{*bytes, element->alignment};
}
