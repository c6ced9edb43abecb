//===- WholeOverwrite.h - Writes of all elements of a buffer ----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_WHOLEOVERWRITE_H
#define BUFFER_MERGE_LIB_ANALYSIS_WHOLEOVERWRITE_H

#include "mlir/IR/Operation.h"

namespace buffer_merge {
/// Return the operation that writes every element of the memref `use.get()`
/// whenever it is executed, by means of `use`, and reads none of them through
/// `use`: the owner of `use`, or a loop nest around it. Return null if there is
/// none. The memref has a static shape, or is an operand of `linalg` or
/// `memref.copy`.
///
/// ```
///   linalg.fill ins(%x) outs(%a)            // the fill
///   scf.for %i = 0 to 4 step 1 {            // the outer loop, if %a is
///     scf.for %j = 0 to 8 step 1 {          // a memref<4x8xf32>
///       memref.store %x, %a[%i, %j]
///     }
///   }
/// ```
///
/// The operation may access the memref by other operands, or by other
/// operations inside: the caller checks that nothing else inside it does.
mlir::Operation *findWholeOverwrite(mlir::OpOperand &use);

/// Return false if `findWholeOverwrite` would find nothing: a quick answer.
bool mayOverwriteWhole(mlir::OpOperand &use);

/// Return true if `view`, the result of a view-like operation on `source`, has
/// all the elements of `source`.
bool isViewOfAll(mlir::Value view, mlir::Value source);

/// Return true if an operation in the regions of `op` has a memref as operand:
/// it may read what `op` has not written yet.
bool usesMemRefsInside(mlir::Operation *op);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_WHOLEOVERWRITE_H
