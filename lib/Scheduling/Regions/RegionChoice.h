//===- RegionChoice.h - Choices that ignore offsets -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which region each buffer is in if only the sum of sizes alive at each tick
// has to fit, wherever the free bytes are.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_REGIONS_REGIONCHOICE_H
#define BUFFER_MERGE_LIB_SCHEDULING_REGIONS_REGIONCHOICE_H

#include "buffer-merge/Scheduling/RegionProblem.h"

namespace buffer_merge {
/// By `BufferId`, an index of `RegionProblem::regions`, or their number for
/// none of them.
using RegionChoice = llvm::SmallVector<unsigned, 0>;

/// What the searches ask about a problem.
class RegionChoices {
public:
  explicit RegionChoices(const RegionProblem &problem);

  const RegionProblem &getProblem() const { return problem; }
  /// The number that stands for no region.
  unsigned getOutside() const { return problem.regions.size(); }

  /// Return the regions that buffer `id` may be in, the cheapest first and none
  /// that is of no use beside the others: what is behind one without a limit.
  /// The last one has room for every buffer: it has no limit, or is
  /// `getOutside()`.
  llvm::ArrayRef<unsigned> getOptions(BufferId id) const { return options[id]; }

  /// Return what `id` costs in `region`. Outside of all it is more than all
  /// buffers cost inside.
  int64_t getCost(BufferId id, unsigned region) const {
    return region == getOutside() ? outsideCost : *problem.costs[id][region];
  }

  /// Return the bytes that `id` takes in `region`.
  int64_t getSize(BufferId id, unsigned region) const;

  /// Return the most bytes that may be alive in `region` at one tick.
  int64_t getRoom(unsigned region) const;

  /// Return how much more the last of its options costs than the first.
  int64_t getSaving(BufferId id) const {
    return getCost(id, options[id].back()) - getCost(id, options[id].front());
  }

  /// Return the sum of the costs of `choice`.
  int64_t sumCosts(const RegionChoice &choice) const;

  /// Return the same for `assignment`, with what is outside.
  int64_t sumCosts(const RegionAssignment &assignment) const {
    return assignment.cost + assignment.numOutside * outsideCost;
  }

  /// Return the buffers by decreasing savings for each byte, for each byte and
  /// tick, by decreasing savings, and by decreasing size.
  llvm::SmallVector<llvm::SmallVector<BufferId, 0>, 4> getOrders() const;

  /// Give the buffers regions in the given order: each the first of its
  /// options that has room.
  RegionChoice chooseGreedily(llvm::ArrayRef<BufferId> order) const;

  /// Decide the regions in the order of ticks, and follow the `width` cheapest
  /// choices that differ for the buffers alive. Return the cheapest one, and
  /// whether none was given up for lack of width: then no choice costs less.
  std::pair<RegionChoice, bool> sweep(size_t width) const;

private:
  const RegionProblem &problem;
  /// The buffers with the ranks of their ticks.
  SchedulingProblem ranked;
  int64_t numTicks = 0;
  int64_t outsideCost;
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 0> options;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_REGIONS_REGIONCHOICE_H
