//===- RefillCopies.h - Fills in place of copies of fills -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_REFILLCOPIES_H
#define BUFFER_MERGE_LIB_TRANSFORMS_REFILLCOPIES_H

#include "Analysis/Refills.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace buffer_merge {
/// Make fills of the copies of `refills`. A fill of their source is erased if
/// nothing reads it any more; or, if the source is in `merged`, if the operand
/// that reads it first can be filled instead. Add the views that were used to
/// `unused`. Return the number of copies that became fills.
int64_t applyRefills(mlir::RewriterBase &rewriter,
                     const FunctionRefills &refills,
                     const llvm::DenseSet<mlir::Operation *> &merged,
                     llvm::SetVector<mlir::Value> &unused);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_REFILLCOPIES_H
