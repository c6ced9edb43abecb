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
// In the order of time it is a sweep: buffers that have ended leave a balanced
// tree of what is alive, and the next one takes a gap between the others. Gaps
// are sorted by offset or by size, in classes of powers of two, so that the
// first one that is large enough is found without a look at the small ones.
//
//===----------------------------------------------------------------------===//

#include "GapFit.h"

#include "OverlapTree.h"
#include "SegmentList.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <map>
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
/// The live buffers by offset, and the gaps below each of them. The space above
/// the last one is not a gap in this sense.
class LiveRanges {
public:
  explicit LiveRanges(GapChoice choice) : choice(choice) {}

  /// Add a range that overlaps none of those that are there.
  void insert(ByteRange range);

  /// Remove the range that begins at `begin`.
  void erase(int64_t begin);

  /// Return an offset for `buffer` as `findOffset()` does.
  int64_t findOffset(const Buffer &buffer, int64_t poolSize) const;

  /// Append all ranges in the order of offset.
  void appendTo(llvm::SmallVectorImpl<ByteRange> &result) const {
    for (auto [begin, end] : ranges)
      result.push_back({begin, end});
  }

private:
  using GapSet = std::set<std::pair<int64_t, int64_t>>;

  static unsigned classOf(int64_t size) { return llvm::Log2_64(size); }

  /// Gaps are sorted by what they are chosen by.
  std::pair<int64_t, int64_t> keyOf(ByteRange gap) const {
    if (choice == GapChoice::First)
      return {gap.begin, gap.end};
    return {gap.end - gap.begin, gap.begin};
  }
  ByteRange gapOf(std::pair<int64_t, int64_t> key) const {
    if (choice == GapChoice::First)
      return {key.first, key.second};
    return {key.second, key.second + key.first};
  }

  void addGap(ByteRange gap) {
    if (gap.begin < gap.end)
      gaps[classOf(gap.end - gap.begin)].insert(keyOf(gap));
  }
  void removeGap(ByteRange gap) {
    if (gap.begin < gap.end)
      gaps[classOf(gap.end - gap.begin)].erase(keyOf(gap));
  }

  std::optional<ByteRange> findGap(const Buffer &buffer) const;

  GapChoice choice;
  std::map<int64_t, int64_t> ranges;
  /// Gaps of at least 2^i and less than 2^(i + 1) bytes. The lowest gap that is
  /// large enough is the first of some class, unless it is in the class of the
  /// size that is sought.
  std::array<GapSet, 64> gaps;
};
} // namespace

void LiveRanges::insert(ByteRange range) {
  auto above = ranges.lower_bound(range.begin);
  int64_t below = above == ranges.begin() ? 0 : std::prev(above)->second;
  if (above != ranges.end()) {
    removeGap({below, above->first});
    addGap({range.end, above->first});
  }
  addGap({below, range.begin});
  ranges.emplace_hint(above, range.begin, range.end);
}

void LiveRanges::erase(int64_t begin) {
  auto it = ranges.find(begin);
  auto above = std::next(it);
  int64_t below = it == ranges.begin() ? 0 : std::prev(it)->second;
  removeGap({below, it->first});
  if (above != ranges.end()) {
    removeGap({it->second, above->first});
    addGap({below, above->first});
  }
  ranges.erase(it);
}

std::optional<ByteRange> LiveRanges::findGap(const Buffer &buffer) const {
  // Gaps that are just too small, or fail for alignment, may be many.
  constexpr unsigned maxLooks = 256;
  std::optional<ByteRange> best;
  for (unsigned i = classOf(buffer.size); i < gaps.size(); ++i) {
    auto it = choice == GapChoice::First
                  ? gaps[i].begin()
                  : gaps[i].lower_bound({buffer.size, 0});
    for (unsigned look = 0; it != gaps[i].end() && look < maxLooks;
         ++it, ++look) {
      ByteRange gap = gapOf(*it);
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

int64_t LiveRanges::findOffset(const Buffer &buffer, int64_t poolSize) const {
  std::optional<ByteRange> gap = findGap(buffer);
  int64_t top = ranges.empty() ? 0 : ranges.rbegin()->second;
  int64_t aboveTop = alignUp(top, buffer.alignment);
  if (!gap)
    return aboveTop;
  if (choice == GapChoice::Best && aboveTop + buffer.size <= poolSize &&
      poolSize - top < gap->end - gap->begin)
    return aboveTop;
  return alignUp(gap->begin, buffer.alignment);
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
  LiveRanges live(choice);
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
    if (occupied.empty()) {
      offsets[id] = live.findOffset(buffer, poolSize);
    } else {
      live.appendTo(occupied);
      llvm::sort(occupied, std::less<>());
      offsets[id] = findOffset(occupied, buffer, poolSize, choice);
    }
    poolSize = std::max(poolSize, offsets[id] + buffer.size);
    live.insert({offsets[id], offsets[id] + buffer.size});
    return poolSize < limit;
  };
  auto release = [&](BufferId id) {
    if (!buffers[id].fixedOffset)
      live.erase(offsets[id]);
  };
  if (!replay(buffers, allocate, release))
    return {};
  return offsets;
}
