//===- Repair.cpp - A schedule made lower where it is high ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One place after the other, the highest first: larger and larger cores are
// tried, each with two rings of buffers that go around it.
//
//===----------------------------------------------------------------------===//

#include "Repair.h"

#include "BufferOrder.h"
#include "Components.h"
#include "GapFit.h"
#include "KeySort.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <array>

using namespace buffer_merge;

namespace {
/// The places of one schedule.
class Repair {
public:
  Repair(const SchedulingProblem &problem,
         llvm::MutableArrayRef<int64_t> offsets, int64_t target,
         int64_t maxWork, CoreScheduler scheduleCore);

  /// Return the work done.
  int64_t run();

private:
  int64_t getTop(BufferId id) const {
    return offsets[id] + problem.buffers[id].size;
  }
  void pushIfHigh(BufferId id);
  using Ids = llvm::SmallVector<BufferId, 0>;
  bool collectAlive(SectionRange range, size_t most, Ids &ids);
  bool collectCore(BufferId highest, int64_t hot, Ids &core);
  SectionRange getSpan(llvm::ArrayRef<BufferId> ids) const;
  bool repairPlace(BufferId highest);
  bool placeAround(llvm::ArrayRef<BufferId> core,
                   llvm::ArrayRef<int64_t> coreOffsets, SectionRange range,
                   int64_t height);

  const SchedulingProblem &problem;
  llvm::MutableArrayRef<int64_t> offsets;
  int64_t target, maxWork, work = 0;
  CoreScheduler scheduleCore;
  Sections sections;

  /// The buffers in the order of their first sections, and for each block of
  /// them the latest end.
  llvm::SmallVector<BufferId, 0> order;
  llvm::SmallVector<unsigned, 0> blockEnds;
  static constexpr size_t blockSize = 64;

  /// Tops above the target, a heap. What has moved since is left out later.
  llvm::SmallVector<std::pair<int64_t, BufferId>, 0> high;
  llvm::BitVector isFree;
};
} // namespace

Repair::Repair(const SchedulingProblem &problem,
               llvm::MutableArrayRef<int64_t> offsets, int64_t target,
               int64_t maxWork, CoreScheduler scheduleCore)
    : problem(problem), offsets(offsets), target(target), maxWork(maxWork),
      scheduleCore(scheduleCore), sections(problem.buffers),
      order(orderByKey(offsets.size(),
                       [&](BufferId id) { return sections.getBegin(id); })),
      blockEnds(llvm::divideCeil(offsets.size(), blockSize), 0),
      isFree(offsets.size()) {
  for (auto [position, id] : llvm::enumerate(order)) {
    unsigned &latest = blockEnds[position / blockSize];
    latest = std::max(latest, sections.getEnd(id));
    pushIfHigh(id);
  }
}

void Repair::pushIfHigh(BufferId id) {
  if (getTop(id) <= target)
    return;
  high.push_back({getTop(id), id});
  std::push_heap(high.begin(), high.end());
}

/// Append the buffers that are alive in `range`, in the order of their first
/// sections. Return false if they are more than `most`.
bool Repair::collectAlive(SectionRange range, size_t most, Ids &ids) {
  const size_t limit =
      llvm::partition_point(
          order,
          [&](BufferId id) { return sections.getBegin(id) < range.end; }) -
      order.begin();
  for (size_t first = 0; first < limit; first += blockSize) {
    if (blockEnds[first / blockSize] <= range.begin)
      continue;
    work += 2;
    for (size_t i = first; i < std::min(first + blockSize, limit); ++i)
      if (sections.getEnd(order[i]) > range.begin)
        ids.push_back(order[i]);
    if (ids.size() > most)
      return false;
  }
  return true;
}

SectionRange Repair::getSpan(llvm::ArrayRef<BufferId> ids) const {
  SectionRange span = {sections.size(), 0};
  for (BufferId id : ids) {
    span.begin = std::min(span.begin, sections.getBegin(id));
    span.end = std::max(span.end, sections.getEnd(id));
  }
  return span;
}

/// Fill `core` with the buffers that are alive when more than `hot` bytes are,
/// while `highest` is or right before or after. Return false if they are too
/// many.
bool Repair::collectCore(BufferId highest, int64_t hot, Ids &core) {
  constexpr size_t mostOfCore = 2048;
  llvm::ArrayRef<int64_t> totals = sections.getTotals();
  SectionRange range = {sections.getBegin(highest), sections.getEnd(highest)};
  while (range.begin != 0 && totals[range.begin - 1] > hot)
    --range.begin;
  while (range.end != totals.size() && totals[range.end] > hot)
    ++range.end;
  core.clear();
  // Of those alive in the range, some are only where it is not hot.
  if (!collectAlive(range, 2 * mostOfCore, core))
    return false;
  llvm::erase_if(core, [&](BufferId id) {
    unsigned begin = std::max(range.begin, sections.getBegin(id));
    unsigned end = std::min(range.end, sections.getEnd(id));
    return id != highest &&
           llvm::none_of(totals.slice(begin, end - begin),
                         [&](int64_t total) { return total > hot; });
  });
  return core.size() <= mostOfCore;
}

/// Place the core, and around it what else is alive in `range`. Return true if
/// that is lower than `height`, after which it is so.
bool Repair::placeAround(llvm::ArrayRef<BufferId> core,
                         llvm::ArrayRef<int64_t> coreOffsets,
                         SectionRange range, int64_t height) {
  constexpr size_t mostAround = 8192;
  constexpr uint64_t mostPairs = uint64_t(1) << 18;
  Ids ids(core), alive;
  isFree.reset();
  for (BufferId id : core)
    isFree.set(id);
  auto append = [&](SectionRange where, size_t most) {
    alive.clear();
    if (!collectAlive(where, most, alive))
      return false;
    for (BufferId id : alive)
      if (!isFree[id])
        ids.push_back(id);
    return true;
  };
  if (!append(range, mostAround))
    return false;
  const size_t numFree = ids.size();
  for (BufferId id : llvm::ArrayRef(ids).drop_front(core.size()))
    isFree.set(id);
  if (!append(getSpan(ids), 2 * mostAround))
    return false;
  SchedulingProblem part = extractProblem(problem, ids);
  const uint64_t pairs = countOverlaps(part);
  if (pairs > mostPairs)
    return false;
  for (auto [index, buffer] : llvm::enumerate(part.buffers)) {
    if (index < core.size())
      buffer.fixedOffset = coreOffsets[index];
    else if (index >= numFree)
      buffer.fixedOffset = offsets[ids[index]];
  }

  struct Rule {
    std::array<OrderKey, 3> keys;
    GapChoice choice;
  };
  using Key = OrderKey;
  static constexpr Rule rules[] = {
      {{Key::Contention, Key::Duration, Key::Size}, GapChoice::First},
      {{Key::Area, Key::Contention, Key::Size}, GapChoice::First},
      {{Key::Contention, Key::Size, Key::Duration}, GapChoice::Best},
  };
  Sections partSections(part.buffers);
  llvm::SmallVector<int64_t, 0> best;
  for (const Rule &rule : rules) {
    work += ids.size() + pairs / 32;
    llvm::SmallVector<int64_t, 0> placed =
        fitInOrder(part, orderBuffers(part, partSections, rule.keys),
                   rule.choice, /*limit=*/height);
    if (placed.empty())
      continue;
    height = 0;
    for (size_t i = 0; i < numFree; ++i)
      height = std::max(height, placed[i] + part.buffers[i].size);
    best = std::move(placed);
    if (height <= target)
      break;
  }
  if (best.empty())
    return false;
  for (size_t i = 0; i < numFree; ++i) {
    offsets[ids[i]] = best[i];
    pushIfHigh(ids[i]);
  }
  return true;
}

/// Make the place of `highest` lower. Return false if that does not succeed.
bool Repair::repairPlace(BufferId highest) {
  const int64_t height = getTop(highest);
  size_t last = 0;
  Ids core;
  for (int64_t tenths = 9; tenths >= 1; --tenths) {
    if (work > maxWork || !collectCore(highest, target / 10 * tenths, core))
      return false;
    if (core.size() == last)
      continue;
    last = core.size();
    SchedulingProblem part = extractProblem(problem, core);
    llvm::SmallVector<int64_t, 0> coreOffsets = scheduleCore(part, work);
    if (makeSchedule(part, coreOffsets).poolSize >= height)
      continue;
    const SectionRange span = getSpan(core);
    const unsigned length = span.end - span.begin;
    for (unsigned reach : {0u, length, 3 * length}) {
      SectionRange range = {span.begin - std::min(span.begin, reach),
                            std::min(span.end + reach, sections.size())};
      if (placeAround(core, coreOffsets, range, height))
        return true;
    }
  }
  return false;
}

int64_t Repair::run() {
  while (!high.empty()) {
    std::pop_heap(high.begin(), high.end());
    auto [top, id] = high.pop_back_val();
    if (getTop(id) == top && !repairPlace(id))
      break;
  }
  return work;
}

int64_t buffer_merge::repairHighPlaces(const SchedulingProblem &problem,
                                       llvm::MutableArrayRef<int64_t> offsets,
                                       int64_t target, int64_t maxWork,
                                       CoreScheduler scheduleCore) {
  return Repair(problem, offsets, target, maxWork, scheduleCore).run();
}
