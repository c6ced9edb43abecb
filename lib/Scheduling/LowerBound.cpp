//===- LowerBound.cpp - What no schedule can beat -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

LowerBound buffer_merge::computeLowerBound(const SchedulingProblem &problem) {
  // What changes at a tick. Ends sort before begins at the same tick, because
  // the intervals are half open.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 0> changes;
  changes.reserve(2 * problem.buffers.size());
  int64_t highestFixedEnd = 0;
  int64_t highestFixedBegin = 0;
  for (const Buffer &buffer : problem.buffers) {
    changes.emplace_back(buffer.begin, buffer.size);
    changes.emplace_back(buffer.end, -buffer.size);
    if (buffer.fixedOffset &&
        *buffer.fixedOffset + buffer.size > highestFixedEnd) {
      highestFixedEnd = *buffer.fixedOffset + buffer.size;
      highestFixedBegin = buffer.begin;
    }
  }
  llvm::sort(changes);

  LowerBound bound;
  int64_t live = 0;
  for (auto [tick, change] : changes) {
    live += change;
    if (live > bound.bytes)
      bound = {live, tick};
  }
  if (highestFixedEnd > bound.bytes)
    bound = {highestFixedEnd, highestFixedBegin};
  return bound;
}

int64_t buffer_merge::computeTotalBytes(const SchedulingProblem &problem) {
  int64_t total = 0;
  for (const Buffer &buffer : problem.buffers)
    total += buffer.size;
  return total;
}
