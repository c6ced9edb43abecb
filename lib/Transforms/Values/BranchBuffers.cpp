//===- BranchBuffers.cpp - One allocation for exclusive branches ----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BranchBuffers.h"
#include "Analysis/AllocScope.h"
#include "Analysis/GPU/DeviceCode.h"
#include "Analysis/ViewSources.h"
#include "Analysis/Webs.h"
#include "Mutation.h"
#include "Planning/Pins.h"
#include "buffer-merge/Planning/MergePlan.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `op` executes exactly one of its regions, and has results.
static bool isExclusive(Operation *op) {
  return isa<scf::IfOp, scf::IndexSwitchOp, affine::AffineIfOp>(op) &&
         op->getNumResults() != 0;
}

/// Return true if neither `op` nor what is inside it allocates or frees
/// anything.
static bool keepsHeap(Operation *op) {
  WalkResult result = op->walk([](Operation *nested) {
    bool isKnown = nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                   isMemoryEffectFree(nested);
    if (auto effects = dyn_cast<MemoryEffectOpInterface>(nested))
      isKnown = !effects.hasEffect<MemoryEffects::Allocate>() &&
                !effects.hasEffect<MemoryEffects::Free>();
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Return the last operation of `block` at which what `alloc`, in the block,
/// has allocated is used; null if it is used elsewhere.
static Operation *findLastUse(Operation *alloc, Block *block) {
  Operation *last = alloc;
  SmallVector<Value> views(alloc->getResults());
  while (!views.empty())
    for (OpOperand &use : views.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isSourceOfView(use)) {
        views.push_back(user->getResult(0));
        continue;
      }
      if (isa<memref::DeallocOp>(user))
        continue;
      Operation *ancestor = block->findAncestorOpInBlock(*user);
      if (!ancestor)
        return nullptr;
      if (last->isBeforeInBlock(ancestor))
        last = ancestor;
    }
  return last;
}

/// Return true if `alloc` can be executed at the front of its block without
/// more being held at any time: nothing in front of it changes what the heap
/// holds, apart from allocations that are still held there.
bool BranchBuffers::canBeFirst(memref::AllocOp alloc) {
  auto [it, isNew] = firstAllocs.try_emplace(alloc->getBlock());
  if (!isNew)
    return it->second.contains(alloc) || isMutated("branches-raise-the-peak");
  // The first of the last uses of what has been allocated.
  Operation *end = nullptr;
  for (Operation &op : *alloc->getBlock()) {
    if (!isa<memref::AllocOp>(op)) {
      if (!keepsHeap(&op))
        break;
      continue;
    }
    if (end && !op.isBeforeInBlock(end) && !isMutated("branches-not-held"))
      break;
    it->second.insert(&op);
    Operation *last = findLastUse(&op, op.getBlock());
    if (last && (!end || last->isBeforeInBlock(end)))
      end = last;
  }
  return canBeFirst(alloc);
}

/// Return what all branches of `op` yield as the result `result`, or null.
static Value findYielded(Operation *op, OpResult result) {
  Value yielded;
  for (Region &region : op->getRegions()) {
    Value value =
        region.front().getTerminator()->getOperand(result.getResultNumber());
    if (yielded && value != yielded)
      return {};
    yielded = value;
  }
  return yielded;
}

/// Return the allocation in `block` that `value` is a view of, if it can be
/// executed before the block, or null.
memref::AllocOp BranchBuffers::findMovable(Value value, Block *block) {
  Value root = followSources(value, [](Value view) {
    Operation *op = view.getDefiningOp();
    return op && isExclusive(op) ? findYielded(op, cast<OpResult>(view))
                                 : getSourceOfView(view);
  });
  auto alloc = root.getDefiningOp<memref::AllocOp>();
  bool isMovable =
      alloc && alloc->getBlock() == block && alloc->getNumOperands() == 0 &&
      !alloc.getType().getMemorySpace() && !hasPin(alloc) && canBeFirst(alloc);
  return isMovable ? alloc : memref::AllocOp();
}

void BranchBuffers::uniteAt(Operation *place,
                            ArrayRef<memref::AllocOp> allocs) {
  // Those like the first one.
  memref::AllocOp first = allocs.front();
  SmallVector<memref::AllocOp, 2> others;
  for (memref::AllocOp alloc : allocs.drop_front())
    if (alloc.getType() == first.getType() &&
        alloc->getAttrDictionary() == first->getAttrDictionary())
      others.push_back(alloc);
  if (others.empty() || !isHost(place) || isMutated("branches-stay-apart"))
    return;
  United &entry = united.emplace_back();
  entry.alloc = first;
  entry.function = first->getParentOfType<FunctionOpInterface>();
  entry.next = first->getNextNode();
  first->moveBefore(place);
  firstAllocs.erase(place->getBlock());
  for (memref::AllocOp alloc : allocs)
    entry.orders.emplace_back(alloc);
  for (memref::AllocOp alloc : others) {
    United::Other &other = entry.others.emplace_back();
    other.alloc = alloc;
    other.next = alloc->getNextNode();
    for (OpOperand &use : alloc->getUses())
      other.uses.push_back(&use);
    for (OpOperand *use : other.uses)
      use->set(first);
    alloc->remove();
  }
}

void BranchBuffers::uniteResults(Operation *branch) {
  for (unsigned index : llvm::seq(branch->getNumResults())) {
    if (!isa<MemRefType>(branch->getResult(index).getType()))
      continue;
    SmallVector<memref::AllocOp, 2> allocs;
    for (Region &region : branch->getRegions()) {
      Block &block = region.front();
      if (memref::AllocOp alloc =
              findMovable(block.getTerminator()->getOperand(index), &block))
        allocs.push_back(alloc);
    }
    if (allocs.size() > 1)
      uniteAt(branch, allocs);
  }
}

void BranchBuffers::uniteArguments(Block *block) {
  for (BlockArgument argument : block->getArguments()) {
    if (!isa<MemRefType>(argument.getType()))
      continue;
    // Only one of the blocks after a branch is executed.
    llvm::MapVector<Block *, SmallVector<memref::AllocOp, 2>> allocs;
    for (Block *from : block->getPredecessors()) {
      auto branch = dyn_cast<cf::BranchOp>(from->getTerminator());
      Block *before = from->getSinglePredecessor();
      if (!branch || !before || before == from)
        continue;
      if (memref::AllocOp alloc = findMovable(
              branch.getDestOperands()[argument.getArgNumber()], from))
        allocs[before].push_back(alloc);
    }
    for (auto &[before, list] : allocs)
      if (list.size() > 1)
        uniteAt(before->getTerminator(), list);
  }
}

void BranchBuffers::unite(Operation *root, const SplitBuffersOptions &options) {
  SmallVector<Operation *> branches;
  SmallVector<Block *> blocks;
  // Inner branches first: what leaves them may leave others, too.
  root->walk([&](Operation *op) {
    if (isExclusive(op))
      branches.push_back(op);
    for (Region &region : op->getRegions())
      for (Block &block : llvm::drop_begin(region, region.empty() ? 0 : 1))
        if (block.getNumArguments() != 0)
          blocks.push_back(&block);
  });
  std::optional<DeviceCode> device;
  auto isInHostCode = [&](Operation *op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (!function || !root->isAncestor(function) ||
        !hasKnownControlFlow(function))
      return false;
    if (!device)
      device.emplace(root, options.workgroup);
    return !device->contains(op) || isMutated("branches-device-code");
  };
  isHost = isInHostCode;
  for (Operation *branch : branches)
    uniteResults(branch);
  for (Block *block : blocks)
    uniteArguments(block);
  isHost = nullptr;
  firstAllocs.clear();
}

llvm::DenseSet<Operation *>
BranchBuffers::findUnmerged(const MergePlan &plan) const {
  llvm::DenseMap<Operation *, Operation *> left;
  for (const United &entry : united)
    left[memref::AllocOp(entry.alloc)] = entry.function;
  for (const United &entry : united)
    for (const United::Other &other : entry.others)
      left.erase(memref::AllocOp(other.alloc));
  for (const PoolPlan &pool : plan.pools)
    if (pool.getPool())
      for (const BufferLifetime *buffer : pool.buffers)
        left.erase(memref::AllocOp(buffer->alloc));
  llvm::DenseSet<Operation *> functions;
  if (!isMutated("branches-stay-united"))
    functions.insert_range(llvm::make_second_range(left));
  return functions;
}

void BranchBuffers::undo(United &entry) {
  for (United::Other &other : llvm::reverse(entry.others)) {
    other.next->getBlock()->getOperations().insert(other.next->getIterator(),
                                                   other.alloc);
    for (OpOperand *use : other.uses)
      use->set(other.alloc);
  }
  entry.alloc->moveBefore(entry.next);
  for (UseOrder &order : entry.orders)
    order.restore();
}

void BranchBuffers::separate(const llvm::DenseSet<Operation *> &functions) {
  for (United &entry : llvm::reverse(united))
    if (functions.contains(entry.function))
      undo(entry);
  llvm::erase_if(united, [&](const United &entry) {
    return functions.contains(entry.function);
  });
}

void BranchBuffers::separateAll() {
  for (United &entry : llvm::reverse(united))
    undo(entry);
  united.clear();
}

void BranchBuffers::commit() {
  for (United &entry : united)
    for (United::Other &other : entry.others)
      other.alloc->destroy();
  united.clear();
}

BranchBufferMap BranchBuffers::getUnited() const {
  BranchBufferMap map;
  for (const United &entry : united) {
    SmallVector<Location> locations;
    for (const United::Other &other : entry.others) {
      memref::AllocOp alloc = other.alloc;
      locations.push_back(alloc.getLoc());
      auto inner = map.find(alloc);
      if (inner != map.end())
        llvm::append_range(locations, inner->second);
      map.erase(alloc);
    }
    llvm::append_range(map[memref::AllocOp(entry.alloc)], locations);
  }
  return map;
}
