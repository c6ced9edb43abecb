//===- InPlace.h - Scheduling with in-place pairs ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_INPLACE_H
#define BUFFER_MERGE_LIB_SCHEDULING_INPLACE_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// Which same-offset pairs become one unit.
enum class InPlaceChoice {
  /// Those that a small pool needs.
  Needed,
  /// All of them.
  All,
};

/// A problem without in-place pairs, of which every schedule is one of a
/// problem with them.
struct InPlaceReduction {
  SchedulingProblem problem;
  /// The buffer of `problem` that stands for each original one.
  llvm::SmallVector<BufferId, 0> unitOf;
};

/// Reduce `problem`, which must be well formed.
///
/// Chains of same-offset pairs become units: as long as the chain, as large as
/// its largest buffer and as aligned as all of them ask. A chain is cut where
/// fixed offsets forbid it.
///
/// Ticks are ranked and doubled, and pairs that need no common offset meet in
/// the middle of theirs; buffers that meet there without being a pair are in
/// conflict.
///
/// ```
///   a [0, 2)  b [1, 3)  a -> b, same offset:  one unit [0, 6)
///   a [0, 2)  b [1, 3)  a -> b, any offset:   a [0, 3)  b [3, 6)
/// ```
///
/// O((n + c) log n) time for n buffers and c conflicts and pairs.
InPlaceReduction reduceInPlace(const SchedulingProblem &problem,
                               InPlaceChoice choice);

/// Return the smallest schedule that `scheduler` finds for the reductions of
/// `problem` and for it without its pairs. The first of several; no more are
/// tried once the lower bound is met. Fails if the scheduler fails for all.
llvm::Expected<Schedule> scheduleInPlace(const Scheduler &scheduler,
                                         const SchedulingProblem &problem,
                                         const SchedulerOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_INPLACE_H
