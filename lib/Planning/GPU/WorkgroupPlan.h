//===- WorkgroupPlan.h - Plans for workgroup memory -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_WORKGROUPPLAN_H
#define BUFFER_MERGE_LIB_PLANNING_WORKGROUPPLAN_H

#include "KernelMemory.h"
#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Set where `pool` shall be: where it is `wanted`, else in static memory in
/// place of dynamic memory, with a note. Decide against it with the reason
/// `DynamicMemory`, with a message, if it cannot be there either.
void chooseWorkgroupPool(PoolPlan &pool, PoolStorage wanted,
                         KernelMemory &memory);

/// Let `pool` be at `WorkgroupPlan::otherStorage`, which there must be, because
/// of `obstacle`.
void useOtherStorage(PoolPlan &pool, llvm::StringRef obstacle);

/// Return those of `buffers`, refused ones, that become parts of a pool in
/// dynamic memory which share no bytes: in each of their kernels the options
/// ask for such a pool, and it is possible.
llvm::DenseSet<const BufferLifetime *>
findUnsharedParts(llvm::ArrayRef<const BufferLifetime *> buffers,
                  const BufferLifetimes &lifetimes,
                  const MergePlanOptions &options, KernelMemory &memory);

/// Return the alignment of `buffer` in workgroup memory of its own.
int64_t getOwnAlignment(const BufferLifetime &buffer,
                        const MergePlanOptions &options);

/// Set `plan.ownAttributions`, once its pools are scheduled.
void findOwnAttributions(MergePlan &plan, const MergePlanOptions &options,
                         KernelMemory &memory);

/// Return true if `schedule` is no larger than dynamic memory can be.
bool fitsDynamicMemory(const Schedule &schedule);

/// Find the pairs of buffers of `pool`, whose problem has their intervals, that
/// its threads do not allow to share bytes. Add those to its problem that no
/// barrier which `options` allow could separate.
void addSyncConflicts(PoolPlan &pool, const MergePlanOptions &options);

/// Schedule `pool` by `run`. If `options` allow it and it makes the pool
/// smaller by what they ask for, choose barriers to be inserted: as few as a
/// greedy choice needs, proved to be enough for the bytes that are shared.
llvm::Expected<Schedule> scheduleWorkgroupPool(
    PoolPlan &pool, const MergePlanOptions &options,
    llvm::function_ref<llvm::Expected<Schedule>(const SchedulingProblem &)>
        run);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_WORKGROUPPLAN_H
