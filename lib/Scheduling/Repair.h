//===- Repair.h - A schedule made lower where it is high --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_REPAIR_H
#define BUFFER_MERGE_LIB_SCHEDULING_REPAIR_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace buffer_merge {
/// Schedules the buffers of a core alone, as if there were no others, and adds
/// the work that this took to `work`, in buffers placed.
using CoreScheduler = llvm::function_ref<llvm::SmallVector<int64_t, 0>(
    const SchedulingProblem &core, int64_t &work)>;

/// Lower `offsets`, a schedule of `problem`, which has neither conflicts nor
/// fixed offsets nor gaps, where it is higher than `target`.
///
/// The pool of a long problem is decided in a few places. There the *core*, the
/// buffers that are alive when nearly as many bytes as `target` are, is
/// scheduled alone, and is so small that this is done well. Then the buffers
/// that overlap the core in time go around it, and around those that they
/// overlap in turn, which stay where they are.
///
/// ```
///   bytes alive   . . _._ . . . target      c  core
///              __ . _| : |_ . . nine in ten r  goes around it
///             |  |_|rr : rrr|__             o  stays
///           ooo rrrr ccccc rrr ooo
/// ```
///
/// The highest place comes first. It ends when that cannot be made lower, or
/// after about `maxWork` buffers were placed. O(n log n) time besides, O(n)
/// memory. Return the work that it took.
int64_t repairHighPlaces(const SchedulingProblem &problem,
                         llvm::MutableArrayRef<int64_t> offsets, int64_t target,
                         int64_t maxWork, CoreScheduler scheduleCore);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_REPAIR_H
