//===- SplitAllocation.h - An allocation for each value ---------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_SPLITALLOCATION_H
#define BUFFER_MERGE_LIB_TRANSFORMS_SPLITALLOCATION_H

#include "buffer-merge/Analysis/BufferLifetimes.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace buffer_merge {
/// Give each of `values`, all those of one allocation, an allocation and views
/// of its own (L10 values). Return the allocations: the first value keeps the
/// one that there is, the others follow it. They are not deallocated. Add the
/// views that may have become unused to `oldViews`, after their sources.
llvm::SmallVector<mlir::memref::AllocOp, 2>
splitAllocation(mlir::RewriterBase &rewriter,
                llvm::ArrayRef<BufferLifetime> values,
                llvm::SetVector<mlir::Value> &oldViews);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_SPLITALLOCATION_H
