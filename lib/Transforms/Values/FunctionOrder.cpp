//===- FunctionOrder.cpp - Orders of the operations of a function ---------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the search knows of bytes is a model: each value of an allocation is
// alive from its first access to its last one, an operation with regions needs
// what they need at their peak, and what can be in place is. Whether a new
// order is worth it is decided elsewhere, by a plan.
//
//===----------------------------------------------------------------------===//

#include "FunctionOrder.h"
#include "Analysis/BlockDependences.h"
#include "Planning/Heap/ProgramHeap.h"
#include "Scheduling/PeakOrder.h"

#include "llvm/ADT/MapVector.h"

#include <numeric>
#include <set>

using namespace mlir;
using namespace buffer_merge;

namespace {
/// A value of an allocation.
struct AliveValue {
  const BufferLifetime *buffer;
  TickRange ticks;
  int64_t bytes;
};

/// Operations that may change their order, and what that is about.
struct Run {
  /// The operation that the block is in.
  Operation *parent = nullptr;
  OrderedOps ops;
  /// The numbers in `ops` of the nodes of `problem`: what accesses values, and
  /// does not only free them.
  SmallVector<unsigned, 0> nodes;
  OrderProblem problem;
  /// Of each node, the bytes that are alive inside of it alone.
  SmallVector<int64_t, 0> ownBytes;
  /// What is alive all the time; and with that, what no order is below, and
  /// the peak before and after.
  int64_t base = 0, bound = 0, peakBefore = 0, peakAfter = 0;
  NodeOrder order;
};

/// Finds new orders in one function.
class OrderFinder {
public:
  OrderFinder(const FunctionContext &context, const BufferLifetimes &lifetimes,
              UnsharedArguments &unshared, const ReorderForPeakOptions &options)
      : context(context), lifetimes(lifetimes), options(options),
        dependences(context, lifetimes, unshared) {
    constexpr int64_t maxFactor = 64;
    stepsLeft = maxFactor * context.order.getNumTicks();
  }

  SmallVector<NewOrder, 0> run(int64_t &steps);

private:
  void addValue(const BufferLifetime *buffer, TickRange ticks,
                ArrayRef<OpOperand *> accesses);
  void addRefused(const BufferLifetime *buffer, AliasBudget &budget);
  void collectValues();
  void countAlive();
  SmallVector<SmallVector<unsigned, 4>, 0> contract(Run &run) const;
  void addInPlace(Operation *op, OrderProblem::Node &node,
                  const llvm::DenseMap<unsigned, unsigned> &items) const;
  void buildProblem(Run &run);
  void findOrder(Run &run, int64_t floor, int64_t &steps);
  NewOrder emit(const Run &run) const;

  const FunctionContext &context;
  const BufferLifetimes &lifetimes;
  const ReorderForPeakOptions &options;
  BlockDependences dependences;
  SmallVector<AliveValue, 0> values;
  /// The values that an operation, or something inside of it, accesses.
  llvm::DenseMap<Operation *, SmallVector<unsigned, 2>> accessed;
  /// By which operands it does so itself.
  llvm::DenseMap<Operation *, SmallVector<std::pair<OpOperand *, unsigned>, 4>>
      operands;
  /// The bytes of what is alive at a tick and at the one before.
  SmallVector<int64_t, 0> aliveAcross;
  /// The peak of all that is alive inside of an operation, before and after.
  llvm::DenseMap<Operation *, std::pair<int64_t, int64_t>> peaksInside;
  int64_t stepsLeft;
  /// The sum of all values is too much to be computed with.
  bool isTooLarge = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is alive
//===----------------------------------------------------------------------===//

void OrderFinder::addValue(const BufferLifetime *buffer, TickRange ticks,
                           ArrayRef<OpOperand *> accesses) {
  unsigned number = values.size();
  values.push_back({buffer, ticks, *buffer->size});
  FunctionOpInterface function = context.function;
  for (OpOperand *operand : accesses) {
    Operation *op = operand->getOwner();
    operands[op].push_back({operand, number});
    for (; op && op != function.getOperation(); op = op->getParentOp()) {
      if (--stepsLeft < 0)
        return;
      SmallVector<unsigned, 2> &ofOp = accessed[op];
      if (ofOp.empty() || ofOp.back() != number)
        ofOp.push_back(number);
    }
  }
}

/// Add an allocation that stays: it is alive from its first use to its last
/// one, or to the end of the block if that passes it on.
void OrderFinder::addRefused(const BufferLifetime *buffer,
                             AliasBudget &budget) {
  std::optional<SmallVector<Value>> aliases =
      context.aliases.getAliases(buffer->alloc, budget);
  if (!aliases)
    return;
  SmallVector<OpOperand *> uses = context.order.collectUses(*aliases);
  SmallVector<OpOperand *> accesses;
  std::optional<TickRange> ticks;
  for (OpOperand *use : uses) {
    Operation *op = use->getOwner();
    if (isa<memref::DeallocOp, ViewLikeOpInterface>(op))
      continue;
    accesses.push_back(use);
    TickRange own = context.order.getTicks(op);
    ticks = ticks ? ticks->hull(own) : own;
  }
  if (ticks)
    addValue(buffer, *ticks, accesses);
}

void OrderFinder::collectValues() {
  AliasBudget budget;
  FunctionOpInterface function = context.function;
  for (const BufferLifetime &buffer : lifetimes.getBuffers()) {
    if (buffer.function != function.getOperation() || !buffer.size ||
        *buffer.size == 0 || buffer.isWorkgroup || buffer.isInDeviceCode ||
        !buffer.getAllocOp())
      continue;
    if (buffer.refusal) {
      addRefused(&buffer, budget);
      continue;
    }
    ArrayRef<BufferLifetime> parts = lifetimes.getValues(buffer);
    if (parts.empty())
      parts = ArrayRef(buffer);
    for (const BufferLifetime &value : parts) {
      SmallVector<OpOperand *> accesses;
      for (const BufferEvent &event : value.events)
        if (event.isAccess())
          accesses.push_back(event.operand);
      addValue(&value, value.ticks, accesses);
    }
  }
}

/// Compute `aliveAcross`.
void OrderFinder::countAlive() {
  aliveAcross.assign(context.order.getNumTicks() + 1, 0);
  int64_t sum = 0;
  constexpr int64_t maxSum = int64_t(1) << 60;
  for (const AliveValue &value : values) {
    isTooLarge |= value.bytes > maxSum - sum;
    if (isTooLarge)
      return;
    sum += value.bytes;
    aliveAcross[value.ticks.first + 1] += value.bytes;
    aliveAcross[value.ticks.last + 1] -= value.bytes;
  }
  std::partial_sum(aliveAcross.begin(), aliveAcross.end(), aliveAcross.begin());
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

/// Choose the nodes of `run`, and return the dependences of its operations by
/// nodes alone: those of another operation are those of whoever needs it.
SmallVector<SmallVector<unsigned, 4>, 0> OrderFinder::contract(Run &run) const {
  // One with more would make others have too many.
  constexpr size_t maxPreds = 8;
  SmallVector<SmallVector<unsigned, 4>, 0> preds;
  llvm::DenseMap<unsigned, unsigned> numbers;
  for (auto [index, op] : llvm::enumerate(run.ops.ops)) {
    llvm::SmallSetVector<unsigned, 8> own;
    for (unsigned pred : op.preds)
      if (auto it = numbers.find(pred); it != numbers.end())
        own.insert(it->second);
      else
        own.insert_range(preds[pred]);
    preds.emplace_back(own.begin(), own.end());
    llvm::sort(preds.back());
    bool isNode = !op.isLight && accessed.contains(op.op);
    if (op.isFree || (!isNode && own.size() <= maxPreds))
      continue;
    numbers[index] = run.nodes.size();
    run.nodes.push_back(index);
  }
  return preds;
}

/// Add what `op` can do in place to `node`.
void OrderFinder::addInPlace(
    Operation *op, OrderProblem::Node &node,
    const llvm::DenseMap<unsigned, unsigned> &items) const {
  auto it = operands.find(op);
  constexpr size_t maxOperands = 8;
  if (it == operands.end() || it->second.size() > maxOperands)
    return;
  for (auto [read, earlier] : it->second)
    for (auto [written, later] : it->second) {
      const BufferLifetime &from = *values[earlier].buffer;
      const BufferLifetime &to = *values[later].buffer;
      if (earlier != later && !from.refusal && !to.refusal &&
          from.scope == to.scope &&
          from.getMemorySpace() == to.getMemorySpace() &&
          items.contains(earlier) && items.contains(later) &&
          getInPlaceCondition(*read, *written))
        node.inPlace.push_back({items.lookup(earlier), items.lookup(later)});
    }
}

void OrderFinder::buildProblem(Run &run) {
  SmallVector<SmallVector<unsigned, 4>, 0> preds = contract(run);
  const ExecutionOrder &order = context.order;
  TickRange ticks = {order.getTicks(run.ops.ops.front().op).first,
                     order.getTicks(run.ops.ops.back().op).last};
  run.base = aliveAcross[ticks.first];
  llvm::DenseMap<unsigned, unsigned> items;
  for (unsigned index : run.nodes) {
    Operation *op = run.ops.ops[index].op;
    TickRange own = order.getTicks(op);
    OrderProblem::Node node;
    node.preds = preds[index];
    SmallVector<std::pair<TickRange, int64_t>> inside;
    auto it = accessed.find(op);
    ArrayRef<unsigned> ofOp;
    if (it != accessed.end())
      ofOp = it->second;
    for (unsigned number : ofOp) {
      const AliveValue &value = values[number];
      if (value.ticks.first >= own.first && value.ticks.last <= own.last) {
        inside.push_back({value.ticks, value.bytes});
        continue;
      }
      auto [item, isNew] = items.try_emplace(number, run.problem.items.size());
      if (isNew) {
        bool isAliveBefore = value.ticks.first < ticks.first;
        run.problem.items.push_back(
            {value.bytes, isAliveBefore, value.ticks.last > ticks.last});
        run.base -= isAliveBefore ? value.bytes : 0;
      }
      node.items.push_back(item->second);
    }
    addInPlace(op, node, items);
    run.ownBytes.push_back(inside.empty() ? 0 : findPeak(inside).first);
    run.problem.nodes.push_back(std::move(node));
  }
  // What is inside may need less.
  run.bound = run.base + computePeakBound(run.problem);
  for (auto [node, bytes] : llvm::zip_equal(run.problem.nodes, run.ownBytes))
    node.ownBytes = bytes;
  run.order.resize(run.nodes.size());
  std::iota(run.order.begin(), run.order.end(), 0);
  run.peakBefore = run.base + computePeak(run.problem, run.order);
}

/// Find the order of `run`, if it needs more than `floor` as it is. What is
/// inside of its operations has been ordered.
void OrderFinder::findOrder(Run &run, int64_t floor, int64_t &steps) {
  for (auto [node, index] : llvm::zip_equal(run.problem.nodes, run.nodes)) {
    auto [before, after] = peaksInside.lookup(run.ops.ops[index].op);
    int64_t saved = std::max<int64_t>(before - after, 0);
    node.ownBytes = std::max<int64_t>(node.ownBytes - saved, 0);
  }
  if (run.peakBefore > floor)
    run.order = findPeakOrder(run.problem, steps);
  run.peakAfter = run.base + computePeak(run.problem, run.order);
}

//===----------------------------------------------------------------------===//
// The order
//===----------------------------------------------------------------------===//

/// Return how many of `order` have to move to get there from 0, 1, ...: all but
/// a longest increasing subsequence.
static int64_t countMoved(ArrayRef<unsigned> order) {
  SmallVector<unsigned> ends;
  for (unsigned node : order) {
    size_t length = llvm::lower_bound(ends, node) - ends.begin();
    ends.resize(std::max(ends.size(), length + 1));
    ends[length] = node;
  }
  return order.size() - ends.size();
}

/// Return the new order of all operations of `run`. Light ones come directly
/// before what needs them, deallocations directly behind the last use, and what
/// matters to no value as early as it was, or could be.
NewOrder OrderFinder::emit(const Run &run) const {
  ArrayRef<OrderedOps::Op> ops = run.ops.ops;
  NewOrder result;
  result.numMoved = countMoved(run.order);
  SmallVector<unsigned, 0> numPreds;
  SmallVector<SmallVector<unsigned, 4>, 0> successors(ops.size());
  for (auto [index, op] : llvm::enumerate(ops)) {
    result.before.push_back(op.op);
    numPreds.push_back(op.preds.size());
    for (unsigned pred : op.preds)
      successors[pred].push_back(index);
  }
  result.next = result.before.back()->getNextNode();
  SmallVector<bool, 0> isNode(ops.size()), isDone(ops.size());
  for (unsigned index : run.nodes)
    isNode[index] = true;
  // With what it needs, the first one first.
  auto add = [&](unsigned index) {
    SmallVector<unsigned> open = {index};
    while (!open.empty()) {
      unsigned last = open.back();
      size_t size = open.size();
      if (!isDone[last])
        for (unsigned pred : llvm::reverse(ops[last].preds))
          if (!isDone[pred])
            open.push_back(pred);
      if (open.size() != size)
        continue;
      open.pop_back();
      if (!std::exchange(isDone[last], true))
        result.after.push_back(ops[last].op);
    }
  };
  // What could be executed by now, but is not needed yet.
  std::set<unsigned> waiting;
  auto reach = [&](SmallVector<unsigned> open) {
    while (!open.empty()) {
      unsigned last = open.pop_back_val();
      if (ops[last].isFree)
        add(last);
      else if (!isNode[last] &&
               (!ops[last].isLight ||
                ops[last].op->hasTrait<OpTrait::ConstantLike>()))
        waiting.insert(last);
      for (unsigned successor : successors[last])
        if (--numPreds[successor] == 0 && !isNode[successor])
          open.push_back(successor);
    }
  };
  SmallVector<unsigned> first;
  for (unsigned index : llvm::seq(ops.size()))
    if (numPreds[index] == 0 && !isNode[index])
      first.push_back(index);
  reach(std::move(first));
  for (unsigned node : run.order) {
    unsigned index = run.nodes[node];
    while (!waiting.empty() && *waiting.begin() < index) {
      add(*waiting.begin());
      waiting.erase(waiting.begin());
    }
    add(index);
    reach({index});
  }
  for (unsigned index : llvm::seq(ops.size()))
    add(index);
  return result;
}

SmallVector<NewOrder, 0> OrderFinder::run(int64_t &steps) {
  SmallVector<NewOrder, 0> orders;
  collectValues();
  countAlive();
  if (stepsLeft < 0 || isTooLarge)
    return orders;
  // Blocks inside of others come first.
  SmallVector<Run, 0> runs;
  FunctionOpInterface function = context.function;
  function->walk<WalkOrder::PostOrder>([&](Operation *parent) {
    for (Region &region : parent->getRegions())
      for (Block &block : region)
        if (dependences.mayReorder(block) &&
            llvm::any_of(block,
                         [&](Operation &op) { return accessed.contains(&op); }))
          for (OrderedOps &ops : dependences.find(block)) {
            Run &run = runs.emplace_back();
            run.parent = parent;
            run.ops = std::move(ops);
            buildProblem(run);
          }
  });
  if (options.chooseOrder) {
    for (Run &run : runs)
      if (run.nodes.size() > 1) {
        run.order = options.chooseOrder(llvm::map_to_vector<0>(
            run.problem.nodes,
            [](const OrderProblem::Node &node) { return node.preds; }));
        orders.push_back(emit(run));
      }
    return orders;
  }
  // What the function needs in any case, and needs now.
  int64_t floor = 0, peak = 0;
  for (const Run &run : runs) {
    peak = std::max(peak, run.peakBefore);
    if (run.parent == function.getOperation())
      floor = std::max(floor, run.bound);
  }
  for (Run &run : runs) {
    findOrder(run, floor, steps);
    auto &inside = peaksInside[run.parent];
    inside = {std::max(inside.first, run.peakBefore),
              std::max(inside.second, run.peakAfter)};
    if (run.parent == function.getOperation())
      floor = std::max(floor, run.peakAfter);
  }
  if (floor < peak)
    for (const Run &run : runs)
      if (run.peakAfter < run.peakBefore && run.peakBefore > floor &&
          !llvm::is_sorted(run.order))
        orders.push_back(emit(run));
  return orders;
}

SmallVector<NewOrder, 0> buffer_merge::findNewOrders(
    Operation *function, const BufferLifetimes &lifetimes,
    UnsharedArguments &unshared, const ReorderForPeakOptions &options,
    int64_t &steps) {
  const FunctionContext *context = lifetimes.getContext(function);
  if (!context || !context->order.hasKnownControlFlow())
    return {};
  return OrderFinder(*context, lifetimes, unshared, options).run(steps);
}
