//===- ReuseAsNeeded.h - Sharing bytes where it costs least -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_REUSEASNEEDED_H
#define BUFFER_MERGE_SCHEDULING_REUSEASNEEDED_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// What it costs that two buffers share bytes: the later one cannot be written
/// before the earlier one was read for the last time.
struct ReusePenalty {
  BufferId first = 0;
  BufferId second = 0;
  /// 1 or more, in any unit.
  int64_t penalty = 1;

  bool operator==(const ReusePenalty &other) const {
    return first == other.first && second == other.second &&
           penalty == other.penalty;
  }
};

/// A problem in which bytes are given to several buffers only as needed: of all
/// schedules within the capacity, one with the least sum of penalties of the
/// pairs that share bytes is sought. Its size does not matter.
struct ReuseProblem {
  SchedulingProblem problem;
  /// Pairs of different buffers, each listed once. Others may share bytes for
  /// nothing. The sum of penalties is at most `maxBytes`.
  llvm::SmallVector<ReusePenalty, 0> penalties;
};

/// Return success if `problem` is well formed: `checkProblem` of its buffers,
/// and penalties as their declarations ask.
llvm::Error checkReuseProblem(const ReuseProblem &problem);

/// Return the penalty of a pair of which the later buffer begins `idleTicks`
/// ticks after the earlier one has ended: 1000 if that is at once, half of it a
/// tick later, a third two ticks later; 1 at least. What was idle for long has
/// been read when it is needed again.
int64_t getReusePenalty(int64_t idleTicks);

/// Return the penalties of all pairs of buffers whose lifetimes, apart from
/// gaps, are disjoint, except for those that `waitsAnyway(earlier, later)`
/// exempts: those whose later buffer depends on all uses of the earlier one,
/// wherever it is. Idle ticks count as the lifetimes do. Of more than 65536
/// such pairs, those that are idle for the shortest time are listed, the first
/// of several. Sorted by buffers. O(n^2) time.
llvm::SmallVector<ReusePenalty, 0> computeReusePenalties(
    const SchedulingProblem &problem,
    llvm::function_ref<bool(BufferId earlier, BufferId later)> waitsAnyway =
        nullptr);

/// The pairs with a penalty that share bytes in a schedule.
struct ReuseCost {
  int64_t numPairs = 0;
  /// The sum of their penalties.
  int64_t penalty = 0;

  bool operator==(const ReuseCost &other) const {
    return numPairs == other.numPairs && penalty == other.penalty;
  }
};

/// Return the cost of `schedule`, which is valid for `problem`. Linear time in
/// the number of penalties.
ReuseCost computeReuseCost(const ReuseProblem &problem,
                           const Schedule &schedule);

/// The outcome of `scheduleReuse`.
struct ReuseSchedule {
  Schedule schedule;
  ReuseCost cost;
  /// No schedule within the capacity has a smaller penalty. Proved.
  bool isOptimal = false;
};

/// Find a schedule of `problem` with a small penalty, within its capacity;
/// without a capacity, no two buffers of a pair share a byte.
///
/// 1. Up to 24 buffers without in-place pairs, all pairs as conflicts: if that
///    fits, the penalty is 0.
/// 2. The schedule that `scheduler` finds with `options` for the problem
///    without penalties, and one that places the buffers in the order of time,
///    each where the penalty is least, as an allocator does that takes the
///    bytes that are idle for the longest time. In both, buffers are moved to
///    where they cost less, one after the other, as long as that helps. Up to
///    4096 buffers.
/// 3. Up to 24 buffers as in 1, branch and bound over the pairs
///    that share bytes, the worst first: either they are in conflict from now
///    on, and `solveExact` schedules the buffers anew, or their penalty is
///    paid. The first dive is the greedy choice; a search that ends is a proof.
///    Of more buffers, up to 4096, those that cost most are taken out together
///    with what is around them, and placed again in another order. The effort
///    limits the steps of both.
///
/// Every schedule is verified. An error is one of `checkReuseProblem` or of the
/// scheduler for the problem without penalties: a `CapacityError` if nothing
/// fits. The result depends on the arguments alone.
llvm::Expected<ReuseSchedule>
scheduleReuse(const ReuseProblem &problem, const Scheduler &scheduler,
              const SchedulerOptions &options = {});
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_REUSEASNEEDED_H
