//===- ChoiceSearch.cpp - Branch and bound over regions -------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionSchedules.h"
#include "buffer-merge/Scheduling/Exact.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

namespace {
/// A set of buffers: bit i is buffer i.
using BufferMask = uint32_t;

class ChoiceSearch {
public:
  ChoiceSearch(const RegionChoices &choices, int64_t maxSteps,
               RegionAssignment &best)
      : choices(choices), problem(choices.getProblem()), maxSteps(maxSteps),
        best(best), choice(problem.costs.size(), choices.getOutside()),
        masks(problem.regions.size(), 0) {}

  void run();

private:
  /// What is known of the buffers of one region.
  struct Subset {
    bool fits;
    std::optional<Schedule> schedule;
  };

  const Subset &schedule(unsigned region, BufferMask mask);
  void decide(size_t depth, int64_t cost);
  void take();

  const RegionChoices &choices;
  const RegionProblem &problem;
  int64_t maxSteps;
  RegionAssignment &best;
  RegionChoice choice;
  llvm::SmallVector<BufferMask> masks;
  /// Every subset was decided.
  bool complete = true;
  llvm::SmallVector<BufferId, 0> order;
  /// At least what the buffers from this place of the order on cost.
  llvm::SmallVector<int64_t, 0> rest;
  llvm::DenseMap<std::pair<unsigned, BufferMask>, Subset> subsets;
};
} // namespace

const ChoiceSearch::Subset &ChoiceSearch::schedule(unsigned region,
                                                   BufferMask mask) {
  auto [it, isNew] = subsets.try_emplace({region, mask});
  Subset &subset = it->second;
  if (!isNew)
    return subset;
  llvm::SmallVector<BufferId, 0> ids;
  for (BufferId id = 0; id < problem.costs.size(); ++id)
    if (mask >> id & 1)
      ids.push_back(id);
  ExactOptions options;
  options.maxSteps = 20000;
  ExactResult result =
      solveExact(makeProblemOfRegion(problem, region, ids), options);
  subset.schedule = std::move(result.schedule);
  subset.fits = subset.schedule.has_value();
  if (result.status == ExactStatus::StepLimit)
    complete = false;
  --maxSteps;
  return subset;
}

void ChoiceSearch::take() {
  llvm::SmallVector<int64_t, 0> offsets(choice.size(), 0);
  for (auto [region, mask] : llvm::enumerate(masks)) {
    if (mask == 0)
      continue;
    const Subset &subset = schedule(region, mask);
    if (!subset.fits)
      return;
    size_t index = 0;
    for (BufferId id = 0; id < choice.size(); ++id)
      if (mask >> id & 1)
        offsets[id] = subset.schedule->offsets[index++];
  }
  best = makeAssignment(choices, choice, offsets);
}

void ChoiceSearch::decide(size_t depth, int64_t cost) {
  if (cost + rest[depth] >= choices.sumCosts(best))
    return;
  if (maxSteps <= 0) {
    complete = false;
    return;
  }
  if (depth == order.size()) {
    take();
    return;
  }
  BufferId id = order[depth];
  for (unsigned region : choices.getOptions(id)) {
    choice[id] = region;
    if (region == choices.getOutside()) {
      decide(depth + 1, cost + choices.getCost(id, region));
      continue;
    }
    masks[region] |= BufferMask(1) << id;
    // More buffers never take less.
    if (!problem.regions[region].capacity ||
        schedule(region, masks[region]).fits)
      decide(depth + 1, cost + choices.getCost(id, region));
    masks[region] &= ~(BufferMask(1) << id);
  }
}

void ChoiceSearch::run() {
  // What saves most decides most.
  order = choices.getOrders()[2];
  rest.assign(order.size() + 1, 0);
  for (size_t depth = order.size(); depth > 0; --depth) {
    BufferId id = order[depth - 1];
    rest[depth - 1] =
        rest[depth] + choices.getCost(id, choices.getOptions(id).front());
  }
  decide(0, 0);
  best.isOptimal = complete;
}

void buffer_merge::searchChoices(const RegionChoices &choices, int64_t maxSteps,
                                 RegionAssignment &best) {
  const SchedulingProblem &buffers = choices.getProblem().buffers;
  constexpr size_t maxBuffers = 12;
  if (buffers.buffers.empty() || buffers.buffers.size() > maxBuffers ||
      maxSteps <= 0 || hasGaps(buffers) || !buffers.inPlacePairs.empty())
    return;
  ChoiceSearch(choices, maxSteps, best).run();
}
