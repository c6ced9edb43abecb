//===- SamePlacesTest.cpp - Buffers that have one place -------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProblems.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/RegionProblem.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace buffer_merge;

/// Add same places for some of the buffers that are never alive together.
static void addSamePlaces(unsigned seed, SchedulingProblem &problem) {
  std::mt19937_64 random(seed);
  llvm::SmallVector<unsigned, 0> group(problem.buffers.size());
  for (BufferId id = 0; id < group.size(); ++id)
    group[id] = id;
  for (BufferId b = 1; b < group.size(); ++b) {
    BufferId a = random() % b;
    auto mayJoin = [&](BufferId other) {
      return group[other] != group[a] ||
             !problem.buffers[other].overlapsInTime(problem.buffers[b]);
    };
    bool mayShare = true;
    for (BufferId other = 0; other < b; ++other)
      mayShare &= mayJoin(other);
    if (!mayShare || random() % 2)
      continue;
    group[b] = group[a];
    problem.samePlaces.push_back({b, a});
  }
}

static SchedulingProblem makeGroupedProblem(unsigned seed) {
  RandomShape shape;
  shape.count = 2 + seed % 12;
  shape.ticks = 30;
  shape.maxDuration = 6;
  shape.maxAlignmentLog2 = seed % 4;
  SchedulingProblem problem = makeRandomProblem(seed, shape);
  if (seed % 3 == 0)
    addRandomGaps(seed, problem);
  addSamePlaces(seed, problem);
  return problem;
}

TEST(SamePlacesTest, AllSchedulers) {
  for (const Scheduler *scheduler : getRegisteredSchedulers())
    for (unsigned seed = 0; seed < 100; seed += seedStep) {
      SchedulingProblem problem = makeGroupedProblem(seed);
      llvm::Expected<Schedule> schedule = runScheduler(*scheduler, problem);
      ASSERT_TRUE(bool(schedule)) << llvm::toString(schedule.takeError());
      for (auto [a, b] : problem.samePlaces)
        EXPECT_EQ(schedule->offsets[a], schedule->offsets[b]);
      EXPECT_EQ(findScheduleViolation(problem, *schedule), std::nullopt);
      EXPECT_GE(schedule->poolSize, computeLowerBound(problem).bytes);
    }
}

TEST(SamePlacesTest, Regions) {
  const Scheduler &scheduler = *lookupScheduler("auto");
  for (unsigned seed = 0; seed < 100; seed += seedStep) {
    RegionProblem problem;
    problem.buffers = makeGroupedProblem(seed);
    problem.regions.push_back({/*capacity=*/1500});
    problem.regions.push_back({/*capacity=*/2000, /*alignment=*/8});
    for (BufferId id = 0; id < problem.buffers.buffers.size(); ++id)
      problem.costs.push_back({int64_t(id % 3), int64_t(5)});
    llvm::Expected<RegionAssignment> result = assignRegions(problem, scheduler);
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    EXPECT_EQ(findAssignmentViolation(problem, *result), std::nullopt);
    for (auto [a, b] : problem.buffers.samePlaces)
      EXPECT_EQ(result->regions[a], result->regions[b]);
  }
}

TEST(SamePlacesTest, FixedAndLarger) {
  // The first one is fixed; the second one, in the same place, is larger.
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 2, 1, 20}, {30, 4, 6, 1}, {15, 2, 4, 1}};
  problem.samePlaces = {{0, 1}};
  llvm::Expected<Schedule> schedule =
      runScheduler(*lookupScheduler("first-fit"), problem);
  ASSERT_TRUE(bool(schedule)) << llvm::toString(schedule.takeError());
  EXPECT_THAT(schedule->offsets, testing::ElementsAre(20, 20, 0));
  EXPECT_EQ(schedule->poolSize, 50);
}

TEST(SamePlacesTest, Contradictions) {
  auto fails = [](SchedulingProblem problem) {
    llvm::Expected<Schedule> schedule =
        runScheduler(*lookupScheduler("first-fit"), problem);
    if (schedule)
      return std::string();
    return llvm::toString(schedule.takeError());
  };
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 2, 1}, {10, 1, 3, 1}};
  problem.samePlaces = {{0, 1}};
  EXPECT_THAT(fails(problem), testing::HasSubstr("overlap"));
  problem.buffers[1].begin = 2;
  EXPECT_EQ(fails(problem), "");
  problem.conflicts = {{1, 0}};
  EXPECT_THAT(fails(problem), testing::HasSubstr("conflict"));
  problem.conflicts.clear();
  problem.buffers[0].fixedOffset = 0;
  problem.buffers[1].fixedOffset = 10;
  EXPECT_THAT(fails(problem), testing::HasSubstr("same-place"));
  problem.samePlaces = {{0, 0}};
  EXPECT_THAT(fails(problem), testing::HasSubstr("its own place"));
  problem.samePlaces = {{0, 2}};
  EXPECT_THAT(fails(problem), testing::HasSubstr("there is no buffer 2"));
}
