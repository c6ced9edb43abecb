//===- BufferPart.h - One of several values of an allocation ----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_BUFFERPART_H
#define BUFFER_MERGE_ANALYSIS_BUFFERPART_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace buffer_merge {
/// One of the allocations that another one was split into, because it holds
/// several values one after the other.
struct BufferPart {
  /// The number of the value, from 0, and the number of values.
  unsigned index, count;
  /// The first access of the value.
  mlir::Operation *begin;
  /// The first of the allocations that it was split into.
  mlir::Operation *original;
};

/// The parts of all allocations that were split, by their operations.
using BufferPartMap = llvm::DenseMap<mlir::Operation *, BufferPart>;

/// For each allocation that stands for those of several exclusive branches,
/// where the others were.
using BranchBufferMap =
    llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Location, 1>>;
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_BUFFERPART_H
