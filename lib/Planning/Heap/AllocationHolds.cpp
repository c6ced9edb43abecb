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

/// Return the values that may be `value`; nothing if there are too many. A
/// clone has bytes of its own.
std::optional<SmallVector<Value>> AllocationHolds::getAliases(Value value) {
  if (!context.aliases.getAliases(value, budget))
    return std::nullopt;
  auto isClone = [&](Value alias) { return context.aliases.isClone(alias); };
  return llvm::filter_to_vector(
      context.aliases.getAliases(value, isClone),
      [&](Value alias) { return alias == value || !isClone(alias); });
}

bool AllocationHolds::isReturned(Value value) {
  std::optional<SmallVector<Value>> aliases = getAliases(value);
  return aliases && llvm::any_of(*aliases, [&](Value alias) {
           return llvm::any_of(alias.getUsers(), [&](Operation *user) {
             return user->getParentOp() == context.function &&
                    user->hasTrait<OpTrait::IsTerminator>() &&
                    user->getNumSuccessors() == 0;
           });
         });
}

SmallVector<Hold, 1> AllocationHolds::find(Value value, int64_t first,
                                           Bytes bytes,
                                           const BufferLifetime *buffer,
                                           BranchTree &branches) {
  Operation *op = value.getDefiningOp();
  if (freePoint == FreePoint::AsGiven) {
    Frees frees;
    if (buffer)
      for (OpOperand *dealloc : buffer->deallocs)
        frees.ops.push_back(dealloc->getOwner());
    else
      frees = findFrees(value, context, budget, effects);
    return GivenHolds(findScope(op), context.order, branches)
        .find(op, value, first, frees, bytes);
  }
  TickRange ticks = {first,
                     std::max(first - 1, context.order.getTicks(op).last)};
  HeldTicks held(op, ticks, context.order, effects);
  held.addUses(value);
  std::optional<SmallVector<Value>> aliases = getAliases(value);
  if (!aliases && !buffer) {
    // It may be held for as long as the scope runs.
    Frees unknown;
    unknown.areAll = false;
    return GivenHolds(findScope(op), context.order, branches)
        .find(op, value, first, unknown, bytes);
  }
  for (Value alias : aliases.value_or(SmallVector<Value>()))
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
