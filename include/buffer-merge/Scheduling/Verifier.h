//===- Verifier.h - Independent check of a schedule -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_VERIFIER_H
#define BUFFER_MERGE_SCHEDULING_VERIFIER_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace buffer_merge {
/// The rule of a valid schedule that is broken.
enum class ScheduleRule {
  /// One offset for every buffer.
  Count,
  /// An offset is 0 or more.
  NegativeOffset,
  /// An offset is a multiple of its buffer's alignment.
  Alignment,
  /// The alignment of the pool is a multiple of every buffer's alignment.
  PoolAlignment,
  /// A buffer ends within the pool.
  PoolSize,
  /// The pool is not larger than the capacity.
  Capacity,
  /// A buffer with a fixed offset is placed there.
  FixedOffset,
  /// Two buffers that are alive at one tick do not share bytes, unless they are
  /// an in-place pair, alive together at that tick alone, whose condition
  /// holds.
  Overlap,
  /// Two buffers in conflict do not share bytes.
  Conflict,
  /// Two buffers of one place have the same offset.
  SamePlace,
};

/// Return the name of `rule` as diagnostics print it, such as `overlap`.
llvm::StringRef getScheduleRuleName(ScheduleRule rule);

/// A rule that a schedule breaks, and where.
struct ScheduleViolation {
  ScheduleRule rule;
  /// The buffers concerned: none, one (`first`) or two.
  std::optional<BufferId> first, second;

  /// Return the violation in words, such as
  /// `overlap: buffers 3 and 7 share bytes at one tick`. With `names`, one a
  /// buffer, the buffers are called by them instead of their indices.
  std::string str(llvm::ArrayRef<std::string> names = {}) const;
};

/// Check `schedule` against `problem`, which must be well formed. Return the
/// violation found first, or nothing if the schedule is valid.
///
/// This function shares no code with any scheduler. It sweeps over the ticks
/// with the live buffers ordered by offset: O((n + c) log n) time for n buffers
/// and gaps and c conflicts and in-place pairs, O(n + c) memory.
std::optional<ScheduleViolation>
findScheduleViolation(const SchedulingProblem &problem,
                      const Schedule &schedule);

/// Return an error with the violation in words if `schedule` is not valid for
/// `problem`.
llvm::Error verifySchedule(const SchedulingProblem &problem,
                           const Schedule &schedule);
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_VERIFIER_H
