//===- PoolChoice.h - Buffers for a pool that raises no peak ----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_POOLCHOICE_H
#define BUFFER_MERGE_LIB_PLANNING_POOLCHOICE_H

#include "HeapTimeline.h"
#include "buffer-merge/Scheduling/SchedulingProblem.h"

namespace buffer_merge {
/// Buffers that are merged together or not at all: most often one.
struct PoolCandidate {
  /// Their sizes and lifetimes.
  llvm::SmallVector<Buffer, 1> buffers;
  /// How they are held.
  struct Hold {
    /// What they hold without the pool: items of the timeline.
    llvm::SmallVector<HeldItem, 1> items;
    /// A pool with them is held from tick `begin` until before tick `end`, or
    /// longer.
    int64_t begin, end;
  };
  /// For each timeline.
  llvm::SmallVector<Hold, 2> holds;
  /// A pool without them is not asked for.
  bool isKept = false;
};

/// Return the indices, sorted, of candidates for one pool that does not raise
/// the peak of any of `timelines` if it takes `percent` percent of its lower
/// bound, 100 or more; empty if none with `leastBuffers` buffers are found.
/// More buffers are better, then more bytes.
///
/// This is a heuristic: a set that is found never raises the peak, but there
/// may be a better one. As long as a pool of all candidates would raise it,
/// those that make the pool large are left out; and if it is in the way at one
/// tick, those before and those after that tick are tried as well.
llvm::SmallVector<size_t, 0>
choosePool(llvm::ArrayRef<const HeapTimeline *> timelines,
           llvm::ArrayRef<PoolCandidate> candidates, int64_t percent,
           int64_t leastBuffers = 2);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_POOLCHOICE_H
