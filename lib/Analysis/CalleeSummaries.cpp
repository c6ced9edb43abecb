//===- What callees do with memrefs --------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Analysis/CalleeSummaries.h"
#include "AccessAlignment.h"
#include "AsyncWaits.h"
#include "DeallocHelper.h"
#include "buffer-merge/Analysis/AllocScope.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/MapVector.h"

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

/// Add `use` of an argument of `function` to `summary`.
static void addUse(OpOperand &use, const BufferUse &kind, func::FuncOp function,
                   const CalleeSummaries &callees, const DataLayout &layout,
                   ArgumentSummary &summary) {
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
    if (!isDoneAtReturn(op, kind.kind == BufferUse::Kind::DeferredAccess,
                        function))
      addEscape(UnmergeableReason::Asynchronous);
    return;
  case BufferUse::Kind::Dealloc:
    return addEscape(UnmergeableReason::ConditionalDealloc);
  case BufferUse::Kind::Refused:
    if (kind.reason == UnmergeableReason::Returned) {
      if (!summary.mayBeResult(use.getOperandNumber()))
        summary.results.push_back(use.getOperandNumber());
      llvm::sort(summary.results);
      return;
    }
    return addEscape(kind.reason);
  }
}

CalleeSummaries::CalleeSummaries(Operation *root, CallPolicy calls) {
  if (!root->hasTrait<OpTrait::SymbolTable>())
    return;
  SymbolTableCollection symbolTables;
  llvm::SmallSetVector<Operation *, 8> functions;
  root->walk([&](func::CallOp call) {
    if (llvm::none_of(call.getOperandTypes(), llvm::IsaPred<BaseMemRefType>))
      return;
    auto function = dyn_cast_or_null<func::FuncOp>(
        call.resolveCallableInTable(&symbolTables));
    if (!function || function.isExternal())
      return;
    callees[call] = function;
    functions.insert(function);
  });

  /// A use of an argument, directly or through an alias.
  struct ArgumentUse {
    func::FuncOp function;
    unsigned argument;
    OpOperand *use;
  };
  /// Summarizes `function` by itself; returns the uses of its arguments by
  /// calls that are looked into, whose callees are not summarized yet.
  auto summarize = [&](func::FuncOp function,
                       MutableArrayRef<ArgumentSummary> arguments) {
    SmallVector<ArgumentUse> usesByCalls;
    // Inside, a call is taken to return whatever it is given: what the callees
    // return is not known yet.
    const CalleeSummaries noCallees;
    const DataLayout layout = DataLayout::closest(function);
    auto aliases = std::make_shared<const BufferAliases>(function, noCallees);
    if (!aliases->dependOnCallees())
      this->aliases.find(function)->second = aliases;
    for (BlockArgument argument : function.getArguments()) {
      if (!isa<BaseMemRefType>(argument.getType()))
        continue;
      // What it will be used for, and aligned to, is not seen yet.
      if (function.getArgAttr(argument.getArgNumber(), arenaAttrName)) {
        arguments[argument.getArgNumber()].isAccessed = true;
        arguments[argument.getArgNumber()].escape =
            UnmergeableReason::AddressTaken;
      }
      SmallVector<OpOperand *> uses;
      for (Value alias : aliases->getAliases(argument))
        for (OpOperand &use : alias.getUses())
          uses.push_back(&use);
      for (OpOperand *use : uses) {
        if (callees.contains(use->getOwner())) {
          usesByCalls.push_back({function, argument.getArgNumber(), use});
          continue;
        }
        addUse(*use, classifyUse(*use, calls, noCallees), function, noCallees,
               layout, arguments[argument.getArgNumber()]);
      }
    }
    return usesByCalls;
  };

  // As for lifetimes, a function inside another belongs to the same thread.
  llvm::MapVector<Operation *, SmallVector<func::FuncOp, 1>> functionsIn;
  for (Operation *op : functions) {
    Operation *outermost = op;
    while (auto outer = outermost->getParentOfType<FunctionOpInterface>())
      outermost = outer;
    auto function = cast<func::FuncOp>(op);
    if (isDeallocHelper(function))
      deallocHelpers.insert(function);
    functionsIn[outermost].push_back(function);
    summaries[function].resize(function.getNumArguments());
    aliases[function] = nullptr;
  }
  auto groups = functionsIn.takeVector();
  SmallVector<SmallVector<ArgumentUse>, 0> found(groups.size());
  parallelFor(root->getContext(), 0, groups.size(), [&](size_t index) {
    for (func::FuncOp function : groups[index].second)
      llvm::append_range(found[index],
                         summarize(function, summaries.find(function)->second));
  });
  SmallVector<ArgumentUse> usesByCalls;
  for (ArrayRef<ArgumentUse> uses : found)
    llvm::append_range(usesByCalls, uses);

  // An access is never taken back, the reason of an escape only moves forward
  // in the enumeration, and an alignment only grows, so that this ends.
  // What a callee needs is said in bytes, so that no layout is asked.
  const DataLayout layout;
  bool changed = true;
  while (changed) {
    changed = false;
    for (ArgumentUse &use : usesByCalls) {
      ArgumentSummary &summary = summaries[use.function][use.argument];
      bool wasAccessed = summary.isAccessed;
      std::optional<UnmergeableReason> oldEscape = summary.escape;
      int64_t oldAlignment = summary.alignment;
      addUse(*use.use, classifyUse(*use.use, calls, *this), use.function, *this,
             layout, summary);
      changed |= wasAccessed != summary.isAccessed ||
                 oldEscape != summary.escape ||
                 oldAlignment != summary.alignment;
    }
  }
}

const ArgumentSummary *CalleeSummaries::lookup(OpOperand &operand) const {
  auto callee = callees.find(operand.getOwner());
  if (callee == callees.end())
    return nullptr;
  return &summaries.find(callee->second)->second[operand.getOperandNumber()];
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
