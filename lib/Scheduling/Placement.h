//===- Placement.h - Gaps between placed buffers ----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the schedulers share that decide one buffer after the other. Not part of
// the public interface.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_PLACEMENT_H
#define BUFFER_MERGE_LIB_SCHEDULING_PLACEMENT_H

#include "buffer-merge/Scheduling/Scheduler.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

namespace buffer_merge {
/// A half-open range of byte offsets.
struct ByteRange {
  int64_t begin;
  int64_t end;

  bool operator<(const ByteRange &other) const {
    return std::tie(begin, end) < std::tie(other.begin, other.end);
  }
};

/// Which of the gaps that are large enough a buffer goes to.
enum class GapChoice {
  /// The lowest.
  First,
  /// The smallest; of several, the lowest.
  Best,
};

/// Return the lowest multiple of `alignment` that is `value` or more.
inline int64_t alignUp(int64_t value, int64_t alignment) {
  // Divisions are most of what a scheduler would do otherwise.
  if (llvm::isPowerOf2_64(alignment))
    return (value + alignment - 1) & -alignment;
  return (value + alignment - 1) / alignment * alignment;
}

/// Return an offset for `buffer` outside of `occupied`, which is sorted. The
/// space above the last range is a gap that ends at `poolSize` or, where that
/// is too small, has no end.
int64_t findOffset(llvm::ArrayRef<ByteRange> occupied, const Buffer &buffer,
                   int64_t poolSize, GapChoice choice);

/// Return the buffers with a fixed offset.
llvm::SmallVector<BufferId, 0> collectFixed(const SchedulingProblem &problem);

/// For every buffer, those that it is in conflict with.
class ConflictLists {
public:
  explicit ConflictLists(const SchedulingProblem &problem)
      : ConflictLists(problem.buffers.size(), problem.conflicts) {}
  /// For `count` buffers with the given conflicts.
  ConflictLists(size_t count,
                llvm::ArrayRef<std::pair<BufferId, BufferId>> conflicts);

  llvm::ArrayRef<BufferId> of(BufferId id) const {
    if (begins.empty())
      return {};
    return llvm::ArrayRef(others).slice(begins[id],
                                        begins[id + 1] - begins[id]);
  }

private:
  llvm::SmallVector<BufferId, 0> others;
  /// Empty without conflicts.
  llvm::SmallVector<size_t, 0> begins;
};

/// Return the indices in the order of `offsets`. A schedule that was placed
/// from bottom to top (CanonicalFit.h) is what this ranking leads to.
llvm::SmallVector<BufferId, 0> orderByOffset(llvm::ArrayRef<int64_t> offsets);

/// Return the error of a scheduler whose pool does not fit the capacity, which
/// says nothing about other schedulers; `isOpen`: nor about more effort.
llvm::Error makeCapacityError(llvm::StringRef scheduler, int64_t poolSize,
                              int64_t capacity, bool isOpen = false);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_PLACEMENT_H
