//===- HotFirst.h - Online chunks by heat and size --------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULERS_HOTFIRST_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULERS_HOTFIRST_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// `hot-first`: allocate and free in the order of time, from chunks that are
/// split when they are too large, merged with free neighbours, and extended
/// when all are too small; prefer a chunk that was freed recently and whose
/// size is close.
///
/// - Source: the default cost model of the compile-time allocation merging RFC
///   for MLIR (llvm/llvm-project#95882). The code and the weights are our own.
/// - Objective: bytes that are still in a cache, then little waste.
/// - Guarantee: none on the pool; 1.2 to 1.7 times the lower bound in practice.
/// - Complexity: O(n log n): at most 16 chunks are compared by size and 16 by
///   heat.
/// - Failure: the pool does not fit the capacity.
///
/// A chunk that is extended moves all chunks above it up, those of the past
/// included, so that the pool grows by the missing bytes alone. Offsets are
/// known in the end only.
///
/// Mixed alignments, conflicts and fixed offsets are honoured by an adapter
/// that keeps the order of buffers from bottom to top and shifts them.
std::unique_ptr<Scheduler> createHotFirstScheduler();

/// `size-first`: `hot-first` without the heat; the chunk whose size is closest.
///
/// - Source: the other cost model of the same RFC.
/// - Objective: little waste in the chunk taken.
/// - Guarantee, complexity, failure: those of `hot-first`.
std::unique_ptr<Scheduler> createSizeFirstScheduler();
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULERS_HOTFIRST_H
