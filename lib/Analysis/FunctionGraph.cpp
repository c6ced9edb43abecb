//===- Who calls whom, and when ------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionGraph.h"
#include "AllocScope.h"
#include "GraphComponents.h"
#include "Mutation.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

bool buffer_merge::mayBeReplaced(func::FuncOp function) {
  auto linkage = function->getAttrOfType<LLVM::LinkageAttr>("llvm.linkage");
  if (!linkage)
    return false;
  switch (linkage.getLinkage()) {
  case LLVM::Linkage::External:
  case LLVM::Linkage::Internal:
  case LLVM::Linkage::Private:
    return false;
  default:
    // With the ODR linkages, by one of the same source that was optimized less
    // and accesses more.
    return true;
  }
}

bool buffer_merge::isCalledFromOutside(func::FuncOp function) {
  return !function.isPrivate() || mayBeReplaced(function) ||
         function->hasAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName());
}

FunctionGraph::FunctionGraph(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](func::FuncOp function) {
    if (function.isExternal())
      return;
    indices[function] = functions.size();
    functions.emplace_back().op = function;
    functions.back().isCoroutine = !hasKnownControlFlow(function);
  });
  collectCalls(root);
  findCycles();
  findConcurrentUses();
}

std::optional<unsigned> FunctionGraph::lookup(Operation *op) const {
  auto it = indices.find(op);
  if (it == indices.end())
    return std::nullopt;
  return it->second;
}

SmallVector<unsigned> FunctionGraph::findReached(unsigned function) const {
  llvm::SmallSetVector<unsigned, 8> reached;
  reached.insert(function);
  for (size_t next = 0; next < reached.size(); ++next)
    for (unsigned call : functions[reached[next]].calls)
      reached.insert(calls[call].callee);
  return llvm::to_vector(reached);
}

/// Return true if something between `call` and the function around it may run
/// its region concurrently, or may be done before the call is.
static bool isInConcurrentRegion(Operation *call, Operation *function) {
  for (Operation *op = call->getParentOp(); op != function;
       op = op->getParentOp())
    if (!isSequentialRegionOp(op))
      return true;
  return false;
}

void FunctionGraph::collectCalls(Operation *root) {
  SymbolTableCollection symbolTables;
  // A pass on a single function must not look at others: it knows its own name.
  auto resolve = [&](Operation *user, SymbolRefAttr symbol) -> Operation * {
    if (!isa<func::FuncOp>(root))
      return symbolTables.lookupNearestSymbolFrom(user, symbol);
    bool isRoot = isa<FlatSymbolRefAttr>(symbol) &&
                  symbol.getLeafReference() == SymbolTable::getSymbolName(root);
    return isRoot ? root : nullptr;
  };
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<CallOpInterface>(op)) {
      std::optional<unsigned> caller =
          lookup(op->getParentOfType<FunctionOpInterface>());
      auto call = dyn_cast<func::CallOp>(op);
      std::optional<unsigned> callee;
      if (call)
        callee = lookup(resolve(op, call.getCalleeAttr()));
      if (caller && callee) {
        functions[*caller].calls.push_back(calls.size());
        functions[*callee].callers.push_back(calls.size());
        calls.push_back({call, *caller, *callee,
                         functions[*caller].isCoroutine ||
                             isInConcurrentRegion(op, functions[*caller].op)});
        return;
      }
      if (caller &&
          (unknownCallers.empty() || unknownCallers.back() != *caller))
        unknownCallers.push_back(*caller);
    }
    op->getAttrDictionary().walk<WalkOrder::PreOrder>(
        [&](SymbolRefAttr symbol) {
          if (std::optional<unsigned> function = lookup(resolve(op, symbol)))
            if (!functions[*function].otherUse)
              functions[*function].otherUse = op;
          // What a nested reference consists of are no references from here.
          return WalkResult::skip();
        });
  });
}

void FunctionGraph::findCycles() {
  // The last node is what unknown calls may call.
  SmallVector<SmallVector<unsigned, 2>, 0> callees(functions.size() + 1);
  unsigned unknown = functions.size();
  for (auto [index, function] : llvm::enumerate(functions))
    if (function.otherUse)
      callees[unknown].push_back(index);
  for (const Call &call : calls)
    callees[call.caller].push_back(call.callee);
  for (unsigned caller : unknownCallers)
    callees[caller].push_back(unknown);
  for (const GraphComponent &component : findComponents(callees))
    for (unsigned index : llvm::reverse(component.nodes)) {
      if (index == unknown)
        continue;
      functions[index].isRecursive =
          component.hasCycle && !isMutated("global-recursion");
      calleesFirst.push_back(index);
    }
}

void FunctionGraph::findConcurrentUses() {
  SmallVector<unsigned> worklist;
  auto mark = [&](unsigned index, Operation *use) {
    if (functions[index].concurrentUse)
      return;
    functions[index].concurrentUse = use;
    worklist.push_back(index);
  };
  for (auto [index, function] : llvm::enumerate(functions))
    if (function.otherUse)
      mark(index, function.otherUse);
  for (const Call &call : calls)
    if (call.isConcurrent)
      mark(call.callee, call.op);
  while (!worklist.empty()) {
    unsigned caller = worklist.pop_back_val();
    for (unsigned call : functions[caller].calls)
      if (!isMutated("global-concurrency"))
        mark(calls[call].callee, functions[caller].concurrentUse);
  }
}
