//===- Webs.cpp - The values that an allocation holds in turn -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accesses become nodes of a control-flow graph of their own, which has no
// other operations than those that hold accesses. A node is live if an access
// after it may read what is in the buffer in front of the node: found by a
// search backwards from the accesses, which ends at whole overwrites. What is
// in the buffer at a live node is the same value that is there at the end of
// each predecessor, so these belong together. Nothing has to be iterated: this
// is the SSA form of the contents in which each live node is a phi.
//
//===----------------------------------------------------------------------===//

#include "Webs.h"
#include "AllocScope.h"
#include "Mutation.h"
#include "WholeOverwrite.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/IntEqClasses.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the source of the view that `op` makes (`isSourceOfView`), or null.
static Value findSourceOfView(Operation *op) {
  // A loop may have thousands of operands: they are not looked at one by one.
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isa<BaseMemRefType>(op->getResult(0).getType()))
    return {};
  Value source;
  if (auto transpose = dyn_cast<memref::TransposeOp>(op))
    source = transpose.getIn();
  else if (auto view = dyn_cast<ViewLikeOpInterface>(op);
           view && view.getViewDest() == op->getResult(0))
    source = view.getViewSource();
  if (!source || !isMemoryEffectFree(op))
    return {};
  // The source may be used as another operand, too.
  return llvm::count(op->getOperands(), source) == 1 ? source : Value();
}

bool buffer_merge::isSourceOfView(OpOperand &use) {
  Value source = findSourceOfView(use.getOwner());
  return source && source == use.get();
}

Value buffer_merge::getSourceOfView(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? findSourceOfView(op) : Value();
}

/// Return true if accesses inside `op` are looked at one by one.
static bool isSequential(Operation *op) {
  return isSequentialRegionOp(op) && isa<RegionBranchOpInterface>(op);
}

/// Return false if `Webs::mayBegin` would, before anything is proved.
static bool mayBeginByKind(Operation *place, ArrayRef<ClassifiedUse> uses) {
  Operation *overwrite = nullptr;
  for (const ClassifiedUse &use : uses)
    if (use.isFilledBefore || mayOverwriteWhole(*use.operand)) {
      if (overwrite)
        return true;
      overwrite = use.operand->getOwner();
    }
  return overwrite && overwrite->getBlock() != place->getBlock();
}

Webs::Webs(memref::AllocOp alloc, ArrayRef<ClassifiedUse> uses,
           WebBudget &budget, bool wantsSplit)
    : alloc(alloc), root(alloc->getParentRegion()) {
  known = !wantsSplit || mayBeginByKind(alloc, uses);
  if (!known)
    return;
  views[alloc] = true;
  collect(uses);
  known = known && (!wantsSplit || mayBegin());
  if (!known)
    return;
  findItems();
  known = known && buildGraph(budget);
  if (!known)
    return;
  findLive();
  unite();
}

bool Webs::mayBegin() const {
  // Most allocations are overwritten once, where they are made.
  SmallVector<Operation *, 2> overwrites;
  for (const Access &access : accesses)
    if (access.item)
      overwrites.push_back(access.item);
  return overwrites.size() > 1 ||
         (overwrites.size() == 1 &&
          overwrites.front()->getBlock() != alloc->getBlock());
}

void Webs::collect(ArrayRef<ClassifiedUse> uses) {
  for (const ClassifiedUse &classified : uses) {
    OpOperand *use = classified.operand;
    Operation *op = use->getOwner();
    auto view = views.find(use->get());
    if (isSourceOfView(*use)) {
      Value result = op->getResult(0);
      if (view != views.end()) {
        bool isAll =
            view->second && buffer_merge::isViewOfAll(result, use->get());
        views[result] = isAll;
      }
      continue;
    }
    BufferUse::Kind kind = classified.use.kind;
    switch (kind) {
    case BufferUse::Kind::None:
      continue;
    case BufferUse::Kind::Refused:
      separable = false;
      continue;
    case BufferUse::Kind::Dealloc:
      separable &= view != views.end();
      continue;
    case BufferUse::Kind::DeferredAccess:
      // It may take place later than the operations that follow.
      known = false;
      return;
    case BufferUse::Kind::Forward:
    case BufferUse::Kind::Access:
      break;
    }
    Access &access = accesses.emplace_back();
    access.use = use;
    bool isForwarded = kind == BufferUse::Kind::Forward ||
                       llvm::any_of(op->getResultTypes(), mayHoldAddress);
    access.isAnchored = view == views.end() || isForwarded;
    if (view != views.end() && !access.isAnchored && view->second)
      if (Operation *overwrite =
              classified.isFilledBefore ? op : findWholeOverwrite(*use))
        access.item = overwrite;
  }
}

void Webs::findItems() {
  // The accesses inside each operation.
  llvm::DenseMap<Operation *, unsigned> counts;
  for (Access &access : accesses)
    for (Operation *op = access.use->getOwner(); op; op = op->getParentOp()) {
      ++counts[op];
      if (op->getParentRegion() == root)
        break;
    }
  for (Access &access : accesses) {
    SmallVector<Operation *> path = {access.use->getOwner()};
    while (path.back() && path.back()->getParentRegion() != root)
      path.push_back(path.back()->getParentOp());
    Operation *overwrite = access.item;
    access.item = nullptr;
    // The buffer has left the region of the allocation.
    if (!path.back()) {
      access.isAnchored = true;
      continue;
    }
    if (overwrite && counts[overwrite] != 1)
      overwrite = nullptr;
    // From the outermost operation inwards, up to what is one node.
    while (access.item == nullptr) {
      Operation *op = path.pop_back_val();
      bool isNode = path.empty() || op == overwrite || !isSequential(op);
      if (!isNode || (path.empty() && isSequential(op)))
        parents.insert(op);
      addItem(op, isNode && op == overwrite);
      if (isNode)
        access.item = op;
    }
    // What it starts may not be done when it is.
    if (path.empty())
      continue;
    path.push_back(access.item);
    for (Operation *op : llvm::drop_begin(path))
      if (!isDoneAtEnd(op) && !isMutated("L10-tasks"))
        known = false;
  }
}

void Webs::addItem(Operation *item, bool isWhole) {
  if (seen.insert(item).second)
    items[item->getBlock()].push_back(item);
  if (isWhole)
    whole.insert(item);
}

unsigned Webs::addNode() {
  nodes.emplace_back();
  return nodes.size() - 1;
}

bool Webs::buildGraph(WebBudget &budget) {
  SmallVector<Region *> regions = {root};
  for (Operation *parent : parents)
    for (Region &region : parent->getRegions())
      regions.push_back(&region);
  for (Region *region : regions) {
    if (!llvm::hasSingleElement(*region))
      budget.left -= std::distance(region->begin(), region->end());
    if (budget.left < 0)
      return false;
    for (Block &block : *region)
      blocks[&block].first = addNode();
  }
  // The contents of an allocation are new where it is.
  SmallVector<Operation *, 4> &list = items[alloc->getBlock()];
  auto *next = llvm::find_if(list, [&](Operation *op) {
    return op == alloc || alloc->isBeforeInBlock(op);
  });
  list.insert(next, alloc);
  whole.insert(alloc);

  for (Region *region : regions)
    for (Block &block : *region) {
      unsigned last = blocks[&block].first;
      if (auto it = items.find(&block); it != items.end())
        for (Operation *op : it->second) {
          unsigned before = addNode(), after = before;
          addEdge(last, before);
          if (parents.contains(op))
            after = addNode();
          nodes[before].isWhole = whole.contains(op);
          opNodes[op] = {before, after};
          last = after;
        }
      blocks[&block].last = last;
    }
  for (const Access &access : accesses)
    if (access.item && !whole.contains(access.item))
      if (Node &node = nodes[opNodes[access.item].first];
          !parents.contains(access.item) ||
          access.item == access.use->getOwner())
        node.isAccess = true;
  for (Region *region : regions)
    for (Block &block : *region)
      addEdges(&block);
  for (Operation *parent : parents) {
    auto [before, after] = opNodes[parent];
    SmallVector<RegionSuccessor> successors;
    cast<RegionBranchOpInterface>(parent).getSuccessorRegions(
        RegionBranchPoint::parent(), successors);
    for (const RegionSuccessor &successor : successors)
      addEdge(before, successor.getSuccessor()
                          ? blocks[&successor.getSuccessor()->front()].first
                          : after);
  }
  return true;
}

void Webs::addEdges(Block *block) {
  unsigned last = blocks[block].last;
  for (Block *successor : block->getSuccessors())
    addEdge(last, blocks[successor].first);
  Operation *parent = block->getParentOp();
  if (block->getParent() == root || !block->getSuccessors().empty())
    return;
  auto terminator =
      block->empty()
          ? RegionBranchTerminatorOpInterface()
          : dyn_cast<RegionBranchTerminatorOpInterface>(block->back());
  if (!terminator)
    return;
  SmallVector<RegionSuccessor> successors;
  cast<RegionBranchOpInterface>(parent).getSuccessorRegions(
      RegionBranchPoint(terminator), successors);
  for (const RegionSuccessor &successor : successors) {
    if (!successor.getSuccessor())
      addEdge(last, opNodes[parent].second);
    else if (!isMutated("L10-back-edges"))
      addEdge(last, blocks[&successor.getSuccessor()->front()].first);
  }
}

void Webs::findLive() {
  SmallVector<unsigned> list;
  for (auto [index, node] : llvm::enumerate(nodes))
    if (node.isAccess) {
      node.isLive = true;
      list.push_back(index);
    }
  while (!list.empty())
    for (unsigned index : nodes[list.pop_back_val()].predecessors) {
      Node &node = nodes[index];
      if (node.isWhole || node.isLive)
        continue;
      node.isLive = true;
      list.push_back(index);
    }
}

void Webs::unite() {
  // The last one stands for what forwards the allocation.
  llvm::IntEqClasses classes(nodes.size() + 1);
  for (auto [index, node] : llvm::enumerate(nodes))
    if (node.isLive)
      for (unsigned predecessor : node.predecessors)
        classes.join(predecessor, index);
  auto getNode = [&](const Access &access) -> unsigned {
    return access.item ? opNodes.lookup(access.item).first : nodes.size();
  };
  for (const Access &access : accesses)
    if (access.isAnchored && !isMutated("L10-anchored"))
      classes.join(getNode(access), nodes.size());
  llvm::DenseMap<unsigned, unsigned> numbers;
  for (const Access &access : accesses) {
    auto [it, isNew] =
        numbers.try_emplace(classes.findLeader(getNode(access)), begins.size());
    if (isNew)
      begins.push_back(access.item ? access.item : access.use->getOwner());
    webOf[access.use] = it->second;
  }

  llvm::SmallVector<unsigned> counts(begins.size());
  overwrites.resize(begins.size());
  for (const Access &access : accesses)
    if (whole.contains(access.item)) {
      unsigned web = webOf[access.use];
      overwrites[web] = ++counts[web] == 1 ? access.item : nullptr;
    }
  auto initial = numbers.find(classes.findLeader(opNodes[alloc].first));
  if (initial != numbers.end())
    overwrites[initial->second] = nullptr;
}

llvm::DenseSet<OpOperand *>
Webs::findUnchanged(llvm::function_ref<bool(OpOperand &)> mayWrite) const {
  SmallVector<SmallVector<unsigned, 2>> successors(nodes.size());
  for (auto [index, node] : llvm::enumerate(nodes))
    for (unsigned predecessor : node.predecessors)
      successors[predecessor].push_back(index);
  SmallVector<unsigned> list;
  llvm::DenseSet<unsigned> changed;
  for (const Access &access : accesses)
    if (access.item && !whole.contains(access.item) && mayWrite(*access.use)) {
      auto [before, after] = opNodes.lookup(access.item);
      list.append({before, after});
      // Another access may come after it in the same operation.
      changed.insert(before);
    }
  // Forward from the writes, up to what overwrites everything.
  while (!list.empty())
    for (unsigned successor : successors[list.pop_back_val()])
      if (changed.insert(successor).second && !nodes[successor].isWhole)
        list.push_back(successor);
  llvm::DenseSet<OpOperand *> unchanged;
  for (const Access &access : accesses)
    if (access.item && !changed.contains(opNodes.lookup(access.item).first))
      unchanged.insert(access.use);
  return unchanged;
}

bool Webs::needManyViews(ArrayRef<ClassifiedUse> uses) const {
  constexpr size_t maxFactor = 16;
  size_t left = maxFactor * uses.size();
  llvm::DenseSet<std::pair<Value, unsigned>> found;
  for (const ClassifiedUse &use : uses) {
    std::optional<unsigned> web = lookup(use.operand);
    if (!web || *web == 0 || !isView(use.operand->get()))
      continue;
    Value view = use.operand->get();
    for (Value source;
         (source = getSourceOfView(view)) && found.insert({view, *web}).second;
         view = source)
      if (left-- == 0)
        return true;
  }
  return false;
}

std::optional<unsigned> Webs::lookup(OpOperand *use) const {
  auto it = webOf.find(use);
  if (it == webOf.end())
    return std::nullopt;
  return it->second;
}

Operation *Webs::findHomeIn(Region *region, DominanceInfo &dominance) const {
  if (llvm::hasSingleElement(*region)) {
    // Where in the block of the allocation it is makes no difference.
    if (region == root)
      return nullptr;
    Operation *first = items.lookup(&region->front()).front();
    bool isLive = nodes[opNodes.lookup(first).first].isLive;
    return isLive && !isMutated("L3-live-at-the-back-edge") ? nullptr : first;
  }
  Block *common = nullptr;
  for (Block &block : *region) {
    auto it = items.find(&block);
    if (it == items.end() || it->second == ArrayRef<Operation *>(alloc))
      continue;
    if (!dominance.isReachableFromEntry(&block))
      return nullptr;
    common =
        common ? dominance.findNearestCommonDominator(common, &block) : &block;
  }
  if (!common ||
      (nodes[blocks.lookup(common).first].isLive &&
       !isMutated("L4-live-at-the-back-edge")) ||
      (region == root && !dominance.dominates(alloc->getBlock(), common)))
    return nullptr;
  return &common->front();
}

Operation *Webs::findHome(DominanceInfo &dominance) const {
  if (!known || accesses.empty() ||
      llvm::any_of(accesses, [](const Access &a) { return !a.item; }))
    return alloc;
  Region *region = accesses.front().item->getParentRegion();
  for (const Access &access : accesses)
    while (!region->findAncestorOpInRegion(*access.item))
      region = region->getParentRegion();
  // What is live at the front of this region is live in front of all around it.
  Operation *home = findHomeIn(region, dominance);
  return home ? home : alloc;
}
