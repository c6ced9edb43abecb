//===- ExactTest.cpp - Tests of branch and bound --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Schedulers/Exact.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "gtest/gtest.h"

#include <random>

using namespace buffer_merge;

namespace {
/// What may appear in a random problem.
struct RandomTraits {
  bool alignments = false;
  bool conflicts = false;
  bool fixedOffsets = false;
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
    buffer.end = buffer.begin + 1 + random() % 3;
    buffer.size = 1 + random() % maxSize;
    if (traits.alignments && random() % 3 == 0)
      buffer.alignment = 1 + random() % 4;
    if (traits.fixedOffsets && random() % 4 == 0)
      buffer.fixedOffset = random() % 5 * buffer.alignment;
    problem.buffers.push_back(buffer);
  }
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
  for (unsigned seed = 0; seed < count; ++seed) {
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
TEST(ExactBruteForce, Everything) { compareMany({true, true, true}, 1000); }
