//===- Refills.h - Copies of buffers that were filled -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_REFILLS_H
#define BUFFER_MERGE_LIB_ANALYSIS_REFILLS_H

#include "BufferUses.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"

namespace buffer_merge {
struct FunctionContext;

/// A copy whose source holds one scalar in all of its elements.
struct Refill {
  mlir::memref::CopyOp copy;
  /// The scalar; it dominates the copy.
  mlir::Value scalar;
  /// What the copy reads is all or a part of it.
  mlir::memref::AllocOp source;
};

/// A fill that is read by fewer operations when copies no longer do.
struct LateFill {
  mlir::linalg::FillOp fill;
  /// All of it is filled.
  mlir::memref::AllocOp alloc;
  /// The operation in the block of the fill that is, or contains, the first one
  /// that still reads it; null if none does.
  mlir::Operation *reader = nullptr;
  /// If `reader` itself is an access to all of the buffer through one operand,
  /// that operand, which may be filled instead; else null.
  mlir::OpOperand *operand = nullptr;
};

/// The copies in a function that could be fills, and what becomes of the fills
/// that they read then.
struct FunctionRefills {
  llvm::SmallVector<Refill, 0> copies;
  llvm::SmallVector<LateFill, 0> fills;

  /// Return what `use` is when `copies` are fills and the operands of `fills`
  /// are filled in front of their operations: the former do not read their
  /// sources, and the latter begin values of their own.
  ClassifiedUse apply(ClassifiedUse use) const;

  /// Return true if `source`, of a copy, is not read by it any more.
  bool isRefilled(mlir::OpOperand &source) const {
    return notRead.contains(&source);
  }

  /// Return true if nothing needs the bytes of `alloc` any more: it is filled
  /// by what is erased, and copied by what does not read it.
  bool isErased(mlir::memref::AllocOp alloc) const;

  /// Return true if `operand` is filled in front of its operation.
  bool isFilledBefore(mlir::OpOperand &operand) const {
    return filled.contains(&operand);
  }

private:
  friend FunctionRefills findRefills(const FunctionContext &context,
                                     const WorkgroupOptions &workgroup);
  llvm::DenseSet<mlir::OpOperand *> notRead, filled;
  llvm::DenseSet<mlir::Operation *> erased;
};

/// Find the copies in the function of `context` whose source, an allocation of
/// static shape outside of `workgroup` memory and of device code, has been
/// filled by `linalg.fill`, or by a copy of what was, on every path, and has
/// not changed since.
///
/// The cost is that of the webs of the allocations that are filled, or copied
/// from what is, and that copies read.
FunctionRefills findRefills(const FunctionContext &context,
                            const WorkgroupOptions &workgroup);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_REFILLS_H
