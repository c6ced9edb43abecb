//===- AssignRegions.h - Which buffer is in which memory --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_ASSIGNREGIONS_H
#define BUFFER_MERGE_SCHEDULING_ASSIGNREGIONS_H

#include "buffer-merge/Scheduling/RegionProblem.h"
#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// Find a region and an offset for each buffer of `problem` such that as few
/// buffers as possible are in no region and then the sum of costs is small.
/// `scheduler` finds the offsets, with `options`, of which the effort decides
/// how much is searched.
///
/// 1. Greedily: the buffers one after the other, each into the cheapest region
///    that has room for it during all of its lifetime; by decreasing savings
///    for each byte, for each byte and tick, and by decreasing size, the order
///    of ExecuTorch's planner for several memories [1].
/// 2. A sweep over the ticks with the best choices for the buffers that are
///    alive: all of them, if that are not too many, so that no other choice
///    costs less; else those that cost least so far.
/// 3. What 1 and 2 take for possible ignores where the free bytes are. So each
///    choice is scheduled. What does not fit a region goes to the next one, and
///    what fits between the others comes back.
/// 4. Branch and bound over the regions of up to 12 buffers, with `solveExact`
///    for the offsets, unless 2 and 3 prove that the choice is optimal.
///
/// The cheapest result is returned, verified: it never costs more than those of
/// 1. An error is one of `checkRegionProblem`, or of the scheduler. The result
/// depends on the arguments alone.
///
/// O(n^2) time for n buffers, besides the scheduler, with an effort of 2.
///
/// [1] github.com/pytorch/executorch, exir/memory_planning.py.
llvm::Expected<RegionAssignment>
assignRegions(const RegionProblem &problem, const Scheduler &scheduler,
              const SchedulerOptions &options = {});
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_ASSIGNREGIONS_H
