//===- WorkgroupPlan.cpp - Plans for workgroup memory --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkgroupPlan.h"
#include "Mutation.h"

#include "llvm/ADT/DenseSet.h"

#include <limits>

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// What a pool is
//===----------------------------------------------------------------------===//

bool buffer_merge::fitsDynamicMemory(const Schedule &schedule) {
  return schedule.poolSize <= std::numeric_limits<int32_t>::max() &&
         schedule.poolAlignment <= dynamicMemoryAlignment;
}

void buffer_merge::chooseWorkgroupPool(PoolPlan &pool, PoolStorage wanted,
                                       DynamicMemory &dynamicMemory) {
  Operation *scopeOp = pool.scope->getParentOp();
  bool isPossible =
      isa<gpu::GPUFuncOp>(scopeOp) ||
      (isa<gpu::LaunchOp>(scopeOp) && wanted == PoolStorage::Dynamic);
  if (!isPossible)
    return;
  pool.workgroup->storage = wanted;
  StringRef obstacle;
  if (wanted == PoolStorage::Attribution)
    obstacle = dynamicMemory.checkAttribution(*pool.scope);
  else if (wanted == PoolStorage::Dynamic)
    obstacle = dynamicMemory.checkDynamic(pool);
  if (obstacle.empty())
    return;
  pool.decision = NoPool{UnmergeableReason::DynamicMemory, obstacle.str()};
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Return the pairs of `pool` that must not share bytes even with `barriers`,
/// among those that `mayShareBytes`; nothing if there are too many.
static std::optional<SmallVector<SyncConflict, 0>>
findConflicts(const PoolPlan &pool,
              llvm::function_ref<bool(BufferId, BufferId)> mayShareBytes,
              const llvm::DenseSet<Operation *> &barriers) {
  // A kernel may have another pool in another memory space.
  constexpr BufferId none = ~0u;
  SmallVector<BufferId> ids(pool.workgroup->sync->getNumObjects(), none);
  for (auto [id, buffer] : llvm::enumerate(pool.buffers))
    ids[pool.workgroup->sync->getNumber(buffer->alloc->getResult(0))] = id;
  auto mayShare = [&](unsigned a, unsigned b) {
    return ids[a] != none && ids[b] != none && mayShareBytes(ids[a], ids[b]);
  };
  std::optional<SmallVector<SyncConflict, 0>> conflicts =
      pool.workgroup->sync->findConflicts(mayShare, barriers);
  if (!conflicts)
    return std::nullopt;
  for (SyncConflict &conflict : *conflicts) {
    conflict.first = ids[conflict.first];
    conflict.second = ids[conflict.second];
  }
  return conflicts;
}

/// Return true if barriers may be inserted into the kernel of `pool`. Before
/// its loops are mapped to threads, a barrier has no meaning.
static bool mayInsert(const PoolPlan &pool, BarrierPolicy policy) {
  return policy != BarrierPolicy::Existing &&
         !pool.workgroup->barrierObstacle &&
         isa<gpu::GPUFuncOp, gpu::LaunchOp>(pool.scope->getParentOp());
}

static std::optional<SmallVector<SyncConflict, 0>>
findConflictsByLifetime(const PoolPlan &pool,
                        const llvm::DenseSet<Operation *> &barriers) {
  auto areDisjoint = [&](BufferId a, BufferId b) {
    return !pool.problem.buffers[a].overlapsInTime(pool.problem.buffers[b]);
  };
  return findConflicts(pool, areDisjoint, barriers);
}

/// Add `conflicts` to `problem`, or what implies them: schedulers are not made
/// for a kernel without barriers, where every buffer conflicts with every other
/// one. Of each pair the earlier buffer then lives until the later one does.
static void addConflicts(SchedulingProblem &problem,
                         ArrayRef<SyncConflict> conflicts) {
  constexpr size_t maxPairs = 20000;
  for (const SyncConflict &conflict : conflicts) {
    if (conflicts.size() <= maxPairs) {
      problem.conflicts.emplace_back(conflict.first, conflict.second);
      continue;
    }
    Buffer *earlier = &problem.buffers[conflict.first];
    Buffer *later = &problem.buffers[conflict.second];
    if (later->begin < earlier->begin)
      std::swap(earlier, later);
    earlier->end = std::max(earlier->end, later->begin + 1);
  }
}

void buffer_merge::addSyncConflicts(PoolPlan &pool, BarrierPolicy policy) {
  std::optional<SmallVector<SyncConflict, 0>> conflicts =
      findConflictsByLifetime(pool, {});
  if (!conflicts) {
    // Then nothing is shared.
    pool.workgroup->note =
        "too many pairs of buffers without a barrier between them";
    int64_t begin = pool.problem.buffers.front().begin;
    int64_t end = begin;
    for (const Buffer &buffer : pool.problem.buffers) {
      begin = std::min(begin, buffer.begin);
      end = std::max(end, buffer.end);
    }
    for (Buffer &buffer : pool.problem.buffers) {
      buffer.begin = begin;
      buffer.end = end;
    }
    return;
  }
  pool.workgroup->conflicts = std::move(*conflicts);
  pool.workgroup->mayInsertBarriers =
      mayInsert(pool, policy) && !pool.workgroup->conflicts.empty();
  if (!pool.workgroup->mayInsertBarriers) {
    if (!isMutated("G1-no-conflicts"))
      addConflicts(pool.problem, pool.workgroup->conflicts);
    return;
  }
  SmallVector<Operation *> places = pool.workgroup->sync->findBarrierPlaces(
      policy == BarrierPolicy::InsertOutsideLoops);
  llvm::DenseSet<Operation *> everywhere(places.begin(), places.end());
  // With barriers everywhere there are no more pairs than without.
  addConflicts(pool.problem, *findConflictsByLifetime(pool, everywhere));
}

/// Return operations before which barriers make `schedule` free of races, in
/// the order of the program; nothing if there are none.
static std::optional<SmallVector<Operation *>>
chooseBarriers(const PoolPlan &pool, const Schedule &schedule,
               bool outsideLoops) {
  auto shareBytes = [&](BufferId a, BufferId b) {
    return schedule.offsets[a] <
               schedule.offsets[b] + pool.problem.buffers[b].size &&
           schedule.offsets[b] <
               schedule.offsets[a] + pool.problem.buffers[a].size;
  };
  SmallVector<Operation *> places =
      pool.workgroup->sync->findBarrierPlaces(outsideLoops);
  DenseMap<Operation *, unsigned> positions;
  for (auto [position, place] : llvm::enumerate(places))
    positions[place] = position;
  auto getPosition = [&](Operation *access) {
    return positions.at(
        pool.workgroup->sync->findBarrierPlace(access, outsideLoops));
  };

  // As in one dimension: the pair that ends first needs a barrier before its
  // end, and that separates all pairs around it. What loops and branches make
  // of that is found out in the next round.
  llvm::DenseSet<Operation *> barriers;
  while (true) {
    SmallVector<std::pair<unsigned, unsigned>> pairs;
    std::optional<SmallVector<SyncConflict, 0>> conflicts =
        findConflicts(pool, shareBytes, barriers);
    if (!conflicts)
      return std::nullopt;
    for (const SyncConflict &conflict : *conflicts)
      pairs.emplace_back(getPosition(conflict.to), getPosition(conflict.from));
    if (pairs.empty())
      break;
    llvm::sort(pairs);
    std::optional<unsigned> last;
    bool isAnyNew = false;
    for (auto [to, from] : pairs) {
      // Around a loop, any that is not behind `to` comes between the two.
      bool isSeparated = last && (from < to ? from < *last : true);
      if (isSeparated)
        continue;
      last = to;
      isAnyNew |= barriers.insert(places[to]).second;
    }
    if (!isAnyNew)
      return std::nullopt;
  }
  // A later one may have made an earlier one superfluous. To try each takes
  // time; a kernel has few.
  constexpr unsigned maxTries = 100;
  unsigned numTries = 0;
  SmallVector<Operation *> needed;
  for (Operation *place : places) {
    if (!barriers.erase(place))
      continue;
    if (++numTries > maxTries) {
      barriers.insert(place);
      needed.push_back(place);
      continue;
    }
    std::optional<SmallVector<SyncConflict, 0>> conflicts =
        findConflicts(pool, shareBytes, barriers);
    if (conflicts && conflicts->empty())
      continue;
    barriers.insert(place);
    needed.push_back(place);
  }
  return needed;
}

llvm::Expected<Schedule> buffer_merge::scheduleWorkgroupPool(
    PoolPlan &pool, BarrierPolicy policy,
    llvm::function_ref<llvm::Expected<Schedule>(const SchedulingProblem &)>
        run) {
  SchedulingProblem problem = pool.problem;
  if (!pool.workgroup->mayInsertBarriers)
    return run(problem);
  addConflicts(problem, pool.workgroup->conflicts);
  llvm::Expected<Schedule> schedule = run(problem);

  llvm::Expected<Schedule> smaller = run(pool.problem);
  if (!smaller) {
    llvm::consumeError(smaller.takeError());
    return schedule;
  }
  if (schedule && smaller->poolSize >= schedule->poolSize)
    return schedule;
  std::optional<SmallVector<Operation *>> barriers = chooseBarriers(
      pool, *smaller, policy == BarrierPolicy::InsertOutsideLoops);
  if (!barriers)
    return schedule;
  if (!schedule)
    llvm::consumeError(schedule.takeError());
  pool.workgroup->barriers = std::move(*barriers);
  llvm::DenseSet<Operation *> inserted(pool.workgroup->barriers.begin(),
                                       pool.workgroup->barriers.end());
  pool.workgroup->conflicts = *findConflictsByLifetime(pool, inserted);
  return smaller;
}
