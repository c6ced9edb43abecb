//===- PoolDecision.h - Whether a pool is worth having ----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_POOLDECISION_H
#define BUFFER_MERGE_LIB_PLANNING_POOLDECISION_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Complete `pool` before it is scheduled: its sums and bounds, its capacity,
/// and the conflicts of its threads. Decide against it if that is clear
/// already.
void preparePool(PoolPlan &pool, const MergePlanOptions &options);

/// Schedule `pool`, which is prepared, and decide whether it is worth having.
/// Nothing happens if it is decided against already.
void schedulePool(PoolPlan &pool, const MergePlanOptions &options);

/// Return the problem of `pool` with each buffer aligned to no more than the
/// largest power of two that divides its size, or 16 bytes if it is not
/// smaller, and to no less than it needs (R1 pool).
SchedulingProblem alignLess(const PoolPlan &pool);

/// Return a schedule of `pool` in which each buffer is aligned only as much as
/// it needs, and change its problem accordingly; nothing if the scheduler finds
/// none. It takes no more bytes than the buffers without a pool, unless
/// accesses rely on more alignment than the allocations ask for.
std::optional<Schedule> scheduleByOwnAlignment(PoolPlan &pool,
                                               const MergePlanOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_POOLDECISION_H
