//===- SchedulingProblemTest.cpp - Tests of what is well formed -----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "RandomProblems.h"

#include "gtest/gtest.h"

using namespace buffer_merge;

static std::string check(const SchedulingProblem &problem) {
  return llvm::toString(checkProblem(problem));
}

TEST(SchedulingProblem, WellFormed) {
  EXPECT_EQ(check({}), "");
  SchedulingProblem problem;
  problem.buffers = {{1, -5, 3, 3}, {8, 0, 1, 64}};
  problem.buffers[1].fixedOffset = 128;
  problem.conflicts = {{0, 1}, {1, 0}};
  problem.capacity = 0;
  EXPECT_EQ(check(problem), "");
}

TEST(SchedulingProblem, NamesWhatIsWrong) {
  SchedulingProblem problem;
  problem.buffers = {{1, 0, 1}, {0, 0, 1}};
  EXPECT_EQ(check(problem), "buffer 1: size 0 is not positive");
  problem.buffers[1] = {1, 4, 4};
  EXPECT_EQ(check(problem), "buffer 1: lifetime [4, 4) is empty");
  problem.buffers[1] = {1, 0, 4, 0};
  EXPECT_EQ(check(problem), "buffer 1: alignment 0 is not positive");
  problem.buffers[1] = {1, 0, 4, 8};
  problem.buffers[1].fixedOffset = 4;
  EXPECT_EQ(check(problem),
            "buffer 1: fixed offset 4 is not a multiple of its alignment 8");
  problem.buffers[1] = {1, 0, 4};
  problem.conflicts = {{0, 2}};
  EXPECT_EQ(check(problem), "conflict 0: there is no buffer 2");
  problem.conflicts = {{1, 1}};
  EXPECT_EQ(check(problem), "conflict 0: buffer 1 is in conflict with itself");
  problem.conflicts.clear();
  problem.capacity = -1;
  EXPECT_EQ(check(problem), "capacity -1 is negative");
}

TEST(SchedulingProblem, RefusesWhatWouldOverflow) {
  SchedulingProblem problem;
  problem.buffers = {{INT64_MAX, 0, 1}};
  EXPECT_NE(check(problem), "");
  problem.buffers = {{maxBytes / 2, 0, 1}, {maxBytes / 2, 0, 1}};
  EXPECT_EQ(check(problem), "");
  problem.buffers.push_back({1, 0, 1});
  EXPECT_EQ(check(problem), "buffer 2: the sum of sizes exceeds " +
                                std::to_string(maxBytes) + " bytes");
  // Primes, whose least common multiple is beyond every pool.
  problem.buffers = {{1, 0, 1, 2147483647}, {1, 0, 1, 2147483629}};
  EXPECT_NE(check(problem), "");
}

TEST(SchedulingProblem, PoolIsAlignedForEveryBuffer) {
  SchedulingProblem problem;
  problem.buffers = {{3, 0, 1, 4}, {3, 1, 2, 6}};
  Schedule schedule = makeSchedule(problem, {4, 0});
  EXPECT_EQ(schedule.poolSize, 7);
  EXPECT_EQ(schedule.poolAlignment, 12);
}

TEST(SchedulingProblem, RanksKeepOverlaps) {
  SchedulingProblem problem;
  problem.buffers = {{1, 3, 17}, {2, 9, 40}, {4, 40, 41}, {8, -7, 9}};
  problem.conflicts = {{0, 2}};
  problem.capacity = 100;
  SchedulingProblem ranked = rankTicks(problem);
  ASSERT_EQ(ranked.buffers.size(), 4u);
  EXPECT_EQ(ranked.conflicts, problem.conflicts);
  EXPECT_EQ(ranked.capacity, problem.capacity);
  const int64_t expected[][2] = {{1, 3}, {2, 4}, {4, 5}, {0, 2}};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(ranked.buffers[i].begin, expected[i][0]);
    EXPECT_EQ(ranked.buffers[i].end, expected[i][1]);
    EXPECT_EQ(ranked.buffers[i].size, problem.buffers[i].size);
    for (size_t j = 0; j < 4; ++j)
      EXPECT_EQ(ranked.buffers[i].overlapsInTime(ranked.buffers[j]),
                problem.buffers[i].overlapsInTime(problem.buffers[j]));
  }
  EXPECT_TRUE(rankTicks({}).buffers.empty());
}

TEST(SchedulingProblem, GapsLeaveLiveTicksAroundThem) {
  SchedulingProblem problem;
  problem.buffers = {{1, 0, 9}, {1, 0, 9}};
  llvm::SmallVector<TickInterval, 0> &gaps = problem.buffers[1].gaps;
  gaps = {{1, 3}, {4, 8}};
  EXPECT_EQ(check(problem), "");
  const llvm::SmallVector<TickInterval, 0> malformed[] = {
      {{3, 3}},  {{5, 3}},  {{0, 3}},         {{-4, -1}},      {{3, 9}},
      {{9, 12}}, {{3, 12}}, {{1, 3}, {3, 5}}, {{4, 8}, {1, 3}}};
  for (const auto &list : malformed) {
    gaps = list;
    const TickInterval &bad = list.back();
    EXPECT_EQ(check(problem), "buffer 1: gap [" + std::to_string(bad.begin) +
                                  ", " + std::to_string(bad.end) +
                                  ") is empty or leaves no live tick before or "
                                  "after it");
  }
  EXPECT_TRUE(hasGaps(problem));
  gaps.clear();
  EXPECT_FALSE(hasGaps(problem));
}

/// Return true if `buffer` is alive at `tick`.
static bool isAlive(const Buffer &buffer, int64_t tick) {
  return buffer.begin <= tick && tick < buffer.end &&
         llvm::none_of(
             buffer.gaps,
             [&](const TickInterval &gap) {
               return gap.begin <= tick && tick < gap.end;
             });
}

TEST(SchedulingProblem, GapsTakePartInOverlaps) {
  unsigned numOverlaps = 0, numMissesInGaps = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SchedulingProblem problem = makeRandomProblem(seed, {8, 16, 12});
    addRandomGaps(seed, problem);
    ASSERT_EQ(check(problem), "");
    SchedulingProblem ranked = rankTicks(problem);
    ASSERT_EQ(check(ranked), "");
    for (BufferId i = 0; i < 8; ++i)
      for (BufferId j = 0; j < 8; ++j) {
        const Buffer &a = problem.buffers[i], &b = problem.buffers[j];
        bool expected = false;
        for (int64_t tick = 0; tick < 30; ++tick)
          expected |= isAlive(a, tick) && isAlive(b, tick);
        EXPECT_EQ(a.overlapsInTime(b), expected);
        EXPECT_EQ(ranked.buffers[i].overlapsInTime(ranked.buffers[j]),
                  expected);
        numOverlaps += expected;
        numMissesInGaps += !expected && a.begin < b.end && b.begin < a.end;
      }
  }
  EXPECT_GT(numOverlaps, 1000u);
  EXPECT_GT(numMissesInGaps, 100u);
}

TEST(SchedulingProblem, RanksKeepGaps) {
  SchedulingProblem problem;
  problem.buffers = {{1, 0, 100}, {2, 20, 30}};
  problem.buffers[0].gaps = {{20, 40}, {60, 61}};
  SchedulingProblem ranked = rankTicks(problem);
  const TickInterval expected[] = {{1, 3}, {4, 5}};
  EXPECT_EQ(llvm::ArrayRef(ranked.buffers[0].gaps), llvm::ArrayRef(expected));
  EXPECT_EQ(ranked.buffers[0].end, 6);
}
