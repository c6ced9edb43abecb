//===- LateFrees.cpp - What stock passes free at the end only -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LateFrees.h"
#include "Analysis/FunctionContext.h"
#include "Mutation.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

LateFrees::LateFrees(const FunctionContext &context)
    : context(context), dropped(context),
      haveOneOfSeveral(context.aliases.haveOneOfSeveral()) {}

bool LateFrees::isFreedLate(Value value) {
  bool isLate = areFreedLate(*value.getParentBlock());
  if (!isLate && !haveOneOfSeveral)
    return false;
  for (Value alias : context.aliases.getAliases(value)) {
    if (llvm::any_of(alias.getUsers(), [](Operation *user) {
          return hasEffect<MemoryEffects::Free>(user);
        }))
      return false;
    isLate |= context.aliases.isOneOfSeveral(alias) &&
              !dropped.contains(alias) && !isMutated("peak-buffers-freed-late");
  }
  return isLate;
}

/// Return true if `value`, which the block owns, may be any allocation.
bool LateFrees::mayBeAny(Value value) const {
  if (!isa<BaseMemRefType>(value.getType()) || dropped.contains(value))
    return false;
  std::optional<SmallVector<Value>> origins = context.aliases.getOrigins(value);
  return !origins || llvm::any_of(*origins, [&](Value origin) {
    if (isa<BlockArgument>(origin))
      return origin.getParentBlock()->getParentOp() != context.function;
    return !hasEffect<MemoryEffects::Allocate>(origin.getDefiningOp(), origin);
  });
}

bool LateFrees::areFreedLate(Block &block) {
  auto [entry, isNew] = known.try_emplace(&block, false);
  if (!isNew || isMutated("peak-blocks-freed-late"))
    return entry->second;
  bool isFunctionEntry =
      block.isEntryBlock() && block.getParentOp() == context.function;
  bool isLate = !isFunctionEntry &&
                llvm::any_of(block.getArguments(),
                             [&](Value value) { return mayBeAny(value); });
  for (Operation &op : block) {
    if (isLate)
      break;
    if (isa<CallOpInterface>(op))
      isLate = llvm::any_of(op.getResultTypes(), llvm::IsaPred<BaseMemRefType>);
    else if (isa<RegionBranchOpInterface>(op))
      isLate = llvm::any_of(op.getResults(),
                            [&](Value value) { return mayBeAny(value); });
  }
  known[&block] = isLate;
  return isLate;
}
