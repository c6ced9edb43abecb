//===- SegmentList.cpp - Free and used segments of a growing pool --------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list of segments of which only the order and the sizes are known until the
// end. What was merged keeps its distance from what it became part of.
//
//===----------------------------------------------------------------------===//

#include "SegmentList.h"

#include "KeySort.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

SegmentId SegmentList::append(int64_t size) {
  SegmentId id = segments.size();
  segments.push_back({size, last, none});
  (last == none ? first : segments[last].next) = id;
  last = id;
  totalSize += size;
  return id;
}

SegmentId SegmentList::split(SegmentId id, int64_t size) {
  assert(size > 0 && size < segments[id].size && "both parts have bytes");
  SegmentId above = segments.size();
  segments.push_back({segments[id].size - size, id, segments[id].next});
  (segments[id].next == none ? last : segments[segments[id].next].previous) =
      above;
  segments[id].next = above;
  segments[id].size = size;
  return above;
}

void SegmentList::mergeNext(SegmentId id) {
  Segment &segment = segments[id];
  merges.push_back({segment.next, id, segment.size});
  segment.size += segments[segment.next].size;
  segment.next = segments[segment.next].next;
  (segment.next == none ? last : segments[segment.next].previous) = id;
}

llvm::SmallVector<int64_t, 0> SegmentList::computeOffsets() const {
  llvm::SmallVector<int64_t, 0> offsets(segments.size());
  int64_t top = 0;
  for (SegmentId id = first; id != none; id = segments[id].next) {
    offsets[id] = top;
    top += segments[id].size;
  }
  // Backwards: what a segment was merged into may have been merged later.
  for (const Merge &merge : llvm::reverse(merges))
    offsets[merge.id] = offsets[merge.below] + merge.distance;
  return offsets;
}

bool buffer_merge::replay(llvm::ArrayRef<Buffer> buffers,
                          llvm::function_ref<bool(BufferId)> allocate,
                          llvm::function_ref<void(BufferId)> release) {
  llvm::SmallVector<BufferId, 0> births =
      orderByBegin(buffers, [&](BufferId id) { return -buffers[id].size; });
  llvm::SmallVector<BufferId, 0> deaths =
      orderByKey(buffers.size(), [&](BufferId id) { return buffers[id].end; });
  const BufferId *nextDeath = deaths.begin();
  for (BufferId id : births) {
    for (; buffers[*nextDeath].end <= buffers[id].begin; ++nextDeath)
      release(*nextDeath);
    if (!allocate(id))
      return false;
  }
  return true;
}
