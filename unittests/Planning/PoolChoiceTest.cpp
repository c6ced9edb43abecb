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
/// The items of a scope that may be merged, as candidates.
struct Candidates {
  explicit Candidates(const RandomScope &scope) {
    for (auto [index, item] : llvm::enumerate(scope.items))
      if (scope.knownItems >> index & 1) {
        Buffer buffer;
        buffer.size = *item.bytes;
        buffer.begin = item.ticks.first;
        buffer.end = item.ticks.last + 1;
        candidates.push_back({{buffer}, {{{item}, buffer.begin, buffer.end}}});
        bits.push_back(1u << index);
      }
  }

  /// Return the pool of `subset`, one bit for each candidate, with as many
  /// bytes as its lower bound.
  HeldBytes getPool(unsigned subset) const {
    SchedulingProblem problem;
    HeldBytes pool = {RandomScope::numTicks, 0, 0};
    for (auto [index, candidate] : llvm::enumerate(candidates))
      if (subset >> index & 1) {
        problem.buffers.push_back(candidate.buffers.front());
        pool.begin = std::min(pool.begin, candidate.holds.front().begin);
        pool.end = std::max(pool.end, candidate.holds.front().end);
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
} // namespace

TEST(PoolChoice, IsCloseToTheBestOfAllSets) {
  unsigned numFound = 0, numChosen = 0, numBest = 0, numMissed = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    RandomScope scope(seed);
    Candidates all(scope);
    HeapTimeline timeline = scope.makeTimeline();
    unsigned chosen = 0;
    for (size_t index : choosePool({&timeline}, all.candidates, 100))
      chosen |= 1u << index;
    EXPECT_NE(llvm::popcount(chosen), 1);
    if (chosen) {
      ++numFound;
      EXPECT_FALSE(scope.isRaised(all.getPool(chosen), all.getItems(chosen)))
          << "seed " << seed;
    }
    unsigned best = 0;
    for (unsigned subset = 1; subset < 1u << all.candidates.size(); ++subset)
      if (unsigned(llvm::popcount(subset)) > std::max(best, 1u) &&
          !timeline.findExcess(all.getPool(subset),
                               scope.getItems(all.getItems(subset))))
        best = llvm::popcount(subset);
    numChosen += llvm::popcount(chosen);
    numBest += best;
    numMissed += best && !chosen;
    EXPECT_LE(unsigned(llvm::popcount(chosen)), best) << "seed " << seed;
  }
  // It finds some pool nearly always, with nearly as many buffers.
  EXPECT_GT(numFound, 250u);
  EXPECT_LT(numMissed, numFound / 10);
  EXPECT_GT(numChosen * 100, numBest * 90);
  RecordProperty("chosen", numChosen);
  RecordProperty("best", numBest);
}
