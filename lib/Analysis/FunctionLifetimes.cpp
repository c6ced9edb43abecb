//===- Lifetimes within one function --------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionLifetimes.h"
#include "AccessAlignment.h"
#include "AccessCover.h"
#include "AllocScope.h"
#include "AllocationChecks.h"
#include "Analysis/Dealloc/CloneDeallocs.h"
#include "InPlacePairs.h"
#include "Mutation.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

FunctionLifetimes::FunctionLifetimes(FunctionOpInterface function,
                                     const BufferLifetimesOptions &options,
                                     const CalleeSummaries &callees,
                                     const DeviceCode &device)
    : function(function), options(options), callees(callees), device(device),
      layout(DataLayout::closest(function)), order(function),
      sharedAliases(callees.getAliases(function)), aliases(*sharedAliases),
      deallocation(function, aliases, callees),
      isControlFlowKnown(hasKnownControlFlow(function)) {}

SmallVector<BufferLifetime> FunctionLifetimes::run() {
  SmallVector<BufferLifetime> buffers;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A function inside is analyzed by itself.
    if (op != function && isa<FunctionOpInterface>(op))
      return WalkResult::skip();
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      BufferLifetime &buffer = buffers.emplace_back();
      buffer.alloc = alloc;
      buffer.isInDeviceCode = device.contains(alloc);
    } else if (std::optional<OtherAllocation> other = findOtherAllocation(op)) {
      otherAllocations.push_back(*other);
    }
    return WalkResult::advance();
  });
  llvm::sort(buffers, [&](const BufferLifetime &a, const BufferLifetime &b) {
    return order.getTicks(a.alloc).first < order.getTicks(b.alloc).first;
  });
  for (BufferLifetime &buffer : buffers) {
    buffer.reason = checkAllocation(buffer, layout, dynamicSizes, options);
    if (buffer.reason)
      checkShareable(buffer);
    else
      analyze(buffer);
  }
  deallocation.refuseUnfreeable(buffers);
  return buffers;
}

std::optional<UnmergeableReason>
FunctionLifetimes::checkPlace(BufferLifetime &buffer) const {
  for (Operation *op = buffer.alloc; op != function; op = op->getParentOp())
    if (!order.isReachable(op->getBlock()))
      return UnmergeableReason::Unreachable;
  if (buffer.isWorkgroup) {
    std::variant<Region *, UnmergeableReason> kernel =
        findKernel(buffer.alloc, device);
    if (auto *reason = std::get_if<UnmergeableReason>(&kernel))
      return *reason;
    buffer.scope = std::get<Region *>(kernel);
  } else {
    buffer.scope = findAllocScope(buffer.alloc);
  }
  if (!buffer.scope || !isControlFlowKnown)
    return UnmergeableReason::NoAllocScope;
  return std::nullopt;
}

void FunctionLifetimes::checkShareable(BufferLifetime &buffer) {
  if (options.dynamic == DynamicPolicy::None ||
      buffer.alloc.getType().hasStaticShape() ||
      !buffer.alloc.getSymbolOperands().empty() ||
      (options.workgroup.isWorkgroupSpace(buffer.getMemorySpace(),
                                          buffer.isInDeviceCode) &&
       !isMutated("G6-equal-sizes-in-workgroup-memory")) ||
      checkKind(buffer, options))
    return;
  // Whatever is found below, the reason is that which it has.
  BufferLifetime found = buffer;
  found.reason.reset();
  addRequestedAlignment(found);
  analyze(found);
  if (found.reason)
    return;
  // It might be in use when the allocation is freed.
  if (found.isInFlightAtEnd)
    return;
  for (OpOperand *dealloc : found.deallocs) {
    std::optional<SmallVector<Value>> origins =
        aliases.getOrigins(dealloc->get());
    if (!isa<memref::DeallocOp>(dealloc->getOwner()) || !origins ||
        (origins->size() != 1 && !isMutated("dynamic-dealloc-of-others")))
      return;
  }
  // Buffers with one allocation have one address; nobody may want to know.
  for (Value alias : aliases.getAliases(buffer.alloc))
    for (Operation *user : alias.getUsers()) {
      if (isa<memref::ExtractAlignedPointerAsIndexOp, bufferization::DeallocOp>(
              user) &&
          !isMutated("dynamic-addresses-are-compared"))
        return;
      found.isSizeUsed |= isa<ShapedDimOpInterface>(user);
    }
  TickRange region = order.getTicks(buffer.alloc->getParentRegion());
  found.staysInRegion = region.hull(found.ticks) == region;
  found.isShareable = true;
  found.reason = buffer.reason;
  buffer = std::move(found);
}

void FunctionLifetimes::analyze(BufferLifetime &buffer) {
  buffer.reason = checkPlace(buffer);
  if (!buffer.reason && options.isEligible && !options.isEligible(buffer.alloc))
    buffer.reason = UnmergeableReason::Ineligible;
  if (buffer.reason)
    return;
  std::optional<SmallVector<Value>> values =
      aliases.getAliases(buffer.alloc, aliasBudget);
  if (!values)
    return buffer.refuse(UnmergeableReason::TooManyAliases, nullptr);
  checkAliases(buffer, *values);
  if (buffer.reason)
    return;
  clones = aliases.getClones(buffer.alloc, *values);

  for (OpOperand *use : order.collectUses(*values)) {
    addUse(buffer, *use);
    if (buffer.reason)
      return;
  }
  if (!buffer.firstAccess)
    return buffer.refuse(UnmergeableReason::NeverAccessed, nullptr);
  buffer.needsManualDealloc = deallocation.needsManualDealloc(buffer.scope);
}

bool FunctionLifetimes::isCarried(BlockArgument value,
                                  memref::AllocOp alloc) const {
  Block *block = value.getOwner();
  Operation *ancestor = block->getParent()->findAncestorOpInRegion(*alloc);
  // A region that does not hold the allocation is entered between two
  // executions of it, if at all. What it was given is gone when it is entered
  // again.
  if (!ancestor || value.use_empty())
    return false;
  // The region was entered with the buffer, so that it was entered before.
  if (block->isEntryBlock())
    return !isMutated("L7-not-carried-into-regions");
  return order.isBackEdge(ancestor->getBlock(), block) &&
         !isMutated("L7-not-carried-between-blocks");
}

void FunctionLifetimes::checkAliases(BufferLifetime &buffer,
                                     ArrayRef<Value> values) const {
  // Of several reasons of this kind the same must be found each time.
  bool isCarriedAnywhere = false;
  for (Value value : values) {
    if (!buffer.scope->isAncestor(value.getParentRegion()) &&
        !isMutated("escape-leaves-scope"))
      return buffer.refuse(UnmergeableReason::LeavesScope, nullptr);
    if (auto argument = dyn_cast<BlockArgument>(value))
      isCarriedAnywhere |= isCarried(argument, buffer.alloc);
  }
  if (isCarriedAnywhere)
    buffer.refuse(UnmergeableReason::LoopCarried, nullptr);
}

void FunctionLifetimes::addUse(BufferLifetime &buffer, OpOperand &use) const {
  Operation *op = use.getOwner();
  // What depends on comparisons of buffers is looked at when it is known which
  // buffers may be merged (`refuseUnfreeable`).
  if (auto extract = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(op);
      extract && deallocation.isUnderstood(extract))
    return;
  if (auto dealloc = dyn_cast<bufferization::DeallocOp>(op)) {
    if (use.getOperandNumber() < dealloc.getMemrefs().size())
      addDealloc(buffer, use);
    return;
  }
  BufferUse kind = classifyUse(use, options.calls, callees);
  switch (kind.kind) {
  case BufferUse::Kind::None:
    return;
  case BufferUse::Kind::Forward:
    break;
  case BufferUse::Kind::Refused:
    return buffer.refuse(kind.reason, op);
  case BufferUse::Kind::Dealloc:
    return addDealloc(buffer, use);
  case BufferUse::Kind::Access:
    addAccess(buffer, op, /*isDeferred=*/false);
    break;
  case BufferUse::Kind::DeferredAccess:
    // What is in flight at other accesses of the workgroup is a conflict, not a
    // longer lifetime.
    if (buffer.isWorkgroup && !isAsyncCopy(op) && !isOrdinaryAccess(op) &&
        !isMutated("G4-copy-engines-wait"))
      return buffer.refuse(UnmergeableReason::AsyncProxy, op);
    addAccess(buffer, op, /*isDeferred=*/!buffer.isWorkgroup);
    break;
  }
  if (!isMutated("alignment-promised"))
    buffer.alignment = std::max(
        buffer.alignment, getNeededAlignment(use, kind.kind, callees, layout));
}

void FunctionLifetimes::addDealloc(BufferLifetime &buffer,
                                   OpOperand &use) const {
  if (!clones.contains(use.get()))
    buffer.deallocs.push_back(&use);
  // What frees a clone of the buffer stays, and must not free the pool.
  else if (mayFreeSourceOfClone(use, buffer.scope, aliases))
    buffer.refuse(UnmergeableReason::ConditionalDealloc, use.getOwner());
}

void FunctionLifetimes::addAccess(BufferLifetime &buffer, Operation *op,
                                  bool isDeferred) const {
  std::variant<AccessCover, UnmergeableReason> result =
      coverAccess(op, isDeferred, buffer.alloc, buffer.scope, order);
  if (auto *reason = std::get_if<UnmergeableReason>(&result))
    return buffer.refuse(*reason, op);
  auto [ticks, isInFlightAtEnd] = std::get<AccessCover>(result);
  buffer.isInFlightAtEnd |= isInFlightAtEnd;
  if (!buffer.firstAccess) {
    buffer.firstAccess = op;
    buffer.ticks = ticks;
  }
  buffer.lastAccess = op;
  if (!isMutated("L2-first-access-only"))
    buffer.ticks = buffer.ticks.hull(ticks);
}

SmallVector<InPlaceBuffers>
FunctionLifetimes::findInPlace(ArrayRef<BufferLifetime> buffers) const {
  return findInPlacePairs(buffers, order, aliases, options);
}

SmallVector<std::unique_ptr<const WorkgroupSync>>
FunctionLifetimes::analyzeKernels(ArrayRef<BufferLifetime> buffers) const {
  llvm::MapVector<Region *, SmallVector<WorkgroupSync::Aliases>> kernels;
  for (const BufferLifetime &buffer : buffers)
    if (!buffer.reason && buffer.isWorkgroup)
      kernels[buffer.scope].push_back(
          aliases.getAliases(buffer.alloc->getResult(0)));
  SmallVector<std::unique_ptr<const WorkgroupSync>> syncs;
  for (const auto &[kernel, objects] : kernels)
    syncs.push_back(std::make_unique<const WorkgroupSync>(
        *kernel, objects, options.calls, callees, options.workgroup));
  return syncs;
}
