//===- LowerBound.cpp - What no schedule can beat -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <numeric>

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
  llvm::sort(changes, std::less<>());

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

int64_t
buffer_merge::computeAlignedLowerBound(const SchedulingProblem &problem) {
  int64_t bound = computeLowerBound(problem).bytes;
  int64_t unit = 0;
  for (const Buffer &buffer : problem.buffers)
    unit = std::gcd(unit, buffer.alignment);
  if (unit <= 1)
    return bound;

  // Bytes that are lost above a buffer, unless it is the topmost.
  auto getLoss = [&](const Buffer &buffer) {
    return (unit - buffer.size % unit) % unit;
  };
  llvm::SmallVector<std::tuple<int64_t, bool, const Buffer *>, 0> events;
  events.reserve(2 * problem.buffers.size());
  for (const Buffer &buffer : problem.buffers) {
    events.emplace_back(buffer.begin, /*isBegin=*/true, &buffer);
    events.emplace_back(buffer.end, /*isBegin=*/false, &buffer);
  }
  llvm::sort(events, std::less<>());
  std::map<int64_t, unsigned> losses;
  int64_t live = 0;
  for (auto [tick, isBegin, buffer] : events) {
    int64_t loss = getLoss(*buffer);
    if (isBegin) {
      live += buffer->size + loss;
      ++losses[loss];
    } else {
      live -= buffer->size + loss;
      if (auto it = losses.find(loss); --it->second == 0)
        losses.erase(it);
    }
    if (!losses.empty())
      bound = std::max(bound, live - losses.rbegin()->first);
  }
  return bound;
}

int64_t buffer_merge::computeTotalBytes(const SchedulingProblem &problem) {
  int64_t total = 0;
  for (const Buffer &buffer : problem.buffers)
    total += buffer.size;
  return total;
}
