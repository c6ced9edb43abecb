//===- SamePlaces.cpp - Buffers that have one place -----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SamePlaces.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace buffer_merge;

/// Set the lifetime of `buffer` to all of `live`, which are not empty.
static void setLifetime(Buffer &buffer,
                        llvm::SmallVectorImpl<TickInterval> &live) {
  llvm::sort(live, [](const TickInterval &a, const TickInterval &b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  buffer.gaps.clear();
  buffer.begin = live.front().begin;
  buffer.end = live.front().end;
  for (const TickInterval &interval : live) {
    if (interval.begin > buffer.end)
      buffer.gaps.push_back({buffer.end, interval.begin});
    buffer.end = std::max(buffer.end, interval.end);
  }
}

PlaceGroups::PlaceGroups(const SchedulingProblem &problem) {
  llvm::IntEqClasses classes(problem.buffers.size());
  for (auto [a, b] : problem.samePlaces)
    classes.join(a, b);
  classes.compress();
  unsigned count = classes.getNumClasses();
  united.buffers.resize(count);
  united.capacity = problem.capacity;
  llvm::SmallVector<unsigned, 0> members(count, 0);
  llvm::SmallVector<llvm::SmallVector<TickInterval, 1>, 0> live(count);
  for (auto [id, buffer] : llvm::enumerate(problem.buffers)) {
    unsigned group = classes[id];
    groupOf.push_back(group);
    buffer.forEachLiveInterval([&](int64_t begin, int64_t end) {
      live[group].push_back({begin, end});
    });
    Buffer &all = united.buffers[group];
    if (members[group]++ == 0) {
      all = buffer;
      continue;
    }
    all.size = std::max(all.size, buffer.size);
    all.alignment = std::lcm(all.alignment, buffer.alignment);
    if (!all.fixedOffset)
      all.fixedOffset = buffer.fixedOffset;
  }
  for (auto [group, buffer] : llvm::enumerate(united.buffers))
    if (members[group] > 1)
      setLifetime(buffer, live[group]);
  for (auto [a, b] : problem.conflicts)
    if (groupOf[a] != groupOf[b])
      united.conflicts.push_back({groupOf[a], groupOf[b]});
  for (const InPlacePair &pair : problem.inPlacePairs)
    if (members[groupOf[pair.earlier]] == 1 &&
        members[groupOf[pair.later]] == 1)
      united.inPlacePairs.push_back(
          {groupOf[pair.earlier], groupOf[pair.later], pair.condition});
}

llvm::SmallVector<int64_t, 0>
PlaceGroups::expand(llvm::ArrayRef<int64_t> offsets) const {
  return llvm::to_vector<0>(
      llvm::map_range(groupOf, [&](BufferId group) { return offsets[group]; }));
}
