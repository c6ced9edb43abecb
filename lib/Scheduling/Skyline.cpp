//===- Skyline.cpp - Buffers on top of each other ------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is placed, seen from above: tops of sections, tops of conflicts, and the
// buffers with a fixed offset, which are there from the start.
//
//===----------------------------------------------------------------------===//

#include "Skyline.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

static llvm::SmallVector<BufferId, 0>
collectFixed(const SchedulingProblem &problem) {
  llvm::SmallVector<BufferId, 0> fixed;
  for (const auto &[index, buffer] : llvm::enumerate(problem.buffers))
    if (buffer.fixedOffset)
      fixed.push_back(index);
  return fixed;
}

Skyline::Skyline(const SchedulingProblem &problem, const Sections &sections,
                 const ConflictLists &conflicts)
    : problem(problem), sections(sections), conflicts(conflicts),
      tops(sections.size()), obstacles(problem.buffers, collectFixed(problem)) {
  if (!problem.conflicts.empty())
    conflictTops.assign(problem.buffers.size(), 0);
  for (BufferId id : collectFixed(problem))
    obstacles.insert(id);
}

int64_t Skyline::getOffset(BufferId id) const {
  int64_t offset = 0;
  sections.forEachLiveRange(id, [&](unsigned begin, unsigned end) {
    offset = std::max(offset, tops.getHighest(begin, end));
  });
  if (!conflictTops.empty())
    offset = std::max(offset, conflictTops[id]);
  offset = alignUp(offset, problem.buffers[id].alignment);
  return obstacles.empty() ? offset : avoidObstacles(id, offset);
}

int64_t Skyline::avoidObstacles(BufferId id, int64_t offset) const {
  const Buffer &buffer = problem.buffers[id];
  llvm::SmallVector<ByteRange> ranges;
  auto add = [&](BufferId other) {
    int64_t begin = *problem.buffers[other].fixedOffset;
    int64_t end = begin + problem.buffers[other].size;
    if (end > offset)
      ranges.push_back({begin, end});
  };
  obstacles.forEachOverlap(buffer, add);
  for (BufferId other : conflicts.of(id))
    if (problem.buffers[other].fixedOffset)
      add(other);
  llvm::sort(ranges, std::less<>());
  for (const ByteRange &range : ranges) {
    if (range.begin >= offset + buffer.size)
      break;
    if (range.end > offset)
      offset = alignUp(range.end, buffer.alignment);
  }
  return offset;
}

void Skyline::put(BufferId id, int64_t offset) {
  int64_t top = offset + problem.buffers[id].size;
  sections.forEachLiveRange(
      id, [&](unsigned begin, unsigned end) { tops.raise(begin, end, top); });
  if (!conflictTops.empty())
    for (BufferId other : conflicts.of(id))
      conflictTops[other] = std::max(conflictTops[other], top);
}

llvm::SmallVector<int64_t, 0>
buffer_merge::settle(const SchedulingProblem &problem,
                     llvm::ArrayRef<int64_t> offsets) {
  Sections sections(problem.buffers);
  ConflictLists conflicts(problem);
  Skyline skyline(problem, sections, conflicts);
  llvm::SmallVector<int64_t, 0> settled(offsets.size());
  for (BufferId id : orderByOffset(offsets)) {
    if (std::optional<int64_t> fixed = problem.buffers[id].fixedOffset) {
      settled[id] = *fixed;
      continue;
    }
    settled[id] = skyline.getOffset(id);
    skyline.put(id, settled[id]);
  }
  return settled;
}
