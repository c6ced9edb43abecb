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
/// An option that may make pools smaller (`PoolAdvice::getOption`).
struct PoolOption {
  /// `InPlace`, `SplitBuffers` or `InsertBarriers`.
  AdviceKind kind;
  void (*set)(MergePlanOptions &options);
};

/// Return those that `options`, with which `plan` was made, do not have.
llvm::SmallVector<PoolOption> findPoolOptions(const MergePlan &plan,
                                              const MergePlanOptions &options);

/// Return the plan of `root` with `options`, without offsets from elsewhere,
/// that `set` has changed. Nobody has asked for it, and so it says nothing.
llvm::FailureOr<MergePlan>
planWith(mlir::Operation *root, MergePlanOptions options,
         llvm::function_ref<void(MergePlanOptions &)> set);

/// The plan of the same program with another option.
struct AlternativePlan {
  AdviceKind kind;
  MergePlan plan;
};

/// The most changes of one pool that are shown, and of the program.
inline constexpr size_t maxShownAdvice = 3;
inline constexpr size_t maxShownProgramAdvice = 8;

/// Set `PoolPlan::advice` of all pools of `plan`, which was made for `root`
/// with `options`: the best first, however many. Return the plans with each of
/// the other options that may make pools smaller; what cannot be planned is
/// left out, without an error.
llvm::SmallVector<AlternativePlan, 0>
addAdvice(mlir::Operation *root, MergePlan &plan,
          const MergePlanOptions &options);

/// Set `MergePlan::advice` of `plan`, which was made for `root` with `options`
/// and has the advice of its pools: the best first, however many.
/// `alternatives` are the plans that have been made already; no more than ten
/// are made, these included.
void addProgramAdvice(mlir::Operation *root, MergePlan &plan,
                      const MergePlanOptions &options,
                      llvm::ArrayRef<AlternativePlan> alternatives);

/// Add what changes of the program would make the pools of `plan` smaller,
/// which was made with `options`. Each change is tried, by scheduling the pool
/// with it.
void addBufferAdvice(MergePlan &plan, const MergePlanOptions &options);

/// Add `advice` to `pool`, which would need `bytes` then, if that is less than
/// what it needs.
void addIfSmaller(PoolPlan &pool, PoolAdvice advice, int64_t bytes);

/// Return the bytes of `pool`, or those that it would need if it exceeds its
/// capacity, or those of its buffers if a pool has no gain; nothing if there is
/// no pool for another reason.
std::optional<int64_t> getNeededBytes(const PoolPlan &pool);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_ADVICE_H
