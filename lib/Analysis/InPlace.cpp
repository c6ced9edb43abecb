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
static bool isContiguous(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && type.getLayout().isIdentity();
}

/// Return true if elements of both types take the same bytes in memory.
static bool areElementsOfOneSize(Type a, Type b, Operation *op) {
  if (a == b || isMutated("in-place-any-element-size"))
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

static std::optional<InPlaceCondition>
getLinalgCondition(linalg::LinalgOp op, OpOperand &read, OpOperand &written) {
  if (!op.hasPureBufferSemantics() || !op.isDpsInput(&read) ||
      !op.isDpsInit(&written))
    return std::nullopt;
  // A permutation names every loop: each iteration has an element of its own,
  // that no other reads or writes. What a reduction writes belongs to several.
  AffineMap map = op.getMatchingIndexingMap(&written);
  if ((!map.isPermutation() && !isMutated("in-place-reductions")) ||
      (op.getMatchingIndexingMap(&read) != map &&
       !isMutated("in-place-any-map")))
    return std::nullopt;
  // It would read the other buffer instead of what is not initialized. Not
  // payloadUsesValueFromOperand(), which denies this for all of linalg.map.
  if (isMutated("in-place-output-of-a-map-is-read")
          ? op.payloadUsesValueFromOperand(&written)
          : !op.getMatchingBlockArgument(&written).use_empty() &&
                !isMutated("in-place-output-is-read"))
    return std::nullopt;
  if (!isContiguous(read.get()) || !isContiguous(written.get()) ||
      !areElementsOfOneSize(getElementTypeOrSelf(read.get()),
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
        &written == &copy.getTargetMutable() && isContiguous(read.get()) &&
        isContiguous(written.get()))
      return InPlaceCondition::SameOffset;
  return std::nullopt;
}
