//===- What callees do with buffers --------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CalleeSummaries.h"
#include "AccessAlignment.h"
#include "AllocScope.h"
#include "Analysis/Dealloc/CloneDeallocs.h"
#include "Analysis/Dealloc/DeallocHelper.h"
#include "AsyncWaits.h"
#include "FunctionGraph.h"
#include "GraphComponents.h"
#include "LentArguments.h"
#include "ParallelWork.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

#include <queue>

using namespace mlir;
using namespace buffer_merge;

/// Return true if what `op` does to memory, deferred or not, is done when
/// `function` returns.
static bool isDoneAtReturn(Operation *op, bool isDeferred,
                           func::FuncOp function) {
  SmallVector<Operation *> pending;
  if (isDeferred)
    pending.push_back(op);
  while (true) {
    llvm::erase_if(pending, [&](Operation *starter) {
      return findWait(starter, op) != nullptr;
    });
    op = op->getParentOp();
    if (op == function)
      return pending.empty();
    if (!isDoneAtEnd(op))
      pending.push_back(op);
  }
}

static void addResult(SmallVectorImpl<unsigned> &results, unsigned index) {
  if (llvm::is_contained(results, index))
    return;
  results.push_back(index);
  llvm::sort(results);
}

/// Add `use`, of an argument of `function` or of an alias, to `summary`.
/// `isControlFlowKnown` is that of the function.
static void addUse(OpOperand &use, const BufferUse &kind, func::FuncOp function,
                   bool isControlFlowKnown, const CalleeSummaries &callees,
                   const DataLayout &layout, ArgumentSummary &summary) {
  Operation *op = use.getOwner();
  summary.alignment = std::max(
      summary.alignment, getNeededAlignment(use, kind.kind, callees, layout));
  // Uses come in an arbitrary order, and each time the same reason must be
  // found.
  auto addEscape = [&](UnmergeableReason reason) {
    if (!summary.escape || reason < *summary.escape)
      summary.escape = reason;
  };
  switch (kind.kind) {
  case BufferUse::Kind::None:
  case BufferUse::Kind::Forward:
    return;
  case BufferUse::Kind::Access:
  case BufferUse::Kind::DeferredAccess:
    summary.isAccessed = true;
    // A coroutine returns to its caller and goes on.
    if (!isControlFlowKnown ||
        !isDoneAtReturn(op, kind.kind == BufferUse::Kind::DeferredAccess,
                        function)) {
      addEscape(UnmergeableReason::Asynchronous);
    }
    return;
  case BufferUse::Kind::Dealloc:
    return addEscape(UnmergeableReason::ConditionalDealloc);
  case BufferUse::Kind::Refused:
    return addEscape(kind.reason);
  }
}

/// Say in `summary` of an argument of `function` that it has too many aliases
/// to look at.
static void addUnknownUses(func::FuncOp function, ArgumentSummary &summary) {
  summary.isAccessed = true;
  summary.escape = UnmergeableReason::TooManyAliases;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (mayHoldAddress(type))
      summary.results.push_back(index);
}

SmallVector<CalleeSummaries::Function, 0>
CalleeSummaries::collectFunctions(Operation *root) {
  SymbolTableCollection symbolTables;
  llvm::MapVector<Operation *, unsigned> indices;
  SmallVector<Function, 0> functions;
  root->walk([&](func::CallOp call) {
    if (llvm::none_of(call.getOperandTypes(), mayHoldAddress))
      return;
    auto function = dyn_cast_or_null<func::FuncOp>(
        call.resolveCallableInTable(&symbolTables));
    if (!function || function.isExternal() || mayBeReplaced(function))
      return;
    callees[call] = function;
    if (indices.try_emplace(function, functions.size()).second)
      functions.emplace_back().op = function;
  });
  for (Function &function : functions) {
    if (isDeallocHelper(function.op))
      deallocHelpers.insert(function.op);
    summaries[function.op].resize(function.op.getNumArguments());
    aliases[function.op] = nullptr;
  }
  for (auto [call, callee] : callees) {
    auto caller = indices.find(call->getParentOfType<func::FuncOp>());
    if (caller == indices.end())
      continue;
    unsigned calleeIndex = indices.lookup(callee);
    functions[caller->second].callees.push_back(calleeIndex);
    functions[calleeIndex].callers.push_back(caller->second);
  }
  // The map of the calls is ordered by pointers.
  for (Function &function : functions)
    for (auto *list : {&function.callees, &function.callers}) {
      llvm::sort(*list);
      list->erase(llvm::unique(*list), list->end());
    }
  return functions;
}

void CalleeSummaries::summarize(Function &function) {
  func::FuncOp op = function.op;
  MutableArrayRef<ArgumentSummary> arguments = summaries.find(op)->second;
  function.isControlFlowKnown = hasKnownControlFlow(op);
  // Inside, a call is taken to return whatever it is given: what the callees
  // return is not known yet.
  const CalleeSummaries noCallees(calls);
  auto aliases = std::make_shared<const BufferAliases>(op, noCallees);
  if (!aliases->dependOnCallees())
    this->aliases.find(op)->second = aliases;
  const DataLayout layout = DataLayout::closest(op);
  AliasBudget budget;
  for (BlockArgument argument : op.getArguments()) {
    if (!mayHoldAddress(argument.getType()))
      continue;
    unsigned number = argument.getArgNumber();
    ArgumentSummary &summary = arguments[number];
    // What it will be used for, and aligned to, is not seen yet.
    if (op.getArgAttr(number, arenaAttrName)) {
      summary.isAccessed = true;
      summary.escape = UnmergeableReason::AddressTaken;
    }
    // Buffers may be there, which rely on what is promised.
    if (std::optional<int64_t> alignment = getLentAlignment(op, number)) {
      summary.isAccessed = true;
      summary.alignment = *alignment;
    }
    std::optional<SmallVector<Value>> values =
        aliases->getAliases(argument, budget);
    if (!values) {
      addUnknownUses(op, summary);
      continue;
    }
    llvm::DenseSet<Value> clones = aliases->getClones(argument, *values);
    SmallVector<OpOperand *> uses;
    for (Value alias : *values)
      for (OpOperand &use : alias.getUses())
        uses.push_back(&use);
    for (OpOperand *use : uses) {
      if (callees.contains(use->getOwner())) {
        function.usesByCalls.push_back({number, use});
        continue;
      }
      BufferUse kind = classifyUse(*use, noCallees);
      bool mayOwn = !clones.contains(use->get());
      if (kind.kind == BufferUse::Kind::Refused &&
          kind.reason == UnmergeableReason::Returned)
        addResult(mayOwn ? summary.results : summary.clonedResults,
                  use->getOperandNumber());
      else if (kind.kind != BufferUse::Kind::Dealloc || mayOwn ||
               mayFreeSourceOfClone(*use, &op.getBody(), *aliases))
        addUse(*use, kind, op, function.isControlFlowKnown, noCallees, layout,
               summary);
    }
  }
}

void CalleeSummaries::propagate(ArrayRef<Function> functions) {
  // Every callee before its callers, unless they are recursive.
  auto calledBy = llvm::map_to_vector(
      functions, [](const Function &function) { return function.callees; });
  std::queue<unsigned> worklist;
  llvm::BitVector isQueued(functions.size(), true);
  for (const GraphComponent &component : findComponents(calledBy))
    for (unsigned index : llvm::reverse(component.nodes))
      worklist.push(index);

  // An access is never taken back, the reason of an escape only moves forward
  // in the enumeration, and an alignment only grows, so that this ends.
  // What a callee needs is said in bytes, so that no layout is asked.
  const DataLayout layout;
  while (!worklist.empty()) {
    const Function &function = functions[worklist.front()];
    isQueued.reset(worklist.front());
    worklist.pop();
    MutableArrayRef<ArgumentSummary> arguments =
        summaries.find(function.op)->second;
    bool isChanged = false;
    for (const ArgumentUse &use : function.usesByCalls) {
      ArgumentSummary &summary = arguments[use.argument];
      auto getState = [&] {
        return std::make_tuple(summary.isAccessed, summary.escape,
                               summary.alignment);
      };
      auto before = getState();
      addUse(*use.use, classifyUse(*use.use, *this), function.op,
             function.isControlFlowKnown, *this, layout, summary);
      isChanged |= before != getState();
    }
    if (!isChanged)
      continue;
    for (unsigned caller : function.callers)
      if (!isQueued.test(caller)) {
        isQueued.set(caller);
        worklist.push(caller);
      }
  }
}

CalleeSummaries::CalleeSummaries(Operation *root, CallPolicy calls)
    : calls(calls) {
  if (!root->hasTrait<OpTrait::SymbolTable>())
    return;
  SmallVector<Function, 0> functions = collectFunctions(root);

  // As for lifetimes, a function inside another belongs to the same thread.
  llvm::MapVector<Operation *, SmallVector<unsigned, 1>> functionsIn;
  for (auto [index, function] : llvm::enumerate(functions)) {
    Operation *outermost = function.op;
    while (auto outer = outermost->getParentOfType<FunctionOpInterface>())
      outermost = outer;
    functionsIn[outermost].push_back(index);
  }
  auto groups = functionsIn.takeVector();
  forEachInParallel(root, groups.size(), [&](size_t group) {
    for (unsigned index : groups[group].second)
      summarize(functions[index]);
  });
  propagate(functions);
}

const ArgumentSummary *CalleeSummaries::lookup(OpOperand &operand) const {
  auto callee = callees.find(operand.getOwner());
  if (callee == callees.end())
    return nullptr;
  return &summaries.find(callee->second)->second[operand.getOperandNumber()];
}

func::FuncOp CalleeSummaries::getCallee(func::CallOp call) const {
  return dyn_cast_or_null<func::FuncOp>(callees.lookup(call));
}

bool CalleeSummaries::isDeallocHelperCall(Operation *op) const {
  auto callee = callees.find(op);
  return callee != callees.end() && deallocHelpers.contains(callee->second);
}

std::shared_ptr<const BufferAliases>
CalleeSummaries::getAliases(FunctionOpInterface function) const {
  if (auto it = aliases.find(function); it != aliases.end() && it->second)
    return it->second;
  return std::make_shared<const BufferAliases>(function, *this);
}
