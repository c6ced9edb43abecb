//===- Banks.cpp - Spreading buffers over banks ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Banks.h"
#include "OffsetCosts.h"
#include "Placement.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

bool buffer_merge::shareBank(const BankGeometry &banks, RegionBytes first,
                             RegionBytes second) {
  int64_t a = first.begin / banks.bytes, b = second.begin / banks.bytes;
  if (banks.areInterleaved)
    return a % banks.count == b % banks.count;
  return a <= (second.end - 1) / banks.bytes &&
         b <= (first.end - 1) / banks.bytes;
}

/// Return the bytes of a buffer at `offset`, from the start of the memory.
static RegionBytes getBytes(const BankProblem &banks, const Buffer &buffer,
                            int64_t offset) {
  int64_t begin = banks.poolBegin + offset;
  return {begin, begin + buffer.size};
}

int64_t buffer_merge::countPairsInSameBank(const SchedulingProblem &problem,
                                           const BankProblem &banks,
                                           const Schedule &schedule) {
  auto get = [&](BufferId id) {
    return getBytes(banks, problem.buffers[id], schedule.offsets[id]);
  };
  return llvm::count_if(banks.pairs, [&](auto pair) {
    return shareBank(banks.banks, get(pair.first), get(pair.second));
  });
}

namespace {
class BankSearch {
public:
  BankSearch(const SchedulingProblem &problem, const BankProblem &banks,
             const Schedule &schedule, int64_t maxSteps);

  Schedule run();

private:
  /// Return how many that are placed would share a bank with `id` at `offset`.
  int64_t countPartners(BufferId id, int64_t offset) const;
  /// Call `visit(offset, cost)` for offsets of `id` among what is placed.
  void forEachPlace(BufferId id,
                    llvm::function_ref<void(int64_t, int64_t)> visit);
  void improve();
  void decide(int64_t lowest, int64_t cost);

  const SchedulingProblem &problem;
  const BankProblem &banks;
  llvm::BitVector movable, placed;
  ConflictLists conflicts, partners;
  int64_t poolSize, steps;
  llvm::SmallVector<int64_t, 0> offsets, best;
  int64_t bestCost;
};
} // namespace

BankSearch::BankSearch(const SchedulingProblem &problem,
                       const BankProblem &banks, const Schedule &schedule,
                       int64_t maxSteps)
    : problem(problem), banks(banks), movable(findMovable(problem)),
      placed(problem.buffers.size(), true), conflicts(problem),
      partners(problem.buffers.size(), banks.pairs),
      poolSize(schedule.poolSize), steps(maxSteps), offsets(schedule.offsets),
      best(schedule.offsets),
      bestCost(countPairsInSameBank(problem, banks, schedule)) {}

int64_t BankSearch::countPartners(BufferId id, int64_t offset) const {
  RegionBytes bytes = getBytes(banks, problem.buffers[id], offset);
  return llvm::count_if(partners.of(id), [&](BufferId other) {
    return placed.test(other) &&
           shareBank(banks.banks, bytes,
                     getBytes(banks, problem.buffers[other], offsets[other]));
  });
}

void BankSearch::forEachPlace(
    BufferId id, llvm::function_ref<void(int64_t, int64_t)> visit) {
  const Buffer &buffer = problem.buffers[id];
  OffsetCosts places(buffer, poolSize);
  // Where banks begin: each one once behind what is placed.
  constexpr int64_t maxBanks = 256;
  int64_t count = std::min(banks.banks.count, maxBanks);
  int64_t each = banks.banks.bytes;
  auto proposeBanks = [&](int64_t from) {
    int64_t first = (banks.poolBegin + from) / each + 1;
    for (int64_t bank = first; bank < first + count; ++bank) {
      if (bank * each - banks.poolBegin >= poolSize)
        break;
      places.propose(bank * each - banks.poolBegin);
    }
  };
  proposeBanks(0);
  for (BufferId other : placed.set_bits()) {
    if (other == id)
      continue;
    int64_t end = offsets[other] + problem.buffers[other].size;
    if (buffer.overlapsInTime(problem.buffers[other]) ||
        llvm::is_contained(conflicts.of(id), other))
      places.forbid(offsets[other], end);
    if (banks.banks.areInterleaved)
      proposeBanks(end);
  }
  places.forEachCandidate([&](int64_t offset, int64_t) {
    visit(offset, countPartners(id, offset));
  });
}

/// Move one buffer after the other, as long as that helps.
void BankSearch::improve() {
  moveToCheaperPlaces(
      movable, offsets,
      [&](BufferId id) { return countPartners(id, offsets[id]); },
      [&](BufferId id) {
        std::optional<CostedPlace> least;
        forEachPlace(id, [&](int64_t offset, int64_t cost) {
          if (!least || cost < least->cost)
            least = CostedPlace{offset, cost};
        });
        return least;
      });
  int64_t cost =
      countPairsInSameBank(problem, banks, makeSchedule(problem, offsets));
  if (cost < bestCost) {
    bestCost = cost;
    best = offsets;
  }
}

/// Place the buffers that are left, none below `lowest`. Those that are placed
/// have `cost` pairs in the same bank. At most as deep as there are buffers.
void BankSearch::decide(int64_t lowest, int64_t cost) {
  if (placed.all()) {
    bestCost = cost;
    best = offsets;
    return;
  }
  for (BufferId id : movable.set_bits()) {
    if (placed.test(id))
      continue;
    llvm::SmallVector<std::pair<int64_t, int64_t>> places;
    forEachPlace(id, [&](int64_t offset, int64_t added) {
      if (offset >= lowest)
        places.emplace_back(offset, added);
    });
    placed.set(id);
    for (auto [offset, added] : places) {
      if (cost + added >= bestCost)
        continue;
      if (steps-- <= 0)
        break;
      offsets[id] = offset;
      decide(offset, cost + added);
    }
    placed.reset(id);
  }
}

Schedule BankSearch::run() {
  // A pass takes O(n^2 log n) time.
  constexpr size_t maxBuffers = 4096, maxSearched = 12;
  if (bestCost != 0 && problem.buffers.size() <= maxBuffers)
    improve();
  if (bestCost != 0 && problem.buffers.size() <= maxSearched) {
    for (BufferId id : movable.set_bits())
      placed.reset(id);
    int64_t cost = 0;
    auto get = [&](BufferId id) {
      return getBytes(banks, problem.buffers[id], offsets[id]);
    };
    for (auto [a, b] : banks.pairs)
      if (placed.test(a) && placed.test(b))
        cost += shareBank(banks.banks, get(a), get(b));
    decide(/*lowest=*/0, cost);
  }
  return makeSchedule(problem, best);
}

Schedule buffer_merge::spreadOverBanks(const SchedulingProblem &problem,
                                       const BankProblem &banks,
                                       Schedule schedule, int64_t maxSteps) {
  Schedule spread = BankSearch(problem, banks, schedule, maxSteps).run();
  // The pool stays as it is, even if it could be smaller now.
  spread.poolSize = schedule.poolSize;
  spread.poolAlignment = schedule.poolAlignment;
  spread.provedBound = schedule.provedBound;
  if (countPairsInSameBank(problem, banks, spread) >=
          countPairsInSameBank(problem, banks, schedule) ||
      findScheduleViolation(problem, spread))
    return schedule;
  return spread;
}
