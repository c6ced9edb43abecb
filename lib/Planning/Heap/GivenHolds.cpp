//===- GivenHolds.cpp - When a program frees an allocation ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is certain may be less than what is so, and what is held at most may be
// more. A free of the memory itself ends it on the paths through the free. A
// free of something that may be it, or in a loop, only makes it uncertain.
//
//===----------------------------------------------------------------------===//

#include "GivenHolds.h"
#include "Analysis/AllocScope.h"
#include "Analysis/FunctionContext.h"
#include "Analysis/ViewSources.h"
#include "Mutation.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace buffer_merge;

Frees buffer_merge::findFrees(const std::optional<SmallVector<Value>> &aliases,
                              const FunctionContext &context,
                              UserEffects &effects) {
  Frees frees;
  if (!aliases) {
    frees.areAll = false;
    return frees;
  }
  for (Value alias : *aliases)
    for (OpOperand &use : alias.getUses()) {
      Operation *user = use.getOwner();
      if (effects.get(user).frees) {
        if (!llvm::is_contained(frees.ops, user))
          frees.ops.push_back(user);
        continue;
      }
      BufferUse what = classifyUse(use, context.callees);
      if (what.kind == BufferUse::Kind::Refused &&
          what.reason != UnmergeableReason::Returned)
        frees.areAll = false;
    }
  return frees;
}

Hold GivenHolds::findForGood(Operation *op, int64_t first, Bytes bytes) const {
  Block *block = op->getBlock();
  Hold hold;
  hold.ticks = {branches.getLoopBegin(block, first), branches.getEnd()};
  hold.branch = branches.getBranch(block);
  std::tie(hold.most, hold.least) = bytes;
  int64_t last =
      hold.branch == 0 ? hold.ticks.last : branches.getLastTick(block);
  if (first <= last)
    hold.certain.push_back({first, last});
  return hold;
}

/// Follow memory that is there from tick `first` of `block` on and that `name`
/// is, to the first of `frees` in the block.
GivenHolds::State GivenHolds::walk(Block *block, int64_t first, Value name,
                                   ArrayRef<Operation *> frees,
                                   Walk &result) const {
  Operation *next = nullptr;
  for (Operation *free : frees)
    if (Operation *op = block->findAncestorOpInBlock(*free);
        op && order.getTicks(op).last >= first &&
        (!next || order.getTicks(op).first < order.getTicks(next).first))
      next = op;
  if (!next) {
    result.certain.push_back({first, order.getTicks(block).last});
    return State::Held;
  }
  TickRange ticks = order.getTicks(next);
  result.last = std::max(result.last, ticks.last);
  if (ticks.first >= first)
    result.certain.push_back({first, ticks.first});
  if (llvm::is_contained(frees, next)) {
    // A free of one of several leaves the others.
    bool isIt = !name || llvm::any_of(next->getOperands(), [&](Value operand) {
      return findViewedMemory(operand) == name;
    });
    return isIt ? State::Freed : State::MaybeFreed;
  }
  return walkArms(next, name, frees, result);
}

/// Follow memory through the regions of `op`, in which it may be freed.
GivenHolds::State GivenHolds::walkArms(Operation *op, Value name,
                                       ArrayRef<Operation *> frees,
                                       Walk &result) const {
  if (!runsRegionsAtMostOnce(op))
    return State::MaybeFreed;
  bool areAllFreed = true;
  for (Region &region : op->getRegions()) {
    if (!region.hasOneBlock()) {
      areAllFreed = false;
      continue;
    }
    int64_t first = order.getTicks(&region).first;
    areAllFreed &=
        walk(&region.front(), first, name, frees, result) == State::Freed;
  }
  return areAllFreed && !isMutated("R7-some-paths") ? State::Freed
                                                    : State::MaybeFreed;
}

/// Return the result of the operation around `block` that the terminator of the
/// block may pass `name` on as; null if there is none.
static Value findResult(Block *block, Value name) {
  if (!block->mightHaveTerminator())
    return nullptr;
  for (OpOperand &operand : block->getTerminator()->getOpOperands())
    if (findViewedMemory(operand.get()) == name)
      for (Value target : getForwarded(operand))
        if (target.getDefiningOp() == block->getParentOp())
          return target;
  return nullptr;
}

/// Return true if what `block` passes on leaves its region in any case, which
/// is not all of the scope and runs at most once.
bool GivenHolds::isLeft(Block *block) const {
  Region *region = block->getParent();
  return region != scope && region->hasOneBlock() &&
         runsRegionsAtMostOnce(region->getParentOp());
}

/// Return true if every path from `op`, in a region of several blocks, comes to
/// one of `frees` of its result `name` in another block; then the last of the
/// ticks until there is in `last`.
bool GivenHolds::isFreedAcrossBlocks(Operation *op, Value name,
                                     ArrayRef<Operation *> frees,
                                     int64_t &last) const {
  SmallPtrSet<Block *, 2> ends;
  for (Operation *free : frees)
    if (free->getParentRegion() == op->getParentRegion() &&
        free->getNumOperands() == 1)
      if (Value freed = findViewedMemory(free->getOperand(0));
          name ? freed == name : freed.getDefiningOp() == op) {
        ends.insert(free->getBlock());
        last = std::max(last, order.getTicks(free).last);
      }
  if (ends.empty())
    return false;
  SmallVector<Block *> worklist = {op->getBlock()};
  SmallPtrSet<Block *, 8> visited;
  while (!worklist.empty()) {
    Block *block = worklist.pop_back_val();
    TickRange ticks = order.getTicks(block);
    last = std::max(last, ticks.last);
    // A path may leave the region, or go around a loop, before it is freed.
    if (block->hasNoSuccessors())
      return false;
    for (Block *next : block->getSuccessors()) {
      if (order.getTicks(next).first <= order.getTicks(op).first)
        return false;
      if (!ends.contains(next) && visited.insert(next).second)
        worklist.push_back(next);
    }
  }
  return true;
}

/// Return true if `free` frees an argument of a loop around `op`, or of a block
/// beside it, which may be what an earlier execution of `op` has allocated.
static bool mayFreeEarlier(Operation *free, Operation *op) {
  return llvm::any_of(free->getOperands(), [&](Value operand) {
    auto argument = dyn_cast<BlockArgument>(findViewedMemory(operand));
    return argument && argument.getOwner()->getParentOp()->isProperAncestor(op);
  });
}

SmallVector<Hold, 1> GivenHolds::find(Operation *op, Value value, int64_t first,
                                      const Frees &frees, Bytes bytes) const {
  if (frees.ops.empty() && frees.areAll)
    return {findForGood(op, first, bytes)};
  Hold hold;
  hold.branch = branches.getBranch(op->getBlock());
  std::tie(hold.most, hold.least) = bytes;
  Walk result;
  result.last = first;
  State state = walk(op->getBlock(), first, value, frees.ops, result);
  // What is freed in any case is not freed before.
  if (!frees.areAll && state != State::Freed) {
    // It may be freed wherever it has gone.
    hold.ticks = {branches.getLoopBegin(op->getBlock(), first),
                  branches.getEnd()};
    hold.certain.push_back({first, first});
    return {hold};
  }
  // Out of the regions that pass it on.
  Block *block = op->getBlock();
  Value name = value;
  bool isLocal = true;
  while (state == State::Held && isLeft(block) &&
         (name = findResult(block, name))) {
    Operation *around = block->getParentOp();
    block = around->getBlock();
    isLocal &= branches.getBranch(block) == hold.branch;
    Walk outside;
    outside.last = order.getTicks(around).last;
    state = walk(block, outside.last, name, frees.ops, outside);
    result.last = std::max(result.last, outside.last);
    if (isLocal)
      llvm::append_range(result.certain, outside.certain);
  }
  if (int64_t last = result.last;
      state == State::Held && isFreedAcrossBlocks(op, value, frees.ops, last)) {
    state = State::Freed;
    result.last = last;
  }
  for (TickRange range : result.certain)
    if (hold.certain.empty() || range.first > hold.certain.back().last + 1)
      hold.certain.push_back(range);
    else
      hold.certain.back() = hold.certain.back().hull(range);
  if (state == State::Freed) {
    hold.ticks = {first, result.last};
    return {hold};
  }
  hold.ticks = {branches.getLoopBegin(op->getBlock(), first),
                branches.getEnd()};
  SmallVector<Hold, 1> holds = {hold};
  bool mayBeCarried =
      state == State::Held || llvm::any_of(frees.ops, [&](Operation *free) {
        return mayFreeEarlier(free, op);
      });
  if (!mayBeCarried || hold.ticks.first == first)
    return holds;
  // What an iteration hands over to the next one is there beside what that one
  // allocates.
  Hold &earlier = holds.emplace_back(hold);
  earlier.certain.clear();
  earlier.least = 0;
  earlier.mayVary = true;
  auto loop = dyn_cast<LoopLikeOpInterface>(op->getParentOp());
  if (Value result = loop && loop.getLoopResults()
                         ? findResult(op->getBlock(), value)
                         : Value()) {
    Walk after;
    after.last = order.getTicks(loop).last;
    if (walk(loop->getBlock(), after.last, result, frees.ops, after) ==
        State::Freed) {
      holds.front().ticks.last = after.last;
      if (llvm::any_of(frees.ops, [&](Operation *free) {
            return loop->isProperAncestor(free);
          }))
        earlier.ticks.last = after.last;
    }
  }
  return holds;
}
