//===- Advice.cpp - What would help, in words -----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Advice.h"
#include "Analysis/BufferUses.h"
#include "Analysis/GPU/DeviceCode.h"
#include "Analysis/KnownRange.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace buffer_merge;

Location buffer_merge::getAdviceLocation(const PoolPlan &pool,
                                         const PoolAdvice &advice) {
  return advice.buffer ? pool.buffers[*advice.buffer]->alloc.getLoc()
                       : pool.scope->getParentOp()->getLoc();
}

std::string buffer_merge::describeChange(const PoolPlan &pool,
                                         const PoolAdvice &advice,
                                         StringRef buffer) {
  switch (advice.kind) {
  case AdviceKind::InPlace:
  case AdviceKind::InsertBarriers:
  case AdviceKind::SplitBuffers:
    return ("merge with the option " + advice.getOption()).str();
  case AdviceKind::InArgument:
    return llvm::formatv("compute {0} in the argument that it is copied to",
                         buffer);
  case AdviceKind::Fuse:
    return llvm::formatv("fuse the operations that fill and read {0}", buffer);
  case AdviceKind::Between:
    return llvm::formatv(
        "do not keep {0} in ticks [{1}, {2}): compute it again, or move it to "
        "another memory meanwhile",
        buffer, advice.ticks.begin, advice.ticks.end);
  case AdviceKind::Halve: {
    TypedValue<MemRefType> alloc = pool.buffers[*advice.buffer]->alloc;
    MemRefType type = alloc.getType();
    return llvm::formatv("choose a smaller tile or batch: half of the {0} "
                         "elements in dimension {1} of all {2}",
                         type.getDimSize(advice.dimension), advice.dimension,
                         type);
  }
  case AdviceKind::Elsewhere:
    return llvm::formatv("keep {0} elsewhere: in another memory, or in a "
                         "buffer of the caller",
                         buffer);
  }
  llvm_unreachable("not a kind of advice");
}

/// Return what would bound a size of `alloc`, in MLIR's
/// `ValueBoundsOpInterface`: the first without a constant upper bound or, if
/// all have one, the first.
static std::string describeBound(memref::AllocOp alloc) {
  auto map = AffineMap::getMultiDimIdentityMap(1, alloc.getContext());
  const auto sizes = alloc.getDynamicSizes();
  const auto unbounded = llvm::find_if(
      sizes, [&](Value size) { return !computeRange(map, size).upper; });
  bool isBounded = unbounded == sizes.end();
  Operation *op = (isBounded ? sizes.front() : *unbounded).getDefiningOp();
  StringRef name = op ? op->getName().getStringRef() : "";
  auto isOneOf = [&](ArrayRef<StringRef> names) {
    return llvm::is_contained(names, name);
  };
  if (op && op->getDialect() && name.starts_with("gpu.") &&
      op->getInherentAttr("upper_bound"))
    return llvm::formatv("give '{0}' the attribute upper_bound", name);
  if (isBounded)
    return "use the upper bound that its size has";
  if (isOneOf({"arith.minsi", "arith.minui", "arith.select", "index.mins",
               "index.minu"}))
    return llvm::formatv(
        "'{0}' gives no bound: write the minimum as affine.min "
        "with a constant",
        name);
  if (isOneOf({"arith.remsi", "arith.remui", "arith.andi", "index.rems",
               "index.remu"}))
    return llvm::formatv(
        "'{0}' gives no bound: write it as affine.apply with mod", name);
  if (isOneOf({"memref.dim", "tensor.dim"}))
    return llvm::formatv(
        "'{0}' gives no bound: give what it reads a static size, "
        "or bound the size by affine.min with a constant",
        name);
  return "bound the size by affine.min with a constant";
}

/// Return true if the promise that `op` keeps no memref (`noCaptureAttrName`)
/// is what makes a buffer mergeable that stays for `reason`, provided that it
/// is true: `op` says nothing that contradicts it.
static bool isPromiseEnough(UnmergeableReason reason, Operation *op) {
  if (!op || op->hasTrait<OpTrait::IsTerminator>() ||
      isa<ViewLikeOpInterface, RegionBranchOpInterface>(op))
    return false;
  switch (reason) {
  case UnmergeableReason::UnknownUse:
    // What it returns may be the memref.
    return llvm::none_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
  case UnmergeableReason::PassedToCall:
    return isa<CallOpInterface>(op);
  case UnmergeableReason::StoredAsValue:
  case UnmergeableReason::AddressTaken: {
    if (isa<CallOpInterface>(op))
      return reason == UnmergeableReason::AddressTaken;
    // An effect on another value is where it stores what it is given.
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface)
      return false;
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    return !effects.empty() && llvm::none_of(effects, [](const auto &effect) {
      return bool(effect.getValue());
    });
  }
  default:
    return false;
  }
}

std::string buffer_merge::getLeftAdvice(const BufferLifetimes &lifetimes,
                                        UnmergeableReason reason,
                                        Operation *reasonOp,
                                        Operation *allocation) {
  auto alloc = dyn_cast_or_null<memref::AllocOp>(allocation);
  bool isDynamic = alloc && !alloc.getDynamicSizes().empty();
  if (isDynamic && reason == UnmergeableReason::DynamicShape &&
      lifetimes.getWorkgroupOptions().isWorkgroupSpace(
          alloc.getType().getMemorySpace(),
          lifetimes.getDeviceCode().contains(alloc)))
    return "let all launches of the kernel know the size, for "
           "workgroup-pool=dynamic";
  if (isDynamic && reason == UnmergeableReason::DynamicShape)
    return describeBound(alloc) +
           (lifetimes.getDynamicPolicy() == DynamicPolicy::Bounded
                ? ""
                : ", for dynamic=bounded");
  std::string advice = getReasonAdvice(reason).str();
  if (isDynamic && reason == UnmergeableReason::WastefulBound) {
    std::string bound = describeBound(alloc);
    if (StringRef(bound).contains("upper_bound"))
      return bound + ", or " + advice;
  }
  if (!isPromiseEnough(reason, reasonOp))
    return advice;
  return llvm::formatv("give '{0}' {1}the attribute {2}, if it only reads and "
                       "writes",
                       reasonOp->getName(),
                       reason == UnmergeableReason::UnknownUse
                           ? "memory effects on its operands, or "
                           : "",
                       noCaptureAttrName);
}
