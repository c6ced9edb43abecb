//===- CanonicalFit.cpp - Buffers placed from bottom to top --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CanonicalFit.h"

#include "Skyline.h"

#include "llvm/ADT/STLExtras.h"

#include <queue>

using namespace buffer_merge;

llvm::SmallVector<int64_t, 0>
buffer_merge::fitCanonically(const SchedulingProblem &problem,
                             const Sections &sections,
                             llvm::ArrayRef<BufferId> ranking) {
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  ConflictLists conflicts(problem);
  Skyline skyline(problem, sections, conflicts);
  llvm::SmallVector<int64_t, 0> offsets(buffers.size());

  // An offset in the queue may be too low, because others were put meanwhile.
  // Offsets only grow, so that it is enough to look when a buffer comes first.
  using Entry = std::pair<int64_t, unsigned>;
  std::vector<Entry> entries;
  entries.reserve(buffers.size());
  for (const auto &[rank, id] : llvm::enumerate(ranking)) {
    if (buffers[id].fixedOffset)
      offsets[id] = *buffers[id].fixedOffset;
    else
      entries.emplace_back(0, rank);
  }
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue(
      std::greater<Entry>(), std::move(entries));
  while (!queue.empty()) {
    auto [expected, rank] = queue.top();
    queue.pop();
    BufferId id = ranking[rank];
    int64_t offset = skyline.getOffset(id);
    if (offset != expected) {
      queue.emplace(offset, rank);
      continue;
    }
    offsets[id] = offset;
    skyline.put(id, offset);
  }
  return offsets;
}
