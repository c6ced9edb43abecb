//===- ArenaNeeds.cpp - How much of an arena each function needs ----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callees first: what a callee needs is the size of a part of its caller's
// arena, which is alive at the call. If the entries share a global, an entry
// that is called by another one is at the start of it, whoever the caller is:
// its part is pinned there.
//
//===----------------------------------------------------------------------===//

#include "Analysis/BufferSize.h"
#include "Analysis/ExecutionOrder.h"
#include "ArenaPlan.h"
#include "Mutation.h"
#include "Premises.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the bytes that a caller hands on to `index`.
int64_t ArenaPlan::getForwardedBytes(unsigned index) const {
  const Arena &arena = arenas[index];
  func::FuncOp function = graph.getFunctions()[index].op;
  if (arena.isMarked)
    if (std::optional<int64_t> bytes =
            getStaticBytes(function.getArgument(*arena.argument)))
      return *bytes;
  return arena.bytes;
}

/// Return the bytes at the start of the common global that `call` takes.
int64_t ArenaPlan::getPinnedBytes(const FunctionGraph::Call &call) const {
  const Arena &callee = arenas[call.callee];
  bool isShared = callee.isOwn && !callee.isSeparate;
  return isShared ? callee.bytes : callee.pinnedBytes;
}

/// Return the parts of its arena that `function` leaves to its callees, alive
/// at the calls.
SmallVector<ArenaPlan::Part> ArenaPlan::collectParts(unsigned function) const {
  const FunctionGraph::Function &node = graph.getFunctions()[function];
  const Arena &arena = arenas[function];
  std::optional<ExecutionOrder> order;
  SmallVector<Part> parts;
  auto add = [&](unsigned index, int64_t bytes, int64_t alignment) {
    if (!order)
      order.emplace(node.op);
    TickRange ticks = order->getTicks(graph.getCalls()[index].op);
    endPremise<Stage::Arenas, Premise::OwnAddress>();
    Part &part = parts.emplace_back();
    part.call = index;
    part.place.size = bytes;
    part.place.alignment = alignment;
    part.place.begin = ticks.first;
    part.place.end = ticks.last + 1;
  };
  for (unsigned index : node.calls) {
    const FunctionGraph::Call &call = graph.getCalls()[index];
    if (takesPart(index))
      add(index, getForwardedBytes(call.callee),
          isMutated("arena-alignment") ? 1 : arenas[call.callee].alignment);
    if (int64_t bytes = getPinnedBytes(call); bytes > 0 && arena.isOwn &&
                                              !arena.isSeparate &&
                                              !isMutated("global-entries")) {
      add(index, bytes, 1);
      parts.back().place.fixedOffset = 0;
    }
  }
  return parts;
}

/// Place `parts` and the buffers of `problem`, which have a place in `schedule`
/// already. Add one error and fail if there is no room.
static LogicalResult placeParts(func::FuncOp function,
                                ArrayRef<ArenaPlan::Part> parts,
                                const MergePlanOptions &options,
                                SchedulingProblem &problem, Schedule &schedule,
                                PlanMessages &messages) {
  // No two callees run at the same time. So there is room for the buffers
  // behind what is pinned, and behind them for each of the callees.
  int64_t pinned = 0;
  for (const ArenaPlan::Part &part : parts)
    if (part.place.fixedOffset)
      pinned = std::max(pinned, part.place.size);
  int64_t shift = llvm::alignTo(pinned, schedule.poolAlignment);
  SmallVector<int64_t, 0> offsets = schedule.offsets;
  for (int64_t &offset : offsets)
    offset += shift;
  for (const ArenaPlan::Part &part : parts) {
    problem.buffers.push_back(part.place);
    offsets.push_back(part.place.fixedOffset.value_or(
        llvm::alignTo(shift + schedule.poolSize, part.place.alignment)));
  }
  schedule = makeSchedule(problem, std::move(offsets));
  bool isValid = !findScheduleViolation(problem, schedule);
  auto improve = [&](const SchedulingProblem &problem) {
    llvm::Expected<Schedule> inside =
        runScheduler(*options.scheduler, problem, options.schedulerOptions);
    if (!inside) {
      llvm::consumeError(inside.takeError());
      return false;
    }
    if (!isValid || inside->poolSize < schedule.poolSize)
      schedule = std::move(*inside);
    isValid = true;
    return true;
  };
  if (!improve(problem) && problem.capacity) {
    // It may still be smaller than behind the pool.
    SchedulingProblem unlimited = problem;
    unlimited.capacity.reset();
    improve(unlimited);
  }
  if (isValid || schedule.poolSize > problem.capacity.value_or(maxBytes))
    return success();
  return messages.addError(function.getLoc())
         << "the offsets of the buffers of '" << function.getSymName()
         << "' leave no room for its callees";
}

/// Fail if the arena of `index` is too large for its memory.
LogicalResult ArenaPlan::checkLimit(unsigned index,
                                    const MergePlanOptions &options,
                                    PlanMessages &messages) const {
  const Arena &arena = arenas[index];
  func::FuncOp function = graph.getFunctions()[index].op;
  int64_t mostBytes =
      getMaxPoolBytes(DataLayout::closest(function), function.getContext());
  const Capacity *capacity =
      options.findCapacity(Attribute(), /*isInDeviceCode=*/false);
  int64_t limit = std::min(capacity ? capacity->bytes : mostBytes, mostBytes);
  if (arena.bytes <= limit)
    return success();
  // What does not fit a number of bytes cannot be made in any case.
  bool isWarning = options.overCapacity == OverCapacityPolicy::Warn &&
                   arena.bytes <= mostBytes;
  Diagnostic &diagnostic = isWarning ? messages.addWarning(function.getLoc())
                                     : messages.addError(function.getLoc());
  diagnostic << "the arena of '" << function.getSymName() << "' needs "
             << arena.bytes << " bytes, but its memory space has " << limit;
  return failure(!isWarning);
}

/// Compute what `index` needs, with `plan` for its own buffers or null.
LogicalResult ArenaPlan::computeNeed(unsigned index, PoolPlan *plan,
                                     const MergePlanOptions &options,
                                     PlanMessages &messages) {
  Arena &arena = arenas[index];
  const FunctionGraph::Function &node = graph.getFunctions()[index];
  if (!arena.isOwn)
    for (unsigned call : node.calls)
      arena.pinnedBytes =
          std::max(arena.pinnedBytes, getPinnedBytes(graph.getCalls()[call]));
  SmallVector<Part> parts = collectParts(index);
  PoolPlan handover;
  func::FuncOp function = node.op;
  handover.scope = &function.getBody();
  handover.getPool()->storage =
      arena.isOwn ? PoolStorage::Global : PoolStorage::Arena;
  PoolPlan &pool = plan ? *plan : handover;
  Schedule &schedule = pool.getPool()->schedule;
  if (!parts.empty() && failed(placeParts(function, parts, options,
                                          pool.problem, schedule, messages)))
    return failure();
  llvm::SmallDenseSet<unsigned> callees;
  for (auto [part, offset] : llvm::zip_equal(
           parts, ArrayRef(schedule.offsets).drop_front(pool.buffers.size()))) {
    const FunctionGraph::Call &call = graph.getCalls()[part.call];
    if (!part.place.fixedOffset)
      callOffsets[part.call] = offset;
    pool.calls.push_back(call.op);
    if (callees.insert(call.callee).second)
      pool.totalBytes += part.place.size;
  }
  pool.lowerBound = computeLowerBound(pool.problem);
  arena.bytes = schedule.poolSize;
  arena.alignment = schedule.poolAlignment;
  if (!handover.calls.empty())
    handovers.push_back(std::move(handover));
  return checkLimit(index, options, messages);
}

/// Compute how much the functions need, for themselves and their callees.
LogicalResult ArenaPlan::computeNeeds(MergePlan &plan,
                                      const MergePlanOptions &options,
                                      PlanMessages &messages) {
  callOffsets.resize(graph.getCalls().size());
  llvm::DenseMap<unsigned, PoolPlan *> pools;
  for (PoolPlan &pool : plan.pools)
    if (isInArena(pool))
      pools[*graph.lookup(pool.scope->getParentOp())] = &pool;
  for (unsigned index : graph.getCalleesFirst()) {
    Arena &arena = arenas[index];
    if (!arena.obstacle.empty() || arena.isFixed)
      continue;
    if (failed(computeNeed(index, pools.lookup(index), options, messages)))
      return failure();
    if (arena.isOwn && !arena.isSeparate) {
      shared.bytes = std::max(shared.bytes, arena.bytes);
      shared.alignment = std::max(shared.alignment, arena.alignment);
    }
  }
  return success();
}
