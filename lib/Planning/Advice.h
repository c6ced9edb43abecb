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
/// The plan of the same program with another option.
struct AlternativePlan {
  /// `InPlace` or `InsertBarriers`.
  AdviceKind kind;
  MergePlan plan;
};

/// Return the plans with each of the options that may make pools of `plan`
/// smaller, which was made for `root` with `options`. What cannot be planned is
/// left out, without an error.
llvm::SmallVector<AlternativePlan, 0>
planAlternatives(mlir::Operation *root, const MergePlan &plan,
                 const MergePlanOptions &options);

/// Add the advice `kind` to the pools of `plan` that are smaller in `other`.
/// Allocations of `other` that were split are in `parts`; pools are compared if
/// they are for the same allocations.
void addPlanAdvice(MergePlan &plan, AdviceKind kind, const MergePlan &other,
                   const BufferPartMap &parts);

/// Add what changes of the program would make the pools of `plan` smaller,
/// which was made with `options`. Each change is tried, by scheduling the pool
/// with it.
void addBufferAdvice(MergePlan &plan, const MergePlanOptions &options);

/// Sort the advice of each pool, the best first.
void sortAdvice(MergePlan &plan);

/// Add `advice` to `pool`, which would need `bytes` then, if that is less than
/// what it needs.
void addIfSmaller(PoolPlan &pool, PoolAdvice advice, int64_t bytes);

/// Return the bytes of `pool`, or those that it would need if it exceeds its
/// capacity, or those of its buffers if a pool has no gain; nothing if there is
/// no pool for another reason.
std::optional<int64_t> getNeededBytes(const PoolPlan &pool);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_ADVICE_H
