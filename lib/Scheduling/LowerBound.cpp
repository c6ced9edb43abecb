//===- LowerBound.cpp - What no schedule can beat -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bound is the largest sum of sizes at one tick, found by a sweep; two more
// sweeps add what alignment and conflicts cost for certain.
//
// More than one tick at a time would not help unless it is many: the buffers of
// any three sections can be placed within the largest of their sums. What is in
// all three goes to the bottom, what is in the first two on top of it, what is
// in the last two to the top, and what is in one of them between. (What is in
// the first and the last is in all three, unless there are gaps.)
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/LowerBound.h"
#include "KeySort.h"
#include "Mutation.h"
#include "Placement.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

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

  /// Call `visit(begin, end)` on each interval in which the buffer is alive.
  template <typename Visitor>
  void forEachLiveInterval(BufferId id, Visitor &&visit) const {
    Time from = getBegin(id);
    if (!isMutated("exact-bound")) {
      for (const TickInterval &gap : buffers[id].gaps) {
        visit(from, Time(gap.begin, false));
        from = {gap.end, false};
      }
    }
    visit(from, getEnd(id));
  }

  /// Return true if both buffers are alive at one point in time. Half a tick is
  /// missing at the begin or the end of a lifetime only, where there are no
  /// gaps.
  bool overlap(BufferId a, BufferId b) const {
    return getBegin(a) < getEnd(b) && getBegin(b) < getEnd(a) &&
           buffers[a].overlapsInTime(buffers[b]);
  }

private:
  llvm::ArrayRef<Buffer> buffers;
  llvm::BitVector isEarlier, isLater;
};
} // namespace

LowerBound buffer_merge::computeLowerBound(const SchedulingProblem &problem) {
  // What changes at a tick, in the order of what happens there: ends come
  // before begins, because the intervals are half open, and both before the
  // middle.
  HalvedLifetimes lifetimes(problem);
  llvm::SmallVector<std::pair<int64_t, int64_t>, 0> changes;
  changes.reserve(2 * problem.buffers.size());
  auto append = [&](bool isMiddle, bool isBegin) {
    for (BufferId id = 0; id < problem.buffers.size(); ++id) {
      int64_t size = problem.buffers[id].size;
      lifetimes.forEachLiveInterval(id, [&](Time begin, Time end) {
        auto [tick, isHalf] = isBegin ? begin : end;
        if (isHalf == isMiddle)
          changes.emplace_back(tick, isBegin ? size : -size);
      });
    }
  };
  for (bool isMiddle : {false, true})
    for (bool isBegin : {false, true})
      if (!isMiddle || !problem.inPlacePairs.empty())
        append(isMiddle, isBegin);
  sortByKey(changes, [](const auto &change) { return change.first; });

  LowerBound bound;
  int64_t live = 0;
  for (auto [tick, change] : changes) {
    live += change;
    if (live > bound.bytes)
      bound = {live, tick};
  }
  // A fixed offset may be higher than that.
  for (const Buffer &buffer : problem.buffers)
    if (buffer.fixedOffset && *buffer.fixedOffset + buffer.size > bound.bytes)
      bound = {*buffer.fixedOffset + buffer.size, buffer.begin};
  return bound;
}

namespace {
/// Buffers of which no two may share bytes, one upon the other.
class Clique {
public:
  /// Offsets are multiples of `unit` bytes.
  explicit Clique(int64_t unit) : unit(unit) {}

  void add(const Buffer &buffer) {
    int64_t loss = getLoss(buffer);
    roundedBytes += buffer.size + loss;
    ++losses[loss];
  }
  void remove(const Buffer &buffer) {
    int64_t loss = getLoss(buffer);
    roundedBytes -= buffer.size + loss;
    if (auto it = losses.find(loss); --it->second == 0)
      losses.erase(it);
  }

  /// Return the bytes that they need at least, in the best order.
  int64_t getBytes() const {
    return losses.empty() ? 0 : roundedBytes - losses.rbegin()->first;
  }

private:
  /// Bytes that are lost above a buffer, unless it is the topmost.
  int64_t getLoss(const Buffer &buffer) const {
    return (unit - buffer.size % unit) % unit;
  }

  int64_t unit;
  int64_t roundedBytes = 0;
  std::map<int64_t, unsigned> losses;
};
} // namespace

/// Return the most bytes that buffers alive at one time need.
static int64_t computePeakBound(const SchedulingProblem &problem,
                                const HalvedLifetimes &lifetimes,
                                int64_t unit) {
  llvm::SmallVector<std::tuple<Time, bool, const Buffer *>, 0> events;
  events.reserve(2 * problem.buffers.size());
  for (BufferId id = 0; id < problem.buffers.size(); ++id) {
    const Buffer *buffer = &problem.buffers[id];
    lifetimes.forEachLiveInterval(id, [&](Time begin, Time end) {
      events.emplace_back(begin, /*isBegin=*/true, buffer);
      events.emplace_back(end, /*isBegin=*/false, buffer);
    });
  }
  llvm::sort(events, std::less<>());
  Clique alive(unit);
  int64_t bound = 0;
  for (auto [time, isBegin, buffer] : events) {
    if (isBegin)
      alive.add(*buffer);
    else
      alive.remove(*buffer);
    bound = std::max(bound, alive.getBytes());
  }
  return bound;
}

/// Return the most bytes that the cliques need which a greedy search finds when
/// conflicts count as well: each of the largest buffers begins one, to which
/// the others come from the largest to the smallest.
static int64_t computeCliqueBound(const SchedulingProblem &problem,
                                  const HalvedLifetimes &lifetimes,
                                  int64_t unit) {
  llvm::DenseSet<std::pair<BufferId, BufferId>> conflicts;
  for (auto [a, b] : problem.conflicts)
    conflicts.insert({std::min(a, b), std::max(a, b)});
  auto mayShare = [&](BufferId a, BufferId b) {
    return !lifetimes.overlap(a, b) &&
           !conflicts.contains({std::min(a, b), std::max(a, b)});
  };
  llvm::ArrayRef<Buffer> buffers = problem.buffers;
  auto order = llvm::to_vector_of<BufferId, 0>(llvm::seq(buffers.size()));
  llvm::stable_sort(order, [&](BufferId a, BufferId b) {
    return buffers[a].size > buffers[b].size;
  });

  constexpr size_t maxCliques = 16;
  int64_t steps = (int64_t(1) << 16) + maxCliques * buffers.size();
  int64_t bound = 0;
  for (BufferId first : llvm::ArrayRef(order).take_front(maxCliques)) {
    llvm::SmallVector<BufferId> members = {first};
    Clique clique(unit);
    clique.add(buffers[first]);
    for (BufferId id : order) {
      if (id == first)
        continue;
      bool fits = llvm::none_of(members, [&](BufferId member) {
        --steps;
        return mayShare(id, member);
      });
      if (steps < 0)
        return bound;
      if (!fits)
        continue;
      members.push_back(id);
      clique.add(buffers[id]);
      bound = std::max(bound, clique.getBytes());
    }
  }
  return bound;
}

/// Return the largest end of a buffer that is placed as low as the fixed ones
/// alive with it allow: beside others it is no lower.
static int64_t computeFixedBound(const SchedulingProblem &problem) {
  llvm::SmallVector<BufferId, 0> fixed = collectFixed(problem);
  // Few are what a program asks for; more take quadratic time.
  constexpr size_t maxFixed = 64;
  if (fixed.empty() || fixed.size() > maxFixed)
    return 0;
  llvm::DenseSet<std::pair<BufferId, BufferId>> mayShare;
  for (const InPlacePair &pair : problem.inPlacePairs) {
    mayShare.insert({pair.earlier, pair.later});
    mayShare.insert({pair.later, pair.earlier});
  }
  int64_t bound = 0;
  for (auto [id, buffer] : llvm::enumerate(problem.buffers)) {
    llvm::SmallVector<ByteRange> occupied;
    for (BufferId other : fixed) {
      const Buffer &obstacle = problem.buffers[other];
      if (other != id && buffer.overlapsInTime(obstacle) &&
          !mayShare.contains({static_cast<BufferId>(id), other}))
        occupied.push_back(
            {*obstacle.fixedOffset, *obstacle.fixedOffset + obstacle.size});
    }
    llvm::sort(occupied);
    if (!buffer.fixedOffset)
      bound = std::max(bound, buffer.size + findOffset(occupied, buffer,
                                                       /*poolSize=*/0,
                                                       GapChoice::First));
  }
  return bound;
}

int64_t buffer_merge::computeProvedBound(const SchedulingProblem &problem) {
  int64_t bound =
      std::max(computeLowerBound(problem).bytes, computeFixedBound(problem));
  int64_t unit = 0;
  for (const Buffer &buffer : problem.buffers)
    unit = std::gcd(unit, buffer.alignment);
  HalvedLifetimes lifetimes(problem);
  // Nothing is lost if all sizes are multiples of the unit.
  if (unit > 1 && llvm::any_of(problem.buffers, [&](const Buffer &buffer) {
        return buffer.size % unit != 0;
      }))
    bound = std::max(bound, computePeakBound(problem, lifetimes, unit));
  if (!problem.conflicts.empty())
    bound = std::max(bound, computeCliqueBound(problem, lifetimes, unit));
  return bound;
}

int64_t buffer_merge::computeTotalBytes(const SchedulingProblem &problem) {
  int64_t total = 0;
  for (const Buffer &buffer : problem.buffers)
    total += buffer.size;
  return total;
}
