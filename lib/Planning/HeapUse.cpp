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
#include "Gain.h"
#include "HeldTicks.h"
#include "Mutation.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SCCIterator.h"
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
static void addBytes(Bytes &sum, Bytes bytes) {
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
  using Key = std::pair<Region *, Attribute>;

  explicit Function(const FunctionContext &context)
      : op(context.function), context(context), order(context.order) {}

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
  llvm::MapVector<Key, ScopeHeap> heaps;
  /// What it returns, by memory space.
  llvm::SmallMapVector<Attribute, Bytes, 1> returned;
  /// The ticks of calls of callees that are not known, sorted.
  SmallVector<int64_t> unknownCalls;
  /// `computePeaks` has run.
  bool isComplete = false;

private:
  Region *findScope(Operation *inside);
  ScopeHeap &getHeap(Region *scope, Attribute memorySpace);
  void addItem(Operation *op, Attribute memorySpace, const HeldTicks &held,
               Bytes bytes, const BufferLifetime *buffer = nullptr);
  void addDuring(Operation *op, Attribute memorySpace, Bytes bytes);
  void addAllocated(Value value, TickRange ticks, Bytes bytes);
  bool addAliases(Value value, HeldTicks &ticks);
  void shareItems(Region *scope, Attribute memorySpace);
  void computePeak(ScopeHeap &heap);
};

/// Return the alloc scope of `inside`, or the body of the function if it has
/// none.
Region *HeapUse::Function::findScope(Operation *inside) {
  std::variant<Region *, Refusal> scope = context.scopes.find(inside);
  auto *region = std::get_if<Region *>(&scope);
  return region ? *region : &op.getFunctionBody();
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
  HeldTicks held(allocation, ticks, order);
  held.addUses(value);
  if (addAliases(value, held)) {
    // Another path may return something else.
    Region &body = op.getFunctionBody();
    bool isCertain =
        body.hasOneBlock() &&
        llvm::is_contained(body.front().getTerminator()->getOperands(), value);
    Bytes &sum = returned.try_emplace(space, Bytes(0, 0)).first->second;
    addBytes(sum, {bytes.first, isCertain ? bytes.second : 0});
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
  HeldTicks held(alloc, ticks, order);
  held.addUses(alloc);
  auto isClone = [&](Value alias) { return context.aliases.isClone(alias); };
  for (Value alias : context.aliases.getAliases(alloc, isClone))
    if (auto argument = dyn_cast<BlockArgument>(alias))
      held.addArgument(argument);
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
    SmallVector<Value> results;
    for (Value result : call->getResults())
      if (auto type = dyn_cast<BaseMemRefType>(result.getType());
          type && type.getMemorySpace() == space)
        results.push_back(result);
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
  // Every scope around one that holds something holds that.
  SmallVector<Key> keys =
      llvm::map_to_vector(heaps, [](const auto &entry) { return entry.first; });
  for (size_t i = 0; i < keys.size(); ++i)
    if (Operation *scopeOp = keys[i].first->getParentOp(); scopeOp != op) {
      Key outer = {findScope(scopeOp), keys[i].second};
      if (!heaps.contains(outer)) {
        getHeap(outer.first, outer.second);
        keys.push_back(outer);
      }
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

HeapUse::~HeapUse() = default;

HeapUse::HeapUse(const BufferLifetimes &lifetimes) : lifetimes(lifetimes) {
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (Function *function = addFunction(buffer.alloc))
      function->addBuffer(buffer);
  for (const OtherAllocation &other : lifetimes.getOtherAllocations())
    if (Function *function = addFunction(other.op))
      function->addAllocation(other);
  // What is around a part of a module may be changed by other threads.
  Operation *root = lifetimes.getRoot();
  if (!root->getParentOp() && !functions.empty() && lifetimes.haveCalls())
    addCalls(root);
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
    entry = std::make_unique<Function>(*context);
  return entry.get();
}

/// Add `calls` of functions, by functions that may call each other: those of
/// `component`.
void HeapUse::addComponent(
    ArrayRef<std::pair<Operation *, CallGraphNode *>> calls,
    ArrayRef<CallGraphNode *> component) {
  auto findFunction = [&](CallGraphNode *node) -> Function * {
    auto it = functions.find(node->getCallableRegion()->getParentOp());
    return it == functions.end() ? nullptr : it->second.get();
  };
  for (auto [call, callee] : calls)
    if (!llvm::is_contained(component, callee))
      if (Function *function = findFunction(callee)) {
        Function *caller = addFunction(call);
        caller->addCall(call, *function);
        caller->addResults(call, *function);
      }
  // A recursion holds what each of its frames holds.
  llvm::SmallSetVector<Attribute, 1> spaces;
  for (CallGraphNode *node : component)
    if (Function *function = node->isExternal() ? nullptr : findFunction(node))
      for (const auto &[key, heap] : function->heaps)
        spaces.insert(key.second);
  for (auto [call, callee] : calls) {
    if (!llvm::is_contained(component, callee) || spaces.empty())
      continue;
    Function *caller = addFunction(call);
    for (Attribute space : spaces)
      caller->addUnknown(call, space);
    if (Function *function = findFunction(callee))
      caller->addResults(call, *function);
  }
}

void HeapUse::addCalls(Operation *root) {
  CallGraph graph(root);
  SymbolTableCollection symbolTables;
  for (auto it = llvm::scc_begin<const CallGraph *>(&graph); !it.isAtEnd();
       ++it) {
    // The callees of a function, and the functions that may call each other.
    SmallVector<std::pair<Operation *, CallGraphNode *>> calls;
    SmallVector<FunctionOpInterface> members;
    for (CallGraphNode *node : *it)
      if (!node->isExternal())
        if (auto member = dyn_cast<FunctionOpInterface>(
                node->getCallableRegion()->getParentOp()))
          members.push_back(member);
    for (FunctionOpInterface member : members)
      member->walk([&](CallOpInterface call) {
        CallGraphNode *callee = graph.resolveCallable(call, symbolTables);
        if (call->getParentOfType<FunctionOpInterface>() != member)
          return;
        if (!callee->isExternal())
          calls.emplace_back(call, callee);
        else if (auto it = functions.find(member); it != functions.end())
          it->second->unknownCalls.push_back(
              it->second->order.getTicks(call).first);
      });
    addComponent(calls, *it);
    for (FunctionOpInterface member : members)
      if (auto entry = functions.find(member); entry != functions.end())
        entry->second->computePeaks();
  }
  for (auto &[op, function] : functions)
    llvm::sort(function->unknownCalls);
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

ArrayRef<int64_t> HeapUse::getUnknownCalls(Region *scope) const {
  return getFunction(scope).unknownCalls;
}

const ExecutionOrder &HeapUse::getOrder(Region *scope) const {
  return getFunction(scope).order;
}
