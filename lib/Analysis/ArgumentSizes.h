//===- ArgumentSizes.h - Sizes that callers know ----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What of a function can be computed before it is called: from its arguments of
// type index, and the dynamic dimensions of those that are memrefs.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_ARGUMENTSIZES_H
#define BUFFER_MERGE_LIB_ANALYSIS_ARGUMENTSIZES_H

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace buffer_merge {
/// An argument of type index, or a dynamic dimension of one that is a memref.
struct ArgumentSize {
  unsigned argument;
  std::optional<int64_t> dimension;

  bool operator==(const ArgumentSize &other) const {
    return argument == other.argument && dimension == other.dimension;
  }
};

/// Return those of `function`, in the order of its arguments, without that of
/// the number `except`.
llvm::SmallVector<ArgumentSize>
getArgumentSizes(mlir::FunctionOpInterface function,
                 std::optional<unsigned> except);

/// Return which of them `value` is; nothing if it is none.
std::optional<ArgumentSize> findArgumentSize(mlir::Value value);

/// Return true if `value` can be computed from argument sizes, and from what
/// `isSource` is true of, by arithmetic alone.
bool isFromArgumentSizes(
    mlir::Value value, llvm::function_ref<bool(mlir::Value)> isSource =
                           [](mlir::Value) { return false; });

/// Compute `value`, of which the former is true, at the insertion point of
/// `builder`, where `there` has what was computed before. `getSource` returns
/// argument sizes and other sources, and null for all else.
mlir::Value computeFromArgumentSizes(
    mlir::OpBuilder &builder, mlir::Value value, mlir::IRMapping &there,
    llvm::function_ref<mlir::Value(mlir::Value)> getSource);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_ARGUMENTSIZES_H
