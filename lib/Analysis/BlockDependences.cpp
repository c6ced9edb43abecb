//===- BlockDependences.cpp - What may change its place in a block --------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All operations between two that nothing crosses are executed, one after the
// other, whatever they do: each of them ends, and none of them asks what others
// have done but through memory and results. So only these decide.
//
//===----------------------------------------------------------------------===//

#include "BlockDependences.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

BlockDependences::BlockDependences(const FunctionContext &context,
                                   const BufferLifetimes &lifetimes,
                                   UnsharedArguments &unshared)
    : context(context), lifetimes(lifetimes),
      origins(context, unshared, lifetimes.getRoot()) {
  constexpr int64_t maxFactor = 16;
  stepsLeft = maxFactor * context.order.getNumTicks();
}

bool BlockDependences::mayReorder(Block &block) const {
  if (block.empty() || !block.mightHaveTerminator() ||
      !context.order.isReachable(&block))
    return false;
  FunctionOpInterface function = context.function;
  for (Operation *op = block.getParentOp(); op != function.getOperation();
       op = op->getParentOp())
    if ((!isDoneAtEnd(op) && !isMutated("T1-sequence")) ||
        isa<linalg::LinalgOp>(op))
      return false;
  return !context.device.contains(&block.front());
}

/// Return false if `origin` is an allocation of which the bytes are not known.
bool BlockDependences::hasSize(Value origin) const {
  const BufferLifetime *buffer = lifetimes.lookup(origin);
  return !buffer || buffer->size;
}

/// Return true if `op` runs its regions a finite number of times, and each of
/// them from its first operation to its last.
static bool endsAlways(Operation *op) {
  if (op->getNumRegions() == 0 || isMutated("T2-ends"))
    return true;
  for (Region &region : op->getRegions())
    if (!region.empty() && !region.hasOneBlock())
      return false;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return getConstantIntValue(loop.getStep()).has_value();
  return runsRegionsAtMostOnce(op) || op->hasTrait<OpTrait::IsTerminator>() ||
         isa<linalg::LinalgOp, affine::AffineForOp, affine::AffineParallelOp,
             scf::ParallelOp, scf::ForallOp>(op);
}

/// Return true if others may cross `op`, in `outer` or the same, as far as that
/// is not a matter of what it accesses (T2).
bool BlockDependences::isCrossed(Operation *op, Operation *outer) const {
  if (op->hasTrait<OpTrait::IsTerminator>() && op == outer)
    return false;
  if (isa<CallOpInterface, bufferization::CloneOp, memref::AtomicRMWOp>(op) ||
      mayActLater(op))
    return isMutated("T2-synchronization");
  if (!endsAlways(op))
    return false;
  // What is promised of it is about the order in which it is executed.
  if (hasOwnAttribute(op) && !isa<memref::AllocOp>(op))
    return isMutated("T2-promises");
  // Its bytes are not known, but are not to be held together with others.
  if (auto alloc = dyn_cast<memref::AllocOp>(op); alloc && !hasSize(alloc))
    return isMutated("T2-size");
  // Tokens, pointers and tensors may stand for memory.
  auto isPlain = [](Type type) {
    return isa<BaseMemRefType>(type) || !mayHoldAddress(type);
  };
  if (!llvm::all_of(op->getOperandTypes(), isPlain) ||
      !llvm::all_of(op->getResultTypes(), isPlain))
    return isMutated("T2-handles");
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &use) {
    if (!isa<BaseMemRefType>(use.get().getType()))
      return true;
    BufferUse::Kind kind = classifyUse(use, context.callees).kind;
    return (kind != BufferUse::Kind::Refused &&
            kind != BufferUse::Kind::DeferredAccess) ||
           isMutated("T2-addresses");
  });
}

/// Add that memory of `memref` is accessed. Return false if it is not known
/// what else may be the same.
bool BlockDependences::addOrigins(Value memref, Access::Kind kind,
                                  Accesses &accesses) {
  std::optional<SmallVector<Value>> found = context.aliases.getOrigins(memref);
  if (!found)
    return false;
  for (Value origin : *found) {
    switch (origins.classify(origin)) {
    case MemoryOrigins::Kind::Unknown:
      if (!isMutated("T2-origins"))
        return false;
      break;
    case MemoryOrigins::Kind::Constant:
      if (kind == Access::Kind::Write || kind == Access::Kind::Free)
        return false;
      break;
    case MemoryOrigins::Kind::Outside:
      if (!origins.isUnshared(origin) && !isMutated("T3-outside"))
        origin = Value();
      accesses.push_back({origin, kind});
      break;
    case MemoryOrigins::Kind::Local:
      if (kind != Access::Kind::Mention && !hasSize(origin) &&
          !isMutated("T2-dynamic"))
        return false;
      accesses.push_back({origin, kind});
      break;
    }
  }
  return true;
}

/// Add what `op` does by itself. Return false if nothing may cross it.
bool BlockDependences::addAccesses(Operation *op, Accesses &accesses) {
  for (Value operand : op->getOperands())
    if (isa<BaseMemRefType>(operand.getType()) &&
        !addOrigins(operand, Access::Kind::Mention, accesses))
      return false;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
           isMutated("T2-effects");
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value value = effect.getValue();
    if (!value || !isa<BaseMemRefType>(value.getType())) {
      if (isMutated("T2-no-value"))
        continue;
      return false;
    }
    if (!isa<SideEffects::DefaultResource,
             SideEffects::AutomaticAllocationScopeResource>(
            effect.getResource()))
      return false;
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      continue;
    Access::Kind kind =
        isa<MemoryEffects::Read>(effect.getEffect())   ? Access::Kind::Read
        : isa<MemoryEffects::Free>(effect.getEffect()) ? Access::Kind::Free
                                                       : Access::Kind::Write;
    if (!addOrigins(value, kind, accesses))
      return false;
  }
  return true;
}

/// Return what `op` does, with all that is inside; nothing if nothing may cross
/// it.
std::optional<BlockDependences::Accesses>
BlockDependences::getAccesses(Operation *op) {
  Accesses accesses;
  WalkResult result = op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    return --stepsLeft >= 0 && isCrossed(inner, op) &&
                   addAccesses(inner, accesses)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return accesses;
}

SmallVector<OrderedOps, 0> BlockDependences::find(Block &block) {
  SmallVector<OrderedOps, 0> found;
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::DenseMap<Value, Memory> memories;
  bool isFenced = true;
  for (Operation &op : block) {
    std::optional<Accesses> accesses = getAccesses(&op);
    if (isFenced || !accesses) {
      found.emplace_back();
      numbers.clear();
      memories.clear();
    }
    isFenced = !accesses;
    if (!accesses) {
      found.back().ops.push_back({&op, {}});
      continue;
    }
    unsigned number = found.back().ops.size();
    llvm::SmallSetVector<unsigned, 8> preds;
    // T4: what it uses, inside of it as well.
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *def = operand.getDefiningOp())
          if (auto it = numbers.find(def); it != numbers.end())
            if (inner == &op || !isMutated("T4-inside"))
              preds.insert(it->second);
    });
    bool isAccess = false, isFree = false;
    for (Access access : *accesses) {
      Memory &memory = memories[access.origin];
      isAccess |= access.kind != Access::Kind::Mention;
      isFree |= access.kind == Access::Kind::Free;
      if (memory.write && access.kind != Access::Kind::Mention &&
          !isMutated("T3-after-writes"))
        preds.insert(*memory.write);
      if ((access.kind == Access::Kind::Write ||
           access.kind == Access::Kind::Free) &&
          !isMutated("T3-after-reads"))
        preds.insert_range(memory.reads);
      if (access.kind == Access::Kind::Free && !isMutated("T3-frees"))
        preds.insert_range(memory.mentions);
    }
    preds.remove(number);
    for (Access access : *accesses) {
      Memory &memory = memories[access.origin];
      switch (access.kind) {
      case Access::Kind::Mention:
        memory.mentions.push_back(number);
        break;
      case Access::Kind::Read:
        memory.reads.push_back(number);
        break;
      case Access::Kind::Write:
      case Access::Kind::Free:
        if (memory.write != number)
          memory.reads.clear();
        memory.write = number;
        break;
      }
    }
    numbers[&op] = number;
    SmallVector<unsigned, 4> sorted(preds.begin(), preds.end());
    llvm::sort(sorted);
    found.back().ops.push_back({&op, std::move(sorted),
                                !isAccess && op.getNumRegions() == 0,
                                isFree && isa<memref::DeallocOp>(op)});
  }
  return found;
}
