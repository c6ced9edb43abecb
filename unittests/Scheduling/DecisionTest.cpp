//===- DecisionTest.cpp - A capacity is decided ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Exact.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace buffer_merge;

namespace {
struct Attempt {
  unsigned effort;
  int64_t maxSteps;
};

/// Stacks all buffers, except from `enough` on: there it finds the smallest
/// pool, or proves that there is none within the capacity.
class EffortfulScheduler final : public Scheduler {
public:
  llvm::StringRef getName() const override { return "effortful"; }
  llvm::StringRef getDescription() const override { return "Needs effort"; }
  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override {
    attempts.push_back({options.effort, options.maxSteps});
    if (options.effort >= enough)
      return lookupScheduler("exact")->schedule(problem, SchedulerOptions());
    if (!problem.capacity)
      return lookupScheduler("bump")->schedule(problem, options);
    // Less and more in turn.
    int64_t found = options.effort % 2 == 0 ? 40 : 50;
    return llvm::make_error<CapacityError>("found " + std::to_string(found),
                                           found, /*isProved=*/false, isOpen);
  }

  unsigned enough = 5;
  bool isOpen = true;
  mutable std::vector<Attempt> attempts;
};

class DecisionTest : public testing::Test {
protected:
  /// Five buffers in a ring of conflicts: pairs need 20 bytes, all of them 30.
  DecisionTest() {
    for (int64_t i = 0; i < 5; ++i) {
      problem.buffers.push_back({10, i, i + 1});
      problem.conflicts.push_back({i, (i + 1) % 5});
    }
  }

  std::string run() {
    scheduler.attempts.clear();
    llvm::Expected<Schedule> schedule =
        runScheduler(scheduler, problem, options);
    if (schedule)
      return std::to_string(schedule->poolSize);
    std::string result;
    llvm::handleAllErrors(
        schedule.takeError(), [&](const CapacityError &error) {
          result = (error.isProved() ? "proved: " : "") + error.message();
        });
    return result;
  }
  std::vector<unsigned> getEfforts() const {
    std::vector<unsigned> efforts;
    for (const Attempt &attempt : scheduler.attempts)
      efforts.push_back(attempt.effort);
    return efforts;
  }

  SchedulingProblem problem;
  SchedulerOptions options;
  EffortfulScheduler scheduler;
};
} // namespace

TEST_F(DecisionTest, EffortRisesUntilSomethingFits) {
  problem.capacity = 30;
  EXPECT_EQ(run(), "30");
  EXPECT_THAT(getEfforts(), testing::ElementsAre(2, 3, 4, 5));
}

TEST_F(DecisionTest, EffortRisesUntilNothingIsProvedToFit) {
  problem.capacity = 29;
  EXPECT_EQ(run(), "proved: no schedule fits the capacity of 29 bytes, which "
                   "is proved");
  EXPECT_THAT(getEfforts(), testing::ElementsAre(2, 3, 4, 5));
}

TEST_F(DecisionTest, EffortStaysWithoutACapacity) {
  EXPECT_EQ(run(), "50");
  EXPECT_THAT(getEfforts(), testing::ElementsAre(2));
}

TEST_F(DecisionTest, EffortStaysWhereItIsOfNoUse) {
  problem.capacity = 29;
  scheduler.isOpen = false;
  EXPECT_EQ(run(), "found 40");
  EXPECT_THAT(getEfforts(), testing::ElementsAre(2));
}

TEST_F(DecisionTest, NobodyIsAskedBelowABound) {
  problem.capacity = 9;
  EXPECT_EQ(run(), "proved: the capacity of 9 bytes is below the lower bound: "
                   "10 bytes are needed at tick 0, which is proved");
  problem.capacity = 19;
  EXPECT_EQ(run(), "proved: no schedule fits the capacity of 19 bytes: 20 "
                   "bytes are needed, which is proved");
  EXPECT_TRUE(scheduler.attempts.empty());
}

TEST_F(DecisionTest, StepsAreLimitedInAll) {
  problem.capacity = 29;
  scheduler.enough = 10;
  // 800 steps at effort 2, 6400 at effort 3; each attempt may be two searches.
  options.decisionSteps = 15000;
  EXPECT_EQ(run(), "found 40; whether one fits is open after 15000 steps, "
                   "effort=4 takes up to 102400 steps");
  EXPECT_THAT(getEfforts(), testing::ElementsAre(2, 3, 4));
  EXPECT_EQ(scheduler.attempts[1].maxSteps, (15000 - 1600) / 2);
  EXPECT_EQ(scheduler.attempts[2].maxSteps, (15000 - 1600 - 12800) / 2);
  // What the caller asks for is not limited, and may be all.
  options.effort = 4;
  EXPECT_EQ(run(), "found 40; whether one fits is open after 102400 steps, "
                   "effort=5 takes up to 819200 steps");
  EXPECT_THAT(getEfforts(), testing::ElementsAre(4));
  EXPECT_GT(scheduler.attempts[0].maxSteps, 1 << 30);
  options.decisionSteps = 0;
  EXPECT_EQ(run(), "found 40");
}

TEST_F(DecisionTest, WhatIsMadeOfAProblemIsDecidedWithIt) {
  // Up to three problems in each attempt, with two searches each.
  problem.buffers = {{8, 0, 3}, {8, 2, 5}, {8, 0, 3}, {8, 4, 6}};
  problem.conflicts.clear();
  problem.inPlacePairs = {{0, 1, InPlaceCondition::SameOffset}};
  problem.capacity = 16;
  scheduler.enough = 10;
  options.decisionSteps = 15000;
  run();
  EXPECT_THAT(getEfforts(), testing::ElementsAre(2, 3));
  EXPECT_EQ(scheduler.attempts[1].maxSteps, (15000 - 6 * 800) / 6);
}

TEST_F(DecisionTest, AnInterruptEndsIt) {
  problem.capacity = 29;
  auto stop = [](const SearchProgress &progress) { return false; };
  options.progress = stop;
  EXPECT_EQ(run(), "found 40; whether one fits is open after 1600 steps, "
                   "effort=3 takes up to 12800 steps");
}

TEST_F(DecisionTest, BuiltInSearches) {
  options.effort = 0;
  for (llvm::StringRef name : {"auto", "exact"}) {
    for (int64_t capacity : {29, 30}) {
      problem.capacity = capacity;
      llvm::Expected<Schedule> schedule =
          runScheduler(*lookupScheduler(name), problem, options);
      EXPECT_EQ(bool(schedule), capacity == 30) << name.str();
      llvm::handleAllErrors(
          schedule.takeError(),
          [](const CapacityError &error) { EXPECT_TRUE(error.isProved()); });
    }
  }
}
