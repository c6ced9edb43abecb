//===- Skyline.cpp - Buffers on top of each other ------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is placed, seen from above: tops of sections, tops of conflicts, and the
// buffers with a fixed offset, which are there from the start. The highest top
// of a range of sections is found by a walk from both of its ends to the root.
//
//===----------------------------------------------------------------------===//

#include "Skyline.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

SectionTops::SectionTops(unsigned numSections)
    : width(llvm::PowerOf2Ceil(std::max(numSections, 1u))), tops(2 * width, 0),
      marks(2 * width, 0) {}

int64_t SectionTops::getHighest(unsigned begin, unsigned end) const {
  // The leaves at both ends, the subtrees between them, whose roots are inner
  // siblings on the way up, and the marks above.
  size_t left = width + begin;
  size_t right = width + end - 1;
  int64_t offset = std::max(tops[left], tops[right]);
  for (; (left ^ right) > 1; left /= 2, right /= 2) {
    if (left % 2 == 0)
      offset = std::max(offset, tops[left + 1]);
    if (right % 2 == 1)
      offset = std::max(offset, tops[right - 1]);
    offset = std::max({offset, marks[left / 2], marks[right / 2]});
  }
  for (left /= 2; left != 0; left /= 2)
    offset = std::max(offset, marks[left]);
  return offset;
}

void SectionTops::raise(unsigned begin, unsigned end, int64_t top) {
  auto mark = [&](size_t node) {
    tops[node] = std::max(tops[node], top);
    marks[node] = std::max(marks[node], top);
  };
  size_t left = width + begin;
  size_t right = width + end - 1;
  mark(left);
  mark(right);
  for (; (left ^ right) > 1; left /= 2, right /= 2) {
    if (left % 2 == 0)
      mark(left + 1);
    if (right % 2 == 1)
      mark(right - 1);
    tops[left / 2] = std::max(tops[left / 2], top);
    tops[right / 2] = std::max(tops[right / 2], top);
  }
  for (left /= 2; left != 0; left /= 2)
    tops[left] = std::max(tops[left], top);
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
