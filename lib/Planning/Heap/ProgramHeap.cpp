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
#include "AllocationHolds.h"
#include "Analysis/AllocScope.h"
#include "Analysis/FunctionContext.h"
#include "HeapScopes.h"
#include "Mutation.h"
#include "Planning/Gain.h"
#include "Planning/Storage/ArenaPlan.h"
#include "Scheduling/SaturatingBytes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

void HeldBytes::add(HeldBytes other) {
  most = addBytes(most, other.most);
  least += other.least;
  isUnknown |= other.isUnknown;
}

/// Return `bytes` as of unknown size if sums of them might overflow.
static HeldBytes limitBytes(HeldBytes bytes) {
  constexpr int64_t limit = int64_t(1) << 44;
  if (bytes.most > limit)
    bytes.isUnknown = true;
  if (bytes.isUnknown && bytes.least > limit)
    bytes.least = 0;
  return bytes;
}

/// Return `bytes`, which are held on every path.
static HeldBytes makeBytes(int64_t bytes, bool isKnown = true) {
  if (!isKnown)
    return {bytes, 0, true};
  HeldBytes all = limitBytes({bytes, bytes, false});
  return all.isUnknown ? HeldBytes{bytes, 0, true} : all;
}

std::pair<int64_t, int64_t>
buffer_merge::findPeak(ArrayRef<std::pair<TickRange, int64_t>> items) {
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
    // Nothing is more, and what is left when something ends is not known.
    if (peak == maxBytes)
      break;
  }
  return {peak, peakTick};
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

/// What the scopes of one function hold.
struct ProgramHeap::Function {
  Function(const FunctionContext &context, const ProgramHeapOptions &options)
      : op(context.function), context(context), order(context.order),
        options(options), holds(context, options.freePoint) {}

  /// Add `buffer`, which is allocated in front of `place` if that is not null.
  void addBuffer(const BufferLifetime &buffer, Operation *place);
  void addAllocation(const OtherAllocation &allocation);
  void addPool(const PoolPlan &plan);
  void addPool(const RuntimePool &pool);
  /// Add the arena of the function, in which `pool` is, or null.
  void addArena(int64_t bytes, const PoolPlan *pool);
  /// Add what `callee`, whose peaks are known, holds during `call`.
  void addCall(Operation *call, const Function &callee);
  /// Add bytes that are not known during `call`.
  void addUnknown(Operation *call, Attribute memorySpace);
  void addResults(Operation *call, const Function &callee);
  void computePeaks();

  FunctionOpInterface op;
  const FunctionContext &context;
  const ExecutionOrder &order;
  ProgramHeapOptions options;
  AllocationHolds holds;
  llvm::MapVector<HeapKey, ScopeHeap> heaps;
  /// What it returns, by memory space.
  llvm::SmallMapVector<Attribute, HeldBytes, 1> returned;
  /// The bytes that it is given by its callers, its callees included.
  int64_t arenaBytes = 0;
  /// `computePeaks` has run.
  bool isComplete = false;

private:
  bool isAsGiven() const { return options.freePoint == FreePoint::AsGiven; }
  Region *findScope(Operation *inside) const {
    return findHeapScope(context, inside);
  }
  ScopeHeap &getHeap(Region *scope, Attribute memorySpace);
  HeapItem &addItem(ScopeHeap &heap, Operation *op, HeldBytes bytes);
  HeapItem &addDuring(Operation *op, Attribute memorySpace, HeldBytes bytes);
  void addLeft(Operation *op, Attribute memorySpace, HeldBytes bytes);
  void addAllocated(Value value, int64_t first, HeldBytes bytes,
                    const BufferLifetime *buffer = nullptr);
  void addInnerScope(HeapKey key, HeldBytes peak);
  void shareItems(Region *scope, Attribute memorySpace);
  void computePeak(ScopeHeap &heap);
};

ScopeHeap &ProgramHeap::Function::getHeap(Region *scope,
                                          Attribute memorySpace) {
  auto known = heaps.find({scope, memorySpace});
  if (known != heaps.end())
    return known->second;
  const ScopeHeap *other =
      options.other ? options.other->lookup(scope, memorySpace) : nullptr;
  ScopeHeap heap(other ? other->branches : BranchTree(scope, order),
                 order.getTicks(scope));
  return heaps.insert({{scope, memorySpace}, std::move(heap)}).first->second;
}

HeapItem &ProgramHeap::Function::addItem(ScopeHeap &heap, Operation *op,
                                         HeldBytes bytes) {
  HeapItem &item = heap.items.emplace_back();
  item.bytes = bytes;
  std::tie(item.most, item.least) = bytes.getBytes();
  item.op = op;
  return item;
}

/// Add `bytes`, which are held at some ticks of `op`.
HeapItem &ProgramHeap::Function::addDuring(Operation *op, Attribute memorySpace,
                                           HeldBytes bytes) {
  ScopeHeap &heap = getHeap(findScope(op), memorySpace);
  HeapItem &item = addItem(heap, op, bytes);
  item.ticks = order.getTicks(op);
  item.branch = heap.branches.getBranch(op->getBlock());
  item.certain = {item.ticks};
  item.mayVary = true;
  return item;
}

/// Add `bytes`, which `op` leaves behind.
void ProgramHeap::Function::addLeft(Operation *op, Attribute memorySpace,
                                    HeldBytes bytes) {
  bool isNothing = bytes.most == 0 && !bytes.isUnknown;
  if (isNothing || isMutated("R7-left"))
    return;
  Region *scope = findScope(op);
  ScopeHeap &heap = getHeap(scope, memorySpace);
  GivenHolds given(scope, order, heap.branches);
  static_cast<Hold &>(addItem(heap, op, bytes)) =
      given.findForGood(op, order.getTicks(op).last + 1, bytes.getBytes());
}

/// Add `bytes`, the result `value` of an operation, from tick `first` on; it is
/// the allocation `buffer` if that is not null.
void ProgramHeap::Function::addAllocated(Value value, int64_t first,
                                         HeldBytes bytes,
                                         const BufferLifetime *buffer) {
  Operation *allocation = value.getDefiningOp();
  Attribute space = cast<BaseMemRefType>(value.getType()).getMemorySpace();
  const AllocationHolds::Allocated allocated = holds.describe(value, buffer);
  bool isResult = !allocated.buffer && holds.isReturned(allocated);
  if (isResult) {
    // Another path may return something else.
    Region &body = op.getFunctionBody();
    bool isCertain =
        body.hasOneBlock() &&
        llvm::is_contained(value.getUsers(), body.front().getTerminator());
    returned[space].add(
        {bytes.most, isCertain ? bytes.least : 0, bytes.isUnknown});
  }
  ScopeHeap &heap = getHeap(findScope(allocation), space);
  heap.branches.getBranch(allocation->getBlock());
  for (Hold &hold :
       holds.find(allocated, first, bytes.getBytes(), heap.branches)) {
    HeapItem &item = addItem(heap, allocation, bytes);
    static_cast<Hold &>(item) = std::move(hold);
    item.buffer = allocated.buffer;
    item.isReturned = isResult;
  }
}

void ProgramHeap::Function::addBuffer(const BufferLifetime &buffer,
                                      Operation *place) {
  HeldBytes bytes = makeBytes(buffer.size ? getAllocatedBytes(buffer) : 0,
                              buffer.size.has_value());
  // Workgroup memory is not allocated and freed over time.
  if (memref::AllocOp alloc = buffer.getAllocOp(); alloc && !buffer.isWorkgroup)
    addAllocated(alloc, order.getTicks(place ? place : alloc).first, bytes,
                 &buffer);
}

void ProgramHeap::Function::addAllocation(const OtherAllocation &allocation) {
  Operation *op = allocation.op;
  auto type = dyn_cast<BaseMemRefType>(op->getResultTypes().front());
  // What the stack holds is not on the heap.
  if (type && !isa<memref::AllocaOp>(op))
    addAllocated(op->getResult(0), order.getTicks(op).first,
                 makeBytes(allocation.size, type.hasStaticShape()));
}

void ProgramHeap::Function::addPool(const PoolPlan &plan) {
  if (plan.isErased)
    return;
  Operation *front = &plan.scope->front().front();
  Operation *first = plan.first ? plan.first : front;
  ScopeHeap &heap = getHeap(findScope(front), plan.memorySpace);
  TickRange ticks = order.getTicks(plan.scope);
  bool isFreedLater =
      plan.getPool()->storage == PoolStorage::Alloc && !plan.isDeallocated();
  if (isAsGiven() && isFreedLater && !plan.needsManualDealloc()) {
    ticks = {heap.branches.getLoopBegin(first->getBlock(),
                                        order.getTicks(first).first),
             heap.branches.getEnd()};
  } else if (plan.first) {
    ticks = order.getTicks(plan.first).hull(order.getTicks(plan.last));
  } else if (isFreedLater) {
    // A later pass frees it after its last use.
    ticks.last = ticks.first;
    for (const BufferLifetime *buffer : plan.buffers)
      ticks = ticks.hull(buffer->ticks).hull(order.getTicks(buffer->lastUse));
  }
  HeapItem &item = addItem(heap, first, {getPoolBytes(plan), 0});
  item.ticks = ticks;
  item.pool = &plan;
}

void ProgramHeap::Function::addPool(const RuntimePool &pool) {
  HeapItem &item = addItem(getHeap(findScope(pool.first), pool.memorySpace),
                           pool.first, {getLeastBytes(pool), 0, true});
  item.ticks = pool.held;
  item.isRuntimePool = true;
}

void ProgramHeap::Function::addArena(int64_t bytes, const PoolPlan *pool) {
  arenaBytes = bytes;
  Region *body = &op.getFunctionBody();
  HeapItem &item =
      addItem(getHeap(body, Attribute()), &body->front().front(), {bytes, 0});
  item.ticks = order.getTicks(body);
  item.pool = pool;
  item.isArena = true;
}

void ProgramHeap::Function::addUnknown(Operation *call, Attribute memorySpace) {
  if (!isMutated("R7-recursion"))
    addDuring(call, memorySpace, {0, 0, true});
}

void ProgramHeap::Function::addCall(Operation *call, const Function &callee) {
  FunctionOpInterface calleeOp = callee.op;
  Region *body = &calleeOp.getFunctionBody();
  for (const auto &[key, heap] : callee.heaps) {
    if (key.first != body || isMutated("R7-callees"))
      continue;
    // The arena of a callee is a part of that of the caller.
    HeldBytes bytes = heap.peak;
    bytes.most -= key.second ? 0 : callee.arenaBytes;
    if (bytes.most != 0 || bytes.isUnknown)
      addDuring(call, key.second, bytes).inner = body;
    addLeft(call, key.second, heap.left);
  }
}

/// Add what `call` of `callee` returns. The callee holds it during the call.
void ProgramHeap::Function::addResults(Operation *call,
                                       const Function &callee) {
  TickRange ticks = order.getTicks(call);
  for (auto [space, bytes] : callee.returned) {
    SmallVector<Value> results;
    for (Value result : call->getResults())
      if (auto type = dyn_cast<BaseMemRefType>(result.getType());
          type && type.getMemorySpace() == space)
        results.push_back(result);
    // Of several results, each may be all of it.
    if (results.size() != 1)
      bytes.least = 0;
    for (Value result : results)
      addAllocated(result, ticks.last + 1, bytes);
  }
}

/// Add what executions of the scope `key` hold, at most `peak` each, to the
/// scope around it.
void ProgramHeap::Function::addInnerScope(HeapKey key, HeldBytes peak) {
  Operation *scopeOp = key.first->getParentOp();
  int64_t executions = 1;
  if (options.maxThreads && !isMutated("R6-threads"))
    executions =
        countConcurrentExecutions(scopeOp, *options.maxThreads).value_or(1);
  peak.most = multiplyBytes(peak.most, executions);
  HeapItem &item = addDuring(scopeOp, key.second, limitBytes(peak));
  item.inner = key.first;
  item.executions = executions;
  if (options.maxThreads && !isDoneAtEnd(scopeOp))
    item.ticks.last = order.getTicks(findScope(scopeOp)).last;
}

/// Let `scope`, which runs at most once, know what is freed while it runs, and
/// the scope around it what is passed on to it.
void ProgramHeap::Function::shareItems(Region *scope, Attribute memorySpace) {
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

bool ScopeHeap::growsOnly() const {
  // By operation, how many more bytes it needs than it leaves behind.
  llvm::DenseMap<Operation *, int64_t> freed;
  for (const HeapItem &item : items) {
    if (!item.isCertain())
      return false;
    freed[item.op] += item.ticks.last > ticks.last ? -item.least : item.least;
  }
  return outerItems.empty() &&
         llvm::all_of(freed, [](auto entry) { return entry.second <= 0; });
}

void ProgramHeap::Function::computePeak(ScopeHeap &heap) {
  SmallVector<Hold, 0> holds;
  SmallVector<std::pair<TickRange, int64_t>> most;
  for (const HeapItem &item : heap.items) {
    const Hold &hold = holds.emplace_back(heap.clamp(item));
    if (hold.ticks.first <= hold.ticks.last)
      most.emplace_back(hold.ticks, item.bytes.most);
    heap.peak.isUnknown |= item.bytes.isUnknown;
    if (item.isReturned || hold.ticks.last <= heap.ticks.last)
      continue;
    bool isCertain =
        hold.certain.size() && hold.certain.back().last > heap.ticks.last;
    heap.left.add(
        {item.bytes.most, isCertain ? item.least : 0, item.bytes.isUnknown});
  }
  heap.left = limitBytes(heap.left);
  std::tie(heap.peak.most, heap.peakTick) = findPeak(most);
  heap.peak = limitBytes(heap.peak);
  if (options.isPlanned)
    return;
  if (llvm::all_of(holds, [](const Hold &hold) { return hold.isCertain(); })) {
    heap.peak.least = heap.peak.most;
    return;
  }
  Heap timeline(heap.branches.getParents(), heap.branches.getParts(), holds,
                {});
  heap.peak.least = timeline.getLeastPeak();
}

void ProgramHeap::Function::computePeaks() {
  isComplete = true;
  SmallVector<HeapKey> keys = llvm::to_vector(llvm::make_first_range(heaps));
  for (HeapKey key : sortInsideOut(context, keys)) {
    Operation *scopeOp = key.first->getParentOp();
    if (scopeOp != op && runsRegionsAtMostOnce(scopeOp))
      shareItems(key.first, key.second);
    ScopeHeap &heap = getHeap(key.first, key.second);
    computePeak(heap);
    if (scopeOp == op)
      continue;
    // What is added may move the heaps.
    HeldBytes peak = heap.peak, left = heap.left;
    addInnerScope(key, peak);
    if (isAsGiven())
      addLeft(scopeOp, key.second, left);
  }
}

//===----------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------===//

ProgramHeap::ProgramHeap(ProgramHeap &&) = default;
ProgramHeap::~ProgramHeap() = default;

ProgramHeap::ProgramHeap(const MergePlan &plan,
                         const ProgramHeapOptions &options)
    : lifetimes(*plan.lifetimes), options(options) {
  addBuffers(plan);
  for (const OtherAllocation &other : lifetimes.getOtherAllocations())
    if (Function *function =
            addFunction(other.op->getParentOfType<FunctionOpInterface>()))
      function->addAllocation(other);
  // What is around a part of a module may be changed by other threads.
  Operation *root = lifetimes.getRoot();
  if (!root->getParentOp() && !functions.empty() && lifetimes.haveCalls()) {
    if (options.other)
      calls = options.other->calls;
    if (!calls)
      calls = std::make_shared<const SmallVector<CallComponent, 0>>(
          findCallComponents(root));
    for (const CallComponent &component : *calls)
      addComponent(component);
  }
  // The others do not take part in calls that are known.
  for (auto &[op, function] : functions)
    if (!function->isComplete)
      function->computePeaks();
}

/// Add the buffers of `plan`, and its pools instead of what is in them if it is
/// carried out.
void ProgramHeap::addBuffers(const MergePlan &plan) {
  llvm::DenseSet<const BufferLifetime *> merged;
  llvm::DenseMap<Value, Operation *> places;
  if (options.isPlanned)
    addPools(plan, merged);
  for (const PoolPlan &pool : plan.pools) {
    if (!isInResult(pool) || !(options.isPlanned || options.usesResults))
      continue;
    if (!isMutated("R7-results"))
      places[pool.host] = pool.getHostPlace();
    for (const BufferLifetime *buffer : pool.buffers)
      if (!buffer->value)
        merged.insert(buffer);
  }
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (!merged.contains(&buffer))
      if (Function *function = addFunction(buffer.function))
        function->addBuffer(buffer, places.lookup(buffer.alloc));
}

void ProgramHeap::addPools(const MergePlan &plan,
                           llvm::DenseSet<const BufferLifetime *> &merged) {
  llvm::DenseMap<Operation *, const PoolPlan *> inArena;
  for (const PoolPlan &pool : plan.pools) {
    const Pool *made = pool.getPool();
    if (!made)
      continue;
    for (const BufferLifetime *buffer : pool.buffers)
      merged.insert_range(lifetimes.getWholes(buffer));
    if (made->storage == PoolStorage::Arena)
      inArena[pool.scope->getParentOp()] = &pool;
    // Globals are not on the heap, and workgroup memory is not, either.
    bool isOnHeap =
        made->storage == PoolStorage::Alloc ||
        (made->storage == PoolStorage::Stack && options.countsStack);
    if (Function *function = addFunction(pool.buffers.front()->function);
        function && isOnHeap && !pool.workgroup)
      function->addPool(pool);
  }
  for (const RuntimePool &pool : plan.runtimePools) {
    merged.insert(pool.buffers.begin(), pool.buffers.end());
    if (Function *function = addFunction(pool.buffers.front()->function);
        function && !pool.isInKernel)
      function->addPool(pool);
  }
  // An allocation stays if one of its values does.
  for (const PoolPlan &pool : plan.pools)
    if (!pool.getPool())
      for (const BufferLifetime *buffer : pool.buffers)
        for (const BufferLifetime *whole : lifetimes.getWholes(buffer))
          merged.erase(whole);
  if (plan.arenas)
    for (auto [index, node, arena] : llvm::enumerate(
             plan.arenas->getGraph().getFunctions(), plan.arenas->getArenas()))
      if (plan.arenas->isActive(index) && !arena.isOwn)
        addFunction(node.op)->addArena(arena.bytes, inArena.lookup(node.op));
}

/// Return what `function` holds, to be added to; null if it is not known.
ProgramHeap::Function *ProgramHeap::addFunction(Operation *function) {
  const FunctionContext *context = lifetimes.getContext(function);
  if (!context)
    return nullptr;
  std::unique_ptr<Function> &entry = functions[function];
  if (!entry)
    entry = std::make_unique<Function>(*context, options);
  return entry.get();
}

void ProgramHeap::addComponent(const CallComponent &component) {
  auto find = [&](Operation *op) -> Function * {
    auto it = functions.find(op);
    return it == functions.end() ? nullptr : it->second.get();
  };
  for (const CallComponent::Call &call : component.calls)
    if (Function *callee = find(call.callee); callee && !call.isRecursive) {
      Function *caller = addFunction(call.caller);
      caller->addCall(call.op, *callee);
      caller->addResults(call.op, *callee);
    }
  // A recursion holds what each of its frames holds.
  llvm::SmallSetVector<Attribute, 1> spaces;
  for (FunctionOpInterface member : component.members)
    if (Function *function = find(member))
      for (const auto &[key, heap] : function->heaps)
        spaces.insert(key.second);
  for (const CallComponent::Call &call : component.calls) {
    if (!call.isRecursive || spaces.empty())
      continue;
    Function *caller = addFunction(call.caller);
    for (Attribute space : spaces)
      caller->addUnknown(call.op, space);
    if (Function *callee = find(call.callee))
      caller->addResults(call.op, *callee);
  }
  for (FunctionOpInterface member : component.members)
    if (Function *function = find(member))
      function->computePeaks();
}

ProgramHeap::Function *ProgramHeap::findFunction(Region *scope) const {
  Operation *op = scope->getParentOp();
  if (!isa<FunctionOpInterface>(op))
    op = op->getParentOfType<FunctionOpInterface>();
  auto it = functions.find(op);
  return it == functions.end() ? nullptr : it->second.get();
}

const ScopeHeap *ProgramHeap::lookup(Region *scope,
                                     Attribute memorySpace) const {
  const Function *function = findFunction(scope);
  if (!function)
    return nullptr;
  auto heap = function->heaps.find({scope, memorySpace});
  return heap == function->heaps.end() ? nullptr : &heap->second;
}

void ProgramHeap::forEachScope(
    function_ref<void(Region *, Attribute, const ScopeHeap &)> callback) const {
  for (const auto &[op, function] : functions)
    for (const auto &[key, heap] : function->heaps)
      callback(key.first, key.second, heap);
}

const FunctionContext &ProgramHeap::getContext(Region *scope) const {
  return findFunction(scope)->context;
}

std::shared_ptr<const ProgramHeap>
buffer_merge::findBaseline(const MergePlan &plan) {
  if (plan.baseline)
    return plan.baseline;
  ProgramHeapOptions options;
  options.freePoint = plan.freePoint;
  return std::make_shared<const ProgramHeap>(plan, options);
}

const ProgramHeap &buffer_merge::getBaseline(MergePlan &plan) {
  plan.baseline = findBaseline(plan);
  return *plan.baseline;
}

ProgramHeap buffer_merge::analyzePlanned(const MergePlan &plan,
                                         const ProgramHeap &baseline,
                                         bool countsStack) {
  ProgramHeapOptions options;
  options.freePoint = baseline.getFreePoint();
  options.isPlanned = true;
  options.countsStack = countsStack;
  options.other = &baseline;
  return ProgramHeap(plan, options);
}
