//===- SchedulingProblemTest.cpp - Tests of what is well formed -----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/SchedulingProblem.h"
#include "buffer-merge/Scheduling/Schedule.h"

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
