//===- ProgramCapacity.cpp - Scopes that hold too much together -----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramCapacity.h"
#include "Analysis/GPU/DeviceCode.h"
#include "Footprint.h"
#include "Mutation.h"
#include "Planning/Storage/ArenaPlan.h"
#include "ProgramHeap.h"
#include "Scheduling/SaturatingBytes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// Collects what a scope holds at its peak, inner scopes and callees included.
class PartCollector {
public:
  PartCollector(const MergePlan &plan, const ProgramHeap &program,
                Attribute memorySpace, OverfullScope &overfull)
      : plan(plan), program(program), memorySpace(memorySpace),
        overfull(overfull) {}

  /// Add what `executions` executions of `scope` hold.
  void collect(Region *scope, int64_t executions);

private:
  void add(Operation *op, int64_t bytes, int64_t executions,
           std::optional<size_t> pool) {
    // More of them help nobody.
    constexpr size_t maxParts = 32;
    if (overfull.parts.size() < maxParts)
      overfull.parts.push_back({op, bytes, executions, pool});
  }

  const MergePlan &plan;
  const ProgramHeap &program;
  Attribute memorySpace;
  OverfullScope &overfull;
};
} // namespace

void PartCollector::collect(Region *scope, int64_t executions) {
  const ScopeHeap *heap = program.lookup(scope, memorySpace);
  if (!heap)
    return;
  auto isHeld = [&](TickRange ticks) {
    return ticks.first <= heap->peakTick && heap->peakTick <= ticks.last;
  };
  for (const HeapItem &item : heap->items) {
    if (item.bytes.most == 0 || !isHeld(item.ticks))
      continue;
    if (item.inner) {
      collect(item.inner, multiplyBytes(executions, item.executions));
      continue;
    }
    std::optional<size_t> pool;
    if (item.pool)
      pool = item.pool - plan.pools.begin();
    add(item.op, item.bytes.most, executions, pool);
  }
}

/// Return what `scope` holds beside the globals of `plan`, of which there are
/// any if `hasGlobals`: the arena of a function may be a part of them.
static int64_t countBesideGlobals(const MergePlan &plan, Region *scope,
                                  Attribute memorySpace, const ScopeHeap &heap,
                                  bool hasGlobals) {
  if (memorySpace || !hasGlobals)
    return heap.peak.most;
  return heap.peak.most - countInnerArena(plan, scope->getParentOp());
}

/// Return true if something that `heap` is the sum of exceeds `capacity` by
/// itself, beside the globals.
static bool hasOverfullPart(const MergePlan &plan, const ScopeHeap &heap,
                            Attribute memorySpace, int64_t capacity,
                            const ProgramHeap &program, bool hasGlobals) {
  return llvm::any_of(heap.items, [&](const HeapItem &item) {
    const ScopeHeap *inner =
        item.inner ? program.lookup(item.inner, memorySpace) : nullptr;
    return inner && countBesideGlobals(plan, item.inner, memorySpace, *inner,
                                       hasGlobals) > capacity;
  });
}

/// Return true if the arena of the function `scopeOp` alone exceeds `capacity`,
/// for which there is an error already.
static bool hasOverfullArena(const MergePlan &plan, Operation *scopeOp,
                             int64_t capacity) {
  if (!plan.arenas)
    return false;
  std::optional<unsigned> index = plan.arenas->getGraph().lookup(scopeOp);
  return index && plan.arenas->getArenas()[*index].bytes > capacity;
}

/// Add the pools of `plan` that are globals in the memory space of `overfull`.
static void addGlobals(const MergePlan &plan, OverfullScope &overfull) {
  for (auto [index, pool] : llvm::enumerate(plan.pools))
    if (pool.memorySpace == overfull.memorySpace && pool.getPool() &&
        pool.getPool()->storage == PoolStorage::Global)
      overfull.parts.push_back({pool.scope->getParentOp(),
                                pool.getPool()->schedule.poolSize,
                                /*executions=*/1, index});
}

/// Return the memory spaces in which `plan` makes globals, and their bytes.
static llvm::SmallMapVector<Attribute, int64_t, 1>
collectGlobalBytes(const MergePlan &plan) {
  llvm::SmallMapVector<Attribute, int64_t, 1> bytes;
  for (const PoolPlan &pool : plan.pools)
    if (pool.getPool() && pool.getPool()->storage == PoolStorage::Global &&
        !bytes.contains(pool.memorySpace))
      bytes[pool.memorySpace] = countGlobalBytes(plan, pool.memorySpace);
  return bytes;
}

SmallVector<OverfullScope, 0>
buffer_merge::findOverfullScopes(const MergePlan &plan,
                                 const MergePlanOptions &options) {
  SmallVector<OverfullScope, 0> found;
  if (options.capacities.empty() || isMutated("R6-together"))
    return found;
  llvm::DenseSet<std::pair<Region *, Attribute>> reported;
  llvm::DenseSet<Attribute> reportedSpaces;
  for (const PoolPlan &pool : plan.pools)
    if (pool.excessiveBytes) {
      reported.insert({pool.scope, pool.memorySpace});
      reportedSpaces.insert(pool.memorySpace);
    }
  // Globals are there all the time: first those alone, for which a pool that
  // is too large has been reported, then with what scopes hold.
  llvm::SmallMapVector<Attribute, int64_t, 1> globals =
      collectGlobalBytes(plan);
  for (auto [memorySpace, bytes] : globals) {
    const Capacity *capacity =
        options.findCapacity(memorySpace, /*isInDeviceCode=*/false);
    if (!capacity || bytes <= capacity->bytes ||
        !reportedSpaces.insert(memorySpace).second)
      continue;
    OverfullScope &overfull = found.emplace_back();
    overfull.scopeOp = plan.lifetimes->getRoot();
    overfull.memorySpace = memorySpace;
    overfull.bytes = bytes;
    overfull.capacity = capacity->bytes;
    addGlobals(plan, overfull);
  }
  ProgramHeapOptions heapOptions;
  heapOptions.isPlanned = true;
  heapOptions.maxThreads = options.maxThreads;
  ProgramHeap program(plan, heapOptions);
  program.forEachScope([&](Region *scope, Attribute memorySpace,
                           const ScopeHeap &heap) {
    const Capacity *capacity = options.findCapacity(
        memorySpace,
        plan.lifetimes->getDeviceCode().contains(&scope->front().front()));
    int64_t globalBytes = globals.lookup(memorySpace);
    int64_t held =
        countBesideGlobals(plan, scope, memorySpace, heap, globalBytes > 0);
    if (!capacity || held <= capacity->bytes - globalBytes ||
        (globalBytes > 0 && reportedSpaces.contains(memorySpace)) ||
        reported.contains({scope, memorySpace}) ||
        hasOverfullArena(plan, scope->getParentOp(), capacity->bytes) ||
        hasOverfullPart(plan, heap, memorySpace, capacity->bytes - globalBytes,
                        program, globalBytes > 0))
      return;
    OverfullScope &overfull = found.emplace_back();
    overfull.scopeOp = scope->getParentOp();
    overfull.memorySpace = memorySpace;
    overfull.bytes = held + globalBytes;
    overfull.capacity = capacity->bytes;
    PartCollector(plan, program, memorySpace, overfull)
        .collect(scope, /*executions=*/1);
    addGlobals(plan, overfull);
  });
  return found;
}

void buffer_merge::findOpenScopes(MergePlan &plan) {
  for (OverfullScope &scope : plan.overfullScopes) {
    int64_t least = scope.bytes;
    for (const HeldPart &part : scope.parts) {
      const Pool *made = part.pool ? plan.pools[*part.pool].getPool() : nullptr;
      if (made)
        least -= multiplyBytes(made->schedule.poolSize -
                                   plan.pools[*part.pool].getProvedBound(),
                               part.executions);
    }
    scope.isOpen = least <= scope.capacity;
  }
}
