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
// loop counts only if some effect in it certainly stays. A branch stays if some
// iteration takes it: then nothing can show that it is never taken.
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/DeviceCode.h"
#include "Analysis/GPU/ThreadValues.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Analysis/ViewSources.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

/// Return what tells the buffer of `memref` from others: its memory, and its
/// place there if it is a slice of a pool.
static std::pair<Value, int64_t> getBufferKey(Value memref) {
  memref::ViewOp slice = findSlice(memref);
  return {findViewedMemory(memref),
          slice ? *getConstantIntValue(slice.getByteShift()) : -1};
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
           keepsStores(findViewedMemory(memref), options);
  });
}

static bool hasIterations(scf::ForallOp op) {
  SmallVector<OpFoldResult> sizes = op.getMixedUpperBound();
  return op.isNormalized() && llvm::all_of(sizes, [](OpFoldResult size) {
           std::optional<int64_t> number = getConstantIntValue(size);
           return !number || *number > 0;
         });
}

/// An argument of the kernel is what its launches pass: nothing is known of it.
static bool isKernelArgument(Value value) {
  FunctionOpInterface function = getFunctionOfArgument(value);
  return function && gpu::GPUDialect::isKernel(function);
}

namespace {
/// Looks for an effect that certainly stays in the iterations of a loop, one by
/// one: a branch stays if one of them takes it, or if it depends on an
/// argument.
class LastingEffect {
public:
  explicit LastingEffect(const WorkgroupOptions &options) : options(options) {}

  bool isIn(scf::ForallOp loop);

private:
  bool isIn(Region &body, bool mayDependOnArgument);
  bool mayTake(Value condition, bool isThen, bool &mayDependOnArgument);
  bool dependsOnArgument(Value condition);

  const WorkgroupOptions &options;
  /// The most numbers and operations that are looked at.
  int64_t budget = 1 << 14;
  ThreadValues values{BlockSize(), budget};
};
} // namespace

/// Return true if `condition` compares an argument with a number in this
/// iteration that some values of the argument are less than, and some greater.
bool LastingEffect::dependsOnArgument(Value condition) {
  if (isKernelArgument(condition))
    return true;
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return false;
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  if (!isKernelArgument(lhs))
    std::swap(lhs, rhs);
  const ThreadValues::Lanes &number = values.get(rhs);
  // Neither the least nor the greatest of a type, with a sign or without.
  constexpr int64_t most = std::numeric_limits<int8_t>::max();
  bool isWide =
      !lhs.getType().isInteger() || lhs.getType().getIntOrFloatBitWidth() >= 8;
  return isKernelArgument(lhs) && isWide && number.isKnown() &&
         number.isUniform() && number[0] > 0 && number[0] < most;
}

/// Return true if nothing can show that this iteration does not take an arm of
/// a branch on `condition`. `mayDependOnArgument` is set to false if an
/// argument decides: two conditions on arguments may exclude each other.
bool LastingEffect::mayTake(Value condition, bool isThen,
                            bool &mayDependOnArgument) {
  ThreadValues::Lanes known = values.get(condition);
  if (known.isKnown() && known.isUniform())
    return (known[0] != 0) == isThen;
  // Canonicalization makes one branch of two.
  if (auto both = condition.getDefiningOp<arith::AndIOp>(); both && isThen)
    return mayTake(both.getLhs(), isThen, mayDependOnArgument) &&
           mayTake(both.getRhs(), isThen, mayDependOnArgument);
  bool mayTake = mayDependOnArgument && dependsOnArgument(condition);
  mayDependOnArgument = false;
  return mayTake;
}

/// Return whether executing `body` certainly has an effect that stays.
bool LastingEffect::isIn(Region &body, bool mayDependOnArgument) {
  return llvm::any_of(body.front(), [&](Operation &op) {
    if (--budget < 0)
      return false;
    if (isa<scf::ForOp, affine::AffineForOp>(op))
      return isExecutedAtLeastOnce(&op) &&
             isIn(op.getRegion(0), mayDependOnArgument);
    if (auto forall = dyn_cast<scf::ForallOp>(op))
      return hasIterations(forall) &&
             isIn(forall.getRegion(), mayDependOnArgument);
    if (isa<scf::ExecuteRegionOp, memref::AllocaScopeOp>(op))
      return isIn(op.getRegion(0), mayDependOnArgument);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return llvm::any_of(op.getRegions(), [&](Region &arm) {
        bool mayDepend = mayDependOnArgument;
        return !arm.empty() &&
               mayTake(branch.getCondition(), arm.getRegionNumber() == 0,
                       mayDepend) &&
               isIn(arm, mayDepend);
      });
    return hasLastingWrite(&op, options);
  });
}

bool LastingEffect::isIn(scf::ForallOp loop) {
  if (!hasIterations(loop))
    return false;
  bool isInBranchItself = false;
  for (Operation *op = loop->getParentOp(); op && !isa<FunctionOpInterface>(op);
       op = op->getParentOp())
    isInBranchItself |= !isa<LoopLikeOpInterface>(op) || isa<scf::WhileOp>(op);
  int64_t total = 1;
  SmallVector<int64_t> sizes;
  for (OpFoldResult size : loop.getMixedUpperBound()) {
    sizes.push_back(getConstantIntValue(size).value_or(1));
    total = std::min(total * std::min(sizes.back(), budget), budget);
  }
  for (int64_t i = 0; i < total && budget > 0; ++i) {
    size_t mark = values.getMark();
    int64_t rest = i;
    for (auto [counter, size] :
         llvm::zip_equal(loop.getInductionVars(), sizes)) {
      values.bind(counter, ThreadValues::getConstant(rest % size));
      rest /= size;
    }
    if (isIn(loop.getRegion(), /*mayDependOnArgument=*/!isInBranchItself))
      return true;
    values.unwind(mark);
  }
  return false;
}

bool buffer_merge::endsWithBarrier(Operation *op,
                                   const WorkgroupOptions &options) {
  auto forall = dyn_cast<scf::ForallOp>(op);
  if (!forall || !options.assumeForallSync ||
      (getLoopMapping(op) != LoopMapping::Threads && !isMutated("G5-mapping")))
    return false;
  // Only those that execute one iteration of that loop would meet.
  if (isInThreads(op))
    return false;
  return LastingEffect(options).isIn(forall) || isMutated("G5-dead-loops");
}
