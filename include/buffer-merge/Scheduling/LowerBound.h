//===- LowerBound.h - What no schedule can beat -----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_LOWERBOUND_H
#define BUFFER_MERGE_SCHEDULING_LOWERBOUND_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

namespace buffer_merge {
/// The lower bound of a problem and the tick that it comes from.
struct LowerBound {
  /// The largest sum of sizes alive at one tick, or the end of the highest
  /// fixed offset if that is more: no pool is smaller. 0 without buffers.
  int64_t bytes = 0;
  /// The first tick at which `bytes` bytes are alive: the peak.
  int64_t peakTick = 0;
};

/// Compute the lower bound of `problem`, which must be well formed. Alignment
/// and conflicts are not taken into account. At the tick that the buffers of
/// in-place pairs meet at, the bytes of the earlier ones count or those of the
/// later ones, whichever are more: `bytes` may be less than the sum of sizes
/// alive at `peakTick`. O(n log n) time.
LowerBound computeLowerBound(const SchedulingProblem &problem);

/// Return a bound that is at least as high and takes alignment and conflicts
/// into account: if all offsets are multiples of some number of bytes, so is
/// the room of every buffer but the topmost; and buffers that are pairwise
/// alive at the same time or in conflict, a clique, need as much as if one tick
/// had them all. Cliques are looked for greedily, in a bounded number of steps.
/// Up to 64 buffers with fixed offsets, each other buffer needs a place that is
/// large enough between those alive with it, or above.
/// A schedule that meets the bound is optimal. O(n log n) time.
int64_t computeProvedBound(const SchedulingProblem &problem);

/// Return the sum of the sizes of all buffers: what they take without a pool.
int64_t computeTotalBytes(const SchedulingProblem &problem);
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_LOWERBOUND_H
