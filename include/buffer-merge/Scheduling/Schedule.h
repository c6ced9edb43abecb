//===- Schedule.h - What a scheduler returns --------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULE_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULE_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

namespace buffer_merge {
/// A place for every buffer of a problem in one pool.
struct Schedule {
  /// Byte offset of every buffer from the start of the pool, by `BufferId`.
  llvm::SmallVector<int64_t, 0> offsets;
  /// Bytes of the pool: at least the end of every buffer.
  int64_t poolSize = 0;
  /// The start of the pool must be a multiple of this many bytes, so that every
  /// buffer of it is aligned as its problem asks.
  int64_t poolAlignment = 1;
  /// Bytes that every pool of the problem needs, as far as the scheduler has
  /// proved it; 0 if it has not tried. The schedule is optimal if that is its
  /// pool size.
  int64_t provedBound = 0;
};

/// Return the schedule with the given offsets, its pool no larger and no more
/// aligned than the buffers of `problem` need.
Schedule makeSchedule(const SchedulingProblem &problem,
                      llvm::SmallVector<int64_t, 0> offsets);
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULE_H
