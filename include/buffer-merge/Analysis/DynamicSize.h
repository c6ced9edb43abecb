//===- DynamicSize.h - Sizes known at run time ------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_DYNAMICSIZE_H
#define BUFFER_MERGE_ANALYSIS_DYNAMICSIZE_H

#include "buffer-merge/Analysis/BufferSize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace buffer_merge {
/// What becomes of allocations whose size is known at run time only.
enum class DynamicPolicy {
  /// They stay.
  None,
  /// Those of equal size whose lifetimes are disjoint share one allocation.
  Equal,
  /// Those with a constant upper bound are merged as if they were as large as
  /// that; the others as with `Equal`.
  Bounded,
};

/// What is known of the sizes that allocations are given, by MLIR's
/// `ValueBoundsOpInterface`. Dialects whose models of it are not registered
/// have no bounds. Each question looks at a few dozen operations at most.
class DynamicSizes {
public:
  /// Return how many bytes `alloc`, of a type with dynamic sizes, allocates at
  /// most. Or return why it cannot be merged with that many: `DynamicShape` if
  /// a size has no constant upper bound, or one below 0; `Layout`;
  /// `WastefulBound` if the allocation may be smaller by more than `maxWaste`
  /// bytes, as far as lower bounds of its sizes are known; or what
  /// `computeBufferSize` says of the bound.
  ///
  /// ```
  ///   %n = affine.min affine_map<(i) -> (16, 100 - i)>(%i)
  ///   %a = memref.alloc(%n) : memref<?x4xf32>     256 bytes
  /// ```
  std::variant<BufferSize, UnmergeableReason>
  computeBound(mlir::memref::AllocOp alloc, const mlir::DataLayout &layout,
               int64_t maxWaste);

  /// Return true if both allocations are known to allocate the same number of
  /// bytes each time: of one type, with sizes that are the same values or
  /// proved to be equal. `a` must dominate `b`.
  bool areEqual(mlir::memref::AllocOp a, mlir::memref::AllocOp b);

  /// Return true if each size of `b` that may be an affine symbol still may be
  /// one if it is asked of `a` instead, which dominates `b`, in the same affine
  /// scope, and has sizes of the same number:
  ///
  /// ```
  ///   %d = memref.dim %b, %c0
  ///   affine.for %i = 0 to %d     // the size of %b must be a symbol
  /// ```
  static bool keepsSymbols(mlir::memref::AllocOp a, mlir::memref::AllocOp b);

private:
  struct Bounds {
    std::optional<int64_t> upper;
    /// 0 if none is known, as sizes are not negative.
    int64_t lower = 0;
  };
  Bounds getBounds(mlir::Value size);

  llvm::DenseMap<mlir::Value, Bounds> bounds;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, bool> equalities;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_DYNAMICSIZE_H
