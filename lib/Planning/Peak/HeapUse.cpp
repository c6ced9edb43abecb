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
#include "AllocationHolds.h"
#include "Analysis/AllocScope.h"
#include "Analysis/FunctionContext.h"
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
        holds(context, freePoint) {}

  /// Add an allocation, which is split into several buffers or is one.
  void addBuffers(ArrayRef<const BufferLifetime *> buffers);
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
  AllocationHolds holds;
  llvm::MapVector<HeapKey, ScopeHeap> heaps;
  /// What it returns, by memory space.
  llvm::SmallMapVector<Attribute, Bytes, 1> returned;
  /// `computePeaks` has run.
  bool isComplete = false;

private:
  Region *findScope(Operation *inside) const {
    return findHeapScope(context, inside);
  }
  ScopeHeap &getHeap(Region *scope, Attribute memorySpace);
  void addDuring(Operation *op, Attribute memorySpace, Bytes bytes);
  void addLeft(Operation *op, Attribute memorySpace, Bytes bytes);
  void addAllocated(Value value, int64_t first, Bytes bytes,
                    ArrayRef<const BufferLifetime *> buffers = {});
  void shareItems(Region *scope, Attribute memorySpace);
  void computePeak(ScopeHeap &heap);
};

ScopeHeap &HeapUse::Function::getHeap(Region *scope, Attribute memorySpace) {
  return heaps.try_emplace({scope, memorySpace}, scope, order).first->second;
}

/// Add `bytes`, which are held at some ticks of `op`.
void HeapUse::Function::addDuring(Operation *op, Attribute memorySpace,
                                  Bytes bytes) {
  ScopeHeap &heap = getHeap(findScope(op), memorySpace);
  heap.branches.getBranch(op->getBlock());
  TickRange ticks = order.getTicks(op);
  HeapItem &item = heap.items.emplace_back();
  item.ticks = ticks;
  item.branch = heap.branches.getBranch(op->getBlock());
  item.certain = {ticks};
  std::tie(item.most, item.least) = bytes;
  item.mayVary = true;
  item.op = op;
}

/// Add `bytes`, which `op` leaves behind.
void HeapUse::Function::addLeft(Operation *op, Attribute memorySpace,
                                Bytes bytes) {
  if (bytes == Bytes(0, 0) || isMutated("heap-nothing-is-left"))
    return;
  Region *scope = findScope(op);
  ScopeHeap &heap = getHeap(scope, memorySpace);
  GivenHolds given(scope, order, heap.branches);
  HeapItem &item = heap.items.emplace_back();
  static_cast<Hold &>(item) =
      given.findForGood(op, order.getTicks(op).last + 1, bytes);
  item.op = op;
}

/// Add `bytes`, the result `value` of an operation, from tick `first` on: that
/// of the first of `buffers`, if it is mergeable.
void HeapUse::Function::addAllocated(Value value, int64_t first, Bytes bytes,
                                     ArrayRef<const BufferLifetime *> buffers) {
  Operation *allocation = value.getDefiningOp();
  Attribute space = cast<BaseMemRefType>(value.getType()).getMemorySpace();
  bool isResult = buffers.empty() && holds.isReturned(value);
  if (isResult) {
    // Another path may return something else.
    Region &body = op.getFunctionBody();
    bool isCertain =
        body.hasOneBlock() &&
        llvm::is_contained(body.front().getTerminator()->getOperands(), value);
    Bytes &sum = returned.try_emplace(space, Bytes(0, 0)).first->second;
    addUp(sum, {bytes.first, isCertain ? bytes.second : 0});
  }
  ScopeHeap &heap = getHeap(findScope(allocation), space);
  heap.branches.getBranch(allocation->getBlock());
  for (Hold &hold : holds.find(value, first, bytes, buffers, heap.branches)) {
    HeapItem &item = heap.items.emplace_back();
    static_cast<Hold &>(item) = std::move(hold);
    item.op = allocation;
    item.buffer = buffers.empty() ? nullptr : buffers.front();
    item.isReturned = isResult;
  }
}

void HeapUse::Function::addBuffers(ArrayRef<const BufferLifetime *> buffers) {
  const BufferLifetime &buffer = *buffers.front();
  memref::AllocOp alloc = buffer.alloc;
  Bytes bytes = makeBytes(buffer.size ? std::optional(getAllocatedBytes(buffer))
                                      : std::nullopt);
  if (!buffer.refusal || !buffer.isWorkgroup)
    addAllocated(alloc, order.getTicks(alloc).first, bytes,
                 buffer.refusal ? ArrayRef<const BufferLifetime *>() : buffers);
}

void HeapUse::Function::addAllocation(const OtherAllocation &allocation) {
  Operation *op = allocation.op;
  auto type = dyn_cast<BaseMemRefType>(op->getResultTypes().front());
  // What the stack holds is not on the heap.
  if (!type || isa<memref::AllocaOp>(op))
    return;
  bool isKnown = type.hasStaticShape();
  addAllocated(
      op->getResult(0), order.getTicks(op).first,
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
        !isMutated("heap-callees-hold-nothing")) {
      addDuring(call, key.second, {heap.peak, heap.leastPeak});
      addLeft(call, key.second, heap.left);
    }
}

/// Add what `call` of `callee` returns. The callee holds it during the call.
void HeapUse::Function::addResults(Operation *call, const Function &callee) {
  TickRange ticks = order.getTicks(call);
  for (auto [space, bytes] : callee.returned) {
    SmallVector<Value> results = getResultsIn(call, space);
    // Of several results, each may be all of it.
    for (Value result : results)
      addAllocated(result, ticks.last + 1,
                   {bytes.first, results.size() == 1 ? bytes.second : 0});
  }
}

/// Let `scope`, which runs at most once, know what is freed while it runs, and
/// the scope around it what is passed on to it.
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
      Hold &shared = inner.outerItems.emplace_back();
      shared.ticks = {ticks.first, item.ticks.last};
      for (TickRange &range : item.certain) {
        if (range.first < ticks.first && range.last >= ticks.first)
          shared.certain.push_back({ticks.first, range.last});
        // Outside, the peak inside is not known to be reached before.
        if (range.last >= ticks.first)
          range.last = ticks.first - 1;
      }
      llvm::erase_if(item.certain,
                     [](TickRange range) { return range.last < range.first; });
    }
  }
  for (HeapItem &item : inner.items)
    if (item.ticks.last > ticks.last) {
      HeapItem passed = item;
      passed.ticks.first = ticks.last + 1;
      passed.branch = outer.branches.getBranch(scopeOp->getBlock());
      passed.certain.clear();
      item.isReturned = true;
      outer.items.push_back(std::move(passed));
    }
}

Hold ScopeHeap::clamp(Hold hold) const {
  auto clampRange = [&](TickRange range) {
    return TickRange{std::max(range.first, ticks.first),
                     std::min(range.last, ticks.last + 1)};
  };
  hold.ticks = clampRange(hold.ticks);
  for (TickRange &range : hold.certain)
    range = clampRange(range);
  llvm::erase_if(hold.certain,
                 [](TickRange range) { return range.last < range.first; });
  return hold;
}

void HeapUse::Function::computePeak(ScopeHeap &heap) {
  SmallVector<Hold, 0> holds = llvm::map_to_vector<0>(
      heap.items, [&](const HeapItem &item) { return heap.clamp(item); });
  Heap timeline(heap.branches.getParents(), heap.branches.getParts(), holds,
                {});
  bool isKnown = llvm::all_of(
      holds, [](const Hold &hold) { return hold.most.has_value(); });
  if (isKnown)
    heap.peak = std::get<0>(makeBytes(timeline.getPeak()));
  heap.leastPeak = isMutated("heap-every-path") ? timeline.getPeak()
                                                : timeline.getLeastPeak();
  Bytes left = {isKnown ? std::optional<int64_t>(0) : std::nullopt, 0};
  for (auto [item, hold] : llvm::zip_equal(heap.items, holds)) {
    if (item.isReturned || hold.ticks.last <= heap.ticks.last)
      continue;
    bool isCertain =
        hold.certain.size() && hold.certain.back().last > heap.ticks.last;
    addUp(left, {hold.most, isCertain ? hold.least : 0});
  }
  heap.left = {left.first ? std::get<0>(makeBytes(left.first)) : left.first,
               left.second};
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
    // What is added below may move the heaps.
    Bytes bytes = {heap.peak, heap.leastPeak}, left = heap.left;
    if (scopeOp != op) {
      addDuring(scopeOp, key.second, bytes);
      if (holds.getFreePoint() == FreePoint::AsGiven)
        addLeft(scopeOp, key.second, left);
    }
  }
}

//===----------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------===//

HeapUse::HeapUse(HeapUse &&) = default;
HeapUse::~HeapUse() = default;

HeapUse::HeapUse(const BufferLifetimes &lifetimes, FreePoint freePoint,
                 const BufferPartMap *parts)
    : lifetimes(lifetimes), freePoint(freePoint) {
  llvm::MapVector<Operation *, SmallVector<const BufferLifetime *, 1>>
      allocations;
  for (const BufferLifetime &buffer : lifetimes.getBuffers()) {
    Operation *original = buffer.getAlloc();
    if (parts)
      if (auto part = parts->find(original); part != parts->end())
        original = part->second.original;
    allocations[original].push_back(&buffer);
  }
  for (const auto &[alloc, buffers] : allocations)
    if (Function *function = addFunction(alloc))
      function->addBuffers(buffers);
  for (const OtherAllocation &other : lifetimes.getOtherAllocations())
    if (Function *function = addFunction(other.op))
      function->addAllocation(other);
  // What is around a part of a module may be changed by other threads.
  Operation *root = lifetimes.getRoot();
  if (!root->getParentOp() && !functions.empty() && lifetimes.haveCalls())
    forEachCallComponent(
        root, [&](const CallComponent &component) { addComponent(component); });
  // The others do not take part in calls that are known.
  for (auto &[op, function] : functions)
    if (!function->isComplete)
      function->computePeaks();
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
    if (!call.isRecursive || spaces.empty())
      continue;
    Function *caller = addFunction(call.op);
    for (Attribute space : spaces)
      caller->addUnknown(call.op, space);
    if (Function *callee = findFunction(call.callee))
      caller->addResults(call.op, *callee);
  }
  for (FunctionOpInterface member : component.members)
    if (Function *function = findFunction(member))
      function->computePeaks();
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

const FunctionContext &HeapUse::getContext(Region *scope) const {
  return getFunction(scope).context;
}
