//===- RegionsTest.cpp - Several memories ---------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProblems.h"
#include "Regions/RegionSchedules.h"
#include "buffer-merge/Scheduling/Exact.h"
#include "buffer-merge/Scheduling/RegionProblem.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace buffer_merge;

/// Return `count` random buffers, two or three regions, of which the last one
/// may have a limit, and random costs.
static RegionProblem makeRegionProblem(unsigned seed, unsigned count) {
  std::mt19937_64 random(seed);
  RegionProblem problem;
  RandomShape shape;
  shape.count = count;
  shape.ticks = 6;
  shape.maxDuration = 4;
  shape.maxSize = 12;
  shape.maxAlignmentLog2 = random() % 3;
  problem.buffers = makeRandomProblem(random(), shape);
  if (random() % 3 == 0)
    addRandomConflicts(random(), 2, problem.buffers);
  unsigned numRegions = 2 + random() % 2;
  for (unsigned region = 0; region < numRegions; ++region) {
    MemoryRegion &memory = problem.regions.emplace_back();
    memory.alignment = 1 + random() % 4;
    memory.granule = 1 + random() % 3;
    if (region + 1 != numRegions || random() % 3 == 0)
      memory.capacity = random() % 40;
  }
  for (unsigned id = 0; id < count; ++id) {
    RegionCosts &costs = problem.costs.emplace_back();
    for (unsigned region = 0; region < numRegions; ++region)
      if (random() % 8 != 0)
        costs.push_back(random() % 20);
      else
        costs.push_back(std::nullopt);
  }
  return problem;
}

/// Return the fewest buffers outside and the least cost of all assignments.
static std::pair<unsigned, int64_t> findBest(const RegionProblem &problem) {
  unsigned count = problem.costs.size(), outside = problem.regions.size();
  std::pair<unsigned, int64_t> best = {count, 0};
  llvm::SmallVector<unsigned> choice(count, 0);
  auto evaluate = [&] {
    std::pair<unsigned, int64_t> sum = {0, 0};
    for (unsigned id = 0; id < count; ++id)
      if (choice[id] == outside)
        ++sum.first;
      else if (!problem.costs[id][choice[id]])
        return;
      else
        sum.second += *problem.costs[id][choice[id]];
    if (sum >= best)
      return;
    for (unsigned region = 0; region < outside; ++region) {
      llvm::SmallVector<BufferId, 0> ids;
      for (unsigned id = 0; id < count; ++id)
        if (choice[id] == region)
          ids.push_back(id);
      if (ids.empty())
        continue;
      if (problem.regions[region].capacity == 0)
        return;
      ExactResult result =
          solveExact(makeProblemOfRegion(problem, region, ids));
      ASSERT_NE(result.status, ExactStatus::StepLimit);
      if (!result.schedule)
        return;
    }
    best = sum;
  };
  for (;;) {
    evaluate();
    unsigned id = 0;
    while (id < count && ++choice[id] > outside)
      choice[id++] = 0;
    if (id == count)
      return best;
  }
}

static RegionAssignment assign(const RegionProblem &problem,
                               unsigned effort = 2) {
  SchedulerOptions options;
  options.effort = effort;
  llvm::Expected<RegionAssignment> result =
      assignRegions(problem, *lookupScheduler("auto"), options);
  if (result)
    return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return {};
}

TEST(RegionsTest, SmallProblemsAreSolved) {
  for (unsigned seed = 0; seed < 40; seed += seedStep) {
    RegionProblem problem = makeRegionProblem(seed, 1 + seed % 5);
    RegionAssignment assignment = assign(problem);
    EXPECT_EQ(findAssignmentViolation(problem, assignment), std::nullopt);
    EXPECT_TRUE(assignment.isOptimal) << seed;
    EXPECT_EQ(std::pair(assignment.numOutside, assignment.cost),
              findBest(problem))
        << seed;
  }
}

/// What is claimed to be optimal is, with little effort and in-place pairs,
/// too; and all that is returned is valid.
TEST(RegionsTest, ClaimsAreTrue) {
  for (unsigned seed = 1000; seed < 1030; seed += seedStep) {
    RegionProblem problem = makeRegionProblem(seed, 1 + seed % 5);
    llvm::SmallVectorImpl<Buffer> &buffers = problem.buffers.buffers;
    for (BufferId a = 0; a < buffers.size(); ++a)
      for (BufferId b = 0; b < buffers.size(); ++b)
        if (seed % 2 && buffers[a].begin < buffers[b].begin &&
            buffers[a].end == buffers[b].begin + 1)
          problem.buffers.inPlacePairs.push_back({a, b});
    RegionAssignment assignment = assign(problem, /*effort=*/0);
    EXPECT_EQ(findAssignmentViolation(problem, assignment), std::nullopt);
    if (assignment.isOptimal) {
      EXPECT_EQ(std::pair(assignment.numOutside, assignment.cost),
                findBest(problem))
          << seed;
    }
  }
}

TEST(RegionsTest, NeverWorseThanGreedy) {
  for (unsigned seed = 2000; seed < 2015; seed += seedStep) {
    RegionProblem problem = makeRegionProblem(seed, 40);
    for (MemoryRegion &region : problem.regions)
      if (region.capacity)
        *region.capacity *= 2;
    RegionAssignment assignment = assign(problem);
    EXPECT_EQ(findAssignmentViolation(problem, assignment), std::nullopt);
    RegionChoices choices(problem);
    for (llvm::ArrayRef<BufferId> order : choices.getOrders()) {
      llvm::Expected<RegionAssignment> greedy = scheduleChoice(
          choices, choices.chooseGreedily(order), *lookupScheduler("auto"), {});
      ASSERT_TRUE(bool(greedy));
      EXPECT_LE(choices.sumCosts(assignment), choices.sumCosts(*greedy));
    }
  }
}

/// A wide sweep finds what a narrow one may miss, and no choice costs less.
TEST(RegionsTest, Sweep) {
  for (unsigned seed = 3000; seed < 3050; seed += seedStep) {
    RegionProblem problem = makeRegionProblem(seed, 8);
    problem.buffers.conflicts.clear();
    for (Buffer &buffer : problem.buffers.buffers)
      buffer.alignment = 1;
    RegionChoices choices(problem);
    auto [choice, isProof] = choices.sweep(/*width=*/100000);
    EXPECT_TRUE(isProof);
    EXPECT_LE(choices.sumCosts(choice),
              choices.sumCosts(choices.sweep(1).first));
    EXPECT_LE(choices.sumCosts(choice), choices.sumCosts(assign(problem)));
  }
}

/// More regions than a state of the sweep can tell apart.
TEST(RegionsTest, ManyRegions) {
  RegionProblem problem;
  for (unsigned id = 0; id < 600; ++id) {
    problem.buffers.buffers.push_back({8, 0, 4});
    RegionCosts &costs = problem.costs.emplace_back();
    for (unsigned region = 0; region < 300; ++region)
      costs.push_back(region);
  }
  problem.regions.assign(300, {16});
  RegionAssignment assignment = assign(problem);
  EXPECT_EQ(findAssignmentViolation(problem, assignment), std::nullopt);
  EXPECT_EQ(assignment.numOutside, 0u);
}

/// 8 bytes of a fast region: the two buffers that move most do not fit there
/// together.
TEST(RegionsTest, WhatMovesMostIsFast) {
  RegionProblem problem;
  problem.buffers.buffers = {{8, 0, 4}, {6, 2, 6}, {8, 4, 8}};
  problem.regions = {{8}, {}};
  problem.costs = {{10, 100}, {12, 120}, {10, 100}};
  RegionAssignment assignment = assign(problem);
  EXPECT_THAT(assignment.regions, testing::ElementsAre(0, 1, 0));
  EXPECT_EQ(assignment.cost, 140);
  EXPECT_TRUE(assignment.isOptimal);
}

TEST(RegionsTest, Verifier) {
  RegionProblem problem;
  problem.buffers.buffers = {{6, 0, 4}, {6, 2, 6}};
  problem.regions = {{8, /*alignment=*/4, /*granule=*/8}, {}};
  problem.costs = {{1, 2}, {1, std::nullopt}};
  RegionAssignment good = assign(problem);
  EXPECT_EQ(findAssignmentViolation(problem, good), std::nullopt);
  EXPECT_THAT(good.regions, testing::ElementsAre(1, 0));

  RegionAssignment bad = good;
  bad.regions = {1, 1};
  EXPECT_EQ(findAssignmentViolation(problem, bad),
            "buffer 1 must not be in region 1");
  bad = good;
  ++bad.cost;
  EXPECT_EQ(findAssignmentViolation(problem, bad), "the sums are wrong");
  bad = good;
  bad.schedules[0].poolSize = 6;
  EXPECT_THAT(findAssignmentViolation(problem, bad).value_or(""),
              testing::StartsWith("region 0: pool-size"));
  bad = good;
  bad.schedules[0].offsets = {2};
  EXPECT_THAT(findAssignmentViolation(problem, bad).value_or(""),
              testing::StartsWith("region 0: alignment"));
  bad = good;
  bad.regions = {0, 0};
  bad.cost = 2;
  bad.schedules[0].offsets = {0, 0};
  EXPECT_THAT(findAssignmentViolation(problem, bad).value_or(""),
              testing::StartsWith("region 0: overlap"));
  problem.regions[0].capacity = 7;
  EXPECT_THAT(findAssignmentViolation(problem, good).value_or(""),
              testing::StartsWith("region 0: capacity"));
  problem.regions[0].capacity = 0;
  EXPECT_EQ(findAssignmentViolation(problem, good), "region 0 has no byte");
  bad.regions.pop_back();
  EXPECT_NE(findAssignmentViolation(problem, bad), std::nullopt);
}

TEST(RegionsTest, Malformed) {
  RegionProblem good;
  good.buffers.buffers = {{6, 0, 4}};
  good.regions = {{8}};
  good.costs = {{1}};
  auto check = [](const RegionProblem &problem) {
    return llvm::toString(checkRegionProblem(problem));
  };
  EXPECT_EQ(check(good), "");
  RegionProblem bad = good;
  bad.regions[0].granule = 0;
  EXPECT_EQ(check(bad),
            "region 0 has an impossible capacity, alignment or granule");
  bad = good;
  bad.regions[0].granule = maxBytes;
  EXPECT_EQ(check(bad), "region 0 aligns a buffer too much");
  bad = good;
  bad.costs[0] = {-1};
  EXPECT_EQ(check(bad), "buffer 0 has a negative cost");
  bad = good;
  bad.costs[0] = {maxBytes};
  EXPECT_THAT(check(bad), testing::StartsWith("the sum of costs exceeds"));
  bad = good;
  bad.costs[0] = {1, 1};
  EXPECT_EQ(check(bad), "buffer 0 has costs for 2 regions of 1");
  bad.costs = {};
  EXPECT_EQ(check(bad), "costs are not for as many buffers as there are");
  bad = good;
  bad.buffers.buffers[0].size = 0;
  EXPECT_NE(check(bad), "");
}
