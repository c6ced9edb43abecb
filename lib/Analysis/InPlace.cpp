//===- InPlace.cpp - Operations that work in place ------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Analysis/InPlace.h"
#include "Analysis/BufferSize.h"
#include "Mutation.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge;

#include "buffer-merge/Analysis/InPlaceOpInterface.cpp.inc"

/// Return true if `value` is a memref of which the elements lie one after the
/// other.
static bool isRowMajorMemRef(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && isRowMajor(type);
}

/// Return true if elements of both types take the same bytes in memory.
static bool areElementsOfOneSize(Type a, Type b, Operation *op) {
  if (a == b || isMutated("in-place-element-size"))
    return true;
  DataLayout layout = DataLayout::closest(op);
  auto getBytes = [&](Type type) -> std::optional<int64_t> {
    if (!MemRefType::isValidElementType(type))
      return std::nullopt;
    auto size = computeBufferSize(MemRefType::get({1}, type), layout);
    if (auto *known = std::get_if<BufferSize>(&size))
      return known->bytes;
    return std::nullopt;
  };
  std::optional<int64_t> bytes = getBytes(a);
  return bytes && bytes == getBytes(b);
}

/// Return true if each iteration accesses an element of its own by `map`: each
/// loop of more than one iteration, according to `ranges`, is an index.
static bool hasOwnElements(AffineMap map, ArrayRef<int64_t> ranges) {
  return llvm::all_of(llvm::enumerate(ranges), [&](auto range) {
    return range.value() == 1 ||
           llvm::is_contained(
               map.getResults(),
               getAffineDimExpr(range.index(), map.getContext()));
  });
}

/// Return the number, in row-major order, of the element of a memref of `type`
/// that an iteration accesses by `map`, in terms of the loops and of symbols
/// for their `ranges`. Return null if the shape is not known by these.
static AffineExpr getElementNumber(MemRefType type, AffineMap map,
                                   ArrayRef<int64_t> ranges) {
  MLIRContext *context = map.getContext();
  auto getRange = [&](unsigned loop) {
    return ShapedType::isDynamic(ranges[loop])
               ? getAffineSymbolExpr(loop, context)
               : getAffineConstantExpr(ranges[loop], context);
  };
  AffineExpr number = getAffineConstantExpr(0, context);
  for (auto [size, index] :
       llvm::zip_equal(type.getShape(), map.getResults())) {
    // Whatever names it, there is one element.
    if (size == 1)
      continue;
    AffineExpr extent = getAffineConstantExpr(size, context);
    if (ShapedType::isDynamic(size)) {
      auto loop = dyn_cast<AffineDimExpr>(index);
      if (!loop)
        return nullptr;
      extent = getRange(loop.getPosition());
    }
    number = number * extent + index;
  }
  SmallVector<AffineExpr> loops;
  for (auto [loop, range] : llvm::enumerate(ranges))
    loops.push_back(range == 1 ? getAffineConstantExpr(0, context)
                               : getAffineDimExpr(loop, context));
  return simplifyAffineExpr(number.replaceDims(loops), ranges.size(),
                            ranges.size());
}

/// Return true if each iteration accesses elements of both operands that have
/// the same number: in buffers that begin at the same byte, they are at the
/// same place.
static bool haveSameElements(MemRefType readType, AffineMap readMap,
                             MemRefType writtenType, AffineMap writtenMap,
                             ArrayRef<int64_t> ranges) {
  // Most are equal or broadcast: no expression is built for these.
  if (writtenMap.isPermutation()) {
    if (readMap == writtenMap && readType.getShape() == writtenType.getShape())
      return true;
    for (auto [loop, range] : llvm::enumerate(ranges))
      if (range != 1 && !readMap.isFunctionOfDim(loop))
        return false;
  }
  AffineExpr number = getElementNumber(writtenType, writtenMap, ranges);
  return number && number == getElementNumber(readType, readMap, ranges);
}

/// Return the number of iterations of each loop of `op`, which writes an
/// operand of `type` by `map`.
static SmallVector<int64_t, 4> getLoopRanges(linalg::LinalgOp op,
                                             MemRefType type, AffineMap map) {
  if (!map.isPermutation())
    return op.getStaticLoopRanges();
  SmallVector<int64_t, 4> ranges(map.getNumDims());
  for (auto [size, index] : llvm::zip_equal(type.getShape(), map.getResults()))
    ranges[cast<AffineDimExpr>(index).getPosition()] = size;
  return ranges;
}

static std::optional<InPlaceCondition>
getLinalgCondition(linalg::LinalgOp op, OpOperand &read, OpOperand &written) {
  if (!isRowMajorMemRef(read.get()) || !isRowMajorMemRef(written.get()) ||
      !op.hasPureBufferSemantics() || !op.isDpsInput(&read) ||
      !op.isDpsInit(&written))
    return std::nullopt;
  // Each iteration has an element of its own, that no other reads or writes.
  // What a reduction writes belongs to several.
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap readMap = maps[read.getOperandNumber()];
  AffineMap writtenMap = maps[written.getOperandNumber()];
  auto readType = cast<MemRefType>(read.get().getType());
  auto writtenType = cast<MemRefType>(written.get().getType());
  SmallVector<int64_t, 4> ranges = getLoopRanges(op, writtenType, writtenMap);
  if (!hasOwnElements(writtenMap, ranges) && !isMutated("in-place-map"))
    return std::nullopt;
  if (!haveSameElements(readType, readMap, writtenType, writtenMap, ranges) &&
      !isMutated("in-place-element"))
    return std::nullopt;
  // It would read the other buffer instead of what is not initialized. Not
  // payloadUsesValueFromOperand(), which denies this for all of linalg.map.
  if (!op.getMatchingBlockArgument(&written).use_empty() &&
      !isMutated("in-place-output-is-read"))
    return std::nullopt;
  if (!areElementsOfOneSize(getElementTypeOrSelf(read.get()),
                            getElementTypeOrSelf(written.get()), op))
    return std::nullopt;
  return InPlaceCondition::SameOffset;
}

std::optional<InPlaceCondition>
buffer_merge::getInPlaceCondition(OpOperand &read, OpOperand &written) {
  Operation *op = read.getOwner();
  if (auto interface = dyn_cast<InPlaceOpInterface>(op))
    return interface.getInPlaceCondition(read, written);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return getLinalgCondition(linalgOp, read, written);
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    if (&read == &copy.getSourceMutable() &&
        &written == &copy.getTargetMutable() && isRowMajorMemRef(read.get()) &&
        isRowMajorMemRef(written.get()))
      return InPlaceCondition::SameOffset;
  return std::nullopt;
}
