//===- StridedParts.h - Parts of buffers that are not contiguous *- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_STRIDEDPARTS_H
#define BUFFER_MERGE_LIB_ANALYSIS_STRIDEDPARTS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace buffer_merge {
/// Return the part that `copy`, of all of `inner`, writes if `inner` could be
/// that part although it is not contiguous: a subview with steps of 1; all uses
/// of `inner` and of its subviews take any layout. Else return null.
mlir::memref::SubViewOp findStridedPart(mlir::memref::CopyOp copy,
                                        mlir::memref::AllocOp inner);

/// Return true if `value` has no element of `part`, because it comes from a
/// subview of the same memref with other indices in one dimension. Both
/// subviews have steps of 1.
bool isBeside(mlir::memref::SubViewOp part, mlir::Value value);

/// Return the largest power of two that divides the distance of any two rows of
/// `part`, which are contiguous each; 0 if there is only one.
int64_t getRowAlignment(mlir::memref::SubViewOp part,
                        const mlir::DataLayout &layout);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_STRIDEDPARTS_H
