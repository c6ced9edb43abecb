//===- What decides deallocations at run time ----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeallocDecisions.h"
#include "Analysis/CalleeSummaries.h"
#include "Analysis/Dealloc/OwnedOrigins.h"
#include "Mutation.h"
#include "Premises.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

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
  SmallVector<Value> flags;
  for (auto [index, store] : llvm::enumerate(lists[2].stores)) {
    conditions[store] = {decisions.size(), index};
    flags.push_back(store->get());
    for (Value isFreed : lists[3].loads[index])
      conditionOf[isFreed] = store->get();
  }
  decisions.push_back({call, std::move(*freed), std::move(flags),
                       std::move(*retained), std::move(lists[3].loads),
                       std::move(lists[4].loads)});
  for (const HelperList &list : {lists[0], lists[1]})
    for (OpOperand *store : list.stores)
      addressStores[store] = call;
}

void DeallocDecisions::addDealloc(bufferization::DeallocOp op) {
  for (auto [index, operand] : llvm::enumerate(op.getConditionsMutable()))
    conditions[&operand] = {decisions.size(), index};
  Decision &decision = decisions.emplace_back();
  decision.op = op;
  llvm::append_range(decision.freed, op.getMemrefs());
  llvm::append_range(decision.conditions, op.getConditions());
  llvm::append_range(decision.retained, op.getRetained());
  for (Value condition : op.getUpdatedConditions())
    decision.isOwned.push_back({condition});
}

DeallocDecisions::DeallocDecisions(const FunctionContext &context)
    : aliases(context.aliases) {
  SmallVector<memref::ExtractAlignedPointerAsIndexOp> extracts;
  context.function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto extract = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(op))
      extracts.push_back(extract);
    else if (auto dealloc = dyn_cast<bufferization::DeallocOp>(op))
      addDealloc(dealloc);
    else if (context.callees.isDeallocHelperCall(op))
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
             (comparison.getPredicate() == arith::CmpIPredicate::eq ||
              comparison.getPredicate() == arith::CmpIPredicate::ne);
    });
    if (!isKnown)
      continue;
    llvm::MapVector<Block *, Operation *> last;
    for (OpOperand &use : extract->getUses()) {
      Operation *call = addressStores.lookup(&use);
      Operation *observer = call ? call : use.getOwner();
      Operation *&entry = last[observer->getBlock()];
      if (!entry || entry->isBeforeInBlock(observer))
        entry = observer;
    }
    understood[extract] = llvm::to_vector<1>(llvm::make_second_range(last));
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

/// Follows the outcomes of comparisons that may change.
class DeallocDecisions::OutcomeFlow {
public:
  OutcomeFlow(const DeallocDecisions &decisions,
              function_ref<bool(Value)> isCandidate)
      : parent(decisions), isCandidate(isCandidate) {}

  /// Add the outcomes of a comparison, or of a decision.
  void addComparison(arith::CmpIOp comparison);
  void addDecision(const Decision &decision);
  /// Add a group for what was too much to look at.
  void addUnknownGroup();
  /// Find what depends on the outcomes.
  void follow();
  /// Return the groups, joined if outcomes of both have met.
  SmallVector<DecisionGroup, 0> joinGroups() const;

private:
  SmallVector<Value> getCandidates(ArrayRef<Value> origins) const {
    return llvm::filter_to_vector(origins, isCandidate);
  }
  unsigned addGroup(ArrayRef<Value> buffers) {
    groups.emplace_back().buffers.insert_range(buffers);
    return groups.size() - 1;
  }
  void addUnknown(ArrayRef<Value> memrefs, Operation *op);
  /// `values` may change with the buffers of group `group`.
  void addOutcomes(ArrayRef<Value> values, unsigned group);
  /// The outcomes of `group` are a condition of element `index` of `decision`.
  void addCondition(const Decision &decision, size_t index, unsigned group);
  void followUse(OpOperand &use, unsigned group);

  const DeallocDecisions &parent;
  function_ref<bool(Value)> isCandidate;
  /// The values that are still to be followed.
  SmallVector<Value> worklist;
  DenseMap<Value, unsigned> groupOf;
  SmallVector<DecisionGroup, 0> groups;
  /// Groups that have met.
  SmallVector<std::pair<unsigned, unsigned>> joined;
  /// What may be one of too many buffers to look at, and the first operation
  /// that makes a difference between them.
  SmallVector<Value> unknown;
  Operation *unknownUse = nullptr;
};

void DeallocDecisions::OutcomeFlow::addUnknown(ArrayRef<Value> memrefs,
                                               Operation *op) {
  unknown.append(memrefs.begin(), memrefs.end());
  if (!unknownUse)
    unknownUse = op;
}

void DeallocDecisions::OutcomeFlow::addOutcomes(ArrayRef<Value> values,
                                                unsigned group) {
  for (Value value : values) {
    auto [it, isNew] = groupOf.try_emplace(value, group);
    if (isNew)
      worklist.push_back(value);
    else if (it->second != group)
      joined.emplace_back(it->second, group);
  }
}

void DeallocDecisions::OutcomeFlow::addComparison(arith::CmpIOp comparison) {
  Value left = getExtract(comparison.getLhs()).getSource();
  Value right = getExtract(comparison.getRhs()).getSource();
  std::optional<SmallVector<Value>> lhs = parent.aliases.getOrigins(left);
  std::optional<SmallVector<Value>> rhs = parent.aliases.getOrigins(right);
  if (!lhs || !rhs)
    return addUnknown({left, right}, comparison);
  relyOn<Proof::ComparedAddresses, Premise::PoolIsHeld, Premise::OneAddress,
         Premise::OwnAddress>();
  SmallVector<Value> buffers = getCandidates(*lhs);
  SmallVector<Value> others = getCandidates(*rhs);
  if (buffers.empty() || others.empty() ||
      (lhs->size() == 1 && rhs->size() == 1 && lhs->front() == rhs->front()))
    return;
  buffers.append(others);
  if (!isMutated("R3-comparison"))
    addOutcomes(comparison.getResult(), addGroup(buffers));
}

void DeallocDecisions::OutcomeFlow::addDecision(const Decision &decision) {
  bool isKnown = true;
  auto getBuffers = [&](std::optional<SmallVector<Value>> origins) {
    isKnown &= origins.has_value();
    return getCandidates(origins.value_or(SmallVector<Value>()));
  };
  // What is not owned is freed neither before a merge nor after it.
  SmallVector<SmallVector<Value>> freed, retained;
  for (auto [memref, condition] :
       llvm::zip_equal(decision.freed, decision.conditions))
    freed.push_back(
        getBuffers(getOwnedOrigins(memref, condition, parent.aliases)));
  for (Value memref : decision.retained)
    retained.push_back(getBuffers(parent.aliases.getOrigins(memref)));
  if (!isKnown) {
    addUnknown(decision.freed, decision.op);
    return addUnknown(decision.retained, decision.op);
  }
  auto add = [&](ArrayRef<Value> buffers, ArrayRef<Value> outcomes) {
    if (!buffers.empty() && !outcomes.empty())
      addOutcomes(outcomes, addGroup(buffers));
  };
  for (auto [buffers, isFreed] : llvm::zip(freed, decision.isFreed))
    add(buffers, isFreed);
  for (auto [buffers, isOwned] : llvm::zip_equal(retained, decision.isOwned))
    if (!isMutated("R3-ownership"))
      add(buffers, isOwned);
}

void DeallocDecisions::OutcomeFlow::addUnknownGroup() {
  if (!unknownUse)
    return;
  unsigned group = addGroup(getCandidates(parent.aliases.getOrigins(unknown)));
  groups[group].otherUse = unknownUse;
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
    return inner->getNumRegions() == 0 && isMemoryEffectFree(inner)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

void DeallocDecisions::OutcomeFlow::addCondition(const Decision &decision,
                                                 size_t index, unsigned group) {
  // Whether the element is freed depends on an outcome, and so whether what it
  // may be the same as owns its memory.
  if (decision.isFreed.empty())
    groups[group].deallocs.insert(&cast<bufferization::DeallocOp>(decision.op)
                                       .getMemrefsMutable()[index]);
  else
    addOutcomes(decision.isFreed[index], group);
  for (const auto &isOwned : decision.isOwned)
    addOutcomes(isOwned, group);
}

void DeallocDecisions::OutcomeFlow::followUse(OpOperand &use, unsigned group) {
  Operation *op = use.getOwner();
  if (auto it = parent.conditions.find(&use); it != parent.conditions.end()) {
    addCondition(parent.decisions[it->second.first], it->second.second, group);
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op);
      branch && collectGuarded(branch, groups[group]))
    return;
  if (isa<arith::ArithDialect>(op->getDialect()) && isPure(op) &&
      llvm::all_of(op->getResultTypes(),
                   [](Type type) { return type.isIntOrIndex(); }))
    return addOutcomes(llvm::to_vector_of<Value>(op->getResults()), group);
  SmallVector<Value> targets = getForwarded(use);
  addOutcomes(targets, group);
  if (targets.empty() && !groups[group].otherUse)
    groups[group].otherUse = op;
}

void DeallocDecisions::OutcomeFlow::follow() {
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    unsigned group = groupOf.lookup(value);
    for (OpOperand &use : value.getUses())
      followUse(use, group);
  }
}

SmallVector<DecisionGroup, 0>
DeallocDecisions::OutcomeFlow::joinGroups() const {
  llvm::IntEqClasses classes(groups.size());
  for (auto [a, b] : joined)
    classes.join(a, b);
  classes.compress();
  SmallVector<DecisionGroup, 0> result(classes.getNumClasses());
  for (auto [index, group] : llvm::enumerate(groups)) {
    DecisionGroup &target = result[classes[index]];
    target.buffers.insert_range(group.buffers);
    target.deallocs.insert_range(group.deallocs);
    if (!target.otherUse)
      target.otherUse = group.otherUse;
  }
  return result;
}

const std::optional<SmallVector<Value>> &
DeallocDecisions::getFreed(OpOperand &dealloc) const {
  auto [entry, isNew] = freedBy.try_emplace(&dealloc);
  if (!isNew)
    return *entry->second;
  Value condition = findFreeCondition(dealloc);
  if (Value decisive = condition ? conditionOf.lookup(condition) : Value())
    condition = decisive;
  entry->second = std::make_unique<const std::optional<SmallVector<Value>>>(
      condition ? getOwnedOrigins(dealloc.get(), condition, aliases, &distant)
                : aliases.getOrigins(dealloc.get(), &distant));
  return *entry->second;
}

SmallVector<DecisionGroup, 0>
DeallocDecisions::collectGroups(function_ref<bool(Value)> isCandidate) const {
  OutcomeFlow flow(*this, isCandidate);
  for (arith::CmpIOp comparison : comparisons)
    flow.addComparison(comparison);
  for (const Decision &decision : decisions)
    flow.addDecision(decision);
  flow.addUnknownGroup();
  flow.follow();
  return flow.joinGroups();
}
