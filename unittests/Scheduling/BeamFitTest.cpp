//===- BeamFitTest.cpp - Tests of the beam over time ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BeamFit.h"
#include "RandomProblems.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Scheduler.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "gtest/gtest.h"

using namespace buffer_merge;

/// Return what an element-wise chain needs: buffer i is read by i + 1 and i + 3
/// and sizes differ. One-pass schedulers need 1.27 times the lower bound.
static SchedulingProblem makeChain(unsigned count) {
  SchedulingProblem problem;
  for (int64_t i = 0; i < count; ++i)
    problem.buffers.push_back({256 * (1 + i % 7), i, i + 4, 64});
  return problem;
}

TEST(BeamFit, KeepsTheArrangementThatFirstFitDoesNotMake) {
  SchedulingProblem problem;
  problem.buffers = {{2, 0, 3}, {1, 1, 6}, {3, 3, 6}};
  std::optional<llvm::SmallVector<int64_t, 0>> offsets =
      fitWithBeam(problem, /*height=*/4, /*width=*/2);
  ASSERT_TRUE(offsets);
  EXPECT_EQ(makeSchedule(problem, *offsets).poolSize, 4);
  EXPECT_FALSE(findScheduleViolation(problem, makeSchedule(problem, *offsets)));
  EXPECT_FALSE(fitWithBeam(problem, /*height=*/3, /*width=*/256));
}

TEST(BeamFit, StaysBelowTheHeight) {
  unsigned numFound = 0;
  for (unsigned seed = 0; seed < 300; seed += seedStep) {
    SchedulingProblem problem =
        makeRandomProblem(seed, {60, 100, 8, 50, seed % 5});
    int64_t bound = computeProvedBound(problem);
    EXPECT_FALSE(fitWithBeam(problem, bound - 1, 16));
    for (int64_t height : {bound, bound + bound / 8, 2 * bound}) {
      std::optional<llvm::SmallVector<int64_t, 0>> offsets =
          fitWithBeam(problem, height, 16);
      if (!offsets)
        continue;
      ++numFound;
      Schedule schedule = makeSchedule(problem, *offsets);
      EXPECT_LE(schedule.poolSize, height);
      std::optional<ScheduleViolation> violation =
          findScheduleViolation(problem, schedule);
      EXPECT_FALSE(violation) << "seed " << seed << ": " << violation->str();
      EXPECT_EQ(offsets, fitWithBeam(problem, height, 16));
    }
  }
  EXPECT_GE(numFound, 500 / seedStep);
}

TEST(BeamFit, AutoMeetsTheBoundOfLongChains) {
  for (unsigned count : {1000, 10000, 30000}) {
    SchedulingProblem problem = makeChain(count);
    for (unsigned effort : {0, 2}) {
      SchedulerOptions options;
      options.effort = effort;
      llvm::Expected<Schedule> schedule =
          runScheduler(*lookupScheduler("auto"), problem, options);
      ASSERT_TRUE(bool(schedule));
      EXPECT_EQ(schedule->poolSize, computeLowerBound(problem).bytes) << count;
    }
  }
}

TEST(BeamFit, ConflictsAndFixedOffsetsAreLeftToOthers) {
  SchedulingProblem problem = makeChain(1000);
  problem.conflicts.push_back({0, 999});
  problem.buffers[500].fixedOffset = 0;
  llvm::Expected<Schedule> schedule =
      runScheduler(*lookupScheduler("auto"), problem);
  ASSERT_TRUE(bool(schedule));
  EXPECT_EQ(schedule->offsets[500], 0);
}

TEST(BeamFit, StopsWhenAsked) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 2}, {10, 1, 3}};
  EXPECT_TRUE(fitWithBeam(problem, 20, 1, [] { return true; }));
  EXPECT_FALSE(fitWithBeam(problem, 20, 1, [] { return false; }));
}
