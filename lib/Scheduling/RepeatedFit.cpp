//===- RepeatedFit.cpp - From bottom to top, not strictly -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From bottom to top in quadratic time: the lowest offset of every buffer is
// kept in a row in the order of ranks, and a placed buffer raises its
// neighbours. For a few hundred buffers, a sweep over the row is faster than
// any tree.
//
//===----------------------------------------------------------------------===//

#include "RepeatedFit.h"

#include "Placement.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <numeric>

using namespace buffer_merge;

RepeatedFit::RepeatedFit(const SchedulingProblem &problem) : problem(problem) {
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  llvm::SmallVector<std::pair<BufferId, BufferId>, 0> pairs;
  pairs.append(problem.conflicts.begin(), problem.conflicts.end());
  llvm::SmallVector<BufferId, 0> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](BufferId a, BufferId b) {
    return std::pair(buffers[a].begin, a) < std::pair(buffers[b].begin, b);
  });
  const bool mayMeetInGap = hasGaps(problem);
  llvm::SmallVector<BufferId, 0> live;
  for (BufferId id : order) {
    llvm::erase_if(live, [&](BufferId other) {
      return buffers[other].end <= buffers[id].begin;
    });
    for (BufferId other : live)
      if (!mayMeetInGap || buffers[id].overlapsInTime(buffers[other]))
        pairs.push_back({id, other});
    live.push_back(id);
  }

  begins.assign(buffers.size() + 1, 0);
  for (auto [a, b] : pairs) {
    ++begins[a + 1];
    ++begins[b + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  neighbors.resize(2 * pairs.size());
  llvm::SmallVector<size_t, 0> next(begins);
  for (auto [a, b] : pairs) {
    neighbors[next[a]++] = b;
    neighbors[next[b]++] = a;
  }
}

/// Return the smallest number. Four at a time, which do not wait for each
/// other.
static int64_t findMinimum(llvm::ArrayRef<int64_t> values) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  int64_t minima[4] = {most, most, most, most};
  size_t i = 0;
  for (; i + 4 <= values.size(); i += 4)
    for (unsigned j = 0; j < 4; ++j)
      minima[j] = std::min(minima[j], values[i + j]);
  for (; i < values.size(); ++i)
    minima[0] = std::min(minima[0], values[i]);
  return std::min(std::min(minima[0], minima[1]),
                  std::min(minima[2], minima[3]));
}

llvm::SmallVector<int64_t, 0>
RepeatedFit::place(llvm::ArrayRef<BufferId> ranking) const {
  // What can be said of a buffer is kept by rank, so that the first that is low
  // enough is found in one sweep over a row of numbers. Those that are placed
  // leave the row when they are half of it. Their position is one behind it,
  // where they look as high as can be: nothing raises them any further.
  constexpr int64_t placed = std::numeric_limits<int64_t>::max();
  unsigned count = ranking.size();
  llvm::SmallVector<int64_t, 0> lowest(count + 1, 0);
  lowest[count] = placed;
  llvm::SmallVector<BufferId, 0> idOf(ranking);
  llvm::SmallVector<unsigned, 0> positionOf(count);
  for (const auto &[position, id] : llvm::enumerate(idOf))
    positionOf[id] = position;

  llvm::SmallVector<int64_t, 0> offsets(count);
  // No offset ever falls: behind the last one at the floor, the sweep goes on
  // until there is none left.
  unsigned length = count, position = count;
  int64_t floor = 0;
  for (unsigned left = count; left != 0; --left) {
    while (position < length && lowest[position] != floor)
      ++position;
    if (position == length) {
      if (left <= length / 2) {
        unsigned kept = 0;
        for (unsigned i = 0; i < length; ++i) {
          if (lowest[i] == placed)
            continue;
          lowest[kept] = lowest[i];
          idOf[kept] = idOf[i];
          positionOf[idOf[kept]] = kept;
          ++kept;
        }
        length = kept;
      }
      floor = findMinimum(llvm::ArrayRef(lowest).take_front(length));
      position = 0;
      while (lowest[position] != floor)
        ++position;
    }
    BufferId id = idOf[position];
    offsets[id] = lowest[position];
    lowest[position] = placed;
    positionOf[id] = count;
    int64_t top = offsets[id] + problem.buffers[id].size;
    for (BufferId other : neighborsOf(id)) {
      int64_t &offset = lowest[positionOf[other]];
      if (offset < top)
        offset = alignUp(top, problem.buffers[other].alignment);
    }
  }
  return offsets;
}
