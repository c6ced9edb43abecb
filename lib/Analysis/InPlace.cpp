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
static bool hasIdentityLayout(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && type.getLayout().isIdentity();
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

/// Return true if each iteration of `op` accesses an element of its own by
/// `map`: it names every loop of more than one iteration once.
static bool hasOwnElements(linalg::LinalgOp op, AffineMap map) {
  if (map.isPermutation())
    return true;
  if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return false;
  SmallVector<int64_t, 4> ranges = op.getStaticLoopRanges();
  return llvm::all_of(llvm::enumerate(ranges), [&](auto range) {
    return range.value() == 1 || map.isFunctionOfDim(range.index());
  });
}

/// Return true if each iteration accesses the elements of both types that are
/// at the same place: the maps differ in nothing but dimensions of one element.
static bool haveSameElements(MemRefType readType, AffineMap readMap,
                             MemRefType writtenType, AffineMap writtenMap) {
  if (readType.getRank() != writtenType.getRank())
    return false;
  for (auto [readSize, writtenSize, readIndex, writtenIndex] :
       llvm::zip_equal(readType.getShape(), writtenType.getShape(),
                       readMap.getResults(), writtenMap.getResults()))
    if (readIndex != writtenIndex && (readSize != 1 || writtenSize != 1))
      return false;
  return true;
}

static std::optional<InPlaceCondition>
getLinalgCondition(linalg::LinalgOp op, OpOperand &read, OpOperand &written) {
  if (!hasIdentityLayout(read.get()) || !hasIdentityLayout(written.get()) ||
      !op.hasPureBufferSemantics() || !op.isDpsInput(&read) ||
      !op.isDpsInit(&written))
    return std::nullopt;
  // Each iteration has an element of its own, that no other reads or writes.
  // What a reduction writes belongs to several.
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap readMap = maps[read.getOperandNumber()];
  AffineMap writtenMap = maps[written.getOperandNumber()];
  if ((!hasOwnElements(op, writtenMap) ||
       !haveSameElements(cast<MemRefType>(read.get().getType()), readMap,
                         cast<MemRefType>(written.get().getType()),
                         writtenMap)) &&
      !isMutated("in-place-map"))
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
        &written == &copy.getTargetMutable() && hasIdentityLayout(read.get()) &&
        hasIdentityLayout(written.get()))
      return InPlaceCondition::SameOffset;
  return std::nullopt;
}
