//===- SchedulingProblem.cpp - What a scheduler is given ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What makes a problem well formed; sums are bounded so that no scheduler can
// overflow.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/SchedulingProblem.h"
#include "KeySort.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <numeric>

using namespace buffer_merge;

const TickInterval *Buffer::findMalformedGap() const {
  int64_t liveFrom = begin;
  for (const TickInterval &gap : gaps) {
    if (gap.begin <= liveFrom || gap.begin >= gap.end || gap.end >= end)
      return &gap;
    liveFrom = gap.end;
  }
  return nullptr;
}

bool Buffer::overlapsBesideGaps(const Buffer &other) const {
  // From one live interval to the next of the one that ends first.
  const TickInterval *gap = gaps.begin(), *otherGap = other.gaps.begin();
  int64_t from = begin, otherFrom = other.begin;
  while (true) {
    int64_t to = gap == gaps.end() ? end : gap->begin;
    int64_t otherTo =
        otherGap == other.gaps.end() ? other.end : otherGap->begin;
    if (from < otherTo && otherFrom < to)
      return true;
    if (to <= otherTo) {
      if (gap == gaps.end())
        return false;
      from = gap++->end;
    } else {
      if (otherGap == other.gaps.end())
        return false;
      otherFrom = otherGap++->end;
    }
  }
}

namespace {
template <typename... Args>
llvm::Error makeError(const char *format, Args &&...args) {
  return llvm::createStringError(
      llvm::formatv(format, std::forward<Args>(args)...).str());
}
} // namespace

/// Check what concerns `buffer` alone, and add what it may take to `total`.
static llvm::Error checkBuffer(const Buffer &buffer, size_t index,
                               int64_t &total) {
  if (buffer.size <= 0)
    return makeError("buffer {0}: size {1} is not positive", index,
                     buffer.size);
  if (buffer.alignment <= 0)
    return makeError("buffer {0}: alignment {1} is not positive", index,
                     buffer.alignment);
  if (buffer.begin >= buffer.end)
    return makeError("buffer {0}: lifetime [{1}, {2}) is empty", index,
                     buffer.begin, buffer.end);
  if (const TickInterval *gap = buffer.findMalformedGap())
    return makeError("buffer {0}: gap [{1}, {2}) is empty or leaves no live "
                     "tick before or after it",
                     index, gap->begin, gap->end);
  // Each term is checked alone first, so that the sum cannot overflow.
  if (buffer.size > maxBytes || buffer.alignment > maxBytes)
    return makeError("buffer {0}: size or alignment exceeds {1} bytes", index,
                     maxBytes);
  total += buffer.size + buffer.alignment - 1;
  if (total > maxBytes)
    return makeError("buffer {0}: the sum of sizes exceeds {1} bytes", index,
                     maxBytes);
  if (!buffer.fixedOffset)
    return llvm::Error::success();
  if (*buffer.fixedOffset < 0 || *buffer.fixedOffset > maxBytes - buffer.size)
    return makeError("buffer {0}: fixed offset {1} is out of range", index,
                     *buffer.fixedOffset);
  if (*buffer.fixedOffset % buffer.alignment != 0)
    return makeError("buffer {0}: fixed offset {1} is not a multiple of its "
                     "alignment {2}",
                     index, *buffer.fixedOffset, buffer.alignment);
  return llvm::Error::success();
}

static llvm::Error checkInPlacePair(const SchedulingProblem &problem,
                                    size_t index, const InPlacePair &pair) {
  if (pair.earlier >= problem.buffers.size() ||
      pair.later >= problem.buffers.size())
    return makeError("in-place pair {0}: there is no buffer {1}", index,
                     std::max(pair.earlier, pair.later));
  const Buffer &earlier = problem.buffers[pair.earlier];
  const Buffer &later = problem.buffers[pair.later];
  if (earlier.begin >= later.begin)
    return makeError("in-place pair {0}: buffer {1} does not begin before "
                     "buffer {2}",
                     index, pair.earlier, pair.later);
  // Not `later.begin + 1`: the tick may be anything.
  if (earlier.end - 1 != later.begin)
    return makeError("in-place pair {0}: the last tick of buffer {1} is not "
                     "the first of buffer {2}",
                     index, pair.earlier, pair.later);
  return llvm::Error::success();
}

llvm::Error buffer_merge::checkProblem(const SchedulingProblem &problem) {
  int64_t total = 0;
  int64_t poolAlignment = 1;
  for (const auto &[index, buffer] : llvm::enumerate(problem.buffers)) {
    if (llvm::Error error = checkBuffer(buffer, index, total))
      return error;
    // makeSchedule() asks the pool for the least common multiple.
    int64_t factor =
        buffer.alignment / std::gcd(poolAlignment, buffer.alignment);
    if (factor > maxBytes / poolAlignment)
      return makeError("buffer {0}: no common multiple of the alignments is "
                       "below {1}",
                       index, maxBytes);
    poolAlignment *= factor;
  }
  for (const auto &[index, pair] : llvm::enumerate(problem.conflicts)) {
    if (pair.first >= problem.buffers.size() ||
        pair.second >= problem.buffers.size())
      return makeError("conflict {0}: there is no buffer {1}", index,
                       std::max(pair.first, pair.second));
    if (pair.first == pair.second)
      return makeError("conflict {0}: buffer {1} is in conflict with itself",
                       index, pair.first);
  }
  for (const auto &[index, pair] : llvm::enumerate(problem.samePlaces)) {
    if (pair.first >= problem.buffers.size() ||
        pair.second >= problem.buffers.size())
      return makeError("same place {0}: there is no buffer {1}", index,
                       std::max(pair.first, pair.second));
    if (pair.first == pair.second)
      return makeError("same place {0}: buffer {1} has its own place", index,
                       pair.first);
  }
  for (const auto &[index, pair] : llvm::enumerate(problem.inPlacePairs))
    if (llvm::Error error = checkInPlacePair(problem, index, pair))
      return error;
  if (problem.capacity && *problem.capacity < 0)
    return makeError("capacity {0} is negative", *problem.capacity);
  return llvm::Error::success();
}

Schedule buffer_merge::makeSchedule(const SchedulingProblem &problem,
                                    llvm::SmallVector<int64_t, 0> offsets) {
  Schedule schedule;
  schedule.offsets = std::move(offsets);
  for (const auto &[buffer, offset] :
       llvm::zip_equal(problem.buffers, schedule.offsets)) {
    schedule.poolSize = std::max(schedule.poolSize, offset + buffer.size);
    schedule.poolAlignment = std::lcm(schedule.poolAlignment, buffer.alignment);
  }
  return schedule;
}

bool buffer_merge::hasGaps(const SchedulingProblem &problem) {
  return llvm::any_of(problem.buffers, [](const Buffer &buffer) {
    return !buffer.gaps.empty();
  });
}

bool buffer_merge::hasFixedOffsets(const SchedulingProblem &problem) {
  return llvm::any_of(problem.buffers, [](const Buffer &buffer) {
    return buffer.fixedOffset.has_value();
  });
}

SchedulingProblem buffer_merge::rankTicks(const SchedulingProblem &problem) {
  llvm::SmallVector<int64_t, 0> ticks;
  ticks.reserve(2 * problem.buffers.size());
  for (const Buffer &buffer : problem.buffers) {
    buffer.forEachLiveInterval([&](int64_t begin, int64_t end) {
      ticks.push_back(begin);
      ticks.push_back(end);
    });
  }
  sortNumbers(ticks);
  ticks.erase(llvm::unique(ticks), ticks.end());
  auto getRank = [&](int64_t tick) {
    return llvm::lower_bound(ticks, tick) - ticks.begin();
  };
  SchedulingProblem ranked = problem;
  for (Buffer &buffer : ranked.buffers) {
    buffer.begin = getRank(buffer.begin);
    buffer.end = getRank(buffer.end);
    for (TickInterval &gap : buffer.gaps)
      gap = {getRank(gap.begin), getRank(gap.end)};
  }
  return ranked;
}
