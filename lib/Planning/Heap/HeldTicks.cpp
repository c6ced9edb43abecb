//===- HeldTicks.cpp - When an allocation is held -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeldTicks.h"
#include "Analysis/AllocScope.h"
#include "Analysis/FunctionContext.h"
#include "Analysis/ViewSources.h"

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
  return entry->second = {hasEffect<MemoryEffects::Free>(op),
                          isMemoryEffectFree(op)};
}

/// Return the values that a terminator or a selection passes `use` on as; none
/// for other operations.
static SmallVector<Value> getPassedOn(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<SelectLikeOpInterface>(op))
    return SmallVector<Value>(op->getResults());
  return op->hasTrait<OpTrait::IsTerminator>() ? getForwarded(use)
                                               : SmallVector<Value>();
}

/// Return true if `use` passes its value on, and nothing uses what that is
/// then.
bool HeldTicks::isPassedOnInVain(OpOperand &use) const {
  // More need not be found.
  constexpr unsigned maxValues = 8;
  llvm::SmallSetVector<Value, 4> passed;
  passed.insert_range(getPassedOn(use));
  for (unsigned i = 0; i < passed.size(); ++i)
    for (OpOperand &next : passed[i].getUses()) {
      if (effects.get(next.getOwner()).frees)
        continue;
      SmallVector<Value> values = getPassedOn(next);
      passed.insert_range(values);
      if (values.empty() || passed.size() > maxValues)
        return false;
    }
  return !passed.empty();
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
      if (effects.get(user).frees || isPassedOnInVain(use))
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

/// Call `function` with blocks around `user`, out to the innermost region that
/// has `home` as well, and the last ticks there at which it may use a value of
/// `home`.
static void
forEachBlock(Operation *user, Block *home, const ExecutionOrder &order,
             llvm::function_ref<void(Block *, TickRange)> function) {
  SmallVector<Operation *> path = {user};
  while (!path.back()->getParentRegion()->isAncestor(home->getParent()))
    path.push_back(path.back()->getParentOp());
  Block *without =
      path.back()->getParentRegion()->findAncestorBlockInRegion(*home);
  for (Operation *op : llvm::reverse(path)) {
    // What is used in a region that may not run is held until it is known which
    // one does.
    bool isAll = op == user || !runsRegionsAtMostOnce(op);
    TickRange ticks = order.getTicks(op);
    ticks.first = ticks.last = isAll ? ticks.last : ticks.first;
    // A loop around the use repeats it.
    if (std::optional<TickRange> cycle =
            order.getCycle(op->getBlock(), std::exchange(without, nullptr)))
      ticks = ticks.hull(*cycle);
    function(op->getBlock(), ticks);
    if (isAll)
      return;
  }
}

/// Return the last tick at which `user` may use a value of the block `home`.
static int64_t findLast(Operation *user, Block *home,
                        const ExecutionOrder &order) {
  int64_t last = 0;
  forEachBlock(user, home, order, [&](Block *, TickRange ticks) {
    last = std::max(last, ticks.last);
  });
  return last;
}

HeldTicks::HeldTicks(Value value, int64_t first, const FunctionContext &context,
                     UserEffects &effects)
    : allocation(value.getDefiningOp()), value(value), order(context.order),
      bufferAliases(context.aliases), effects(effects),
      ticks({first,
             std::max(first - 1, context.order.getTicks(allocation).last)}) {
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

// LoopLikeOpInterface searches all that a loop carries, for each of them.

/// Return the argument that stands for `result` of `loop` in its body, or null.
static BlockArgument getIterArg(LoopLikeOpInterface loop, OpResult result) {
  std::optional<ResultRange> results = loop.getLoopResults();
  if (!results || results->empty())
    return nullptr;
  size_t index = result.getResultNumber() - results->front().getResultNumber();
  auto arguments = loop.getRegionIterArgs();
  return index < arguments.size() ? arguments[index] : BlockArgument();
}

/// Return what `loop` yields for `argument` of its body, or null.
static Value getYielded(LoopLikeOpInterface loop, BlockArgument argument) {
  auto arguments = loop.getRegionIterArgs();
  std::optional<MutableArrayRef<OpOperand>> yielded =
      loop.getYieldedValuesMutable();
  if (arguments.empty() || !yielded)
    return nullptr;
  size_t index = argument.getArgNumber() - arguments.front().getArgNumber();
  return index < yielded->size() && index < arguments.size() &&
                 arguments[index] == argument
             ? (*yielded)[index].get()
             : Value();
}

/// Return true if each iteration of a loop passes what it allocates as `alias`,
/// an argument of its body, to the next one.
bool HeldTicks::isAlwaysPassedAs(BlockArgument alias) const {
  auto loop = dyn_cast<LoopLikeOpInterface>(alias.getOwner()->getParentOp());
  Value yielded = loop ? getYielded(loop, alias) : Value();
  return yielded && allocation->getBlock() == alias.getOwner() &&
         isAllocation(yielded);
}

/// Return true if `other` is the allocation or a view of it.
bool HeldTicks::isAllocation(Value other) const {
  return findViewedMemory(other) == value;
}

/// Return true if `alias`, an argument or a result of a branch, is this on
/// every way there.
bool HeldTicks::isOnlyPassedAs(Value alias) const {
  ArrayRef<Value> sources = bufferAliases.getSources(alias);
  return !sources.empty() && llvm::all_of(sources, [&](Value source) {
    return isAllocation(source);
  });
}

/// Return true if `alias`, a result of a branch or the argument of a block, is
/// this on every way to it.
bool HeldTicks::isOnlyResult(Value alias) const {
  Operation *op = alias.getDefiningOp();
  Block *block = alias.getParentBlock();
  bool isKnown =
      op ? isa<RegionBranchOpInterface>(op) && runsRegionsAtMostOnce(op)
         : !block->isEntryBlock() &&
               llvm::all_of(block->getPredecessors(), [](Block *b) {
                 return isa<BranchOpInterface>(b->getTerminator());
               });
  return isKnown && isOnlyPassedAs(alias);
}

/// Let `alias`, a result of a branch or the argument of a block, be another
/// value that may be it: its uses count as uses of it if it is nothing else.
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

/// Let the argument `alias` of a region be another value that may be it: it is
/// used there for certain if it is nothing else.
void HeldTicks::addArgument(BlockArgument alias) {
  bool isOfBranch =
      alias.getOwner()->isEntryBlock() &&
      isa<RegionBranchOpInterface>(alias.getOwner()->getParentOp());
  if (!isOfBranch || !isOnlyPassedAs(alias))
    return;
  TickRange found = findCertain(alias);
  TickRange &range = certain.try_emplace(alias.getOwner(), found).first->second;
  range = range.hull(found);
}

/// Let `alias` be another value that may be it: it may be held until the last
/// use of that.
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
    argument = getIterArg(loop, cast<OpResult>(alias));
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

/// Add the uses of `value`, which it is, and of views of that.
void HeldTicks::addUses(Value value) {
  Block *home = allocation->getBlock();
  forEachUser(value, [&](Operation *user) {
    bool isUse = !effects.get(user).isEffectFree ||
                 isa<SelectLikeOpInterface>(user) ||
                 user->hasTrait<OpTrait::IsTerminator>();
    // What comes first is about the result of an earlier execution.
    bool isCertain =
        isUse && home->getParent()->isAncestor(user->getParentRegion()) &&
        order.getTicks(user).first >= order.getTicks(allocation).first;
    forEachBlock(user, home, order, [&](Block *block, TickRange used) {
      ticks.last = std::max(ticks.last, used.last);
      int64_t first = order.getTicks(block).first;
      if (isCertain) {
        TickRange &range =
            certain.try_emplace(block, TickRange{first, first - 1})
                .first->second;
        range = range.hull(used);
      }
    });
  });
}

/// Let `buffer` be what it is.
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

SmallVector<Hold, 1> HeldTicks::find(ArrayRef<Value> known,
                                     const BufferLifetime *buffer, Bytes bytes,
                                     BranchTree &branches) {
  addUses(value);
  for (Value alias : known) {
    auto argument = dyn_cast<BlockArgument>(alias);
    if (buffer)
      addResult(alias);
    else if (alias != value)
      addAlias(alias);
    if (buffer && argument)
      addArgument(argument);
  }
  if (buffer)
    addLifetime(*buffer);
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
