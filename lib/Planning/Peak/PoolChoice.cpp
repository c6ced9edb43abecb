//===- PoolChoice.cpp - Buffers for a pool that raises no peak ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolChoice.h"
#include "Mutation.h"
#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <queue>

using namespace buffer_merge;

namespace {
/// Candidates that a pool could hold.
struct Choice {
  llvm::SmallVector<const PoolCandidate *, 0> candidates;
  int64_t numBuffers = 0, bytes = 0;

  bool isBetterThan(const Choice &other) const {
    return std::pair(numBuffers, bytes) >
           std::pair(other.numBuffers, other.bytes);
  }
};

/// The most bytes of a choice that are alive at one tick, which no pool is
/// smaller than, and all such ticks.
struct Peaks {
  int64_t bytes = 0;
  llvm::SmallVector<int64_t, 0> ticks;
};

/// A buffer of a candidate begins, or ends if `bytes` is negative.
struct Change {
  int64_t tick, bytes;
  const PoolCandidate *candidate;
};

/// Where a pool is in the way: by how many bytes, and in which timeline.
struct Excess {
  int64_t tick, bytes;
  size_t timeline;

  /// Return how `candidate` is held there.
  const PoolCandidate::Hold &getHold(const PoolCandidate &candidate) const {
    return candidate.holds[timeline];
  }

  /// Return true if `candidate` is held there without a pool: to take it out
  /// of the pool gains nothing there.
  bool isInUse(const PoolCandidate &candidate) const {
    return llvm::any_of(getHold(candidate).items, [&](const HeldItem &item) {
      return (item.ticks.first <= tick && tick <= item.ticks.last) ||
             isMutated("peak-choice-in-use");
    });
  }
};

class PoolChooser {
public:
  PoolChooser(llvm::ArrayRef<const HeapTimeline *> timelines, int64_t percent,
              int64_t leastBuffers)
      : timelines(timelines), percent(percent), leastBuffers(leastBuffers) {}

  void improve(Choice &best, llvm::ArrayRef<const PoolCandidate *> candidates,
               unsigned maxDepth) const;

private:
  std::optional<Excess> findExcess(const Choice &choice,
                                   const Peaks &peaks) const;
  void improveByPeaks(Choice &best,
                      llvm::ArrayRef<const PoolCandidate *> candidates,
                      llvm::ArrayRef<Change> changes, bool largestFirst,
                      size_t maxTicks,
                      llvm::SmallVectorImpl<Excess> &worst) const;

  llvm::ArrayRef<const HeapTimeline *> timelines;
  int64_t percent, leastBuffers;
};
} // namespace

/// Return the size of the largest buffer of `candidate`.
static int64_t getSize(const PoolCandidate &candidate) {
  int64_t size = 0;
  for (const Buffer &buffer : candidate.buffers)
    size = std::max(size, buffer.size);
  return size;
}

static Choice
makeChoice(llvm::ArrayRef<const PoolCandidate *> candidates,
           llvm::function_ref<bool(const PoolCandidate &)> isIncluded) {
  Choice choice;
  for (const PoolCandidate *candidate : candidates)
    if (candidate->isKept || isIncluded(*candidate)) {
      choice.candidates.push_back(candidate);
      choice.numBuffers += candidate->buffers.size();
      for (const Buffer &buffer : candidate->buffers)
        choice.bytes += buffer.size;
    }
  return choice;
}

/// Return the begins and ends of the buffers of `candidates` in the order of
/// time. At one tick, what ends comes first.
static llvm::SmallVector<Change, 0>
collectChanges(llvm::ArrayRef<const PoolCandidate *> candidates) {
  llvm::SmallVector<Change, 0> changes;
  for (const PoolCandidate *candidate : candidates)
    for (const Buffer &buffer : candidate->buffers) {
      changes.push_back({buffer.begin, buffer.size, candidate});
      changes.push_back({buffer.end, -buffer.size, candidate});
    }
  llvm::sort(changes, [](const Change &a, const Change &b) {
    return std::tie(a.tick, a.bytes) < std::tie(b.tick, b.bytes);
  });
  return changes;
}

/// Find where most bytes of `choice` are alive, among `changes` of it and of
/// other candidates.
static Peaks findPeaks(const Choice &choice, llvm::ArrayRef<Change> changes) {
  Peaks peaks;
  if (choice.candidates.empty())
    return peaks;
  // They are in the order of one array.
  const PoolCandidate *first = choice.candidates.front();
  llvm::BitVector isChosen(choice.candidates.back() - first + 1);
  for (const PoolCandidate *candidate : choice.candidates)
    isChosen.set(candidate - first);
  int64_t live = 0;
  for (auto [tick, bytes, candidate] : changes) {
    if (candidate < first || candidate > choice.candidates.back() ||
        !isChosen[candidate - first])
      continue;
    live += bytes;
    if (live > peaks.bytes)
      peaks.ticks.clear();
    peaks.bytes = std::max(peaks.bytes, live);
    if (live == peaks.bytes && bytes > 0)
      peaks.ticks.push_back(tick);
  }
  return peaks;
}

/// Return where a pool of `choice` raises the peak most, if it does.
std::optional<Excess> PoolChooser::findExcess(const Choice &choice,
                                              const Peaks &peaks) const {
  std::optional<Excess> worst;
  for (size_t index = 0; index < timelines.size(); ++index) {
    llvm::SmallVector<const HeldItem *, 0> items;
    HeldBytes pool = {INT64_MAX, INT64_MIN, 0};
    for (const PoolCandidate *candidate : choice.candidates) {
      const PoolCandidate::Hold &hold = candidate->holds[index];
      for (const HeldItem &item : hold.items)
        items.push_back(&item);
      pool.begin = std::min(pool.begin, hold.begin);
      pool.end = std::max(pool.end, hold.end);
    }
    pool.bytes = peaks.bytes + peaks.bytes / 100 * (percent - 100);
    int64_t bytes = 0;
    std::optional<int64_t> tick =
        timelines[index]->findExcess(pool, items, &bytes);
    if (tick && (!worst || bytes > worst->bytes))
      worst = {*tick, bytes, index};
  }
  return worst;
}

/// Take candidates out of `choice`, so that the pool gets smaller: for each of
/// its `peaks` the largest one that is alive, or the smallest one, among those
/// that `mayLeave`; of equal ones, that which is alive at most peaks. Return
/// false if there are none.
static bool
lowerPeaks(Choice &choice, llvm::ArrayRef<int64_t> peaks, bool largestFirst,
           llvm::function_ref<bool(const PoolCandidate &)> mayLeave) {
  // Greedy set cover: what a candidate lowers shrinks as others leave, and is
  // counted again when it is its turn.
  llvm::SmallVector<int64_t, 0> high(peaks);
  // The peaks that are still high at which a buffer is alive.
  auto getPeaks = [&](const Buffer &buffer) {
    return std::pair(llvm::lower_bound(high, buffer.begin),
                     llvm::lower_bound(high, buffer.end));
  };
  llvm::BitVector isLeaving(choice.candidates.size());
  auto countLowered = [&](const PoolCandidate &candidate) {
    int64_t count = 0;
    for (const Buffer &buffer : candidate.buffers) {
      auto [first, end] = getPeaks(buffer);
      count += end - first;
    }
    return count;
  };
  using Candidate = std::tuple<int64_t, int64_t, size_t>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  auto enqueue = [&](size_t index) {
    int64_t size = getSize(*choice.candidates[index]);
    if (int64_t count = countLowered(*choice.candidates[index]))
      queue.emplace(largestFirst ? -size : size, -count, index);
  };
  for (size_t index = 0; index < choice.candidates.size(); ++index)
    if (!choice.candidates[index]->isKept &&
        mayLeave(*choice.candidates[index]))
      enqueue(index);
  while (!queue.empty()) {
    auto [size, count, index] = queue.top();
    queue.pop();
    if (countLowered(*choice.candidates[index]) != -count) {
      enqueue(index);
      continue;
    }
    isLeaving.set(index);
    for (const Buffer &buffer : choice.candidates[index]->buffers) {
      auto [first, end] = getPeaks(buffer);
      high.erase(first, end);
    }
  }
  size_t index = 0;
  choice = makeChoice(choice.candidates, [&](const PoolCandidate &) {
    return !isLeaving[index++];
  });
  return isLeaving.any();
}

/// Replace `best` if `candidates` are better without those that have to leave
/// for a pool that does not raise the peak. At each peak of the pool either the
/// largest one leaves, or the smallest one that is enough and is not in use
/// when the pool is in the way. Add where it is to `worst`, until it has
/// `maxTicks`. `changes` are those of `candidates`.
void PoolChooser::improveByPeaks(
    Choice &best, llvm::ArrayRef<const PoolCandidate *> candidates,
    llvm::ArrayRef<Change> changes, bool largestFirst, size_t maxTicks,
    llvm::SmallVectorImpl<Excess> &worst) const {
  constexpr size_t maxSteps = 48;
  Choice choice =
      makeChoice(candidates, [](const PoolCandidate &) { return true; });
  for (size_t step = 0; choice.numBuffers >= leastBuffers; ++step) {
    // It only gets smaller.
    bool isBetter = choice.isBetterThan(best);
    if (!isBetter && worst.size() >= maxTicks)
      return;
    Peaks peaks = findPeaks(choice, changes);
    std::optional<Excess> excess = findExcess(choice, peaks);
    if (!excess) {
      if (isBetter)
        best = std::move(choice);
      return;
    }
    if (worst.size() < maxTicks &&
        llvm::none_of(worst, [&](const Excess &other) {
          return other.tick == excess->tick;
        }))
      worst.push_back(*excess);
    auto isEnough = [&](const PoolCandidate &candidate) {
      return largestFirst || (getSize(candidate) >= excess->bytes &&
                              !excess->isInUse(candidate));
    };
    if (step == maxSteps ||
        !lowerPeaks(choice, peaks.ticks, largestFirst, isEnough))
      return;
  }
}

/// Replace `best` by a better choice among `candidates`, if one is found.
void PoolChooser::improve(Choice &best,
                          llvm::ArrayRef<const PoolCandidate *> candidates,
                          unsigned maxDepth) const {
  const size_t maxTicks = maxDepth == 0 ? 0 : 2;
  llvm::SmallVector<Excess> worst;
  llvm::SmallVector<Change, 0> changes = collectChanges(candidates);
  for (bool largestFirst : {false, true})
    improveByPeaks(best, candidates, changes, largestFirst, maxTicks, worst);
  for (const Excess &excess : worst) {
    Choice before = makeChoice(candidates, [&](const PoolCandidate &candidate) {
      return excess.getHold(candidate).end <= excess.tick;
    });
    Choice after = makeChoice(candidates, [&](const PoolCandidate &candidate) {
      return excess.getHold(candidate).begin > excess.tick;
    });
    for (const Choice &part : {before, after})
      if (part.isBetterThan(best) && part.candidates.size() < candidates.size())
        improve(best, part.candidates, maxDepth - 1);
  }
}

llvm::SmallVector<size_t, 0>
buffer_merge::choosePool(llvm::ArrayRef<const HeapTimeline *> timelines,
                         llvm::ArrayRef<PoolCandidate> candidates,
                         int64_t percent, int64_t leastBuffers) {
  constexpr unsigned maxDepth = 5;
  llvm::SmallVector<const PoolCandidate *, 0> all;
  for (const PoolCandidate &candidate : candidates)
    all.push_back(&candidate);
  Choice choice;
  PoolChooser(timelines, percent, leastBuffers).improve(choice, all, maxDepth);
  llvm::SmallVector<size_t, 0> indices;
  for (const PoolCandidate *candidate : choice.candidates)
    indices.push_back(candidate - candidates.data());
  return indices;
}
