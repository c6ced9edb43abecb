//===- HandDown.cpp - Allocated pools with parts for callees --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HandDown.h"
#include "Mutation.h"
#include "Planning/Gain.h"
#include "Planning/PoolDecision.h"
#include "StorageChoice.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `pool`, which is scheduled, may be a part of another one, or
/// have parts for callees.
static bool isEligible(const PoolPlan &pool, const MergePlanOptions &options) {
  return isa<func::FuncOp>(pool.scope->getParentOp()) && !pool.memorySpace &&
         !pool.workgroup && !pool.region && !pool.argument &&
         !pool.isInDeviceCode() && !pool.isInFlightAtEnd() &&
         !pool.excessiveBytes && !hasFixedOffsets(pool.problem) &&
         findPossibleSchedule(pool) && options.scheduler->reusesBytes();
}

HandDown::HandDown(const BufferLifetimes &lifetimes, const MergePlan &scheduled,
                   const MergePlanOptions &options)
    : lifetimes(lifetimes), options(options) {
  // Lists that decide about deallocations are apart: a function has one arena.
  for (const PoolPlan &pool : scheduled.pools)
    if (isEligible(pool, options)) {
      const PoolPlan *&entry = pools[pool.scope->getParentOp()];
      if (!entry || entry->totalBytes < pool.totalBytes)
        entry = &pool;
    }
  owners.insert_range(llvm::make_first_range(pools));
}

/// Return the scheduled pool that `pool` was, if that may be a part of another
/// one; else null.
const PoolPlan *HandDown::lookup(const PoolPlan &pool) const {
  const PoolPlan *scheduled = pools.lookup(pool.scope->getParentOp());
  return scheduled && scheduled->buffers == pool.buffers ? scheduled : nullptr;
}

/// Make the pools that `arenas` may place, even those that save nothing alone,
/// and return those that may have parts for callees.
llvm::DenseSet<const PoolPlan *> HandDown::choose(const ArenaPlan &arenas,
                                                  MergePlan &plan) const {
  llvm::DenseSet<const PoolPlan *> owned;
  for (PoolPlan &pool : plan.pools) {
    if (!lookup(pool))
      continue;
    bool isInside = arenas.comesFromCallers(pool);
    if (!isInside && !arenas.mayHandDown(pool.scope->getParentOp()))
      continue;
    Schedule schedule = *findPossibleSchedule(pool);
    // What is allocated is as aligned as any other allocated pool.
    if (isInside && schedule.poolSize > pool.totalBytes)
      if (std::optional<Schedule> own = scheduleByOwnAlignment(pool, options))
        schedule = std::move(*own);
    pool.decision = Pool{isInside ? PoolStorage::Arena : PoolStorage::Alloc, "",
                         nullptr, std::move(schedule)};
    if (!isInside)
      owned.insert(&pool);
  }
  return owned;
}

LogicalResult HandDown::place(ModuleOp module, MergePlan &plan,
                              PlanMessages &messages) {
  auto arenas = std::make_shared<ArenaPlan>();
  if (failed(arenas->initialize(lifetimes, options, messages, owners)))
    return failure();
  llvm::DenseSet<const PoolPlan *> owned = choose(*arenas, plan);
  refuseSharedDeallocs(plan.pools);
  if (failed(arenas->compute(module, plan, options, messages, owned)))
    return failure();
  // Who hands nothing down has the pool that it would have had.
  for (PoolPlan &pool : plan.pools)
    if (const PoolPlan *scheduled = lookup(pool);
        scheduled && pool.calls.empty() && pool.getPool() &&
        pool.getPool()->storage == PoolStorage::Alloc)
      pool = *scheduled;
  for (PoolPlan &pool : plan.pools)
    if (const FalseAttribute *attribute = arenas->findFalseForArena(pool);
        attribute && lookup(pool))
      std::visit(
          [&](auto &decision) {
            decision.storageNote = attribute->describe();
            decision.storageObstacle = attribute->op;
          },
          pool.decision);
  refuseSharedDeallocs(plan.pools);
  plan.arenas = std::move(arenas);
  return success();
}

/// Return true if `pool` saves enough: in comparison with a pool for its own
/// buffers beside the largest one of a callee.
bool HandDown::isWorthIt(const PoolPlan &pool) const {
  int64_t largest = 0;
  for (const Buffer &part :
       ArrayRef(pool.problem.buffers).drop_front(pool.buffers.size()))
    largest = std::max(largest, part.size);
  int64_t apart = findPossibleSchedule(*lookup(pool))->poolSize + largest;
  return apart - getPoolBytes(pool) >= getNeededGain(apart, options);
}

/// Return true if a path through the scope of `pool` may hold more with `plan`
/// than it holds at its peak in the program as it is. `planned` is what the
/// program holds with `plan`, made when it is needed first.
bool HandDown::raisesPeak(const PoolPlan &pool, MergePlan &plan,
                          std::optional<ProgramHeap> &planned) const {
  if (!options.limitPeak || isMutated("R7-handed-down"))
    return false;
  const ProgramHeap &baseline = getBaseline(plan);
  HeldBytes before = baseline.lookup(pool.scope, pool.memorySpace)->peak;
  // What is of unknown size would be held beside the whole pool.
  if (before.isUnknown)
    return true;
  if (!planned)
    planned.emplace(analyzePlanned(plan, baseline));
  return planned->lookup(pool.scope, pool.memorySpace)->peak.most >
         before.least;
}

bool HandDown::refuse(MergePlan &plan) {
  size_t before = owners.size();
  std::optional<ProgramHeap> planned;
  for (const PoolPlan &pool : plan.pools) {
    if (!pool.getPool() || pool.getPool()->storage != PoolStorage::Alloc ||
        pool.calls.empty())
      continue;
    // Each pool by itself may fit, and there are errors if not.
    bool isTooLarge = pool.capacity && getPoolBytes(pool) > *pool.capacity;
    if (isTooLarge || !isWorthIt(pool) || raisesPeak(pool, plan, planned))
      owners.erase(pool.scope->getParentOp());
  }
  if (owners.size() == before)
    return false;
  // Each function of a chain of calls may be refused after its caller only.
  constexpr unsigned maxRounds = 64;
  if (++numRounds == maxRounds)
    owners.clear();
  return true;
}
