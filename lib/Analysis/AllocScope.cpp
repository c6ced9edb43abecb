//===- AllocScope.cpp - The region that owns a pool -----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AllocScope.h"
#include "Mutation.h"

#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

bool buffer_merge::isDoneAtEnd(RegionExecution execution) {
  return (execution != RegionExecution::Deferred &&
          execution != RegionExecution::Unknown) ||
         isMutated("L8-tasks");
}

/// Return true if a pool can be allocated at the front of `region`, and freed
/// at its ends: not in a class of `emitc`, whose members have no order, nor in
/// `omp.taskloop`, which has no terminator.
static bool canHoldPool(Region &region) {
  return mayHaveSSADominance(region) && llvm::all_of(region, [](Block &block) {
           return !block.empty() &&
                  block.back().hasTrait<OpTrait::IsTerminator>();
         });
}

/// Return true if each execution of `region` owns what is allocated in it. A
/// sequential loop shares the pool of the scope around it instead.
static bool ownsPools(Region &region, RegionExecution execution) {
  Operation *op = region.getParentOp();
  if (isa<async::FuncOp>(op))
    return true;
  if (!op->hasTrait<OpTrait::AutomaticAllocationScope>())
    return false;
  return isa<FunctionOpInterface>(op) ||
         (execution != RegionExecution::Repeated && canHoldPool(region));
}

/// Return the alloc scope of what is directly in `region`, or why there is
/// none; nothing if it is that of the operation around the region.
static std::optional<std::variant<Region *, Refusal>>
checkScope(Region &region) {
  using Result = std::variant<Region *, Refusal>;
  Operation *parent = region.getParentOp();
  if (!parent)
    return Result(UnmergeableReason::NoAllocScope);
  RegionExecution execution = getRegionExecution(parent);
  if (ownsPools(region, execution))
    return Result(&region);
  if (execution != RegionExecution::Once &&
      execution != RegionExecution::Repeated)
    return Result(Refusal{UnmergeableReason::NoAllocScope, parent});
  return std::nullopt;
}

std::variant<Region *, Refusal> AllocScopes::find(Operation *op) const {
  SmallVector<Region *> path;
  std::variant<Region *, Refusal> scope = UnmergeableReason::NoAllocScope;
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion()) {
    if (auto it = scopes.find(region); it != scopes.end()) {
      scope = it->second;
      break;
    }
    path.push_back(region);
    if (std::optional<std::variant<Region *, Refusal>> found =
            checkScope(*region)) {
      scope = *found;
      break;
    }
  }
  for (Region *region : path)
    scopes.try_emplace(region, scope);
  return scope;
}

std::variant<Region *, Refusal> buffer_merge::findAllocScope(Operation *op) {
  return AllocScopes().find(op);
}

/// Return true if `op` is part of a coroutine as LLVM's intrinsics. What the
/// function is resumed at hangs on an ordinary `llvm.switch`.
static bool isCoroutineIntrinsic(Operation *op) {
  if (op->getName().getStringRef().starts_with("llvm.intr.coro."))
    return true;
  if (op->getName().getStringRef() != "llvm.call_intrinsic")
    return false;
  auto intrinsic = op->getAttrOfType<StringAttr>("intrin");
  return intrinsic && intrinsic.getValue().starts_with("llvm.coro.");
}

bool buffer_merge::isKnownControlFlow(Operation *op) {
  // The successors of async.coro.suspend are no alternatives: the coroutine
  // returns to its caller through one, and is resumed in another.
  return (!isCoroutineIntrinsic(op) &&
          (op->getNumSuccessors() == 0 || isa<BranchOpInterface>(op))) ||
         isMutated("L9-coroutines");
}

bool buffer_merge::hasKnownControlFlow(Operation *function) {
  WalkResult result = function->walk([](Operation *op) {
    return isKnownControlFlow(op) ? WalkResult::advance()
                                  : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}
