//===- Greedy.h - Buffers in the order of a key -----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULERS_GREEDY_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULERS_GREEDY_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// The greedy schedulers: buffers in a fixed order, each in a gap between the
/// placed ones that are alive with it. They differ in the order (largest first)
/// and in the gap: the smallest (best) or the lowest (first).
///
/// | name | order | gap | source |
/// | --- | --- | --- | --- |
/// | `greedy-by-size` | size | best | [1], TFLite's arena |
/// | `greedy-by-size-and-duration` | size, duration | best | [2], spatial |
/// | `greedy-by-duration` | duration, size | best | [2], temporal |
/// | `greedy-by-area` | size times duration | first | folklore |
/// | `greedy-by-conflicts` | number of conflicts, size | first | [3] |
/// | `greedy-by-contention` | most bytes alive, duration, size | first | [4] |
///
/// [1] Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
///     Inference", arXiv 2001.03288.
/// [2] XLA, GlobalDecreasingSizeBestFitHeap.
/// [3] TVM, Unified Static Memory Planner, greedy_by_conflicts.
/// [4] The phase with the highest contention first, as TelaMalloc does (Maas et
///     al., ASPLOS 2023), without its search.
///
/// - Objective: what is hard to place comes first.
/// - Guarantee: none on the pool. On network-like problems the lower bound is
///   usual; 1.3 to 2 times the lower bound on MiniMalloc's instances.
/// - Complexity: O(n log n + p log p) for p pairs of buffers that overlap in
///   time or are in conflict.
/// - Failure: the pool does not fit the capacity.
llvm::SmallVector<std::unique_ptr<Scheduler>> createGreedySchedulers();
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULERS_GREEDY_H
