//===- GapFit.h - Buffers placed in gaps ------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_GAPFIT_H
#define BUFFER_MERGE_LIB_SCHEDULING_GAPFIT_H

#include "Placement.h"

namespace buffer_merge {
/// Place the buffers one after the other in the given order, which holds every
/// id once, each in a gap between the placed ones that it may not share bytes
/// with. Buffers with a fixed offset are placed before all others.
///
/// O(n log n + p log p) time for p pairs of buffers that overlap in time or are
/// in conflict.
llvm::SmallVector<int64_t, 0> fitInOrder(const SchedulingProblem &problem,
                                         llvm::ArrayRef<BufferId> order,
                                         GapChoice choice,
                                         int64_t limit = maxBytes);

/// Place the buffers in the order of their begin (of several, the largest
/// first), each in a gap between those that are alive with it.
///
/// Of the gaps of about the same size, up to a factor of two, the first 256
/// only are looked at: where all of those are just too small or fail for
/// alignment, a larger one may be taken although another would do.
///
/// A buffer keeps its bytes during the gaps of its lifetime, unless its offset
/// is fixed.
///
/// As soon as the pool has `limit` bytes, nothing is returned.
///
/// O(n log n) time; a buffer that is in conflict with another, or alive
/// together with one whose offset is fixed, costs as many steps as buffers are
/// alive.
llvm::SmallVector<int64_t, 0> fitOnline(const SchedulingProblem &problem,
                                        GapChoice choice,
                                        int64_t limit = maxBytes);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_GAPFIT_H
