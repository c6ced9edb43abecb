//===- HeapUse.cpp - What the heap holds besides pools --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are visited callees first (`CallGraph`, one strongly connected
// component after the other), and in each the inner scopes before the outer
// ones, so that the peak of what runs inside is known as one item.
//
//===----------------------------------------------------------------------===//

#include "HeapUse.h"
#include "Analysis/AllocScope.h"
#include "Analysis/FunctionContext.h"
#include "Mutation.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the sum of two numbers of bytes, at most `maxBytes`.
static int64_t addBytes(int64_t a, int64_t b) {
  return a > maxBytes - b ? maxBytes : a + b;
}

int64_t buffer_merge::getAllocatedBytes(const BufferLifetime &buffer) {
  memref::AllocOp alloc = buffer.alloc;
  uint64_t alignment = alloc.getAlignment().value_or(1);
  return llvm::alignTo(*buffer.size, std::max<uint64_t>(alignment, 1));
}

bool buffer_merge::mayNotRun(Region &region) {
  Operation *op = region.getParentOp();
  return runsRegionsAtMostOnce(op) && op->getNumRegions() > 1;
}

/// Return true if every path through `scope` executes `op`.
static bool isOnEveryPath(Operation *op, Region *scope) {
  for (Region *region = op->getParentRegion();;
       region = region->getParentOp()->getParentRegion()) {
    if (op->getBlock() != &region->front())
      return false;
    if (region == scope)
      return true;
    if (mayNotRun(*region))
      return false;
    op = region->getParentOp();
  }
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

/// What the scopes of one function hold.
struct HeapUse::Function {
  using Key = std::pair<Region *, Attribute>;

  explicit Function(const FunctionContext &context)
      : op(context.function), context(context), order(context.order) {}

  void addBuffer(const BufferLifetime &buffer);
  void addAllocation(const OtherAllocation &allocation);
  void addCall(Operation *call, const Function &callee);
  void computePeaks();

  FunctionOpInterface op;
  const FunctionContext &context;
  const ExecutionOrder &order;
  llvm::MapVector<Key, ScopeHeap> heaps;
  /// The bytes of what it returns at most and at least, by memory space.
  llvm::SmallMapVector<Attribute, std::pair<int64_t, int64_t>, 1> returned;
  SmallVector<Operation *> recursiveCalls;
  /// `computePeaks` has run.
  bool isComplete = false;

private:
  Region *findScope(Operation *inside);
  void addHeld(Operation *allocation, Value value, int64_t first,
               std::pair<int64_t, int64_t> bytes);
  void computePeak(Region *scope, ScopeHeap &heap);
};

/// Return the alloc scope of `inside`, or the body of the function if it has
/// none.
Region *HeapUse::Function::findScope(Operation *inside) {
  std::variant<Region *, Refusal> scope = context.scopes.find(inside);
  auto *region = std::get_if<Region *>(&scope);
  return region ? *region : &op.getFunctionBody();
}

/// Add `bytes`, the result `value` of `allocation`, to what its scope holds
/// from `first` on, until its last use.
void HeapUse::Function::addHeld(Operation *allocation, Value value,
                                int64_t first,
                                std::pair<int64_t, int64_t> bytes) {
  int64_t last = order.getTicks(allocation).last, leastLast = last;
  // A clone has bytes of its own.
  auto isClone = [&](Value alias) { return context.aliases.isClone(alias); };
  for (Value alias : context.aliases.getAliases(value, isClone)) {
    if (alias != value && isClone(alias))
      continue;
    for (Operation *user : alias.getUsers()) {
      // A deallocation may come later than it could.
      if (hasEffect<MemoryEffects::Free>(user) && !isMutated("heap-until-free"))
        continue;
      // In a loop, the next iteration uses it as well.
      Operation *ancestor =
          allocation->getBlock()->findAncestorOpInBlock(*user);
      int64_t tick = order.getTicks(ancestor ? ancestor : user).last;
      last = std::max(last, tick);
      if (!isMemoryEffectFree(user) ||
          user->hasTrait<OpTrait::IsTerminator>() ||
          isMutated("heap-until-view"))
        leastLast = std::max(leastLast, tick);
    }
  }
  auto type = cast<BaseMemRefType>(value.getType());
  if (last >= first)
    heaps[{findScope(allocation), type.getMemorySpace()}].items.push_back(
        {{first, last}, bytes.first, bytes.second, leastLast, allocation});
}

void HeapUse::Function::addBuffer(const BufferLifetime &buffer) {
  Attribute space = buffer.getMemorySpace();
  if (!buffer.refusal) {
    heaps[{buffer.scope, space}].buffers.push_back(&buffer);
    return;
  }
  if (!buffer.size || buffer.isWorkgroup)
    return;
  memref::AllocOp alloc = buffer.alloc;
  int64_t bytes = getAllocatedBytes(buffer);
  addHeld(alloc, alloc, order.getTicks(alloc).first, {bytes, bytes});
  if (buffer.refusal->reason != UnmergeableReason::Returned)
    return;
  auto &[most, least] = returned[space];
  most = addBytes(most, bytes);
  // Another path may return something else.
  Region &body = op.getFunctionBody();
  if (body.hasOneBlock() && alloc->getParentRegion() == &body &&
      llvm::is_contained(body.front().getTerminator()->getOperands(),
                         alloc.getResult()))
    least = addBytes(least, bytes);
}

void HeapUse::Function::addAllocation(const OtherAllocation &allocation) {
  Operation *op = allocation.op;
  auto type = dyn_cast<BaseMemRefType>(op->getResultTypes().front());
  // What the stack holds is not on the heap.
  if (type && allocation.size != 0 && !isa<memref::AllocaOp>(op))
    addHeld(op, op->getResult(0), order.getTicks(op).first,
            {allocation.size, allocation.size});
}

void HeapUse::Function::addCall(Operation *call, const Function &callee) {
  TickRange ticks = order.getTicks(call);
  Region *scope = findScope(call);
  FunctionOpInterface calleeOp = callee.op;
  for (const auto &[key, heap] : callee.heaps) {
    auto [region, space] = key;
    if (region == &calleeOp.getFunctionBody() && heap.peak != 0 &&
        !isMutated("heap-callees-hold-nothing"))
      heaps[{scope, space}].items.push_back(
          {ticks, heap.peak, heap.leastPeak, ticks.last, call});
  }
  // The callee holds what it returns during the call. Of several results, each
  // may be all of it.
  for (auto [space, bytes] : callee.returned) {
    SmallVector<Value> results;
    for (Value result : call->getResults())
      if (auto type = dyn_cast<BaseMemRefType>(result.getType());
          type && type.getMemorySpace() == space)
        results.push_back(result);
    for (Value result : results)
      addHeld(call, result, ticks.last + 1,
              {bytes.first, results.size() == 1 ? bytes.second : 0});
  }
}

/// Return the most bytes that are held at one tick.
static int64_t findPeak(ArrayRef<std::pair<TickRange, int64_t>> items) {
  // By tick, the bytes that begin and those that end there.
  SmallVector<std::pair<int64_t, int64_t>> changes;
  for (auto [ticks, bytes] : items) {
    changes.emplace_back(ticks.first, bytes);
    changes.emplace_back(ticks.last + 1, -bytes);
  }
  // What ends at a tick is gone before others begin: negative numbers first.
  llvm::sort(changes);
  int64_t held = 0, peak = 0;
  for (auto [tick, bytes] : changes) {
    held = addBytes(held, bytes);
    peak = std::max(peak, held);
  }
  return peak;
}

void HeapUse::Function::computePeak(Region *scope, ScopeHeap &heap) {
  SmallVector<std::pair<TickRange, int64_t>> items, certainItems;
  auto add = [&](Operation *op, TickRange ticks, int64_t most, int64_t least,
                 int64_t leastLast) {
    items.emplace_back(ticks, most);
    if (isOnEveryPath(op, scope) && leastLast >= ticks.first)
      certainItems.emplace_back(TickRange{ticks.first, leastLast}, least);
  };
  for (const BufferLifetime *buffer : heap.buffers) {
    int64_t first = order.getTicks(buffer->alloc).first;
    int64_t last = std::max(first, buffer->ticks.last);
    int64_t bytes = getAllocatedBytes(*buffer);
    add(buffer->alloc, {first, last}, bytes, bytes, last);
  }
  for (const HeapItem &item : heap.items)
    add(item.op, item.ticks, item.bytes, item.leastBytes, item.leastLast);
  heap.peak = findPeak(items);
  heap.leastPeak =
      isMutated("heap-every-path") ? heap.peak : findPeak(certainItems);
}

void HeapUse::Function::computePeaks() {
  isComplete = true;
  // Every scope around one that holds something holds that.
  SmallVector<Key> keys =
      llvm::map_to_vector(heaps, [](const auto &entry) { return entry.first; });
  for (size_t i = 0; i < keys.size(); ++i)
    if (Operation *scopeOp = keys[i].first->getParentOp(); scopeOp != op) {
      Key outer = {findScope(scopeOp), keys[i].second};
      if (heaps.insert({outer, ScopeHeap()}).second)
        keys.push_back(outer);
    }
  auto getDepth = [&](const Key &key) {
    unsigned depth = 0;
    for (Operation *parent = key.first->getParentOp(); parent != op;
         parent = parent->getParentOp())
      ++depth;
    return depth;
  };
  // The innermost first; of one depth, in the order in which they were found.
  SmallVector<std::tuple<unsigned, size_t, Key>> byDepth;
  for (auto [index, key] : llvm::enumerate(keys))
    byDepth.emplace_back(~getDepth(key), index, key);
  llvm::sort(byDepth, [](const auto &a, const auto &b) {
    return std::pair(std::get<0>(a), std::get<1>(a)) <
           std::pair(std::get<0>(b), std::get<1>(b));
  });
  for (const auto &[depth, index, key] : byDepth) {
    ScopeHeap &heap = heaps[key];
    computePeak(key.first, heap);
    if (Operation *scopeOp = key.first->getParentOp(); scopeOp != op)
      heaps[{findScope(scopeOp), key.second}].items.push_back(
          {order.getTicks(scopeOp), heap.peak, heap.leastPeak,
           order.getTicks(scopeOp).last, scopeOp});
  }
}

//===----------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------===//

HeapUse::~HeapUse() = default;

HeapUse::HeapUse(const BufferLifetimes &lifetimes) {
  auto getFunction = [&](Operation *op) -> Function * {
    while (op && !isa<FunctionOpInterface>(op))
      op = op->getParentOp();
    const FunctionContext *context = op ? lifetimes.getContext(op) : nullptr;
    return context ? &addFunction(*context) : nullptr;
  };
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (Function *function =
            getFunction(buffer.scope ? buffer.scope->getParentOp()
                                     : buffer.alloc->getParentOp()))
      function->addBuffer(buffer);
  for (const OtherAllocation &other : lifetimes.getOtherAllocations())
    if (Function *function = getFunction(other.op))
      function->addAllocation(other);
  // What is around a part of a module may be changed by other threads.
  Operation *root = lifetimes.getRoot();
  if (!root->getParentOp() && !functions.empty() && lifetimes.haveCalls())
    addCalls(lifetimes);
  // The others do not take part in calls that are known.
  for (auto &[op, function] : functions)
    if (!function->isComplete)
      function->computePeaks();
}

HeapUse::Function &HeapUse::addFunction(const FunctionContext &context) {
  std::unique_ptr<Function> &entry = functions[context.function];
  if (!entry)
    entry = std::make_unique<Function>(context);
  return *entry;
}

void HeapUse::addCalls(const BufferLifetimes &lifetimes) {
  CallGraph graph(lifetimes.getRoot());
  SymbolTableCollection symbolTables;
  auto addCallsOf = [&](FunctionOpInterface caller,
                        ArrayRef<CallGraphNode *> component) {
    caller->walk([&](CallOpInterface call) {
      CallGraphNode *callee = graph.resolveCallable(call, symbolTables);
      if (callee->isExternal() ||
          call->getParentOfType<FunctionOpInterface>() != caller)
        return;
      auto it = functions.find(callee->getCallableRegion()->getParentOp());
      if (it == functions.end())
        return;
      const Function *calleeFunction = it->second.get();
      Function &function = addFunction(*lifetimes.getContext(caller));
      if (llvm::is_contained(component, callee))
        function.recursiveCalls.push_back(call);
      else
        function.addCall(call, *calleeFunction);
    });
  };
  for (auto it = llvm::scc_begin<const CallGraph *>(&graph); !it.isAtEnd();
       ++it) {
    SmallVector<CallGraphNode *> component(it->begin(), it->end());
    SmallVector<FunctionOpInterface> members;
    for (CallGraphNode *node : component)
      if (!node->isExternal())
        if (auto member = dyn_cast<FunctionOpInterface>(
                node->getCallableRegion()->getParentOp()))
          members.push_back(member);
    for (FunctionOpInterface member : members)
      addCallsOf(member, component);
    for (FunctionOpInterface member : members)
      if (auto entry = functions.find(member); entry != functions.end())
        entry->second->computePeaks();
  }
}

const HeapUse::Function &HeapUse::getFunction(Region *scope) const {
  Operation *op = scope->getParentOp();
  if (!isa<FunctionOpInterface>(op))
    op = op->getParentOfType<FunctionOpInterface>();
  return *functions.find(op)->second;
}

const ScopeHeap &HeapUse::get(Region *scope, Attribute memorySpace) const {
  return getFunction(scope).heaps.find({scope, memorySpace})->second;
}

ArrayRef<Operation *> HeapUse::getRecursiveCalls(Region *scope) const {
  return getFunction(scope).recursiveCalls;
}

const ExecutionOrder &HeapUse::getOrder(Region *scope) const {
  return getFunction(scope).order;
}
