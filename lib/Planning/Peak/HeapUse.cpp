//===- HeapUse.cpp - What the heap holds besides pools --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are visited callees first, and in each the inner scopes before the
// outer ones, so that the peak of what runs inside is known as one item.
//
//===----------------------------------------------------------------------===//

#include "HeapUse.h"
#include "Analysis/AllocScope.h"
#include "Analysis/FunctionContext.h"
#include "LateFrees.h"
#include "Mutation.h"
#include "Planning/Gain.h"
#include "Planning/Program/HeapScopes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

/// Return `bytes` as the bytes of something: as if they were not known if sums
/// of them might overflow.
static Bytes makeBytes(std::optional<int64_t> bytes) {
  constexpr int64_t limit = int64_t(1) << 44;
  if (!bytes || *bytes > limit)
    return {std::nullopt, 0};
  return {bytes, *bytes};
}

/// Add `bytes` to `sum`.
static void addUp(Bytes &sum, Bytes bytes) {
  sum.first = sum.first && bytes.first
                  ? std::optional(*sum.first + *bytes.first)
                  : std::nullopt;
  sum.second += bytes.second;
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

/// What the scopes of one function hold.
struct HeapUse::Function {
  Function(const FunctionContext &context, FreePoint freePoint)
      : op(context.function), context(context), order(context.order),
        lateFrees(context), freePoint(freePoint) {}

  void addBuffer(const BufferLifetime &buffer);
  void addAllocation(const OtherAllocation &allocation);
  /// Add what `callee`, whose peaks are known, holds during `call`.
  void addCall(Operation *call, const Function &callee);
  /// Add bytes that are not known during `call`.
  void addUnknown(Operation *call, Attribute memorySpace);
  void addResults(Operation *call, const Function &callee);
  void computePeaks();

  FunctionOpInterface op;
  const FunctionContext &context;
  const ExecutionOrder &order;
  LateFrees lateFrees;
  UserEffects effects;
  /// For what stock passes cannot free after its last use.
  FreePoint freePoint;
  bool anyIsFreedLate = false;
  llvm::MapVector<HeapKey, ScopeHeap> heaps;
  /// What it returns, by memory space.
  llvm::SmallMapVector<Attribute, Bytes, 1> returned;
  /// The ticks of calls of callees that are not known, sorted.
  SmallVector<int64_t> unknownCalls;
  /// `computePeaks` has run.
  bool isComplete = false;

private:
  FreePoint getFreePoint(Value value);
  Region *findScope(Operation *inside) const {
    return findHeapScope(context, inside);
  }
  ScopeHeap &getHeap(Region *scope, Attribute memorySpace);
  void addItem(Operation *op, Attribute memorySpace, const HeldTicks &held,
               Bytes bytes, const BufferLifetime *buffer = nullptr);
  void addDuring(Operation *op, Attribute memorySpace, Bytes bytes);
  void addAllocated(Value value, TickRange ticks, Bytes bytes);
  bool addAliases(Value value, HeldTicks &ticks);
  void shareItems(Region *scope, Attribute memorySpace);
  void computePeak(ScopeHeap &heap);
};

FreePoint HeapUse::Function::getFreePoint(Value value) {
  if (!lateFrees.isFreedLate(value))
    return FreePoint::LastUse;
  anyIsFreedLate = true;
  return freePoint;
}

ScopeHeap &HeapUse::Function::getHeap(Region *scope, Attribute memorySpace) {
  return heaps.try_emplace({scope, memorySpace}, scope, order).first->second;
}

void HeapUse::Function::addItem(Operation *op, Attribute memorySpace,
                                const HeldTicks &held, Bytes bytes,
                                const BufferLifetime *buffer) {
  ScopeHeap &heap = getHeap(findScope(op), memorySpace);
  heap.branches.getBranch(op->getBlock());
  for (HeldItem &item : held.build(bytes, heap.branches))
    heap.items.push_back({std::move(item), op, buffer});
}

/// Add `bytes`, which are held at some ticks of `op`.
void HeapUse::Function::addDuring(Operation *op, Attribute memorySpace,
                                  Bytes bytes) {
  ScopeHeap &heap = getHeap(findScope(op), memorySpace);
  heap.branches.getBranch(op->getBlock());
  TickRange ticks = order.getTicks(op);
  HeldItem item = {ticks, {ticks}, bytes.first, bytes.second, true};
  heap.items.push_back({std::move(item), op, nullptr});
}

/// Add the values that may be `value`. Return true if it is returned.
bool HeapUse::Function::addAliases(Value value, HeldTicks &ticks) {
  bool isReturned = false;
  // A clone has bytes of its own.
  auto isClone = [&](Value alias) { return context.aliases.isClone(alias); };
  for (Value alias : context.aliases.getAliases(value, isClone)) {
    if (alias != value && isClone(alias))
      continue;
    if (alias != value)
      ticks.addAlias(alias);
    isReturned |= llvm::any_of(alias.getUsers(), [&](Operation *user) {
      return user->getParentOp() == op &&
             user->hasTrait<OpTrait::IsTerminator>() &&
             user->getNumSuccessors() == 0;
    });
  }
  return isReturned;
}

/// Add `bytes`, the result `value` of an operation, held at `ticks` and until
/// its last use.
void HeapUse::Function::addAllocated(Value value, TickRange ticks,
                                     Bytes bytes) {
  Operation *allocation = value.getDefiningOp();
  Attribute space = cast<BaseMemRefType>(value.getType()).getMemorySpace();
  HeldTicks held(allocation, ticks, order, lateFrees.getDroppedValues(),
                 effects, getFreePoint(value));
  held.addUses(value);
  if (addAliases(value, held)) {
    // Another path may return something else.
    Region &body = op.getFunctionBody();
    bool isCertain =
        body.hasOneBlock() &&
        llvm::is_contained(body.front().getTerminator()->getOperands(), value);
    Bytes &sum = returned.try_emplace(space, Bytes(0, 0)).first->second;
    addUp(sum, {bytes.first, isCertain ? bytes.second : 0});
  }
  addItem(allocation, space, held, bytes);
}

void HeapUse::Function::addBuffer(const BufferLifetime &buffer) {
  memref::AllocOp alloc = buffer.alloc;
  TickRange ticks = order.getTicks(alloc);
  Bytes bytes = makeBytes(buffer.size ? std::optional(getAllocatedBytes(buffer))
                                      : std::nullopt);
  if (buffer.refusal) {
    if (!buffer.isWorkgroup)
      addAllocated(alloc, ticks, bytes);
    return;
  }
  HeldTicks held(alloc, ticks, order, lateFrees.getDroppedValues(), effects,
                 getFreePoint(alloc));
  held.addUses(alloc);
  auto isClone = [&](Value alias) { return context.aliases.isClone(alias); };
  for (Value alias : context.aliases.getAliases(alloc, isClone)) {
    held.addResult(alias);
    if (auto argument = dyn_cast<BlockArgument>(alias))
      held.addArgument(argument);
  }
  held.addLifetime(buffer);
  addItem(alloc, buffer.getMemorySpace(), held, bytes, &buffer);
}

void HeapUse::Function::addAllocation(const OtherAllocation &allocation) {
  Operation *op = allocation.op;
  auto type = dyn_cast<BaseMemRefType>(op->getResultTypes().front());
  // What the stack holds is not on the heap.
  if (!type || isa<memref::AllocaOp>(op))
    return;
  bool isKnown = type.hasStaticShape();
  addAllocated(
      op->getResult(0), order.getTicks(op),
      makeBytes(isKnown ? std::optional(allocation.size) : std::nullopt));
}

void HeapUse::Function::addUnknown(Operation *call, Attribute memorySpace) {
  if (!isMutated("peak-across-recursion"))
    addDuring(call, memorySpace, {std::nullopt, 0});
}

void HeapUse::Function::addCall(Operation *call, const Function &callee) {
  FunctionOpInterface calleeOp = callee.op;
  for (const auto &[key, heap] : callee.heaps)
    if (key.first == &calleeOp.getFunctionBody() && heap.peak != 0 &&
        !isMutated("heap-callees-hold-nothing"))
      addDuring(call, key.second, {heap.peak, heap.leastPeak});
}

/// Add what `call` of `callee` returns. The callee holds it during the call.
void HeapUse::Function::addResults(Operation *call, const Function &callee) {
  TickRange ticks = order.getTicks(call);
  for (auto [space, bytes] : callee.returned) {
    SmallVector<Value> results = getResultsIn(call, space);
    // Of several results, each may be all of it.
    for (Value result : results)
      addAllocated(result, {ticks.last + 1, ticks.last},
                   {bytes.first, results.size() == 1 ? bytes.second : 0});
  }
}

/// Let `scope`, which runs at most once, know what is freed while it runs, and
/// the scope around it what it leaves behind.
void HeapUse::Function::shareItems(Region *scope, Attribute memorySpace) {
  Operation *scopeOp = scope->getParentOp();
  TickRange ticks = order.getTicks(scopeOp);
  ScopeHeap &outer = getHeap(findScope(scopeOp), memorySpace);
  ScopeHeap &inner = getHeap(scope, memorySpace);
  for (auto &[key, heap] : heaps) {
    if (!key.first->isProperAncestor(scope) || key.second != memorySpace)
      continue;
    for (HeapItem &item : heap.items) {
      if (item.ticks.first >= ticks.first || item.ticks.last < ticks.first ||
          item.ticks.last >= ticks.last)
        continue;
      // How much it is does not matter inside.
      HeldItem &shared = inner.outerItems.emplace_back();
      shared.ticks = {ticks.first, item.ticks.last};
      for (TickRange &range : item.certainTicks) {
        if (range.first < ticks.first && range.last >= ticks.first)
          shared.certainTicks.push_back({ticks.first, range.last});
        // Outside, the peak inside is not known to be reached before.
        if (range.last >= ticks.first)
          range.last = ticks.first - 1;
      }
      llvm::erase_if(item.certainTicks,
                     [](TickRange range) { return range.last < range.first; });
    }
  }
  for (HeapItem &item : inner.items)
    if (item.ticks.last > ticks.last) {
      HeapItem left = item;
      left.ticks.first = ticks.last + 1;
      left.certainTicks.clear();
      outer.items.push_back(std::move(left));
    }
}

void HeapUse::Function::computePeak(ScopeHeap &heap) {
  SmallVector<HeldItem, 0> items(heap.items.begin(), heap.items.end());
  HeapTimeline timeline(heap.branches.getParents(), heap.branches.getParts(),
                        items, {});
  if (llvm::all_of(items,
                   [](const HeldItem &item) { return item.bytes.has_value(); }))
    heap.peak = std::get<0>(makeBytes(timeline.getPeak()));
  heap.leastPeak = isMutated("heap-every-path") ? timeline.getPeak()
                                                : timeline.getLeastPeak();
}

void HeapUse::Function::computePeaks() {
  isComplete = true;
  SmallVector<HeapKey> keys = llvm::to_vector(llvm::make_first_range(heaps));
  for (HeapKey key : sortInsideOut(context, keys)) {
    Operation *scopeOp = key.first->getParentOp();
    if (scopeOp != op && runsRegionsAtMostOnce(scopeOp) &&
        !isMutated("heap-inner-scopes"))
      shareItems(key.first, key.second);
    ScopeHeap &heap = getHeap(key.first, key.second);
    computePeak(heap);
    Bytes bytes = {heap.peak, heap.leastPeak};
    if (scopeOp != op)
      addDuring(scopeOp, key.second, bytes);
  }
}

//===----------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------===//

HeapUse::HeapUse(HeapUse &&) = default;
HeapUse::~HeapUse() = default;

HeapUse::HeapUse(const BufferLifetimes &lifetimes, FreePoint freePoint)
    : lifetimes(lifetimes), freePoint(freePoint) {
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (Function *function = addFunction(buffer.alloc))
      function->addBuffer(buffer);
  for (const OtherAllocation &other : lifetimes.getOtherAllocations())
    if (Function *function = addFunction(other.op))
      function->addAllocation(other);
  // What is around a part of a module may be changed by other threads.
  Operation *root = lifetimes.getRoot();
  if (!root->getParentOp() && !functions.empty() && lifetimes.haveCalls())
    forEachCallComponent(
        root, [&](const CallComponent &component) { addComponent(component); });
  // The others do not take part in calls that are known.
  for (auto &[op, function] : functions) {
    if (!function->isComplete)
      function->computePeaks();
    anyIsFreedLate |= function->anyIsFreedLate;
  }
}

/// Return the function around `op`; null if there is none.
HeapUse::Function *HeapUse::addFunction(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function)
    return nullptr;
  const FunctionContext *context = lifetimes.getContext(function);
  if (!context)
    return nullptr;
  std::unique_ptr<Function> &entry = functions[function];
  if (!entry)
    entry = std::make_unique<Function>(*context, freePoint);
  return entry.get();
}

void HeapUse::addComponent(const CallComponent &component) {
  auto findFunction = [&](Operation *op) -> Function * {
    auto it = functions.find(op);
    return it == functions.end() ? nullptr : it->second.get();
  };
  for (const CallComponent::Call &call : component.calls)
    if (Function *callee = findFunction(call.callee);
        callee && !call.isRecursive) {
      Function *caller = addFunction(call.op);
      caller->addCall(call.op, *callee);
      caller->addResults(call.op, *callee);
    }
  // A recursion holds what each of its frames holds.
  llvm::SmallSetVector<Attribute, 1> spaces;
  for (FunctionOpInterface member : component.members)
    if (Function *function = findFunction(member))
      for (const auto &[key, heap] : function->heaps)
        spaces.insert(key.second);
  for (const CallComponent::Call &call : component.calls) {
    if (!call.callee)
      if (Function *caller =
              findFunction(call.op->getParentOfType<FunctionOpInterface>()))
        caller->unknownCalls.push_back(caller->order.getTicks(call.op).first);
    if (!call.isRecursive || spaces.empty())
      continue;
    Function *caller = addFunction(call.op);
    for (Attribute space : spaces)
      caller->addUnknown(call.op, space);
    if (Function *callee = findFunction(call.callee))
      caller->addResults(call.op, *callee);
  }
  for (FunctionOpInterface member : component.members)
    if (Function *function = findFunction(member)) {
      llvm::sort(function->unknownCalls);
      function->computePeaks();
    }
}

HeapUse::Function &HeapUse::getFunction(Region *scope) const {
  Operation *op = scope->getParentOp();
  if (!isa<FunctionOpInterface>(op))
    op = op->getParentOfType<FunctionOpInterface>();
  return *functions.find(op)->second;
}

const ScopeHeap &HeapUse::get(Region *scope, Attribute memorySpace) const {
  return getFunction(scope).heaps.find({scope, memorySpace})->second;
}

ArrayRef<int64_t> HeapUse::getUnknownCalls(Region *scope) const {
  return getFunction(scope).unknownCalls;
}

LateFrees &HeapUse::getLateFrees(Region *scope) const {
  return getFunction(scope).lateFrees;
}

const FunctionContext &HeapUse::getContext(Region *scope) const {
  return getFunction(scope).context;
}
