//===- HeldTicks.cpp - When an allocation is held -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeldTicks.h"
#include "Analysis/AllocScope.h"
#include "Analysis/ViewSources.h"
#include "Compatibility.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace buffer_merge;

UserEffects::Effects UserEffects::get(Operation *op) {
  auto [entry, isNew] = known.try_emplace(op);
  if (!isNew)
    return entry->second;
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op))
    interface.getEffects(effects);
  bool frees =
      llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
        return isa<MemoryEffects::Free>(effect.getEffect());
      });
  entry->second = {frees, effects.empty() && isMemoryEffectFree(op)};
  return entry->second;
}

/// Call `function` with the users of `value`, and of views of that, that keep
/// it from being freed: a deallocation may come later than it could.
void HeldTicks::forEachUser(
    Value value, llvm::function_ref<void(Operation *)> function) const {
  SmallVector<Value> views = {value};
  while (!views.empty()) {
    Value view = views.pop_back_val();
    for (OpOperand &use : view.getUses()) {
      Operation *user = use.getOwner();
      if (effects.get(user).frees)
        continue;
      function(user);
      if (auto viewOp = dyn_cast<ViewLikeOpInterface>(user);
          viewOp && viewOp.getViewSource() == view)
        for (Value result : user->getResults())
          if (isa<BaseMemRefType>(result.getType()))
            views.push_back(result);
    }
  }
}

/// Return the last tick at which `user` may use a value of the block `home`.
static int64_t findLast(Operation *user, Block *home,
                        const ExecutionOrder &order) {
  // From inside the innermost region with both.
  SmallVector<Operation *> path = {user};
  while (!path.back()->getParentRegion()->isAncestor(home->getParent()))
    path.push_back(path.back()->getParentOp());
  Block *without =
      path.back()->getParentRegion()->findAncestorBlockInRegion(*home);
  int64_t last = 0;
  for (Operation *op : llvm::reverse(path)) {
    // A loop around the use repeats it.
    if (std::optional<TickRange> cycle =
            order.getCycle(op->getBlock(), std::exchange(without, nullptr)))
      last = std::max(last, cycle->last);
    bool isAll = op == user || !runsRegionsAtMostOnce(op);
    TickRange ticks = order.getTicks(op);
    last = std::max(last, isAll ? ticks.last : ticks.first);
    if (isAll)
      break;
  }
  return last;
}

HeldTicks::HeldTicks(Operation *allocation, ArrayRef<Value> values,
                     TickRange ticks, const ExecutionOrder &order,
                     UserEffects &effects)
    : allocation(allocation), values(values), order(order), effects(effects),
      ticks(ticks) {
  certain[allocation->getBlock()] = ticks;
}

/// Return true if `alias` may be what an earlier execution has allocated: it is
/// an argument, in front of the allocation, of a loop around it.
bool HeldTicks::isCarriedBy(BlockArgument alias) const {
  Block *block = alias.getOwner();
  Operation *parent = block->getParentOp();
  if (Operation *inside =
          block->getParent()->findAncestorOpInRegion(*allocation);
      inside && order.isBackEdge(inside->getBlock(), block))
    return true;
  return block->isEntryBlock() && parent->isProperAncestor(allocation) &&
         !isa<FunctionOpInterface>(parent) && !runsRegionsAtMostOnce(parent) &&
         order.getTicks(block).first <= order.getTicks(allocation).first;
}

/// Return true if each iteration of a loop passes what it allocates as `alias`,
/// an argument of its body, to the next one.
bool HeldTicks::isAlwaysPassedAs(BlockArgument alias) const {
  auto loop = dyn_cast<LoopLikeOpInterface>(alias.getOwner()->getParentOp());
  OpOperand *yielded = loop ? loop.getTiedLoopYieldedValue(alias) : nullptr;
  if (!yielded || allocation->getBlock() != alias.getOwner())
    return false;
  return isAllocation(yielded->get());
}

/// Return true if `value` is the allocation or a view of it.
bool HeldTicks::isAllocation(Value value) const {
  return llvm::is_contained(values, findViewedMemory(value));
}

/// Return the position of `value` in `inputs`, arguments of a block or results
/// of an operation, which are most often all of them from some on.
static std::optional<size_t> findInput(ValueRange inputs, Value value) {
  if (inputs.empty())
    return std::nullopt;
  auto getNumber = [](Value value) -> size_t {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getArgNumber();
    return cast<OpResult>(value).getResultNumber();
  };
  size_t index = getNumber(value) - getNumber(inputs.front());
  if (index < inputs.size() && inputs[index] == value)
    return index;
  auto input = llvm::find(inputs, value);
  if (input == inputs.end())
    return std::nullopt;
  return input - inputs.begin();
}

/// Return true if `alias`, an argument of `region` of `branch`, or a result of
/// `branch` if there is no region, is this on every way there.
bool HeldTicks::isOnlyPassedBy(RegionBranchOpInterface branch, Region *region,
                               Value alias) const {
  bool isPassed = false;
  for (RegionBranchPoint point : branch.getAllRegionBranchPoints()) {
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(point, successors);
    for (RegionSuccessor successor : successors) {
      if (successor.getSuccessor() != region)
        continue;
      std::optional<size_t> input =
          findInput(getSuccessorInputs(branch, successor), alias);
      if (!input ||
          !isAllocation(branch.getSuccessorOperands(point, successor)[*input]))
        return false;
      isPassed = true;
    }
  }
  return isPassed;
}

/// Return true if `alias`, an argument of a region, is this on every way into
/// the region.
bool HeldTicks::isOnlyPassedAs(BlockArgument alias) const {
  Region *region = alias.getParentRegion();
  auto branch = dyn_cast<RegionBranchOpInterface>(region->getParentOp());
  return branch && alias.getOwner()->isEntryBlock() &&
         isOnlyPassedBy(branch, region, alias);
}

/// Return true if `alias`, a result of a branch or the argument of a block, is
/// this on every way to it.
bool HeldTicks::isOnlyResult(Value alias) const {
  auto argument = dyn_cast<BlockArgument>(alias);
  if (!argument) {
    auto branch = alias.getDefiningOp<RegionBranchOpInterface>();
    return branch && runsRegionsAtMostOnce(branch) &&
           isOnlyPassedBy(branch, /*region=*/nullptr, alias);
  }
  Block *block = argument.getOwner();
  for (auto it = block->pred_begin(), end = block->pred_end(); it != end;
       ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    Value value = branch ? branch.getSuccessorOperands(
                               it.getSuccessorIndex())[argument.getArgNumber()]
                         : Value();
    if (!value || !isAllocation(value))
      return false;
  }
  return !block->isEntryBlock();
}

void HeldTicks::addResult(Value alias) {
  if (isOnlyResult(alias))
    addUses(alias);
}

/// Return the first tick at which `alias` is there.
int64_t HeldTicks::getFirst(Value alias) const {
  if (auto argument = dyn_cast<BlockArgument>(alias))
    return order.getTicks(argument.getOwner()).first;
  return order.getTicks(alias.getDefiningOp()).last;
}

/// Return the ticks of the block of `alias` until the last use that every path
/// executes; empty if there is none.
TickRange HeldTicks::findCertain(Value alias) const {
  Block *block = alias.getParentBlock();
  int64_t first = getFirst(alias);
  TickRange certain = {first, first - 1};
  forEachUser(alias, [&](Operation *user) {
    Operation *op = block->findAncestorOpInBlock(*user);
    if (op && (op == user ? !effects.get(op).isEffectFree
                          : !runsRegionsAtMostOnce(op)))
      certain.last = std::max(certain.last, order.getTicks(op).last);
  });
  return certain;
}

void HeldTicks::addArgument(BlockArgument alias) {
  if (!isOnlyPassedAs(alias))
    return;
  TickRange found = findCertain(alias);
  TickRange &range = certain.try_emplace(alias.getOwner(), found).first->second;
  range = range.hull(found);
}

void HeldTicks::addAlias(Value alias) {
  // Views are used as what they are views of.
  if (isa_and_present<ViewLikeOpInterface>(alias.getDefiningOp()))
    return;
  addResult(alias);
  Block *block = alias.getParentBlock();
  int64_t first = getFirst(alias);
  TickRange held = {first, first};
  forEachUser(alias, [&](Operation *user) {
    held.last = std::max(held.last, findLast(user, block, order));
  });
  auto argument = dyn_cast<BlockArgument>(alias);
  if (argument) {
    isCarried |= isCarriedBy(argument);
    addArgument(argument);
  } else if (auto loop = alias.getDefiningOp<LoopLikeOpInterface>()) {
    argument = loop.getTiedLoopRegionIterArg(cast<OpResult>(alias));
  }
  if (argument && isAlwaysPassedAs(argument))
    addPassedOn(alias, held);
  else
    aliases.emplace_back().ticks = held;
}

/// Let `alias`, which is held at `held`, be what the last iteration of a loop
/// has allocated: one allocation in all arguments of the loop, or in all of its
/// results.
void HeldTicks::addPassedOn(Value alias, TickRange held) {
  Operation *op = alias.getDefiningOp();
  auto [entry, isNew] = passedOn.try_emplace(op, aliases.size());
  if (isNew) {
    entry->second = aliases.size();
    aliases.emplace_back().ticks = held;
  }
  Hold &item = aliases[entry->second];
  item.ticks = item.ticks.hull(held);
  TickRange certain = findCertain(alias);
  if (certain.last < certain.first)
    return;
  if (item.certain.empty())
    item.certain.push_back(certain);
  item.certain.front() = item.certain.front().hull(certain);
}

void HeldTicks::addUses(Value value) {
  forEachUser(value, [&](Operation *user) {
    ticks.last =
        std::max(ticks.last, findLast(user, allocation->getBlock(), order));
    if (!effects.get(user).isEffectFree || isa<SelectLikeOpInterface>(user) ||
        user->hasTrait<OpTrait::IsTerminator>())
      addCertain(user);
  });
}

void HeldTicks::addCertain(Operation *user) {
  // What comes first is about the result of an earlier execution.
  Region *home = allocation->getParentRegion();
  if (!home->isAncestor(user->getParentRegion()) ||
      order.getTicks(user).first < order.getTicks(allocation).first)
    return;
  SmallVector<Operation *> path = {user};
  while (path.back()->getParentRegion() != home)
    path.push_back(path.back()->getParentOp());
  Block *without = allocation->getBlock();
  for (Operation *op : llvm::reverse(path)) {
    Block *block = op->getBlock();
    int64_t first = order.getTicks(block).first;
    TickRange &range =
        certain.try_emplace(block, TickRange{first, first - 1}).first->second;
    // A loop around the use repeats it. What is used in a region that may not
    // run is held until it is known which one does.
    if (std::optional<TickRange> cycle =
            order.getCycle(block, std::exchange(without, nullptr)))
      range = range.hull(*cycle);
    TickRange opTicks = order.getTicks(op);
    bool isAll = op == user || !runsRegionsAtMostOnce(op);
    range.last = std::max(range.last, isAll ? opTicks.last : opTicks.first);
    if (isAll)
      return;
  }
}

/// Return the ticks from the allocation to its last use in a block that every
/// path takes that executes the allocation, if there is such a block and all
/// blocks between the two are between them on every path.
std::optional<TickRange>
HeldTicks::findAcrossBlocks(BranchTree &branches) const {
  Block *begin = allocation->getBlock();
  unsigned branch = branches.getBranch(begin);
  TickRange beginTicks = certain.begin()->second;
  Block *end = nullptr;
  TickRange across = beginTicks;
  for (auto [block, range] : certain)
    if (block->getParent() == begin->getParent() && range.last > across.last &&
        branches.getBranch(block) == branch) {
      end = block;
      across.last = range.last;
    }
  if (!end || end == begin)
    return std::nullopt;
  if (branches.getLastTickInBranch(begin) < order.getTicks(end).first)
    return std::nullopt;
  return across;
}

void HeldTicks::addLifetime(const BufferLifetime &buffer) {
  Block *home = allocation->getBlock();
  int64_t last = buffer.ticks.last;
  ticks.last =
      std::max({ticks.last, last, findLast(buffer.lastUse, home, order)});
  // A wait may follow the last access.
  TickRange &range = certain[home];
  if (Operation *access = home->findAncestorOpInBlock(*buffer.lastAccess);
      access && range.last == order.getTicks(access).last)
    range.last =
        std::max(range.last, std::min(last, order.getTicks(home).last));
}

SmallVector<Hold, 1> HeldTicks::build(Bytes bytes, BranchTree &branches) const {
  Hold item;
  item.ticks = ticks;
  item.branch = branches.getBranch(allocation->getBlock());
  std::tie(item.most, item.least) = bytes;
  item.mayVary = isCarried;
  SmallVector<Hold, 1> items;
  for (const Hold &alias : aliases) {
    if (!isCarried) {
      item.ticks = item.ticks.hull(alias.ticks);
      continue;
    }
    // It may be the result of another execution.
    Hold &other = items.emplace_back(alias);
    other.branch = item.branch;
    std::tie(other.most, other.least) = bytes;
    other.mayVary = true;
  }
  if (item.ticks.last < item.ticks.first)
    return {};
  SmallVector<TickRange> ranges;
  for (auto [block, range] : certain)
    if (range.first <= range.last)
      ranges.push_back(range);
  if (std::optional<TickRange> across = findAcrossBlocks(branches))
    ranges.push_back(*across);
  llvm::sort(ranges,
             [](TickRange a, TickRange b) { return a.first < b.first; });
  for (TickRange range : ranges)
    if (item.certain.empty() || item.certain.back().last < range.first)
      item.certain.push_back(range);
    else
      item.certain.back() = item.certain.back().hull(range);
  items.push_back(std::move(item));
  return items;
}
