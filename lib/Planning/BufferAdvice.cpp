//===- BufferAdvice.cpp - Other buffers, smaller pools --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The largest buffers at the peak of each pool are tried one after the other:
// the pool is scheduled without them, with a gap in their lifetime, and with
// smaller ones.
//
//===----------------------------------------------------------------------===//

#include "Advice.h"

#include "Analysis/BufferUses.h"
#include "Analysis/FunctionContext.h"
#include "Analysis/ViewSources.h"
#include "Scheduling/Components.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

/// So many buffers of a pool are tried, the largest at its peak.
static constexpr size_t maxBuffersTried = 8;
/// So many of their types are tried.
static constexpr size_t maxTypesTried = 4;

/// Return the largest buffers that are alive at the peak of `pool`, the largest
/// first.
static SmallVector<BufferId> findLargestAtPeak(const PoolPlan &pool) {
  SmallVector<std::pair<int64_t, BufferId>> alive;
  // Parts of callees follow the buffers.
  for (auto [id, buffer] : llvm::enumerate(
           ArrayRef(pool.problem.buffers).take_front(pool.buffers.size())))
    if (buffer.begin <= pool.lowerBound.peakTick &&
        pool.lowerBound.peakTick < buffer.end)
      alive.emplace_back(-buffer.size, id);
  llvm::sort(alive);
  return llvm::to_vector(llvm::make_second_range(
      ArrayRef(alive).take_front(std::min(alive.size(), maxBuffersTried))));
}

/// Return true if all of `alloc` is copied to an argument of its function.
static bool isCopiedToArgument(Value alloc) {
  return llvm::any_of(alloc.getUsers(), [&](Operation *user) {
    auto copy = dyn_cast<memref::CopyOp>(user);
    if (!copy || copy.getSource() != alloc)
      return false;
    auto argument = dyn_cast<BlockArgument>(findViewedMemory(copy.getTarget()));
    return argument &&
           isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) &&
           argument.getOwner()->isEntryBlock();
  });
}

/// Return the structured operations of one block that fill `buffer` and read
/// it, if nothing else accesses it: they can be one operation.
static std::optional<std::pair<Operation *, Operation *>>
findFusable(const BufferLifetime &buffer) {
  Operation *producer = nullptr, *reader = nullptr;
  for (const BufferEvent &event : buffer.events) {
    if (event.kind == BufferEvent::Kind::DeferredAccess)
      return std::nullopt;
    if (!event.isAccess())
      continue;
    auto op = dyn_cast<linalg::LinalgOp>(event.operand->getOwner());
    if (!op)
      return std::nullopt;
    Operation *&known = op.isDpsInit(event.operand) ? producer : reader;
    // What is accumulated into was filled before.
    if (known && known != op && !isa<linalg::FillOp>(known))
      return std::nullopt;
    known = op;
  }
  if (!producer || !reader || producer == reader ||
      isa<linalg::FillOp>(producer) ||
      producer->getBlock() != reader->getBlock())
    return std::nullopt;
  return std::pair(producer, reader);
}

/// Return the ticks around `tick` at which nothing accesses `buffer`: those of
/// operations of the block that allocates it, which has all of its accesses.
/// Nothing if it is accessed at `tick`, or only before or only after it.
static std::optional<TickInterval>
findTicksBetweenAccesses(const BufferLifetime &buffer,
                         const FunctionContext &context, int64_t tick) {
  std::optional<int64_t> begin, end;
  for (const BufferEvent &event : buffer.events) {
    if (event.kind == BufferEvent::Kind::DeferredAccess)
      return std::nullopt;
    if (!event.isAccess())
      continue;
    Operation *op = buffer.getPlace()->getBlock()->findAncestorOpInBlock(
        *event.operand->getOwner());
    if (!op)
      return std::nullopt;
    // A loop is one access: what is inside of it is done more than once.
    TickRange ticks = context.order.getTicks(op);
    if (ticks.first <= tick && tick <= ticks.last)
      return std::nullopt;
    if (ticks.last < tick)
      begin = std::max(begin.value_or(0), ticks.last + 1);
    else
      end = std::min(end.value_or(ticks.first), ticks.first);
  }
  if (!begin || !end)
    return std::nullopt;
  return TickInterval{*begin, *end};
}

namespace {
/// Tries changes of one pool.
class PoolTrial {
public:
  PoolTrial(PoolPlan &pool, const MergePlanOptions &options)
      : pool(pool), options(options), largest(findLargestAtPeak(pool)) {}

  void tryWithout();
  void tryBetween(const BufferLifetimes &lifetimes);
  void tryHalves();

private:
  /// Schedule `problem`, and note `advice` if the pool is smaller.
  void add(PoolAdvice advice, SchedulingProblem problem);

  PoolPlan &pool;
  const MergePlanOptions &options;
  SmallVector<BufferId> largest;
};
} // namespace

void PoolTrial::add(PoolAdvice advice, SchedulingProblem problem) {
  problem.capacity.reset();
  llvm::Expected<Schedule> schedule =
      runScheduler(*options.scheduler, problem, options.schedulerOptions);
  if (schedule)
    addIfSmaller(pool, advice, schedule->poolSize);
  else
    llvm::consumeError(schedule.takeError());
}

void PoolTrial::tryWithout() {
  auto ids =
      llvm::to_vector<0>(llvm::seq<BufferId>(0, pool.problem.buffers.size()));
  for (BufferId id : largest) {
    SmallVector<BufferId, 0> others(ids);
    others.erase(others.begin() + id);
    AdviceKind kind = AdviceKind::Elsewhere;
    if (llvm::any_of(pool.buffers[id]->getAllocs(), isCopiedToArgument))
      kind = AdviceKind::InArgument;
    else if (findFusable(*pool.buffers[id]))
      kind = AdviceKind::Fuse;
    add({kind, 0, id}, extractProblem(pool.problem, others));
  }
}

void PoolTrial::tryBetween(const BufferLifetimes &lifetimes) {
  for (BufferId id : largest) {
    const BufferLifetime &buffer = *pool.buffers[id];
    const FunctionContext *context = lifetimes.getContext(buffer.function);
    // Threads do not agree on ticks.
    if (!context || buffer.isInDeviceCode || buffer.isWorkgroup)
      continue;
    std::optional<TickInterval> ticks =
        findTicksBetweenAccesses(buffer, *context, pool.lowerBound.peakTick);
    if (!ticks)
      continue;
    SchedulingProblem problem = pool.problem;
    Buffer &changed = problem.buffers[id];
    if (ticks->begin <= changed.begin || changed.end <= ticks->end ||
        !changed.gaps.empty())
      continue;
    changed.gaps.push_back(*ticks);
    add({AdviceKind::Between, 0, id, *ticks}, std::move(problem));
  }
}

/// Return the largest dimension of `type`, the first one of these; nothing if
/// it cannot be halved.
static std::optional<unsigned> findLargestDimension(MemRefType type) {
  if (!type.hasStaticShape() || type.getRank() == 0)
    return std::nullopt;
  ArrayRef<int64_t> shape = type.getShape();
  const int64_t *largest = llvm::max_element(shape);
  if (*largest < 2)
    return std::nullopt;
  return largest - shape.begin();
}

void PoolTrial::tryHalves() {
  llvm::SmallDenseSet<Type> types;
  for (BufferId id : largest) {
    MemRefType type = pool.buffers[id]->alloc.getType();
    std::optional<unsigned> dimension = findLargestDimension(type);
    if (!dimension || types.size() == maxTypesTried ||
        !types.insert(type).second)
      continue;
    int64_t elements = type.getDimSize(*dimension);
    SchedulingProblem problem = pool.problem;
    PoolAdvice advice = {AdviceKind::Halve, 0};
    for (auto [number, lifetime] : llvm::enumerate(pool.buffers)) {
      if (lifetime->alloc.getType() != type)
        continue;
      if (!advice.buffer)
        advice.buffer = number;
      int64_t &size = problem.buffers[number].size;
      size = llvm::divideCeil(size, elements) * llvm::divideCeil(elements, 2);
    }
    advice.dimension = *dimension;
    add(advice, std::move(problem));
  }
}

void buffer_merge::addBufferAdvice(MergePlan &plan,
                                   const MergePlanOptions &options) {
  for (PoolPlan &pool : plan.pools) {
    if (pool.problem.buffers.size() < 2 || pool.host || !getNeededBytes(pool))
      continue;
    PoolTrial trial(pool, options);
    trial.tryWithout();
    trial.tryBetween(*plan.lifetimes);
    trial.tryHalves();
  }
}
