//===- HeapTimeline.cpp - Bytes held over time ----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeapTimeline.h"
#include "Mutation.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

/// Turn differences into sums.
static void sumUp(llvm::SmallVectorImpl<int64_t> &values) {
  for (size_t i = 1; i < values.size(); ++i)
    values[i] += values[i - 1];
}

HeapTimeline::HeapTimeline(llvm::ArrayRef<unsigned> parents,
                           llvm::ArrayRef<BranchTree::Part> parts,
                           llvm::ArrayRef<HeldItem> items,
                           llvm::ArrayRef<int64_t> otherTicks)
    : ticks(otherTicks.begin(), otherTicks.end()) {
  auto addTicks = [&](TickRange range) {
    ticks.push_back(range.first);
    ticks.push_back(range.last + 1);
  };
  for (const BranchTree::Part &part : parts)
    addTicks(part.ticks);
  for (const HeldItem &item : items) {
    addTicks(item.ticks);
    llvm::for_each(item.certainTicks, addTicks);
  }
  makeSegments();
  held.resize(ticks.size());
  for (const HeldItem &item : items)
    if (item.bytes) {
      auto [first, end] = getSegments(item.ticks);
      held[first] += *item.bytes;
      held[end] -= *item.bytes;
    }
  sumUp(held);
  surplus.resize(ticks.size());
  computePeaks(parents, parts, items);
}

/// Sort the ticks, each once. Most are there several times.
void HeapTimeline::makeSegments() {
  if (ticks.empty())
    return;
  auto [least, most] = std::minmax_element(ticks.begin(), ticks.end());
  const int64_t first = *least;
  segmentOf.resize(*most - first + 1);
  for (int64_t tick : ticks)
    segmentOf[tick - first] = 1;
  ticks.clear();
  for (auto [i, segment] : llvm::enumerate(segmentOf))
    if (segment) {
      segment = ticks.size();
      ticks.push_back(first + i);
    }
}

size_t HeapTimeline::getSegment(int64_t tick) const {
  size_t segment = segmentOf[tick - ticks.front()];
  assert(ticks[segment] == tick && "unknown tick");
  return segment;
}

/// Return the segments of `range`, half-open.
HeapTimeline::Segments HeapTimeline::getSegments(TickRange range) const {
  return {getSegment(range.first), getSegment(range.last + 1)};
}

int64_t HeapTimeline::getPeak() const { return *llvm::max_element(held); }

/// Return for each segment the segments that have everything of unknown size
/// that it may have, as much of it, for certain; the same as in the segment
/// before for most.
llvm::SmallVector<HeapTimeline::Segments, 0>
HeapTimeline::findWindows(llvm::ArrayRef<HeldItem> items) const {
  llvm::SmallVector<Segments, 0> windows(ticks.size(), {0, ticks.size()});
  for (const HeldItem &item : items) {
    if (item.bytes || isMutated("peak-unknown-size"))
      continue;
    Segments certain = {0, 0};
    if (!item.mayVary && !item.certainTicks.empty())
      certain = getSegments(item.certainTicks.front());
    auto [first, end] = getSegments(item.ticks);
    for (size_t i = first; i < end; ++i) {
      auto &[windowFirst, windowEnd] = windows[i];
      windowFirst = std::max(windowFirst, certain.first);
      windowEnd = std::max(windowFirst, std::min(windowEnd, certain.second));
    }
  }
  return windows;
}

void HeapTimeline::computePeaks(llvm::ArrayRef<unsigned> parents,
                                llvm::ArrayRef<BranchTree::Part> parts,
                                llvm::ArrayRef<HeldItem> items) {
  // What every path to a tick holds there.
  llvm::SmallVector<int64_t, 0> least(ticks.size());
  for (const HeldItem &item : items) {
    // It is there at the tick that is compared, too (`findWindows`).
    if (!item.bytes && !item.mayVary)
      continue;
    for (TickRange range : item.certainTicks) {
      auto [first, end] = getSegments(range);
      least[first] += item.leastBytes;
      least[end] -= item.leastBytes;
    }
  }
  sumUp(least);
  llvm::SmallVector<unsigned, 0> branchOf(ticks.size(), 0);
  for (const BranchTree::Part &part : parts) {
    auto [first, end] = getSegments(part.ticks);
    std::fill(branchOf.begin() + first, branchOf.begin() + end, part.branch);
  }
  // The peaks of the branches in `window`, and of their parents.
  using Peaks = llvm::SmallVector<int64_t, 0>;
  auto computeBranchPeaks = [&](Segments window) {
    Peaks branchPeaks(parents.size());
    for (size_t i = window.first; i < window.second; ++i)
      branchPeaks[branchOf[i]] = std::max(branchPeaks[branchOf[i]], least[i]);
    for (auto [branch, parent] : llvm::enumerate(parents))
      branchPeaks[branch] = std::max(branchPeaks[branch], branchPeaks[parent]);
    if (isMutated("peak-of-all-paths"))
      branchPeaks.assign(parents.size(), getPeak());
    return branchPeaks;
  };
  const Segments whole = {0, ticks.size()};
  const Peaks wholePeaks = computeBranchPeaks(whole);
  leastPeak = wholePeaks.front();
  Segments window = {0, 0};
  Peaks windowPeaks = computeBranchPeaks(window);
  for (auto [i, next] : llvm::enumerate(findWindows(items))) {
    if (next != window && next != whole)
      windowPeaks = computeBranchPeaks(window = next);
    peaks.push_back((next == whole ? wholePeaks : windowPeaks)[branchOf[i]]);
  }
}

/// Return what changes in `segments` if `pool` is held in place of `removed`.
HeapTimeline::Changes
HeapTimeline::computeChanges(HeldBytes pool,
                             llvm::ArrayRef<const HeldItem *> removed,
                             Segments segments) const {
  size_t first = segments.first, end = segments.second;
  Changes changes;
  changes.held.resize(end - first + 1);
  changes.surplus.resize(end - first + 1);
  auto add = [&](llvm::SmallVectorImpl<int64_t> &changes, Segments changed,
                 int64_t bytes) {
    changes[std::clamp(changed.first, first, end) - first] += bytes;
    changes[std::clamp(changed.second, first, end) - first] -= bytes;
  };
  Segments poolSegments = {getSegment(pool.begin), getSegment(pool.end)};
  add(changes.held, poolSegments, pool.bytes);
  add(changes.surplus, poolSegments, pool.bytes);
  for (const HeldItem *item : removed) {
    add(changes.held, getSegments(item->ticks), -item->bytes.value_or(0));
    for (TickRange range : item->certainTicks)
      add(changes.surplus, getSegments(range), -item->leastBytes);
  }
  sumUp(changes.held);
  sumUp(changes.surplus);
  return changes;
}

void HeapTimeline::replace(HeldBytes pool, llvm::ArrayRef<HeldItem> removed) {
  Changes changes =
      computeChanges(pool, toPointers(removed), {0, ticks.size() - 1});
  for (size_t i = 0; i < ticks.size(); ++i) {
    held[i] += changes.held[i];
    surplus[i] += changes.surplus[i];
  }
}

std::optional<int64_t>
HeapTimeline::findExcess(HeldBytes pool,
                         llvm::ArrayRef<const HeldItem *> removed,
                         int64_t *bytes) const {
  size_t first = getSegment(pool.begin), end = getSegment(pool.end);
  Changes changes = computeChanges(pool, removed, {first, end});
  std::optional<int64_t> tick;
  int64_t worst = 0;
  for (size_t i = first; i < end; ++i) {
    int64_t excess = std::min(held[i] + changes.held[i - first] - peaks[i],
                              surplus[i] + changes.surplus[i - first]);
    if (excess > worst) {
      worst = excess;
      tick = ticks[i];
    }
  }
  if (bytes)
    *bytes = worst;
  return tick;
}
