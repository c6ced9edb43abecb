//===- ValleyFit.cpp - Buffers placed into the lowest valley -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *valley* is a stretch of sections at one height between higher ones. What
// can be put lowest is what lives within the lowest valley; the first such
// buffer is put there and splits the valley. If there is none, the valley is
// filled up to the lower of its neighbours and becomes one with it. (Burke,
// Kendall and Whitwell's best fit for strip packing, Operations Research 2004,
// is the same with a free choice of the place in the valley.) Each buffer makes
// at most two more valleys, so that there are at most 3n questions for the
// first buffer within a stretch (LifetimeTree.h).
//
//===----------------------------------------------------------------------===//

#include "ValleyFit.h"

#include "LifetimeTree.h"
#include "Placement.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <numeric>
#include <queue>

using namespace buffer_merge;

/// Return the different alignments in ascending order.
static llvm::SmallVector<int64_t>
collectAlignments(llvm::ArrayRef<int64_t> alignments) {
  llvm::SmallVector<int64_t> different;
  for (int64_t alignment : alignments) {
    auto *it = llvm::lower_bound(different, alignment);
    if (it == different.end() || *it != alignment)
      different.insert(it, alignment);
    if (different.size() > std::numeric_limits<uint8_t>::max())
      break;
  }
  return different;
}

namespace {
/// The valleys, and the higher stretches between them: sections in the order of
/// time, cut where the height changes.
class Valleys {
public:
  Valleys(const SectionedBuffers &buffers, llvm::ArrayRef<unsigned> ranking,
          int64_t tolerance);

  llvm::SmallVector<int64_t, 0> placeAll();

private:
  struct Stretch {
    unsigned begin, end;
    int64_t height;
    unsigned previous, next;
    /// It has become part of a neighbour.
    bool isGone = false;
  };
  static constexpr unsigned none = ~0u;

  unsigned put(unsigned stretch, unsigned rank);
  unsigned findFirst(unsigned stretch) const;
  int64_t findHigherOffset(unsigned stretch) const;
  unsigned insertAfter(unsigned stretch, unsigned begin, int64_t height);
  void absorbNext(unsigned stretch);
  unsigned mergeLevel(unsigned stretch);
  unsigned fill(unsigned stretch);
  void enqueue(unsigned stretch) {
    lowest.push({stretches[stretch].height, stretch});
  }

  const SectionedBuffers &buffers;
  llvm::ArrayRef<unsigned> ranking;
  int64_t tolerance;
  /// What is left to be placed, for each alignment.
  struct Class {
    int64_t alignment;
    LifetimeTree left;
  };
  llvm::SmallVector<Class, 1> classes;
  llvm::SmallVector<uint8_t, 0> classOf;
  /// All offsets are multiples of it, and so are all heights.
  int64_t unit = 0;
  llvm::SmallVector<int64_t, 0> offsets;
  llvm::SmallVector<Stretch, 0> stretches;
  /// Heights may be out of date: those of what is gone or was filled.
  using Entry = std::pair<int64_t, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> lowest;
};
} // namespace

Valleys::Valleys(const SectionedBuffers &buffers,
                 llvm::ArrayRef<unsigned> ranking, int64_t tolerance)
    : buffers(buffers), ranking(ranking), tolerance(tolerance),
      offsets(buffers.sizes.size()) {
  llvm::SmallVector<int64_t> alignments = collectAlignments(buffers.alignments);
  llvm::SmallVector<llvm::SmallVector<unsigned, 0>> members(alignments.size());
  for (const auto &[rank, id] : llvm::enumerate(ranking)) {
    classOf.push_back(llvm::lower_bound(alignments, buffers.alignments[id]) -
                      alignments.begin());
    members[classOf.back()].push_back(rank);
  }
  for (const auto &[alignment, ranks] : llvm::zip_equal(alignments, members)) {
    unit = std::gcd(unit, alignment);
    classes.push_back({alignment, LifetimeTree(buffers.begins, buffers.ends,
                                               ranking, ranks)});
  }
}

/// Cut `stretch` at `begin`, return the part from there on.
unsigned Valleys::insertAfter(unsigned stretch, unsigned begin,
                              int64_t height) {
  unsigned index = stretches.size();
  unsigned next = stretches[stretch].next;
  stretches.push_back({begin, stretches[stretch].end, height, stretch, next});
  stretches[stretch].end = begin;
  stretches[stretch].next = index;
  if (next != none)
    stretches[next].previous = index;
  return index;
}

/// Put the buffer of `rank`, which lives within `stretch` and its neighbours.
/// Return the stretch that it is the top of.
unsigned Valleys::put(unsigned stretch, unsigned rank) {
  unsigned id = ranking[rank];
  unsigned begin = buffers.begins[id], end = buffers.ends[id];
  unsigned first = stretch;
  while (stretches[first].begin > begin)
    first = stretches[first].previous;
  while (stretches[first].end <= begin)
    first = stretches[first].next;
  unsigned last = first;
  int64_t height = stretches[first].height;
  while (stretches[last].end < end) {
    last = stretches[last].next;
    height = std::max(height, stretches[last].height);
  }
  offsets[id] = alignUp(height, buffers.alignments[id]);
  classes[classOf[rank]].left.remove(rank);
  if (end != stretches[last].end)
    enqueue(insertAfter(last, end, stretches[last].height));
  unsigned top = first;
  if (begin != stretches[first].begin)
    top = insertAfter(first, begin, height);
  while (stretches[top].end < end)
    absorbNext(top);
  stretches[top].height = alignUp(offsets[id] + buffers.sizes[id], unit);
  enqueue(top);
  return top;
}

/// Return the first buffer that can be put at the height of `stretch`, the
/// lowest one, or at most `tolerance` bytes higher, or `LifetimeTree::none`.
unsigned Valleys::findFirst(unsigned stretch) const {
  // Farther away are other valleys.
  constexpr unsigned maxNeighbours = 16;
  int64_t height = stretches[stretch].height;
  unsigned begin = stretch, end = stretch;
  auto isLow = [&](unsigned other) {
    return other != none && stretches[other].height <= height + tolerance;
  };
  if (tolerance != 0) {
    for (unsigned i = 0; i < maxNeighbours; ++i)
      if (isLow(stretches[begin].previous))
        begin = stretches[begin].previous;
    for (unsigned i = 0; i < maxNeighbours; ++i)
      if (isLow(stretches[end].next))
        end = stretches[end].next;
  }
  unsigned first = LifetimeTree::none;
  for (const Class &present : classes)
    if (alignUp(height, present.alignment) <= height + tolerance)
      first = std::min(first, present.left.findFirst(stretches[begin].begin,
                                                     stretches[end].end));
  return first;
}

/// Return the lowest offset of those buffers within `stretch` that cannot be
/// put at its height.
int64_t Valleys::findHigherOffset(unsigned stretch) const {
  int64_t lowest = std::numeric_limits<int64_t>::max();
  for (const Class &present : classes) {
    int64_t offset = alignUp(stretches[stretch].height, present.alignment);
    if (offset < lowest &&
        present.left.findFirst(stretches[stretch].begin,
                               stretches[stretch].end) != LifetimeTree::none)
      lowest = offset;
  }
  return lowest;
}

/// Make the stretch after `stretch` a part of it.
void Valleys::absorbNext(unsigned stretch) {
  Stretch &gone = stretches[stretches[stretch].next];
  gone.isGone = true;
  stretches[stretch].end = gone.end;
  stretches[stretch].next = gone.next;
  if (gone.next != none)
    stretches[gone.next].previous = stretch;
}

/// Merge `stretch` with neighbours of its height; return what it is part of.
unsigned Valleys::mergeLevel(unsigned stretch) {
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

/// Fill `stretch`, the lowest one, up to the lower of its neighbours, or to
/// where a buffer that is more aligned can be put.
unsigned Valleys::fill(unsigned stretch) {
  int64_t height = classes.size() == 1 ? std::numeric_limits<int64_t>::max()
                                       : findHigherOffset(stretch);
  for (unsigned other : {stretches[stretch].previous, stretches[stretch].next})
    if (other != none)
      height = std::min(height, stretches[other].height);
  stretches[stretch].height = height;
  return mergeLevel(stretch);
}

llvm::SmallVector<int64_t, 0> Valleys::placeAll() {
  stretches.push_back({0, buffers.numSections, 0, none, none});
  enqueue(0);
  for (unsigned numLeft = ranking.size(); numLeft != 0;) {
    auto [height, stretch] = lowest.top();
    lowest.pop();
    if (stretches[stretch].isGone || stretches[stretch].height != height)
      continue;
    stretch = mergeLevel(stretch);
    unsigned rank = findFirst(stretch);
    if (rank != LifetimeTree::none) {
      // What is left of the stretch is as low as before.
      if (put(stretch, rank) != stretch && !stretches[stretch].isGone)
        enqueue(stretch);
      --numLeft;
      continue;
    }
    // What it has become part of is queued already.
    if (unsigned filled = fill(stretch); filled == stretch)
      enqueue(filled);
  }
  return std::move(offsets);
}

bool buffer_merge::suitsValleys(llvm::ArrayRef<int64_t> alignments) {
  constexpr size_t maxClasses = 16;
  return collectAlignments(alignments).size() <= maxClasses;
}

llvm::SmallVector<int64_t, 0>
buffer_merge::fitIntoValleys(const SectionedBuffers &buffers,
                             llvm::ArrayRef<unsigned> ranking,
                             int64_t tolerance) {
  return Valleys(buffers, ranking, tolerance).placeAll();
}
