//===- SpaceUses.cpp - Uses of a buffer in any memory space ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No interface says that an operation takes a memref of any memory space:
// operations of other dialects implement those of structured operations, of
// loads and of stores, and may ask for one space, or mean another instruction
// in each. So these are operations of upstream dialects, whose definition says
// that they access the elements, and that the types of other operands do not
// depend on the memory space.
//
//===----------------------------------------------------------------------===//

#include "SpaceUses.h"
#include "Analysis/GPU/DeviceCode.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if the operation of `use` takes a memref of any memory space
/// there, and nothing else of it changes with that.
static bool takesAnySpace(OpOperand &use) {
  Operation *op = use.getOwner();
  // What is stored is the memref itself.
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return use == store.getMemrefMutable();
  if (auto store = dyn_cast<affine::AffineStoreOp>(op))
    return use == store.getMemrefMutable();
  if (isa<memref::LoadOp, memref::CopyOp, memref::DeallocOp, memref::DimOp,
          affine::AffineLoadOp, affine::AffineVectorLoadOp,
          affine::AffineVectorStoreOp, vector::TransferReadOp,
          vector::TransferWriteOp, vector::LoadOp, vector::StoreOp,
          vector::MaskedLoadOp, vector::MaskedStoreOp>(op))
    return true;
  return isa<linalg::LinalgOp>(op) &&
         isa<linalg::LinalgDialect>(op->getDialect());
}

/// Return the innermost operation around `op`, inside of its function, that may
/// execute it on another machine or at another time, or null.
static Operation *findForeignParent(Operation *op) {
  for (op = op->getParentOp(); op && !isa<func::FuncOp>(op);
       op = op->getParentOp())
    if (!isa_and_present<scf::SCFDialect, affine::AffineDialect,
                         linalg::LinalgDialect, memref::MemRefDialect>(
            op->getDialect()))
      return op;
  return nullptr;
}

Operation *buffer_merge::findSpaceObstacle(const BufferLifetime &buffer,
                                           const BufferLifetimes &lifetimes) {
  if (!buffer.alloc.getType().getLayout().isIdentity() || buffer.isInDeviceCode)
    return buffer.getPlace();
  // What leaves a branch has a type that says where it is.
  if (buffer.parts)
    return buffer.getPlace();
  for (OpOperand &use : buffer.alloc.getUses()) {
    Operation *op = use.getOwner();
    if (!takesAnySpace(use) && !isMutated("target-spaces"))
      return op;
    if (lifetimes.getDeviceCode().contains(op))
      return op;
    if (Operation *parent = findForeignParent(op))
      return parent;
  }
  return nullptr;
}
