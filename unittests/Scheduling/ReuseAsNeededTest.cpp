//===- ReuseAsNeededTest.cpp - Sharing bytes where it costs least ---------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/ReuseAsNeeded.h"
#include "BruteForce.h"
#include "RandomProblems.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace buffer_merge;

static ReuseSchedule schedule(const ReuseProblem &problem,
                              unsigned effort = 2) {
  SchedulerOptions options;
  options.effort = effort;
  llvm::Expected<ReuseSchedule> result =
      scheduleReuse(problem, *lookupScheduler("auto"), options);
  if (result)
    return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return {};
}

/// Check that `result` is valid, and that its numbers are right.
static void check(const ReuseProblem &problem, const ReuseSchedule &result) {
  EXPECT_EQ(findScheduleViolation(problem.problem, result.schedule),
            std::nullopt);
  EXPECT_EQ(computeReuseCost(problem, result.schedule), result.cost);
}

/// Return `count` buffers with random lifetimes, penalties and a capacity that
/// may be too small.
static ReuseProblem makeReuseProblem(unsigned seed, unsigned count) {
  std::mt19937_64 random(seed);
  ReuseProblem problem;
  RandomShape shape;
  shape.count = count;
  shape.ticks = 10;
  shape.maxDuration = 4;
  shape.maxSize = 4;
  shape.maxAlignmentLog2 = random() % 2;
  problem.problem = makeRandomProblem(random(), shape);
  if (random() % 3 == 0)
    addRandomConflicts(random(), 1, problem.problem);
  if (random() % 4 == 0)
    addRandomGaps(random(), problem.problem);
  problem.penalties = computeReusePenalties(problem.problem);
  if (random() % 2 == 0)
    for (ReusePenalty &item : problem.penalties)
      item.penalty = 1 + random() % 9;
  problem.problem.capacity = 4 + random() % 8;
  return problem;
}

TEST(ReuseAsNeededTest, SmallProblemsAreSolved) {
  unsigned numSolved = 0, numShared = 0;
  for (unsigned seed = 0; seed < 400; seed += seedStep) {
    ReuseProblem problem = makeReuseProblem(seed, 2 + seed % 4);
    std::optional<int64_t> least;
    forEachSchedule(problem.problem, *problem.problem.capacity,
                    [&](llvm::ArrayRef<int64_t> offsets) {
                      Schedule schedule =
                          makeSchedule(problem.problem,
                                       llvm::SmallVector<int64_t, 0>(offsets));
                      int64_t penalty =
                          computeReuseCost(problem, schedule).penalty;
                      least = std::min(least.value_or(penalty), penalty);
                    });
    llvm::Expected<ReuseSchedule> result =
        scheduleReuse(problem, *lookupScheduler("auto"));
    ASSERT_EQ(bool(result), least.has_value()) << "seed " << seed;
    if (!result) {
      EXPECT_TRUE(result.errorIsA<CapacityError>());
      llvm::consumeError(result.takeError());
      continue;
    }
    check(problem, *result);
    EXPECT_TRUE(result->isOptimal) << "seed " << seed;
    EXPECT_EQ(result->cost.penalty, *least) << "seed " << seed;
    ++numSolved;
    numShared += *least != 0;
  }
  // Most of the problems can be solved, and many not without a penalty.
  EXPECT_GT(numSolved, 200 / seedStep);
  EXPECT_GT(numShared, 50 / seedStep);
}

TEST(ReuseAsNeededTest, MoreCapacityCostsNoMore) {
  for (unsigned seed = 0; seed < 10; seed += seedStep) {
    ReuseProblem problem = makeReuseProblem(seed, 8);
    int64_t last = maxBytes;
    for (int64_t capacity : {16, 18, 21, 25, 30, 1000}) {
      problem.problem.capacity = capacity;
      ReuseSchedule result = schedule(problem, /*effort=*/4);
      check(problem, result);
      if (result.isOptimal) {
        EXPECT_LE(result.cost.penalty, last);
        last = result.cost.penalty;
      }
    }
    EXPECT_EQ(last, 0);
  }
}

TEST(ReuseAsNeededTest, LargeProblemsAreNoWorseThanTheSmallestPool) {
  for (unsigned seed = 0; seed < 2; seed += seedStep) {
    ReuseProblem problem;
    RandomShape shape;
    shape.count = 100;
    shape.ticks = 200;
    shape.maxAlignmentLog2 = 4;
    problem.problem = makeRandomProblem(seed, shape);
    addRandomConflicts(seed, 20, problem.problem);
    problem.penalties = computeReusePenalties(problem.problem);
    Schedule smallest =
        llvm::cantFail(runScheduler(*lookupScheduler("auto"), problem.problem));
    problem.problem.capacity = smallest.poolSize * 3 / 2;
    ReuseSchedule result = schedule(problem);
    check(problem, result);
    // With half as many bytes more, what is left is a small part.
    EXPECT_LT(result.cost.penalty * 5,
              computeReuseCost(problem, smallest).penalty);
    EXPECT_EQ(schedule(problem).schedule.offsets, result.schedule.offsets);
  }
}

TEST(ReuseAsNeededTest, WithoutCapacityNothingIsShared) {
  ReuseProblem problem = makeReuseProblem(1, 6);
  problem.problem.capacity.reset();
  problem.problem.conflicts.clear();
  ReuseSchedule result = schedule(problem);
  check(problem, result);
  EXPECT_EQ(result.cost, ReuseCost());
  EXPECT_EQ(result.schedule.poolSize, computeTotalBytes(problem.problem));
  EXPECT_TRUE(result.isOptimal);
}

TEST(ReuseAsNeededTest, TheLongestIdleBytesComeFirst) {
  // The last buffer takes the place of the first, not of the one before it.
  ReuseProblem problem;
  problem.problem.buffers = {{8, 0, 1}, {8, 1, 2}, {8, 2, 3}};
  problem.problem.capacity = 16;
  problem.penalties = computeReusePenalties(problem.problem);
  EXPECT_THAT(problem.penalties,
              testing::ElementsAre(ReusePenalty{0, 1, 1000},
                                   ReusePenalty{0, 2, 500},
                                   ReusePenalty{1, 2, 1000}));
  ReuseSchedule result = schedule(problem);
  check(problem, result);
  EXPECT_EQ(result.cost, (ReuseCost{1, 500}));
  EXPECT_EQ(result.schedule.offsets[0], result.schedule.offsets[2]);
  EXPECT_TRUE(result.isOptimal);
}

TEST(ReuseAsNeededTest, FixedOffsetsAndInPlacePairsStay) {
  ReuseProblem problem;
  problem.problem.buffers = {{8, 0, 2}, {8, 1, 3}, {8, 4, 5}, {8, 6, 7}};
  problem.problem.buffers[3].fixedOffset = 0;
  problem.problem.inPlacePairs = {{0, 1, InPlaceCondition::SameOffset}};
  problem.problem.capacity = 16;
  problem.penalties = computeReusePenalties(problem.problem);
  ReuseSchedule result = schedule(problem);
  check(problem, result);
  EXPECT_EQ(result.schedule.offsets[3], 0);
  EXPECT_FALSE(result.isOptimal);
}

TEST(ReuseAsNeededTest, PenaltiesFallWithTheIdleTime) {
  EXPECT_EQ(getReusePenalty(0), 1000);
  EXPECT_EQ(getReusePenalty(1), 500);
  EXPECT_EQ(getReusePenalty(9), 100);
  EXPECT_EQ(getReusePenalty(998), 1);
  EXPECT_EQ(getReusePenalty(maxBytes), 1);
}

TEST(ReuseAsNeededTest, PenaltiesOfGapsAndDependences) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 9}, {8, 3, 5}, {8, 12, 13}, {8, 10, 12}};
  problem.buffers[0].gaps = {{2, 8}};
  // One tick from the gap's begin to buffer 1; buffer 2 begins three after the
  // end of buffer 0, and at once after buffer 3, which it depends on.
  auto waitsAnyway = [](BufferId earlier, BufferId later) {
    return earlier == 3 && later == 2;
  };
  EXPECT_THAT(
      computeReusePenalties(problem, waitsAnyway),
      testing::ElementsAre(ReusePenalty{0, 1, 500}, ReusePenalty{0, 2, 250},
                           ReusePenalty{0, 3, 500}, ReusePenalty{1, 2, 125},
                           ReusePenalty{1, 3, 166}));
}

TEST(ReuseAsNeededTest, OfManyPairsTheNearestCount) {
  SchedulingProblem problem;
  for (int64_t tick = 0; tick < 1000; ++tick)
    problem.buffers.push_back({1, tick, tick + 1});
  auto penalties = computeReusePenalties(problem);
  EXPECT_EQ(penalties.size(), 65536u);
  int64_t least = 1000;
  for (const ReusePenalty &item : penalties)
    least = std::min(least, item.penalty);
  // 67 or 68 buffers behind each.
  EXPECT_EQ(least, getReusePenalty(67));
}

TEST(ReuseAsNeededTest, ProblemsAreChecked) {
  ReuseProblem problem;
  problem.problem.buffers = {{8, 0, 1}, {8, 1, 2}};
  auto getError = [&](ReusePenalty item) {
    problem.penalties = {item};
    return llvm::toString(checkReuseProblem(problem));
  };
  EXPECT_EQ(getError({0, 1, 1}), "");
  EXPECT_EQ(getError({0, 2, 1}), "penalty 0 is not about two buffers");
  EXPECT_EQ(getError({1, 1, 1}), "penalty 0 is not about two buffers");
  EXPECT_EQ(getError({0, 1, 0}),
            "penalty 0 is less than 1, or the sum of them is too large");
  EXPECT_EQ(getError({0, 1, maxBytes + 1}),
            "penalty 0 is less than 1, or the sum of them is too large");
  problem.penalties = {{0, 1, 1}, {1, 0, 1}};
  EXPECT_EQ(llvm::toString(checkReuseProblem(problem)),
            "buffers 0 and 1 have two penalties");
}
