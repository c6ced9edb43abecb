//===- Whether a pool may be freed in place of its buffers ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolDeallocation.h"
#include "DeallocGroups.h"
#include "Mutation.h"
#include "OwnedOrigins.h"
#include "Premises.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if nothing inside `function` is freed, except by hand.
static bool hasNoDeallocs(FunctionOpInterface function) {
  auto manual = bufferization::BufferizationDialect::kManualDeallocation;
  WalkResult result = function->walk([&](Operation *op) {
    bool isDealloc = isa<memref::DeallocOp, bufferization::DeallocOp>(op);
    return isDealloc && !op->hasAttr(manual) ? WalkResult::interrupt()
                                             : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

bool PoolDeallocation::mayFree(OpOperand &dealloc, Value alloc) const {
  if (!findFreeCondition(dealloc))
    return true;
  const std::optional<SmallVector<Value>> &freed = decisions.getFreed(dealloc);
  return !freed || llvm::is_contained(*freed, alloc);
}

bool PoolDeallocation::needsManualDealloc(Region *scope) {
  auto [it, isNew] = manualScopes.try_emplace(scope, false);
  if (!isNew)
    return it->second;
  // The pass runs on `func.func`. It knows a buffer in another block by its
  // aligned pointer. It takes a view for the owner of its pool if it begins
  // where the pool does, and for nobody's if it does not: the pool is freed too
  // early, or twice. The views need not be there yet: `cse` may replace one by
  // another of an earlier block.
  auto hasBlocks = [](Region &region) {
    return !region.empty() && !region.hasOneBlock();
  };
  bool isAcrossBlocks = hasBlocks(*scope);
  scope->walk([&](Operation *op) {
    isAcrossBlocks |= llvm::any_of(op->getRegions(), hasBlocks);
  });
  if (!isAcrossBlocks)
    return false;
  if (!isWithoutDeallocs)
    isWithoutDeallocs = isa<func::FuncOp>(function) && hasNoDeallocs(function);
  return it->second = *isWithoutDeallocs;
}

void PoolDeallocation::checkGroups(
    MutableArrayRef<BufferLifetime> buffers) const {
  DenseMap<Value, unsigned> indices;
  for (auto [index, buffer] : llvm::enumerate(buffers))
    indices[buffer.alloc] = index;

  auto isCandidate = [&](Value value) {
    auto it = indices.find(value);
    return it != indices.end() && !buffers[it->second].refusal;
  };
  endPremise<Stage::Sharing, Premise::OwnAddress>();
  for (DecisionGroup &group :
       ask<Stage::Sharing, Premise::OwnAddress, Proof::ComparedAddresses>(
           decisions.collectGroups(isCandidate)))
    for (Value value : group.buffers) {
      BufferLifetime &buffer = buffers[indices.lookup(value)];
      if (group.otherUse)
        buffer.refuse(UnmergeableReason::AddressTaken, group.otherUse);
      for (OpOperand *dealloc : group.deallocs)
        if (!llvm::is_contained(buffer.deallocs, dealloc))
          buffer.deallocs.push_back(dealloc);
    }

  // Tied by a deallocation are the buffers that it may free, and those that
  // decide it.
  DeallocGroups groups(buffers.size());
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    if (buffer.refusal)
      continue;
    for (OpOperand *dealloc : buffer.deallocs) {
      if (!groups.add(dealloc, index))
        continue;
      const std::optional<SmallVector<Value>> &origins =
          decisions.getFreed(*dealloc);
      // One of many that are not looked at might stay.
      if (!origins)
        groups.addStaying(dealloc);
      for (Value origin : origins.value_or(SmallVector<Value>())) {
        if (isCandidate(origin))
          groups.add(dealloc, indices.lookup(origin));
        else if (!isMutated("R3-group"))
          groups.addStaying(dealloc);
      }
    }
  }
  llvm::DenseMap<unsigned, OpOperand *> staying = groups.findStaying();
  if (staying.empty())
    return;
  for (auto [index, buffer] : llvm::enumerate(buffers))
    if (OpOperand *dealloc = staying.lookup(groups.getGroup(index)))
      buffer.refuse(UnmergeableReason::DeallocGroup, dealloc->getOwner());
}

/// Refuse buffers in use at the end of a scope whose pool would be freed there.
/// Return true if there was one.
static bool checkInFlight(MutableArrayRef<BufferLifetime> buffers) {
  if (llvm::none_of(buffers,
                    [](const BufferLifetime &buffer) {
                      return buffer.isInFlightAtEnd;
                    }) ||
      isMutated("L8-freed-pool"))
    return false;
  // A pool with deallocations, or that nobody else can free, is freed where its
  // scope ends, and nobody has waited by then.
  llvm::DenseSet<std::pair<Region *, Attribute>> freedPools;
  for (BufferLifetime &buffer : buffers)
    if (!buffer.refusal &&
        (!buffer.deallocs.empty() || buffer.needsManualDealloc))
      freedPools.insert({buffer.scope, buffer.getMemorySpace()});
  bool isAnyRefused = false;
  endPremise<Stage::Frees, Premise::PoolIsHeld>();
  for (BufferLifetime &buffer : buffers) {
    if (buffer.refusal ||
        !ask<Stage::Frees, Premise::PoolIsHeld, Proof::InFlight,
             Proof::ComparedAddresses>(buffer.isInFlightAtEnd) ||
        !freedPools.contains({buffer.scope, buffer.getMemorySpace()}))
      continue;
    buffer.refuse(UnmergeableReason::Asynchronous, buffer.lastAccess);
    isAnyRefused = true;
  }
  return isAnyRefused;
}

void PoolDeallocation::refuseUnfreeable(
    MutableArrayRef<BufferLifetime> buffers) const {
  // Each may refuse a buffer that the other has counted on.
  do
    checkGroups(buffers);
  while (checkInFlight(buffers));
}
