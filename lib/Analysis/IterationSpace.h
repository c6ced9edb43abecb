//===- IterationSpace.h - The iterations of a parallel loop -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_ITERATIONSPACE_H
#define BUFFER_MERGE_LIB_ANALYSIS_ITERATIONSPACE_H

#include "mlir/IR/Operation.h"

namespace buffer_merge {
/// The values of one induction variable: `lower`, `lower + step`, and so on.
struct IterationRange {
  mlir::Value variable;
  int64_t lower;
  /// 1 or more.
  int64_t step;
  /// How many there are; 0 or more.
  int64_t count;
};

/// Return the ranges of the induction variables of `loop`, which is executed
/// once for each combination of their values, or nothing if it is no
/// `scf.parallel`, `scf.forall` or `affine.parallel`, or if a bound or a step
/// is not known.
std::optional<llvm::SmallVector<IterationRange>>
getIterationRanges(mlir::Operation *loop);

/// Return the number of combinations of `ranges`, at most `maxBytes`.
int64_t countIterations(llvm::ArrayRef<IterationRange> ranges);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_ITERATIONSPACE_H
