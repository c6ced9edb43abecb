//===- OrderedFit.cpp - Buffers placed in any order ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each buffer collects the placed ones that it may not share bytes with, found
// by their lifetimes (OverlapTree.h), and takes a gap between them.
//
//===----------------------------------------------------------------------===//

#include "OrderedFit.h"

#include "OverlapTree.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

llvm::SmallVector<int64_t, 0>
buffer_merge::fitInOrder(const SchedulingProblem &problem,
                         llvm::ArrayRef<BufferId> order, GapChoice choice,
                         int64_t limit) {
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  ConflictLists conflicts(problem);
  OverlapTree placed(buffers, order);
  // Negative where nothing is placed.
  llvm::SmallVector<int64_t, 0> offsets(buffers.size(), -1);
  int64_t poolSize = 0;
  auto place = [&](BufferId id, int64_t offset) {
    offsets[id] = offset;
    poolSize = std::max(poolSize, offset + buffers[id].size);
    placed.insert(id);
  };
  for (BufferId id : order)
    if (buffers[id].fixedOffset)
      place(id, *buffers[id].fixedOffset);
  llvm::SmallVector<ByteRange, 0> occupied;
  auto occupy = [&](BufferId other) {
    occupied.push_back({offsets[other], offsets[other] + buffers[other].size});
  };
  for (BufferId id : order) {
    if (buffers[id].fixedOffset)
      continue;
    occupied.clear();
    placed.forEachOverlap(buffers[id], occupy);
    for (BufferId other : conflicts.of(id))
      if (offsets[other] >= 0)
        occupy(other);
    llvm::sort(occupied, std::less<>());
    int64_t offset = findOffset(occupied, buffers[id], poolSize, choice);
    if (offset + buffers[id].size >= limit)
      return {};
    place(id, offset);
  }
  return offsets;
}
