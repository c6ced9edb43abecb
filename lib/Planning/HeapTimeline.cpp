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

HeapTimeline::HeapTimeline(llvm::ArrayRef<Region> regions,
                           llvm::ArrayRef<BaselineBytes> baseline,
                           llvm::ArrayRef<TickRange> limitedTicks,
                           llvm::ArrayRef<int64_t> otherTicks)
    : ticks(otherTicks.begin(), otherTicks.end()) {
  auto addTicks = [&](TickRange range) {
    ticks.push_back(range.first);
    ticks.push_back(range.last + 1);
  };
  for (const Region &region : regions)
    addTicks(region.ticks);
  for (TickRange range : limitedTicks)
    addTicks(range);
  for (const BaselineBytes &item : baseline) {
    ticks.push_back(item.begin);
    ticks.push_back(item.end);
    ticks.push_back(item.leastEnd);
  }
  llvm::sort(ticks, std::less<>());
  ticks.erase(llvm::unique(ticks), ticks.end());
  held.resize(ticks.size());
  for (const BaselineBytes &item : baseline) {
    held[getSegment(item.begin)] += item.bytes;
    held[getSegment(item.end)] -= item.bytes;
  }
  sumUp(held);
  computeAllowed(regions, baseline, limitedTicks);
}

void HeapTimeline::sumUp(llvm::SmallVectorImpl<int64_t> &values) {
  for (size_t i = 1; i < values.size(); ++i)
    values[i] += values[i - 1];
}

size_t HeapTimeline::getSegment(int64_t tick) const {
  const int64_t *it = llvm::lower_bound(ticks, tick);
  assert(it != ticks.end() && *it == tick && "unknown tick");
  return it - ticks.begin();
}

void HeapTimeline::computeAllowed(llvm::ArrayRef<Region> regions,
                                  llvm::ArrayRef<BaselineBytes> baseline,
                                  llvm::ArrayRef<TickRange> limitedTicks) {
  // What every path to a tick holds: a path beside a region, too, reaches the
  // ticks after it.
  llvm::SmallVector<int64_t, 0> least(ticks.size());
  for (const BaselineBytes &item : baseline) {
    int64_t end = std::min(item.leastEnd, regions[item.region].ticks.last + 1);
    if (isMutated("peak-after-region"))
      end = item.leastEnd;
    least[getSegment(item.begin)] += item.leastBytes;
    least[getSegment(end)] -= item.leastBytes;
  }
  sumUp(least);
  // The innermost region of each segment: an inner one follows its parent.
  llvm::SmallVector<unsigned, 0> regionOf(ticks.size(), 0);
  for (auto [index, region] : llvm::enumerate(regions))
    std::fill(regionOf.begin() + getSegment(region.ticks.first),
              regionOf.begin() + getSegment(region.ticks.last + 1), index);
  llvm::SmallVector<int64_t> peaks(regions.size());
  for (auto [region, bytes] : llvm::zip_equal(regionOf, least))
    peaks[region] = std::max(peaks[region], bytes);
  for (auto [index, region] : llvm::enumerate(regions))
    peaks[index] = std::max(peaks[index], peaks[region.parent]);
  if (isMutated("peak-of-all-paths"))
    peaks.assign(peaks.size(), *llvm::max_element(held));
  for (auto [region, bytes] : llvm::zip_equal(regionOf, held))
    allowed.push_back(std::max(peaks[region], bytes));
  if (!isMutated("peak-across-recursion"))
    for (TickRange range : limitedTicks)
      for (size_t i = getSegment(range.first); ticks[i] <= range.last; ++i)
        allowed[i] = held[i];
}

void HeapTimeline::add(HeldBytes item) {
  for (size_t i = getSegment(item.begin); ticks[i] < item.end; ++i)
    held[i] += item.bytes;
}

std::optional<int64_t>
HeapTimeline::findExcess(HeldBytes added, llvm::ArrayRef<HeldBytes> removed,
                         int64_t *bytes) const {
  size_t first = getSegment(added.begin), end = getSegment(added.end);
  llvm::SmallVector<int64_t, 0> changes(end - first + 1);
  auto addChange = [&](const HeldBytes &item, int64_t bytes) {
    size_t from = std::clamp(getSegment(item.begin), first, end);
    size_t to = std::clamp(getSegment(item.end), first, end);
    changes[from - first] += bytes;
    changes[to - first] -= bytes;
  };
  addChange(added, added.bytes);
  for (const HeldBytes &item : removed)
    addChange(item, -item.bytes);
  std::optional<int64_t> tick;
  int64_t change = 0, most = 0;
  for (size_t i = first; i < end; ++i) {
    change += changes[i - first];
    if (int64_t excess = held[i] + change - allowed[i]; excess > most) {
      most = excess;
      tick = ticks[i];
    }
  }
  if (bytes)
    *bytes = most;
  return tick;
}
