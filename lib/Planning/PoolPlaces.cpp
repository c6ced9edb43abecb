//===- PoolPlaces.cpp - Other places for buffers of a pool ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolPlaces.h"
#include "Mutation.h"
#include "PoolAccesses.h"
#include "ProgramCapacity.h"
#include "buffer-merge/Scheduling/Banks.h"

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
                                 const BufferLifetimes &lifetimes,
                                 const MergePlanOptions &options) {
  Pool &made = *pool.getPool();
  if (made.storage == PoolStorage::Stack)
    limit = std::min(limit, options.stackLimit);
  bool isFixed = llvm::any_of(pool.problem.buffers, [](const Buffer &buffer) {
    return buffer.fixedOffset.has_value();
  });
  if (isFixed || !pool.calls.empty() || limit < made.schedule.poolSize)
    return;
  ReuseProblem problem = makeReuseProblem(pool, PoolAccesses(pool, lifetimes));
  problem.problem.capacity = limit;
  PoolReuse reuse;
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

void buffer_merge::shareAsNeededWithinCapacities(
    MergePlan &plan, const MergePlanOptions &options) {
  // The schedules before, by pool.
  llvm::DenseMap<size_t, Schedule> before;
  for (auto [index, pool] : llvm::enumerate(plan.pools)) {
    Pool *made = pool.getPool();
    if (!made || !pool.capacity || pool.region || pool.workgroup ||
        pool.argument || pool.isInDeviceCode() || pool.excessiveBytes ||
        (made->storage != PoolStorage::Alloc &&
         made->storage != PoolStorage::Stack))
      continue;
    before[index] = made->schedule;
    shareAsNeeded(pool, *pool.capacity, *plan.lifetimes, options);
  }
  if (isMutated("reuse-over-capacity"))
    return;
  for (bool isOver = !before.empty(); isOver;) {
    isOver = false;
    for (const OverfullScope &scope : findOverfullScopes(plan, options))
      for (const HeldPart &part : scope.parts) {
        auto it = part.pool ? before.find(*part.pool) : before.end();
        if (it == before.end())
          continue;
        PoolPlan &pool = plan.pools[it->first];
        pool.getPool()->schedule = std::move(it->second);
        before.erase(it);
        if (pool.reuse)
          pool.reuse->cost = pool.reuse->costOfSmallest;
        if (pool.capacityNote.empty())
          pool.capacityNote = "reuse=as-needed has no effect, because of what "
                              "is held at the same time";
        isOver = true;
      }
  }
}

//===----------------------------------------------------------------------===//
// Banks
//===----------------------------------------------------------------------===//

void buffer_merge::chooseBanks(PoolPlan &pool, const BufferLifetimes &lifetimes,
                               const MergePlanOptions &options) {
  Schedule &schedule = pool.getPool()->schedule;
  PoolAccesses accesses(pool, lifetimes);
  BankProblem banks;
  banks.banks = *pool.region->region->banks;
  banks.poolBegin = pool.region->range.begin;
  banks.pairs = accesses.getPairs();
  SchedulingProblem problem = pool.problem;
  if (pool.reuse && !isMutated("banks-keep-reuse")) {
    // What shares no byte now shall not wait.
    ReuseProblem reuse = makeReuseProblem(pool, accesses);
    for (const ReusePenalty &item : reuse.penalties) {
      int64_t first = schedule.offsets[item.first];
      int64_t second = schedule.offsets[item.second];
      if (first >= second + problem.buffers[item.second].size ||
          second >= first + problem.buffers[item.first].size)
        problem.conflicts.push_back({item.first, item.second});
    }
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
