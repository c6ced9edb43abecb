//===- BeamSearchTest.cpp - Tests of the beam from bottom to top ----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/BeamSearch.h"
#include "RandomProblems.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "gtest/gtest.h"

#include <limits>
#include <optional>

using namespace buffer_merge;

/// Return the offsets of a schedule of the only component of `problem`, in
/// bytes, within `capacity`, or nothing if a beam of `width` finds none.
static std::optional<llvm::SmallVector<int64_t, 0>>
searchWithBeam(const SchedulingProblem &problem, int64_t capacity,
               unsigned width,
               int64_t slice = std::numeric_limits<int32_t>::max()) {
  llvm::SmallVector<PackingInstance, 0> instances = splitProblem(problem);
  const PackingInstance &instance = instances.front();
  if (instances.size() != 1 || !BeamSearch::supports(instance) ||
      capacity / instance.unit < instance.lowerBound)
    return std::nullopt;
  BeamSearch search(instance);
  search.start(capacity / instance.unit, width);
  auto outcome = BeamSearch::Outcome::Stopped;
  while (outcome == BeamSearch::Outcome::Stopped)
    outcome = search.resume(slice);
  if (outcome == BeamSearch::Outcome::Exhausted)
    return std::nullopt;
  llvm::SmallVector<int64_t, 0> offsets(problem.buffers.size());
  for (auto [id, offset] : llvm::zip_equal(instance.ids, search.getOffsets()))
    offsets[id] = offset * instance.unit;
  return offsets;
}

/// One long-lived buffer makes it one component.
static SchedulingProblem makeBeamProblem(unsigned seed) {
  RandomShape shape;
  shape.count = 24;
  shape.maxSize = 100;
  shape.maxAlignmentLog2 = seed % 2 == 0 ? 0 : 3;
  SchedulingProblem problem = makeRandomProblem(seed, shape);
  problem.buffers.push_back({1, 0, 40});
  if (seed % 3 == 0)
    addRandomConflicts(seed, 10, problem);
  if (seed % 5 == 0)
    addRandomGaps(seed, problem);
  if (seed % 7 == 0)
    problem.buffers[3].fixedOffset = 0;
  return problem;
}

TEST(BeamSearch, FindsSchedulesWithinTheCapacity) {
  unsigned numFound = 0;
  for (unsigned seed = 0; seed < 60; seed += seedStep) {
    SCOPED_TRACE(seed);
    SchedulingProblem problem = makeBeamProblem(seed);
    int64_t bound = computeLowerBound(problem).bytes;
    for (int64_t capacity : {bound, bound + bound / 20, bound + bound / 4}) {
      auto offsets = searchWithBeam(problem, capacity, 16);
      EXPECT_EQ(offsets, searchWithBeam(problem, capacity, 16, /*slice=*/3));
      if (!offsets)
        continue;
      ++numFound;
      Schedule schedule = makeSchedule(problem, *offsets);
      EXPECT_LE(schedule.poolSize, capacity);
      EXPECT_EQ(findScheduleViolation(problem, schedule), std::nullopt);
    }
  }
  EXPECT_GE(numFound, 90 / seedStep);
}

TEST(BeamSearch, FindsWhatIsTight) {
  unsigned numFound = 0;
  for (unsigned seed = 0; seed < 60; ++seed)
    numFound += searchWithBeam(makeCutProblem(seed, 120), /*capacity=*/102,
                               /*width=*/4)
                    .has_value();
  // Without ratings, 22.
  EXPECT_GE(numFound, 25u);
}

TEST(BeamSearch, ManyBuffersAreLeftToOthers) {
  SchedulingProblem problem = makeBeamProblem(1);
  EXPECT_TRUE(BeamSearch::supports(splitProblem(problem).front()));
  problem.buffers.assign(BeamSearch::maxBuffers + 1, {8, 0, 1});
  problem.buffers.front().size = 9;
  EXPECT_FALSE(BeamSearch::supports(splitProblem(problem).front()));
}
