//===- PlannedBuffers.cpp - What a plan gives bytes to --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlannedBuffers.h"
#include "Mutation.h"
#include "Pins.h"

using namespace mlir;
using namespace buffer_merge;

PlannedBuffers::PlannedBuffers(const BufferLifetimes &lifetimes)
    : lifetimes(lifetimes) {
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (!lifetimes.getValues(buffer).empty() &&
        (!hasPin(buffer.getAlloc()) || isMutated("pin-split")))
      divided.insert(buffer.getAlloc());
}

SmallVector<const BufferLifetime *, 0> PlannedBuffers::collect() const {
  SmallVector<const BufferLifetime *, 0> buffers;
  for (const BufferLifetime &buffer : lifetimes.getBuffers()) {
    if (!divided.contains(buffer.getAlloc())) {
      buffers.push_back(&buffer);
      continue;
    }
    for (const BufferLifetime &value : lifetimes.getValues(buffer))
      buffers.push_back(&value);
  }
  return buffers;
}

bool PlannedBuffers::joinWhatStays(const MergePlan &plan) {
  size_t count = divided.size();
  for (const PoolPlan &pool : plan.pools) {
    const Pool *made = pool.getPool();
    bool isSmaller = made && (made->schedule.poolSize < pool.totalBytes ||
                              isMutated("split-without-gain"));
    // A pool that is too large is an error, and would be no smaller.
    if (isSmaller || pool.getReason() == UnmergeableReason::OverCapacity ||
        isMutated("split-stays"))
      continue;
    for (const BufferLifetime *buffer : pool.buffers)
      divided.erase(buffer->getAlloc());
  }
  return divided.size() != count;
}

bool buffer_merge::areValuesProvedToHelp(const MergePlan &plan) {
  for (const PoolPlan &pool : plan.pools) {
    if (!pool.getPool())
      continue;
    // The values of an allocation as one buffer, from the first to the last.
    // Its lifetime would not be shorter.
    SchedulingProblem whole;
    llvm::DenseMap<Operation *, size_t> bufferOf;
    for (auto [lifetime, buffer] :
         llvm::zip(pool.buffers, pool.problem.buffers)) {
      // The offsets have been decided elsewhere.
      if (buffer.fixedOffset)
        return true;
      size_t next = whole.buffers.size();
      if (lifetime->value)
        next = bufferOf.try_emplace(lifetime->getAlloc(), next).first->second;
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
