//===- PeaksFirst.h - The peaks first, then what is between -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULERS_PEAKSFIRST_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULERS_PEAKSFIRST_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// `peaks-first`: the buffers that are alive at a peak, where nearly as many
/// bytes are alive as at the highest one, are scheduled first and alone; those
/// between the peaks, where there is room to spare, take the lowest free gap in
/// the order of their begin.
///
/// ```
///   bytes alive
///     ^      ___                 _
///     |.... /   \ ............. / \ .... threshold
///     |  __/     \__    ____   /   \__
///     +------------------------------------> tick
///          first                first
/// ```
///
/// - Source: our own; the phases of TelaMalloc (Maas et al., ASPLOS 2023) have
///   the same purpose.
/// - Objective: the lower bound on problems that are long in comparison with
///   their lifetimes, at little more than the cost of first-fit.
/// - Guarantee: none on the pool. The lower bound is usual for random lifetimes
///   with up to 20 buffers alive at once.
/// - Complexity: O(n log n) for first-fit, and that of the canonical schedulers
///   for the buffers of the peaks, a quarter of all at most.
/// - Failure: the pool does not fit the capacity.
///
/// The threshold is the lowest of 60, 70, 80, 90 and 95 % of the lower bound
/// that leaves no more than a quarter of the buffers to the peaks. The next
/// higher one is tried as well if the lower bound is not met. The parts of a
/// peak that do not touch each other each get the best of three canonical
/// orders.
std::unique_ptr<Scheduler> createPeaksFirstScheduler();
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULERS_PEAKSFIRST_H
