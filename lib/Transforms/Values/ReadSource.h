//===- ReadSource.h - Reading what a copy was made of -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_READSOURCE_H
#define BUFFER_MERGE_LIB_TRANSFORMS_READSOURCE_H

#include "ElementMove.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace buffer_merge {
/// What an operation is once it reads the source of a move.
enum class ReadForm {
  /// An operation with the same semantics and a name: `linalg.matmul` with
  /// other `indexing_maps`, `linalg.transpose` with another permutation. Or it
  /// was a `linalg.generic` before.
  Named,
  /// A `linalg.contract` or a `linalg.generic`, which had another name before.
  Renamed,
};

/// Return what the owner of `read`, an input, would be if it read the source of
/// `move`, whose target it is; nothing if there is no such operation of
/// `linalg` on memrefs: its iteration space would not be known any more, or it
/// stands for the call of a library.
std::optional<ReadForm> findReadForm(mlir::OpOperand &read,
                                     const ElementMove &move);

/// Let the owner of `read`, for which `findReadForm` returns something, read
/// the source of `move`. Return the operation, which may be a new one.
mlir::linalg::LinalgOp readSource(mlir::RewriterBase &rewriter,
                                  mlir::OpOperand &read,
                                  const ElementMove &move);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_READSOURCE_H
