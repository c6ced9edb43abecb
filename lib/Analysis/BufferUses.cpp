//===- What operations do with a buffer ----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/BufferUses.h"
#include "CalleeSummaries.h"
#include "Compatibility.h"
#include "Mutation.h"
#include "Premises.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Async/IR/AsyncTypes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

static bool isMemRef(Value value) {
  return isa<BaseMemRefType>(value.getType());
}

bool buffer_merge::mayHoldAddress(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return mayHoldAddress(vector.getElementType());
  if (auto complex = dyn_cast<ComplexType>(type))
    return mayHoldAddress(complex.getElementType());
  return !type.isIntOrIndexOrFloat() &&
         !isa<gpu::MMAMatrixType, FunctionType, NoneType>(type);
}

/// Return true if values of `type` may stand for work that is going on, or that
/// other work waits for: tokens, groups, futures, and whatever these are
/// lowered to, such as a pointer, or a stream.
static bool mayBeHandle(Type type) {
  return !isa<BaseMemRefType, TensorType>(type) && mayHoldAddress(type);
}

static BufferUse refuse(UnmergeableReason reason) {
  return {BufferUse::Kind::Refused, reason};
}

static BufferUse make(BufferUse::Kind kind) { return {kind}; }

bool buffer_merge::mayActLater(Operation *op) {
  if (isa<memref::DmaStartOp, affine::AffineDmaStartOp>(op))
    return true;
  if (auto async = dyn_cast<gpu::AsyncOpInterface>(op))
    return async.getAsyncToken() != nullptr;
  static constexpr StringLiteral dialects[] = {"acc", "amdgpu", "async",
                                               "mpi", "nvgpu",  "nvvm",
                                               "omp", "rocdl",  "xegpu"};
  return llvm::is_contained(dialects, op->getName().getDialectNamespace());
}

SmallVector<Value> buffer_merge::getForwarded(OpOperand &use) {
  SmallVector<Value> targets;
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    if (auto argument = branch.getSuccessorBlockArgument(number))
      targets.push_back(*argument);
    return targets;
  }
  // `getSuccessorOperandInputMapping` finds the targets of all operands, which
  // takes quadratic time if it is asked for each.
  auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(op);
  auto branch = dyn_cast_or_null<RegionBranchOpInterface>(
      terminator ? op->getParentOp() : op);
  if (!branch)
    return targets;
  auto point =
      terminator ? RegionBranchPoint(terminator) : RegionBranchPoint::parent();
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(point, successors);
  for (RegionSuccessor successor : successors) {
    OperandRange operands = branch.getSuccessorOperands(point, successor);
    ValueRange inputs = getSuccessorInputs(branch, successor);
    if (operands.empty() || number < operands.getBeginOperandIndex())
      continue;
    size_t index = number - operands.getBeginOperandIndex();
    if (index < operands.size() && index < inputs.size())
      targets.push_back(inputs[index]);
  }
  return targets;
}

/// Classify a use by a terminator.
static BufferUse classifyTerminatorUse(OpOperand &use) {
  Operation *op = use.getOwner();
  if (!getForwarded(use).empty())
    return make(BufferUse::Kind::Forward);
  if (isa_and_nonnull<FunctionOpInterface>(op->getParentOp()) &&
      op->hasTrait<OpTrait::ReturnLike>())
    return isMutated("L9-returned") ? make(BufferUse::Kind::Forward)
                                    : refuse(UnmergeableReason::Returned);
  return refuse(UnmergeableReason::UnknownUse);
}

/// Return true if the program promises that `op` keeps and returns no memref.
static bool isPromisedNotToCapture(Operation *op) {
  return op->hasAttr(noCaptureAttrName) || op->hasAttr(untilAttrName);
}

/// Return what a use by `op` is that is promised to do no more than access the
/// memref.
static BufferUse classifyPromised(Operation *op) {
  return make(mayActLater(op) ? BufferUse::Kind::DeferredAccess
                              : BufferUse::Kind::Access);
}

/// Classify a use by an operation that says what it does to memory.
static BufferUse classifyByEffects(OpOperand &use) {
  Operation *op = use.getOwner();
  bool isPromised = isPromisedNotToCapture(op);
  // Neither recursive effects nor the lack of the interface say anything about
  // this operand.
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface && isPromised)
    return classifyPromised(op);
  if (!interface)
    return isMutated("L9-unknown") ? make(BufferUse::Kind::Access)
                                   : refuse(UnmergeableReason::UnknownUse);
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  bool touchesBuffer = false;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (effect.getValue() != use.get())
      continue;
    if (isa<MemoryEffects::Free>(effect.getEffect()))
      return refuse(UnmergeableReason::ConditionalDealloc);
    touchesBuffer = true;
  }
  if (isPromised)
    return classifyPromised(op);
  if (!touchesBuffer) {
    // It does something with the buffer other than accessing its bytes: a write
    // of other memory may store the memref there, and what is computed from it
    // without any effect may be its address.
    bool mayStore = llvm::any_of(effects, [](const auto &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect());
    });
    if (isMutated("L9-address-taken"))
      return make(BufferUse::Kind::Access);
    return refuse(mayStore ? UnmergeableReason::StoredAsValue
                           : UnmergeableReason::AddressTaken);
  }
  // `acc.copyin` and the like return the same memory where it is shared.
  bool isDeferred = mayActLater(op);
  if (llvm::any_of(op->getResults(), isMemRef))
    return refuse(UnmergeableReason::UnknownUse);
  bool returnsAddress = llvm::any_of(op->getResultTypes(), mayHoldAddress);
  if (returnsAddress && !isDeferred)
    return refuse(UnmergeableReason::AddressTaken);
  return make(isDeferred ? BufferUse::Kind::DeferredAccess
                         : BufferUse::Kind::Access);
}

static BufferUse classifyCallUse(OpOperand &use,
                                 const CalleeSummaries &callees) {
  if (const ArgumentSummary *summary = callees.lookup(use)) {
    auto escape =
        ask<Stage::Arenas, Premise::OwnAddress, Proof::ComparedAddresses>(
            summary->escape);
    if (escape && !isMutated("L9-callee"))
      return refuse(*escape);
    return make(summary->isAccessed ? BufferUse::Kind::Access
                                    : BufferUse::Kind::Forward);
  }
  Operation *op = use.getOwner();
  if (isPromisedNotToCapture(op))
    return classifyPromised(op);
  if (callees.getPolicy() == CallPolicy::Escape)
    return refuse(UnmergeableReason::PassedToCall);
  for (Value result : op->getResults())
    if (!isMemRef(result) && mayHoldAddress(result.getType()))
      return refuse(UnmergeableReason::AddressTaken);
  // A group is passed to what adds tasks to it, a token or a future to what
  // starts work that depends on it.
  bool mayStartWork = llvm::any_of(op->getOperandTypes(), mayBeHandle);
  return make(mayStartWork || mayActLater(op) ? BufferUse::Kind::DeferredAccess
                                              : BufferUse::Kind::Access);
}

/// Return true if `op` is a structured operation on buffers: it has the effect
/// of reading or writing each of its memrefs. It is known by its class because
/// it takes long to ask for its effects.
static bool isLinalgOnBuffers(Operation *op) {
  return op->getNumResults() == 0 && isa<linalg::LinalgOp>(op) &&
         isa_and_nonnull<linalg::LinalgDialect>(op->getDialect());
}

/// Classify `use` as if no operation said until when it accesses memory.
static BufferUse classifyKind(OpOperand &use, const CalleeSummaries &callees) {
  Operation *op = use.getOwner();
  if (isLinalgOnBuffers(op))
    return make(BufferUse::Kind::Access);
  if (isa<memref::DeallocOp>(op))
    return make(BufferUse::Kind::Dealloc);
  if (isa<memref::ReallocOp>(op))
    return refuse(UnmergeableReason::Reallocated);
  if (isa<bufferization::DeallocOp, gpu::DeallocOp>(op))
    return refuse(UnmergeableReason::ConditionalDealloc);
  if (isa<memref::DistinctObjectsOp>(op))
    return refuse(UnmergeableReason::DistinctObjects);
  // A prefetch of bytes that are no longer the buffer's does no harm.
  if (isa<memref::DimOp, memref::RankOp, memref::PrefetchOp,
          affine::AffinePrefetchOp>(op))
    return make(BufferUse::Kind::None);

  // It reads the shape, which may be in the source.
  if (auto reshape = dyn_cast<memref::ReshapeOp>(op);
      reshape && &use == &reshape.getShapeMutable())
    return make(BufferUse::Kind::Access);
  if (auto view = dyn_cast<ViewLikeOpInterface>(op);
      view && view.getViewSource() == use.get()) {
    // A reshape has the effect of reading the shape, which is above.
    bool isView = isMemRef(view.getViewDest()) &&
                  (isMemoryEffectFree(op) || isa<memref::ReshapeOp>(op));
    return isView ? make(BufferUse::Kind::Forward)
                  : refuse(UnmergeableReason::AddressTaken);
  }
  if (isa<memref::TransposeOp, arith::SelectOp>(op))
    return make(BufferUse::Kind::Forward);

  if (op->hasTrait<OpTrait::IsTerminator>())
    return classifyTerminatorUse(use);
  if (isa<RegionBranchOpInterface>(op) && !getForwarded(use).empty())
    return make(BufferUse::Kind::Forward);
  if (isa<CallOpInterface>(op))
    return classifyCallUse(use, callees);
  // On a stream that it is given, nothing waits for the kernel.
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
    return make(launch.getAsyncToken() || launch.getAsyncObject()
                    ? BufferUse::Kind::DeferredAccess
                    : BufferUse::Kind::Access);
  }
  // Their memory effects are not declared.
  if (isa<memref::DmaStartOp, affine::AffineDmaStartOp>(op))
    return make(BufferUse::Kind::DeferredAccess);
  if (isa<memref::DmaWaitOp, affine::AffineDmaWaitOp>(op))
    return make(BufferUse::Kind::Access);
  // It reads all of its source; its result is an alias.
  if (isa<bufferization::CloneOp>(op))
    return make(BufferUse::Kind::Access);
  return classifyByEffects(use);
}

bool buffer_merge::hasOwnAttribute(Operation *op) {
  return llvm::any_of(op->getDiscardableAttrs(), [](NamedAttribute attr) {
    return attr.getName().strref().starts_with("buffer_merge.");
  });
}

bool buffer_merge::isOnlyRead(OpOperand &use) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(use.getOwner());
  if (!interface)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  bool isRead = false;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (effect.getValue() && effect.getValue() != use.get())
      continue;
    if (!effect.getValue() || !isa<MemoryEffects::Read>(effect.getEffect()))
      return false;
    isRead = true;
  }
  return isRead;
}

BufferUse buffer_merge::classifyUse(OpOperand &use,
                                    const CalleeSummaries &callees) {
  BufferUse result = classifyKind(use, callees);
  if (result.kind == BufferUse::Kind::Access &&
      use.getOwner()->getDiscardableAttr(untilAttrName))
    result.kind = BufferUse::Kind::DeferredAccess;
  return result;
}

SmallVector<ClassifiedUse>
buffer_merge::classifyUses(ArrayRef<OpOperand *> operands,
                           const CalleeSummaries &callees) {
  return llvm::map_to_vector(operands, [&](OpOperand *operand) {
    return ClassifiedUse{operand, classifyUse(*operand, callees)};
  });
}

void BufferAliases::addEdge(Value from, Value to) {
  targets[from].push_back(to);
  sources[to].push_back(from);
}

void BufferAliases::addClone(Value source, Value clone) {
  cloneTargets[source].push_back(clone);
  terminals.insert(clone);
  clones.insert(clone);
}

void BufferAliases::addCall(Operation *call, const CalleeSummaries &callees) {
  haveCallOps = true;
  for (OpResult result : call->getResults()) {
    if (!mayHoldAddress(result.getType()))
      continue;
    terminals.insert(result);
    haveCallResults = true;
    unsigned index = result.getResultNumber();
    for (OpOperand &operand : call->getOpOperands()) {
      if (!mayHoldAddress(operand.get().getType()))
        continue;
      const ArgumentSummary *summary = callees.lookup(operand);
      if (!summary && isPromisedNotToCapture(call))
        continue;
      if (!summary || summary->mayBeResult(index)) {
        if (!isMutated("L2-call-results"))
          addEdge(operand.get(), result);
      } else if (summary->mayBeCloned(index)) {
        addClone(operand.get(), result);
      }
    }
  }
}

BufferAliases::BufferAliases(Operation *root, const CalleeSummaries &callees) {
  BufferViewFlowAnalysis flow(root);
  auto isFollowed = [](Value to) {
    Operation *op = to.getDefiningOp();
    if (!op)
      return !isMutated("L2-block-arguments");
    return !isa<CallOpInterface, bufferization::CloneOp>(op);
  };
  for (const auto &[from, dependencies] : flow)
    for (Value to : dependencies)
      if (isFollowed(to))
        addEdge(from, to);

  root->walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (isMemRef(result) && flow.mayBeTerminalBuffer(result))
        terminals.insert(result);
    if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
      if (isMemRef(view.getViewSource()) && isMemRef(view.getViewDest()))
        addEdge(view.getViewSource(), view.getViewDest());
    } else if (auto transpose = dyn_cast<memref::TransposeOp>(op)) {
      addEdge(transpose.getIn(), transpose.getResult());
    } else if (auto clone = dyn_cast<bufferization::CloneOp>(op)) {
      addClone(clone.getInput(), clone.getOutput());
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      if (mayHoldAddress(select.getType())) {
        addEdge(select.getTrueValue(), select.getResult());
        addEdge(select.getFalseValue(), select.getResult());
      }
    } else if (isa<CallOpInterface>(op)) {
      addCall(op, callees);
    }
  });
}

using Edges = DenseMap<Value, SmallVector<Value, 2>>;

/// Add what can be reached from `found` over `edges` to it, until `isDone`,
/// which is asked for each value that is added, returns true. Return false
/// then.
static bool findReachable(SmallVector<Value> &found,
                          ArrayRef<const Edges *> edges,
                          llvm::function_ref<bool(Value)> isEnd,
                          llvm::function_ref<bool(Value)> isDone = nullptr) {
  size_t numStarts = found.size();
  llvm::SmallDenseSet<Value, 8> seen(found.begin(), found.end());
  for (size_t i = 0; i < found.size(); ++i) {
    if (i >= numStarts && isEnd && isEnd(found[i]))
      continue;
    for (const Edges *map : edges) {
      auto it = map->find(found[i]);
      if (it == map->end())
        continue;
      for (Value next : it->second) {
        if (!seen.insert(next).second)
          continue;
        if (isDone && isDone(next))
          return false;
        found.push_back(next);
      }
    }
  }
  return true;
}

SmallVector<Value>
BufferAliases::getAliases(Value buffer,
                          llvm::function_ref<bool(Value)> isEnd) const {
  SmallVector<Value> found = {buffer};
  findReachable(found, {&targets, &cloneTargets}, isEnd);
  return found;
}

/// Return what it costs to look at an alias, that it is one and its uses, or
/// something above `limit` if it costs more than that.
static int64_t getCost(Value alias, int64_t limit) {
  int64_t cost = 1;
  for (auto use = alias.use_begin(); use != alias.use_end() && cost <= limit;
       ++use)
    ++cost;
  return cost;
}

std::optional<SmallVector<Value>>
BufferAliases::getAliases(Value buffer, AliasBudget &budget) const {
  constexpr int64_t maxFree = 64, maxFactor = 64, maxSmall = 5000;
  constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();
  int64_t cost = 0;
  auto isTooMuch = [&](Value alias) {
    cost += getCost(alias, std::max(maxFree, budget.left.value_or(unlimited)));
    if (cost <= maxFree)
      return false;
    if (!budget.left) {
      int64_t all = 0;
      for (const auto &[value, edges] : sources)
        all += getCost(value, unlimited);
      budget.left = all + (maxFactor - 1) * std::min(all, maxSmall);
    }
    return cost > *budget.left;
  };
  SmallVector<Value> found = {buffer};
  bool isAll = findReachable(found, {&targets, &cloneTargets},
                             /*isEnd=*/nullptr, isTooMuch);
  // Where it ends is a matter of the order of the edges; so nothing is left.
  if (cost > maxFree && budget.left)
    budget.left = isAll ? *budget.left - cost : 0;
  if (!isAll)
    return std::nullopt;
  return found;
}

SmallVector<Value> BufferAliases::getTargets(Value value) const {
  SmallVector<Value> all;
  for (const Edges *map : {&targets, &cloneTargets})
    if (auto it = map->find(value); it != map->end())
      all.append(it->second.begin(), it->second.end());
  return all;
}

bool BufferAliases::isOrigin(Value value) const {
  return !sources.contains(value) || terminals.contains(value);
}

std::optional<SmallVector<Value>>
BufferAliases::getOrigins(Value value, DistantOrigins *known) const {
  constexpr size_t maxValues = 256;
  SmallVector<Value> found = {value};
  auto isDistant = [&](Value other) {
    return known && known->values.contains(other);
  };
  auto isTooMuch = [&](Value next) {
    return found.size() >= maxValues || isDistant(next);
  };
  if (isDistant(value) ||
      !findReachable(found, &sources, /*isEnd=*/nullptr, isTooMuch)) {
    if (known)
      known->values.insert(value);
    return std::nullopt;
  }
  llvm::erase_if(found, [&](Value origin) { return !isOrigin(origin); });
  return found;
}

SmallVector<Value> BufferAliases::getOrigins(ArrayRef<Value> values) const {
  llvm::SmallSetVector<Value, 8> starts(values.begin(), values.end());
  SmallVector<Value> found = starts.takeVector();
  findReachable(found, &sources, /*isEnd=*/nullptr);
  llvm::erase_if(found, [&](Value origin) { return !isOrigin(origin); });
  return found;
}

llvm::DenseSet<Value> BufferAliases::getClones(Value buffer,
                                               ArrayRef<Value> found) const {
  llvm::DenseSet<Value> onlyClones;
  if (cloneTargets.empty())
    return onlyClones;
  onlyClones.insert_range(found);
  SmallVector<Value> owners = {buffer};
  findReachable(owners, &targets, /*isEnd=*/nullptr);
  for (Value owner : owners)
    onlyClones.erase(owner);
  return onlyClones;
}
