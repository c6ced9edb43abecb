//===- UnsharedArguments.cpp - What all callers show of arguments ---------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memref that is allocated in the caller, or that the caller was given in
// this way, has no other names than its aliases there. So nothing else accesses
// it during a call if no other operand of the call is one of these, if none of
// them was given away to what may keep it, and if everything is executed in the
// order in which it is written.
//
//===----------------------------------------------------------------------===//

#include "UnsharedArguments.h"
#include "Analysis/FunctionContext.h"
#include "Mutation.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `use` keeps no memref beyond its operation. What a function
/// returns is gone when it does.
static bool keepsNothing(OpOperand &use, const CalleeSummaries &callees) {
  switch (classifyUse(use, callees).kind) {
  case BufferUse::Kind::None:
  case BufferUse::Kind::Forward:
  case BufferUse::Kind::Access:
  case BufferUse::Kind::Dealloc:
    return true;
  case BufferUse::Kind::DeferredAccess:
    return false;
  case BufferUse::Kind::Refused:
    return isa<func::ReturnOp>(use.getOwner());
  }
  llvm_unreachable("not a kind of use");
}

/// Return true if `op` is inside `region`, and executed in the thread that
/// executes the region.
static bool isInSequence(Operation *op, Region *region) {
  while (op->getParentRegion() != region) {
    op = op->getParentOp();
    if (!op || !isSequentialRegionOp(op))
      return false;
  }
  return true;
}

/// Return true if nothing but the callee of `call` accesses `root`, a new
/// memref in `region` and operand `index` of the call, while it runs.
static bool isAloneDuring(func::CallOp call, unsigned index, Value root,
                          Region *region, const FunctionContext &context) {
  AliasBudget budget;
  std::optional<SmallVector<Value>> aliases =
      context.aliases.getAliases(root, budget);
  if (!aliases)
    return false;
  for (Value alias : *aliases)
    for (OpOperand &use : alias.getUses()) {
      if (use.getOwner() == call && use.getOperandNumber() != index &&
          !isMutated("lent-other-operand"))
        return false;
      if (!isInSequence(use.getOwner(), region) ||
          !keepsNothing(use, context.callees))
        return false;
    }
  return true;
}

std::optional<int64_t> UnsharedArguments::checkCall(func::CallOp call,
                                                    unsigned index) {
  Value value = call.getOperand(index);
  auto caller = call->getParentOfType<func::FuncOp>();
  std::optional<int64_t> alignment;
  Region *region = nullptr;
  if (auto alloc = value.getDefiningOp<memref::AllocOp>()) {
    region = alloc->getParentRegion();
    alignment = alloc.getAlignment().value_or(1);
  } else if (auto argument = dyn_cast<BlockArgument>(value);
             argument && argument.getOwner() == &caller.getBody().front()) {
    region = &caller.getBody();
    alignment = getAlignment(caller, argument.getArgNumber());
  }
  const FunctionContext *context = lifetimes.getContext(caller);
  if (!alignment || !context ||
      !isAloneDuring(call, index, value, region, *context))
    return std::nullopt;
  return alignment;
}

const FunctionGraph &UnsharedArguments::getGraph() {
  if (!graph)
    graph.emplace(lifetimes.getRoot());
  return *graph;
}

bool UnsharedArguments::mayKnowCallers(func::FuncOp function) const {
  // A pass on a single function must not look at others.
  return function != lifetimes.getRoot() &&
         (!isCalledFromOutside(function) || isMutated("lent-public"));
}

const FunctionGraph::Function *
UnsharedArguments::findNode(func::FuncOp function) {
  if (!mayKnowCallers(function))
    return nullptr;
  std::optional<unsigned> number = getGraph().lookup(function);
  if (!number)
    return nullptr;
  const FunctionGraph::Function &node = graph->getFunctions()[*number];
  bool isKnown = !node.callers.empty() && !node.otherUse;
  return isKnown ? &node : nullptr;
}

std::optional<int64_t> UnsharedArguments::compute(func::FuncOp function,
                                                  unsigned index) {
  const FunctionGraph::Function *node = findNode(function);
  if (!node)
    return std::nullopt;
  std::optional<int64_t> alignment;
  for (unsigned callNumber : node->callers) {
    std::optional<int64_t> atCall =
        checkCall(graph->getCalls()[callNumber].op, index);
    if (!atCall && !isMutated("lent-every-caller"))
      return std::nullopt;
    if (atCall && (!alignment || *atCall < *alignment))
      alignment = atCall;
  }
  return alignment;
}

std::optional<int64_t> UnsharedArguments::getAlignment(func::FuncOp function,
                                                       unsigned index) {
  auto [it, isNew] = known.try_emplace({function, index}, std::nullopt);
  if (!isNew)
    return it->second;
  std::optional<int64_t> alignment = compute(function, index);
  known[{function, index}] = alignment;
  return alignment;
}
