//===- PoolPlaces.h - Other places for buffers of a pool --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_POOLPLACES_H
#define BUFFER_MERGE_LIB_PLANNING_POOLPLACES_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Let the buffers of `pool`, which is made, share bytes only as needed for it
/// to be no larger than `limit` bytes, which it is not; set `PoolPlan::reuse`.
/// Nothing happens if an offset is fixed.
void shareAsNeeded(PoolPlan &pool, int64_t limit,
                   const MergePlanOptions &options);

/// The same for the pools of `plan` in memories with a capacity that only it
/// limits: not those in regions, in workgroup memory or other device code, in
/// arenas, globals and arguments. Where the program would then exceed the
/// capacity (R6 capacity), one after the other takes what the others leave: up
/// to 32 of them, those first whose penalty is largest. One that is left
/// nothing has a note.
void shareAsNeededWithinCapacities(MergePlan &plan,
                                   const MergePlanOptions &options);

/// Spread the buffers of `pool`, in a region with banks, over the banks as far
/// as it does not become larger and no pair with a penalty shares more bytes;
/// set `PoolPlan::banks`. Buffers with a fixed offset stay.
void chooseBanks(PoolPlan &pool, const MergePlanOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_POOLPLACES_H
