//===- AllocationHolds.cpp - When allocations are held --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AllocationHolds.h"
#include "HeapScopes.h"

using namespace mlir;
using namespace buffer_merge;

AllocationHolds::Allocated
AllocationHolds::describe(Value value, const BufferLifetime *buffer) {
  if (!buffer || (freePoint == FreePoint::Deallocated && !buffer->refusal))
    return {value, buffer, context.aliases.getAliases(value, budget)};
  if (!buffer->refusal)
    return {value, buffer, std::nullopt};
  // What has too many aliases need not be asked again.
  Allocated allocated = {value, nullptr, std::nullopt};
  if (buffer->refusal->reason != UnmergeableReason::TooManyAliases)
    allocated.aliases = context.aliases.getAliases(value, budget);
  return allocated;
}

/// Return the aliases of `allocated`, which are known, without clones: these
/// have bytes of their own.
SmallVector<Value>
AllocationHolds::getWithoutClones(const Allocated &allocated) const {
  auto isClone = [&](Value alias) {
    return alias != allocated.value && context.aliases.isClone(alias);
  };
  if (llvm::none_of(*allocated.aliases, isClone))
    return *allocated.aliases;
  return llvm::filter_to_vector(
      context.aliases.getAliases(
          allocated.value,
          [&](Value alias) { return context.aliases.isClone(alias); }),
      [&](Value alias) { return !isClone(alias); });
}

bool AllocationHolds::isReturned(const Allocated &allocated) const {
  return allocated.aliases &&
         llvm::any_of(getWithoutClones(allocated), [&](Value alias) {
           return llvm::any_of(alias.getUsers(), [&](Operation *user) {
             return user->getParentOp() == context.function &&
                    user->hasTrait<OpTrait::IsTerminator>() &&
                    user->getNumSuccessors() == 0;
           });
         });
}

SmallVector<Hold, 1> AllocationHolds::find(const Allocated &allocated,
                                           int64_t first, Bytes bytes,
                                           BranchTree &branches) {
  Operation *op = allocated.value.getDefiningOp();
  int64_t last = std::max(first - 1, context.order.getTicks(op).last);
  return find(op, {first, last}, allocated, {}, bytes, branches);
}

SmallVector<Hold, 1> AllocationHolds::find(Operation *op, TickRange ticks,
                                           const Allocated &allocated,
                                           ArrayRef<Value> others, Bytes bytes,
                                           BranchTree &branches) {
  const auto &[value, buffer, aliases] = allocated;
  // What has too many aliases may be held for as long as the scope runs.
  if (freePoint == FreePoint::AsGiven || (!aliases && !buffer)) {
    Frees frees;
    if (buffer)
      for (OpOperand *dealloc : buffer->deallocs)
        frees.ops.push_back(dealloc->getOwner());
    else
      frees = findFrees(aliases, context, effects);
    return GivenHolds(findHeapScope(context, op), context.order, branches)
        .find(op, value, ticks.first, frees, bytes);
  }
  SmallVector<Value> values = {value};
  llvm::append_range(values, others);
  SmallVector<Value> known;
  if (aliases)
    known = getWithoutClones(allocated);
  return HeldTicks(op, values, ticks, context, effects)
      .find(known, buffer, bytes, branches);
}

AllocationHolds::ArmHolds
AllocationHolds::findArms(const BufferLifetime &buffer, Bytes bytes,
                          BranchTree &branches) {
  const ExecutionOrder &order = context.order;
  const BranchArms &arms = *buffer.arms;

  ArmHolds holds;
  // From the tick on, until the block passes it on.
  bool mayBeFreed = llvm::any_of(buffer.deallocs, [&](OpOperand *dealloc) {
    return arms.branch->isProperAncestor(dealloc->getOwner());
  });
  auto addInBranch = [&](Block *block, int64_t first) {
    Hold &hold = holds.inBranches.emplace_back();
    hold.ticks = {first, order.getTicks(block).last};
    hold.branch = branches.getBranch(block);
    if (!mayBeFreed)
      hold.certain = {hold.ticks};
    std::tie(hold.most, hold.least) = bytes;
  };
  // An operation of the block in which a result is there, and the first tick.
  auto getBegin = [&](Value result) {
    if (Operation *op = result.getDefiningOp())
      return std::pair(op, order.getTicks(op).last);
    Operation *front = &result.getParentBlock()->front();
    return std::pair(front, order.getTicks(front).first);
  };
  SmallVector<Value> values;
  for (Value alloc : buffer.getAllocs()) {
    values.push_back(alloc);
    addInBranch(alloc.getParentBlock(),
                order.getTicks(alloc.getDefiningOp()).first);
  }
  for (Value result : ArrayRef(arms.results).drop_back()) {
    values.push_back(result);
    addInBranch(result.getParentBlock(), getBegin(result).second);
  }
  auto [op, first] = getBegin(arms.results.back());
  Allocated allocated = {arms.results.back(), &buffer, std::nullopt};
  if (freePoint == FreePoint::Deallocated && arms.isComplete) {
    allocated.aliases.emplace();
    for (Value alloc : buffer.getAllocs())
      if (auto aliases = context.aliases.getAliases(alloc, budget))
        llvm::append_range(*allocated.aliases, *aliases);
    // Those in the branches are used there.
    llvm::erase_if(*allocated.aliases, [&, first = first](Value alias) {
      return getBegin(alias).second < first;
    });
  }
  holds.after = find(op, {first, first}, allocated, values, bytes, branches);
  for (Hold &hold : holds.after) {
    if (!arms.isComplete)
      hold.certain.clear();
    // What a loop has left behind counts once.
    for (Hold &inBranch : holds.inBranches)
      if (hold.ticks.first <= inBranch.ticks.first)
        inBranch.ticks.last = inBranch.ticks.first - 1;
  }
  return holds;
}
