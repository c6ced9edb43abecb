//===- What decides deallocations at run time ----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeallocDecisions.h"
#include "Analysis/CalleeSummaries.h"
#include "Mutation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/IntEqClasses.h"

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// Recognizing comparisons
//===----------------------------------------------------------------------===//

namespace {
/// A list that is passed to a `dealloc_helper`: `memref.alloc`, filled or read
/// at constant places, in the block of the call.
struct HelperList {
  /// What is stored at each place; null for what is not stored exactly once.
  SmallVector<OpOperand *> stores;
  /// The values loaded from each place.
  SmallVector<SmallVector<Value, 1>> loads;
};
} // namespace

/// Return the place that `indices` stand for if that is a constant one of
/// `size` places.
static std::optional<size_t> getPlace(OperandRange indices, size_t size) {
  APInt place;
  if (indices.size() != 1 ||
      !matchPattern(indices.front(), m_ConstantInt(&place)) || place.uge(size))
    return std::nullopt;
  return place.getZExtValue();
}

/// Return the list that `operand`, an operand of the helper's `call`, is, if
/// nothing but the call sees what is stored there before it, and nothing but
/// loads what the call stores.
static std::optional<HelperList> matchList(Value operand, Operation *call) {
  auto cast = operand.getDefiningOp<memref::CastOp>();
  auto alloc =
      cast ? cast.getSource().getDefiningOp<memref::AllocOp>() : nullptr;
  if (!alloc || alloc->getBlock() != call->getBlock() || !cast->hasOneUse() ||
      alloc.getType().getRank() != 1 || !alloc.getType().hasStaticShape())
    return std::nullopt;
  HelperList list;
  list.stores.resize(alloc.getType().getNumElements());
  list.loads.resize(list.stores.size());
  for (OpOperand &use : alloc->getUses()) {
    Operation *op = use.getOwner();
    if (op == cast || isa<memref::DeallocOp>(op))
      continue;
    Operation *ancestor = call->getBlock()->findAncestorOpInBlock(*op);
    if (!ancestor)
      return std::nullopt;
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      std::optional<size_t> place =
          getPlace(store.getIndices(), list.stores.size());
      if (!place || list.stores[*place] || ancestor != op ||
          !op->isBeforeInBlock(call) || use.get() == store.getValueToStore())
        return std::nullopt;
      list.stores[*place] = &store.getValueMutable();
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      std::optional<size_t> place =
          getPlace(load.getIndices(), list.loads.size());
      if (!place || !call->isBeforeInBlock(ancestor))
        return std::nullopt;
      list.loads[*place].push_back(load.getResult());
    } else {
      return std::nullopt;
    }
  }
  return list;
}

static memref::ExtractAlignedPointerAsIndexOp getExtract(Value address) {
  return address.getDefiningOp<memref::ExtractAlignedPointerAsIndexOp>();
}

/// Return the memrefs of which the addresses are stored to `list`, or nothing
/// if something else is.
static std::optional<SmallVector<Value>> getMemRefs(const HelperList &list) {
  SmallVector<Value> memrefs;
  for (OpOperand *store : list.stores) {
    auto extract = store ? getExtract(store->get()) : nullptr;
    if (!extract)
      return std::nullopt;
    memrefs.push_back(extract.getSource());
  }
  return memrefs;
}

void DeallocDecisions::addHelperCall(Operation *call) {
  SmallVector<HelperList, 5> lists;
  for (Value operand : call->getOperands()) {
    std::optional<HelperList> list = matchList(operand, call);
    if (!list)
      return;
    lists.push_back(std::move(*list));
  }
  std::optional<SmallVector<Value>> freed = getMemRefs(lists[0]);
  std::optional<SmallVector<Value>> retained = getMemRefs(lists[1]);
  if (!freed || !retained || lists[2].stores.size() != freed->size() ||
      lists[3].loads.size() != freed->size() ||
      lists[4].loads.size() != retained->size() ||
      llvm::is_contained(lists[2].stores, nullptr))
    return;
  // What the helper does not write may have been written before.
  auto isWritten = [](const HelperList &list) {
    return llvm::any_of(list.stores, [](OpOperand *store) { return store; });
  };
  auto isRead = [](const HelperList &list) {
    return llvm::any_of(list.loads,
                        [](const auto &loads) { return !loads.empty(); });
  };
  if (isWritten(lists[3]) || isWritten(lists[4]) || isRead(lists[0]) ||
      isRead(lists[1]) || isRead(lists[2]))
    return;
  for (auto [index, store] : llvm::enumerate(lists[2].stores))
    conditions[store] = {decisions.size(), index};
  decisions.push_back({call, std::move(*freed), std::move(*retained),
                       std::move(lists[3].loads), std::move(lists[4].loads)});
  for (const HelperList &list : {lists[0], lists[1]})
    for (OpOperand *store : list.stores)
      addressStores.insert(store);
}

void DeallocDecisions::addDealloc(bufferization::DeallocOp op) {
  for (auto [index, operand] : llvm::enumerate(op.getConditionsMutable()))
    conditions[&operand] = {decisions.size(), index};
  Decision &decision = decisions.emplace_back();
  decision.op = op;
  llvm::append_range(decision.freed, op.getMemrefs());
  llvm::append_range(decision.retained, op.getRetained());
  for (Value condition : op.getUpdatedConditions())
    decision.isOwned.push_back({condition});
}

DeallocDecisions::DeallocDecisions(FunctionOpInterface function,
                                   const BufferAliases &aliases,
                                   const CalleeSummaries &callees)
    : aliases(aliases) {
  SmallVector<memref::ExtractAlignedPointerAsIndexOp> extracts;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto extract = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(op))
      extracts.push_back(extract);
    else if (auto dealloc = dyn_cast<bufferization::DeallocOp>(op))
      addDealloc(dealloc);
    else if (callees.isDeallocHelperCall(op))
      addHelperCall(op);
  });
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (memref::ExtractAlignedPointerAsIndexOp extract : extracts) {
    bool isKnown = llvm::all_of(extract->getUses(), [&](OpOperand &use) {
      if (addressStores.contains(&use))
        return true;
      auto comparison = dyn_cast<arith::CmpIOp>(use.getOwner());
      return comparison && getExtract(comparison.getLhs()) &&
             getExtract(comparison.getRhs()) &&
             (isMutated("decision-any-comparison") ||
              comparison.getPredicate() == arith::CmpIPredicate::eq ||
              comparison.getPredicate() == arith::CmpIPredicate::ne);
    });
    if (isKnown)
      understood.insert(extract);
  }
  for (memref::ExtractAlignedPointerAsIndexOp extract : extracts)
    for (Operation *user : extract->getUsers())
      if (auto comparison = dyn_cast<arith::CmpIOp>(user);
          comparison && understood.contains(extract) &&
          seen.insert(comparison).second)
        comparisons.push_back(comparison);
}

//===----------------------------------------------------------------------===//
// What depends on them
//===----------------------------------------------------------------------===//

namespace {
/// Follows the outcomes of comparisons that may change.
class OutcomeFlow {
public:
  /// `value` may change with the buffers of group `group`.
  void addOutcome(Value value, unsigned group);
  unsigned addGroup(ArrayRef<Value> buffers);

  /// The values that are still to be followed.
  SmallVector<Value> worklist;
  DenseMap<Value, unsigned> groupOf;
  SmallVector<DecisionGroup, 0> groups;
  /// Groups that have met.
  SmallVector<std::pair<unsigned, unsigned>> joined;
};
} // namespace

unsigned OutcomeFlow::addGroup(ArrayRef<Value> buffers) {
  groups.emplace_back().buffers.insert_range(buffers);
  return groups.size() - 1;
}

void OutcomeFlow::addOutcome(Value value, unsigned group) {
  auto [it, isNew] = groupOf.try_emplace(value, group);
  if (isNew)
    worklist.push_back(value);
  else if (it->second != group)
    joined.emplace_back(it->second, group);
}

/// Collect the deallocations inside `op`, which runs only if an outcome says
/// so. Return false if something else is inside that matters to anybody.
static bool collectGuarded(scf::IfOp op, DecisionGroup &group) {
  if (op.getNumResults() != 0)
    return false;
  WalkResult result = op->walk([&](Operation *inner) {
    if (inner == op || isa<scf::YieldOp>(inner))
      return WalkResult::advance();
    if (auto dealloc = dyn_cast<memref::DeallocOp>(inner)) {
      group.deallocs.insert(&dealloc.getMemrefMutable());
      return WalkResult::advance();
    }
    if (auto nested = dyn_cast<scf::IfOp>(inner))
      return nested.getNumResults() == 0 ? WalkResult::advance()
                                         : WalkResult::interrupt();
    return inner->getNumRegions() == 0 &&
                   (isMemoryEffectFree(inner) ||
                    isMutated("decision-guards-anything"))
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Return the values that `use`, by a terminator or an operation with regions,
/// hands its operand on to.
static SmallVector<Value> getForwarded(OpOperand &use) {
  SmallVector<Value> targets;
  Operation *op = use.getOwner();
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    if (std::optional<BlockArgument> argument =
            branch.getSuccessorBlockArgument(use.getOperandNumber()))
      targets.push_back(*argument);
    return targets;
  }
  auto addTargets = [&](OperandRange operands, ValueRange inputs) {
    if (operands.empty() ||
        use.getOperandNumber() < operands.getBeginOperandIndex())
      return;
    size_t index = use.getOperandNumber() - operands.getBeginOperandIndex();
    if (index < operands.size() && index < inputs.size())
      targets.push_back(inputs[index]);
  };
  SmallVector<RegionSuccessor> successors;
  if (auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(op)) {
    auto parent = dyn_cast<RegionBranchOpInterface>(op->getParentOp());
    if (!parent)
      return targets;
    parent.getSuccessorRegions(RegionBranchPoint(terminator), successors);
    for (RegionSuccessor successor : successors)
      addTargets(terminator.getSuccessorOperands(successor),
                 successor.getSuccessorInputs());
  } else if (auto parent = dyn_cast<RegionBranchOpInterface>(op)) {
    parent.getSuccessorRegions(RegionBranchPoint::parent(), successors);
    for (RegionSuccessor successor : successors)
      addTargets(parent.getEntrySuccessorOperands(successor),
                 successor.getSuccessorInputs());
  }
  return targets;
}

SmallVector<DecisionGroup, 0>
DeallocDecisions::collectGroups(function_ref<bool(Value)> isCandidate) const {
  OutcomeFlow flow;
  auto getCandidates = [&](ArrayRef<Value> origins) {
    return llvm::filter_to_vector(origins, isCandidate);
  };
  // What may be one of too many buffers to look at, and the first operation
  // that makes a difference between them.
  SmallVector<Value> unknown;
  Operation *unknownUse = nullptr;
  auto addUnknown = [&](ArrayRef<Value> memrefs, Operation *op) {
    unknown.append(memrefs.begin(), memrefs.end());
    if (!unknownUse)
      unknownUse = op;
  };

  for (arith::CmpIOp comparison : comparisons) {
    Value left = getExtract(comparison.getLhs()).getSource();
    Value right = getExtract(comparison.getRhs()).getSource();
    std::optional<SmallVector<Value>> lhs = aliases.getOrigins(left);
    std::optional<SmallVector<Value>> rhs = aliases.getOrigins(right);
    if (!lhs || !rhs) {
      addUnknown({left, right}, comparison);
      continue;
    }
    SmallVector<Value> buffers = getCandidates(*lhs);
    SmallVector<Value> others = getCandidates(*rhs);
    if (buffers.empty() || others.empty() ||
        (lhs->size() == 1 && rhs->size() == 1 && lhs->front() == rhs->front()))
      continue;
    buffers.append(others);
    if (!isMutated("decision-outcomes-do-not-change"))
      flow.addOutcome(comparison.getResult(), flow.addGroup(buffers));
  }
  for (const Decision &decision : decisions) {
    bool isKnown = true;
    auto getBuffers = [&](Value memref) {
      std::optional<SmallVector<Value>> origins = aliases.getOrigins(memref);
      isKnown &= origins.has_value();
      return getCandidates(origins.value_or(SmallVector<Value>()));
    };
    SmallVector<SmallVector<Value>> freed =
        llvm::map_to_vector(decision.freed, getBuffers);
    SmallVector<SmallVector<Value>> retained =
        llvm::map_to_vector(decision.retained, getBuffers);
    if (!isKnown) {
      addUnknown(decision.freed, decision.op);
      addUnknown(decision.retained, decision.op);
      continue;
    }
    auto addOutcomes = [&](ArrayRef<Value> buffers, ArrayRef<Value> outcomes) {
      if (buffers.empty() || outcomes.empty())
        return;
      unsigned group = flow.addGroup(buffers);
      for (Value outcome : outcomes)
        flow.addOutcome(outcome, group);
    };
    for (auto [buffers, isFreed] : llvm::zip(freed, decision.isFreed))
      if (!isMutated("decision-outcomes-of-helpers-do-not-change"))
        addOutcomes(buffers, isFreed);
    for (auto [buffers, isOwned] : llvm::zip_equal(retained, decision.isOwned))
      if (!isMutated("decision-ownership-does-not-change"))
        addOutcomes(buffers, isOwned);
  }

  if (unknownUse && !isMutated("decision-of-many")) {
    unsigned group = flow.addGroup(getCandidates(aliases.getOrigins(unknown)));
    flow.groups[group].otherUse = unknownUse;
  }

  // Whether element `index` of a decision is freed depends on an outcome, and
  // so whether what it may be the same as owns its memory.
  auto addCondition = [&](const Decision &decision, size_t index,
                          unsigned group) {
    if (decision.isFreed.empty())
      flow.groups[group].deallocs.insert(
          &cast<bufferization::DeallocOp>(decision.op)
               .getMemrefsMutable()[index]);
    else
      for (Value value : decision.isFreed[index])
        flow.addOutcome(value, group);
    for (const auto &isOwned : decision.isOwned)
      for (Value value : isOwned)
        flow.addOutcome(value, group);
  };
  while (!flow.worklist.empty()) {
    Value value = flow.worklist.pop_back_val();
    unsigned group = flow.groupOf.lookup(value);
    for (OpOperand &use : value.getUses()) {
      Operation *op = use.getOwner();
      if (auto it = conditions.find(&use); it != conditions.end()) {
        {
          if (!isMutated("decision-outcomes-as-conditions"))
            addCondition(decisions[it->second.first], it->second.second, group);
        }
        continue;
      }
      if (auto branch = dyn_cast<scf::IfOp>(op);
          branch && collectGuarded(branch, flow.groups[group]))
        continue;
      if (isa<arith::ArithDialect>(op->getDialect()) && isPure(op) &&
          llvm::all_of(op->getResultTypes(),
                       [](Type type) { return type.isIntOrIndex(); })) {
        for (Value result : op->getResults())
          flow.addOutcome(result, group);
        continue;
      }
      SmallVector<Value> targets = getForwarded(use);
      for (Value target : targets)
        flow.addOutcome(target, group);
      if (targets.empty() && !flow.groups[group].otherUse &&
          !isMutated("decision-outcomes-used-elsewhere"))
        flow.groups[group].otherUse = op;
    }
  }

  llvm::IntEqClasses classes(flow.groups.size());
  for (auto [a, b] : flow.joined)
    classes.join(a, b);
  classes.compress();
  SmallVector<DecisionGroup, 0> result(classes.getNumClasses());
  for (auto [index, group] : llvm::enumerate(flow.groups)) {
    DecisionGroup &target = result[classes[index]];
    target.buffers.insert_range(group.buffers);
    target.deallocs.insert_range(group.deallocs);
    if (!target.otherUse)
      target.otherUse = group.otherUse;
  }
  return result;
}
