//===- ElementMove.cpp - Operations that only move elements ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementMove.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `op` converts one number: so cheap that it may be executed
/// once more for each reader.
static bool isCast(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
             arith::FPToUIOp, arith::IndexCastOp, arith::IndexCastUIOp,
             arith::BitcastOp>(op);
}

/// Find the conversions in `body` from its first argument to what it yields.
/// Return false if it does anything else.
static bool findCasts(Block &body, SmallVectorImpl<Operation *> &casts) {
  Operation *yield = body.getTerminator();
  if (yield->getNumOperands() != 1)
    return false;
  Value value = body.getArgument(0);
  for (Operation &op : body.without_terminator()) {
    if (!isCast(&op) || op.getNumOperands() != 1 || op.getOperand(0) != value)
      return false;
    casts.push_back(&op);
    value = op.getResult(0);
  }
  return yield->getOperand(0) == value;
}

std::optional<ElementMove> buffer_merge::matchElementMove(Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto type = dyn_cast<MemRefType>(copy.getSource().getType());
    if (!type || !isa<MemRefType>(copy.getTarget().getType()))
      return std::nullopt;
    return ElementMove{
        &copy.getSourceMutable(),
        &copy.getTargetMutable(),
        AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext()),
        {}};
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureBufferSemantics() ||
      linalgOp.getNumDpsInputs() != 1 || linalgOp.getNumDpsInits() != 1 ||
      linalgOp.getNumLoops() != linalgOp.getNumParallelLoops())
    return std::nullopt;
  OpOperand *source = linalgOp.getDpsInputOperand(0);
  OpOperand *target = linalgOp.getDpsInitOperand(0);
  if (!isa<MemRefType>(source->get().getType()) ||
      !isa<MemRefType>(target->get().getType()))
    return std::nullopt;
  AffineMap sourceMap = linalgOp.getMatchingIndexingMap(source);
  AffineMap targetMap = linalgOp.getMatchingIndexingMap(target);
  if (!targetMap.isPermutation() ||
      !sourceMap.isProjectedPermutation(/*allowZeroInResults=*/true))
    return std::nullopt;
  ElementMove move{
      source, target, sourceMap.compose(inversePermutation(targetMap)), {}};
  if (!findCasts(*linalgOp.getBlock(), move.casts))
    return std::nullopt;
  return move;
}
