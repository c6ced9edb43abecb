//===- TileHome.cpp - Where a tile could be allocated ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/AccessedBytes.h"
#include "Analysis/GPU/TileCoverage.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// Executions that are alike
//===----------------------------------------------------------------------===//

/// Return true if `op` computes the same whenever its operands are the same.
static bool isRepeatable(Operation *op) {
  static constexpr StringLiteral dialects[] = {"affine", "arith",  "gpu",
                                               "index",  "memref", "vector"};
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::is_contained(dialects, op->getName().getDialectNamespace());
}

/// Add to `values` those that decide how often the regions of `op` are
/// executed, and which; return false if they are not known.
static bool addControl(Operation *op, llvm::SetVector<Value> &values) {
  if (!isa<scf::ExecuteRegionOp, memref::AllocaScopeOp, scf::IfOp,
           scf::IndexSwitchOp, affine::AffineIfOp, scf::ForOp,
           affine::AffineForOp, scf::ForallOp, scf::ParallelOp>(op))
    return false;
  values.insert_range(getControl(op));
  return true;
}

/// Return true if `values` are the same in each execution of `block`, because
/// they are computed from what is outside of `outermost`.
static bool areSame(llvm::SetVector<Value> values, Block &block,
                    Operation *outermost) {
  // What they are computed from is added behind.
  for (unsigned i = 0; i < values.size(); ++i) {
    Value value = values[i];
    if (Operation *op = value.getDefiningOp()) {
      if (!outermost->isProperAncestor(op))
        continue;
      values.insert_range(op->getOperands());
      if (!isRepeatable(op))
        return false;
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    if (!outermost->isAncestor(parent))
      continue;
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    if (!loop || !block.findAncestorOpInBlock(*parent) ||
        !addControl(parent, values))
      return false;
    if (OpOperand *init = loop.getTiedLoopInit(argument)) {
      values.insert(init->get());
      values.insert(loop.getTiedLoopYieldedValue(argument)->get());
    }
  }
  return true;
}

/// Return true if the accesses of `tile` in `block` are the same in each
/// execution of it: their indices and all conditions around them are computed
/// from what is outside of `outermost`, an operation around the block, and from
/// ids. Then an element that an execution reads before it is written is one
/// that the first execution has read without anything in it.
static bool isSameEachTime(const Tile &tile, Block &block,
                           Operation *outermost) {
  llvm::SetVector<Value> used;
  ThreadValues values(BlockSize(), tile.budget);
  for (OpOperand *use : tile.uses) {
    Operation *op = use->getOwner();
    SmallVector<Value, 3> key =
        getAccessedBytes(*use, tile.alloc, values, tile.layout).key;
    if (key.empty() && !isa<linalg::LinalgOp, memref::CopyOp>(op))
      return false;
    used.insert(use->get());
    used.insert_range(key);
    for (Operation *parent = op->getParentOp(); parent != block.getParentOp();
         parent = parent->getParentOp())
      if (!addControl(parent, used))
        return false;
  }
  return areSame(std::move(used), block, outermost) || isMutated("G10-address");
}

//===----------------------------------------------------------------------===//
// Homes
//===----------------------------------------------------------------------===//

/// Return the innermost block inside of `kernel` that holds all of `uses`.
static Block *findCommonBlock(ArrayRef<OpOperand *> uses) {
  Block *block = uses.front()->getOwner()->getBlock();
  for (OpOperand *use : uses)
    while (!block->findAncestorOpInBlock(*use->getOwner()))
      block = block->getParentOp()->getBlock();
  return block;
}

Operation *buffer_merge::findTileHome(const Tile &tile) {
  if (tile.uses.empty())
    return nullptr;
  auto isConvergent = [&](Block *block) {
    for (Region *region = block->getParent(); region != &tile.kernel;
         region = region->getParentRegion())
      if (!tile.uniformity.isUniformRegionOp(region->getParentOp()))
        return false;
    return true;
  };
  Block *stop = Value(tile.alloc).getParentBlock();
  for (Block *block = findCommonBlock(tile.uses); block != stop;
       block = block->getParentOp()->getBlock()) {
    Operation *outermost = stop->findAncestorOpInBlock(*block->getParentOp());
    // Used where its block is left: a branch that returns it.
    if (!outermost)
      return nullptr;
    bool isRepeated = false;
    for (Operation *op = block->getParentOp(); op != stop->getParentOp();
         op = op->getParentOp())
      isRepeated |= isa<LoopLikeOpInterface>(op);
    if (!isRepeated)
      return nullptr;
    if (isConvergent(block) && (isFilledBeforeUse(tile, *block) ||
                                (tile.options.assumeInitialized &&
                                 isSameEachTime(tile, *block, outermost))))
      return &block->front();
  }
  return nullptr;
}
