//===- OrderedFit.cpp - Buffers placed in any order ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each buffer collects the placed ones that it may not share bytes with, sorted
// by offset, and takes a gap between them. They are found by a walk over all
// that is placed or, where that is much, by their lifetimes (OverlapTree.h).
//
//===----------------------------------------------------------------------===//

#include "OrderedFit.h"

#include "OverlapTree.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

namespace {
/// The placed buffers, found by a walk over all of them in the order of offset:
/// for few buffers nothing is faster.
class PlacedByOffset {
public:
  PlacedByOffset(const SchedulingProblem &problem,
                 const ConflictLists &conflicts,
                 llvm::ArrayRef<int64_t> offsets)
      : buffers(problem.buffers), conflicts(conflicts), offsets(offsets),
        inConflictWith(buffers.size(), nobody) {}

  void insert(BufferId id) {
    auto *position = llvm::partition_point(
        placed, [&](BufferId other) { return offsets[other] < offsets[id]; });
    placed.insert(position, id);
  }

  void collect(BufferId id, llvm::SmallVectorImpl<ByteRange> &occupied) {
    for (BufferId other : conflicts.of(id))
      inConflictWith[other] = id;
    for (BufferId other : placed)
      if (buffers[id].overlapsInTime(buffers[other]) ||
          inConflictWith[other] == id)
        occupied.push_back(
            {offsets[other], offsets[other] + buffers[other].size});
  }

private:
  static constexpr BufferId nobody = ~BufferId(0);

  llvm::ArrayRef<Buffer> buffers;
  const ConflictLists &conflicts;
  llvm::ArrayRef<int64_t> offsets;
  llvm::SmallVector<BufferId, 0> placed;
  /// The last buffer asked for that each one is in conflict with.
  llvm::SmallVector<BufferId, 0> inConflictWith;
};

/// The placed buffers, found by their lifetimes.
class PlacedByTime {
public:
  PlacedByTime(const SchedulingProblem &problem, const ConflictLists &conflicts,
               llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<BufferId> order)
      : buffers(problem.buffers), conflicts(conflicts), offsets(offsets),
        tree(buffers, order) {}

  void insert(BufferId id) { tree.insert(id); }

  void collect(BufferId id, llvm::SmallVectorImpl<ByteRange> &occupied) {
    auto occupy = [&](BufferId other) {
      occupied.push_back(
          {offsets[other], offsets[other] + buffers[other].size});
    };
    tree.forEachOverlap(buffers[id], occupy);
    for (BufferId other : conflicts.of(id))
      if (offsets[other] >= 0)
        occupy(other);
    llvm::sort(occupied, std::less<>());
  }

private:
  llvm::ArrayRef<Buffer> buffers;
  const ConflictLists &conflicts;
  llvm::ArrayRef<int64_t> offsets;
  OverlapTree tree;
};
} // namespace

/// Fill in `offsets`, which are negative where nothing is placed.
template <typename Placed>
static void placeAll(const SchedulingProblem &problem,
                     llvm::ArrayRef<BufferId> order, GapChoice choice,
                     llvm::MutableArrayRef<int64_t> offsets, Placed &&placed) {
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
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
  for (BufferId id : order) {
    if (buffers[id].fixedOffset)
      continue;
    occupied.clear();
    placed.collect(id, occupied);
    place(id, findOffset(occupied, buffers[id], poolSize, choice));
  }
}

llvm::SmallVector<int64_t, 0>
buffer_merge::fitInOrder(const SchedulingProblem &problem,
                         llvm::ArrayRef<BufferId> order, GapChoice choice) {
  constexpr unsigned maxFew = 512;
  ConflictLists conflicts(problem);
  llvm::SmallVector<int64_t, 0> offsets(problem.buffers.size(), -1);
  if (order.size() <= maxFew)
    placeAll(problem, order, choice, offsets,
             PlacedByOffset(problem, conflicts, offsets));
  else
    placeAll(problem, order, choice, offsets,
             PlacedByTime(problem, conflicts, offsets, order));
  return offsets;
}
