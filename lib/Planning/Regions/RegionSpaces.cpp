//===- RegionSpaces.cpp - Regions of several memory spaces ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionPlan.h"

using namespace mlir;
using namespace buffer_merge;

void RegionPlanner::keepInSpaces(const PoolPlan &pool, ArrayRef<Choice> choices,
                                 ArrayRef<Operation *> obstacles,
                                 RegionProblem &problem) const {
  auto isForeign = [&](BufferId id, const Choice &choice) {
    return choice.memorySpace != pool.buffers[id]->getMemorySpace();
  };
  // Where costs are equal, a buffer stays: of n buffers less than n + 1 move.
  int64_t scale = problem.costs.size() + 1;
  int64_t most = maxBytes / scale / scale - 1;
  auto exceeds = [&](const RegionCosts &costs) {
    return llvm::any_of(costs, [&](std::optional<int64_t> cost) {
      return cost && *cost > most / scale;
    });
  };
  if (llvm::any_of(problem.costs, exceeds))
    scale = 1;
  for (auto [id, costs] : llvm::enumerate(problem.costs))
    for (auto [choice, cost] : llvm::zip_equal(choices, costs)) {
      if (!isForeign(id, choice))
        *cost *= scale;
      else if (obstacles[id])
        cost = std::nullopt;
      else
        *cost = *cost * scale + (scale > 1 ? 1 : 0);
    }
}

bool RegionPlanner::mayUnite(const PoolPlan &first,
                             const PoolPlan &second) const {
  if (spaces == TargetSpaces::Own || first.scope != second.scope ||
      first.isPinned || second.isPinned || !second.getPool() ||
      !mayHaveRegions(second, options))
    return false;
  // Two names of one space are no reason to change a type.
  return llvm::none_of(first.buffers, [&](const BufferLifetime *buffer) {
    return llvm::any_of(options.regions, [&](const SpaceRegion &region) {
      return region.spaces.contains(buffer->getMemorySpace(), false) &&
             region.spaces.contains(second.memorySpace, false);
    });
  });
}

PoolPlan RegionPlanner::unite(const PoolPlan &first, const PoolPlan &second) {
  // A pointer, the pool, and the number there. Lifetimes are in one array, in
  // the order of execution.
  SmallVector<std::tuple<const BufferLifetime *, const PoolPlan *, BufferId>, 0>
      order;
  for (const PoolPlan *pool : {&first, &second})
    for (auto [id, buffer] : llvm::enumerate(pool->buffers))
      order.push_back({buffer, pool, id});
  llvm::sort(order, llvm::less_first());
  PoolPlan both;
  both.scope = first.scope;
  both.memorySpace = first.memorySpace;
  llvm::DenseMap<std::pair<const PoolPlan *, BufferId>, BufferId> numbers;
  for (auto [id, entry] : llvm::enumerate(order)) {
    auto [buffer, pool, own] = entry;
    both.buffers.push_back(buffer);
    both.problem.buffers.push_back(pool->problem.buffers[own]);
    numbers[{pool, own}] = id;
  }
  for (const PoolPlan *pool : {&first, &second}) {
    for (auto [a, b] : pool->problem.conflicts)
      both.problem.conflicts.push_back(
          {numbers.at({pool, a}), numbers.at({pool, b})});
    for (auto [a, b] : pool->problem.samePlaces)
      both.problem.samePlaces.push_back(
          {numbers.at({pool, a}), numbers.at({pool, b})});
    for (const InPlacePair &pair : pool->problem.inPlacePairs)
      both.problem.inPlacePairs.push_back({numbers.at({pool, pair.earlier}),
                                           numbers.at({pool, pair.later}),
                                           pair.condition});
  }
  return both;
}
