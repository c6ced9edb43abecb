//===- Pools that do not fit ------------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_CAPACITYERRORS_H
#define BUFFER_MERGE_LIB_REPORT_CAPACITYERRORS_H

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
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_CAPACITYERRORS_H
