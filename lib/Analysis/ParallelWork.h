//===- ParallelWork.h - Work of several threads -----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_PARALLELWORK_H
#define BUFFER_MERGE_LIB_ANALYSIS_PARALLELWORK_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Threading.h"

namespace buffer_merge {
/// Call `work` with the numbers from 0 to `count - 1`, in the threads of the
/// MLIR context if `root`, which the work is about, is the whole module.
///
/// Other threads may be at work on the siblings of a part of a module, and this
/// thread may be one of them. If it waited for work of its own, it would do
/// theirs meanwhile, and MLIR would no longer know in which order the
/// diagnostics of the two belong.
template <typename Work>
void forEachInParallel(mlir::Operation *root, size_t count, Work &&work) {
  if (!root->getParentOp())
    return mlir::parallelFor(root->getContext(), 0, count, work);
  for (size_t index = 0; index < count; ++index)
    work(index);
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_PARALLELWORK_H
