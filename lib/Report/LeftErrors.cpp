//===- LeftErrors.cpp - Allocations that must not stay --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeftErrors.h"
#include "Mutation.h"
#include "ReasonAdvice.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

static void emitLeft(Operation *allocation, UnmergeableReason reason,
                     Operation *reasonOp) {
  InFlightDiagnostic error = emitError(allocation->getLoc());
  error << "the allocation stays: " << describeReason(reason, reasonOp);
  if (reasonOp && reasonOp != allocation)
    error.attachNote(reasonOp->getLoc()) << "because of this";
  if (StringRef advice = getReasonAdvice(reason); !advice.empty())
    error.attachNote() << advice;
}

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

/// Emit an error for `plan`, whose pool is allocated instead of what `wanted`
/// says.
static void emitAllocatedPool(const PoolPlan &plan, PoolStorage wanted) {
  const Pool &pool = *plan.getPool();
  Operation *scopeOp = plan.scope->getParentOp();
  auto function = dyn_cast<FunctionOpInterface>(scopeOp);
  InFlightDiagnostic error = emitError(scopeOp->getLoc());
  error << "the pool of '"
        << (function ? function.getName() : scopeOp->getName().getStringRef())
        << "' cannot be " << describeStorage(wanted) << ": "
        << pool.storageNote;
  if (pool.storageObstacle)
    error.attachNote(pool.storageObstacle->getLoc()) << "because of this";
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

LogicalResult
buffer_merge::emitLeftErrors(const MergePlan &plan, PoolStorage storage,
                             const llvm::DenseSet<Operation *> &haveLowering) {
  bool isAnyLeft = false;
  auto emit = [&](Operation *allocation, UnmergeableReason reason,
                  Operation *reasonOp) {
    if (haveLowering.contains(allocation) && !isMutated("left-attributions"))
      return;
    emitLeft(allocation, reason, reasonOp);
    isAnyLeft = true;
  };
  for (const BufferLifetime *buffer : plan.unmergeable)
    emit(buffer->alloc, buffer->refusal->reason, buffer->refusal->op);
  for (const OtherAllocation &other : plan.otherAllocations)
    if (!allocatesOnStack(other.op) || isMutated("left-on-the-stack"))
      emit(other.op, UnmergeableReason::NotAnAlloc, other.op);
  for (const PoolPlan &pool : plan.pools) {
    if (const NoPool *noPool = pool.getNoPool()) {
      for (const BufferLifetime *buffer : pool.buffers)
        emit(buffer->alloc, noPool->reason, nullptr);
    } else if (storage != PoolStorage::Alloc && !pool.workgroup &&
               !pool.region && pool.getPool()->storage == PoolStorage::Alloc &&
               !isMutated("left-allocated-pools")) {
      emitAllocatedPool(pool, storage);
      isAnyLeft = true;
    }
  }
  return failure(isAnyLeft);
}
