//===- ImproveSchedule.h - Make a schedule smaller --------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_IMPROVESCHEDULE_H
#define BUFFER_MERGE_SCHEDULING_IMPROVESCHEDULE_H

#include "buffer-merge/Scheduling/Exact.h"

namespace buffer_merge {
/// Search for about `maxSteps` steps for a schedule of `problem` with a smaller
/// pool than that of `incumbent`. Return the smallest found, or `incumbent`.
///
/// The pool is made as small as possible, whether there is a capacity or not.
/// `lowerBound` is a number of bytes that every pool is known to need (0 will
/// do); at that many the search stops. Nothing but a comparison happens if the
/// incumbent is there already or `maxSteps` is 0.
///
/// The component with the highest part of the pool is searched first, until
/// another one is the highest: those of up to a few hundred buffers by branch
/// and bound at shrinking capacities, larger ones by taking out the buffers
/// around one that is too high and putting them back, again by branch and
/// bound, and by placing all of them in other orders. O(n log n) for n buffers,
/// besides the steps.
///
/// `incumbent` must be valid except that it may exceed the capacity. The result
/// depends on the arguments alone, `progress` aside.
Schedule improveSchedule(const SchedulingProblem &problem, Schedule incumbent,
                         int64_t lowerBound, int64_t maxSteps,
                         SearchCallback progress = nullptr);
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_IMPROVESCHEDULE_H
