//===- StableLoads.cpp - Loads that all threads agree on ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/StableLoads.h"
#include "Analysis/BufferSize.h"
#include "Analysis/BufferUses.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Analysis/ViewSources.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `memref` and `other`, views of one object, are parts of
/// different slices of it: merging leaves these behind.
static bool areDisjointSlices(Value memref, Value other) {
  auto findSlice = [](Value value) {
    value = followSources(value, [](Value part) {
      auto view = part.getDefiningOp<ViewLikeOpInterface>();
      return view && !isa<memref::ViewOp>(view.getOperation())
                 ? view.getViewSource()
                 : Value();
    });
    return value.getDefiningOp<memref::ViewOp>();
  };
  memref::ViewOp slice = findSlice(memref), otherSlice = findSlice(other);
  if (!slice || !otherSlice || slice.getSource() != otherSlice.getSource())
    return false;
  auto getBegin = [](memref::ViewOp slice) {
    return getConstantIntValue(slice.getByteShift());
  };
  auto getEnd = [&](memref::ViewOp slice) -> std::optional<int64_t> {
    auto size = computeBufferSize(slice.getType(), DataLayout::closest(slice));
    auto *known = std::get_if<BufferSize>(&size);
    std::optional<int64_t> begin = getBegin(slice);
    return known && begin ? std::optional(*begin + known->bytes) : std::nullopt;
  };
  std::optional<int64_t> end = getEnd(slice), otherEnd = getEnd(otherSlice);
  return end && otherEnd &&
         (*end <= *getBegin(otherSlice) || *otherEnd <= *getBegin(slice));
}

/// Return true if `memref` is in another memory than `other`, or another
/// object.
static bool areApart(Value memref, Value other) {
  auto getSpace = [](Value value) {
    auto type = dyn_cast<BaseMemRefType>(value.getType());
    auto space =
        type ? dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace())
             : gpu::AddressSpaceAttr();
    return space ? std::optional(space.getValue()) : std::nullopt;
  };
  Value root = findViewedMemory(memref), otherRoot = findViewedMemory(other);
  auto space = getSpace(root), otherSpace = getSpace(otherRoot);
  if (space && otherSpace && *space != *otherSpace)
    return true;
  // Nothing that was there before the kernel is in workgroup memory.
  auto isArgument = [](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto function =
        argument ? dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp())
                 : gpu::GPUFuncOp();
    return function && argument.getArgNumber() < function.getNumArguments();
  };
  auto isWorkgroup = [](auto space) {
    return space == gpu::AddressSpace::Workgroup;
  };
  if ((isWorkgroup(space) && isArgument(otherRoot)) ||
      (isWorkgroup(otherSpace) && isArgument(root)))
    return true;
  if (root != otherRoot)
    return root.getDefiningOp<memref::AllocOp>() &&
           otherRoot.getDefiningOp<memref::AllocOp>();
  return areDisjointSlices(memref, other);
}

/// Return true if `op` may write `memory`; operations inside of its regions do
/// not count.
static bool mayWrite(Operation *op, Value memory) {
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
      !isa<MemoryEffectOpInterface>(op))
    return false;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return !isMemoryEffectFree(op);
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [&](const auto &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           (!effect.getValue() || !areApart(effect.getValue(), memory));
  });
}

/// Return true if `op` is executed by all threads together, or only waits for
/// copies.
static bool isKnownSync(Operation *op, const WorkgroupOptions &options) {
  return options.isWorkgroupBarrier(op) || isEndOfGroup(op) ||
         getGroupsInFlight(op);
}

/// Return true if `barrier` orders accesses to `memory`: some order those to
/// workgroup memory only.
static bool isOrdered(Operation *barrier, Value memory,
                      const WorkgroupOptions &options) {
  bool isOfWorkgroup =
      barrier->getName().getStringRef() == "amdgpu.lds_barrier" ||
      barrier->hasAttr("address_spaces");
  auto type = cast<BaseMemRefType>(memory.getType());
  return !isOfWorkgroup || isMutated("G3-barrier-of-all-memory") ||
         options.isWorkgroupSpace(type.getMemorySpace(),
                                  /*isInDeviceCode=*/true);
}

StableLoads::First StableLoads::scan(Operation *op, Value memory,
                                     bool isForward, unsigned depth) {
  constexpr unsigned maxDepth = 64;
  if (--budget < 0 || depth > maxDepth)
    return First::Write;
  if (options.isWorkgroupBarrier(op) && isOrdered(op, memory, options))
    return First::Barrier;
  if (!isKnownSync(op, options) && !op->hasTrait<OpTrait::IsTerminator>() &&
      mayWrite(op, memory) && !isMutated("G3-loads-beside-writes"))
    return First::Write;
  if (op->getNumRegions() == 0)
    return First::Nothing;
  bool isAlways = true;
  for (Region &region : op->getRegions()) {
    isAlways &= llvm::hasSingleElement(region);
    for (Block &block : region) {
      First first = scan(block, nullptr, memory, isForward, depth + 1);
      if (first == First::Write)
        return first;
      isAlways &= first == First::Barrier;
    }
  }
  bool isSkipped = !isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
                        memref::AllocaScopeOp>(op) &&
                   !isExecutedAtLeastOnce(op);
  return isAlways && !isSkipped && !divergentOps.contains(op) ? First::Barrier
                                                              : First::Nothing;
}

/// What comes first in `block`, after or before `from`, or at all if that is
/// null.
StableLoads::First StableLoads::scan(Block &block, Operation *from,
                                     Value memory, bool isForward,
                                     unsigned depth) {
  // Such as that of `scf.forall.in_parallel`.
  if (block.empty())
    return First::Nothing;
  auto getNext = [&](Operation *op) {
    return isForward ? op->getNextNode() : op->getPrevNode();
  };
  Operation *op =
      from ? getNext(from) : (isForward ? &block.front() : &block.back());
  for (; op; op = getNext(op)) {
    First first = scan(op, memory, isForward, depth);
    if (first != First::Nothing)
      return first;
  }
  return First::Nothing;
}

bool StableLoads::isUndisturbed(Operation *load, Value memory, bool isForward) {
  for (Operation *op = load;; op = op->getParentOp()) {
    Block &block = *op->getBlock();
    First first = scan(block, op, memory, isForward, /*depth=*/0);
    if (first != First::Nothing)
      return first == First::Barrier;
    Operation *parent = block.getParentOp();
    if (block.getParent() == &kernel)
      return true;
    // Other threads may be in another iteration, or in another arm.
    bool isBranch = isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
                        affine::AffineIfOp, memref::AllocaScopeOp>(parent);
    for (Region &region : parent->getRegions())
      for (Block &other : region)
        if ((!isBranch || &region != block.getParent()) &&
            scan(other, nullptr, memory, isForward, /*depth=*/0) ==
                First::Write)
          return false;
  }
}

bool StableLoads::isStable(Operation *load, Value memory) {
  if (!kernel.isAncestor(load->getParentRegion()))
    return false;
  // A copy may write after a barrier.
  WalkResult copies = kernel.walk([&](Operation *op) {
    bool isLate =
        !isKnownSync(op, options) && mayActLater(op) && mayWrite(op, memory);
    return --budget < 0 || isLate ? WalkResult::interrupt()
                                  : WalkResult::advance();
  });
  return !copies.wasInterrupted() &&
         isUndisturbed(load, memory, /*isForward=*/true) &&
         isUndisturbed(load, memory, /*isForward=*/false);
}
