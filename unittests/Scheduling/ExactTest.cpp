//===- ExactTest.cpp - Tests of branch and bound --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Exact.h"
#include "RandomProblems.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "llvm/Support/MathExtras.h"

#include "gtest/gtest.h"

#include <random>

using namespace buffer_merge;

namespace {
/// What may appear in a random problem.
struct RandomTraits {
  bool alignments = false;
  bool conflicts = false;
  bool fixedOffsets = false;
  bool gaps = false;
};

/// Exhaustive enumeration: every multiple of the alignment is tried for every
/// buffer, the fixed ones first. It shares no idea with the search.
class BruteForce {
public:
  explicit BruteForce(const SchedulingProblem &problem) : problem(problem) {
    for (bool isFixed : {true, false})
      for (const Buffer &buffer : problem.buffers)
        if (buffer.fixedOffset.has_value() == isFixed)
          order.push_back(&buffer - problem.buffers.begin());
    offsets.resize(order.size());
    for (BufferId a : order)
      for (BufferId b : order)
        exclusive[a][b] = a != b && exclude(a, b);
  }

  /// Return true if there is a schedule within `capacity`.
  bool fits(int64_t capacity) { return placeFrom(0, capacity); }

private:
  bool exclude(BufferId a, BufferId b) const {
    if (problem.buffers[a].overlapsInTime(problem.buffers[b]))
      return true;
    return llvm::any_of(problem.conflicts, [&](auto pair) {
      return pair == std::pair(a, b) || pair == std::pair(b, a);
    });
  }

  bool placeFrom(unsigned position, int64_t capacity) {
    if (position == order.size())
      return true;
    BufferId id = order[position];
    const Buffer &buffer = problem.buffers[id];
    int64_t last = capacity - buffer.size;
    for (int64_t offset = buffer.fixedOffset.value_or(0);
         offset <= buffer.fixedOffset.value_or(last) && offset <= last;
         offset += buffer.alignment) {
      bool isFree = true;
      for (unsigned i = 0; i < position && isFree; ++i) {
        BufferId other = order[i];
        isFree = !exclusive[id][other] ||
                 offset + buffer.size <= offsets[other] ||
                 offsets[other] + problem.buffers[other].size <= offset;
      }
      if (!isFree)
        continue;
      offsets[id] = offset;
      if (placeFrom(position + 1, capacity))
        return true;
    }
    return false;
  }

  const SchedulingProblem &problem;
  llvm::SmallVector<BufferId> order;
  llvm::SmallVector<int64_t> offsets;
  bool exclusive[16][16];
};
} // namespace

static SchedulingProblem makeTinyProblem(unsigned seed, RandomTraits traits,
                                         unsigned maxCount = 7) {
  // Raw numbers only: the standard's distributions differ between libraries.
  std::mt19937 random(seed);
  SchedulingProblem problem;
  unsigned count = 1 + random() % maxCount;
  unsigned ticks = 2 + random() % 6;
  unsigned maxSize = 1 + random() % 4;
  for (unsigned i = 0; i < count; ++i) {
    Buffer buffer;
    buffer.begin = random() % ticks;
    buffer.end = buffer.begin + 1 + random() % (traits.gaps ? 7 : 3);
    buffer.size = 1 + random() % maxSize;
    if (traits.alignments && random() % 3 == 0)
      buffer.alignment = 1 + random() % 4;
    if (traits.fixedOffsets && random() % 4 == 0)
      buffer.fixedOffset = random() % 5 * buffer.alignment;
    problem.buffers.push_back(buffer);
  }
  if (traits.gaps)
    addRandomGaps(seed, problem);
  if (traits.conflicts && count > 1) {
    for (unsigned i = random() % 4; i != 0; --i) {
      BufferId a = random() % count, b = random() % count;
      if (a != b)
        problem.conflicts.push_back({a, b});
    }
  }
  return problem;
}

/// Compare `solveExact` with exhaustive enumeration: with and without a
/// capacity.
static void compareWithBruteForce(SchedulingProblem problem,
                                  const std::string &name) {
  BruteForce bruteForce(problem);
  // Fixed offsets below 16, then everything on top of each other.
  int64_t limit = 20;
  for (const Buffer &buffer : problem.buffers)
    limit += buffer.size + buffer.alignment;
  bool isFeasible = bruteForce.fits(limit);
  ExactResult best = solveExact(problem);
  if (!isFeasible) {
    EXPECT_EQ(best.status, ExactStatus::Infeasible) << name;
    EXPECT_FALSE(best.schedule.has_value()) << name;
    return;
  }
  ASSERT_EQ(best.status, ExactStatus::Optimal) << name;
  int64_t optimum = best.schedule->poolSize;
  EXPECT_EQ(best.lowerBound, optimum) << name;
  EXPECT_TRUE(bruteForce.fits(optimum)) << name;
  EXPECT_FALSE(optimum != 0 && bruteForce.fits(optimum - 1)) << name;
  EXPECT_EQ(findScheduleViolation(problem, *best.schedule), std::nullopt)
      << name;

  for (int64_t capacity = std::max<int64_t>(0, optimum - 2);
       capacity <= optimum + 1; ++capacity) {
    problem.capacity = capacity;
    ExactResult result = solveExact(problem);
    if (capacity < optimum) {
      EXPECT_EQ(result.status, ExactStatus::Infeasible) << name;
      EXPECT_FALSE(result.schedule.has_value()) << name;
      EXPECT_LE(result.lowerBound, optimum) << name;
      continue;
    }
    ASSERT_TRUE(result.schedule.has_value()) << name;
    EXPECT_EQ(findScheduleViolation(problem, *result.schedule), std::nullopt)
        << name;
  }
}

static void compareMany(RandomTraits traits, unsigned count) {
  for (unsigned seed = 0; seed < count; seed += seedStep) {
    compareWithBruteForce(makeTinyProblem(seed, traits),
                          "seed " + std::to_string(seed));
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(ExactBruteForce, Plain) { compareMany({false, false, false}, 500); }
TEST(ExactBruteForce, Alignments) { compareMany({true, false, false}, 500); }
TEST(ExactBruteForce, Conflicts) { compareMany({false, true, false}, 500); }
TEST(ExactBruteForce, FixedOffsets) { compareMany({false, false, true}, 500); }
TEST(ExactBruteForce, AlignmentsAndConflicts) {
  compareMany({true, true, false}, 500);
}
TEST(ExactBruteForce, Gaps) { compareMany({false, false, false, true}, 1000); }
TEST(ExactBruteForce, EverythingWithGaps) {
  compareMany({true, true, true, true}, 1000);
}
TEST(ExactBruteForce, Everything) { compareMany({true, true, true}, 1000); }

/// A problem with all that a problem may carry, too large for brute force.
static SchedulingProblem makeLargerProblem(unsigned seed, unsigned count,
                                           RandomTraits traits) {
  std::mt19937 random(seed);
  SchedulingProblem problem;
  for (unsigned i = 0; i < count; ++i) {
    Buffer buffer;
    buffer.begin = random() % count;
    buffer.end = buffer.begin + 1 + random() % (random() % 8 == 0 ? count : 12);
    buffer.size = 1 + random() % 100;
    if (traits.alignments && random() % 3 == 0)
      buffer.alignment = 1 + random() % 12;
    problem.buffers.push_back(buffer);
  }
  if (traits.gaps)
    addRandomGaps(seed, problem);
  for (unsigned i = 0; traits.conflicts && i < count / 2; ++i) {
    BufferId a = random() % count, b = random() % count;
    if (a != b)
      problem.conflicts.push_back({a, b});
  }
  // Far enough apart that they never exclude each other.
  for (unsigned i = 0; traits.fixedOffsets && i < count; i += 9) {
    problem.buffers[i].alignment = 1;
    problem.buffers[i].fixedOffset = int64_t(20) * i;
    problem.buffers[i].size = 1 + random() % 180;
  }
  return problem;
}

TEST(Exact, NoBuffers) {
  ExactResult result = solveExact({});
  EXPECT_EQ(result.status, ExactStatus::Optimal);
  ASSERT_TRUE(result.schedule.has_value());
  EXPECT_EQ(result.schedule->poolSize, 0);
}

TEST(Exact, GapBelowThePeakIsNeeded) {
  // The lower bound is 3, but no schedule is smaller than 4.
  //
  //   4 |  a   a   .   d   d
  //   3 |  a   a   c   c   .
  //   2 |  .   b   b   .   .        the lower bound with sizes 2, 1, 1, 2
  SchedulingProblem problem;
  problem.buffers = {{2, 0, 2}, {1, 1, 3}, {1, 2, 4}, {2, 3, 5}, {2, 0, 1}};
  problem.conflicts = {{0, 2}, {1, 3}, {0, 3}};
  ExactResult result = solveExact(problem);
  EXPECT_EQ(result.status, ExactStatus::Optimal);
  ASSERT_TRUE(result.schedule.has_value());
  BruteForce bruteForce(problem);
  EXPECT_TRUE(bruteForce.fits(result.schedule->poolSize));
  EXPECT_FALSE(bruteForce.fits(result.schedule->poolSize - 1));
}

TEST(Exact, CapacityBelowTheLowerBound) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 2}, {20, 1, 3}};
  problem.capacity = 29;
  ExactResult result = solveExact(problem);
  EXPECT_EQ(result.status, ExactStatus::Infeasible);
  EXPECT_EQ(result.lowerBound, 30);
  EXPECT_EQ(result.steps, 0);
  problem.capacity = 30;
  EXPECT_EQ(solveExact(problem).status, ExactStatus::Optimal);
}

TEST(Exact, FixedOffsetsThatExcludeEachOther) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 2}, {10, 1, 3}, {5, 5, 6}};
  problem.buffers[0].fixedOffset = 0;
  problem.buffers[1].fixedOffset = 9;
  EXPECT_EQ(solveExact(problem).status, ExactStatus::Infeasible);
  problem.buffers[1].fixedOffset = 10;
  EXPECT_EQ(solveExact(problem).status, ExactStatus::Optimal);
  // A conflict excludes as well as time does.
  problem.buffers[2].fixedOffset = 14;
  problem.conflicts = {{1, 2}};
  EXPECT_EQ(solveExact(problem).status, ExactStatus::Infeasible);
}

TEST(Exact, AlignmentThatIsNotAPowerOfTwo) {
  SchedulingProblem problem;
  problem.buffers = {{4, 0, 2, 6}, {4, 0, 2, 10}, {4, 0, 2, 15}};
  ExactResult result = solveExact(problem);
  EXPECT_EQ(result.status, ExactStatus::Optimal);
  ASSERT_TRUE(result.schedule.has_value());
  // 0 is left to one of them: 0, 6, 15; 0, 10, 18; 0, 6, 10 is the best.
  EXPECT_EQ(result.schedule->poolSize, 14);
  EXPECT_EQ(result.schedule->poolAlignment, 30);
}

TEST(Exact, LargestSizes) {
  SchedulingProblem problem;
  problem.buffers = {{maxBytes / 2 - 9, 0, 2},
                     {maxBytes / 4, 1, 3, 3},
                     {maxBytes / 4 - 1, 2, 4}};
  ExactOptions options;
  options.maxSteps = 1000;
  ExactResult result = solveExact(problem, options);
  ASSERT_TRUE(result.schedule.has_value());
  EXPECT_EQ(findScheduleViolation(problem, *result.schedule), std::nullopt);
}

TEST(Exact, LimitOfSteps) {
  SchedulingProblem problem = makeLargerProblem(3, 120, {true, true, false});
  ExactOptions options;
  options.maxSteps = 0;
  ExactResult none = solveExact(problem, options);
  EXPECT_EQ(none.status, ExactStatus::Feasible);
  EXPECT_EQ(none.steps, 0);
  ASSERT_TRUE(none.schedule.has_value());
  options.maxSteps = 2000;
  ExactResult some = solveExact(problem, options);
  ASSERT_TRUE(some.schedule.has_value());
  EXPECT_LE(some.schedule->poolSize, none.schedule->poolSize);
  EXPECT_GE(some.lowerBound, computeLowerBound(problem).bytes);
  EXPECT_GE(some.schedule->poolSize, some.lowerBound);
  EXPECT_LE(some.steps, 4000);
  // A pure function: the same again.
  ExactResult again = solveExact(problem, options);
  EXPECT_EQ(some.schedule->offsets, again.schedule->offsets);
  EXPECT_EQ(some.steps, again.steps);

  problem.capacity = some.lowerBound;
  options.maxSteps = 0;
  EXPECT_EQ(solveExact(problem, options).status, ExactStatus::StepLimit);
}

TEST(Exact, ProgressStopsTheSearch) {
  SchedulingProblem problem = makeLargerProblem(3, 120, {true, true, false});
  ExactOptions options;
  options.maxSteps = 1000000;
  unsigned calls = 0;
  auto stop = [&](const SearchProgress &progress) {
    EXPECT_GE(progress.poolSize, progress.lowerBound);
    return ++calls < 3;
  };
  options.progress = stop;
  ExactResult result = solveExact(problem, options);
  EXPECT_EQ(calls, 3u);
  EXPECT_EQ(result.status, ExactStatus::Feasible);
  EXPECT_LT(result.steps, 100000);
}

TEST(Exact, IncumbentIsNeverLost) {
  SchedulingProblem problem = makeLargerProblem(5, 100, {true, true, false});
  ExactOptions options;
  options.maxSteps = 5000;
  ExactResult first = solveExact(problem, options);
  options.incumbent = first.schedule;
  options.maxSteps = 0;
  ExactResult second = solveExact(problem, options);
  ASSERT_TRUE(second.schedule.has_value());
  EXPECT_LE(second.schedule->poolSize, first.schedule->poolSize);
  // One that is not valid is not used.
  options.incumbent->offsets.assign(problem.buffers.size(), 0);
  ExactResult third = solveExact(problem, options);
  ASSERT_TRUE(third.schedule.has_value());
  EXPECT_EQ(findScheduleViolation(problem, *third.schedule), std::nullopt);
}

TEST(Exact, ComponentsOfDifferentUnits) {
  // Units of 4 and 3 bytes: the higher component decides.
  SchedulingProblem problem;
  problem.buffers = {
      {4, 0, 2}, {8, 1, 3}, {9, 10, 12}, {3, 11, 13}, {3, 12, 14}};
  ExactResult result = solveExact(problem);
  EXPECT_EQ(result.status, ExactStatus::Optimal);
  EXPECT_EQ(result.schedule->poolSize, 12);
  problem.capacity = 11;
  EXPECT_EQ(solveExact(problem).status, ExactStatus::Infeasible);
}

TEST(Exact, ManyBuffers) {
  // Short lifetimes, all connected, and no tick without holes.
  std::mt19937 random(1);
  SchedulingProblem problem;
  for (int64_t i = 0; i < 100000; ++i) {
    int64_t begin = random() % 100000, length = 1 + random() % 20;
    int64_t alignment = 1 + random() % 3;
    problem.buffers.push_back(
        {int64_t(1 + random() % 1000), begin, begin + length, alignment});
  }
  problem.buffers.push_back({1, 0, 100020});
  // From one on top of the other, so that not everything is greedy's work.
  llvm::SmallVector<int64_t, 0> offsets;
  int64_t top = 0;
  for (const Buffer &buffer : problem.buffers) {
    offsets.push_back(llvm::alignTo(uint64_t(top), buffer.alignment));
    top = offsets.back() + buffer.size;
  }
  ExactOptions options;
  options.incumbent = makeSchedule(problem, std::move(offsets));
  options.maxSteps = 1000;
  ExactResult result = solveExact(problem, options);
  ASSERT_TRUE(result.schedule.has_value());
  EXPECT_GE(result.schedule->poolSize, result.lowerBound);
}

TEST(Exact, DeepSearch) {
  // As many levels as buffers, and all of it searched.
  SchedulingProblem problem = makeLargerProblem(2, 1500, {true, false, false});
  ExactOptions options;
  options.maxSteps = 5000;
  ExactResult result = solveExact(problem, options);
  ASSERT_TRUE(result.schedule.has_value());
  problem.capacity = result.lowerBound;
  result = solveExact(problem, options);
  EXPECT_NE(result.status, ExactStatus::Infeasible);
}

/// Return the outcome of a search that begins with `incumbent`.
static Schedule improve(const SchedulingProblem &problem, Schedule incumbent,
                        int64_t maxSteps) {
  ExactOptions options;
  options.maxSteps = maxSteps;
  options.incumbent = std::move(incumbent);
  return *solveExact(problem, options).schedule;
}

TEST(Incumbent, IsImproved) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 2}, {20, 1, 3}};
  Schedule schedule = makeSchedule(problem, {70, 0});
  EXPECT_EQ(improve(problem, schedule, 0).poolSize, 30);
  EXPECT_EQ(improve(problem, schedule, 1000).poolSize, 30);
}

TEST(Incumbent, NeverWorseAndValid) {
  for (unsigned seed = 0; seed < 48; seed += seedStep) {
    RandomTraits traits{seed % 2 != 0, seed % 4 >= 2, seed % 8 >= 4,
                        seed >= 24};
    // Both sides of the size from which on better orders are used.
    SchedulingProblem problem =
        makeLargerProblem(seed, seed % 3 == 0 ? 700 : 90, traits);
    llvm::Expected<Schedule> incumbent =
        runScheduler(*lookupScheduler("first-fit"), problem);
    ASSERT_TRUE(bool(incumbent));
    int64_t lowerBound = computeLowerBound(problem).bytes;
    Schedule better = improve(problem, *incumbent, 3000);
    EXPECT_EQ(findScheduleViolation(problem, better), std::nullopt) << seed;
    EXPECT_LE(better.poolSize, incumbent->poolSize) << seed;
    EXPECT_GE(better.poolSize, lowerBound) << seed;
  }
}

TEST(ExactScheduler, EffortSelectsTheLimit) {
  EXPECT_EQ(getExactStepLimit(0, 100), 0);
  for (unsigned effort = 0; effort < 9; ++effort)
    EXPECT_LT(getExactStepLimit(effort, 100),
              getExactStepLimit(effort + 1, 100));
  EXPECT_EQ(getExactStepLimit(10, 100), getExactStepLimit(9, 100));
}

TEST(ExactScheduler, FailsOnlyForTheCapacity) {
  SchedulingProblem problem;
  problem.buffers = {{10, 0, 2}, {20, 1, 3}, {20, 2, 4}};
  const Scheduler &exact = *lookupScheduler("exact");
  llvm::Expected<Schedule> schedule = runScheduler(exact, problem);
  ASSERT_TRUE(bool(schedule));
  EXPECT_EQ(schedule->poolSize, 40);
  // Without runScheduler(), which finds that out before it asks anyone.
  problem.capacity = 39;
  schedule = exact.schedule(problem, SchedulerOptions());
  EXPECT_EQ(llvm::toString(schedule.takeError()),
            "no schedule fits the capacity of 39 bytes, which is proved");
}

TEST(ExactScheduler, StopsAtTheAlignedBound) {
  // 48 + 64 + 32 bytes at multiples of 64: the best is to lose 16 bytes above
  // the first, below the other two or between them.
  SchedulingProblem problem;
  problem.buffers = {{48, 0, 2, 64}, {64, 0, 2, 64}, {32, 0, 2, 64}};
  SchedulerOptions options;
  options.effort = 0;
  llvm::Expected<Schedule> schedule =
      runScheduler(*lookupScheduler("exact"), problem, options);
  ASSERT_TRUE(bool(schedule));
  EXPECT_EQ(schedule->poolSize, 160);
  EXPECT_EQ(schedule->provedBound, 160);
  problem.capacity = 159;
  llvm::Expected<Schedule> none =
      runScheduler(*lookupScheduler("exact"), problem, options);
  ASSERT_FALSE(bool(none));
  llvm::handleAllErrors(none.takeError(), [](const CapacityError &error) {
    EXPECT_TRUE(error.isProved());
  });
}

TEST(Exact, StopsBeforeItSearches) {
  // The first of the quick schedules is returned, and no other is looked for.
  SchedulingProblem problem;
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 300; ++i) {
    int64_t begin = random() % 200;
    problem.buffers.push_back({int64_t(1 + random() % 1000), begin,
                               begin + 1 + int64_t(random() % 60)});
  }
  unsigned numQuestions = 0;
  auto progress = [&](const SearchProgress &progress) {
    EXPECT_GE(progress.poolSize, progress.lowerBound);
    ++numQuestions;
    return false;
  };
  ExactOptions options;
  options.progress = progress;
  ExactResult result = solveExact(problem, options);
  ASSERT_TRUE(result.schedule);
  EXPECT_EQ(result.steps, 0);
  EXPECT_LE(numQuestions, 2u);
}

TEST(Incumbent, GapsStayInUse) {
  // Where it begins is where the incumbent is, although each buffer lies where
  // another one has a gap.
  for (unsigned seed = 0; seed < 20; seed += seedStep) {
    SchedulingProblem problem = makeLargerProblem(seed, 60, {});
    addRandomGaps(seed, problem);
    ExactOptions options;
    options.maxSteps = 2000;
    options.incumbent = solveExact(problem, options).schedule;
    ASSERT_TRUE(options.incumbent.has_value());
    options.maxSteps = 0;
    ExactResult result = solveExact(problem, options);
    ASSERT_TRUE(result.schedule.has_value());
    EXPECT_LE(result.schedule->poolSize, options.incumbent->poolSize);
  }
}

TEST(Incumbent, BetterOrdersUseGaps) {
  // Too many for anything but better orders. The second buffer of each three
  // fits the gap of the first one, but the third one is between them.
  SchedulingProblem problem;
  llvm::SmallVector<int64_t, 0> offsets;
  constexpr int64_t count = 1400;
  for (int64_t begin = 0; begin < 8 * count; begin += 8) {
    problem.buffers.push_back({10, begin, begin + 8});
    problem.buffers.back().gaps = {{begin + 2, begin + 5}};
    problem.buffers.push_back({10, begin + 2, begin + 5});
    problem.buffers.push_back({5, begin + 1, begin + 3});
    offsets.append({16, 1, 11});
  }
  problem.buffers.push_back({1, 0, 8 * count});
  offsets.push_back(0);
  Schedule incumbent = makeSchedule(problem, std::move(offsets));
  EXPECT_EQ(incumbent.poolSize, 26);
  EXPECT_EQ(improve(problem, std::move(incumbent), 100000).poolSize, 16);
}

TEST(Exact, GapsMakeNoTwins) {
  // 1 has to be below 0, because 2 is in the gap of 0 at a fixed offset.
  SchedulingProblem problem;
  problem.buffers = {{2, 0, 9}, {1, 0, 9}, {2, 3, 6}};
  problem.buffers[0].gaps = {{3, 6}};
  problem.buffers[2].fixedOffset = 1;
  ExactResult result = solveExact(problem);
  EXPECT_EQ(result.status, ExactStatus::Optimal);
  ASSERT_TRUE(result.schedule.has_value());
  EXPECT_EQ(result.schedule->poolSize, 3);
}
