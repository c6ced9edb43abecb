//===- ProgramHeap.cpp - What the heap of a program holds -----------------===//
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

#include "ProgramHeap.h"
#include "Analysis/AllocScope.h"
#include "Analysis/FunctionContext.h"
#include "HeapScopes.h"
#include "Mutation.h"
#include "Planning/Gain.h"
#include "Planning/SaturatingBytes.h"
#include "Planning/Storage/ArenaPlan.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

/// What the scopes of one function hold.
struct ProgramHeap::Function {
  Function(const FunctionContext &context, const ProgramHeapOptions &options)
      : op(context.function), order(context.order), context(context),
        options(options) {}

  void addBuffer(const BufferLifetime &buffer);
  void addPool(const PoolPlan &plan);
  void addArena(int64_t bytes, const PoolPlan *pool);
  void addAllocation(const OtherAllocation &allocation);
  void addCall(Operation *call, const Function &callee);
  void computePeaks();

  FunctionOpInterface op;
  const ExecutionOrder &order;
  llvm::MapVector<HeapKey, ProgramScopeHeap> heaps;
  /// The bytes of what it returns, by memory space.
  llvm::SmallMapVector<Attribute, int64_t, 1> returned;
  /// The bytes that it is given by its callers, its callees included.
  int64_t arenaBytes = 0;
  /// `computePeaks` has run.
  bool isComplete = false;

private:
  const FunctionContext &context;
  const ProgramHeapOptions &options;
  Region *findScope(Operation *inside) const {
    return findHeapScope(context, inside);
  }
  void addHeld(Operation *allocation, Value value, int64_t first,
               int64_t bytes);
  void computePeak(ProgramScopeHeap &heap);
  void addInnerScope(HeapKey key, int64_t peak);
};

/// Add `bytes`, the result `value` of `allocation`, to what its scope holds
/// from `first` on, until its last use.
void ProgramHeap::Function::addHeld(Operation *allocation, Value value,
                                    int64_t first, int64_t bytes) {
  int64_t last = order.getTicks(allocation).last;
  // A clone has bytes of its own.
  auto isClone = [&](Value alias) { return context.aliases.isClone(alias); };
  for (Value alias : context.aliases.getAliases(value, isClone)) {
    if (alias != value && isClone(alias))
      continue;
    for (Operation *user : alias.getUsers()) {
      // A deallocation may come later than it could.
      if (hasEffect<MemoryEffects::Free>(user))
        continue;
      // In a loop, the next iteration uses it as well.
      Operation *ancestor =
          allocation->getBlock()->findAncestorOpInBlock(*user);
      last = std::max(last, order.getTicks(ancestor ? ancestor : user).last);
    }
  }
  auto type = cast<BaseMemRefType>(value.getType());
  if (last >= first)
    heaps[{findScope(allocation), type.getMemorySpace()}].items.push_back(
        {{first, last}, bytes, allocation});
}

void ProgramHeap::Function::addBuffer(const BufferLifetime &buffer) {
  Attribute space = buffer.getMemorySpace();
  // Workgroup memory is not allocated and freed over time.
  if (!buffer.size || buffer.isWorkgroup)
    return;
  if (!buffer.refusal) {
    heaps[{buffer.scope, space}].buffers.push_back(&buffer);
    return;
  }
  memref::AllocOp alloc = buffer.alloc;
  int64_t bytes = getAllocatedBytes(buffer);
  addHeld(alloc, alloc, order.getTicks(alloc).first, bytes);
  if (buffer.refusal->reason == UnmergeableReason::Returned)
    returned[space] = addBytes(returned[space], bytes);
}

void ProgramHeap::Function::addPool(const PoolPlan &plan) {
  TickRange ticks = order.getTicks(plan.scope);
  Operation *front = &plan.scope->front().front();
  if (plan.first) {
    ticks = order.getTicks(plan.first).hull(order.getTicks(plan.last));
  } else if (plan.getPool()->storage == PoolStorage::Alloc &&
             !plan.isDeallocated() && !isMutated("heap-pool-until-end")) {
    // A later pass frees it after its last use.
    ticks.last = ticks.first;
    for (const BufferLifetime *buffer : plan.buffers)
      ticks = ticks.hull(buffer->ticks).hull(order.getTicks(buffer->lastUse));
    for (func::CallOp call : plan.calls)
      ticks = ticks.hull(order.getTicks(call));
  }
  int64_t bytes = getPoolBytes(plan);
  heaps[{findScope(front), plan.memorySpace}].items.push_back(
      {ticks, bytes, plan.first ? plan.first : front, /*inner=*/nullptr,
       /*executions=*/1, &plan});
}

/// Add the arena of the function, in which `pool` is, or null.
void ProgramHeap::Function::addArena(int64_t bytes, const PoolPlan *pool) {
  arenaBytes = bytes;
  Region *body = &op.getFunctionBody();
  TickRange ticks = order.getTicks(body);
  heaps[{body, Attribute()}].items.push_back(
      {ticks, bytes, &body->front().front(), /*inner=*/nullptr,
       /*executions=*/1, pool});
}

void ProgramHeap::Function::addAllocation(const OtherAllocation &allocation) {
  Operation *op = allocation.op;
  auto type = dyn_cast<BaseMemRefType>(op->getResultTypes().front());
  // What the stack holds is not on the heap.
  if (type && allocation.size != 0 && !isa<memref::AllocaOp>(op))
    addHeld(op, op->getResult(0), order.getTicks(op).first, allocation.size);
}

void ProgramHeap::Function::addCall(Operation *call, const Function &callee) {
  TickRange ticks = order.getTicks(call);
  Region *scope = findScope(call);
  FunctionOpInterface calleeOp = callee.op;
  for (const auto &[key, heap] : callee.heaps) {
    auto [region, space] = key;
    // The arena of a callee is a part of that of the caller.
    int64_t arenaBytes = space ? 0 : callee.arenaBytes;
    if (region == &calleeOp.getFunctionBody() && heap.peak != arenaBytes &&
        !isMutated("R6-callees-hold-nothing"))
      heaps[{scope, space}].items.push_back(
          {ticks, heap.peak - arenaBytes, call, region});
  }
  // The callee holds what it returns during the call. Of several results, each
  // may be all of it.
  for (auto [space, bytes] : callee.returned) {
    SmallVector<Value> results = getResultsIn(call, space);
    for (Value result : results)
      addHeld(call, result, ticks.last + 1, bytes);
  }
}

/// Return the most bytes that are held at one tick, and the first such tick.
static std::pair<int64_t, int64_t>
findPeak(ArrayRef<std::pair<TickRange, int64_t>> items) {
  // By tick, the bytes that begin and those that end there.
  SmallVector<std::pair<int64_t, int64_t>> changes;
  for (auto [ticks, bytes] : items) {
    changes.emplace_back(ticks.first, bytes);
    changes.emplace_back(ticks.last + 1, -bytes);
  }
  // What ends at a tick is gone before others begin: negative numbers first.
  llvm::sort(changes);
  int64_t held = 0, peak = 0, peakTick = 0;
  for (auto [tick, bytes] : changes) {
    held = addBytes(held, bytes);
    if (held > peak)
      peakTick = tick;
    peak = std::max(peak, held);
  }
  return {peak, peakTick};
}

/// Return the ticks from the allocation of `buffer` to its last access.
static TickRange getHeldTicks(const BufferLifetime &buffer,
                              const ExecutionOrder &order) {
  int64_t first = order.getTicks(buffer.alloc).first;
  return {first, std::max(first, buffer.ticks.last)};
}

void ProgramHeap::Function::computePeak(ProgramScopeHeap &heap) {
  SmallVector<std::pair<TickRange, int64_t>> items;
  // The parts of an allocation are one.
  llvm::MapVector<Operation *, std::pair<TickRange, int64_t>> allocations;
  for (const BufferLifetime *buffer : heap.buffers) {
    Operation *alloc = buffer->alloc;
    if (options.parts)
      if (auto it = options.parts->find(alloc); it != options.parts->end())
        alloc = it->second.original;
    TickRange ticks = ::getHeldTicks(*buffer, order);
    auto &entry =
        allocations.try_emplace(alloc, ticks, getAllocatedBytes(*buffer))
            .first->second;
    entry.first = entry.first.hull(ticks);
  }
  for (const auto &[alloc, held] : allocations)
    items.push_back(held);
  for (const ProgramHeapItem &item : heap.items)
    items.emplace_back(item.ticks, item.bytes);
  std::tie(heap.peak, heap.peakTick) = ::findPeak(items);
}

/// Add what executions of the scope `key` hold to the scope around it.
void ProgramHeap::Function::addInnerScope(HeapKey key, int64_t peak) {
  Operation *scopeOp = key.first->getParentOp();
  Region *outer = findScope(scopeOp);
  TickRange ticks = order.getTicks(scopeOp);
  int64_t executions = 1;
  if (options.maxThreads) {
    if (!isMutated("R6-one-thread"))
      executions =
          countConcurrentExecutions(scopeOp, *options.maxThreads).value_or(1);
    if (!isDoneAtEnd(scopeOp) && !isMutated("R6-tasks-are-done"))
      ticks.last = order.getTicks(outer).last;
  }
  heaps[{outer, key.second}].items.push_back(
      {ticks, multiplyBytes(peak, executions), scopeOp, key.first, executions});
}

void ProgramHeap::Function::computePeaks() {
  isComplete = true;
  SmallVector<HeapKey> keys = llvm::to_vector(llvm::make_first_range(heaps));
  for (HeapKey key : sortInsideOut(context, keys)) {
    ProgramScopeHeap &heap = heaps[key];
    computePeak(heap);
    if (key.first->getParentOp() != op)
      addInnerScope(key, heap.peak);
  }
}

//===----------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------===//

ProgramHeap::~ProgramHeap() = default;

llvm::DenseSet<const BufferLifetime *>
ProgramHeap::addPools(const MergePlan &plan,
                      function_ref<Function *(Operation *)> getFunction) {
  llvm::DenseSet<const BufferLifetime *> merged;
  llvm::DenseMap<Operation *, const PoolPlan *> inArena;
  for (const PoolPlan &pool : plan.pools) {
    const Pool *made = pool.getPool();
    if (!made)
      continue;
    merged.insert(pool.buffers.begin(), pool.buffers.end());
    if (made->storage == PoolStorage::Arena)
      inArena[pool.scope->getParentOp()] = &pool;
    // Globals are not on the heap, and workgroup memory is not, either.
    bool isOnHeap = made->storage == PoolStorage::Alloc ||
                    made->storage == PoolStorage::Stack;
    if (Function *function = getFunction(pool.buffers.front()->alloc);
        function && isOnHeap && !pool.workgroup)
      function->addPool(pool);
  }
  if (plan.arenas)
    for (auto [index, node, arena] : llvm::enumerate(
             plan.arenas->getGraph().getFunctions(), plan.arenas->getArenas()))
      if (plan.arenas->isActive(index) && !arena.isOwn) {
        func::FuncOp function = node.op;
        getFunction(&function.getBody().front().front())
            ->addArena(arena.bytes, inArena.lookup(function));
      }
  return merged;
}

ProgramHeap::ProgramHeap(const BufferLifetimes &lifetimes,
                         const ProgramHeapOptions &options)
    : options(options) {
  auto getFunction = [&](Operation *op) -> Function * {
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (!function)
      return nullptr;
    const FunctionContext *context = lifetimes.getContext(function);
    if (!context)
      return nullptr;
    std::unique_ptr<Function> &entry = functions[function];
    if (!entry)
      entry = std::make_unique<Function>(*context, this->options);
    return entry.get();
  };
  llvm::DenseSet<const BufferLifetime *> merged;
  if (options.plan)
    merged = addPools(*options.plan, getFunction);
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (Function *function = getFunction(buffer.alloc);
        function && !merged.contains(&buffer))
      function->addBuffer(buffer);
  for (const OtherAllocation &other : lifetimes.getOtherAllocations())
    if (Function *function = getFunction(other.op))
      function->addAllocation(other);
  // What is around a part of a module may be changed by other threads.
  Operation *root = lifetimes.getRoot();
  if (!root->getParentOp() && !functions.empty() && lifetimes.haveCalls())
    forEachCallComponent(root, [&](const CallComponent &component) {
      addComponent(lifetimes, component);
    });
  // The others do not take part in calls that are known.
  for (auto &[op, function] : functions)
    if (!function->isComplete)
      function->computePeaks();
}

void ProgramHeap::addComponent(const BufferLifetimes &lifetimes,
                               const CallComponent &component) {
  for (const CallComponent::Call &call : component.calls) {
    auto callee = functions.find(call.callee);
    if (callee == functions.end())
      continue;
    const Function *calleeFunction = callee->second.get();
    auto caller = call.op->getParentOfType<FunctionOpInterface>();
    std::unique_ptr<Function> &function = functions[caller];
    if (!function)
      function =
          std::make_unique<Function>(*lifetimes.getContext(caller), options);
    // A recursion counts as one frame.
    if (!call.isRecursive)
      function->addCall(call.op, *calleeFunction);
  }
  for (FunctionOpInterface member : component.members)
    if (auto entry = functions.find(member); entry != functions.end())
      entry->second->computePeaks();
}

const ProgramHeap::Function &ProgramHeap::getFunction(Region *scope) const {
  Operation *op = scope->getParentOp();
  if (!isa<FunctionOpInterface>(op))
    op = op->getParentOfType<FunctionOpInterface>();
  return *functions.find(op)->second;
}

const ProgramScopeHeap *ProgramHeap::lookup(Region *scope,
                                            Attribute memorySpace) const {
  Operation *op = scope->getParentOp();
  if (!isa<FunctionOpInterface>(op))
    op = op->getParentOfType<FunctionOpInterface>();
  auto function = functions.find(op);
  if (function == functions.end())
    return nullptr;
  auto heap = function->second->heaps.find({scope, memorySpace});
  return heap == function->second->heaps.end() ? nullptr : &heap->second;
}

void ProgramHeap::forEachScope(
    llvm::function_ref<void(Region *, Attribute, const ProgramScopeHeap &)>
        callback) const {
  for (const auto &[op, function] : functions)
    for (const auto &[key, heap] : function->heaps)
      callback(key.first, key.second, heap);
}

TickRange ProgramHeap::getHeldTicks(const BufferLifetime &buffer) const {
  return ::getHeldTicks(buffer, getFunction(buffer.scope).order);
}

int64_t ProgramHeap::findPeak(ArrayRef<const BufferLifetime *> buffers) const {
  SmallVector<std::pair<TickRange, int64_t>> items;
  for (const BufferLifetime *buffer : buffers)
    items.emplace_back(getHeldTicks(*buffer), getAllocatedBytes(*buffer));
  return ::findPeak(items).first;
}
