//===- RegionSchedules.h - Offsets for a choice of regions ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_REGIONS_REGIONSCHEDULES_H
#define BUFFER_MERGE_LIB_SCHEDULING_REGIONS_REGIONSCHEDULES_H

#include "RegionChoice.h"
#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// Schedule `choice`: what does not fit a region goes to its next option that
/// is not scheduled yet or has room between the others, and what then fits
/// between the others of a cheaper region goes there. An error is one of the
/// scheduler that is not about capacities.
llvm::Expected<RegionAssignment>
scheduleChoice(const RegionChoices &choices, RegionChoice choice,
               const Scheduler &scheduler, const SchedulerOptions &options);

/// Search all choices for one that costs less than `best`, by branch and bound,
/// and set `best` to the cheapest. It is marked as optimal if nothing was left
/// out: at most `maxSteps` schedules are looked for, and no problem with gaps,
/// in-place pairs or more than 12 buffers is searched.
void searchChoices(const RegionChoices &choices, int64_t maxSteps,
                   RegionAssignment &best);

/// Add the schedule of each region to `assignment`, which has the regions, with
/// `offsets` by `BufferId`.
void addSchedules(const RegionProblem &problem, llvm::ArrayRef<int64_t> offsets,
                  RegionAssignment &assignment);

/// Return the assignment with the regions of `choice` and `offsets`, by
/// `BufferId`.
RegionAssignment makeAssignment(const RegionChoices &choices,
                                const RegionChoice &choice,
                                llvm::ArrayRef<int64_t> offsets);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_REGIONS_REGIONSCHEDULES_H
