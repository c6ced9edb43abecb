//===- HeapScopes.cpp - Functions and scopes, inside out ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeapScopes.h"
#include "Analysis/AllocScope.h"

#include "mlir/Analysis/CallGraph.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

SmallVector<CallComponent, 0>
buffer_merge::findCallComponents(Operation *root) {
  SmallVector<CallComponent, 0> components;
  CallGraph graph(root);
  SymbolTableCollection symbolTables;
  for (auto it = llvm::scc_begin<const CallGraph *>(&graph); !it.isAtEnd();
       ++it) {
    CallComponent &component = components.emplace_back();
    for (CallGraphNode *node : *it)
      if (!node->isExternal())
        if (auto member = dyn_cast<FunctionOpInterface>(
                node->getCallableRegion()->getParentOp()))
          component.members.push_back(member);
    for (FunctionOpInterface member : component.members)
      member->walk([&](CallOpInterface call) {
        if (call->getParentOfType<FunctionOpInterface>() != member)
          return;
        CallGraphNode *callee = graph.resolveCallable(call, symbolTables);
        Operation *calleeOp = callee->isExternal()
                                  ? nullptr
                                  : callee->getCallableRegion()->getParentOp();
        component.calls.push_back(
            {call, member, calleeOp, llvm::is_contained(*it, callee)});
      });
  }
  return components;
}

Region *buffer_merge::findHeapScope(const FunctionContext &context,
                                    Operation *inside) {
  std::variant<Region *, Refusal> scope = context.scopes.find(inside);
  auto *region = std::get_if<Region *>(&scope);
  FunctionOpInterface function = context.function;
  return region ? *region : &function.getFunctionBody();
}

SmallVector<HeapKey> buffer_merge::sortInsideOut(const FunctionContext &context,
                                                 ArrayRef<HeapKey> keys) {
  Operation *function = context.function;
  llvm::SetVector<HeapKey> all(keys.begin(), keys.end());
  for (size_t i = 0; i < all.size(); ++i)
    if (auto [scope, space] = all[i]; scope->getParentOp() != function)
      all.insert({findHeapScope(context, scope->getParentOp()), space});
  auto getDepth = [&](HeapKey key) {
    unsigned depth = 0;
    for (Operation *parent = key.first->getParentOp(); parent != function;
         parent = parent->getParentOp())
      ++depth;
    return depth;
  };
  SmallVector<std::pair<unsigned, HeapKey>> byDepth = llvm::map_to_vector(
      all, [&](HeapKey key) { return std::pair(getDepth(key), key); });
  llvm::stable_sort(
      byDepth, [](const auto &a, const auto &b) { return a.first > b.first; });
  return llvm::to_vector(llvm::make_second_range(byDepth));
}
