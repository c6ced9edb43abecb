//===- Exact.h - Branch and bound -------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_EXACT_H
#define BUFFER_MERGE_SCHEDULING_EXACT_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// Options of `solveExact`.
struct ExactOptions {
  /// Limit of steps. A step is a fixed amount of work, in the order of a
  /// microsecond; the count is the same on every machine.
  int64_t maxSteps = 1000000;
  /// A schedule to start from instead of a greedy one. It may exceed the
  /// capacity; it is ignored if it is not valid otherwise.
  std::optional<Schedule> incumbent;
  /// Bytes that the caller knows every pool to need.
  int64_t lowerBound = 0;
  /// Called from time to time; null: never.
  SearchCallback progress = nullptr;
};

/// What is known after a search.
enum class ExactStatus {
  /// The schedule has the smallest pool there is. Proved.
  Optimal,
  /// The schedule is valid, and no smaller than `lowerBound`.
  Feasible,
  /// No schedule fits the capacity, or fixed offsets exclude each other.
  /// Proved.
  Infeasible,
  /// The search was stopped before it found a schedule that fits the capacity
  /// or could prove that there is none.
  StepLimit,
};

/// The outcome of `solveExact`.
struct ExactResult {
  ExactStatus status = ExactStatus::StepLimit;
  /// The schedule: with `Optimal` and `Feasible` only.
  std::optional<Schedule> schedule;
  /// Bytes of the smallest schedule found, whether or not it fits; 0 if fixed
  /// offsets exclude each other.
  int64_t foundBytes = 0;
  /// Bytes that every pool needs. Proved; more than the capacity if
  /// `Infeasible` is due to it.
  int64_t lowerBound = 0;
  /// Steps done.
  int64_t steps = 0;
};

/// Search for a schedule of `problem`, which must be well formed.
///
/// - With a capacity: decide whether there is a schedule within it. The status
///   is `Feasible` (`Optimal` if the pool is as small as the lower bound),
///   `Infeasible` or `StepLimit`. The pool is not made smaller than asked for.
/// - Without: search for the smallest pool. The status is `Optimal`, `Feasible`
///   if the limit stopped the search, or `Infeasible` if fixed offsets exclude
///   each other.
///
/// Branch and bound in the manner of MiniMalloc [1] with stronger bounds, a
/// table of failed states, jumps and restarts; where it takes long, beams look
/// for a schedule. lib/Scheduling/Search has the details and the proofs:
/// CanonicalSearch.cpp, BranchAndBound.cpp, BeamSearch.h. Every schedule is
/// verified before it is returned. The result depends on the arguments alone
/// (`progress` aside), not on the machine or its load.
///
/// Components that no tick and no conflict connects are solved one by one. One
/// of more than 4096 buffers is only improved by better orders: it is `Optimal`
/// if its lower bound is met, and never proved `Infeasible` unless by that
/// bound.
///
/// Memory: O(n) for n buffers, and O(c^2) for the largest component of
/// c <= 4096 buffers that is searched; of up to 1024 buffers, about 16 c bytes
/// for each state of the widest beam as well.
///
/// [1] M. D. Moffitt, "MiniMalloc: A Lightweight Memory Allocator for
///     Hardware-Accelerated Machine Learning", ASPLOS 2023, vol. 4,
///     doi 10.1145/3623278.3624752.
ExactResult solveExact(const SchedulingProblem &problem,
                       const ExactOptions &options = {});

/// Return the limit of steps of the scheduler `exact` for an effort from 0 to
/// 9: none at 0, as many as there are buffers at 1 (at least 100, at most
/// 1000), and eight times as many at each level above: about 8 microseconds a
/// buffer at 2. A search costs little where there is little to search.
int64_t getExactStepLimit(unsigned effort, size_t numBuffers);

/// The same for an effort and a limit beside it.
int64_t getStepLimit(const SchedulerOptions &options, size_t numBuffers);
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_EXACT_H
