//===- OffsetCosts.h - What each offset of a buffer costs -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_OFFSETCOSTS_H
#define BUFFER_MERGE_LIB_SCHEDULING_OFFSETCOSTS_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/BitVector.h"

namespace buffer_merge {
/// What it costs a buffer to be at each offset, while the others stay where
/// they are.
class OffsetCosts {
public:
  /// For a buffer of a pool of `capacity` bytes.
  OffsetCosts(const Buffer &buffer, int64_t capacity)
      : buffer(buffer), capacity(capacity), candidates({0}) {}

  /// The buffer must not have any of the bytes begin, ..., end - 1.
  void forbid(int64_t begin, int64_t end);

  /// It costs `cost` to have some of these bytes.
  void charge(int64_t begin, int64_t end, int64_t cost);

  /// Visit `offset` as well, 0 or more, or the next offset that is aligned.
  void propose(int64_t offset);

  /// Call `visit(offset, cost)` for offsets that are possible, in ascending
  /// order: 0, the ends of the ranges, and those proposed, each aligned. For
  /// every possible offset there is one among them that is no higher and costs
  /// no more. O(n log n) time for n ranges.
  void forEachCandidate(
      llvm::function_ref<void(int64_t offset, int64_t cost)> visit);

private:
  /// From `offset` on, the cost and the number of forbidden ranges are others.
  struct Step {
    int64_t offset, cost;
    int forbidden;
  };

  void add(int64_t begin, int64_t end, int64_t cost, int forbidden);

  const Buffer &buffer;
  int64_t capacity;
  llvm::SmallVector<Step, 0> steps;
  llvm::SmallVector<int64_t, 0> candidates;
};

/// Which buffers of a problem may be moved in a schedule, one at a time: those
/// without a fixed offset that are in no in-place pair.
llvm::BitVector findMovable(const SchedulingProblem &problem);

/// A place for a buffer, and what it costs there.
struct CostedPlace {
  int64_t offset, cost;
};

/// Move the `movable` buffers, of which the costs are not 0, one after the
/// other to the places that are found for them, where they cost less, as long
/// as that helps, in a few passes.
void moveToCheaperPlaces(
    const llvm::BitVector &movable, llvm::MutableArrayRef<int64_t> offsets,
    llvm::function_ref<int64_t(BufferId)> getCost,
    llvm::function_ref<std::optional<CostedPlace>(BufferId)> findPlace);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_OFFSETCOSTS_H
