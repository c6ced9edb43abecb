//===- OrderedFit.h - Buffers placed in any order ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_ORDEREDFIT_H
#define BUFFER_MERGE_LIB_SCHEDULING_ORDEREDFIT_H

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
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_ORDEREDFIT_H
