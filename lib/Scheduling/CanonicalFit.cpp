//===- CanonicalFit.cpp - Buffers placed from bottom to top --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two algorithms for the same thing. Buffers are placed into valleys
// (ValleyFit.h). Conflicts, fixed offsets and gaps are no matter of these: with
// them, a heap holds the lowest offset of each buffer as far as known, which is
// corrected when its turn comes. How often that happens is bounded: then a
// buffer is put where it is although another could be put lower.
//
//===----------------------------------------------------------------------===//

#include "CanonicalFit.h"

#include "Skyline.h"
#include "ValleyFit.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

namespace {
/// The lowest offset at which a buffer may be put, as far as known, and its
/// rank.
using Entry = std::pair<int64_t, unsigned>;
} // namespace

/// Restore the order of a heap with the lowest entry in front, after its front
/// has become higher.
static void sinkFront(llvm::MutableArrayRef<Entry> heap) {
  Entry entry = heap.front();
  size_t hole = 0;
  for (size_t child = 1; child < heap.size(); child = 2 * hole + 1) {
    if (child + 1 < heap.size() && heap[child + 1] < heap[child])
      ++child;
    if (!(heap[child] < entry))
      break;
    heap[hole] = heap[child];
    hole = child;
  }
  heap[hole] = entry;
}

/// Place the buffers by a heap of their offsets.
static llvm::SmallVector<int64_t, 0>
fitByHeap(const SchedulingProblem &problem, const Sections &sections,
          llvm::ArrayRef<BufferId> ranking) {
  ConflictLists conflicts(problem);
  Skyline skyline(problem, sections, conflicts);
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  llvm::SmallVector<int64_t, 0> offsets(buffers.size());

  // As many corrections for each buffer as dense problems need.
  uint64_t corrections = (uint64_t(1) << 20) + uint64_t(64) * buffers.size();
  // Sorted, which is a heap as well.
  llvm::SmallVector<Entry, 0> heap;
  heap.reserve(buffers.size());
  for (const auto &[rank, id] : llvm::enumerate(ranking)) {
    if (buffers[id].fixedOffset)
      offsets[id] = *buffers[id].fixedOffset;
    else
      heap.emplace_back(0, rank);
  }
  while (!heap.empty()) {
    auto [expected, rank] = heap.front();
    BufferId id = ranking[rank];
    int64_t offset = skyline.getOffset(id);
    if (offset != expected && corrections != 0) {
      --corrections;
      // Others were put below it meanwhile. Offsets only grow, so that it is
      // enough to look when a buffer comes first.
      heap.front().first = offset;
    } else {
      offsets[id] = offset;
      skyline.put(id, offset);
      heap.front() = heap.back();
      heap.pop_back();
      if (heap.empty())
        break;
    }
    sinkFront(heap);
  }
  return offsets;
}

llvm::SmallVector<int64_t, 0>
buffer_merge::fitCanonically(const SchedulingProblem &problem,
                             const Sections &sections,
                             llvm::ArrayRef<BufferId> ranking) {
  llvm::SmallVector<int64_t, 0> sizes, alignments;
  sizes.reserve(problem.buffers.size());
  alignments.reserve(problem.buffers.size());
  for (const Buffer &buffer : problem.buffers) {
    sizes.push_back(buffer.size);
    alignments.push_back(buffer.alignment);
  }
  if (hasFixedOffsets(problem) || !problem.conflicts.empty() ||
      !sections.getGaps().empty() || !suitsValleys(alignments))
    return fitByHeap(problem, sections, ranking);
  return fitIntoValleys({sections.getBegins(), sections.getEnds(),
                         sections.size(), sizes, alignments},
                        ranking);
}
