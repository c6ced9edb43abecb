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
  const auto &[value, buffer, aliases] = allocated;
  Operation *op = value.getDefiningOp();
  // What has too many aliases may be held for as long as the scope runs.
  if (freePoint == FreePoint::AsGiven || (!aliases && !buffer)) {
    Frees frees;
    if (buffer)
      for (OpOperand *dealloc : buffer->deallocs)
        frees.ops.push_back(dealloc->getOwner());
    else
      frees = findFrees(aliases, context, effects);
    return GivenHolds(findHeapScope(context, op), context.order, branches)
        .find(op, value, first, frees, bytes);
  }
  SmallVector<Value> known;
  if (aliases)
    known = getWithoutClones(allocated);
  return HeldTicks(value, first, context, effects)
      .find(known, buffer, bytes, branches);
}
