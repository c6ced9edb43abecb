//===- BufferOrder.h - Orders in which buffers are placed -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_BUFFERORDER_H
#define BUFFER_MERGE_LIB_SCHEDULING_BUFFERORDER_H

#include "Sections.h"

namespace buffer_merge {
/// A number by which buffers are ordered, the largest first.
enum class OrderKey : uint8_t {
  /// Bytes.
  Size,
  /// Ticks from begin to end.
  Duration,
  /// Bytes times ticks.
  Area,
  /// The largest number of bytes alive at a tick of the lifetime.
  Contention,
  /// How many buffers may not share bytes with it.
  Conflicts,
};

/// Return how many pairs of buffers overlap in time. O(n log n) time.
uint64_t countOverlaps(const SchedulingProblem &problem);

/// Return all buffers ordered by the first key, those with the same one by the
/// second key and so on (at most three keys), and in the end by their position
/// in the problem. O(n log n) time.
llvm::SmallVector<BufferId, 0> orderBuffers(const SchedulingProblem &problem,
                                            const Sections &sections,
                                            llvm::ArrayRef<OrderKey> keys);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_BUFFERORDER_H
