//===- PoolPlaces.cpp - Other places for buffers of a pool ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolPlaces.h"
#include "Mutation.h"
#include "Planning/Heap/ProgramCapacity.h"
#include "PoolAccesses.h"
#include "Scheduling/Banks.h"

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// Reuse as needed
//===----------------------------------------------------------------------===//

static ReuseProblem makeReuseProblem(const PoolPlan &pool,
                                     const PoolAccesses &accesses) {
  ReuseProblem problem;
  problem.problem = pool.problem;
  problem.penalties = computeReusePenalties(
      pool.problem, [&](BufferId earlier, BufferId later) {
        return accesses.waitsAnyway(earlier, later);
      });
  return problem;
}

void buffer_merge::shareAsNeeded(PoolPlan &pool, int64_t limit,
                                 const MergePlanOptions &options) {
  Pool &made = *pool.getPool();
  if (made.storage == PoolStorage::Stack)
    limit = std::min(limit, options.stackLimit);
  if (hasFixedOffsets(pool.problem) || !pool.calls.empty() ||
      limit < made.schedule.poolSize)
    return;
  ReuseProblem problem = makeReuseProblem(pool, PoolAccesses(pool));
  problem.problem.capacity = limit;
  PoolReuse reuse;
  reuse.penalties = problem.penalties;
  reuse.cost = reuse.costOfSmallest = computeReuseCost(problem, made.schedule);
  llvm::Expected<ReuseSchedule> result =
      scheduleReuse(problem, *options.scheduler, options.schedulerOptions);
  if (!result) {
    // It was scheduled in another way.
    llvm::consumeError(result.takeError());
  } else if (result->cost.penalty < reuse.cost.penalty) {
    reuse.cost = result->cost;
    int64_t provedBound = made.schedule.provedBound;
    made.schedule = std::move(result->schedule);
    made.schedule.provedBound = provedBound;
  }
  pool.reuse = reuse;
}

namespace {
/// Lets pools grow within the capacities of the whole program.
class CapacitySharing {
public:
  CapacitySharing(MergePlan &plan, const MergePlanOptions &options);

  void run();

private:
  void share(size_t index, int64_t limit) {
    shareAsNeeded(plan.pools[index], limit, options);
  }
  void revert(size_t index);
  int64_t findExcess() const;
  void shareAlone(size_t index);

  MergePlan &plan;
  const MergePlanOptions &options;
  /// The pools that may grow, and their schedules before.
  SmallVector<size_t, 0> indices;
  llvm::DenseMap<size_t, Schedule> before;
};
} // namespace

CapacitySharing::CapacitySharing(MergePlan &plan,
                                 const MergePlanOptions &options)
    : plan(plan), options(options) {
  for (auto [index, pool] : llvm::enumerate(plan.pools)) {
    Pool *made = pool.getPool();
    if (!made || !pool.capacity || pool.region || pool.workgroup || pool.host ||
        pool.isInDeviceCode() || pool.excessiveBytes ||
        (made->storage != PoolStorage::Alloc &&
         made->storage != PoolStorage::Stack))
      continue;
    indices.push_back(index);
    before[index] = made->schedule;
  }
}

void CapacitySharing::revert(size_t index) {
  PoolPlan &pool = plan.pools[index];
  pool.getPool()->schedule = before[index];
  if (pool.reuse)
    pool.reuse->cost = pool.reuse->costOfSmallest;
}

/// Return by how much the program exceeds a capacity.
int64_t CapacitySharing::findExcess() const {
  int64_t excess = 0;
  if (!isMutated("R6-reuse"))
    for (const OverfullScope &scope : findOverfullScopes(plan, options))
      excess = std::max(excess, scope.bytes - scope.capacity);
  return excess;
}

/// Let a pool grow as far as the others leave room for it.
void CapacitySharing::shareAlone(size_t index) {
  PoolPlan &pool = plan.pools[index];
  share(index, *pool.capacity);
  if (int64_t excess = findExcess()) {
    int64_t limit = pool.getPool()->schedule.poolSize - excess;
    revert(index);
    if (limit > pool.getPool()->schedule.poolSize) {
      share(index, limit);
      if (findExcess() != 0)
        revert(index);
    }
  }
  if (pool.getPool()->schedule.poolSize == before[index].poolSize &&
      pool.capacityNote.empty())
    pool.capacityNote = "reuse=as-needed has no effect, because of what is "
                        "held at the same time";
}

void CapacitySharing::run() {
  for (size_t index : indices)
    share(index, *plan.pools[index].capacity);
  if (indices.empty() || findExcess() == 0)
    return;
  // One after the other, those first that have most to gain.
  llvm::for_each(indices, [&](size_t index) { revert(index); });
  llvm::erase_if(indices, [&](size_t index) {
    return !plan.pools[index].reuse ||
           plan.pools[index].reuse->cost.penalty == 0;
  });
  llvm::stable_sort(indices, [&](size_t a, size_t b) {
    return plan.pools[a].reuse->cost.penalty >
           plan.pools[b].reuse->cost.penalty;
  });
  // Each looks at the whole program.
  constexpr size_t maxPools = 32;
  for (size_t index : ArrayRef(indices).take_front(maxPools))
    shareAlone(index);
}

void buffer_merge::shareAsNeededWithinCapacities(
    MergePlan &plan, const MergePlanOptions &options) {
  CapacitySharing(plan, options).run();
}

//===----------------------------------------------------------------------===//
// Banks
//===----------------------------------------------------------------------===//

void buffer_merge::chooseBanks(PoolPlan &pool,
                               const MergePlanOptions &options) {
  Schedule &schedule = pool.getPool()->schedule;
  PoolAccesses accesses(pool);
  BankProblem banks;
  banks.banks = *pool.region->region->banks;
  banks.poolBegin = pool.region->range.begin;
  banks.pairs = accesses.getPairs();
  SchedulingProblem problem = pool.problem;
  if (pool.reuse) {
    // What shares no byte now shall not wait.
    for (const ReusePenalty &item : pool.reuse->penalties)
      if (!shareBytes(problem, schedule, item.first, item.second))
        problem.conflicts.push_back({item.first, item.second});
  }
  PoolBanks result;
  result.numPairs = banks.pairs.size();
  result.numInSameBankBefore = countPairsInSameBank(problem, banks, schedule);
  unsigned effort = std::min(options.schedulerOptions.effort, 9u);
  schedule = spreadOverBanks(problem, banks, std::move(schedule),
                             /*maxSteps=*/int64_t(4096) << effort);
  result.numInSameBank = countPairsInSameBank(problem, banks, schedule);
  pool.banks = result;
}
