//===- CopyRewriting.h - What passes about copies have in common *- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_COPYREWRITING_H
#define BUFFER_MERGE_LIB_TRANSFORMS_COPYREWRITING_H

#include "buffer-merge/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace buffer_merge {
/// Return the options of lifetimes of allocations, without values, in-place
/// pairs and what has no static shape.
BufferLifetimesOptions getLifetimesOptions(const SplitBuffersOptions &options);

/// Erase those of `values` that are views and that nothing uses, and then the
/// views that they were made of.
void eraseUnusedViews(mlir::RewriterBase &rewriter,
                      llvm::SetVector<mlir::Value> values);

/// Erase the views and the allocation that `value` comes from, as far as
/// nothing uses them, or only frees the allocation.
void eraseUnused(mlir::Value value);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_COPYREWRITING_H
