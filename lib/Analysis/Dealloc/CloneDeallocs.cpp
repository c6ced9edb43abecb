//===- CloneDeallocs.cpp - Deallocations of clones ------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CloneDeallocs.h"
#include "Analysis/AllocScope.h"
#include "Mutation.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge;

/// How a clone may get to the blocks of its scope.
enum class Inlining {
  /// It is there, or gets there by inlining that needs no condition.
  Always,
  /// A condition may turn out to be constant.
  Conditional,
  Never
};

static Inlining getInlining(Operation *clone, Region *scope) {
  Inlining result = Inlining::Always;
  for (Region *region = clone->getParentRegion(); region != scope;
       region = region->getParentRegion()) {
    Operation *op = region->getParentOp();
    if (!runsRegionsAtMostOnce(op))
      return Inlining::Never;
    if (!isa<scf::ExecuteRegionOp, memref::AllocaScopeOp>(op))
      result = Inlining::Conditional;
  }
  return result;
}

/// Return what `value` is called in `block`, around it: the result of an
/// operation of which a region ends by handing it on. Null if there is none.
static Value followResults(Value value, Block *block) {
  while (value && value.getParentBlock() != block) {
    Operation *terminator = value.getParentBlock()->getTerminator();
    Operation *parent = terminator->getParentOp();
    auto operands = terminator->getOperands();
    auto it = llvm::find(operands, value);
    bool isResult = it != operands.end() &&
                    parent->getNumResults() == operands.size() &&
                    runsRegionsAtMostOnce(parent);
    value = isResult ? parent->getResult(it - operands.begin()) : Value();
  }
  return value;
}

/// Return true if `dealloc` will be a deallocation of `clone` itself, in its
/// block, where `canonicalize` looks for it.
static bool isInBlockOfClone(OpOperand &dealloc, Value clone) {
  Block *block = dealloc.getOwner()->getBlock();
  return isa<memref::DeallocOp>(dealloc.getOwner()) &&
         block->findAncestorOpInBlock(*clone.getDefiningOp()) &&
         followResults(clone, block) == dealloc.get();
}

bool buffer_merge::mayFreeSourceOfClone(OpOperand &dealloc, Region *scope,
                                        const BufferAliases &aliases) {
  std::optional<SmallVector<Value>> origins = aliases.getOrigins(dealloc.get());
  if (!origins)
    return true;
  // The lowering of `bufferization.dealloc` frees base buffers, after the last
  // use of everything in the block. That is left alone where the clone is not
  // among the operations of the scope yet.
  bool isLowered =
      isa<bufferization::DeallocOp>(dealloc.getOwner()) ||
      dealloc.get().getDefiningOp<memref::ExtractStridedMetadataOp>();
  return llvm::any_of(*origins, [&](Value clone) {
    Operation *maker = clone.getDefiningOp();
    if (!maker || !aliases.isClone(clone) ||
        !scope->isAncestor(maker->getParentRegion()))
      return false;
    Inlining inlining = getInlining(maker, scope);
    bool isHere =
        inlining == Inlining::Always && isa<bufferization::CloneOp>(maker);
    if (inlining == Inlining::Never || (isLowered && !isHere))
      return false;
    return !isInBlockOfClone(dealloc, clone) && !isMutated("R3-clone");
  });
}
