//===- GapFit.cpp - Buffers placed in gaps --------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In any order, each buffer collects the placed ones that it may not share
// bytes with, found by their lifetimes (OverlapTree.h), and takes a gap between
// them.
//
// In the order of time it is a sweep: buffers that have ended leave the list of
// what is alive, and the next one takes a gap between the others. Gaps are
// sorted by offset or by size, in classes of powers of two, so that the
// first one that is large enough is found without a look at the small ones.
//
//===----------------------------------------------------------------------===//

#include "GapFit.h"

#include "OverlapTree.h"
#include "SegmentList.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <set>

using namespace buffer_merge;

llvm::SmallVector<int64_t, 0>
buffer_merge::fitInOrder(const SchedulingProblem &problem,
                         llvm::ArrayRef<BufferId> order, GapChoice choice,
                         int64_t limit) {
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  ConflictLists conflicts(problem);
  OverlapTree placed(buffers, order);
  // Negative where nothing is placed.
  llvm::SmallVector<int64_t, 0> offsets(buffers.size(), -1);
  int64_t poolSize = 0;
  auto place = [&](BufferId id, int64_t offset) {
    offsets[id] = offset;
    poolSize = std::max(poolSize, offset + buffers[id].size);
    placed.insert(id);
  };
  for (BufferId id : order)
    if (buffers[id].fixedOffset)
      place(id, *buffers[id].fixedOffset);
  llvm::SmallVector<ByteRange, 0> occupied;
  auto occupy = [&](BufferId other) {
    occupied.push_back({offsets[other], offsets[other] + buffers[other].size});
  };
  for (BufferId id : order) {
    if (buffers[id].fixedOffset)
      continue;
    occupied.clear();
    placed.forEachOverlap(buffers[id], occupy);
    for (BufferId other : conflicts.of(id))
      if (offsets[other] >= 0)
        occupy(other);
    llvm::sort(occupied, std::less<>());
    int64_t offset = findOffset(occupied, buffers[id], poolSize, choice);
    if (offset + buffers[id].size >= limit)
      return {};
    place(id, offset);
  }
  return offsets;
}

namespace {
/// An offset, and the live buffer right below it, or none.
struct LivePlace {
  int64_t offset;
  BufferId below;
};

/// The live buffers in the order of offset, and the gaps below each of them.
/// The space above the last one is not a gap in this sense.
class LiveRanges {
public:
  static constexpr BufferId none = ~BufferId(0);

  /// `offsets` are those of the buffers that are live.
  LiveRanges(llvm::ArrayRef<Buffer> buffers, llvm::ArrayRef<int64_t> offsets,
             GapChoice choice)
      : buffers(buffers), offsets(offsets), choice(choice),
        neighbours(buffers.size()) {}

  /// Add `id`, whose offset overlaps none of those that are there, right above
  /// `below`.
  void insert(BufferId id, BufferId below);

  void erase(BufferId id);

  /// Return a place for `buffer` as `findOffset()` does.
  LivePlace findPlace(const Buffer &buffer, int64_t poolSize) const;

  /// Return the highest live buffer that begins below `offset`, or none. O(k)
  /// time for k live buffers.
  BufferId findBelow(int64_t offset) const;

  /// Append all ranges from top to bottom.
  void appendTo(llvm::SmallVectorImpl<ByteRange> &result) const {
    for (BufferId id = top; id != none; id = neighbours[id].below)
      result.push_back({offsets[id], getEnd(id)});
  }

private:
  struct Gap {
    int64_t begin, end;
    BufferId below;
  };
  /// By what gaps are chosen, and the buffer below.
  using GapSet = std::set<std::pair<std::pair<int64_t, int64_t>, BufferId>>;

  static unsigned classOf(int64_t size) { return llvm::Log2_64(size); }

  int64_t getEnd(BufferId id) const {
    return id == none ? 0 : offsets[id] + buffers[id].size;
  }

  GapSet::value_type keyOf(Gap gap) const {
    if (choice == GapChoice::First)
      return {{gap.begin, gap.end}, gap.below};
    return {{gap.end - gap.begin, gap.begin}, gap.below};
  }
  Gap gapOf(const GapSet::value_type &key) const {
    auto [first, second] = key.first;
    if (choice == GapChoice::First)
      return {first, second, key.second};
    return {second, second + first, key.second};
  }

  /// Add or remove the gap above `below`, up to `end`.
  void addGap(BufferId below, int64_t end) {
    if (int64_t begin = getEnd(below); begin < end)
      gaps[classOf(end - begin)].insert(keyOf({begin, end, below}));
  }
  void removeGap(BufferId below, int64_t end) {
    if (int64_t begin = getEnd(below); begin < end)
      gaps[classOf(end - begin)].erase(keyOf({begin, end, below}));
  }

  std::optional<Gap> findGap(const Buffer &buffer) const;

  llvm::ArrayRef<Buffer> buffers;
  llvm::ArrayRef<int64_t> offsets;
  GapChoice choice;
  struct Neighbours {
    BufferId below, above;
  };
  llvm::SmallVector<Neighbours, 0> neighbours;
  BufferId bottom = none, top = none;
  /// Gaps of at least 2^i and less than 2^(i + 1) bytes. The lowest gap that is
  /// large enough is the first of some class, unless it is in the class of the
  /// size that is sought.
  std::array<GapSet, 64> gaps;
};
} // namespace

void LiveRanges::insert(BufferId id, BufferId below) {
  BufferId above = below == none ? bottom : neighbours[below].above;
  if (above != none) {
    removeGap(below, offsets[above]);
    addGap(id, offsets[above]);
  }
  addGap(below, offsets[id]);
  neighbours[id] = {below, above};
  (below == none ? bottom : neighbours[below].above) = id;
  (above == none ? top : neighbours[above].below) = id;
}

void LiveRanges::erase(BufferId id) {
  auto [below, above] = neighbours[id];
  removeGap(below, offsets[id]);
  if (above != none) {
    removeGap(id, offsets[above]);
    addGap(below, offsets[above]);
  }
  (below == none ? bottom : neighbours[below].above) = above;
  (above == none ? top : neighbours[above].below) = below;
}

BufferId LiveRanges::findBelow(int64_t offset) const {
  BufferId id = top;
  while (id != none && offsets[id] >= offset)
    id = neighbours[id].below;
  return id;
}

std::optional<LiveRanges::Gap> LiveRanges::findGap(const Buffer &buffer) const {
  // Gaps that are just too small, or fail for alignment, may be many.
  constexpr unsigned maxLooks = 256;
  std::optional<Gap> best;
  for (unsigned i = classOf(buffer.size); i < gaps.size(); ++i) {
    auto it = choice == GapChoice::First
                  ? gaps[i].begin()
                  : gaps[i].lower_bound({{buffer.size, 0}, 0});
    for (unsigned look = 0; it != gaps[i].end() && look < maxLooks;
         ++it, ++look) {
      Gap gap = gapOf(*it);
      if (best && gap.begin > best->begin)
        break;
      if (alignUp(gap.begin, buffer.alignment) + buffer.size > gap.end)
        continue;
      best = gap;
      break;
    }
    // The next classes have larger gaps only.
    if (best && choice == GapChoice::Best)
      break;
  }
  return best;
}

LivePlace LiveRanges::findPlace(const Buffer &buffer, int64_t poolSize) const {
  std::optional<Gap> gap = findGap(buffer);
  int64_t aboveTop = alignUp(getEnd(top), buffer.alignment);
  if (!gap ||
      (choice == GapChoice::Best && aboveTop + buffer.size <= poolSize &&
       poolSize - getEnd(top) < gap->end - gap->begin))
    return {aboveTop, top};
  return {alignUp(gap->begin, buffer.alignment), gap->below};
}

llvm::SmallVector<int64_t, 0>
buffer_merge::fitOnline(const SchedulingProblem &problem, GapChoice choice,
                        int64_t limit) {
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  // Buffers with a fixed offset take part from the start: one that begins later
  // may overlap a buffer placed before.
  llvm::SmallVector<int64_t, 0> offsets(buffers.size(), -1);
  llvm::SmallVector<BufferId, 0> fixed = collectFixed(problem);
  int64_t poolSize = 0;
  OverlapTree fixedTree(buffers, fixed);
  for (BufferId id : fixed) {
    fixedTree.insert(id);
    offsets[id] = *buffers[id].fixedOffset;
    poolSize = std::max(poolSize, offsets[id] + buffers[id].size);
  }

  ConflictLists conflicts(problem);
  LiveRanges live(buffers, offsets, choice);
  llvm::SmallVector<ByteRange, 0> occupied;
  auto occupy = [&](BufferId id) {
    occupied.push_back({offsets[id], offsets[id] + buffers[id].size});
  };
  auto allocate = [&](BufferId id) {
    const Buffer &buffer = buffers[id];
    if (buffer.fixedOffset)
      return true;
    occupied.clear();
    if (!fixed.empty())
      fixedTree.forEachOverlap(buffer, occupy);
    for (BufferId other : conflicts.of(id))
      if (offsets[other] >= 0)
        occupy(other);
    BufferId below;
    if (occupied.empty()) {
      LivePlace place = live.findPlace(buffer, poolSize);
      offsets[id] = place.offset;
      below = place.below;
    } else {
      live.appendTo(occupied);
      llvm::sort(occupied, std::less<>());
      offsets[id] = findOffset(occupied, buffer, poolSize, choice);
      below = live.findBelow(offsets[id]);
    }
    poolSize = std::max(poolSize, offsets[id] + buffer.size);
    live.insert(id, below);
    return poolSize < limit;
  };
  auto release = [&](BufferId id) {
    if (!buffers[id].fixedOffset)
      live.erase(id);
  };
  if (!replay(buffers, allocate, release))
    return {};
  return offsets;
}
