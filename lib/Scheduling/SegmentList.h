//===- SegmentList.h - Free and used segments of a growing pool -*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the schedulers share that allocate and free in the order of time, as at
// run time, but decide where a segment lies only in the end.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEGMENTLIST_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEGMENTLIST_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace buffer_merge {
/// Index of a segment. An index stays the same when others come in between.
using SegmentId = unsigned;

/// A sequence of adjacent segments of which only sizes are known until the end.
///
/// A segment may grow at its end at any time: all above it move up, and those
/// who used bytes on both sides in the past just have more room than they need.
/// Two buffers that were apart are still apart, because nothing ever moves down
/// relative to what was below it. For the same reason segments may be split and
/// merged: those who began in the upper part of a merged segment stay where
/// they were relative to the lower part.
class SegmentList {
public:
  static constexpr SegmentId none = ~SegmentId(0);

  /// Append a segment of `size` bytes above all others.
  SegmentId append(int64_t size);

  /// Shrink `id` to `size` bytes, less than it has, and return the segment with
  /// the other bytes, right above it.
  SegmentId split(SegmentId id, int64_t size);

  /// Make the segment right above `id` part of it. Nobody uses the two. Its own
  /// id is of use for `computeOffsets()` only from then on.
  void mergeNext(SegmentId id);

  /// Make `id` larger by `bytes`, at its end.
  void grow(SegmentId id, int64_t bytes) {
    segments[id].size += bytes;
    totalSize += bytes;
  }

  int64_t getSize(SegmentId id) const { return segments[id].size; }
  /// The sum of all sizes.
  int64_t getTotalSize() const { return totalSize; }
  /// The segment right above or below `id`, or `none`.
  SegmentId getNext(SegmentId id) const { return segments[id].next; }
  SegmentId getPrevious(SegmentId id) const { return segments[id].previous; }

  /// Return the offset of every segment by its id. O(s) time for s segments.
  llvm::SmallVector<int64_t, 0> computeOffsets() const;

private:
  struct Segment {
    int64_t size;
    SegmentId previous, next;
  };
  /// `id` became part of `below`, `distance` bytes from its start.
  struct Merge {
    SegmentId id, below;
    int64_t distance;
  };

  llvm::SmallVector<Segment, 0> segments;
  llvm::SmallVector<Merge, 0> merges;
  SegmentId first = none, last = none;
  int64_t totalSize = 0;
};

/// Call `allocate` on each buffer in the order of begin, of several the largest
/// first, after `release` on each of those that ended before, in the order of
/// end. It ends where `allocate` returns false, and returns false then. O(n log
/// n) time.
bool replay(llvm::ArrayRef<Buffer> buffers,
            llvm::function_ref<bool(BufferId)> allocate,
            llvm::function_ref<void(BufferId)> release);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEGMENTLIST_H
