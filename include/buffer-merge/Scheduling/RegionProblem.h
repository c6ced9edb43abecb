//===- RegionProblem.h - Buffers and several memories -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_REGIONPROBLEM_H
#define BUFFER_MERGE_SCHEDULING_REGIONPROBLEM_H

#include "buffer-merge/Scheduling/Scheduler.h"
#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include <string>

namespace buffer_merge {
/// A memory that buffers may be placed in: one pool.
struct MemoryRegion {
  /// The most bytes that its pool may take, 0 or more; nothing for no limit.
  std::optional<int64_t> capacity = std::nullopt;
  /// Offsets are multiples of this, from 1 to `maxBytes`, besides what each
  /// buffer asks for.
  int64_t alignment = 1;
  /// Each buffer takes a multiple of this many bytes, from 1 to `maxBytes`.
  int64_t granule = 1;
};

/// What it costs to have a buffer in each region, such as the bytes that its
/// accesses move times what one costs there; nothing where it must not be.
using RegionCosts = llvm::SmallVector<std::optional<int64_t>, 2>;

/// Buffers with lifetimes, and several regions with a pool each: a region and
/// an offset are sought for every buffer such that the sum of costs is least.
struct RegionProblem {
  /// The buffers, and what two of them may not do if they are in one region;
  /// those of one place are in one region. Without a capacity. A fixed offset
  /// is one in each region that the costs allow.
  SchedulingProblem buffers;
  llvm::SmallVector<MemoryRegion, 0> regions;
  /// For each buffer one entry for each region, 0 or more.
  llvm::SmallVector<RegionCosts, 0> costs;
};

/// Return success if `problem` is well formed: `checkProblem` of its buffers
/// with the alignments and granules of each region, numbers as their
/// declarations ask, and a sum of the largest cost of each of n buffers of at
/// most `maxBytes` / (n + 1).
llvm::Error checkRegionProblem(const RegionProblem &problem);

/// A region for each buffer, and a schedule for each region.
struct RegionAssignment {
  /// By `BufferId`: an index of `RegionProblem::regions`, or nothing if the
  /// buffer is in none.
  llvm::SmallVector<std::optional<unsigned>, 0> regions;
  /// By region. Its offsets are those of `getBuffersIn`, in this order.
  llvm::SmallVector<Schedule, 0> schedules;
  /// The buffers that are in no region.
  unsigned numOutside = 0;
  /// The sum of the costs of the others.
  int64_t cost = 0;
  /// No assignment has fewer buffers outside, or as few and less cost. Proved.
  bool isOptimal = false;

  /// Return the buffers in `region`, in ascending order.
  llvm::SmallVector<BufferId, 0> getBuffersIn(unsigned region) const;
};

/// Return the problem of `ids`, which are ascending, in `region`: with its
/// capacity (1 if that is 0), its alignment and its granule, and the conflicts,
/// in-place pairs and same places of which both buffers are there. The
/// `BufferId` of each is its index in `ids`.
SchedulingProblem makeProblemOfRegion(const RegionProblem &problem,
                                      unsigned region,
                                      llvm::ArrayRef<BufferId> ids);

/// Check `assignment` against `problem`, which must be well formed: regions
/// that the costs allow, a valid schedule within the capacity for each region
/// (`findScheduleViolation`), and sums that are right. Return what is wrong in
/// words, or nothing. Shares no code with `assignRegions`.
std::optional<std::string>
findAssignmentViolation(const RegionProblem &problem,
                        const RegionAssignment &assignment);

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

#endif // BUFFER_MERGE_SCHEDULING_REGIONPROBLEM_H
