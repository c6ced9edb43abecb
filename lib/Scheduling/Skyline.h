//===- Skyline.h - Buffers on top of each other -----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SKYLINE_H
#define BUFFER_MERGE_LIB_SCHEDULING_SKYLINE_H

#include "OverlapTree.h"
#include "Placement.h"
#include "Sections.h"

namespace buffer_merge {
/// The top of what was placed in each section. Both functions take ranges that
/// are not empty, and O(log m) time for m sections.
class SectionTops {
public:
  explicit SectionTops(unsigned numSections);

  /// Return the highest top of the sections [begin, end).
  int64_t getHighest(unsigned begin, unsigned end) const;

  /// Raise those of the sections [begin, end) that are lower to `top`.
  void raise(unsigned begin, unsigned end, int64_t top);

private:
  /// A segment tree over the sections, which are its leaves from node `width`
  /// on; the children of node i are 2i and 2i + 1. `tops` is the largest top
  /// below a node, `marks` a top that all sections below it have reached. Tops
  /// only grow, so that marks are never pushed down.
  size_t width;
  llvm::SmallVector<int64_t, 0> tops, marks;
};
/// What a pool looks like from above: a buffer that is put goes on top of all
/// that was put before it and is alive with it. Space below is not used again.
///
/// ```
///   offset
///     ^   +---+            The next buffer that is alive in the first and the
///     |   | b |   +----+   second section goes on top of b, although there is
///     | +-+---++  | c  |   room on top of a.
///     | |  a   |  |    |
///     +-+------+--+----+--> section
/// ```
///
/// Alignment, conflicts and fixed offsets are honoured: buffers with a fixed
/// offset are obstacles from the start and are never put.
class Skyline {
public:
  /// The arguments must outlive the skyline. O(n log n) time.
  Skyline(const SchedulingProblem &problem, const Sections &sections,
          const ConflictLists &conflicts);

  /// Return the lowest offset at which `id` can be put. It never decreases.
  /// O(log n) time, without obstacles.
  int64_t getOffset(BufferId id) const;

  /// Put `id` at `offset`, which is `getOffset(id)` or more and free of
  /// obstacles. O(log n) time, and as many steps as `id` has conflicts.
  void put(BufferId id, int64_t offset);

private:
  /// Return the lowest aligned offset at or above `offset` at which `id`
  /// overlaps no buffer with a fixed offset.
  int64_t avoidObstacles(BufferId id, int64_t offset) const;

  const SchedulingProblem &problem;
  const Sections &sections;
  const ConflictLists &conflicts;
  SectionTops tops;
  /// The top of what is in conflict with a buffer. Empty without conflicts.
  llvm::SmallVector<int64_t, 0> conflictTops;
  OverlapTree obstacles;
};

/// Turn offsets that may be wrong into a schedule that honours everything:
/// buffers keep their order from bottom to top, and each sinks or rises to the
/// top of those below it. Where the offsets were right, no buffer rises.
/// Schedulers that know nothing of alignment, conflicts and fixed offsets are
/// made right by it. O(n log n) time without fixed offsets.
llvm::SmallVector<int64_t, 0> settle(const SchedulingProblem &problem,
                                     llvm::ArrayRef<int64_t> offsets);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SKYLINE_H
