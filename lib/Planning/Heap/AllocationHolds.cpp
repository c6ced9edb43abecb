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

Region *AllocationHolds::findScope(Operation *inside) const {
  return findHeapScope(context, inside);
}

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
  const auto &[value, buffer, aliases] = allocated;
  Operation *op = value.getDefiningOp();
  if (freePoint == FreePoint::AsGiven) {
    Frees frees;
    if (buffer)
      for (OpOperand *dealloc : buffer->deallocs)
        frees.ops.push_back(dealloc->getOwner());
    else
      frees = findFrees(aliases, context, effects);
    return GivenHolds(findScope(op), context.order, branches)
        .find(op, value, first, frees, bytes);
  }
  TickRange ticks = {first,
                     std::max(first - 1, context.order.getTicks(op).last)};
  HeldTicks held(op, ticks, context.order, effects);
  held.addUses(value);
  if (!aliases && !buffer) {
    // It may be held for as long as the scope runs.
    Frees unknown;
    unknown.areAll = false;
    return GivenHolds(findScope(op), context.order, branches)
        .find(op, value, first, unknown, bytes);
  }
  for (Value alias :
       aliases ? getWithoutClones(allocated) : SmallVector<Value>())
    if (!buffer && alias != value) {
      held.addAlias(alias);
    } else if (buffer) {
      held.addResult(alias);
      if (auto argument = dyn_cast<BlockArgument>(alias))
        held.addArgument(argument);
    }
  if (buffer)
    held.addLifetime(*buffer);
  return held.build(bytes, branches);
}
