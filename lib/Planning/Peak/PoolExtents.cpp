//===- PoolExtents.cpp - Where a pool begins and ends ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolExtents.h"
#include "Mutation.h"
#include "Premises.h"

using namespace mlir;
using namespace buffer_merge;

Block *PoolExtents::getHome(Region &region, Ids ids) const {
  Block *home = nullptr;
  for (BufferId id : ids) {
    Block *block = region.findAncestorBlockInRegion(
        *whole.buffers[id]->getPlace()->getBlock());
    if (!block || (home && block != home))
      return nullptr;
    home = block;
  }
  return home;
}

Operation *PoolExtents::getLastUse(BufferId id) const {
  const BufferLifetime &buffer = *whole.buffers[id];
  return isMutated("R7-last-use") ? buffer.lastAccess : buffer.lastUse;
}

/// Return the first operation of the block of `op` that does not end before
/// `tick`; null if there is none.
Operation *PoolExtents::findEnd(Operation *op, int64_t tick) const {
  SmallVector<Operation *, 0> &ops = opsOf[op->getBlock()];
  if (ops.empty())
    for (Operation &other : *op->getBlock())
      ops.push_back(&other);
  auto it = llvm::partition_point(
      ops, [&](Operation *other) { return order.getTicks(other).last < tick; });
  return it == ops.end() ? nullptr : *it;
}

/// Extend `extent` to buffer `id`, of which the place is in `first` and the
/// last use in `last`, operations of one block. Return false if it cannot be
/// freed in that block, or there are no such operations.
bool PoolExtents::extend(PoolExtent &extent, BufferId id, Operation *first,
                         Operation *last) const {
  const BufferLifetime &buffer = *whole.buffers[id];
  endPremise<Stage::EarlyFrees, Premise::PoolIsHeld>();
  // A wait for the access may follow, or a comparison of the address.
  int64_t heldUntil =
      ask<Stage::EarlyFrees, Premise::PoolIsHeld, Proof::ComparedAddresses>(
          buffer.getHeldUntil());
  if (last && order.getTicks(last).last < heldUntil)
    last = findEnd(last, heldUntil);
  // An access that is still running when the scope is done has no last use.
  if (!first || !last || last == last->getBlock()->getTerminator() ||
      ask<Stage::EarlyFrees, Premise::PoolIsHeld, Proof::InFlight>(
          buffer.isInFlightAtEnd))
    return false;
  TickRange ticks = order.getTicks(first).hull(order.getTicks(last));
  if (!extent.first || ticks.first < extent.begin) {
    extent.first = first;
    extent.begin = ticks.first;
  }
  if (!extent.last || ticks.last >= extent.end) {
    extent.last = last;
    extent.end = ticks.last + 1;
  }
  return true;
}

PoolExtent PoolExtents::getExtent(Block &block, Ids ids) const {
  PoolExtent extent;
  for (BufferId id : ids) {
    if (!extend(extent, id,
                block.findAncestorOpInBlock(*whole.buffers[id]->getPlace()),
                block.findAncestorOpInBlock(*getLastUse(id))))
      return PoolExtent();
  }
  return extent;
}

SmallVector<int64_t, 0> PoolExtents::collectTicks() const {
  SmallVector<int64_t, 0> ticks;
  // Operations that hold a buffer. Those around them hold it as well.
  llvm::DenseSet<Operation *> known;
  for (BufferId id = 0; id < whole.buffers.size(); ++id) {
    Operation *first = whole.buffers[id]->getPlace(), *last = getLastUse(id);
    // Out to the innermost operation around both.
    int64_t begin = order.getTicks(first).first;
    auto isAroundFirst = [&](Operation *op) {
      return op == whole.scope->getParentOp() ||
             (order.getTicks(op).first < begin &&
              order.getTicks(op).last > begin);
    };
    while (!isAroundFirst(last->getParentOp()))
      last = last->getParentOp();
    while (first->getParentOp() != last->getParentOp())
      first = first->getParentOp();
    while (true) {
      PoolExtent extent;
      if (first->getBlock() == last->getBlock() &&
          extend(extent, id, first, last)) {
        bool isOne = first == last && extent.last == last;
        if (isOne && !known.insert(first).second)
          break;
        ticks.push_back(extent.begin);
        ticks.push_back(extent.end);
      }
      if (first->getParentRegion() == whole.scope)
        break;
      first = first->getParentOp();
      last = last->getParentOp();
    }
  }
  return ticks;
}
