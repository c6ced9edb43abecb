//===- CanonicalFit.cpp - Buffers placed from bottom to top --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three algorithms for the same thing. Few buffers are placed in quadratic time
// (RelaxedFit.h), which is the fastest for them; many, into valleys
// (ValleyFit.h).
//
// Conflicts and fixed offsets are no matter of valleys, and alignments that
// differ make what can be put lowest depend on the buffer. Then a heap holds
// the lowest offset of each buffer as far as known, which is corrected when its
// turn comes. Where that happens too often, valleys are good enough for
// alignments; otherwise a buffer is put where it is although another could be
// put lower.
//
//===----------------------------------------------------------------------===//

#include "CanonicalFit.h"

#include "RelaxedFit.h"
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

/// Place the buffers by a heap of their offsets. If `mayGiveUp`, return nothing
/// if there are too many corrections.
static std::optional<llvm::SmallVector<int64_t, 0>>
fitByHeap(const SchedulingProblem &problem, const Sections &sections,
          llvm::ArrayRef<BufferId> ranking, bool mayGiveUp) {
  ConflictLists conflicts(problem);
  Skyline skyline(problem, sections, conflicts);
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  llvm::SmallVector<int64_t, 0> offsets(buffers.size());

  // As many corrections for each buffer as dense problems need.
  uint64_t corrections = uint64_t(64) * buffers.size();
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
    if (corrections == 0 && mayGiveUp)
      return std::nullopt;
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

llvm::SmallVector<int64_t, 0> buffer_merge::fitTolerantly(
    const SchedulingProblem &problem, const Sections &sections,
    llvm::ArrayRef<BufferId> ranking, int64_t tolerance) {
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  llvm::SmallVector<int64_t, 0> sizes, alignments;
  sizes.reserve(buffers.size());
  alignments.reserve(buffers.size());
  for (const Buffer &buffer : buffers) {
    sizes.push_back(buffer.size);
    alignments.push_back(buffer.alignment);
  }
  return fitIntoValleys({sections.getBegins(), sections.getEnds(),
                         sections.size(), sizes, alignments},
                        ranking, tolerance);
}

llvm::SmallVector<int64_t, 0>
buffer_merge::fitCanonically(const SchedulingProblem &problem,
                             const Sections &sections,
                             llvm::ArrayRef<BufferId> ranking) {
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  bool hasFixedOffsets = llvm::any_of(buffers, [](const Buffer &buffer) {
    return buffer.fixedOffset.has_value();
  });
  constexpr unsigned maxFew = 512;
  if (buffers.size() <= maxFew && !hasFixedOffsets)
    return RelaxedFit(problem).place(ranking, /*tolerance=*/0);
  if (hasFixedOffsets || !problem.conflicts.empty())
    return *fitByHeap(problem, sections, ranking, /*mayGiveUp=*/false);
  bool haveOneAlignment = llvm::all_of(buffers, [&](const Buffer &buffer) {
    return buffer.alignment == buffers.front().alignment;
  });
  if (!haveOneAlignment)
    if (std::optional<llvm::SmallVector<int64_t, 0>> offsets =
            fitByHeap(problem, sections, ranking, /*mayGiveUp=*/true))
      return std::move(*offsets);
  return fitTolerantly(problem, sections, ranking, /*tolerance=*/0);
}
