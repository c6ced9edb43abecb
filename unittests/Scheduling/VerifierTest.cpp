//===- VerifierTest.cpp - Tests of the verifier ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Verifier.h"
#include "buffer-merge/Scheduling/Scheduler.h"

#include "gtest/gtest.h"

using namespace buffer_merge;

namespace {
/// Two buffers alive together, one after them that is aligned.
class VerifierTest : public testing::Test {
protected:
  VerifierTest() {
    problem.buffers = {{10, 0, 4}, {6, 3, 6}, {8, 6, 9, 4}};
    schedule = makeSchedule(problem, {0, 10, 4});
  }

  std::string verify() {
    return llvm::toString(verifySchedule(problem, schedule));
  }

  SchedulingProblem problem;
  Schedule schedule;
};
} // namespace

TEST_F(VerifierTest, Valid) { EXPECT_EQ(verify(), ""); }

TEST_F(VerifierTest, Count) {
  schedule.offsets.pop_back();
  EXPECT_EQ(verify(),
            "count: the number of offsets is not the number of buffers");
}

TEST_F(VerifierTest, NegativeOffset) {
  schedule.offsets[0] = -1;
  EXPECT_EQ(verify(), "negative-offset: buffer 0 is below the pool");
}

TEST_F(VerifierTest, Alignment) {
  schedule.offsets[2] = 6;
  EXPECT_EQ(verify(),
            "alignment: buffer 2 is not at a multiple of its alignment");
}

TEST_F(VerifierTest, PoolAlignment) {
  schedule.poolAlignment = 2;
  EXPECT_EQ(verify(),
            "pool-alignment: the pool is not aligned as buffer 2 asks");
}

TEST_F(VerifierTest, PoolSize) {
  schedule.poolSize = 15;
  EXPECT_EQ(verify(), "pool-size: buffer 1 ends above the pool");
  schedule.offsets[1] = INT64_MAX;
  EXPECT_EQ(verify(), "pool-size: buffer 1 ends above the pool");
}

TEST_F(VerifierTest, Capacity) {
  problem.capacity = 16;
  EXPECT_EQ(verify(), "");
  problem.capacity = 15;
  EXPECT_EQ(verify(), "capacity: the pool is larger than the capacity");
}

TEST_F(VerifierTest, FixedOffset) {
  problem.buffers[1].fixedOffset = 10;
  EXPECT_EQ(verify(), "");
  problem.buffers[1].fixedOffset = 12;
  schedule.poolSize = 18;
  EXPECT_EQ(verify(), "fixed-offset: buffer 1 is not at its fixed offset");
}

TEST_F(VerifierTest, Overlap) {
  schedule.offsets[1] = 9;
  EXPECT_EQ(verify(), "overlap: buffers 0 and 1 share bytes at one tick");
  // From below, and at the same offset.
  schedule.offsets = {5, 0, 0};
  EXPECT_EQ(verify(), "overlap: buffers 0 and 1 share bytes at one tick");
  schedule.offsets = {0, 0, 0};
  EXPECT_EQ(verify(), "overlap: buffers 0 and 1 share bytes at one tick");
}

TEST_F(VerifierTest, LastTickCounts) {
  // The intervals are half open: buffer 2 begins when buffer 1 has ended.
  schedule.offsets = {0, 10, 8};
  EXPECT_EQ(verify(), "");
  problem.buffers[1].end = 7;
  EXPECT_EQ(verify(), "overlap: buffers 1 and 2 share bytes at one tick");
}

TEST_F(VerifierTest, GapsMayBeShared) {
  // Buffer 1 is at the place of buffer 0 while that has a gap.
  problem.buffers = {{10, 0, 12}, {6, 3, 6}, {6, 8, 10}};
  problem.buffers[0].gaps = {{3, 6}, {8, 11}};
  schedule = makeSchedule(problem, {0, 2, 4});
  EXPECT_EQ(verify(), "");
  for (TickInterval gap : {TickInterval{4, 6}, TickInterval{3, 5}}) {
    problem.buffers[0].gaps[0] = gap;
    // The one that comes later is named last.
    EXPECT_EQ(verify(), gap.begin == 4
                            ? "overlap: buffers 0 and 1 share bytes at one tick"
                            : "overlap: buffers 1 and 0 share bytes at one "
                              "tick");
  }
  problem.buffers[0].gaps = {{3, 6}};
  EXPECT_EQ(verify(), "overlap: buffers 0 and 2 share bytes at one tick");
  // Two gaps at one tick, and neither buffer there.
  problem.buffers = {{10, 0, 6}, {10, 1, 5}};
  problem.buffers[0].gaps = {{1, 2}, {4, 5}};
  problem.buffers[1].gaps = {{2, 4}};
  schedule = makeSchedule(problem, {0, 0});
  EXPECT_EQ(verify(), "");
}

TEST_F(VerifierTest, Conflict) {
  problem.conflicts = {{2, 0}};
  EXPECT_EQ(verify(),
            "conflict: buffers 2 and 0 are in conflict and share bytes");
  schedule = makeSchedule(problem, {0, 10, 12});
  EXPECT_EQ(verify(), "");
}

namespace {
/// A scheduler that puts everything at offset 0.
class WrongScheduler final : public Scheduler {
public:
  llvm::StringRef getName() const override { return "wrong"; }
  llvm::StringRef getDescription() const override { return "Always wrong"; }
  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override {
    return makeSchedule(
        problem, llvm::SmallVector<int64_t, 0>(problem.buffers.size(), 0));
  }
};
} // namespace

TEST_F(VerifierTest, RunSchedulerRefusesAWrongSchedule) {
  llvm::Expected<Schedule> result = runScheduler(WrongScheduler(), problem);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()),
            "scheduler 'wrong' returned an invalid schedule\n"
            "overlap: buffers 0 and 1 share bytes at one tick");
}

TEST_F(VerifierTest, RunSchedulerRefusesAMalformedProblem) {
  problem.buffers[0].size = 0;
  llvm::Expected<Schedule> result =
      runScheduler(*lookupScheduler("bump"), problem);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()),
            "buffer 0: size 0 is not positive");
}
