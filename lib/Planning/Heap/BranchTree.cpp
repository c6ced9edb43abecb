//===- BranchTree.cpp - What a path takes or leaves out -------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BranchTree.h"
#include "Analysis/AllocScope.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace buffer_merge;

bool buffer_merge::mayNotRun(Region &region) {
  Operation *op = region.getParentOp();
  return runsRegionsAtMostOnce(op) && op->getNumRegions() > 1;
}

BranchTree::BranchTree(Region *scope, const ExecutionOrder &order)
    : order(order) {
  addBranch(0, &scope->front(), order.getTicks(scope));
  addBlocks(*scope);
}

unsigned BranchTree::addBranch(unsigned parent, Block *front, TickRange ticks) {
  unsigned branch = parents.size();
  parents.push_back(parent);
  fronts.push_back(front);
  parts.push_back({branch, ticks});
  branches[front] = branch;
  return branch;
}

/// Return true if `block` is in a loop with `dominator` and every iteration
/// reaches it.
static bool isInEveryIteration(Block *block, Block *dominator,
                               const CFGLoopInfo &loops,
                               const DominanceInfo &dominance) {
  CFGLoop *loop = loops.getLoopFor(block);
  while (loop && !loop->contains(dominator))
    loop = loop->getParentLoop();
  if (!loop)
    return false;
  SmallVector<Block *> latches;
  loop->getLoopLatches(latches);
  return llvm::all_of(
      latches, [&](Block *latch) { return dominance.dominates(block, latch); });
}

/// Add all blocks of `region` but the first.
void BranchTree::addBlocks(Region &region) {
  if (region.hasOneBlock())
    return;
  Operation *op = region.getParentOp();
  DominanceInfo dominance(op);
  PostDominanceInfo postDominance(op);
  CFGLoopInfo loops(dominance.getDomTree(&region));
  // Dominators come first.
  SmallVector<std::pair<int64_t, Block *>> byTick =
      llvm::map_to_vector(llvm::drop_begin(region), [&](Block &block) {
        return std::pair(order.getTicks(&block).first, &block);
      });
  llvm::sort(byTick);
  SmallVector<Block *> blocks =
      llvm::to_vector(llvm::make_second_range(byTick));
  for (Block *block : blocks) {
    if (!order.isReachable(block)) {
      addBranch(branches[&region.front()], block, order.getTicks(block));
      continue;
    }
    Block *dominator = dominance.getNode(block)->getIDom()->getBlock();
    unsigned outer = branches[dominator];
    if (postDominance.postDominates(block, dominator) ||
        isInEveryIteration(block, dominator, loops, dominance)) {
      branches[block] = outer;
      parts.push_back({outer, order.getTicks(block)});
    } else {
      addBranch(outer, block, order.getTicks(block));
    }
  }
  blocks.insert(blocks.begin(), &region.front());
  addLastTicks(blocks);
}

/// Add what `getLastTickInBranch` returns for `blocks`, those of a region in
/// the order of execution.
void BranchTree::addLastTicks(ArrayRef<Block *> blocks) {
  // The first block that is not in the branch of each one. What is inside the
  // branch of a later block is inside of that which the later one is in.
  SmallVector<size_t> ends(blocks.size());
  for (size_t i = blocks.size(); i-- != 0;) {
    unsigned branch = branches[blocks[i]];
    size_t end = i + 1;
    auto isInside = [&](unsigned inner) {
      while (inner > branch)
        inner = parents[inner];
      return inner == branch;
    };
    while (end < blocks.size() && isInside(branches[blocks[end]]))
      end = ends[end];
    ends[i] = end;
    lastTicks[blocks[i]] = order.getTicks(blocks[end - 1]).last;
  }
}

int64_t BranchTree::getLastTickInBranch(Block *block) {
  // That finds all branches of the region.
  getBranch(block);
  return lastTicks.at(block);
}

int64_t BranchTree::getLastTick(Block *block) {
  Region *region = getFront(getBranch(block))->getParent();
  if (region->hasOneBlock())
    return order.getTicks(region).last;
  return getLastTickInBranch(region->findAncestorBlockInRegion(*block));
}

int64_t BranchTree::getLoopBegin(Block *block, int64_t first) {
  Region *scope = fronts.front()->getParent();
  SmallVector<Block *> path;
  int64_t begin = INT64_MAX;
  for (;; block = block->getParentOp()->getBlock()) {
    if (auto known = loopBegins.find(block); known != loopBegins.end()) {
      begin = known->second;
      break;
    }
    path.push_back(block);
    if (block->getParent() == scope)
      break;
  }
  for (Block *inner : llvm::reverse(path)) {
    Operation *parent = inner->getParentOp();
    if (inner->getParent() != scope && !runsRegionsAtMostOnce(parent))
      begin = std::min(begin, order.getTicks(parent).first);
    if (std::optional<TickRange> cycle = order.getCycle(inner, nullptr))
      begin = std::min(begin, cycle->first);
    loopBegins[inner] = begin;
  }
  return std::min(first, begin);
}

unsigned BranchTree::getBranch(Block *block) {
  SmallVector<Block *> path;
  for (; !branches.contains(block); block = block->getParentOp()->getBlock())
    path.push_back(block);
  unsigned branch = branches[block];
  for (Block *inner : llvm::reverse(path)) {
    Region &region = *inner->getParent();
    if (mayNotRun(region))
      addBranch(branch, &region.front(), order.getTicks(&region));
    else
      branches[&region.front()] = branch;
    addBlocks(region);
    branch = branches[inner];
  }
  return branch;
}
