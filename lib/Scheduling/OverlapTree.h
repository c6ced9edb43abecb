//===- OverlapTree.h - Placed buffers by lifetime ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_OVERLAPTREE_H
#define BUFFER_MERGE_LIB_SCHEDULING_OVERLAPTREE_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace buffer_merge {
/// A set of buffers that finds those which overlap another in time. All that
/// may ever be inserted are known at the start, so that the tree is an array:
/// the buffers in the order of their begin are its leaves, and each node holds
/// the latest end of what was inserted below it.
class OverlapTree {
public:
  /// Create an empty set that buffers of `candidates` can be inserted into.
  /// O(c log c) time for c candidates.
  OverlapTree(llvm::ArrayRef<Buffer> buffers,
              llvm::ArrayRef<BufferId> candidates);

  /// Insert the candidate `id`. O(log c) time.
  void insert(BufferId id);

  /// Call `visit` on each inserted buffer that overlaps `buffer` in time, in
  /// the order of their begin. O((k + 1) log c) time for k buffers of which
  /// [begin, end) overlaps that of `buffer`.
  void forEachOverlap(const Buffer &buffer,
                      llvm::function_ref<void(BufferId)> visit) const;

  bool empty() const { return leaves.empty(); }

private:
  llvm::ArrayRef<Buffer> buffers;
  /// The candidates in the order of their begin.
  llvm::SmallVector<BufferId, 0> leaves;
  /// Node i has the children 2i and 2i + 1, leaf i is node width + i;
  /// `width` is the number of leaves, rounded up to a power of two.
  llvm::SmallVector<int64_t, 0> latestEnds;
  unsigned width = 1;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_OVERLAPTREE_H
