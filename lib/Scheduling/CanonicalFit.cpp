//===- CanonicalFit.cpp - Buffers placed from bottom to top --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CanonicalFit.h"

#include "RelaxedFit.h"
#include "Skyline.h"

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

llvm::SmallVector<int64_t, 0>
buffer_merge::fitCanonically(const SchedulingProblem &problem,
                             const Sections &sections,
                             llvm::ArrayRef<BufferId> ranking) {
  // Two algorithms with the same result: for few buffers the quadratic one is
  // twice as fast.
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  constexpr unsigned maxFew = 512;
  if (buffers.size() <= maxFew && llvm::none_of(buffers, [](const Buffer &b) {
        return b.fixedOffset.has_value();
      }))
    return RelaxedFit(problem).place(ranking, /*tolerance=*/0);

  ConflictLists conflicts(problem);
  Skyline skyline(problem, sections, conflicts);
  llvm::SmallVector<int64_t, 0> offsets(buffers.size());

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
    if (offset != expected) {
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
