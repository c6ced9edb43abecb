//===- WorkgroupPlan.cpp - Plans for workgroup memory --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkgroupPlan.h"

#include "llvm/ADT/DenseSet.h"

#include <limits>

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// What a pool is
//===----------------------------------------------------------------------===//

/// The alignment of dynamic memory in NVVM.
static constexpr int64_t dynamicMemoryAlignment = 16;

bool buffer_merge::fitsDynamicMemory(const Schedule &schedule) {
  return schedule.poolSize <= std::numeric_limits<int32_t>::max() &&
         schedule.poolAlignment <= dynamicMemoryAlignment;
}

void DynamicMemory::collectLaunches() {
  isCollected = true;
  // A part of a module does not see all launches.
  if (root->getParentOp())
    return;
  root->walk([&](gpu::LaunchFuncOp launch) {
    launchesOf[launch.getKernelAttr()].push_back(launch);
  });
}

static bool usesDynamicMemory(Operation *op) {
  return op
      ->walk([](gpu::DynamicSharedMemoryOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

bool DynamicMemory::isAvailable(Operation *scopeOp,
                                SmallVectorImpl<gpu::LaunchFuncOp> &launches) {
  if (usesDynamicMemory(scopeOp))
    return false;
  if (auto launch = dyn_cast<gpu::LaunchOp>(scopeOp))
    return !launch.getDynamicSharedMemorySize();

  auto kernel = cast<gpu::GPUFuncOp>(scopeOp);
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  if (!module)
    return false;
  // Functions that the kernel may call.
  for (Operation &op : module.getBody()->getOperations())
    if (auto function = dyn_cast<gpu::GPUFuncOp>(op);
        !(function && function.isKernel()) && usesDynamicMemory(&op))
      return false;
  if (!isCollected)
    collectLaunches();
  auto name = SymbolRefAttr::get(module.getNameAttr(),
                                 {SymbolRefAttr::get(kernel.getNameAttr())});
  auto it = launchesOf.find(name);
  if (it == launchesOf.end() || module->getParentOp() != root)
    return false;
  for (gpu::LaunchFuncOp launch : it->second)
    if (launch.getDynamicSharedMemorySize())
      return false;
  llvm::append_range(launches, it->second);
  return true;
}

void buffer_merge::chooseWorkgroupPool(PoolPlan &pool, PoolKind wanted,
                                       DynamicMemory &dynamicMemory) {
  Operation *scopeOp = pool.scope->getParentOp();
  bool isPossible =
      isa<gpu::GPUFuncOp>(scopeOp) ||
      (isa<gpu::LaunchOp>(scopeOp) && wanted == PoolKind::Dynamic);
  if (!isPossible)
    return;
  pool.kind = wanted;
  // All dynamic memory of a kernel is one, and its type has no number.
  if (wanted == PoolKind::Dynamic &&
      (!isa<gpu::AddressSpaceAttr>(pool.memorySpace) ||
       !dynamicMemory.isAvailable(scopeOp, pool.launches)))
    pool.reason = UnmergeableReason::DynamicMemory;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Return the pairs of `pool` that must not share bytes even with `barriers`,
/// among those that `mayShareBytes`.
static SmallVector<SyncConflict, 0>
findConflicts(const PoolPlan &pool,
              llvm::function_ref<bool(BufferId, BufferId)> mayShareBytes,
              const llvm::DenseSet<Operation *> &barriers) {
  DenseMap<unsigned, BufferId> ids;
  for (auto [id, buffer] : llvm::enumerate(pool.buffers))
    ids[pool.sync->getNumber(buffer->alloc->getResult(0))] = id;
  auto mayShare = [&](unsigned a, unsigned b) {
    // A kernel may have another pool in another memory space.
    auto first = ids.find(a), second = ids.find(b);
    return first != ids.end() && second != ids.end() &&
           mayShareBytes(first->second, second->second);
  };
  SmallVector<SyncConflict, 0> conflicts =
      pool.sync->findConflicts(mayShare, barriers);
  for (SyncConflict &conflict : conflicts) {
    conflict.first = ids.at(conflict.first);
    conflict.second = ids.at(conflict.second);
  }
  return conflicts;
}

/// Return true if barriers may be inserted into the kernel of `pool`. Before
/// its loops are mapped to threads, a barrier has no meaning.
static bool mayInsert(const PoolPlan &pool, BarrierPolicy policy) {
  return policy != BarrierPolicy::Existing &&
         isa<gpu::GPUFuncOp, gpu::LaunchOp>(pool.scope->getParentOp());
}

static SmallVector<SyncConflict, 0>
findConflictsByLifetime(const PoolPlan &pool,
                        const llvm::DenseSet<Operation *> &barriers) {
  auto areDisjoint = [&](BufferId a, BufferId b) {
    return !pool.problem.buffers[a].overlapsInTime(pool.problem.buffers[b]);
  };
  return findConflicts(pool, areDisjoint, barriers);
}

void buffer_merge::addSyncConflicts(PoolPlan &pool, BarrierPolicy policy) {
  pool.conflicts = findConflictsByLifetime(pool, {});
  SmallVector<SyncConflict, 0> remaining = pool.conflicts;
  if (mayInsert(pool, policy) && !pool.conflicts.empty()) {
    SmallVector<Operation *> places = pool.sync->findBarrierPlaces(
        policy == BarrierPolicy::InsertOutsideLoops);
    llvm::DenseSet<Operation *> everywhere(places.begin(), places.end());
    remaining = findConflictsByLifetime(pool, everywhere);
  }
  for (const SyncConflict &conflict : remaining)
    pool.problem.conflicts.emplace_back(conflict.first, conflict.second);
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
  SmallVector<Operation *> places = pool.sync->findBarrierPlaces(outsideLoops);
  DenseMap<Operation *, unsigned> positions;
  for (auto [position, place] : llvm::enumerate(places))
    positions[place] = position;

  // The first access that needs one first: what it separates helps those
  // behind it.
  llvm::DenseSet<Operation *> barriers;
  while (true) {
    SmallVector<SyncConflict, 0> conflicts =
        findConflicts(pool, shareBytes, barriers);
    if (conflicts.empty())
      break;
    Operation *first = nullptr;
    for (const SyncConflict &conflict : conflicts) {
      Operation *place = pool.sync->findBarrierPlace(conflict.to, outsideLoops);
      if (!first || positions.at(place) < positions.at(first))
        first = place;
    }
    if (!barriers.insert(first).second)
      return std::nullopt;
  }
  // A later one may have made an earlier one superfluous.
  SmallVector<Operation *> needed;
  for (Operation *place : places) {
    if (!barriers.erase(place))
      continue;
    if (findConflicts(pool, shareBytes, barriers).empty())
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
  problem.conflicts.clear();
  for (const SyncConflict &conflict : pool.conflicts)
    problem.conflicts.emplace_back(conflict.first, conflict.second);
  llvm::Expected<Schedule> schedule = run(problem);
  if (problem.conflicts.size() == pool.problem.conflicts.size())
    return schedule;

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
  pool.barriers = std::move(*barriers);
  pool.conflicts = findConflictsByLifetime(
      pool,
      llvm::DenseSet<Operation *>(pool.barriers.begin(), pool.barriers.end()));
  return smaller;
}
