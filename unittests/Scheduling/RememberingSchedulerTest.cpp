//===- RememberingSchedulerTest.cpp - Equal problems once ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RememberingScheduler.h"

#include "gtest/gtest.h"

#include <functional>

using namespace buffer_merge;

namespace {
/// Counts how often it is asked, and puts all buffers side by side from that
/// number on. It fails if there is a capacity of one byte.
class CountingScheduler final : public Scheduler {
public:
  llvm::StringRef getName() const override { return "counting"; }
  llvm::StringRef getDescription() const override { return "Counts"; }
  bool reusesBytes() const override { return false; }

  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override {
    ++count;
    if (problem.capacity == 1)
      return llvm::createStringError("too small");
    llvm::SmallVector<int64_t, 0> offsets;
    int64_t offset = count;
    for (const Buffer &buffer : problem.buffers) {
      offsets.push_back(offset);
      offset += buffer.size;
    }
    return makeSchedule(problem, std::move(offsets));
  }

  mutable int count = 0;
};

SchedulingProblem makeProblem() {
  SchedulingProblem problem;
  problem.buffers = {{16, 0, 4}, {16, 3, 8}, {8, 7, 20}};
  problem.conflicts = {{0, 2}};
  return problem;
}
} // namespace

TEST(RememberingSchedulerTest, AsksOnceForEqualProblems) {
  CountingScheduler counting;
  RememberingScheduler scheduler(counting);
  EXPECT_EQ(scheduler.getName(), "counting");
  EXPECT_EQ(scheduler.getDescription(), "Counts");
  EXPECT_FALSE(scheduler.reusesBytes());
  Schedule first = llvm::cantFail(scheduler.schedule(makeProblem(), {}));
  Schedule second = llvm::cantFail(scheduler.schedule(makeProblem(), {}));
  EXPECT_EQ(counting.count, 1);
  EXPECT_EQ(first.offsets, second.offsets);
  EXPECT_EQ(first.poolSize, second.poolSize);
}

TEST(RememberingSchedulerTest, AsksForEverythingThatDiffers) {
  const std::function<void(SchedulingProblem &, SchedulerOptions &)> changes[] =
      {
          [](auto &problem, auto &) { problem.buffers.pop_back(); },
          [](auto &problem, auto &) { problem.buffers[0].size = 17; },
          [](auto &problem, auto &) { problem.buffers[1].begin = 2; },
          [](auto &problem, auto &) { problem.buffers[2].end = 21; },
          [](auto &problem, auto &) { problem.buffers[0].alignment = 2; },
          [](auto &problem, auto &) { problem.buffers[0].fixedOffset = 0; },
          [](auto &problem, auto &) { problem.buffers[2].gaps = {{9, 10}}; },
          [](auto &problem, auto &) { problem.conflicts.clear(); },
          [](auto &problem, auto &) {
            problem.inPlacePairs.push_back(
                {0, 1, InPlaceCondition::SameOffset});
          },
          [](auto &problem, auto &) {
            problem.inPlacePairs.push_back({0, 1, InPlaceCondition::AnyOffset});
          },
          [](auto &problem, auto &) { problem.samePlaces = {{0, 2}}; },
          [](auto &problem, auto &) { problem.capacity = 100; },
          [](auto &, auto &options) { options.effort = 3; },
          [](auto &, auto &options) { options.maxSteps = 7; },
          [](auto &, auto &options) { options.decisionSteps = 0; },
      };
  CountingScheduler counting;
  RememberingScheduler scheduler(counting);
  llvm::cantFail(scheduler.schedule(makeProblem(), {}));
  for (const auto &change : changes) {
    SchedulingProblem problem = makeProblem();
    SchedulerOptions options;
    change(problem, options);
    const int before = counting.count;
    Schedule first = llvm::cantFail(scheduler.schedule(problem, options));
    EXPECT_EQ(counting.count, before + 1);
    Schedule second = llvm::cantFail(scheduler.schedule(problem, options));
    EXPECT_EQ(counting.count, before + 1);
    EXPECT_EQ(first.offsets, second.offsets);
  }
}

TEST(RememberingSchedulerTest, RemembersNoErrors) {
  CountingScheduler counting;
  RememberingScheduler scheduler(counting);
  SchedulingProblem problem = makeProblem();
  problem.capacity = 1;
  for (int number : {1, 2}) {
    llvm::Expected<Schedule> schedule = scheduler.schedule(problem, {});
    EXPECT_FALSE(static_cast<bool>(schedule));
    llvm::consumeError(schedule.takeError());
    EXPECT_EQ(counting.count, number);
  }
}

TEST(RememberingSchedulerTest, RemembersNothingThatMayBeInterrupted) {
  CountingScheduler counting;
  RememberingScheduler scheduler(counting);
  SchedulerOptions options;
  auto progress = [](const SearchProgress &) { return true; };
  options.progress = progress;
  llvm::cantFail(scheduler.schedule(makeProblem(), options));
  llvm::cantFail(scheduler.schedule(makeProblem(), options));
  llvm::cantFail(scheduler.schedule(makeProblem(), {}));
  EXPECT_EQ(counting.count, 3);
}
