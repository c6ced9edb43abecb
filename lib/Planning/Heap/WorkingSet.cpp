//===- WorkingSet.cpp - What one operation needs --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkingSet.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the bytes that operations may write in place of others.
static llvm::DenseMap<Operation *, int64_t>
countInPlace(const BufferLifetimes &lifetimes) {
  // What is written can be in place of one of those that are read.
  llvm::MapVector<std::pair<Operation *, const BufferLifetime *>, int64_t> most;
  for (const InPlaceBuffers &pair : lifetimes.getInPlaceBuffers()) {
    int64_t &bytes = most[{pair.op, lifetimes.lookup(pair.later->alloc)}];
    bytes = std::max(bytes, std::min(*pair.earlier->size, *pair.later->size));
  }
  llvm::DenseMap<Operation *, int64_t> sums;
  for (const auto &[key, bytes] : most)
    sums[key.first] += bytes;
  return sums;
}

WorkingSet buffer_merge::findLargestWorkingSet(const MergePlan &plan) {
  const BufferLifetimes &lifetimes = *plan.lifetimes;
  llvm::DenseSet<const BufferLifetime *> elsewhere;
  for (const PoolPlan &pool : plan.pools)
    if (pool.argument)
      for (const BufferLifetime *buffer : pool.buffers)
        elsewhere.insert(lifetimes.lookup(buffer->alloc));
  auto isCounted = [&](const BufferLifetime &buffer) {
    return !buffer.refusal && buffer.size && !buffer.isWorkgroup &&
           !buffer.isInDeviceCode && !elsewhere.contains(&buffer);
  };
  // What is where it is copied to needs no copy.
  llvm::DenseSet<Operation *> copies;
  for (const PoolPlan &pool : plan.pools)
    for (const BufferLifetime *buffer : pool.buffers)
      if (buffer->parts && pool.getPool())
        copies.insert_range(buffer->parts->copies);
  // What may be one buffer or another is one of them.
  llvm::DenseMap<OpOperand *, unsigned> numBuffers;
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (isCounted(buffer))
      for (const BufferEvent &event : buffer.events)
        ++numBuffers[event.operand];
  llvm::MapVector<Operation *, int64_t> accessed;
  for (const BufferLifetime &buffer : lifetimes.getBuffers()) {
    if (!isCounted(buffer))
      continue;
    llvm::SmallPtrSet<Operation *, 8> seen;
    for (const BufferEvent &event : buffer.events)
      if (event.kind != BufferEvent::Kind::Forward &&
          !copies.contains(event.operand->getOwner()) &&
          numBuffers.lookup(event.operand) == 1 &&
          seen.insert(event.operand->getOwner()).second)
        accessed[event.operand->getOwner()] += *buffer.size;
  }
  llvm::DenseMap<Operation *, int64_t> inPlace = countInPlace(lifetimes);
  WorkingSet largest;
  for (const auto &[op, bytes] : accessed) {
    int64_t needed = bytes - inPlace.lookup(op);
    if (needed > largest.bytes)
      largest = {needed, op};
  }
  return largest;
}
