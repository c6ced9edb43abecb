//===- SchedulersTest.cpp - Tests that every scheduler passes -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProblems.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Scheduler.h"

#include "gtest/gtest.h"

using namespace buffer_merge;

namespace {
/// Run for every scheduler in the registry.
class SchedulersTest : public testing::TestWithParam<std::string> {
protected:
  const Scheduler &getScheduler() const { return *lookupScheduler(GetParam()); }

  /// Return the verified schedule of `problem`; its absence is a failure.
  Schedule run(const SchedulingProblem &problem) {
    SchedulerOptions options;
    options.effort = 0;
    llvm::Expected<Schedule> schedule =
        runScheduler(getScheduler(), problem, options);
    if (!schedule) {
      ADD_FAILURE() << llvm::toString(schedule.takeError());
      return {};
    }
    return *schedule;
  }
};
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
  for (unsigned seed = 0; seed < 60; seed += seedStep) {
    RandomShape shape;
    shape.count = 1 + seed % 60;
    shape.ticks = 2 * shape.count;
    shape.maxAlignmentLog2 = seed % 4 ? 6 : 0;
    SchedulingProblem problem = makeRandomProblem(seed, shape);
    Schedule schedule = run(problem);
    EXPECT_GE(schedule.poolSize, computeLowerBound(problem).bytes);
    // A pure function: the same again.
    Schedule again = run(problem);
    EXPECT_EQ(schedule.offsets, again.offsets);
  }
}

TEST_P(SchedulersTest, RandomConflictsAndFixedOffsets) {
  for (unsigned seed = 0; seed < 60; seed += seedStep) {
    RandomShape shape;
    shape.count = 2 + seed % 40;
    shape.ticks = 2 * shape.count;
    shape.maxAlignmentLog2 = 6;
    SchedulingProblem problem = makeRandomProblem(seed, shape);
    addRandomConflicts(seed, shape.count, problem);
    addFixedOffsets(7, problem);
    run(problem);
  }
}

TEST_P(SchedulersTest, RandomGaps) {
  for (unsigned seed = 0; seed < 120; seed += seedStep) {
    RandomShape shape;
    // Both sides of the size from which on trees are used.
    shape.count = seed % 40 == 39 ? 700 : 2 + seed % 40;
    shape.ticks = 2 * shape.count;
    shape.maxAlignmentLog2 = seed % 3 ? 6 : 0;
    SchedulingProblem problem = makeRandomProblem(seed, shape);
    addRandomGaps(seed, problem);
    if (seed % 4 == 1)
      addRandomConflicts(seed, shape.count, problem);
    if (seed % 8 >= 4)
      addFixedOffsets(7, problem);
    EXPECT_GE(run(problem).poolSize, computeLowerBound(problem).bytes);
  }
}

TEST_P(SchedulersTest, GapsCostNothing) {
  for (unsigned seed = 0; seed < 200; seed += seedStep) {
    RandomShape shape;
    shape.count = 40;
    shape.ticks = 80;
    SchedulingProblem problem = makeRandomProblem(seed, shape);
    int64_t whole = run(problem).poolSize;
    addRandomGaps(seed, problem);
    EXPECT_LE(run(problem).poolSize, whole) << "seed " << seed;
  }
}

TEST_P(SchedulersTest, FixedBuffersMayShareAGap) {
  // 1 is fixed to bytes that 0 is fixed to; 2 and 3 live during the gap.
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 9}, {10, 2, 4}, {10, 3, 8}, {5, 2, 9}};
  problem.buffers[0].gaps = {{2, 8}};
  problem.buffers[0].fixedOffset = 20;
  problem.buffers[1].fixedOffset = 25;
  run(problem);
  problem.buffers[1].end = 9;
  llvm::Expected<Schedule> schedule = runScheduler(getScheduler(), problem);
  ASSERT_FALSE(bool(schedule));
  EXPECT_EQ(llvm::toString(schedule.takeError()),
            "fixed offsets exclude each other: overlap: buffers 1 and 0 share "
            "bytes at one tick");
}

TEST_P(SchedulersTest, BytesOfGapsAreUsed) {
  // Two that are never alive together, each in the gap of the other. Those that
  // are not named keep the bytes.
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 6}, {10, 2, 8}};
  problem.buffers[0].gaps = {{2, 5}};
  problem.buffers[1].gaps = {{5, 7}};
  llvm::StringRef name = GetParam();
  bool isUsed = name.starts_with("canonical-") || name.starts_with("greedy-") ||
                name == "auto" || name == "exact";
  EXPECT_EQ(run(problem).poolSize, isUsed ? 10 : 20);
}

TEST_P(SchedulersTest, UnitLifetimes) {
  SchedulingProblem problem = makeRandomProblem(0, {200, 50, 1});
  EXPECT_LE(run(problem).poolSize, computeTotalBytes(problem));
}

TEST_P(SchedulersTest, OneHugeBuffer) {
  SchedulingProblem problem = makeRandomProblem(0, {50, 50, 12});
  problem.buffers.push_back({maxBytes / 2, 20, 30, 4096});
  run(problem);
}

TEST_P(SchedulersTest, AlignmentsThatAreNoPowersOfTwo) {
  SchedulingProblem problem = makeRandomProblem(0, {60, 60, 12});
  const int64_t alignments[] = {1, 3, 10, 12, 7};
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    problem.buffers[i].alignment = alignments[i % 5];
  run(problem);
}

TEST_P(SchedulersTest, FixedOffsetsAlone) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 5}, {10, 0, 5}, {10, 5, 6}};
  problem.buffers[0].fixedOffset = 10;
  problem.buffers[1].fixedOffset = 0;
  problem.buffers[2].fixedOffset = 5;
  EXPECT_EQ(run(problem).poolSize, 20);
}

TEST_P(SchedulersTest, AllFixed) {
  // There is one schedule: it is proved, and asks for no scheduler.
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 5}, {10, 4, 6}};
  problem.buffers[0].fixedOffset = 30;
  problem.buffers[1].fixedOffset = 10;
  Schedule schedule = run(problem);
  EXPECT_EQ(schedule.poolSize, 40);
  EXPECT_EQ(schedule.provedBound, 40);
  problem.capacity = 39;
  llvm::Expected<Schedule> none = runScheduler(getScheduler(), problem);
  ASSERT_FALSE(bool(none));
  llvm::handleAllErrors(none.takeError(), [](const CapacityError &error) {
    EXPECT_EQ(error.getNeededBytes(), 40);
    EXPECT_TRUE(error.isProved());
  });
}

TEST_P(SchedulersTest, FixedOffsetsMayExcludeEachOther) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 5}, {10, 0, 5}, {10, 4, 6}};
  problem.buffers[1].fixedOffset = 0;
  problem.buffers[2].fixedOffset = 9;
  llvm::Expected<Schedule> schedule = runScheduler(getScheduler(), problem);
  ASSERT_FALSE(bool(schedule));
  EXPECT_EQ(llvm::toString(schedule.takeError()),
            "fixed offsets exclude each other: overlap: buffers 1 and 2 share "
            "bytes at one tick");
}

TEST_P(SchedulersTest, PoolIsTheLeastCapacity) {
  for (unsigned seed = 0; seed < 20; seed += seedStep) {
    SchedulingProblem problem = makeRandomProblem(seed, {30, 40, 15});
    int64_t poolSize = run(problem).poolSize;
    for (int64_t capacity : {poolSize, poolSize + 1, 2 * poolSize}) {
      problem.capacity = capacity;
      EXPECT_LE(run(problem).poolSize, capacity);
    }
  }
}

TEST_P(SchedulersTest, ManyBuffers) {
  // Sanitizers and assertions cost more than is to be learned from them here.
#ifdef NDEBUG
  constexpr unsigned count = 30000, countOfPairs = 2000;
#else
  constexpr unsigned count = 2000, countOfPairs = 300;
#endif
  RandomShape shape;
  shape.count = count;
  shape.ticks = 2 * count;
  run(makeRandomProblem(0, shape));
  // One after the other, and one within the other.
  SchedulingProblem chain, nest;
  for (int64_t i = 0; i < count; ++i) {
    chain.buffers.push_back({1 + i % 7, i, i + 2});
    nest.buffers.push_back({1 + i % 7, i, 2 * count - i});
  }
  run(chain);
  // Every buffer overlaps every other: what looks at pairs looks at n^2 / 2.
  nest.buffers.truncate(countOfPairs);
  EXPECT_EQ(run(nest).poolSize, computeTotalBytes(nest));
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
                           llvm::replace(name, '-', '_');
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
