//===- AutoTest.cpp - Tests of the default scheduler ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Components.h"
#include "RandomProblems.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Scheduler.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace buffer_merge;

/// Return the pool of the scheduler `name`; its absence is a failure.
static int64_t getPoolSize(llvm::StringRef name,
                           const SchedulingProblem &problem,
                           unsigned effort = 0) {
  SchedulerOptions options;
  options.effort = effort;
  llvm::Expected<Schedule> schedule =
      runScheduler(*lookupScheduler(name), problem, options);
  if (!schedule) {
    ADD_FAILURE() << name.str() << ": " << llvm::toString(schedule.takeError());
    return 0;
  }
  return schedule->poolSize;
}

/// Return the smallest pool there is. Every packing can be pushed down and then
/// written as an order in which each buffer goes on top of those before it.
static int64_t getOptimum(const SchedulingProblem &problem) {
  llvm::SmallVector<BufferId> order;
  for (BufferId id = 0; id < problem.buffers.size(); ++id)
    order.push_back(id);
  auto mayShare = [&](BufferId a, BufferId b) {
    if (problem.buffers[a].overlapsInTime(problem.buffers[b]))
      return false;
    return llvm::none_of(problem.conflicts,
                         [&](std::pair<BufferId, BufferId> c) {
                           return c == std::pair(a, b) || c == std::pair(b, a);
                         });
  };
  int64_t best = INT64_MAX;
  do {
    int64_t poolSize = 0;
    llvm::SmallVector<int64_t> tops(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      const Buffer &buffer = problem.buffers[order[i]];
      int64_t offset = 0;
      for (size_t j = 0; j < i; ++j)
        if (!mayShare(order[i], order[j]))
          offset = std::max(offset, tops[j]);
      offset =
          (offset + buffer.alignment - 1) / buffer.alignment * buffer.alignment;
      tops[i] = offset + buffer.size;
      poolSize = std::max(poolSize, tops[i]);
    }
    best = std::min(best, poolSize);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(Auto, OptimalOnSmallProblems) {
  for (unsigned seed = 0; seed < 60; seed += seedStep) {
    RandomShape shape = {6, 8, 5, 20};
    // The offsets of small buffers with alignments are another puzzle.
    shape.maxAlignmentLog2 = seed % 2 ? 3 : 0;
    SchedulingProblem problem = makeRandomProblem(seed, shape);
    if (seed % 3 == 0)
      addRandomConflicts(seed, 3, problem);
    int64_t optimum = getOptimum(problem);
    EXPECT_LE(computeLowerBound(problem).bytes, computeProvedBound(problem));
    EXPECT_LE(computeProvedBound(problem), optimum);
    for (const Scheduler *scheduler : getRegisteredSchedulers())
      EXPECT_GE(getPoolSize(scheduler->getName(), problem), optimum)
          << scheduler->getName().str() << ", seed " << seed;
    // With alignments one pass is not always enough.
    if (shape.maxAlignmentLog2 == 0) {
      EXPECT_EQ(getPoolSize("auto", problem), optimum) << "seed " << seed;
    }
  }
}

TEST(Auto, NeverWorseThanAnother) {
  for (unsigned seed = 0; seed < 30; seed += seedStep) {
    RandomShape shape = {5 + seed, 10 + 2 * seed, 5 + seed / 2, 1000};
    shape.maxAlignmentLog2 = seed % 2 ? 6 : 0;
    SchedulingProblem problem = makeRandomProblem(seed, shape);
    if (seed % 3 == 0)
      addRandomConflicts(seed, seed, problem);
    if (seed % 5 == 0)
      addFixedOffsets(7, problem);
    for (unsigned effort = 0; effort <= (seed % 4 == 0 ? 1 : 0); ++effort) {
      int64_t poolSize = getPoolSize("auto", problem, effort);
      for (const Scheduler *scheduler : getRegisteredSchedulers())
        EXPECT_LE(poolSize, getPoolSize(scheduler->getName(), problem, effort))
            << scheduler->getName().str() << ", seed " << seed;
    }
  }
}

/// Return problems of more buffers than all schedulers are tried on.
static llvm::SmallVector<SchedulingProblem> makeLongProblems(unsigned seed) {
  constexpr int64_t count = 10050;
  std::mt19937_64 random(seed);
  llvm::SmallVector<SchedulingProblem> problems(4);
  for (int64_t i = 0; i < count; ++i) {
    int64_t size = 64 * (1 + int64_t(random() % 1000));
    // Groups with one lifetime, steps that grow, and long lifetimes among
    // short ones.
    problems[0].buffers.push_back({size, i / 32, i / 32 + 3});
    problems[1].buffers.push_back({64 * i + size, i, i + 20, 64});
    problems[2].buffers.push_back(
        {size, i, i + 1 + (i % 10 == 0 ? count / 10 : i % 7)});
    // Sizes that alignments do not divide.
    problems[3].buffers.push_back({size + int64_t(random() % 64), i,
                                   i + 1 + int64_t(random() % 6), 64 << i % 2});
  }
  addRandomConflicts(seed, 50, problems.emplace_back(problems[3]));
  return problems;
}

TEST(Auto, NeverWorseThanWhatIsFastOnLongProblems) {
  llvm::SmallVector<SchedulingProblem> problems = makeLongProblems(1);
  for (size_t index = 0; index < problems.size(); index += seedStep) {
    const SchedulingProblem &problem = problems[index];
    int64_t poolSize = getPoolSize("auto", problem, index == 0 ? 2 : 0);
    for (llvm::StringRef name :
         {"first-fit", "best-fit", "size-first", "linear-scan"})
      EXPECT_LE(poolSize, getPoolSize(name, problem))
          << name.str() << ", problem " << index;
  }
}

TEST(Auto, EqualSizesAreColoured) {
  for (unsigned seed = 0; seed < 20; seed += seedStep) {
    SchedulingProblem problem = makeRandomProblem(seed, {100, 100, 30});
    for (Buffer &buffer : problem.buffers)
      buffer.size = 48;
    EXPECT_EQ(getPoolSize("auto", problem), computeLowerBound(problem).bytes);
    // Sizes that are no multiple of the alignment, but for the topmost.
    for (Buffer &buffer : problem.buffers)
      buffer.alignment = 64;
    EXPECT_EQ(getPoolSize("auto", problem),
              computeLowerBound(problem).bytes / 48 * 64 - 16);
    EXPECT_EQ(getPoolSize("auto", problem), computeProvedBound(problem));
  }
}

TEST(Auto, UnitLifetimesMeetTheLowerBound) {
  SchedulingProblem problem = makeRandomProblem(0, {200, 50, 1});
  EXPECT_EQ(getPoolSize("auto", problem), computeLowerBound(problem).bytes);
}

TEST(Auto, ComponentsDoNotDisturbEachOther) {
  // The same hard part twice is as hard as once.
  SchedulingProblem once = makeRandomProblem(1, {60, 40, 20});
  SchedulingProblem twice = once;
  for (Buffer buffer : once.buffers) {
    buffer.begin += 1000;
    buffer.end += 1000;
    twice.buffers.push_back(buffer);
  }
  EXPECT_EQ(getPoolSize("auto", twice), getPoolSize("auto", once));
}

TEST(Auto, LongProblemsMeetTheLowerBound) {
  SchedulingProblem problem = makeRandomProblem(1, {20000, 40000, 12});
  EXPECT_EQ(getPoolSize("auto", problem), computeLowerBound(problem).bytes);
}

TEST(Auto, LongProblemsMayBeInAnyOrder) {
  SchedulingProblem problem = makeRandomProblem(1, {10100, 10000, 60});
  addRandomConflicts(1, 100, problem);
  // What is equal in the order of time has to be in the order of the problem.
  for (auto [index, buffer] : llvm::enumerate(problem.buffers)) {
    buffer.begin = buffer.begin * 20000 + int64_t(index);
    buffer.end *= 20000;
  }
  llvm::SmallVector<BufferId, 0> order(problem.buffers.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](BufferId a, BufferId b) {
    return problem.buffers[a].begin < problem.buffers[b].begin;
  });
  SchedulingProblem sorted = extractProblem(problem, order);
  EXPECT_EQ(getPoolSize("auto", problem, 0), getPoolSize("auto", sorted, 0));
}

TEST(Auto, CapacityIsNoHint) {
  SchedulingProblem problem = makeRandomProblem(2, {80, 60, 30});
  int64_t poolSize = getPoolSize("auto", problem);
  problem.capacity = poolSize;
  EXPECT_EQ(getPoolSize("auto", problem), poolSize);
  problem.capacity = INT64_MAX;
  EXPECT_EQ(getPoolSize("auto", problem), poolSize);
}

TEST(Auto, VeryFewAreSearchedWithoutEffort) {
  // Orders and repair alone end 1.5 % above the bound of 100.
  int64_t poolSizes = 0;
  for (unsigned seed = 0; seed < 10; seed += seedStep)
    poolSizes += getPoolSize("auto", makeCutProblem(seed, 150));
  EXPECT_LE(poolSizes, 10 * 100 + 5);
}

TEST(Auto, StopsWhenItFits) {
  // What is searched for is a pool within the capacity, and no smaller one.
  unsigned numHard = 0;
  for (unsigned seed = 0; seed < 20; seed += seedStep) {
    SchedulingProblem problem = makeRandomProblem(seed, {90, 60, 60});
    // With conflicts nothing is repaired, which may be done with an effort.
    addRandomConflicts(seed, 3, problem);
    int64_t onePass =
        getPoolSize("canonical-by-contention-and-duration", problem);
    if (onePass == computeProvedBound(problem))
      continue;
    ++numHard;
    problem.capacity = onePass;
    int64_t steps = 0;
    auto progress = [&](const SearchProgress &progress) {
      steps = std::max(steps, progress.steps);
      return progress.steps < 100000;
    };
    SchedulerOptions options;
    options.effort = 9;
    options.progress = progress;
    llvm::Expected<Schedule> schedule =
        runScheduler(*lookupScheduler("auto"), problem, options);
    ASSERT_TRUE(bool(schedule));
    EXPECT_LE(schedule->poolSize, onePass);
    EXPECT_EQ(steps, 0);
  }
  EXPECT_GT(numHard, 0u);
}

/// Return `auto`'s pool over the lower bound.
static double getRatio(const SchedulingProblem &problem) {
  return double(getPoolSize("auto", problem)) /
         double(computeLowerBound(problem).bytes);
}

TEST(Auto, ManyBuffersOfEveryShape) {
  // Each of these took minutes when time grew with the pairs that overlap.
#ifdef NDEBUG
  constexpr int64_t count = 50000;
#else
  constexpr int64_t count = 11000;
#endif
  SchedulingProblem clique, weights;
  for (int64_t i = 0; i < count; ++i) {
    clique.buffers.push_back({1 + i % 97, i, 2 * count - i});
    // Alive throughout, saved for the way back, and for a moment.
    if (i % 3 == 0)
      weights.buffers.push_back({64 + i % 7, 0, 2 * count});
    else if (i % 3 == 1)
      weights.buffers.push_back({64 + i % 11, i, 2 * count - i});
    else
      weights.buffers.push_back({64 + i % 13, i, i + 3});
  }
  // Many gaps that are just too small for all that come after.
  SchedulingProblem gaps;
  for (int64_t i = 0; i < count / 3; ++i) {
    gaps.buffers.push_back({99, 2 * i, count});
    gaps.buffers.push_back({1, 2 * i + 1, 2 * count});
    gaps.buffers.push_back({100, count, 2 * count});
  }
  EXPECT_LT(getRatio(gaps), 1.001);
  EXPECT_EQ(getRatio(clique), 1);
  EXPECT_LT(getRatio(weights), 1.001);
  RandomShape shape = {count, count, 600};
  EXPECT_LT(getRatio(makeRandomProblem(1, shape)), 1.05);
}
