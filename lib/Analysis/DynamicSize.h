//===- DynamicSize.h - Sizes known at run time ------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_DYNAMICSIZE_H
#define BUFFER_MERGE_LIB_ANALYSIS_DYNAMICSIZE_H

#include "Analysis/BufferSize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace buffer_merge {
/// Bounds of the sizes of allocations, by MLIR's
/// `ValueBoundsOpInterface`. Dialects whose models of it are not registered
/// have no bounds. Each query visits a few dozen operations at most.
class DynamicSizes {
public:
  /// Return the maximum number of bytes that `alloc`, of a type with dynamic
  /// sizes, allocates. Or return why it cannot be merged with that size:
  /// `DynamicShape` if a size has no constant upper bound, or one below 0;
  /// `Layout`; `WastefulBound` if the allocation may be smaller by more than
  /// `maxWaste` bytes, according to the lower bounds of its sizes; or the
  /// result of `computeBufferSize` for the bound.
  ///
  /// ```
  ///   %n = affine.min affine_map<(i) -> (16, 100 - i)>(%i)
  ///   %a = memref.alloc(%n) : memref<?x4xf32>     256 bytes
  /// ```
  std::variant<BufferSize, UnmergeableReason>
  computeBound(mlir::memref::AllocOp alloc, const mlir::DataLayout &layout,
               int64_t maxWaste);

private:
  struct Bounds {
    std::optional<int64_t> upper;
    /// 0 if no bound is known, because sizes are not negative.
    int64_t lower = 0;
  };
  Bounds getBounds(mlir::Value size);

  llvm::DenseMap<mlir::Value, Bounds> bounds;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_DYNAMICSIZE_H
