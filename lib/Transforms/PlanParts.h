//===- PlanParts.h - Plans of allocations that may be split -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_PLANPARTS_H
#define BUFFER_MERGE_LIB_TRANSFORMS_PLANPARTS_H

#include "Planning/Advice.h"
#include "Transforms/Values/BranchBuffers.h"
#include "Transforms/Values/BufferParts.h"
#include "buffer-merge/Transforms/BufferMerge.h"

namespace buffer_merge {
/// Unite what exclusive branches allocate, split what holds several values, and
/// compute a plan in which every allocation that is united is merged, and every
/// one that is split in all of its parts: separate and join the others.
/// `branches` and `parts`, which are empty, have what remains united and split,
/// if the options ask for it. Of `options` only those about splitting are used.
/// `messages` are those of `computeMergePlan` about the plan that is returned,
/// or about the one that there is not.
llvm::FailureOr<MergePlan>
planParts(mlir::Operation *root, const BufferMergeOptions &options,
          const MergePlanOptions &planOptions, BranchBuffers &branches,
          BufferParts &parts, PlanMessages &messages);

/// The most changes of one pool that are shown.
inline constexpr size_t maxShownAdvice = 3;

/// Set `PoolPlan::advice` of all pools of `plan`, which `planParts` made: the
/// best first, however many. Return the plans with other options.
llvm::SmallVector<AlternativePlan, 0>
addAdvice(mlir::Operation *root, MergePlan &plan,
          const BufferMergeOptions &options,
          const MergePlanOptions &planOptions);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_PLANPARTS_H
