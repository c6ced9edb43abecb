//===- FalseAttributes.cpp - Who says that memory is not used -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All is found once, from what says something: it holds for the function, and
// for all that this calls.
//
//===----------------------------------------------------------------------===//

#include "FalseAttributes.h"
#include "Analysis/FunctionContext.h"
#include "Mutation.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// The functions with calls of which the callee is not known, and those that it
/// may be.
struct UnknownCalls {
  explicit UnknownCalls(const FunctionGraph &graph) {
    callers.insert_range(graph.getUnknownCallers());
    for (auto [index, function] : llvm::enumerate(graph.getFunctions()))
      if (function.otherUse)
        callees.push_back(index);
  }

  llvm::DenseSet<unsigned> callers;
  SmallVector<unsigned> callees;
};
} // namespace

SmallVector<std::optional<FalseAttribute>, 0>
buffer_merge::findFalseForCallers(const FunctionGraph &graph,
                                  AttributeChanges changes) {
  SmallVector<std::optional<FalseAttribute>, 0> found(
      graph.getFunctions().size());
  UnknownCalls unknown(graph);
  SmallVector<unsigned> worklist;
  auto add = [&](unsigned function,
                 const std::optional<FalseAttribute> &attribute) {
    if (!attribute || found[function])
      return;
    found[function] = attribute;
    worklist.push_back(function);
  };
  for (auto [index, function] : llvm::enumerate(graph.getFunctions()))
    add(index, findFalseAttribute(function.op, changes));
  for (const FunctionGraph::Call &call : graph.getCalls())
    add(call.callee, findFalseAttribute(call.op, changes));
  while (!worklist.empty()) {
    unsigned caller = worklist.pop_back_val();
    for (unsigned call : graph.getFunctions()[caller].calls)
      add(graph.getCalls()[call].callee, found[caller]);
    if (unknown.callers.contains(caller))
      for (unsigned callee : std::exchange(unknown.callees, {}))
        add(callee, found[caller]);
  }
  return found;
}

SmallVector<std::optional<FalseAttribute>, 0>
buffer_merge::findFalseForGlobals(const FunctionGraph &graph) {
  return findFalseForCallers(graph, AttributeChanges() |
                                        AttributeChange::AccessesGlobals);
}

std::optional<FalseAttribute>
buffer_merge::findFalseForArena(const FunctionGraph &graph, unsigned function,
                                bool mayAbort) {
  const FunctionGraph::Function &node = graph.getFunctions()[function];
  AttributeChanges changes =
      AttributeChange::AccessesArguments | AttributeChange::AddsArgument;
  if (mayAbort)
    changes = changes | AttributeChange::MayAbort;
  if (auto found = findFalseAttribute(node.op, changes))
    return found;
  for (unsigned call : node.callers)
    if (auto found = findFalseAttribute(graph.getCalls()[call].op, changes))
      return found;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

FalseForArguments::Sources
FalseForArguments::findSources(const FunctionGraph::Call &call,
                               unsigned operand,
                               const BufferLifetimes &lifetimes) const {
  Sources sources;
  func::CallOp op = call.op;
  func::FuncOp caller = graph.getFunctions()[call.caller].op;
  SmallVector<Value> origins = {op.getOperand(operand)};
  if (!origins.front().getDefiningOp<memref::AllocOp>())
    if (const FunctionContext *context = lifetimes.getContext(caller)) {
      std::optional<SmallVector<Value>> found =
          context->aliases.getOrigins(origins.front());
      sources.isUnknown = !found;
      origins = found.value_or(SmallVector<Value>());
    }
  for (Value origin : origins) {
    Operation *producer = origin.getDefiningOp();
    auto argument = dyn_cast<BlockArgument>(origin);
    if (argument && argument.getOwner() == &caller.getBody().front()) {
      sources.arguments.push_back(argument.getArgNumber());
    } else if (auto global = dyn_cast_or_null<memref::GetGlobalOp>(producer)) {
      auto symbol = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
          global, global.getNameAttr());
      sources.isGlobal = true;
      if (symbol && symbol.getConstant())
        sources.constant = symbol;
    } else if (!isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(producer)) {
      sources.isUnknown = true;
    }
  }
  return sources;
}

/// Return the arguments of `function` that are memrefs.
static SmallVector<unsigned> collectMemRefs(func::FuncOp function) {
  SmallVector<unsigned> numbers;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isa<BaseMemRefType>(type))
      numbers.push_back(number);
  return numbers;
}

/// Add to `found` what `argument` makes false of the arguments of `index`, and
/// `all` of the function and of its calls.
void FalseForArguments::findOwn(unsigned index, AttributeChanges argument,
                                AttributeChanges all, Found &found) {
  const FunctionGraph::Function &node = graph.getFunctions()[index];
  func::FuncOp function = node.op;
  auto ofAll = findFalseAttribute(function, all);
  for (unsigned call : node.callers)
    if (!ofAll)
      ofAll = findFalseAttribute(graph.getCalls()[call].op, all);
  for (unsigned number : collectMemRefs(function)) {
    auto own = findFalseArgumentAttribute(function, number, argument);
    for (unsigned call : node.callers)
      if (!own)
        own = findFalseArgumentAttribute(graph.getCalls()[call].op, number,
                                         argument);
    if (own || ofAll)
      found.try_emplace({index, number}, own ? *own : *ofAll);
  }
}

/// Add the arguments of callees that those in `found` are passed as.
void FalseForArguments::propagate(Found &found) {
  SmallVector<Argument> worklist(llvm::make_first_range(found));
  // The map is ordered by hashes, and one of several may be the first.
  llvm::sort(worklist);
  UnknownCalls unknown(graph);
  while (!worklist.empty() && !isMutated("attribute-passed-on")) {
    Argument argument = worklist.pop_back_val();
    FalseAttribute attribute = found.find(argument)->second;
    auto add = [&](Argument passedAs) {
      if (found.try_emplace(passedAs, attribute).second)
        worklist.push_back(passedAs);
    };
    for (Argument passedAs : flows.lookup(argument))
      add(passedAs);
    if (unknown.callers.contains(argument.first))
      for (unsigned callee : std::exchange(unknown.callees, {}))
        for (unsigned number : collectMemRefs(graph.getFunctions()[callee].op))
          add({callee, number});
  }
}

FalseForArguments::FalseForArguments(const FunctionGraph &graph,
                                     const BufferLifetimes &lifetimes)
    : graph(graph) {
  for (unsigned index = 0; index < graph.getFunctions().size(); ++index) {
    findOwn(index,
            AttributeChange::ReadsArgument | AttributeChange::WritesArgument,
            AttributeChanges() | AttributeChange::AccessesArguments, accessed);
    findOwn(index, AttributeChanges() | AttributeChange::PassesArgument,
            AttributeChanges(), passed);
  }
  SmallVector<std::optional<FalseAttribute>, 0> globals =
      findFalseForGlobals(graph);
  for (const FunctionGraph::Call &call : graph.getCalls()) {
    func::CallOp op = call.op;
    for (auto [number, type] : llvm::enumerate(op.getOperandTypes())) {
      if (!isa<BaseMemRefType>(type))
        continue;
      Argument callee(call.callee, number);
      Sources sources = findSources(call, number, lifetimes);
      if (sources.isUnknown)
        llvm::append_range(
            sources.arguments,
            collectMemRefs(graph.getFunctions()[call.caller].op));
      for (unsigned argument : sources.arguments)
        flows[{call.caller, argument}].push_back(callee);
      if (sources.constant)
        accessed.try_emplace(callee,
                             FalseAttribute{"constant", sources.constant,
                                            std::nullopt, /*isKnown=*/true});
      if ((sources.isGlobal || sources.isUnknown) && globals[call.caller])
        accessed.try_emplace(callee, *globals[call.caller]);
    }
  }
  propagate(accessed);
  propagate(passed);
}

const FalseAttribute *FalseForArguments::lookup(func::FuncOp function,
                                                unsigned index,
                                                bool isPassed) const {
  Argument argument(*graph.lookup(function), index);
  if (auto it = accessed.find(argument); it != accessed.end())
    return &it->second;
  auto it = isPassed ? passed.find(argument) : passed.end();
  return it == passed.end() ? nullptr : &it->second;
}
