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
#include "Mutation.h"
#include "buffer-merge/Analysis/BufferSize.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
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
  return llvm::alignTo(buffer.size, std::max<uint64_t>(alignment, 1));
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

/// What the scopes of one function hold.
struct HeapUse::Function {
  using Key = std::pair<Region *, Attribute>;

  explicit Function(FunctionOpInterface op) : op(op), order(op) {}

  void addBuffer(const BufferLifetime &buffer);
  void addAllocation(const OtherAllocation &allocation);
  void addCall(Operation *call, const Function &callee);
  void computePeaks();

  FunctionOpInterface op;
  ExecutionOrder order;
  llvm::MapVector<Key, ScopeHeap> heaps;
  /// The bytes of what it returns, by memory space.
  llvm::SmallMapVector<Attribute, int64_t, 1> returned;
  SmallVector<Operation *> recursiveCalls;
  /// `computePeaks` has run.
  bool isComplete = false;

private:
  Region *findScope(Operation *inside);
  TickRange getHeldTicks(Operation *allocation, Value value);
  static int64_t computePeak(const ScopeHeap &heap,
                             const ExecutionOrder &order);

  /// Built when the aliases of a value are asked for.
  std::optional<BufferViewFlowAnalysis> views;
};

/// Return the alloc scope of `inside`, or the body of the function if it has
/// none.
Region *HeapUse::Function::findScope(Operation *inside) {
  Region *scope = findAllocScope(inside);
  return scope ? scope : &op.getFunctionBody();
}

/// Return the ticks from `allocation`, whose result is `value`, to the last
/// use.
TickRange HeapUse::Function::getHeldTicks(Operation *allocation, Value value) {
  if (!views)
    views.emplace(op);
  TickRange ticks = order.getTicks(allocation);
  for (Value alias : views->resolve(value))
    for (Operation *user : alias.getUsers()) {
      // In a loop, the next iteration uses it as well.
      Operation *ancestor =
          allocation->getBlock()->findAncestorOpInBlock(*user);
      ticks = ticks.hull(order.getTicks(ancestor ? ancestor : user));
    }
  return ticks;
}

void HeapUse::Function::addBuffer(const BufferLifetime &buffer) {
  Attribute space = buffer.getMemorySpace();
  if (!buffer.reason) {
    heaps[{buffer.scope, space}].buffers.push_back(&buffer);
    return;
  }
  if (buffer.size == 0 || buffer.isWorkgroup)
    return;
  memref::AllocOp alloc = buffer.alloc;
  int64_t bytes = getAllocatedBytes(buffer);
  heaps[{findScope(alloc), space}].items.push_back(
      {getHeldTicks(alloc, alloc), bytes, alloc});
  if (buffer.reason == UnmergeableReason::Returned)
    returned[space] = addBytes(returned[space], bytes);
}

void HeapUse::Function::addAllocation(const OtherAllocation &allocation) {
  Operation *op = allocation.op;
  auto type = dyn_cast<BaseMemRefType>(op->getResultTypes().front());
  // What the stack holds is not on the heap.
  if (type && allocation.size != 0 && !isa<memref::AllocaOp>(op))
    heaps[{findScope(op), type.getMemorySpace()}].items.push_back(
        {getHeldTicks(op, op->getResult(0)), allocation.size, op});
}

void HeapUse::Function::addCall(Operation *call, const Function &callee) {
  TickRange ticks = order.getTicks(call);
  Region *scope = findScope(call);
  FunctionOpInterface calleeOp = callee.op;
  for (const auto &[key, heap] : callee.heaps) {
    auto [region, space] = key;
    if (region == &calleeOp.getFunctionBody() && heap.peak != 0 &&
        !isMutated("heap-callees-hold-nothing"))
      heaps[{scope, space}].items.push_back({ticks, heap.peak, call});
  }
  for (auto [space, bytes] : callee.returned) {
    TickRange held = ticks;
    for (Value result : call->getResults())
      if (isa<BaseMemRefType>(result.getType()))
        held = held.hull(getHeldTicks(call, result));
    // The callee holds it during the call.
    if (held.last > ticks.last)
      heaps[{scope, space}].items.push_back(
          {{ticks.last + 1, held.last}, bytes, call});
  }
}

/// Return the most bytes that `heap` holds at one tick.
int64_t HeapUse::Function::computePeak(const ScopeHeap &heap,
                                       const ExecutionOrder &order) {
  // By tick, the bytes that begin and those that end there.
  SmallVector<std::pair<int64_t, int64_t>> changes;
  auto add = [&](TickRange ticks, int64_t bytes) {
    changes.emplace_back(ticks.first, bytes);
    changes.emplace_back(ticks.last + 1, -bytes);
  };
  for (const BufferLifetime *buffer : heap.buffers)
    add({order.getTicks(buffer->alloc).first, buffer->ticks.last},
        getAllocatedBytes(*buffer));
  for (const HeapItem &item : heap.items)
    add(item.ticks, item.bytes);
  // What ends at a tick is gone before others begin: negative numbers first.
  llvm::sort(changes);
  int64_t held = 0, peak = 0;
  for (auto [tick, bytes] : changes) {
    held = addBytes(held, bytes);
    peak = std::max(peak, held);
  }
  return peak;
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
    heap.peak = computePeak(heap, order);
    if (Operation *scopeOp = key.first->getParentOp(); scopeOp != op)
      heaps[{findScope(scopeOp), key.second}].items.push_back(
          {order.getTicks(scopeOp), heap.peak, scopeOp});
  }
}

//===----------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------===//

HeapUse::~HeapUse() = default;

HeapUse::HeapUse(const BufferLifetimes &lifetimes) {
  auto getFunction = [&](Operation *op) -> Function * {
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (!function)
      return nullptr;
    std::unique_ptr<Function> &entry = functions[function];
    if (!entry)
      entry = std::make_unique<Function>(function);
    return entry.get();
  };
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (Function *function = getFunction(buffer.alloc))
      function->addBuffer(buffer);
  for (const OtherAllocation &other : lifetimes.getOtherAllocations())
    if (Function *function = getFunction(other.op))
      function->addAllocation(other);
  // What is around a part of a module may be changed by other threads.
  Operation *root = lifetimes.getRoot();
  if (!root->getParentOp() && !functions.empty())
    addCalls(root);
  // The others do not take part in calls that are known.
  for (auto &[op, function] : functions)
    if (!function->isComplete)
      function->computePeaks();
}

void HeapUse::addCalls(Operation *root) {
  CallGraph graph(root);
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
      std::unique_ptr<Function> &function = functions[caller];
      if (!function)
        function = std::make_unique<Function>(caller);
      if (llvm::is_contained(component, callee))
        function->recursiveCalls.push_back(call);
      else
        function->addCall(call, *calleeFunction);
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
