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
