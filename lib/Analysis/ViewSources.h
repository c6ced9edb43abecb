//===- What values are views of --------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_VIEWSOURCES_H
#define BUFFER_MERGE_LIB_ANALYSIS_VIEWSOURCES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace buffer_merge {
/// Return the last of `value`, its source, the source of that, and so on:
/// `getSource` returns null for it. In code that is never executed, or in no
/// order, a value may be its own source: then return any of them.
mlir::Value
followSources(mlir::Value value,
              llvm::function_ref<mlir::Value(mlir::Value)> getSource);

/// Return the memory that `value` is a view of, by `ViewLikeOpInterface`, or
/// `value` itself.
mlir::Value findViewedMemory(mlir::Value value);

/// Return the innermost slice that `value` is a part of, a `memref.view` at a
/// byte that is known; null if there is none. Merging leaves slices behind.
mlir::memref::ViewOp findSlice(mlir::Value value);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_VIEWSOURCES_H
