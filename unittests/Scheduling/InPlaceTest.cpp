//===- InPlaceTest.cpp - In-place pairs -----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InPlace.h"
#include "RandomProblems.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "gtest/gtest.h"

using namespace buffer_merge;

static constexpr InPlaceCondition sameOffset = InPlaceCondition::SameOffset;
static constexpr InPlaceCondition anyOffset = InPlaceCondition::AnyOffset;

/// Return what is wrong with the schedule of `problem` with these offsets.
static std::string verify(const SchedulingProblem &problem,
                          llvm::SmallVector<int64_t, 0> offsets) {
  return llvm::toString(
      verifySchedule(problem, makeSchedule(problem, std::move(offsets))));
}

static std::string checkPairs(const SchedulingProblem &problem) {
  return llvm::toString(checkProblem(problem));
}

/// Return the pool that `name` makes of `problem`, or -1 after a failure.
static int64_t getPoolSize(const SchedulingProblem &problem,
                           const char *name = "exact") {
  llvm::Expected<Schedule> schedule =
      runScheduler(*lookupScheduler(name), problem);
  if (schedule)
    return schedule->poolSize;
  ADD_FAILURE() << llvm::toString(schedule.takeError());
  return -1;
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

TEST(InPlaceProblem, PairsMeetAtOneTick) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 3}, {8, 2, 5}, {8, 1, 5}, {8, 3, 5}};
  problem.inPlacePairs = {{0, 1, sameOffset}};
  EXPECT_EQ(checkPairs(problem), "");
  problem.inPlacePairs = {{0, 4, sameOffset}};
  EXPECT_EQ(checkPairs(problem), "in-place pair 0: there is no buffer 4");
  // A liar: the first is still in use when the second one has been written.
  problem.inPlacePairs = {{0, 1, sameOffset}, {0, 2, anyOffset}};
  EXPECT_EQ(checkPairs(problem),
            "in-place pair 1: the last tick of buffer 0 is not "
            "the first of buffer 2");
  problem.inPlacePairs = {{0, 3, sameOffset}};
  EXPECT_EQ(checkPairs(problem),
            "in-place pair 0: the last tick of buffer 0 is not "
            "the first of buffer 3");
  for (InPlacePair pair : {InPlacePair{1, 0}, InPlacePair{0, 0}}) {
    problem.inPlacePairs = {pair};
    EXPECT_NE(checkPairs(problem).find("does not begin before"),
              std::string::npos);
  }
  // Both begin at the tick that they meet at: neither is read for the last
  // time.
  problem.buffers = {{8, 0, 1}, {8, 0, 2}};
  problem.inPlacePairs = {{0, 1, anyOffset}};
  EXPECT_EQ(checkPairs(problem),
            "in-place pair 0: buffer 0 does not begin before buffer 1");
}

TEST(InPlaceProblem, ExtremeTicks) {
  SchedulingProblem problem;
  problem.buffers = {{8, INT64_MIN, INT64_MAX}, {8, INT64_MAX - 1, INT64_MAX}};
  problem.inPlacePairs = {{0, 1, anyOffset}};
  EXPECT_EQ(checkPairs(problem), "");
  EXPECT_EQ(computeLowerBound(problem).bytes, 8);
  EXPECT_EQ(getPoolSize(problem), 8);
}

//===----------------------------------------------------------------------===//
// The verifier
//===----------------------------------------------------------------------===//

TEST(InPlaceVerifier, SameOffset) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 3}, {8, 2, 5}};
  EXPECT_NE(verify(problem, {0, 0}), "");
  problem.inPlacePairs = {{0, 1, sameOffset}};
  EXPECT_EQ(verify(problem, {0, 0}), "");
  EXPECT_EQ(verify(problem, {0, 8}), "");
  EXPECT_EQ(verify(problem, {0, 4}),
            "overlap: buffers 0 and 1 share bytes at one tick");
  EXPECT_EQ(verify(problem, {4, 0}),
            "overlap: buffers 0 and 1 share bytes at one tick");
}

TEST(InPlaceVerifier, AnyOffset) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 3}, {8, 2, 5}};
  problem.inPlacePairs = {{0, 1, anyOffset}};
  for (int64_t offset : {0, 3, 4, 8})
    EXPECT_EQ(verify(problem, {4, offset}), "");
}

TEST(InPlaceVerifier, PairsDoNotExtendToOthers) {
  // The third takes the place of the second only; the first is alive as well.
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 3}, {8, 0, 3}, {8, 2, 5}, {8, 2, 5}};
  problem.inPlacePairs = {{1, 2, anyOffset}};
  EXPECT_EQ(verify(problem, {0, 8, 8, 16}), "");
  EXPECT_EQ(verify(problem, {0, 8, 4, 16}),
            "overlap: buffers 0 and 2 share bytes at one tick");
  EXPECT_EQ(verify(problem, {0, 8, 16, 8}),
            "overlap: buffers 1 and 3 share bytes at one tick");
  // Two that are born together do not both take the place of one.
  problem.inPlacePairs = {{1, 2, sameOffset}, {1, 3, sameOffset}};
  EXPECT_EQ(verify(problem, {0, 8, 8, 8}),
            "overlap: buffers 2 and 3 share bytes at one tick");
}

TEST(InPlaceVerifier, ALiarIsCaught) {
  // Both are alive at ticks 2 and 3: `checkProblem` refuses the pair, and the
  // verifier gives it no meaning.
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 4}, {8, 2, 5}};
  problem.inPlacePairs = {{0, 1, anyOffset}};
  EXPECT_EQ(verify(problem, {0, 0}),
            "overlap: buffers 0 and 1 share bytes at one tick");
  llvm::Expected<Schedule> schedule =
      runScheduler(*lookupScheduler("first-fit"), problem);
  ASSERT_FALSE(bool(schedule));
  llvm::consumeError(schedule.takeError());
}

TEST(InPlaceVerifier, ConflictsComeFirst) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 3}, {8, 2, 5}};
  problem.inPlacePairs = {{0, 1, sameOffset}};
  problem.conflicts = {{1, 0}};
  EXPECT_EQ(verify(problem, {0, 0}),
            "conflict: buffers 1 and 0 are in conflict and share bytes");
  EXPECT_EQ(getPoolSize(problem), 16);
}

TEST(InPlaceVerifier, WhatIsBornInPlaceIsGuarded) {
  // Of a chain at one offset, every link is in the way of the fourth.
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 2}, {8, 1, 3}, {8, 2, 4}, {8, 3, 4}};
  problem.inPlacePairs = {{0, 1, sameOffset}, {1, 2, sameOffset}};
  EXPECT_EQ(verify(problem, {0, 0, 0, 8}), "");
  EXPECT_EQ(verify(problem, {0, 0, 0, 4}),
            "overlap: buffers 2 and 3 share bytes at one tick");
  // One that lives for one tick, in place of another one.
  problem.buffers = {{8, 0, 2}, {8, 1, 2}, {8, 2, 4}, {8, 3, 4}};
  problem.inPlacePairs = {{0, 1, sameOffset}};
  EXPECT_EQ(verify(problem, {0, 0, 0, 8}), "");
  EXPECT_EQ(verify(problem, {0, 0, 0, 0}),
            "overlap: buffers 2 and 3 share bytes at one tick");
}

/// What is right by definition, pair by pair.
static bool isValid(const SchedulingProblem &problem,
                    llvm::ArrayRef<int64_t> offsets) {
  auto mayShare = [&](BufferId a, BufferId b) {
    return llvm::any_of(problem.inPlacePairs, [&](const InPlacePair &pair) {
      return pair.earlier == a && pair.later == b &&
             (pair.condition == anyOffset || offsets[a] == offsets[b]);
    });
  };
  for (BufferId a = 0; a < offsets.size(); ++a)
    for (BufferId b = 0; b < a; ++b) {
      const Buffer &first = problem.buffers[a], &second = problem.buffers[b];
      if (offsets[a] < offsets[b] + second.size &&
          offsets[b] < offsets[a] + first.size &&
          first.overlapsInTime(second) && !mayShare(a, b) && !mayShare(b, a))
        return false;
    }
  return true;
}

/// Add every pair that is possible, each with one condition or the other, or
/// left out.
static void addRandomPairs(unsigned seed, SchedulingProblem &problem) {
  std::mt19937_64 random(seed);
  for (BufferId a = 0; a < problem.buffers.size(); ++a)
    for (BufferId b = 0; b < problem.buffers.size(); ++b) {
      const Buffer &earlier = problem.buffers[a], &later = problem.buffers[b];
      if (earlier.begin >= later.begin || earlier.end != later.begin + 1)
        continue;
      unsigned choice = random() % 4;
      if (choice != 0)
        problem.inPlacePairs.push_back(
            {a, b, choice == 1 ? anyOffset : sameOffset});
    }
}

TEST(InPlaceVerifier, AgreesWithTheDefinition) {
  unsigned numValid = 0, numInvalid = 0;
  for (unsigned seed = 0; seed < 8000; ++seed) {
    bool withGaps = seed >= 4000;
    SchedulingProblem problem =
        makeRandomProblem(seed, {5, 5, withGaps ? 8 : 3, 4});
    if (withGaps)
      addRandomGaps(seed, problem);
    addRandomPairs(seed, problem);
    ASSERT_EQ(checkPairs(problem), "");
    std::mt19937_64 random(seed);
    llvm::SmallVector<int64_t, 0> offsets;
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      offsets.push_back(random() % 10);
    bool valid = isValid(problem, offsets);
    EXPECT_EQ(verify(problem, offsets).empty(), valid) << "seed " << seed;
    ++(valid ? numValid : numInvalid);
  }
  EXPECT_GT(numValid, 200u);
  EXPECT_GT(numInvalid, 200u);
}

//===----------------------------------------------------------------------===//
// The lower bound
//===----------------------------------------------------------------------===//

TEST(InPlaceLowerBound, TheLargerSideCounts) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 3}, {4, 0, 3}, {20, 2, 5}, {1, 0, 9}};
  EXPECT_EQ(computeLowerBound(problem).bytes, 35);
  problem.inPlacePairs = {{0, 2, sameOffset}};
  LowerBound bound = computeLowerBound(problem);
  EXPECT_EQ(bound.bytes, 25);
  EXPECT_EQ(bound.peakTick, 2);
  problem.inPlacePairs.push_back({1, 2, anyOffset});
  EXPECT_EQ(computeLowerBound(problem).bytes, 21);
  EXPECT_EQ(getPoolSize(problem), 25);
}

TEST(InPlaceLowerBound, AlignedBound) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 3, 16}, {10, 2, 5, 16}, {16, 0, 9, 16}};
  EXPECT_EQ(computeProvedBound(problem), 42);
  problem.inPlacePairs = {{0, 1, sameOffset}};
  EXPECT_EQ(computeProvedBound(problem), 26);
  EXPECT_EQ(getPoolSize(problem), 26);
}

//===----------------------------------------------------------------------===//
// The reduction
//===----------------------------------------------------------------------===//

TEST(InPlaceReduction, AChainIsOneUnit) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 3, 4}, {6, 2, 5, 6}, {8, 4, 7, 4}, {1, 0, 9}};
  problem.inPlacePairs = {{0, 1, sameOffset}, {1, 2, sameOffset}};
  InPlaceReduction reduction = reduceInPlace(problem, InPlaceChoice::All);
  EXPECT_EQ(reduction.unitOf, (llvm::SmallVector<BufferId, 0>{0, 0, 0, 1}));
  ASSERT_EQ(reduction.problem.buffers.size(), 2u);
  EXPECT_EQ(reduction.problem.buffers[0].size, 8);
  EXPECT_EQ(reduction.problem.buffers[0].alignment, 12);
  EXPECT_TRUE(reduction.problem.inPlacePairs.empty());
  EXPECT_EQ(getPoolSize(problem), 9);
}

TEST(InPlaceReduction, OneDeathAndTwoBirths) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 3}, {4, 2, 5}, {8, 2, 5}};
  problem.inPlacePairs = {{0, 1, sameOffset}, {0, 2, sameOffset}};
  // The larger one takes the place.
  EXPECT_EQ(reduceInPlace(problem, InPlaceChoice::All).unitOf,
            (llvm::SmallVector<BufferId, 0>{0, 1, 0}));
  EXPECT_EQ(getPoolSize(problem), 12);
  // At any offset both fit into one.
  problem.buffers[0].size = 12;
  problem.inPlacePairs = {{0, 1, anyOffset}, {0, 2, anyOffset}};
  EXPECT_EQ(getPoolSize(problem), 12);
}

TEST(InPlaceReduction, TwoDeathsAndOneBirth) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 3}, {8, 0, 3}, {12, 2, 5}};
  problem.inPlacePairs = {{0, 2, sameOffset}, {1, 2, sameOffset}};
  EXPECT_EQ(getPoolSize(problem), 20);
  problem.inPlacePairs = {{0, 2, anyOffset}, {1, 2, anyOffset}};
  EXPECT_EQ(getPoolSize(problem), 16);
  // What is no pair does not share, although both leave half of the tick.
  problem.buffers.push_back({12, 2, 5});
  problem.inPlacePairs = {{0, 2, anyOffset}, {1, 3, anyOffset}};
  InPlaceReduction reduction = reduceInPlace(problem, InPlaceChoice::All);
  EXPECT_EQ(reduction.problem.conflicts.size(), 2u);
  getPoolSize(problem);
}

TEST(InPlaceReduction, ChainsThatDoNotPayAreNotMade) {
  // As one unit of 10 bytes the chain would be in the way of the third.
  SchedulingProblem problem;
  problem.buffers = {{1, 0, 5}, {10, 4, 6}, {9, 0, 3}};
  problem.inPlacePairs = {{0, 1, sameOffset}};
  EXPECT_EQ(getPoolSize(problem), 11);
  // The peak is elsewhere: no tick needs the pair, so that there is no unit.
  problem.buffers = {{8, 0, 3}, {8, 2, 5}, {100, 6, 7}};
  EXPECT_EQ(
      reduceInPlace(problem, InPlaceChoice::Needed).problem.buffers.size(), 3u);
  EXPECT_EQ(reduceInPlace(problem, InPlaceChoice::All).problem.buffers.size(),
            2u);
}

TEST(InPlaceReduction, APairMayMakeOthersNeeded) {
  // Each is computed from the one before and from the third before, whose place
  // it may take. Three chains would take 21, none would take 22.
  SchedulingProblem problem;
  constexpr BufferId count = 70;
  for (BufferId id = 0; id < count; ++id) {
    problem.buffers.push_back({1 + id % 7, id, std::min(id + 4, count)});
    if (id >= 3)
      problem.inPlacePairs.push_back({id - 3, id, sameOffset});
  }
  EXPECT_EQ(computeLowerBound(problem).bytes, 18);
  EXPECT_EQ(getPoolSize(problem, "auto"), 19);
  // 4 to 7 because of a sum of 22, then 3 to 6 because of 21, as 4 is as large
  // as 7, then 2 to 5.
  InPlaceReduction reduction = reduceInPlace(problem, InPlaceChoice::Needed);
  EXPECT_EQ(computeLowerBound(reduction.problem).bytes, 19);
  EXPECT_EQ(reduction.unitOf[10], reduction.unitOf[13]);
  EXPECT_NE(reduction.unitOf[13], reduction.unitOf[16]);
}

TEST(InPlaceReduction, AUnitMayEndAtTheTickOfItsPair) {
  // The second is alive at tick 2 alone. As it is in place of the first one,
  // their unit is in the way of the third, which would have the second half.
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 3}, {8, 2, 3}, {8, 2, 5}, {100, 6, 7}};
  problem.inPlacePairs = {{0, 1, sameOffset}, {0, 2, anyOffset}};
  InPlaceReduction reduction = reduceInPlace(problem, InPlaceChoice::All);
  EXPECT_EQ(reduction.unitOf, (llvm::SmallVector<BufferId, 0>{0, 0, 1, 2}));
  EXPECT_TRUE(reduction.problem.buffers[0].overlapsInTime(
      reduction.problem.buffers[1]));
  EXPECT_EQ(getPoolSize(problem), 100);
}

TEST(InPlaceReduction, ConflictsCutChains) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 3}, {8, 2, 5}, {8, 4, 7}};
  problem.inPlacePairs = {{0, 1, sameOffset}, {1, 2, sameOffset}};
  problem.conflicts = {{2, 0}};
  EXPECT_EQ(getPoolSize(problem), 16);
}

TEST(InPlaceReduction, FixedOffsets) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 3}, {8, 2, 5}, {8, 2, 5}, {8, 4, 7}};
  problem.inPlacePairs = {
      {0, 1, sameOffset}, {0, 2, sameOffset}, {1, 3, anyOffset}};
  problem.buffers[0].fixedOffset = 8;
  problem.buffers[1].fixedOffset = 0;
  EXPECT_EQ(getPoolSize(problem), 16);
  // Fixed on top of each other: it is the first pair that may be.
  problem.buffers[1].fixedOffset = 8;
  EXPECT_EQ(getPoolSize(problem), 16);
  // All of them.
  problem.buffers[2].fixedOffset = 16;
  problem.buffers[3].fixedOffset = 4;
  EXPECT_EQ(getPoolSize(problem), 24);
  problem.buffers[1].fixedOffset = 9;
  llvm::Expected<Schedule> schedule =
      runScheduler(*lookupScheduler("auto"), problem);
  ASSERT_FALSE(bool(schedule));
  EXPECT_EQ(llvm::toString(schedule.takeError()),
            "fixed offsets exclude each other: overlap: buffers 0 and 1 share "
            "bytes at one tick");
}

TEST(InPlaceReduction, Capacity) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 3}, {8, 2, 5}};
  problem.inPlacePairs = {{0, 1, sameOffset}};
  problem.capacity = 8;
  EXPECT_EQ(getPoolSize(problem, "first-fit"), 8);
  problem.capacity = 7;
  llvm::Expected<Schedule> schedule =
      runScheduler(*lookupScheduler("first-fit"), problem);
  ASSERT_FALSE(bool(schedule));
  llvm::handleAllErrors(schedule.takeError(), [](const CapacityError &error) {
    EXPECT_EQ(error.getNeededBytes(), 8);
    EXPECT_TRUE(error.isProved());
  });
  // 12 is the bound, 16 what a common offset needs.
  problem.buffers = {{8, 0, 3}, {4, 0, 3}, {12, 2, 5}};
  problem.inPlacePairs = {{0, 2, sameOffset}, {1, 2, sameOffset}};
  problem.capacity = 15;
  schedule = runScheduler(*lookupScheduler("exact"), problem);
  ASSERT_FALSE(bool(schedule));
  llvm::handleAllErrors(schedule.takeError(), [](const CapacityError &error) {
    EXPECT_EQ(error.getNeededBytes(), 16);
    EXPECT_FALSE(error.isProved());
  });
}

TEST(InPlaceReduction, WhoReusesNothingReusesNothingInPlace) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 3}, {8, 2, 5}};
  problem.inPlacePairs = {{0, 1, sameOffset}};
  EXPECT_EQ(getPoolSize(problem, "bump"), 16);
}

TEST(InPlaceReduction, RandomProblems) {
  for (const Scheduler *scheduler : getRegisteredSchedulers()) {
    unsigned numSmaller = 0;
    for (unsigned seed = 0; seed < 60; seed += seedStep) {
      RandomShape shape;
      shape.count = 2 + seed % 30;
      shape.ticks = 1 + shape.count;
      shape.maxDuration = 6;
      shape.maxSize = seed % 3 ? 100 : 1;
      shape.maxAlignmentLog2 = seed % 4 ? 0 : 5;
      SchedulingProblem problem = makeRandomProblem(seed, shape);
      if (seed % 5 == 0)
        addRandomConflicts(seed, shape.count / 4, problem);
      if (seed % 7 == 0)
        addFixedOffsets(7, problem);
      SchedulerOptions options;
      options.effort = 0;
      llvm::Expected<Schedule> without =
          runScheduler(*scheduler, problem, options);
      ASSERT_TRUE(bool(without));
      addRandomPairs(seed, problem);
      llvm::Expected<Schedule> schedule =
          runScheduler(*scheduler, problem, options);
      ASSERT_TRUE(bool(schedule)) << llvm::toString(schedule.takeError());
      EXPECT_TRUE(isValid(problem, schedule->offsets));
      EXPECT_LE(schedule->poolSize, without->poolSize);
      EXPECT_GE(schedule->poolSize, computeProvedBound(problem));
      EXPECT_GE(schedule->poolSize, schedule->provedBound);
      numSmaller += schedule->poolSize < without->poolSize;
      // A pure function: the same again.
      llvm::Expected<Schedule> again =
          runScheduler(*scheduler, problem, options);
      ASSERT_TRUE(bool(again));
      EXPECT_EQ(schedule->offsets, again->offsets);
    }
    EXPECT_EQ(numSmaller > 10 / seedStep, scheduler->reusesBytes())
        << scheduler->getName().str() << ": " << numSmaller;
  }
}

TEST(InPlaceReduction, ALongChain) {
  SchedulingProblem problem;
  constexpr BufferId count = 20000;
  for (BufferId i = 0; i < count; ++i) {
    problem.buffers.push_back({64, 2 * int64_t(i), 2 * int64_t(i) + 3});
    if (i)
      problem.inPlacePairs.push_back(
          {i - 1, i, i % 3 ? sameOffset : anyOffset});
  }
  EXPECT_EQ(getPoolSize(problem, "first-fit"), 64);
}

TEST(InPlaceReduction, GapsOfAChain) {
  SchedulingProblem problem;
  problem.buffers = {{8, 0, 5}, {8, 4, 9}, {8, 2, 3}, {8, 6, 8}};
  problem.buffers[0].gaps = {{2, 4}};
  problem.buffers[1].gaps = {{5, 8}};
  problem.inPlacePairs = {{0, 1, sameOffset}};
  InPlaceReduction reduction = reduceInPlace(problem, InPlaceChoice::All);
  EXPECT_EQ(checkPairs(reduction.problem), "");
  ASSERT_EQ(reduction.problem.buffers.size(), 3u);
  EXPECT_EQ(reduction.problem.buffers[0].gaps.size(), 2u);
  EXPECT_EQ(getPoolSize(problem), 8);
}

TEST(InPlaceReduction, RandomGaps) {
  for (unsigned seed = 0; seed < 120; seed += seedStep) {
    SchedulingProblem problem = makeRandomProblem(seed, {12, 12, 9, 20});
    addRandomGaps(seed, problem);
    addRandomPairs(seed, problem);
    if (seed % 3 == 0)
      addRandomConflicts(seed, 4, problem);
    for (InPlaceChoice choice : {InPlaceChoice::Needed, InPlaceChoice::All})
      EXPECT_EQ(checkPairs(reduceInPlace(problem, choice).problem), "") << seed;
    for (const char *name : {"auto", "first-fit", "greedy-by-size"}) {
      llvm::Expected<Schedule> schedule =
          runScheduler(*lookupScheduler(name), problem);
      ASSERT_TRUE(bool(schedule)) << seed;
      EXPECT_TRUE(isValid(problem, schedule->offsets)) << seed;
      EXPECT_GE(schedule->poolSize, computeLowerBound(problem).bytes);
    }
  }
}
