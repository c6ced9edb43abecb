//===- ElementMove.h - Operations that only move elements -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_ELEMENTMOVE_H
#define BUFFER_MERGE_LIB_TRANSFORMS_ELEMENTMOVE_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"

namespace buffer_merge {
/// An operation that sets each element of a memref, its target, to one of
/// another memref, its source, possibly converted to another type.
///
/// ```
///   linalg.transpose ins(%w) outs(%t) permutation = [1, 0]
///   map = (d0, d1) -> (d1, d0)      // %t[i, j] = %w[j, i]
/// ```
struct ElementMove {
  mlir::OpOperand *source, *target;
  /// From the indices of an element of the target to those of the source:
  /// dimensions, each at most once, and zeros.
  mlir::AffineMap map;
  /// The conversions of an element, from first to last; each has one operand,
  /// the first one that of the source, and one result.
  llvm::SmallVector<mlir::Operation *, 1> casts;
};

/// Return what `op` moves if it is a `memref.copy`, or an operation of `linalg`
/// on memrefs with one input whose iterations are independent of each other and
/// convert an element by operations of `arith` at most; nothing for any other.
std::optional<ElementMove> matchElementMove(mlir::Operation *op);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_ELEMENTMOVE_H
