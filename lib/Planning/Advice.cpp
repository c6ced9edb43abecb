//===- Advice.cpp - What would make pools smaller ------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Advice.h"

#include "Mutation.h"

using namespace mlir;
using namespace buffer_merge;

/// For each pool, the best changes are kept.
static constexpr size_t maxAdvice = 3;
/// So many buffers of a pool are tried, the largest at its peak.
static constexpr size_t maxBuffersTried = 8;

/// Return the bytes of `pool`, or those that it would need if it exceeds its
/// capacity; nothing if there is no pool for another reason.
static std::optional<int64_t> getNeededBytes(const PoolPlan &pool) {
  if (pool.excessiveBytes)
    return pool.excessiveBytes;
  if (const Pool *made = pool.getPool())
    return made->schedule.poolSize;
  return std::nullopt;
}

/// Return true if `a` and `b`, of different plans, are for the same buffers.
static bool haveSameBuffers(const PoolPlan &a, const PoolPlan &b) {
  return a.scope == b.scope && a.memorySpace == b.memorySpace &&
         a.buffers.size() == b.buffers.size() &&
         a.buffers.front()->alloc == b.buffers.front()->alloc;
}

static void addIfSmaller(PoolPlan &pool, AdviceKind kind,
                         std::optional<int64_t> bytes,
                         std::optional<BufferId> buffer = std::nullopt) {
  std::optional<int64_t> now = getNeededBytes(pool);
  if (now && bytes && *bytes < *now)
    pool.advice.push_back({kind, *now - *bytes, buffer});
}

/// Plan everything with `options`, and note the pools that are smaller then.
static void tryOptions(Operation *root, MergePlan &plan, AdviceKind kind,
                       const MergePlanOptions &options) {
  FailureOr<MergePlan> other = computeMergePlan(root, options);
  if (failed(other))
    return;
  for (PoolPlan &pool : plan.pools) {
    const auto *match = llvm::find_if(other->pools, [&](const PoolPlan &other) {
      return haveSameBuffers(pool, other);
    });
    if (match != other->pools.end())
      addIfSmaller(pool, kind, getNeededBytes(*match));
  }
}

/// Return `problem` without the buffer `removed`, and without a capacity.
static SchedulingProblem removeBuffer(const SchedulingProblem &problem,
                                      BufferId removed) {
  auto shift = [&](BufferId id) { return id - (id > removed); };
  SchedulingProblem rest;
  for (auto [id, buffer] : llvm::enumerate(problem.buffers))
    if (BufferId(id) != removed)
      rest.buffers.push_back(buffer);
  for (auto [a, b] : problem.conflicts)
    if (a != removed && b != removed)
      rest.conflicts.push_back({shift(a), shift(b)});
  for (InPlacePair pair : problem.inPlacePairs)
    if (pair.earlier != removed && pair.later != removed)
      rest.inPlacePairs.push_back(
          {shift(pair.earlier), shift(pair.later), pair.condition});
  return rest;
}

/// Schedule `pool` without each of the largest buffers at its peak.
static void tryBuffers(PoolPlan &pool, const MergePlanOptions &options) {
  const SchedulingProblem &problem = pool.problem;
  if (problem.buffers.size() < 2 || !getNeededBytes(pool) ||
      isMutated("advice-no-buffers"))
    return;
  SmallVector<std::pair<int64_t, BufferId>> alive;
  // Parts of callees follow the buffers.
  for (auto [id, buffer] : llvm::enumerate(
           ArrayRef(problem.buffers).take_front(pool.buffers.size())))
    if (buffer.begin <= pool.lowerBound.peakTick &&
        pool.lowerBound.peakTick < buffer.end)
      alive.emplace_back(-buffer.size, id);
  llvm::sort(alive);
  for (auto [negatedSize, id] :
       ArrayRef(alive).take_front(std::min(alive.size(), maxBuffersTried))) {
    llvm::Expected<Schedule> schedule =
        runScheduler(*options.scheduler, removeBuffer(problem, id),
                     options.schedulerOptions);
    if (schedule)
      addIfSmaller(pool, AdviceKind::Elsewhere, schedule->poolSize, id);
    else
      llvm::consumeError(schedule.takeError());
  }
}

void buffer_merge::addAdvice(Operation *root, MergePlan &plan,
                             const MergePlanOptions &options) {
  // Only how many bytes the pools would have matters.
  MergePlanOptions other = options;
  other.advise = false;
  other.pool = PoolStorage::Alloc;
  other.limitPeak = false;
  other.fixOffsets = MergePlanOptions().fixOffsets;
  if (!options.lifetimes.findInPlacePairs && !isMutated("advice-no-in-place")) {
    other.lifetimes.findInPlacePairs = true;
    tryOptions(root, plan, AdviceKind::InPlace, other);
    other.lifetimes.findInPlacePairs = false;
  }
  auto isWorkgroup = [](const PoolPlan &pool) {
    return pool.workgroup.has_value();
  };
  if (options.barriers != BarrierPolicy::Insert &&
      llvm::any_of(plan.pools, isWorkgroup) &&
      !isMutated("advice-no-barriers")) {
    other.barriers = BarrierPolicy::Insert;
    tryOptions(root, plan, AdviceKind::InsertBarriers, other);
  }
  for (PoolPlan &pool : plan.pools) {
    tryBuffers(pool, options);
    llvm::sort(pool.advice, [](const PoolAdvice &a, const PoolAdvice &b) {
      return std::tuple(-a.savedBytes, a.kind, a.buffer) <
             std::tuple(-b.savedBytes, b.kind, b.buffer);
    });
    if (pool.advice.size() > maxAdvice)
      pool.advice.resize(maxAdvice);
  }
}
