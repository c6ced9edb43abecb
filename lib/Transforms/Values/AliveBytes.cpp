//===- AliveBytes.cpp - Bytes that are alive over time --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AliveBytes.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

/// Return the ticks of all of `changes`, at least one.
static TickRange getHull(llvm::ArrayRef<AliveBytes::Change> changes) {
  TickRange hull = changes.front().ticks;
  for (const AliveBytes::Change &change : changes)
    hull = hull.hull(change.ticks);
  return hull;
}

void AliveBytes::add(TickRange ticks, llvm::ArrayRef<TickRange> gaps,
                     int64_t bytes, llvm::SmallVectorImpl<Change> &changes) {
  changes.push_back({ticks, bytes});
  for (TickRange gap : gaps)
    changes.push_back({gap, -bytes});
}

AliveBytes::Scopes
AliveBytes::collect(llvm::ArrayRef<const BufferLifetime *> buffers) {
  llvm::MapVector<Scopes::key_type, llvm::SmallVector<Change>> changes;
  for (const BufferLifetime *buffer : buffers)
    if (!buffer->refusal)
      add(buffer->ticks, buffer->gaps, *buffer->size,
          changes[{buffer->scope, buffer->getMemorySpace()}]);
  Scopes scopes;
  for (const auto &[key, ofScope] : changes)
    scopes.insert({key, AliveBytes(ofScope)});
  return scopes;
}

AliveBytes::AliveBytes(llvm::ArrayRef<Change> buffers) {
  if (buffers.empty())
    return;
  TickRange hull = getHull(buffers);
  begin = hull.first;
  alive.assign(hull.last - hull.first + 1, 0);
  apply(buffers);
  limit = getPeak();
}

/// Return how the bytes change at each tick of `hull`.
static llvm::SmallVector<int64_t, 0>
sumUp(llvm::ArrayRef<AliveBytes::Change> changes, TickRange hull) {
  llvm::SmallVector<int64_t, 0> sums(hull.last - hull.first + 2);
  for (const AliveBytes::Change &change : changes) {
    sums[change.ticks.first - hull.first] += change.bytes;
    sums[change.ticks.last + 1 - hull.first] -= change.bytes;
  }
  for (size_t i = 1; i < sums.size(); ++i)
    sums[i] += sums[i - 1];
  sums.pop_back();
  return sums;
}

void AliveBytes::apply(llvm::ArrayRef<Change> changes) {
  TickRange hull = getHull(changes);
  for (auto [index, sum] : llvm::enumerate(sumUp(changes, hull)))
    alive[hull.first - begin + index] += sum;
}

bool AliveBytes::applyWithinPeak(llvm::ArrayRef<Change> changes) {
  TickRange hull = getHull(changes);
  llvm::SmallVector<int64_t, 0> sums = sumUp(changes, hull);
  for (auto [index, sum] : llvm::enumerate(sums))
    if (sum > 0 && alive[hull.first - begin + index] + sum > limit)
      return false;
  for (auto [index, sum] : llvm::enumerate(sums))
    alive[hull.first - begin + index] += sum;
  return true;
}

int64_t AliveBytes::getPeak() const {
  return alive.empty() ? 0 : *llvm::max_element(alive);
}
