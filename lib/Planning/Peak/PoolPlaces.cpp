//===- PoolPlaces.cpp - Where a pool can be -------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolPlaces.h"
#include "LateFrees.h"
#include "Mutation.h"

using namespace mlir;
using namespace buffer_merge;

PoolPlaces::PoolPlaces(const PoolPlan &whole, const ExecutionOrder &order,
                       LateFrees *lateFrees)
    : whole(whole), order(order), lateFrees(lateFrees) {
  for (const BufferLifetime *buffer : whole.buffers) {
    memref::AllocOp alloc = buffer->alloc;
    freedLate.push_back(lateFrees && lateFrees->isFreedLate(alloc));
  }
}

Block *PoolPlaces::getHome(Region &region, Ids ids) const {
  Block *home = nullptr;
  for (BufferId id : ids) {
    memref::AllocOp alloc = whole.buffers[id]->alloc;
    Block *block = region.findAncestorBlockInRegion(*alloc->getBlock());
    if (!block || (home && block != home))
      return nullptr;
    home = block;
  }
  return home;
}

/// Return true if the program has deallocations of `ids`.
bool PoolPlaces::isFreedByProgram(Ids ids) const {
  return llvm::any_of(ids, [&](BufferId id) {
    const BufferLifetime &buffer = *whole.buffers[id];
    return !buffer.deallocs.empty() || buffer.needsManualDealloc;
  });
}

Operation *PoolPlaces::getLastUse(BufferId id) const {
  const BufferLifetime &buffer = *whole.buffers[id];
  return isMutated("peak-last-use") ? buffer.lastAccess : buffer.lastUse;
}

/// Extend `place` to buffer `id`, of which the allocation is in `first` and the
/// last use in `last`, operations of one block. Return false if it cannot be
/// freed in that block, or there are no such operations.
bool PoolPlaces::extendPlace(PoolPlace &place, BufferId id, Operation *first,
                             Operation *last) const {
  const BufferLifetime &buffer = *whole.buffers[id];
  // A wait for the access may follow.
  while (last && order.getTicks(last).last < buffer.ticks.last)
    last = last->getNextNode();
  // An access that is still running when the scope is done has no last use.
  if (!first || !last || last == last->getBlock()->getTerminator() ||
      buffer.isInFlightAtEnd)
    return false;
  TickRange ticks = order.getTicks(first).hull(order.getTicks(last));
  if (!place.first || ticks.first < place.begin) {
    place.first = first;
    place.begin = ticks.first;
  }
  if (!place.last || ticks.last >= place.end) {
    place.last = last;
    place.end = ticks.last + 1;
  }
  return true;
}

/// Set the end of `place`, which is that of a pool of `ids`, if stock passes
/// free it.
void PoolPlaces::setLateEnd(PoolPlace &place, Ids ids) const {
  place.lateEnd = place.end;
  if (!place.first || !lateFrees || isFreedByProgram(ids))
    return;
  Block &block = *place.first->getBlock();
  if (lateFrees->areFreedLate(block) ||
      llvm::any_of(ids, [&](BufferId id) { return freedLate[id]; }))
    place.lateEnd = order.getTicks(block.getTerminator()).first;
}

PoolPlace PoolPlaces::getPlace(Block &block, Ids ids) const {
  PoolPlace place;
  for (BufferId id : ids) {
    memref::AllocOp alloc = whole.buffers[id]->alloc;
    if (!extendPlace(place, id, block.findAncestorOpInBlock(*alloc),
                     block.findAncestorOpInBlock(*getLastUse(id))))
      return PoolPlace();
  }
  setLateEnd(place, ids);
  return place;
}

/// Return `op` and the operations around it in `scope`, the outermost first;
/// nothing if it is not in there.
static SmallVector<Operation *> getNest(Operation *op, Region *scope) {
  SmallVector<Operation *> nest;
  for (; op; op = op->getParentOp()) {
    nest.push_back(op);
    if (op->getParentRegion() == scope) {
      std::reverse(nest.begin(), nest.end());
      return nest;
    }
  }
  return {};
}

void PoolPlaces::forEachPlace(
    BufferId id, llvm::function_ref<void(const PoolPlace &)> visit) const {
  memref::AllocOp alloc = whole.buffers[id]->alloc;
  SmallVector<Operation *> firsts = getNest(alloc, whole.scope);
  SmallVector<Operation *> lasts = getNest(getLastUse(id), whole.scope);
  for (size_t depth = firsts.size(); depth-- != 0;) {
    Operation *first = firsts[depth];
    Operation *last = depth < lasts.size() ? lasts[depth] : nullptr;
    if (last && last->getBlock() != first->getBlock())
      last = nullptr;
    PoolPlace place;
    if (!extendPlace(place, id, first, last))
      place = PoolPlace();
    setLateEnd(place, id);
    visit(place);
  }
}
