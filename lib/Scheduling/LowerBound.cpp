//===- LowerBound.cpp - What no schedule can beat -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <numeric>

using namespace buffer_merge;

namespace {
/// A point in time: a tick, or the middle of one.
using Time = std::pair<int64_t, bool>;

/// Lifetimes that leave the tick of an in-place pair to one of the two: the
/// earlier buffer has its first half, the later one its second half. Of those
/// that are alive at one point in time no two may share bytes.
class HalvedLifetimes {
public:
  explicit HalvedLifetimes(const SchedulingProblem &problem)
      : buffers(problem.buffers) {
    if (problem.inPlacePairs.empty())
      return;
    isEarlier.resize(buffers.size());
    isLater.resize(buffers.size());
    for (const InPlacePair &pair : problem.inPlacePairs) {
      isEarlier.set(pair.earlier);
      isLater.set(pair.later);
    }
  }

  Time getBegin(BufferId id) const {
    return {buffers[id].begin, !isLater.empty() && isLater.test(id)};
  }
  Time getEnd(BufferId id) const {
    if (isEarlier.empty() || !isEarlier.test(id))
      return {buffers[id].end, false};
    return {buffers[id].end - 1, true};
  }

private:
  llvm::ArrayRef<Buffer> buffers;
  llvm::BitVector isEarlier, isLater;
};
} // namespace

LowerBound buffer_merge::computeLowerBound(const SchedulingProblem &problem) {
  // What changes at a tick. Ends sort before begins at the same time, because
  // the intervals are half open.
  HalvedLifetimes lifetimes(problem);
  llvm::SmallVector<std::pair<Time, int64_t>, 0> changes;
  changes.reserve(2 * problem.buffers.size());
  int64_t highestFixedEnd = 0;
  int64_t highestFixedBegin = 0;
  for (const auto &[id, buffer] : llvm::enumerate(problem.buffers)) {
    changes.emplace_back(lifetimes.getBegin(id), buffer.size);
    changes.emplace_back(lifetimes.getEnd(id), -buffer.size);
    if (buffer.fixedOffset &&
        *buffer.fixedOffset + buffer.size > highestFixedEnd) {
      highestFixedEnd = *buffer.fixedOffset + buffer.size;
      highestFixedBegin = buffer.begin;
    }
  }
  llvm::sort(changes, std::less<>());

  LowerBound bound;
  int64_t live = 0;
  for (auto [time, change] : changes) {
    live += change;
    if (live > bound.bytes)
      bound = {live, time.first};
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
  HalvedLifetimes lifetimes(problem);
  llvm::SmallVector<std::tuple<Time, bool, const Buffer *>, 0> events;
  events.reserve(2 * problem.buffers.size());
  for (const auto &[id, buffer] : llvm::enumerate(problem.buffers)) {
    events.emplace_back(lifetimes.getBegin(id), /*isBegin=*/true, &buffer);
    events.emplace_back(lifetimes.getEnd(id), /*isBegin=*/false, &buffer);
  }
  llvm::sort(events, std::less<>());
  std::map<int64_t, unsigned> losses;
  int64_t live = 0;
  for (auto [time, isBegin, buffer] : events) {
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
