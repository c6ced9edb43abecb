//===- The ticks that an access makes part of a lifetime ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessCover.h"
#include "AllocScope.h"
#include "AsyncWaits.h"
#include "Mutation.h"
#include "Premises.h"

using namespace mlir;
using namespace buffer_merge;

bool buffer_merge::isExecutedOnce(Operation *alloc, Region *scope,
                                  const ExecutionOrder &order) {
  for (Operation *op = alloc;; op = op->getParentOp()) {
    if (order.getCycle(op->getBlock(), nullptr))
      return false;
    if (op->getParentRegion() == scope)
      return true;
    if (!runsRegionsAtMostOnce(op->getParentOp()))
      return false;
  }
}

/// Return `ticks` extended by what may be executed between the allocation and
/// an access in `common`, a region around it: the loops that the buffer has
/// left as a result.
static TickRange coverExit(Operation *alloc, Region *common, TickRange ticks,
                           const ExecutionOrder &order) {
  Operation *current = alloc;
  while (current->getParentRegion() != common) {
    if (std::optional<TickRange> cycle =
            order.getCycle(current->getBlock(), nullptr))
      ticks = ticks.hull(*cycle);
    current = current->getParentOp();
    if (!runsRegionsAtMostOnce(current) && !isMutated("L3-exit"))
      ticks = ticks.hull(order.getTicks(current));
  }
  return ticks;
}

std::variant<AccessCover, UnmergeableReason>
buffer_merge::coverAccess(Operation *access, bool isDeferred, Operation *alloc,
                          Region *scope, const ExecutionOrder &order,
                          llvm::function_ref<bool(Operation *)> isOnce) {
  TickRange ticks = order.getTicks(access);
  auto cover = [&](TickRange range) { ticks = ticks.hull(range); };

  // Climb to the innermost region that holds the allocation as well. What an
  // operation on the way has started stays pending until a wait for just that.
  SmallVector<Operation *> pending;
  if (isDeferred && !isMutated("L8-transfers"))
    pending.push_back(access);
  Operation *current = access;
  TickRange allocTicks = order.getTicks(alloc);
  // Which costs less than to climb from the allocation at each level.
  auto mayHoldAlloc = [&](Region *region) {
    if (region == scope)
      return true;
    TickRange around = order.getTicks(region->getParentOp());
    return around.first < allocTicks.first && allocTicks.last < around.last;
  };
  while (true) {
    llvm::erase_if(pending, [&](Operation *starter) {
      Operation *wait = findWait(starter, current);
      if (wait)
        cover(order.getTicks(wait));
      return wait != nullptr;
    });
    Region *region = current->getParentRegion();
    Operation *allocAncestor =
        mayHoldAlloc(region) ? region->findAncestorOpInRegion(*alloc) : nullptr;
    Block *without = allocAncestor ? allocAncestor->getBlock() : nullptr;
    if (std::optional<TickRange> cycle =
            order.getCycle(current->getBlock(), without);
        cycle && !isMutated("L4-cycle"))
      cover(*cycle);
    if (allocAncestor && (region == scope || !isMutated("L6-fresh"))) {
      // Nothing inside the scope can wait for the terminator's accesses.
      if (region == scope && current->getNumSuccessors() == 0 &&
          current->hasTrait<OpTrait::IsTerminator>())
        return UnmergeableReason::AccessedByTerminator;
      ticks = coverExit(alloc, region, ticks, order);
      break;
    }
    current = region->getParentOp();
    RegionExecution execution = isOnce && isOnce(current)
                                    ? RegionExecution::Once
                                    : getRegionExecution(current);
    bool mayRepeat =
        execution != RegionExecution::Once || isMutated("L5-branch");
    if (mayRepeat && !isMutated("L3-repetition"))
      cover(order.getTicks(current));
    if (!isDoneAtEnd(execution))
      pending.push_back(current);
  }
  if (pending.empty())
    return AccessCover{ticks};
  // To the end of the scope, if no later iteration can get in the way.
  relyOn<Proof::InFlight, Premise::PoolIsHeld>();
  if (!isExecutedOnce(alloc, scope, order) && !isMutated("L8-executed-once"))
    return UnmergeableReason::Asynchronous;
  int64_t end = order.getTicks(scope).last;
  if (!isMutated("L8-end-of-the-scope"))
    cover({end, end});
  return AccessCover{ticks, /*isInFlightAtEnd=*/true};
}
