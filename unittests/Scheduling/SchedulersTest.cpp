//===- SchedulersTest.cpp - Tests that every scheduler passes -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Scheduler.h"

#include "gtest/gtest.h"

#include <random>

using namespace buffer_merge;

namespace {
/// Run for every scheduler in the registry.
class SchedulersTest : public testing::TestWithParam<std::string> {
protected:
  const Scheduler &getScheduler() const { return *lookupScheduler(GetParam()); }

  /// Return the verified schedule of `problem`; its absence is a failure.
  Schedule run(const SchedulingProblem &problem) {
    llvm::Expected<Schedule> schedule = runScheduler(getScheduler(), problem);
    if (!schedule) {
      ADD_FAILURE() << llvm::toString(schedule.takeError());
      return {};
    }
    return *schedule;
  }
};

/// Return `count` buffers of random sizes, alignments and lifetimes.
SchedulingProblem makeRandomProblem(unsigned seed, unsigned count) {
  // Of the generator only the raw numbers are used: the standard's
  // distributions differ between libraries.
  std::mt19937 random(seed);
  SchedulingProblem problem;
  for (unsigned i = 0; i < count; ++i) {
    int64_t begin = random() % (2 * count);
    int64_t length = 1 + random() % 12;
    int64_t size = 1 + random() % 1000;
    int64_t alignment = int64_t(1) << (random() % 7);
    problem.buffers.push_back({size, begin, begin + length, alignment});
  }
  return problem;
}
} // namespace

TEST_P(SchedulersTest, NoBuffers) {
  Schedule schedule = run({});
  EXPECT_EQ(schedule.poolSize, 0);
  EXPECT_EQ(schedule.poolAlignment, 1);
}

TEST_P(SchedulersTest, OneBuffer) {
  SchedulingProblem problem;
  problem.buffers = {{7, 3, 4, 16}};
  Schedule schedule = run(problem);
  EXPECT_EQ(schedule.poolSize, 7);
  EXPECT_EQ(schedule.poolAlignment, 16);
}

TEST_P(SchedulersTest, AllAliveAtOnce) {
  SchedulingProblem problem;
  for (int64_t i = 0; i < 100; ++i)
    problem.buffers.push_back({i + 1, i, 1000 - i});
  EXPECT_EQ(run(problem).poolSize, 5050);
}

TEST_P(SchedulersTest, NoneAliveAtOnce) {
  SchedulingProblem problem;
  for (int64_t i = 0; i < 100; ++i)
    problem.buffers.push_back({10, i, i + 1});
  EXPECT_EQ(run(problem).poolSize, getScheduler().reusesBytes() ? 10 : 1000);
}

TEST_P(SchedulersTest, NearTheLargestPool) {
  SchedulingProblem problem;
  problem.buffers = {
      {maxBytes / 2, 0, 2}, {maxBytes / 4, 1, 3}, {maxBytes / 4, 2, 4}};
  run(problem);
}

TEST_P(SchedulersTest, AlignmentLargerThanSizes) {
  SchedulingProblem problem;
  for (int64_t i = 0; i < 20; ++i)
    problem.buffers.push_back({3, i, i + 4, i % 2 ? 4096 : 1});
  run(problem);
}

TEST_P(SchedulersTest, ConflictsAreHonoured) {
  SchedulingProblem problem;
  for (int64_t i = 0; i < 6; ++i)
    problem.buffers.push_back({10, i, i + 1});
  for (BufferId i = 0; i < 6; ++i)
    for (BufferId j = 0; j < i; ++j)
      problem.conflicts.push_back({i, j});
  EXPECT_EQ(run(problem).poolSize, 60);
}

TEST_P(SchedulersTest, FixedOffsetsAreHonoured) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 5}, {10, 2, 6}, {10, 4, 8}, {10, 7, 9}};
  problem.buffers[1].fixedOffset = 5;
  problem.buffers[3].fixedOffset = 0;
  run(problem);
}

TEST_P(SchedulersTest, CapacityIsHonoured) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 5}, {10, 2, 6}};
  problem.capacity = 20;
  EXPECT_EQ(run(problem).poolSize, 20);
  problem.capacity = 19;
  llvm::Expected<Schedule> schedule = runScheduler(getScheduler(), problem);
  EXPECT_FALSE(bool(schedule));
  llvm::consumeError(schedule.takeError());
}

TEST_P(SchedulersTest, RandomProblems) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SchedulingProblem problem = makeRandomProblem(seed, 1 + seed % 60);
    Schedule schedule = run(problem);
    EXPECT_GE(schedule.poolSize, computeLowerBound(problem).bytes);
    // A pure function: the same again.
    Schedule again = run(problem);
    EXPECT_EQ(schedule.offsets, again.offsets);
  }
}

TEST_P(SchedulersTest, RandomConflictsAndFixedOffsets) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SchedulingProblem problem = makeRandomProblem(seed, 2 + seed % 40);
    std::mt19937 random(seed);
    BufferId count = problem.buffers.size();
    for (BufferId i = 0; i < count; ++i) {
      BufferId a = random() % count, b = random() % count;
      if (a != b)
        problem.conflicts.push_back({a, b});
    }
    // Far apart, so that fixed buffers never exclude each other.
    for (BufferId i = 0; i < count; i += 7)
      problem.buffers[i].fixedOffset = int64_t(1024) * i;
    run(problem);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SchedulersTest, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const Scheduler *scheduler :
                                getRegisteredSchedulers())
                             names.push_back(scheduler->getName().str());
                           return names;
                         }()),
                         [](const testing::TestParamInfo<std::string> &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(SchedulerRegistry, BuiltinsAreThere) {
  EXPECT_NE(lookupScheduler("bump"), nullptr);
  EXPECT_NE(lookupScheduler("best-fit"), nullptr);
  EXPECT_NE(lookupScheduler("first-fit"), nullptr);
  EXPECT_EQ(lookupScheduler("no-such"), nullptr);
}

TEST(FirstFit, LeadingGapIsUsed) {
  // 60 bytes fit below the 80 that were placed above the first 100.
  SchedulingProblem problem;
  problem.buffers = {{100, 0, 2}, {80, 1, 3}, {60, 2, 4}};
  llvm::Expected<Schedule> schedule =
      runScheduler(*lookupScheduler("first-fit"), problem);
  ASSERT_TRUE(bool(schedule));
  EXPECT_EQ(schedule->poolSize, 180);
  EXPECT_EQ(schedule->offsets[2], 0);
}

TEST(FirstFit, SmallBuffersShareTheBytesOfALargeOne) {
  SchedulingProblem problem;
  problem.buffers = {{65536, 0, 2}, {32768, 2, 4}, {32768, 3, 5}};
  for (const char *name : {"first-fit", "best-fit"}) {
    llvm::Expected<Schedule> schedule =
        runScheduler(*lookupScheduler(name), problem);
    ASSERT_TRUE(bool(schedule));
    EXPECT_EQ(schedule->poolSize, 65536) << name;
  }
}

TEST(BestFit, SmallestGapIsTaken) {
  // Gaps of 50 at offset 0 and of 30 at offset 60; 30 bytes take the latter.
  SchedulingProblem problem;
  problem.buffers = {
      {50, 0, 2}, {10, 1, 9}, {30, 1, 3}, {10, 1, 9}, {30, 4, 5}};
  problem.buffers[0].fixedOffset = 0;
  problem.buffers[1].fixedOffset = 50;
  problem.buffers[2].fixedOffset = 60;
  problem.buffers[3].fixedOffset = 90;
  auto offsetOfLast = [&](const char *name) {
    llvm::Expected<Schedule> schedule =
        runScheduler(*lookupScheduler(name), problem);
    EXPECT_TRUE(bool(schedule));
    return schedule ? schedule->offsets[4] : -1;
  };
  EXPECT_EQ(offsetOfLast("best-fit"), 60);
  EXPECT_EQ(offsetOfLast("first-fit"), 0);
}
