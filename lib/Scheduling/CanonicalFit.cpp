//===- CanonicalFit.cpp - Buffers placed from bottom to top --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two algorithms for the same thing.
//
// A *valley* is a stretch of sections at one height between higher ones. What
// lives within a valley can be put there; the first such buffer is put and
// splits the valley. If there is none, the valley is filled up to the lower of
// its neighbours and becomes one with it. (Burke, Kendall and Whitwell's best
// fit for strip packing, Operations Research 2004, is the same with a free
// choice of the place in the lowest valley.) Each buffer makes at most two more
// valleys, so that there are at most 3n questions for the first buffer within a
// stretch (LifetimeTree.h).
//
// Which of the valleys is next does not matter, because what happens in one of
// them concerns no other before the stretches between them are filled. So it is
// not the lowest of all, but one nearby: from where the last buffer was put, it
// goes downhill. What is close in time is close in memory then.
//
// Conflicts, fixed offsets, gaps and many alignments are no matter of valleys:
// with them, a heap holds the lowest offset of each buffer as far as known,
// which is corrected when its turn comes. How often that happens is bounded:
// then a buffer is put where it is although another could be put lower.
//
//===----------------------------------------------------------------------===//

#include "CanonicalFit.h"

#include "LifetimeBits.h"
#include "LifetimeTree.h"
#include "Skyline.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <numeric>

using namespace buffer_merge;

/// Time grows with the number of different alignments.
static constexpr size_t maxAlignments = 16;

/// Return the different alignments in ascending order, or nothing if they are
/// too many.
static std::optional<llvm::SmallVector<int64_t, maxAlignments>>
collectAlignments(const SchedulingProblem &problem) {
  llvm::SmallVector<int64_t, maxAlignments> different;
  for (const Buffer &buffer : problem.buffers) {
    auto *it = llvm::lower_bound(different, buffer.alignment);
    if (it != different.end() && *it == buffer.alignment)
      continue;
    if (different.size() == maxAlignments)
      return std::nullopt;
    different.insert(it, buffer.alignment);
  }
  return different;
}

namespace {
/// The valleys, and the higher stretches between them: sections in the order of
/// time, cut where the height changes. `Set` tells what can be put where.
template <typename Set>
class Valleys {
public:
  Valleys(llvm::ArrayRef<Buffer> buffers, const Sections &sections,
          llvm::ArrayRef<BufferId> ranking, llvm::ArrayRef<int64_t> alignments);

  llvm::SmallVector<int64_t, 0> placeAll();

private:
  struct Stretch {
    unsigned begin, end;
    int64_t height;
    unsigned previous, next;
  };
  static constexpr unsigned none = ~0u;

  unsigned put(unsigned stretch, unsigned rank);
  unsigned descend(unsigned stretch) const;
  unsigned findFirst(unsigned stretch) const;
  int64_t findHigherOffset(unsigned stretch) const;
  unsigned insertAfter(unsigned stretch, unsigned begin, int64_t height);
  void absorbNext(unsigned stretch);
  unsigned mergeLevel(unsigned stretch);
  unsigned fill(unsigned stretch);

  llvm::ArrayRef<Buffer> buffers;
  const Sections &sections;
  llvm::ArrayRef<unsigned> ranking;
  /// What is left to be placed, for each alignment.
  struct Class {
    int64_t alignment;
    Set left;
  };
  llvm::SmallVector<Class, 1> classes;
  llvm::SmallVector<uint8_t> classOf;
  /// All offsets are multiples of it, and so are all heights.
  int64_t unit = 0;
  llvm::SmallVector<int64_t, 0> offsets;
  llvm::SmallVector<Stretch, 32> stretches;
  /// Those that have become part of another, to be used again.
  llvm::SmallVector<unsigned, 32> unused;
};
} // namespace

template <typename Set>
Valleys<Set>::Valleys(llvm::ArrayRef<Buffer> buffers, const Sections &sections,
                      llvm::ArrayRef<BufferId> ranking,
                      llvm::ArrayRef<int64_t> alignments)
    : buffers(buffers), sections(sections), ranking(ranking),
      offsets(buffers.size()) {
  llvm::SmallVector<llvm::SmallVector<unsigned, 32>, 1> members(
      alignments.size());
  classOf.reserve(ranking.size());
  for (const auto &[rank, id] : llvm::enumerate(ranking)) {
    classOf.push_back(llvm::lower_bound(alignments, buffers[id].alignment) -
                      alignments.begin());
    members[classOf.back()].push_back(rank);
  }
  for (const auto &[alignment, ranks] : llvm::zip_equal(alignments, members)) {
    unit = std::gcd(unit, alignment);
    classes.push_back({alignment, Set(sections, ranking, ranks)});
  }
}

/// Cut `stretch` at `begin`, return the part from there on.
template <typename Set>
unsigned Valleys<Set>::insertAfter(unsigned stretch, unsigned begin,
                                   int64_t height) {
  unsigned next = stretches[stretch].next;
  if (unused.empty()) {
    unused.push_back(stretches.size());
    stretches.emplace_back();
  }
  unsigned index = unused.pop_back_val();
  stretches[index] = {begin, stretches[stretch].end, height, stretch, next};
  stretches[stretch].end = begin;
  stretches[stretch].next = index;
  if (next != none)
    stretches[next].previous = index;
  return index;
}

/// Put the buffer of `rank`, which lives within `stretch`. Return the stretch
/// that it is the top of.
template <typename Set>
unsigned Valleys<Set>::put(unsigned stretch, unsigned rank) {
  unsigned id = ranking[rank];
  int64_t height = stretches[stretch].height;
  offsets[id] = alignUp(height, buffers[id].alignment);
  classes[classOf[rank]].left.remove(rank);
  if (sections.getEnd(id) != stretches[stretch].end)
    insertAfter(stretch, sections.getEnd(id), height);
  if (sections.getBegin(id) != stretches[stretch].begin)
    stretch = insertAfter(stretch, sections.getBegin(id), height);
  stretches[stretch].height = alignUp(offsets[id] + buffers[id].size, unit);
  return stretch;
}

/// Go down from `stretch` to one without a lower neighbour.
template <typename Set>
unsigned Valleys<Set>::descend(unsigned stretch) const {
  auto isLower = [&](unsigned other) {
    return other != none && stretches[other].height < stretches[stretch].height;
  };
  while (true) {
    if (isLower(stretches[stretch].previous))
      stretch = stretches[stretch].previous;
    else if (isLower(stretches[stretch].next))
      stretch = stretches[stretch].next;
    else
      return stretch;
  }
}

/// Return the first buffer that can be put at the height of `stretch`, a
/// valley, or `Set::none`.
template <typename Set>
unsigned Valleys<Set>::findFirst(unsigned stretch) const {
  const Stretch &valley = stretches[stretch];
  unsigned first = Set::none;
  for (const Class &present : classes)
    if (alignUp(valley.height, present.alignment) == valley.height)
      first = std::min(first, present.left.findFirst(valley.begin, valley.end));
  return first;
}

/// Return the lowest offset of those buffers within `stretch` that cannot be
/// put at its height.
template <typename Set>
int64_t Valleys<Set>::findHigherOffset(unsigned stretch) const {
  int64_t lowest = std::numeric_limits<int64_t>::max();
  for (const Class &present : classes) {
    int64_t offset = alignUp(stretches[stretch].height, present.alignment);
    if (offset < lowest &&
        present.left.findFirst(stretches[stretch].begin,
                               stretches[stretch].end) != Set::none)
      lowest = offset;
  }
  return lowest;
}

/// Make the stretch after `stretch` a part of it.
template <typename Set>
void Valleys<Set>::absorbNext(unsigned stretch) {
  unused.push_back(stretches[stretch].next);
  const Stretch &gone = stretches[unused.back()];
  stretches[stretch].end = gone.end;
  stretches[stretch].next = gone.next;
  if (gone.next != none)
    stretches[gone.next].previous = stretch;
}

/// Merge `stretch` with neighbours of its height; return what it is part of.
template <typename Set>
unsigned Valleys<Set>::mergeLevel(unsigned stretch) {
  auto isLevel = [&](unsigned other) {
    return other != none &&
           stretches[other].height == stretches[stretch].height;
  };
  while (isLevel(stretches[stretch].next))
    absorbNext(stretch);
  while (isLevel(stretches[stretch].previous)) {
    stretch = stretches[stretch].previous;
    absorbNext(stretch);
  }
  return stretch;
}

/// Fill `stretch`, a valley, up to the lower of its neighbours, or to
/// where a buffer that is more aligned can be put.
template <typename Set>
unsigned Valleys<Set>::fill(unsigned stretch) {
  int64_t height = classes.size() == 1 ? std::numeric_limits<int64_t>::max()
                                       : findHigherOffset(stretch);
  for (unsigned other : {stretches[stretch].previous, stretches[stretch].next})
    if (other != none)
      height = std::min(height, stretches[other].height);
  stretches[stretch].height = height;
  return mergeLevel(stretch);
}

template <typename Set>
llvm::SmallVector<int64_t, 0> Valleys<Set>::placeAll() {
  stretches.push_back({0, sections.size(), 0, none, none});
  unsigned stretch = 0;
  for (unsigned numLeft = ranking.size(); numLeft != 0;) {
    stretch = descend(mergeLevel(stretch));
    unsigned rank = findFirst(stretch);
    if (rank == Set::none) {
      stretch = fill(stretch);
      continue;
    }
    stretch = put(stretch, rank);
    --numLeft;
  }
  return std::move(offsets);
}

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
  auto alignments = collectAlignments(problem);
  if (hasFixedOffsets(problem) || !problem.conflicts.empty() ||
      !sections.getGaps().empty() || !alignments)
    return fitByHeap(problem, sections, ranking);
  constexpr size_t fewBuffers = 1024;
  if (ranking.size() <= fewBuffers)
    return Valleys<LifetimeBits>(problem.buffers, sections, ranking,
                                 *alignments)
        .placeAll();
  return Valleys<LifetimeTree>(problem.buffers, sections, ranking, *alignments)
      .placeAll();
}
