//===- WorkgroupPlan.cpp - Plans for workgroup memory --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkgroupPlan.h"
#include "Analysis/GPU/WorkgroupSync.h"
#include "Mutation.h"
#include "Planning/Pins.h"

#include "llvm/ADT/DenseSet.h"

#include <limits>

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// What a pool is
//===----------------------------------------------------------------------===//

bool buffer_merge::fitsDynamicMemory(const Schedule &schedule) {
  return getDynamicBytes(schedule) <= std::numeric_limits<int32_t>::max();
}

void buffer_merge::chooseWorkgroupPool(PoolPlan &pool, PoolStorage wanted,
                                       KernelMemory &memory) {
  Operation *scopeOp = pool.scope->getParentOp();
  bool isPossible =
      isa<gpu::GPUFuncOp>(scopeOp) ||
      (isa<gpu::LaunchOp>(scopeOp) && wanted == PoolStorage::Dynamic);
  if (!isPossible)
    return;
  WorkgroupPlan &workgroup = *pool.workgroup;
  workgroup.storage = wanted;
  if (wanted == PoolStorage::Alloc)
    return;
  // An allocation is always possible, but has a lowering before outlining only.
  StringRef obstacle;
  std::optional<PoolStorage> other;
  if (isa<gpu::LaunchOp>(scopeOp))
    other = PoolStorage::Alloc;
  else if (obstacle = memory.checkAttribution(*pool.scope); obstacle.empty())
    other = PoolStorage::Attribution;
  if (wanted == PoolStorage::Dynamic) {
    workgroup.otherStorage = other;
    obstacle = memory.checkDynamic(pool);
    if (!obstacle.empty() && other) {
      useOtherStorage(pool, obstacle);
      return;
    }
  }
  if (!obstacle.empty())
    pool.decision = NoPool{UnmergeableReason::DynamicMemory, obstacle.str()};
}

void buffer_merge::useOtherStorage(PoolPlan &pool, StringRef obstacle) {
  WorkgroupPlan &workgroup = *pool.workgroup;
  workgroup.storage = *workgroup.otherStorage;
  workgroup.storageNote = obstacle;
  // It has no lowering either.
  workgroup.isWantedAnyway &= workgroup.storage != PoolStorage::Alloc;
}

//===----------------------------------------------------------------------===//
// Buffers that share no bytes
//===----------------------------------------------------------------------===//

int64_t buffer_merge::getOwnAlignment(const BufferLifetime &buffer,
                                      const MergePlanOptions &options) {
  int64_t alignment = std::max(buffer.alignment, options.workgroupAlignment);
  if (!buffer.refusal ||
      buffer.refusal->reason == UnmergeableReason::NeverAccessed)
    return alignment;
  // What may access it is not known.
  return std::max(alignment, getEngineAlignment(*buffer.size));
}

llvm::DenseSet<const BufferLifetime *> buffer_merge::findUnsharedParts(
    ArrayRef<const BufferLifetime *> buffers, const BufferLifetimes &lifetimes,
    const MergePlanOptions &options, KernelMemory &memory) {
  llvm::DenseSet<const BufferLifetime *> parts;
  if (options.workgroupPool != PoolStorage::Dynamic)
    return parts;
  llvm::DenseMap<std::pair<Region *, Attribute>, bool> arePossible;
  auto isPossible = [&](const BufferLifetime &buffer) {
    auto [it, isNew] =
        arePossible.try_emplace({buffer.scope, buffer.getMemorySpace()}, false);
    if (!isNew)
      return it->second;
    PoolPlan trial;
    trial.scope = buffer.scope;
    trial.memorySpace = buffer.getMemorySpace();
    trial.workgroup.emplace().sync = lifetimes.getWorkgroupSync(buffer.scope);
    chooseWorkgroupPool(trial, options.workgroupPool, memory);
    return it->second = trial.getPool() &&
                        trial.workgroup->storage == PoolStorage::Dynamic;
  };
  for (const BufferLifetime *buffer : buffers) {
    if (!buffer->refusal || !buffer->isOneObject)
      continue;
    // A variable that nothing accesses is dropped by what lowers it.
    UnmergeableReason reason = buffer->refusal->reason;
    bool isUsed = *buffer->size != 0 &&
                  reason != UnmergeableReason::NeverAccessed &&
                  reason != UnmergeableReason::Unreachable;
    if (isUsed && !hasPin(buffer->getAllocOp()) && isPossible(*buffer))
      parts.insert(buffer);
  }
  return parts;
}

void buffer_merge::findOwnAttributions(MergePlan &plan,
                                       const MergePlanOptions &options,
                                       KernelMemory &memory) {
  if (options.workgroupPool == PoolStorage::Alloc)
    return;
  llvm::DenseMap<Region *, bool> haveRoom;
  auto add = [&](const BufferLifetime *buffer) {
    auto [it, isNew] = haveRoom.try_emplace(buffer->scope, false);
    if (isNew)
      it->second = memory.checkAttribution(*buffer->scope).empty();
    if (it->second && buffer->getAllocOp())
      plan.ownAttributions.push_back(
          {buffer, getOwnAlignment(*buffer, options)});
  };
  for (const UnmergeableBuffer &left : plan.unmergeable)
    if (left.buffer->isOneObject)
      add(left.buffer);
  for (const PoolPlan &pool : plan.pools)
    if (pool.workgroup && isa<gpu::GPUFuncOp>(pool.scope->getParentOp()) &&
        pool.getReason() == UnmergeableReason::NotScheduled)
      llvm::for_each(pool.buffers, add);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Return the pairs of `pool` that must not share bytes even with `barriers`,
/// `unfenced` without a proxy fence, among those that `mayShareBytes`; nothing
/// if there are too many.
static std::optional<SmallVector<SyncConflict, 0>>
findConflicts(const PoolPlan &pool,
              llvm::function_ref<bool(BufferId, BufferId)> mayShareBytes,
              const llvm::DenseSet<Operation *> &barriers,
              const llvm::DenseSet<Operation *> &unfenced = {}) {
  // A kernel may have another pool in another memory space.
  constexpr BufferId none = ~0u;
  SmallVector<BufferId> ids(pool.workgroup->sync->getNumObjects(), none);
  for (auto [id, buffer] : llvm::enumerate(pool.buffers))
    if (!buffer->refusal)
      ids[pool.workgroup->sync->getNumber(buffer->alloc)] = id;
  auto mayShare = [&](unsigned a, unsigned b) {
    return ids[a] != none && ids[b] != none && mayShareBytes(ids[a], ids[b]);
  };
  std::optional<SmallVector<SyncConflict, 0>> conflicts =
      pool.workgroup->sync->findConflicts(mayShare, barriers, unfenced);
  if (!conflicts)
    return std::nullopt;
  for (SyncConflict &conflict : *conflicts) {
    conflict.first = ids[conflict.first];
    conflict.second = ids[conflict.second];
  }
  return conflicts;
}

/// Return true if barriers may be inserted into the kernel of `pool`. Before
/// its loops become threads, a barrier has no meaning outside of them.
static bool mayInsert(const PoolPlan &pool, const MergePlanOptions &options) {
  if (options.barriers == BarrierPolicy::Existing ||
      pool.workgroup->barrierObstacle ||
      isa<LoopLikeOpInterface>(pool.scope->getParentOp()))
    return false;
  // A function with operations of the device is a kernel, or the part of one
  // that all of its threads execute: it has memory that they share.
  bool isDeviceFunction = isa<FunctionOpInterface>(pool.scope->getParentOp()) &&
                          pool.isInDeviceCode();
  return isDeviceFunction ||
         !mayRunAgain(pool.scope, options.lifetimes.workgroup);
}

static std::optional<SmallVector<SyncConflict, 0>>
findConflictsByLifetime(const PoolPlan &pool,
                        const llvm::DenseSet<Operation *> &barriers,
                        const llvm::DenseSet<Operation *> &unfenced = {}) {
  auto areDisjoint = [&](BufferId a, BufferId b) {
    return !pool.problem.buffers[a].overlapsInTime(pool.problem.buffers[b]);
  };
  return findConflicts(pool, areDisjoint, barriers, unfenced);
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

void buffer_merge::addSyncConflicts(PoolPlan &pool,
                                    const MergePlanOptions &options) {
  if (!pool.workgroup->sync)
    return;
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
      mayInsert(pool, options) && !pool.workgroup->conflicts.empty();
  if (!pool.workgroup->mayInsertBarriers) {
    if (!isMutated("G1-conflicts"))
      addConflicts(pool.problem, pool.workgroup->conflicts);
    return;
  }
  SmallVector<Operation *> places = pool.workgroup->sync->findBarrierPlaces(
      options.barriers == BarrierPolicy::InsertOutsideLoops);
  llvm::DenseSet<Operation *> everywhere(places.begin(), places.end());
  // With barriers everywhere there are no more pairs than without.
  addConflicts(pool.problem, *findConflictsByLifetime(pool, everywhere));
}

/// Return a function that is true for two buffers of `pool` with bytes in
/// common in `schedule`.
static auto getSharing(const PoolPlan &pool, const Schedule &schedule) {
  return [&](BufferId a, BufferId b) {
    return shareBytes(pool.problem, schedule, a, b);
  };
}

/// To try whether a barrier or a fence is needed takes time; a kernel has few.
static constexpr unsigned maxTries = 100;

/// Return the loops around `op` in `kernel`, from the outermost on.
static SmallVector<Operation *> getLoopsAround(Operation *op, Region &kernel) {
  SmallVector<Operation *> loops;
  while ((op = op->getParentOp()) != kernel.getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      loops.insert(loops.begin(), op);
  return loops;
}

/// Return operations before which barriers make `schedule` free of races, in
/// the order of the program; nothing if there are none.
static std::optional<SmallVector<Operation *>>
chooseBarriers(const PoolPlan &pool, const Schedule &schedule,
               bool outsideLoops) {
  auto shareBytes = getSharing(pool, schedule);
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
  // A later one may have made an earlier one superfluous, and in front of a
  // loop it is executed less often than inside.
  unsigned numTries = 0;
  auto areEnough = [&] {
    if (++numTries > maxTries)
      return false;
    std::optional<SmallVector<SyncConflict, 0>> conflicts =
        findConflicts(pool, shareBytes, barriers);
    return conflicts && conflicts->empty();
  };
  for (Operation *place : places)
    if (barriers.erase(place) && !areEnough())
      barriers.insert(place);
  Region &kernel = pool.workgroup->sync->getKernel();
  for (Operation *place : places) {
    if (!barriers.erase(place))
      continue;
    SmallVector<Operation *> loops = getLoopsAround(place, kernel);
    auto isBetter = [&](Operation *loop) {
      if (!barriers.insert(loop).second)
        return false;
      return areEnough() || !barriers.erase(loop);
    };
    if (!llvm::any_of(loops, isBetter))
      barriers.insert(place);
  }
  SmallVector<Operation *> needed;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (barriers.contains(op))
      needed.push_back(op);
  });
  return needed;
}

namespace {
/// A schedule, and the barriers that it needs.
struct BarrierPlan {
  Schedule schedule;
  SmallVector<Operation *> barriers;

  /// Return what it costs if a barrier costs `gain` bytes.
  int64_t getCost(int64_t gain) const {
    return schedule.poolSize + gain * int64_t(barriers.size());
  }
};

using RunScheduler =
    llvm::function_ref<llvm::Expected<Schedule>(const SchedulingProblem &)>;
} // namespace

/// Return a plan for `problem`, which is that of `pool` with more conflicts;
/// nothing if there is none.
static std::optional<BarrierPlan> planBarriers(const PoolPlan &pool,
                                               const SchedulingProblem &problem,
                                               bool outsideLoops,
                                               RunScheduler run) {
  llvm::Expected<Schedule> schedule = run(problem);
  if (!schedule) {
    llvm::consumeError(schedule.takeError());
    return std::nullopt;
  }
  std::optional<SmallVector<Operation *>> barriers =
      chooseBarriers(pool, *schedule, outsideLoops);
  if (!barriers)
    return std::nullopt;
  return BarrierPlan{std::move(*schedule), std::move(*barriers)};
}

/// Improve `plan` by leaving out barriers one by one: what only this one
/// separates no longer shares bytes.
static void dropExpensiveBarriers(const PoolPlan &pool, int64_t gain,
                                  bool outsideLoops, RunScheduler run,
                                  BarrierPlan &plan) {
  // A kernel has few. Each takes a schedule.
  constexpr size_t maxTries = 16;
  SchedulingProblem problem = pool.problem;
  for (bool isBetter = true; isBetter;) {
    isBetter = false;
    std::optional<BarrierPlan> best;
    SmallVector<SyncConflict, 0> bestConflicts;
    for (Operation *left : ArrayRef(plan.barriers).take_front(maxTries)) {
      llvm::DenseSet<Operation *> others(plan.barriers.begin(),
                                         plan.barriers.end());
      others.erase(left);
      std::optional<SmallVector<SyncConflict, 0>> conflicts =
          findConflicts(pool, getSharing(pool, plan.schedule), others);
      if (!conflicts)
        continue;
      SchedulingProblem other = problem;
      addConflicts(other, *conflicts);
      std::optional<BarrierPlan> without =
          planBarriers(pool, other, outsideLoops, run);
      if (!without || without->getCost(gain) > plan.getCost(gain) ||
          without->barriers.size() >= plan.barriers.size() ||
          (best && best->getCost(gain) <= without->getCost(gain)))
        continue;
      best = std::move(without);
      bestConflicts = std::move(*conflicts);
    }
    if (!best)
      break;
    addConflicts(problem, bestConflicts);
    plan = std::move(*best);
    isBetter = true;
  }
}

llvm::Expected<Schedule> buffer_merge::scheduleWorkgroupPool(
    PoolPlan &pool, const MergePlanOptions &options, RunScheduler run) {
  SchedulingProblem problem = pool.problem;
  if (!pool.workgroup->mayInsertBarriers)
    return run(problem);
  addConflicts(problem, pool.workgroup->conflicts);
  llvm::Expected<Schedule> schedule = run(problem);

  bool outsideLoops = options.barriers == BarrierPolicy::InsertOutsideLoops;
  std::optional<BarrierPlan> plan =
      planBarriers(pool, pool.problem, outsideLoops, run);
  if (!plan)
    return schedule;
  int64_t gain = options.barrierGain;
  if (schedule) {
    if (gain != 0)
      dropExpensiveBarriers(pool, gain, outsideLoops, run, *plan);
    if (plan->getCost(gain) >= schedule->poolSize ||
        plan->schedule.poolSize >= schedule->poolSize)
      return schedule;
    pool.workgroup->bytesWithoutBarriers = schedule->poolSize;
  } else {
    // It brings the pool under its capacity, at any price.
    llvm::consumeError(schedule.takeError());
  }
  pool.workgroup->barriers = std::move(plan->barriers);
  llvm::DenseSet<Operation *> inserted(pool.workgroup->barriers.begin(),
                                       pool.workgroup->barriers.end());
  llvm::DenseSet<Operation *> unfenced;
  if (pool.workgroup->sync->mayInsertFences())
    for (auto [index, place] : llvm::enumerate(pool.workgroup->barriers)) {
      unfenced.insert(place);
      if (index < maxTries) {
        auto conflicts = findConflicts(pool, getSharing(pool, plan->schedule),
                                       inserted, unfenced);
        if (conflicts && conflicts->empty())
          continue;
      }
      unfenced.erase(place);
      if (!isMutated("G14-inserted-fence"))
        pool.workgroup->fencedBarriers.push_back(place);
    }
  pool.workgroup->conflicts =
      *findConflictsByLifetime(pool, inserted, unfenced);
  return std::move(plan->schedule);
}
