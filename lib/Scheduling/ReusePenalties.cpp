//===- ReusePenalties.cpp - What sharing bytes costs ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/ReuseAsNeeded.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace buffer_merge;

llvm::Error buffer_merge::checkReuseProblem(const ReuseProblem &problem) {
  if (llvm::Error error = checkProblem(problem.problem))
    return error;
  size_t numBuffers = problem.problem.buffers.size();
  llvm::SmallVector<std::pair<BufferId, BufferId>, 0> pairs;
  int64_t sum = 0;
  for (const auto &[index, item] : llvm::enumerate(problem.penalties)) {
    if (item.first >= numBuffers || item.second >= numBuffers ||
        item.first == item.second)
      return llvm::createStringError(
          llvm::formatv("penalty {0} is not about two buffers", index).str());
    if (item.penalty < 1 || item.penalty > maxBytes - sum)
      return llvm::createStringError(
          llvm::formatv("penalty {0} is less than 1, or the sum of them is too "
                        "large",
                        index)
              .str());
    sum += item.penalty;
    pairs.push_back(std::minmax(item.first, item.second));
  }
  llvm::sort(pairs);
  if (auto twice = std::adjacent_find(pairs.begin(), pairs.end());
      twice != pairs.end())
    return llvm::createStringError(
        llvm::formatv("buffers {0} and {1} have two penalties", twice->first,
                      twice->second)
            .str());
  return llvm::Error::success();
}

int64_t buffer_merge::getReusePenalty(int64_t idleTicks) {
  constexpr int64_t most = 1000;
  return std::max<int64_t>(most / (1 + std::min(idleTicks, most)), 1);
}

/// Return the least number of ticks between a live one of `a` and one of `b`,
/// which do not overlap in time.
static int64_t getIdleTicks(const Buffer &a, const Buffer &b) {
  int64_t least = std::numeric_limits<int64_t>::max();
  a.forEachLiveInterval([&](int64_t begin, int64_t end) {
    b.forEachLiveInterval([&](int64_t otherBegin, int64_t otherEnd) {
      least = std::min(least,
                       otherBegin >= end ? otherBegin - end : begin - otherEnd);
    });
  });
  return least;
}

llvm::SmallVector<ReusePenalty, 0> buffer_merge::computeReusePenalties(
    const SchedulingProblem &problem,
    llvm::function_ref<bool(BufferId, BufferId)> waitsAnyway) {
  struct Pair {
    int64_t idleTicks;
    BufferId first, second;

    bool operator<(const Pair &other) const {
      return std::tuple(idleTicks, first, second) <
             std::tuple(other.idleTicks, other.first, other.second);
    }
  };
  constexpr size_t maxPairs = 65536;
  llvm::SmallVector<Pair, 0> pairs;
  auto keepNearest = [&] {
    if (pairs.size() <= maxPairs)
      return;
    std::nth_element(pairs.begin(), pairs.begin() + maxPairs, pairs.end());
    pairs.truncate(maxPairs);
  };
  for (BufferId first = 0; first < problem.buffers.size(); ++first)
    for (BufferId second = first + 1; second < problem.buffers.size();
         ++second) {
      const Buffer &a = problem.buffers[first], &b = problem.buffers[second];
      if (a.overlapsInTime(b))
        continue;
      if (waitsAnyway && ((a.end <= b.begin && waitsAnyway(first, second)) ||
                          (b.end <= a.begin && waitsAnyway(second, first))))
        continue;
      pairs.push_back({getIdleTicks(a, b), first, second});
      if (pairs.size() == 4 * maxPairs)
        keepNearest();
    }
  keepNearest();
  llvm::sort(pairs, [](const Pair &a, const Pair &b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
  llvm::SmallVector<ReusePenalty, 0> penalties;
  for (const Pair &pair : pairs)
    penalties.push_back(
        {pair.first, pair.second, getReusePenalty(pair.idleTicks)});
  return penalties;
}

ReuseCost buffer_merge::computeReuseCost(const ReuseProblem &problem,
                                         const Schedule &schedule) {
  ReuseCost cost;
  for (const ReusePenalty &item : problem.penalties)
    if (shareBytes(problem.problem, schedule, item.first, item.second)) {
      ++cost.numPairs;
      cost.penalty += item.penalty;
    }
  return cost;
}
