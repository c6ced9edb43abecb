//===- PeakBaseline.h - What a scope holds without its pools ----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_PEAKBASELINE_H
#define BUFFER_MERGE_LIB_PLANNING_PEAKBASELINE_H

#include "PeakLimit.h"

namespace buffer_merge {
/// What one execution of the scope of a pool holds without the pool, if all is
/// freed at one `FreePoint`, and whether smaller pools would hold more.
class PeakBaseline {
public:
  /// `whole` is the plan of all buffers, by whose numbers buffers are named. It
  /// must stay where it is. Of what callees hold, the pools have `parts`, which
  /// are named by the next numbers.
  PeakBaseline(const PoolPlan &whole, const HeapUse &heapUse,
               llvm::ArrayRef<CalleePart> parts);

  FreePoint getFreePoint() const { return freePoint; }

  /// Let a pool begin or end at `tick`; all such ticks come before the rest.
  void addTick(int64_t tick) { otherTicks.push_back(tick); }

  /// Begin to compare.
  void makeTimeline();

  /// Return what the buffers of `ids` hold without a pool: as much as in a pool
  /// in which all are aligned to `alignment` bytes at least, so that padding is
  /// not held against it.
  llvm::SmallVector<HeldItem, 0> getItems(llvm::ArrayRef<BufferId> ids,
                                          int64_t alignment = 1) const;

  /// Return true if `pool` in place of `ids` raises the peak.
  bool raisesPeak(HeldBytes pool, llvm::ArrayRef<BufferId> ids) const;

  /// Hold `pool` in place of `ids` from now on.
  void replace(HeldBytes pool, llvm::ArrayRef<BufferId> ids);

  const HeapTimeline &getTimeline() const { return *timeline; }

  /// The branches of the scope.
  BranchTree branches;

private:
  const PoolPlan &whole;
  FreePoint freePoint;
  void addPart(size_t index, HeldItem &call);

  /// What is held without pools: first the buffers and the parts, by their
  /// numbers.
  llvm::SmallVector<HeldItem, 0> items;
  llvm::SmallVector<int64_t> otherTicks;
  std::optional<HeapTimeline> timeline;
  /// The pools that are made, with their buffers.
  llvm::SmallVector<std::pair<HeldBytes, llvm::SmallVector<BufferId>>, 0> made;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_PEAKBASELINE_H
