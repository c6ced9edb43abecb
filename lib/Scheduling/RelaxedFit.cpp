//===- RelaxedFit.cpp - From bottom to top, not strictly -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelaxedFit.h"

#include "Placement.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace buffer_merge;

RelaxedFit::RelaxedFit(const SchedulingProblem &problem) : problem(problem) {
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  ConflictLists conflicts(problem);
  begins.push_back(0);
  for (BufferId id = 0; id < buffers.size(); ++id) {
    for (BufferId other = 0; other < buffers.size(); ++other)
      if (other != id && buffers[id].overlapsInTime(buffers[other]))
        neighbors.push_back(other);
    llvm::append_range(neighbors, conflicts.of(id));
    begins.push_back(neighbors.size());
  }
}

llvm::SmallVector<int64_t, 0>
RelaxedFit::place(llvm::ArrayRef<BufferId> ranking, int64_t tolerance) const {
  // What can be said of a buffer is kept by rank, so that the first that is low
  // enough is found in one sweep over a row of numbers.
  constexpr int64_t placed = std::numeric_limits<int64_t>::max();
  unsigned count = ranking.size();
  llvm::SmallVector<int64_t, 0> lowest(count, 0);
  llvm::SmallVector<unsigned, 0> rankOf(count);
  for (const auto &[rank, id] : llvm::enumerate(ranking))
    rankOf[id] = rank;

  llvm::SmallVector<int64_t, 0> offsets(count);
  for (unsigned step = 0; step < count; ++step) {
    int64_t floor = placed;
    for (int64_t offset : lowest)
      floor = std::min(floor, offset);
    unsigned rank = 0;
    while (lowest[rank] > floor + tolerance)
      ++rank;
    BufferId id = ranking[rank];
    offsets[id] = lowest[rank];
    lowest[rank] = placed;
    int64_t top = offsets[id] + problem.buffers[id].size;
    for (BufferId other : neighborsOf(id)) {
      int64_t &offset = lowest[rankOf[other]];
      if (offset < top)
        offset = alignUp(top, problem.buffers[other].alignment);
    }
  }
  return offsets;
}
