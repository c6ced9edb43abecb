//===- InPlace.h - Operations that work in place ----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_INPLACE_H
#define BUFFER_MERGE_ANALYSIS_INPLACE_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"
#include "mlir/IR/OpDefinition.h"

#include <optional>

#include "buffer-merge/Analysis/InPlaceOpInterface.h.inc"

namespace buffer_merge {
/// Return the condition under which the buffers of `read` and `written`, memref
/// operands of one operation, may share bytes, according to
/// `InPlaceOpInterface`. For operations without that interface:
///
/// - A `linalg` operation on memrefs works at the same offset if each iteration
///   reads the element that it writes, counted in row-major order, whatever the
///   shapes of the two operands, and no other iteration writes that: each loop
///   of more than one iteration is an index of `written`. The elements are of
///   the same size in memory, the elements of both operands lie one after the
///   other, and `written` is an output that is not read. So the order,
///   vectorization and distribution of the iterations do not matter.
/// - `memref.copy` between such operands works at the same offset: it copies
///   each byte to itself.
/// - No other operation does. A reduction reads elements that other iterations
///   have written.
///
/// ```
///   linalg.exp ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
///       %a and %b: SameOffset
///   linalg.transpose ins(%a : memref<4x2xf32>) outs(%b : memref<2x4xf32>)
///       permutation = [1, 0]
///       %a and %b: nothing
///   linalg.transpose ins(%a : memref<4x1xf32>) outs(%b : memref<1x4xf32>)
///       permutation = [1, 0]
///       %a and %b: SameOffset
/// ```
std::optional<InPlaceCondition> getInPlaceCondition(mlir::OpOperand &read,
                                                    mlir::OpOperand &written);
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_INPLACE_H
