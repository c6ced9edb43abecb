//===- BanksTest.cpp - Spreading buffers over banks -----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Banks.h"
#include "BruteForce.h"
#include "RandomProblems.h"
#include "buffer-merge/Scheduling/Scheduler.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "gtest/gtest.h"

using namespace buffer_merge;

TEST(BanksTest, ContiguousBanksAreSharedByTheirBytes) {
  BankGeometry banks = {4, 16, /*areInterleaved=*/false};
  EXPECT_TRUE(shareBank(banks, {0, 1}, {15, 16}));
  EXPECT_FALSE(shareBank(banks, {0, 16}, {16, 32}));
  EXPECT_TRUE(shareBank(banks, {0, 17}, {16, 32}));
  EXPECT_TRUE(shareBank(banks, {20, 21}, {0, 64}));
  EXPECT_FALSE(shareBank(banks, {48, 64}, {0, 48}));
}

TEST(BanksTest, InterleavedBanksAreSharedByTheBegin) {
  BankGeometry banks = {4, 16, /*areInterleaved=*/true};
  EXPECT_TRUE(shareBank(banks, {0, 1}, {64, 65}));
  EXPECT_TRUE(shareBank(banks, {17, 200}, {95, 96}));
  EXPECT_FALSE(shareBank(banks, {0, 200}, {16, 200}));
}

TEST(BanksTest, SmallProblemsAreSolved) {
  unsigned numBetter = 0, numLeft = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    RandomShape shape;
    shape.count = 2 + random() % 4;
    shape.ticks = 6;
    shape.maxDuration = 4;
    shape.maxSize = 4;
    shape.maxAlignmentLog2 = random() % 2;
    SchedulingProblem problem = makeRandomProblem(random(), shape);
    if (random() % 3 == 0)
      addRandomConflicts(random(), 1, problem);
    BankProblem banks;
    banks.banks = {int64_t(2 + random() % 3), int64_t(1 + random() % 4),
                   random() % 2 == 0};
    banks.poolBegin = 2 * (random() % 4);
    for (BufferId a = 0; a < shape.count; ++a)
      for (BufferId b = a + 1; b < shape.count; ++b)
        if (random() % 2 == 0)
          banks.pairs.push_back({a, b});
    Schedule start =
        llvm::cantFail(runScheduler(*lookupScheduler("auto"), problem));
    // The pool has some room.
    start.poolSize += random() % 4;
    int64_t before = countPairsInSameBank(problem, banks, start);
    int64_t least = before;
    forEachSchedule(
        problem, start.poolSize, [&](llvm::ArrayRef<int64_t> offsets) {
          Schedule other =
              makeSchedule(problem, llvm::SmallVector<int64_t, 0>(offsets));
          least = std::min(least, countPairsInSameBank(problem, banks, other));
        });
    Schedule spread = spreadOverBanks(problem, banks, start, 1 << 20);
    EXPECT_EQ(findScheduleViolation(problem, spread), std::nullopt);
    EXPECT_EQ(spread.poolSize, start.poolSize);
    EXPECT_EQ(countPairsInSameBank(problem, banks, spread), least)
        << "seed " << seed;
    numBetter += least < before;
    numLeft += least != 0;
  }
  EXPECT_GT(numBetter, 60u);
  EXPECT_GT(numLeft, 60u);
}

TEST(BanksTest, LargeProblemsGetBetter) {
  RandomShape shape;
  shape.count = 100;
  shape.ticks = 100;
  shape.maxAlignmentLog2 = 4;
  SchedulingProblem problem = makeRandomProblem(3, shape);
  addFixedOffsets(/*stride=*/40, problem);
  BankProblem banks;
  banks.banks = {16, 4096, /*areInterleaved=*/false};
  for (BufferId id = 0; id + 1 < shape.count; ++id)
    if (problem.buffers[id].overlapsInTime(problem.buffers[id + 1]))
      banks.pairs.push_back({id, id + 1});
  Schedule start =
      llvm::cantFail(runScheduler(*lookupScheduler("auto"), problem));
  Schedule spread = spreadOverBanks(problem, banks, start, 1000);
  EXPECT_EQ(findScheduleViolation(problem, spread), std::nullopt);
  EXPECT_EQ(spread.poolSize, start.poolSize);
  EXPECT_LT(countPairsInSameBank(problem, banks, spread) * 2,
            countPairsInSameBank(problem, banks, start));
}
