//===- ThreadLoops.cpp - Barriers at the end of loops over threads -------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Canonicalization erases a loop without effects before it becomes a barrier,
// and effects with it that nothing can observe: stores to an allocation that is
// not read, branches that are never taken, copies of a buffer to itself. So a
// loop counts only if some effect in it certainly stays.
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/DeviceCode.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace buffer_merge;

static Value getViewedMemory(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// Return what tells the buffer of `memref` from others: its memory, and its
/// place there if it is a slice of a pool.
static std::pair<Value, int64_t> getBufferKey(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>()) {
    auto slice = dyn_cast<memref::ViewOp>(view.getOperation());
    std::optional<int64_t> offset;
    if (slice)
      offset = getConstantIntValue(slice.getByteShift());
    if (offset)
      return {getViewedMemory(slice.getSource()), *offset};
    memref = view.getViewSource();
  }
  return {memref, -1};
}

/// Return whether stores to `memory` stay. What is in workgroup memory becomes
/// part of a pool or an attribution if its shape is static.
static bool keepsStores(Value memory, const WorkgroupOptions &options) {
  auto type = dyn_cast<MemRefType>(memory.getType());
  if (!type || (type.hasStaticShape() && type.getNumElements() == 0))
    return false;
  if (type.hasStaticShape() &&
      options.isWorkgroupSpace(type.getMemorySpace(), /*isInDeviceCode=*/true))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(memory))
    return isa<FunctionOpInterface, gpu::LaunchOp>(
               argument.getOwner()->getParentOp()) &&
           argument.getOwner()->isEntryBlock();
  return isa<memref::GetGlobalOp, gpu::DynamicSharedMemoryOp>(
      memory.getDefiningOp());
}

/// Return whether `op`, other than a loop, writes to memory that keeps it.
static bool hasLastingWrite(Operation *op, const WorkgroupOptions &options) {
  auto withEffects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!withEffects)
    return isa<CallOpInterface>(op) || options.isWorkgroupBarrier(op);
  SmallVector<std::pair<Value, int64_t>> buffers;
  for (Value operand : op->getOperands()) {
    // All of a mask may be false.
    auto vector = dyn_cast<VectorType>(operand.getType());
    if (vector && vector.getElementType().isInteger(1))
      return false;
    if (!isa<BaseMemRefType>(operand.getType()))
      continue;
    // A copy of a buffer to itself has no effect.
    std::pair<Value, int64_t> buffer = getBufferKey(operand);
    if (llvm::is_contained(buffers, buffer))
      return false;
    buffers.push_back(buffer);
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  withEffects.getEffects(effects);
  return llvm::any_of(effects, [&](const MemoryEffects::EffectInstance &one) {
    Value memref = one.getValue();
    return isa<MemoryEffects::Write>(one.getEffect()) && memref &&
           keepsStores(getViewedMemory(memref), options);
  });
}

static bool hasIterations(scf::ForallOp op) {
  SmallVector<OpFoldResult> sizes = op.getMixedUpperBound();
  return op.isNormalized() && llvm::all_of(sizes, [](OpFoldResult size) {
           std::optional<int64_t> number = getConstantIntValue(size);
           return !number || *number > 0;
         });
}

/// Return whether executing `body` certainly has an effect that stays.
static bool hasLastingEffect(Region &body, const WorkgroupOptions &options) {
  return llvm::any_of(body.front(), [&](Operation &op) {
    if (isa<scf::ForOp, affine::AffineForOp>(op))
      return isExecutedAtLeastOnce(&op) &&
             hasLastingEffect(op.getRegion(0), options);
    if (auto forall = dyn_cast<scf::ForallOp>(op))
      return hasIterations(forall) &&
             hasLastingEffect(forall.getRegion(), options);
    if (isa<scf::ExecuteRegionOp, memref::AllocaScopeOp>(op))
      return hasLastingEffect(op.getRegion(0), options);
    return hasLastingWrite(&op, options);
  });
}

bool buffer_merge::endsWithBarrier(Operation *op,
                                   const WorkgroupOptions &options) {
  auto forall = dyn_cast<scf::ForallOp>(op);
  if (!forall || !options.assumeForallSync ||
      (!isMappedToThreads(op) && !isMutated("G5-every-forall-synchronizes")))
    return false;
  return (hasIterations(forall) &&
          hasLastingEffect(forall.getRegion(), options)) ||
         isMutated("G5-dead-loops-synchronize");
}
