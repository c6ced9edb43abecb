//===- LowerBoundTest.cpp - Tests of the lower bound ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/LowerBound.h"

#include "gtest/gtest.h"

using namespace buffer_merge;

TEST(LowerBound, NoBuffers) {
  EXPECT_EQ(computeLowerBound({}).bytes, 0);
  EXPECT_EQ(computeTotalBytes({}), 0);
}

TEST(LowerBound, HalfOpenIntervalsDoNotMeet) {
  SchedulingProblem problem;
  problem.buffers = {{100, 0, 2}, {80, 2, 4}};
  EXPECT_EQ(computeLowerBound(problem).bytes, 100);
  problem.buffers[1].begin = 1;
  EXPECT_EQ(computeLowerBound(problem).bytes, 180);
  EXPECT_EQ(computeLowerBound(problem).peakTick, 1);
}

TEST(LowerBound, PeakIsTheFirstTickOfTheLargestSum) {
  SchedulingProblem problem;
  problem.buffers = {{5, 0, 3}, {5, 2, 9}, {7, 5, 6}, {3, 8, 9}};
  LowerBound bound = computeLowerBound(problem);
  EXPECT_EQ(bound.bytes, 12);
  EXPECT_EQ(bound.peakTick, 5);
  EXPECT_EQ(computeTotalBytes(problem), 20);
}

TEST(LowerBound, FixedOffsetCounts) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 3}, {4, 5, 6}};
  problem.buffers[1].fixedOffset = 100;
  LowerBound bound = computeLowerBound(problem);
  EXPECT_EQ(bound.bytes, 104);
  EXPECT_EQ(bound.peakTick, 5);
}

TEST(ProvedBound, SizesAreRoundedUpExceptForTheTopmost) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 2, 64}, {100, 0, 2, 64}, {64, 1, 3, 128}};
  EXPECT_EQ(computeLowerBound(problem).bytes, 172);
  // Of 64, 128 and 64 bytes the topmost gives back 56.
  EXPECT_EQ(computeProvedBound(problem), 200);
  problem.buffers[1].alignment = 1;
  EXPECT_EQ(computeProvedBound(problem), 172);
}

TEST(ProvedBound, BuffersInConflictAreAliveTogether) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 1}, {20, 1, 2}, {30, 2, 3}, {5, 2, 3}};
  EXPECT_EQ(computeProvedBound(problem), 35);
  problem.conflicts = {{2, 1}};
  EXPECT_EQ(computeProvedBound(problem), 50);
  // The third pair makes all four a clique but for {0, 3} and {1, 3}.
  problem.conflicts = {{2, 1}, {0, 1}, {0, 2}};
  EXPECT_EQ(computeProvedBound(problem), 60);
  problem.conflicts.push_back({3, 0});
  EXPECT_EQ(computeProvedBound(problem), 60);
  problem.conflicts.push_back({1, 3});
  EXPECT_EQ(computeProvedBound(problem), 65);
}

TEST(ProvedBound, ConflictsAndAlignment) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 1, 16}, {20, 1, 2, 16}};
  problem.conflicts = {{0, 1}};
  EXPECT_EQ(computeProvedBound(problem), 36);
}

TEST(ProvedBound, InPlacePairsMayShareTheirTick) {
  SchedulingProblem problem;
  problem.buffers = {{16, 0, 2, 16}, {16, 1, 3, 16}, {10, 4, 5, 16}};
  problem.inPlacePairs = {{0, 1}};
  problem.conflicts = {{0, 2}};
  EXPECT_EQ(computeProvedBound(problem), 26);
}

TEST(ProvedBound, ManyConflictsEndTheSearchNotTheBound) {
  SchedulingProblem problem;
  constexpr unsigned count = 1000;
  for (unsigned i = 0; i < count; ++i)
    problem.buffers.push_back({1, i, i + 1});
  for (unsigned i = 0; i < count; ++i)
    for (unsigned j = 0; j < i; ++j)
      problem.conflicts.push_back({i, j});
  EXPECT_GT(computeProvedBound(problem), 300);
  EXPECT_LE(computeProvedBound(problem), int64_t(count));
}

TEST(LowerBound, GapsDoNotCount) {
  SchedulingProblem problem;
  problem.buffers = {{100, 0, 9}, {80, 2, 4}, {60, 4, 5}};
  EXPECT_EQ(computeLowerBound(problem).bytes, 180);
  problem.buffers[0].gaps = {{2, 4}};
  EXPECT_EQ(computeLowerBound(problem).bytes, 160);
  EXPECT_EQ(computeLowerBound(problem).peakTick, 4);
  problem.buffers[0].gaps = {{2, 5}};
  EXPECT_EQ(computeLowerBound(problem).bytes, 100);
  // At the tick of the pair each buffer has one half.
  problem.buffers = {{100, 0, 5}, {80, 4, 9}, {10, 2, 4}};
  problem.buffers[0].gaps = {{2, 4}};
  problem.buffers[1].gaps = {{5, 8}};
  EXPECT_EQ(computeLowerBound(problem).bytes, 180);
  problem.inPlacePairs = {{0, 1}};
  EXPECT_EQ(computeLowerBound(problem).bytes, 100);
}

TEST(ProvedBound, FixedOffsetsDivideTheRoom) {
  SchedulingProblem problem;
  problem.buffers = {{64, 0, 4, 1, 64}, {128, 2, 6}};
  EXPECT_EQ(computeProvedBound(problem), 256);
  problem.buffers[1].size = 64;
  EXPECT_EQ(computeProvedBound(problem), 128);
  // Not alive together, or in place.
  problem.buffers = {{64, 0, 4, 1, 64}, {128, 4, 6}};
  EXPECT_EQ(computeProvedBound(problem), 128);
  problem.buffers[1].begin = 3;
  EXPECT_EQ(computeProvedBound(problem), 256);
  problem.inPlacePairs = {{0, 1, InPlaceCondition::AnyOffset}};
  EXPECT_EQ(computeProvedBound(problem), 128);
}

TEST(ProvedBound, GapsDoNotCount) {
  // Rounded up to 64, and in conflict with a third buffer.
  SchedulingProblem problem;
  problem.buffers = {{65, 0, 9, 64}, {65, 2, 4, 64}, {65, 10, 11, 64}};
  EXPECT_EQ(computeProvedBound(problem), 193);
  problem.buffers[0].gaps = {{2, 4}};
  EXPECT_EQ(computeProvedBound(problem), 65);
  problem.conflicts = {{0, 2}, {1, 2}};
  EXPECT_EQ(computeProvedBound(problem), 193);
  problem.buffers[0].gaps = {{2, 3}};
  EXPECT_EQ(computeProvedBound(problem), 321);
}
