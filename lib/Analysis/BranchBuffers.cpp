//===- BranchBuffers.cpp - One buffer for exclusive branches --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inner branches come first. What is found there counts as if it was allocated
// in front of them, so that it may leave the branches around them as well.
// Whether a pool with it may be held from there on is a question of the plan
// (R7 peak).
//
//===----------------------------------------------------------------------===//

#include "BranchBuffers.h"
#include "ViewSources.h"
#include "Webs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `op` executes exactly one of its regions, and has results.
static bool isExclusive(Operation *op) {
  return isa<scf::IfOp, scf::IndexSwitchOp, affine::AffineIfOp>(op) &&
         op->getNumResults() != 0;
}

namespace {
class BranchBufferFinder {
public:
  explicit BranchBufferFinder(const FunctionContext &context)
      : context(context) {}

  SmallVector<BranchGroup, 0> run();

private:
  using Allocs = SmallVector<memref::AllocOp, 2>;

  /// Allocations that are one so far, in the order of their branches.
  struct Group {
    Allocs allocs;
    BranchArms arms;
  };

  Group *lookup(memref::AllocOp alloc) {
    auto it = groupOf.find(alloc);
    return it == groupOf.end() ? nullptr : groups[it->second].get();
  }
  Operation *getPlace(memref::AllocOp alloc) {
    Group *group = lookup(alloc);
    return group ? group->arms.branch : alloc.getOperation();
  }
  memref::AllocOp getFirst(memref::AllocOp alloc) {
    Group *group = lookup(alloc);
    return group ? group->allocs.front() : alloc;
  }
  Value findYielded(OpResult result);
  memref::AllocOp findMovable(Value value, Block *block);
  void unite(Operation *branch, ArrayRef<memref::AllocOp> allocs, Value result,
             size_t numWays);
  void uniteResults(Operation *branch);
  void uniteArguments(Block *block);

  const FunctionContext &context;
  /// Empty if it has become part of a later one.
  SmallVector<std::unique_ptr<Group>, 0> groups;
  /// By allocation, the index of its group.
  llvm::DenseMap<Operation *, size_t> groupOf;
};
} // namespace

/// Return what all branches yield as `result`, a result of an operation that
/// executes one of them, or null.
Value BranchBufferFinder::findYielded(OpResult result) {
  Value yielded;
  for (Region &region : result.getOwner()->getRegions()) {
    Value value =
        region.front().getTerminator()->getOperand(result.getResultNumber());
    if (auto alloc = value.getDefiningOp<memref::AllocOp>())
      value = getFirst(alloc);
    if (yielded && value != yielded)
      return {};
    yielded = value;
  }
  return yielded;
}

/// Return the first of the allocations in `block` that `value` is a view of, if
/// it can be executed before the block, or null.
memref::AllocOp BranchBufferFinder::findMovable(Value value, Block *block) {
  Value root = followSources(value, [&](Value view) {
    Operation *op = view.getDefiningOp();
    return op && isExclusive(op) ? findYielded(cast<OpResult>(view))
                                 : getSourceOfView(view);
  });
  auto alloc = root.getDefiningOp<memref::AllocOp>();
  if (!alloc)
    return {};
  alloc = getFirst(alloc);
  bool isMovable = getPlace(alloc)->getBlock() == block &&
                   alloc->getNumOperands() == 0 &&
                   !alloc.getType().getMemorySpace();
  return isMovable ? alloc : memref::AllocOp();
}

/// Let those of `allocs`, of several ways to `result`, that are alike be one in
/// front of `branch`; there are `numWays`.
void BranchBufferFinder::unite(Operation *branch,
                               ArrayRef<memref::AllocOp> allocs, Value result,
                               size_t numWays) {
  if (context.device.contains(branch))
    return;
  llvm::MapVector<std::pair<Type, Attribute>, Allocs> alike;
  for (memref::AllocOp alloc : allocs)
    alike[{alloc.getType(), alloc->getAttrDictionary()}].push_back(alloc);
  for (auto &[key, same] : alike) {
    if (same.size() < 2)
      continue;
    auto united = std::make_unique<Group>();
    united->arms.branch = branch;
    for (memref::AllocOp alloc : same)
      if (Group *inner = lookup(alloc)) {
        llvm::append_range(united->allocs, inner->allocs);
        llvm::append_range(united->arms.results, inner->arms.results);
        inner->allocs.clear();
      } else {
        united->allocs.push_back(alloc);
      }
    united->arms.results.push_back(result);
    united->arms.isComplete = same.size() == numWays;
    for (memref::AllocOp alloc : united->allocs)
      groupOf[alloc] = groups.size();
    groups.push_back(std::move(united));
  }
}

void BranchBufferFinder::uniteResults(Operation *branch) {
  for (OpResult result : branch->getResults()) {
    if (!isa<MemRefType>(result.getType()))
      continue;
    Allocs allocs;
    for (Region &region : branch->getRegions()) {
      Block &block = region.front();
      if (memref::AllocOp alloc = findMovable(
              block.getTerminator()->getOperand(result.getResultNumber()),
              &block))
        allocs.push_back(alloc);
    }
    unite(branch, allocs, result, branch->getNumRegions());
  }
}

void BranchBufferFinder::uniteArguments(Block *block) {
  for (BlockArgument argument : block->getArguments()) {
    if (!isa<MemRefType>(argument.getType()))
      continue;
    // Only one of the blocks after a branch is executed.
    llvm::MapVector<Block *, Allocs> allocs;
    for (Block *from : block->getPredecessors()) {
      auto branch = dyn_cast<cf::BranchOp>(from->getTerminator());
      Block *before = from->getSinglePredecessor();
      if (!branch || !before || before == from)
        continue;
      if (memref::AllocOp alloc = findMovable(
              branch.getDestOperands()[argument.getArgNumber()], from))
        allocs[before].push_back(alloc);
    }
    size_t numWays = std::distance(block->pred_begin(), block->pred_end());
    for (auto &[before, list] : allocs)
      unite(before->getTerminator(), list, argument, numWays);
  }
}

SmallVector<BranchGroup, 0> BranchBufferFinder::run() {
  SmallVector<Operation *> branches;
  SmallVector<Block *> blocks;
  auto isOfFunction = [&](Operation *op) {
    return op == context.function ||
           op->getParentOfType<FunctionOpInterface>() == context.function;
  };
  // Inner branches first: what leaves them may leave others, too.
  context.function->walk([&](Operation *op) {
    if (isExclusive(op) && isOfFunction(op))
      branches.push_back(op);
    for (Region &region : op->getRegions())
      for (Block &block : llvm::drop_begin(region, region.empty() ? 0 : 1))
        if (block.getNumArguments() != 0 && isOfFunction(op))
          blocks.push_back(&block);
  });
  for (Operation *branch : branches)
    uniteResults(branch);
  for (Block *block : blocks)
    uniteArguments(block);
  llvm::erase_if(groups,
                 [](const auto &group) { return group->allocs.empty(); });
  llvm::stable_sort(groups, [&](const auto &a, const auto &b) {
    return context.order.getTicks(a->arms.branch).first <
           context.order.getTicks(b->arms.branch).first;
  });
  SmallVector<BranchGroup, 0> found;
  for (auto &group : groups) {
    group->arms.others.assign(std::next(group->allocs.begin()),
                              group->allocs.end());
    found.push_back({group->allocs.front(), std::make_shared<const BranchArms>(
                                                std::move(group->arms))});
  }
  return found;
}

SmallVector<BranchGroup, 0>
buffer_merge::findBranchBuffers(const FunctionContext &context) {
  return BranchBufferFinder(context).run();
}
