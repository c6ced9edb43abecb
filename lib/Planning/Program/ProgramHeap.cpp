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
#include "Planning/Peak/AllocationHolds.h"
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
        options(options), holds(context, options.freePoint) {}

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

  TickRange getHeldTicks(const BufferLifetime &buffer);

private:
  const FunctionContext &context;
  const ProgramHeapOptions &options;
  llvm::DenseMap<Region *, std::unique_ptr<BranchTree>> branches;
  AllocationHolds holds;
  bool isAsGiven() const { return options.freePoint == FreePoint::AsGiven; }
  BranchTree &getBranches(Region *scope);
  GivenHolds getGivenHolds(Region *scope) {
    return GivenHolds(scope, order, getBranches(scope));
  }
  void addLeft(Operation *op, Attribute memorySpace, int64_t bytes);
  Region *findScope(Operation *inside) const {
    return findHeapScope(context, inside);
  }
  void addHeld(Operation *allocation, Value value, int64_t first, int64_t bytes,
               bool isReturned = false);
  void computePeak(HeapKey key, ProgramScopeHeap &heap);
  void addInnerScope(HeapKey key, int64_t peak);
};

BranchTree &ProgramHeap::Function::getBranches(Region *scope) {
  std::unique_ptr<BranchTree> &entry = branches[scope];
  if (!entry)
    entry = std::make_unique<BranchTree>(scope, order);
  return *entry;
}

/// Add `bytes` that `op` leaves behind.
void ProgramHeap::Function::addLeft(Operation *op, Attribute memorySpace,
                                    int64_t bytes) {
  if (bytes == 0 || isMutated("footprint-nothing-is-left"))
    return;
  Region *scope = findScope(op);
  Hold hold = getGivenHolds(scope).findForGood(op, order.getTicks(op).last + 1,
                                               {bytes, bytes});
  heaps[{scope, memorySpace}].items.push_back({hold.ticks, bytes, op});
}

/// Add `bytes`, the result `value` of `allocation`, to what its scope holds
/// from `first` on, until its end.
void ProgramHeap::Function::addHeld(Operation *allocation, Value value,
                                    int64_t first, int64_t bytes,
                                    bool isReturned) {
  auto type = cast<BaseMemRefType>(value.getType());
  Region *scope = findScope(allocation);
  for (const Hold &hold :
       holds.find(value, first, {bytes, bytes}, {}, getBranches(scope))) {
    ProgramHeapItem &item =
        heaps[{scope, type.getMemorySpace()}].items.emplace_back();
    item.ticks = hold.ticks;
    item.bytes = bytes;
    item.op = allocation;
    item.isReturned = isReturned;
  }
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
  bool isReturned = buffer.refusal->reason == UnmergeableReason::Returned;
  addHeld(alloc, alloc, order.getTicks(alloc).first, bytes, isReturned);
  if (isReturned)
    returned[space] = addBytes(returned[space], bytes);
}

void ProgramHeap::Function::addPool(const PoolPlan &plan) {
  TickRange ticks = order.getTicks(plan.scope);
  Operation *front = &plan.scope->front().front();
  Operation *first = plan.first ? plan.first : front;
  if (isAsGiven() && plan.getPool()->storage == PoolStorage::Alloc &&
      !plan.isDeallocated() && !plan.needsManualDealloc()) {
    GivenHolds given = getGivenHolds(findScope(front));
    ticks = {given.findLoopBegin(first, order.getTicks(first).first),
             given.getEnd()};
  } else if (plan.first) {
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
      {ticks, bytes, first, /*inner=*/nullptr, /*executions=*/1, &plan});
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
    if (region == &calleeOp.getFunctionBody())
      addLeft(call, space, heap.left);
  }
  // The callee holds what it returns during the call. Of several results, each
  // may be all of it.
  for (auto [space, bytes] : callee.returned) {
    SmallVector<Value> results = getResultsIn(call, space);
    for (Value result : results) {
      bool isReturned = holds.isReturned(result);
      addHeld(call, result, ticks.last + 1, bytes, isReturned);
      if (isReturned)
        this->returned[space] = addBytes(this->returned[space], bytes);
    }
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

/// Return the ticks from the allocation of `buffer` to its end.
TickRange ProgramHeap::Function::getHeldTicks(const BufferLifetime &buffer) {
  const BufferLifetime *one = &buffer;
  memref::AllocOp alloc = buffer.alloc;
  int64_t first = order.getTicks(alloc).first;
  TickRange ticks = {first, first};
  for (const Hold &hold :
       holds.find(alloc, first, {0, 0}, one, getBranches(buffer.scope)))
    ticks = ticks.hull(hold.ticks);
  return ticks;
}

void ProgramHeap::Function::computePeak(HeapKey key, ProgramScopeHeap &heap) {
  SmallVector<std::pair<TickRange, int64_t>> items;
  // The parts of an allocation are one.
  llvm::MapVector<Operation *, std::pair<TickRange, int64_t>> allocations;
  for (const BufferLifetime *buffer : heap.buffers) {
    Operation *alloc = buffer->alloc;
    if (options.parts)
      if (auto it = options.parts->find(alloc); it != options.parts->end())
        alloc = it->second.original;
    TickRange ticks = getHeldTicks(*buffer);
    auto &entry =
        allocations.try_emplace(alloc, ticks, getAllocatedBytes(*buffer))
            .first->second;
    entry.first = entry.first.hull(ticks);
  }
  const int64_t last = order.getTicks(key.first).last;
  auto add = [&](TickRange ticks, int64_t bytes, bool isReturned) {
    items.emplace_back(ticks, bytes);
    if (isAsGiven() && ticks.last > last && !isReturned)
      heap.left = addBytes(heap.left, bytes);
  };
  for (const auto &[alloc, held] : allocations)
    add(held.first, held.second, /*isReturned=*/false);
  for (const ProgramHeapItem &item : heap.items)
    add(item.ticks, item.bytes, item.isReturned);
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
    computePeak(key, heap);
    if (key.first->getParentOp() != op) {
      int64_t left = heap.left;
      addInnerScope(key, heap.peak);
      addLeft(key.first->getParentOp(), key.second, left);
    }
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

ProgramHeap::Function &ProgramHeap::getFunction(Region *scope) const {
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
  return getFunction(buffer.scope).getHeldTicks(buffer);
}

int64_t ProgramHeap::findPeak(ArrayRef<const BufferLifetime *> buffers) const {
  SmallVector<std::pair<TickRange, int64_t>> items;
  for (const BufferLifetime *buffer : buffers)
    items.emplace_back(getHeldTicks(*buffer), getAllocatedBytes(*buffer));
  return ::findPeak(items).first;
}
