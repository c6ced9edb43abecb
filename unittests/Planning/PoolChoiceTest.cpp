//===- Tests of the choice of buffers for a pool --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is chosen for random footprints is compared with every set of buffers.
//
//===----------------------------------------------------------------------===//

#include "Planning/Peak/PoolChoice.h"
#include "RandomScope.h"
#include "buffer-merge/Scheduling/LowerBound.h"

#include "gtest/gtest.h"

using namespace buffer_merge;
using namespace buffer_merge::test;

namespace {
/// The items of known size of `scopes` as candidates. The scopes differ only in
/// when their items are freed.
struct Candidates {
  explicit Candidates(llvm::ArrayRef<RandomScope> scopes) {
    const RandomScope &first = scopes.front();
    for (auto [index, item] : llvm::enumerate(first.items)) {
      if (!(first.knownItems >> index & 1))
        continue;
      PoolCandidate &candidate = candidates.emplace_back();
      Buffer &buffer = candidate.buffers.emplace_back();
      buffer.size = *item.bytes;
      buffer.begin = item.ticks.first;
      buffer.end = item.ticks.last + 1;
      for (const RandomScope &scope : scopes) {
        const HeldItem &held = scope.items[index];
        candidate.holds.push_back(
            {{held}, held.ticks.first, held.ticks.last + 1});
      }
      bits.push_back(1u << index);
    }
  }

  /// Return the pool of `subset`, one bit for each candidate, with as many
  /// bytes as its lower bound, as it is held in the scope with this index.
  HeldBytes getPool(unsigned subset, size_t scope) const {
    SchedulingProblem problem;
    HeldBytes pool = {RandomScope::numTicks, 0, 0};
    for (auto [index, candidate] : llvm::enumerate(candidates))
      if (subset >> index & 1) {
        problem.buffers.push_back(candidate.buffers.front());
        pool.begin = std::min(pool.begin, candidate.holds[scope].begin);
        pool.end = std::max(pool.end, candidate.holds[scope].end);
      }
    pool.bytes = computeLowerBound(problem).bytes;
    return pool;
  }

  /// Return the bits of the items of `subset`.
  unsigned getItems(unsigned subset) const {
    unsigned items = 0;
    for (auto [index, bit] : llvm::enumerate(bits))
      items |= subset >> index & 1 ? bit : 0;
    return items;
  }

  llvm::SmallVector<PoolCandidate, 0> candidates;
  llvm::SmallVector<unsigned> bits;
};

/// How many pools and buffers were found for random scopes.
struct Sums {
  unsigned found = 0, chosen = 0, best = 0, missed = 0;
};
} // namespace

/// Compare what is chosen for `scopes` with all sets of candidates.
static void compareWithAllSets(llvm::MutableArrayRef<RandomScope> scopes,
                               Sums &sums) {
  Candidates all(scopes);
  llvm::SmallVector<HeapTimeline> timelines = llvm::map_to_vector(
      scopes, [](const RandomScope &scope) { return scope.makeTimeline(); });
  llvm::SmallVector<const HeapTimeline *> pointers = llvm::map_to_vector(
      timelines, [](const HeapTimeline &timeline) { return &timeline; });
  unsigned chosen = 0;
  for (size_t index : choosePool(pointers, all.candidates, 100))
    chosen |= 1u << index;
  EXPECT_NE(llvm::popcount(chosen), 1);
  for (auto [index, scope] : llvm::enumerate(scopes))
    EXPECT_FALSE(chosen && scope.isRaised(all.getPool(chosen, index),
                                          all.getItems(chosen)))
        << "scope " << index;
  unsigned best = 0;
  for (unsigned subset = 1; subset < 1u << all.candidates.size(); ++subset) {
    auto isRaised = [&](size_t index) {
      return timelines[index]
          .findExcess(all.getPool(subset, index),
                      scopes[index].getItems(all.getItems(subset)))
          .has_value();
    };
    if (unsigned(llvm::popcount(subset)) > std::max(best, 1u) &&
        llvm::none_of(llvm::seq<size_t>(0, scopes.size()), isRaised))
      best = llvm::popcount(subset);
  }
  sums.found += chosen != 0;
  sums.chosen += llvm::popcount(chosen);
  sums.best += best;
  sums.missed += best && !chosen;
  EXPECT_LE(unsigned(llvm::popcount(chosen)), best);
}

/// Expect that some pool is found nearly always, with nearly as many buffers as
/// in the best one.
static void expectClose(const Sums &sums, unsigned leastFound) {
  EXPECT_GT(sums.found, leastFound);
  EXPECT_LT(sums.missed, sums.found / 10);
  EXPECT_GT(sums.chosen * 100, sums.best * 90);
  testing::Test::RecordProperty("found", sums.found);
  testing::Test::RecordProperty("chosen", sums.chosen);
  testing::Test::RecordProperty("best", sums.best);
}

TEST(PoolChoice, IsCloseToTheBestOfAllSets) {
  Sums sums;
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    RandomScope scope(seed);
    compareWithAllSets(scope, sums);
  }
  expectClose(sums, 250);
}

TEST(PoolChoice, IsCloseToTheBestForTwoBaselines) {
  Sums sums;
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    RandomScope scope(seed);
    RandomScope scopes[] = {scope, scope.delayFrees()};
    compareWithAllSets(scopes, sums);
  }
  expectClose(sums, 200);
}

TEST(PoolChoice, NeverLeavesOutWhatIsKept) {
  unsigned numWithOthers = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    RandomScope scope(seed);
    Candidates all(scope);
    if (all.candidates.empty())
      continue;
    size_t kept = seed % all.candidates.size();
    all.candidates[kept].isKept = true;
    HeapTimeline timeline = scope.makeTimeline();
    llvm::SmallVector<size_t, 0> indices =
        choosePool(&timeline, all.candidates, 100, /*leastBuffers=*/1);
    if (indices.empty())
      continue;
    EXPECT_TRUE(llvm::is_contained(indices, kept));
    unsigned chosen = 0;
    for (size_t index : indices)
      chosen |= 1u << index;
    EXPECT_FALSE(scope.isRaised(all.getPool(chosen, 0), all.getItems(chosen)));
    numWithOthers += indices.size() > 1;
  }
  EXPECT_GT(numWithOthers, 150u);
}
