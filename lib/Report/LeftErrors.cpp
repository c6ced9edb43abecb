//===- LeftErrors.cpp - Allocations that must not stay --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Advice.h"
#include "Analysis/IterationSpace.h"
#include "PlanErrors.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace buffer_merge;

/// Return what a pool of this kind is, after `cannot be`.
static StringRef describeStorage(PoolStorage storage) {
  switch (storage) {
  case PoolStorage::Stack:
    return "on the stack";
  case PoolStorage::Arena:
    return "in an arena";
  default:
    return "a global";
  }
}

/// Return why the pool of `plan` cannot be what `wanted` says: `note`.
static std::string describeOtherStorage(const PoolPlan &plan,
                                        PoolStorage wanted, StringRef note) {
  Operation *scopeOp = plan.scope->getParentOp();
  auto function = dyn_cast<FunctionOpInterface>(scopeOp);
  StringRef name =
      function ? function.getName() : scopeOp->getName().getStringRef();
  return llvm::formatv("the pool of '{0}' cannot be {1}: {2}", name,
                       describeStorage(wanted), note);
}

/// Say in `error` what is in the way of the storage of `plan`: `obstacle`,
/// which may be null.
static void explainStorage(InFlightDiagnostic &error, const PoolPlan &plan,
                           Operation *obstacle) {
  if (obstacle)
    error.attachNote(obstacle->getLoc()) << "because of this";
  if (getIterationRanges(plan.scope->getParentOp()))
    error.attachNote() << "give it a slot for each iteration in front of the "
                          "loop: --hoist-parallel-pools";
}

/// Emit an error for `plan`, whose pool is allocated instead of what `wanted`
/// says.
static void emitAllocatedPool(const PoolPlan &plan, PoolStorage wanted) {
  const Pool &pool = *plan.getPool();
  InFlightDiagnostic error =
      emitError(plan.scope->getParentOp()->getLoc())
      << describeOtherStorage(plan, wanted, pool.storageNote);
  explainStorage(error, plan, pool.storageObstacle);
}

/// Emit an error for `allocation` of `plan`, which stays. It is in `pool`,
/// which is not made, or in none.
static void emitLeft(const MergePlan &plan, Operation *allocation,
                     UnmergeableReason reason, Operation *reasonOp,
                     const PoolPlan *pool, PoolStorage wanted) {
  InFlightDiagnostic error = emitError(allocation->getLoc());
  error << "the allocation stays: " << describeReason(reason, reasonOp);
  if (reasonOp && reasonOp != allocation)
    error.attachNote(reasonOp->getLoc()) << "because of this";
  if (std::string advice =
          getLeftAdvice(*plan.lifetimes, reason, reasonOp, allocation);
      !advice.empty())
    error.attachNote() << advice;
  const NoPool *noPool = pool ? pool->getNoPool() : nullptr;
  // With parts for callees, the note says why the pool is none.
  if (!noPool || noPool->storageNote.empty() || wanted == PoolStorage::Alloc)
    return;
  error.attachNote() << describeOtherStorage(*pool, wanted,
                                             noPool->storageNote);
  explainStorage(error, *pool, noPool->storageObstacle);
}

/// Return true if what `op` allocates vanishes with a stack frame.
static bool allocatesOnStack(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (interface)
    interface.getEffects(effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Allocate>(effect.getEffect()) &&
           isa<SideEffects::AutomaticAllocationScopeResource>(
               effect.getResource());
  });
}

LogicalResult buffer_merge::emitLeftErrors(const MergePlan &plan,
                                           PoolStorage storage) {
  bool isAnyLeft = false;
  auto emit = [&](Operation *allocation, UnmergeableReason reason,
                  Operation *reasonOp, const PoolPlan *pool) {
    // An attribution needs no heap.
    if (!allocation)
      return;
    emitLeft(plan, allocation, reason, reasonOp, pool, storage);
    isAnyLeft = true;
  };
  for (const auto &[buffer, refusal] : plan.unmergeable)
    emit(buffer->getAllocOp(), refusal.reason, refusal.op, nullptr);
  for (const OtherAllocation &other : plan.otherAllocations)
    if (!allocatesOnStack(other.op))
      emit(other.op, UnmergeableReason::NotAnAlloc, other.op, nullptr);
  for (const PoolPlan &pool : plan.pools) {
    if (const NoPool *noPool = pool.getNoPool()) {
      for (const BufferLifetime *buffer : pool.buffers)
        emit(buffer->getAllocOp(), noPool->reason, nullptr, &pool);
    } else if (storage != PoolStorage::Alloc && !pool.workgroup &&
               !pool.region && pool.getPool()->storage == PoolStorage::Alloc) {
      emitAllocatedPool(pool, storage);
      isAnyLeft = true;
    }
  }
  return failure(isAnyLeft);
}
