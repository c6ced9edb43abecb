//===- Heap.cpp - Bytes held over time, path by path ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Heap.h"
#include "Mutation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <set>

using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

void Heap::Sums::resize(size_t size) {
  differences.assign(size + 1, 0);
  tree.assign(size + 2, 0);
}

/// Add `value` to the numbers of `segments`, of which `differences` has those
/// of neighbours.
static void addTo(llvm::MutableArrayRef<int64_t> differences,
                  std::pair<size_t, size_t> segments, int64_t value) {
  if (segments.first >= segments.second)
    return;
  differences[segments.first] += value;
  differences[segments.second] -= value;
}

void Heap::Sums::add(Segments segments, int64_t value) {
  if (segments.first >= segments.second || value == 0)
    return;
  addTo(differences, segments, value);
  for (size_t i = segments.first + 1; i < tree.size(); i += i & -i)
    tree[i] += value;
  for (size_t i = segments.second + 1; i < tree.size(); i += i & -i)
    tree[i] -= value;
}

llvm::SmallVector<int64_t, 0> Heap::Sums::get(Segments segments) const {
  int64_t value = 0;
  for (size_t i = segments.first; i != 0; i -= i & -i)
    value += tree[i];
  llvm::SmallVector<int64_t, 0> values;
  values.reserve(segments.second - segments.first);
  for (size_t i = segments.first; i < segments.second; ++i)
    values.push_back(value += differences[i]);
  return values;
}

namespace {
/// Finds the maximum of a range (sparse table: M. Bender and M. Farach-Colton,
/// The LCA problem revisited, LATIN 2000). n log n to build, then constant.
class RangeMaximum {
public:
  explicit RangeMaximum(llvm::ArrayRef<int64_t> values)
      : levels(1, llvm::SmallVector<int64_t, 0>(values)) {
    for (size_t width = 1; 2 * width <= values.size(); width *= 2) {
      llvm::SmallVector<int64_t, 0> next;
      llvm::ArrayRef<int64_t> level = levels.back();
      for (size_t i = 0; i + width < level.size(); ++i)
        next.push_back(std::max(level[i], level[i + width]));
      levels.push_back(std::move(next));
    }
  }

  /// Return the maximum of the values from `first` until before `end`; 0 if
  /// there are none.
  int64_t get(size_t first, size_t end) const {
    if (first >= end)
      return 0;
    unsigned level = llvm::Log2_64(end - first);
    return std::max(levels[level][first],
                    levels[level][end - (size_t(1) << level)]);
  }

private:
  llvm::SmallVector<llvm::SmallVector<int64_t, 0>, 0> levels;
};
} // namespace

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Heap::Heap(llvm::ArrayRef<unsigned> parents,
           llvm::ArrayRef<BranchTree::Part> parts, llvm::ArrayRef<Hold> holds,
           llvm::ArrayRef<int64_t> poolTicks) {
  llvm::SmallVector<int64_t, 0> all(poolTicks);
  auto addTicks = [&](TickRange range) {
    all.push_back(range.first);
    all.push_back(range.last + 1);
  };
  for (const BranchTree::Part &part : parts)
    addTicks(part.ticks);
  // What is left behind.
  all.push_back(parts.front().ticks.last + 2);
  for (const Hold &hold : holds) {
    addTicks(hold.ticks);
    llvm::for_each(hold.certain, addTicks);
  }
  makeSegments(all);
  findBranches(parents, parts);
  held.resize(ticks.size());
  padding.resize(ticks.size());
  surplus.resize(ticks.size());
  for (const Hold &hold : holds)
    if (hold.most) {
      held.add(getSegments(hold.ticks), *hold.most);
      padding.add(getSegments(hold.ticks), hold.padding);
    }
  findAllowed(parents, holds);
}

/// Sort the ticks, each once. Most are there several times.
void Heap::makeSegments(llvm::SmallVectorImpl<int64_t> &all) {
  auto [least, most] = std::minmax_element(all.begin(), all.end());
  const int64_t first = *least;
  segmentOf.resize(*most - first + 1);
  for (int64_t tick : all)
    segmentOf[tick - first] = 1;
  for (auto [i, segment] : llvm::enumerate(segmentOf))
    if (segment) {
      segment = ticks.size();
      ticks.push_back(first + i);
    }
  // The last tick ends the last segment.
  ticks.pop_back();
}

size_t Heap::getSegment(int64_t tick) const {
  size_t segment = segmentOf[tick - ticks.front()];
  assert((segment == ticks.size() || ticks[segment] == tick) && "unknown tick");
  return segment;
}

void Heap::findBranches(llvm::ArrayRef<unsigned> parents,
                        llvm::ArrayRef<BranchTree::Part> parts) {
  branchOf.resize(ticks.size());
  endOf.resize(parents.size());
  for (const BranchTree::Part &part : parts) {
    auto [first, end] = getSegments(part.ticks);
    std::fill(branchOf.begin() + first, branchOf.begin() + end, part.branch);
    endOf[part.branch] = std::max(endOf[part.branch], end);
  }
  endOf.front() = ticks.size();
}

/// Return what every path to each segment holds there.
llvm::SmallVector<int64_t, 0>
Heap::sumUpCertain(llvm::ArrayRef<Hold> holds) const {
  llvm::SmallVector<int64_t, 0> least(ticks.size() + 1);
  for (const Hold &hold : holds)
    // What is of unknown size is there at the tick that is compared, too
    // (`findWindows`).
    if (hold.most || hold.mayVary)
      for (TickRange range : hold.certain)
        addTo(least, getSegments(range), hold.least);
  std::partial_sum(least.begin(), least.end(), least.begin());
  return least;
}

/// Return for each segment the segments that have everything of unknown size
/// that it may have, as much of it, for certain: for most, all of them.
llvm::SmallVector<Heap::Segments, 0>
Heap::findWindows(llvm::ArrayRef<Hold> holds) const {
  llvm::SmallVector<Segments, 0> windows(ticks.size(), {0, ticks.size()});
  if (isMutated("R7-unknown-size"))
    return windows;
  // By segment, the holds that begin there, and those that end.
  using Change = std::pair<size_t, const Hold *>;
  llvm::SmallVector<Change, 0> begins, ends;
  for (const Hold &hold : holds)
    if (!hold.most && hold.ticks.first <= hold.ticks.last) {
      auto [first, end] = getSegments(hold.ticks);
      begins.emplace_back(first, &hold);
      ends.emplace_back(end, &hold);
    }
  if (begins.empty())
    return windows;
  llvm::sort(begins, llvm::less_first());
  llvm::sort(ends, llvm::less_first());
  auto getCertain = [&](const Hold &hold) {
    return hold.mayVary || hold.certain.empty()
               ? Segments(0, 0)
               : getSegments(hold.certain.front());
  };
  std::multiset<size_t> firsts, lasts;
  auto begin = begins.begin(), end = ends.begin();
  for (size_t i = 0; i < ticks.size(); ++i) {
    for (; begin != begins.end() && begin->first == i; ++begin) {
      Segments certain = getCertain(*begin->second);
      firsts.insert(certain.first);
      lasts.insert(certain.second);
    }
    for (; end != ends.end() && end->first == i; ++end) {
      Segments certain = getCertain(*end->second);
      firsts.erase(firsts.find(certain.first));
      lasts.erase(lasts.find(certain.second));
    }
    if (!firsts.empty())
      windows[i] = {*firsts.rbegin(),
                    std::max(*firsts.rbegin(), *lasts.begin())};
  }
  return windows;
}

void Heap::findAllowed(llvm::ArrayRef<unsigned> parents,
                       llvm::ArrayRef<Hold> holds) {
  const size_t leftBehind = ticks.size() - 1;
  llvm::SmallVector<int64_t, 0> least = sumUpCertain(holds);
  llvm::SmallVector<Segments, 0> windows = findWindows(holds);
  // The peak of each branch with those around it.
  llvm::SmallVector<int64_t, 0> peaks(parents.size());
  for (size_t i = 0; i < leftBehind; ++i)
    peaks[branchOf[i]] = std::max(peaks[branchOf[i]], least[i]);
  for (auto [branch, parent] : llvm::enumerate(parents))
    peaks[branch] = std::max(peaks[branch], peaks[parent]);
  leastPeak = peaks.front();
  worstPeak = *llvm::max_element(peaks);

  // By branch, its segments and the maxima of ranges of them.
  using BranchSegments =
      std::pair<llvm::SmallVector<size_t, 0>, std::optional<RangeMaximum>>;
  llvm::SmallVector<BranchSegments, 0> segmentsOf;
  auto findInWindow = [&](unsigned branch, Segments window) {
    if (segmentsOf.empty()) {
      segmentsOf.resize(parents.size());
      for (size_t i = 0; i < leftBehind; ++i)
        segmentsOf[branchOf[i]].first.push_back(i);
    }
    int64_t most = 0;
    while (true) {
      auto &[segments, maximum] = segmentsOf[branch];
      if (!maximum)
        maximum.emplace(llvm::map_to_vector<0>(
            segments, [&](size_t segment) { return least[segment]; }));
      most = std::max(
          most,
          maximum->get(
              llvm::lower_bound(segments, window.first) - segments.begin(),
              llvm::lower_bound(segments, window.second) - segments.begin()));
      if (branch == 0)
        return most;
      branch = parents[branch];
    }
  };
  llvm::DenseMap<unsigned, int64_t> inWindow;
  Segments window = {0, 0};
  isLimited.resize(ticks.size());
  for (size_t i = 0; i < leftBehind; ++i) {
    if (windows[i] == Segments(0, ticks.size())) {
      allowed.push_back(peaks[branchOf[i]]);
      continue;
    }
    isLimited.set(i);
    if (windows[i] != window)
      inWindow.clear();
    window = windows[i];
    auto [entry, isNew] = inWindow.try_emplace(branchOf[i], 0);
    if (isNew)
      entry->second = findInWindow(branchOf[i], window);
    allowed.push_back(entry->second);
  }
  // What is left behind is there when this, and whoever called it, goes on.
  allowed.push_back(least[leftBehind]);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

Room Heap::findRoom(const Swap &swap, bool isWorstPathOnly) const {
  Segments segments = getSegments(swap.ticks);
  const size_t first = segments.first, end = segments.second;
  // What is removed, as differences of neighbours.
  llvm::SmallVector<int64_t, 0> heldLess(end - first + 1),
      certainLess(end - first + 1);
  auto addInside = [&](llvm::MutableArrayRef<int64_t> differences,
                       TickRange range, int64_t bytes) {
    Segments inside = getSegments(range);
    addTo(differences,
          {std::clamp(inside.first, first, end) - first,
           std::clamp(inside.second, first, end) - first},
          bytes);
  };
  int64_t forGood = 0;
  for (const Hold *hold : swap.removed) {
    addInside(heldLess, hold->ticks, hold->most.value_or(0));
    for (TickRange range : hold->certain)
      addInside(certainLess, range, hold->least);
    if (hold->branch == swap.branch)
      forGood += hold->least;
  }
  llvm::SmallVector<int64_t, 0> heldNow = held.get(segments),
                                surplusNow = surplus.get(segments);
  Room room = {INT64_MAX, swap.ticks.first};
  int64_t less = 0, lessCertain = 0;
  for (size_t i = 0; i < end - first; ++i) {
    less += heldLess[i];
    lessCertain += certainLess[i];
    int64_t others = heldNow[i] - less;
    // Of what is held beside something of unknown size nothing is known of
    // other paths.
    const bool isWorstPath = isWorstPathOnly && !isLimited.test(first + i);
    int64_t bytes = isWorstPath ? worstPeak - others
                                : std::max(allowed[first + i] - others,
                                           lessCertain - surplusNow[i]);
    if (bytes < room.bytes)
      room = {bytes, ticks[first + i]};
  }
  if (swap.forGoodFrom && forGood < room.bytes)
    room = {forGood, swap.ticks.last};
  return room;
}

std::pair<int64_t, int64_t> Heap::getMostHeld() const {
  int64_t most = 0, last = 0;
  for (auto [bytes, notThere] :
       llvm::zip(held.get({0, ticks.size()}), padding.get({0, ticks.size()})))
    most = std::max(most, last = bytes - notThere);
  return {most, last};
}

bool Heap::holdsLess(const Heap &other, int64_t bytes) const {
  auto [most, left] = getMostHeld();
  auto [otherMost, otherLeft] = other.getMostHeld();
  return most <= otherMost && left <= otherLeft &&
         (otherMost - most >= bytes || otherLeft - left >= bytes);
}

void Heap::commit(const Swap &swap, int64_t bytes, int64_t notThere) {
  Segments segments = getSegments(swap.ticks);
  Segments all = swap.forGoodFrom
                     ? Segments(getSegment(*swap.forGoodFrom), ticks.size())
                     : segments;
  held.add(all, bytes);
  padding.add(all, notThere);
  surplus.add(swap.forGoodFrom ? Segments(segments.first, endOf[swap.branch])
                               : segments,
              bytes);
  for (const Hold *hold : swap.removed) {
    held.add(getSegments(hold->ticks), -hold->most.value_or(0));
    padding.add(getSegments(hold->ticks), -hold->padding);
    for (TickRange range : hold->certain)
      surplus.add(getSegments(range), -hold->least);
  }
}
