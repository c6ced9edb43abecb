//===- Advice.h - What would make pools smaller -----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_ADVICE_H
#define BUFFER_MERGE_LIB_PLANNING_ADVICE_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Set `PoolPlan::advice` of all pools of `plan`, which was made for `root`
/// with `options`. Each change is tried: the options by planning everything
/// again, buffers by scheduling their pool without them.
void addAdvice(mlir::Operation *root, MergePlan &plan,
               const MergePlanOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_ADVICE_H
