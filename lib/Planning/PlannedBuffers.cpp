//===- PlannedBuffers.cpp - What a plan gives bytes to --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlannedBuffers.h"
#include "Analysis/FunctionContext.h"
#include "Pins.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

PlannedBuffers::PlannedBuffers(const BufferLifetimes &lifetimes)
    : lifetimes(lifetimes) {
  divideAll();
}

/// Return the lower bound of `pool` with those of `unitedAs` that have parts in
/// place of these.
static int64_t computeBoundWithParts(
    const PoolPlan &pool,
    const llvm::DenseMap<Value, const BufferLifetime *> &unitedAs) {
  SchedulingProblem problem;
  llvm::DenseSet<const BufferLifetime *> seen;
  llvm::DenseMap<BufferId, BufferId> newIds;
  for (auto [id, buffer] : llvm::enumerate(pool.problem.buffers)) {
    const BufferLifetime *united =
        id < pool.buffers.size() ? unitedAs.lookup(pool.buffers[id]->alloc)
                                 : nullptr;
    if (!united) {
      newIds[id] = problem.buffers.size();
      problem.buffers.push_back(buffer);
    } else if (seen.insert(united).second) {
      problem.buffers.push_back(
          buildSchedulingProblem(united, /*alignment=*/1).buffers.front());
    }
  }
  for (const InPlacePair &pair : pool.problem.inPlacePairs) {
    auto earlier = newIds.find(pair.earlier), later = newIds.find(pair.later);
    if (earlier != newIds.end() && later != newIds.end())
      problem.inPlacePairs.push_back(
          {earlier->second, later->second, pair.condition});
  }
  return computeLowerBound(problem).bytes;
}

bool PlannedBuffers::unite(const PoolPlan &pool,
                           ArrayRef<const BufferLifetime *> buffers,
                           int64_t limit) {
  SmallVector<Value> added;
  for (const BufferLifetime *buffer : buffers) {
    SmallVector<Value, 2> allocs = buffer->getAllocs();
    if (llvm::any_of(allocs,
                     [&](Value alloc) { return unitedAs.contains(alloc); }))
      continue;
    for (Value alloc : allocs)
      unitedAs[alloc] = buffer;
    added.append(allocs.begin(), allocs.end());
  }
  if (added.empty() || computeBoundWithParts(pool, unitedAs) <= limit)
    return !added.empty();
  for (Value alloc : added)
    unitedAs.erase(alloc);
  return false;
}

bool PlannedBuffers::emplace(const MergePlan &plan, Goal goal) {
  llvm::DenseMap<Value, const PoolPlan *> poolOf;
  // What is in an argument takes no bytes.
  for (const PoolPlan &pool : plan.pools)
    if (!pool.host)
      for (const BufferLifetime *buffer : pool.buffers)
        for (Value alloc : buffer->getAllocs())
          poolOf[alloc] = &pool;
  llvm::MapVector<const PoolPlan *, SmallVector<const BufferLifetime *>>
      buffersOf;
  for (const BufferLifetime &buffer : lifetimes.getEmplacedBuffers()) {
    SmallVector<Value, 2> allocs = buffer.getAllocs();
    if (llvm::all_of(allocs,
                     [&](Value alloc) { return poolOf.contains(alloc); }))
      buffersOf[poolOf.lookup(allocs.front())].push_back(&buffer);
  }
  // Each by itself takes a bound of the pool.
  constexpr size_t maxSteps = size_t(1) << 20;
  bool isAny = false;
  for (const auto &[pool, buffers] : buffersOf) {
    int64_t limit = goal == Goal::Traffic ? maxBytes
                    : pool->getPool()     ? pool->getPool()->schedule.poolSize
                                          : pool->totalBytes;
    if (unite(*pool, buffers, limit)) {
      isAny = true;
      continue;
    }
    if (buffers.size() * pool->buffers.size() <= maxSteps)
      for (const BufferLifetime *buffer : buffers)
        isAny |= unite(*pool, buffer, limit);
  }
  return isAny;
}

void PlannedBuffers::divideAll() {
  for (const BufferLifetime *buffer : collectWhole())
    if (!lifetimes.getValues(*buffer).empty() && !hasPin(buffer->getAllocOp()))
      divided.insert(buffer);
}

SmallVector<const BufferLifetime *, 0> PlannedBuffers::collectWhole() const {
  SmallVector<const BufferLifetime *, 0> buffers;
  for (const BufferLifetime &buffer : lifetimes.getBuffers()) {
    const BufferLifetime *united = unitedAs.lookup(buffer.alloc);
    if (!united)
      buffers.push_back(&buffer);
    else if (united->alloc == buffer.alloc)
      buffers.push_back(united);
  }
  return buffers;
}

SmallVector<const BufferLifetime *, 0> PlannedBuffers::collect() const {
  SmallVector<const BufferLifetime *, 0> buffers;
  for (const BufferLifetime *buffer : collectWhole()) {
    if (!divided.contains(buffer)) {
      buffers.push_back(buffer);
      continue;
    }
    for (const BufferLifetime &value : lifetimes.getValues(*buffer))
      buffers.push_back(&value);
  }
  return buffers;
}

bool PlannedBuffers::haveValues() const {
  return llvm::any_of(divided, [&](const BufferLifetime *buffer) {
    return !unitedAs.contains(buffer->alloc);
  });
}

bool PlannedBuffers::joinWhatStays(const MergePlan &plan) {
  size_t count = divided.size();
  for (const PoolPlan &pool : plan.pools) {
    const Pool *made = pool.getPool();
    bool isSmaller = made && made->schedule.poolSize < pool.totalBytes;
    // A pool that is too large is an error, and would be no smaller.
    if (isSmaller || pool.getReason() == UnmergeableReason::OverCapacity)
      continue;
    for (const BufferLifetime *buffer : pool.buffers)
      divided.erase(lifetimes.getWhole(buffer));
  }
  return divided.size() != count;
}

bool PlannedBuffers::takeBackWhatStays(const MergePlan &plan) {
  size_t count = unitedAs.size();
  for (const PoolPlan &pool : plan.pools)
    for (const BufferLifetime *buffer : pool.buffers)
      if (buffer->parts && !pool.getPool())
        for (Value alloc : buffer->getAllocs())
          unitedAs.erase(alloc);
  return unitedAs.size() != count;
}

bool buffer_merge::areValuesProvedToHelp(const MergePlan &plan) {
  for (const PoolPlan &pool : plan.pools) {
    if (!pool.getPool())
      continue;
    // The values of an allocation as one buffer, from the first to the last.
    // Its lifetime would not be shorter.
    SchedulingProblem whole;
    llvm::DenseMap<Value, size_t> bufferOf;
    for (auto [lifetime, buffer] :
         llvm::zip(pool.buffers, pool.problem.buffers)) {
      // The offsets have been decided elsewhere.
      if (buffer.fixedOffset)
        return true;
      size_t next = whole.buffers.size();
      if (lifetime->value)
        next = bufferOf.try_emplace(lifetime->alloc, next).first->second;
      if (next == whole.buffers.size()) {
        whole.buffers.push_back(buffer);
        continue;
      }
      Buffer &joined = whole.buffers[next];
      joined.begin = std::min(joined.begin, buffer.begin);
      joined.end = std::max(joined.end, buffer.end);
      joined.gaps.clear();
    }
    whole.buffers.append(pool.problem.buffers.begin() + pool.buffers.size(),
                         pool.problem.buffers.end());
    if (whole.buffers.size() == pool.problem.buffers.size())
      continue;
    if (!pool.problem.inPlacePairs.empty() ||
        pool.getPool()->schedule.poolSize > computeLowerBound(whole).bytes)
      return false;
  }
  return true;
}
