//===- WindowBoundTest.cpp - Tests of bounds from a few sections ----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/WindowBound.h"
#include "RandomProblems.h"
#include "buffer-merge/Scheduling/Exact.h"
#include "buffer-merge/Scheduling/LowerBound.h"

#include "gtest/gtest.h"

#include <random>

using namespace buffer_merge;

/// Long chains of short lifetimes, with all that a problem may have.
static SchedulingProblem makeWindowProblem(unsigned seed) {
  RandomShape shape;
  shape.count = 20;
  shape.ticks = 16;
  shape.maxDuration = 6;
  shape.maxSize = 9;
  SchedulingProblem problem = makeRandomProblem(seed, shape);
  std::mt19937_64 random(seed);
  for (Buffer &buffer : problem.buffers) {
    if (seed % 2 != 0 && random() % 3 == 0)
      buffer.alignment = 1 + random() % 4;
    if (seed % 16 == 7 && random() % 16 == 0)
      buffer.fixedOffset = random() % 8 * buffer.alignment;
  }
  if (seed % 4 >= 2)
    addRandomConflicts(seed, 4, problem);
  if (seed % 8 >= 4)
    addRandomGaps(seed, problem);
  return problem;
}

TEST(WindowBound, NeverAboveTheOptimum) {
  unsigned numRaised = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    SchedulingProblem problem = makeWindowProblem(seed);
    ExactResult exact = solveExact(problem);
    if (exact.status != ExactStatus::Optimal)
      continue;
    for (const PackingInstance &instance : splitProblem(problem)) {
      WindowBound bound(instance);
      int64_t raised = bound.raise(instance.lowerBound, {}, 1000);
      EXPECT_LE(raised * instance.unit, exact.schedule->poolSize);
      numRaised += raised > instance.lowerBound;
    }
  }
  EXPECT_GT(numRaised, 5u);
}

// Windows of these take more steps than they are given, which proves nothing.
TEST(WindowBound, NeverAboveWhatFits) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    SchedulingProblem problem = makeCutProblem(seed, 120);
    for (const PackingInstance &instance : splitProblem(problem)) {
      WindowBound bound(instance);
      EXPECT_LE(bound.raise(instance.lowerBound, {}, 20000) * instance.unit,
                100);
    }
  }
}

TEST(WindowBound, PartsFitWhatTheWholeFits) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    SchedulingProblem problem = makeWindowProblem(seed);
    for (const PackingInstance &instance : splitProblem(problem)) {
      const unsigned numSections = instance.sections.size();
      for (unsigned begin = 0; begin < numSections; ++begin) {
        PackingInstance part(clipToSections(instance, begin, numSections));
        EXPECT_LE(part.lowerBound, instance.lowerBound);
        EXPECT_LE(part.sections.size(), numSections - begin);
        for (unsigned i = 0; i < part.size(); ++i)
          EXPECT_LT(part.sections.getBegin(i), part.sections.getEnd(i));
      }
      PackingInstance whole(clipToSections(instance, 0, numSections));
      ASSERT_EQ(whole.size(), instance.size());
      for (unsigned i = 0; i < whole.size(); ++i)
        for (unsigned j = 0; j < i; ++j)
          EXPECT_EQ(whole[i].overlapsInTime(whole[j]),
                    instance[i].overlapsInTime(instance[j]));
      EXPECT_EQ(whole.problem.conflicts, instance.problem.conflicts);
      EXPECT_EQ(whole.lowerBound, instance.lowerBound);
    }
  }
}

/// The schedule that is known leaves nothing to be searched.
TEST(WindowBound, WindowsThatFitAreLeftOut) {
  SchedulingProblem problem = makeWindowProblem(0);
  ExactResult exact = solveExact(problem);
  ASSERT_EQ(exact.status, ExactStatus::Optimal);
  for (const PackingInstance &instance : splitProblem(problem)) {
    llvm::SmallVector<int64_t> offsets;
    for (BufferId id : instance.ids)
      offsets.push_back(exact.schedule->offsets[id] / instance.unit);
    int64_t height = exact.schedule->poolSize / instance.unit;
    WindowBound bound(instance);
    EXPECT_EQ(bound.raise(height, offsets, 1000), height);
    EXPECT_TRUE(bound.isDone());
    EXPECT_LT(bound.getSteps(), 100);
  }
}

/// Few large buffers at once, as many as fit 1000 bytes, so that nearly every
/// section is nearly full.
static SchedulingProblem makeFullProblem(unsigned seed, unsigned count) {
  std::mt19937_64 random(seed);
  SchedulingProblem problem;
  for (int64_t tick = 0; problem.buffers.size() < count; ++tick) {
    int64_t live = 0;
    for (const Buffer &buffer : problem.buffers)
      live += buffer.end > tick ? buffer.size : 0;
    for (unsigned i = 0; i < 6; ++i) {
      int64_t size = 10 + random() % 490, duration = 1 + random() % 16;
      if (live + size > 1000 || problem.buffers.size() == count)
        continue;
      problem.buffers.push_back({size, tick, tick + duration});
      live += size;
    }
  }
  return problem;
}

TEST(WindowBound, ProvesMoreThanTheSum) {
  unsigned numProved = 0;
  for (unsigned seed = 0; seed < 3; ++seed) {
    SchedulingProblem problem = makeFullProblem(seed, 160);
    ExactOptions options;
    options.maxSteps = 60000;
    ExactResult exact = solveExact(problem, options);
    ASSERT_TRUE(exact.schedule);
    EXPECT_LE(exact.lowerBound, exact.schedule->poolSize);
    numProved += exact.lowerBound > computeLowerBound(problem).bytes;
  }
  EXPECT_GE(numProved, 1u);
}

/// A decision ends when its steps do, also where these end with windows.
TEST(WindowBound, DecisionsEnd) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    SchedulingProblem problem = makeFullProblem(seed, 160);
    problem.capacity = computeLowerBound(problem).bytes;
    ExactOptions options;
    options.maxSteps = 60000;
    ExactResult exact = solveExact(problem, options);
    EXPECT_LT(exact.steps, 70000);
  }
}
