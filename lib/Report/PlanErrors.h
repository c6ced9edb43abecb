//===- PlanErrors.h - Errors about what a plan lacks ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_PLANERRORS_H
#define BUFFER_MERGE_LIB_REPORT_PLANERRORS_H

#include "Planning/Advice.h"

namespace buffer_merge {
/// Emit an error for every pool of `plan` that exceeds its capacity, for every
/// scope that does together with others, and for every kernel that exceeds it
/// without a pool, and fail if there is one; with
/// `OverCapacityPolicy::Warn`, emit warnings instead and succeed. `policy` is
/// the one that the plan was made with. The diagnostic gives the alloc scope,
/// the needed bytes, the capacity and the lower bound. Notes list the buffers
/// that are alive at the peak, the largest first, or what several scopes hold;
/// the options with which it would fit (`PoolPlan::advice`, for several scopes
/// `alternatives`), then up to three changes of the program; for a kernel
/// without a pool, everything that takes bytes.
///
/// ```
///   error: pool needs 98304 bytes, its capacity is 65536 (the lower bound is
///   98304:
///          no scheduler can help)
///   note: alive at the peak, tick 7: 65536 bytes
/// ```
llvm::LogicalResult
emitCapacityErrors(const MergePlan &plan, OverCapacityPolicy policy,
                   llvm::ArrayRef<AlternativePlan> alternatives = {});

/// Emit an error with the reason for every allocation that stays in `plan`,
/// and, if `storage` is not `Alloc`, for every pool that is allocated all the
/// same. Fail if there is one. What is on the stack anyway is none, nor is
/// an attribution: it needs no heap.
///
/// ```
///   error: the allocation stays: returned, its function returns it
///   error: the pool of 'f' cannot be a global: the function is recursive
/// ```
llvm::LogicalResult emitLeftErrors(const MergePlan &plan, PoolStorage storage);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_PLANERRORS_H
