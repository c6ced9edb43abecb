//===- RepairTest.cpp - Tests of schedules made lower in places ----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Repair.h"
#include "RandomProblems.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Scheduler.h"

#include "gtest/gtest.h"

using namespace buffer_merge;

/// Schedule `problem` by the scheduler `name`, which does not fail.
static Schedule run(llvm::StringRef name, const SchedulingProblem &problem) {
  SchedulerOptions options;
  options.effort = 0;
  return llvm::cantFail(runScheduler(*lookupScheduler(name), problem, options));
}

/// Repair what `name` makes of `problem`; return its pool before and after.
static std::pair<int64_t, int64_t> repair(llvm::StringRef name,
                                          const SchedulingProblem &problem,
                                          int64_t maxWork, size_t &mostOfCore,
                                          llvm::StringRef coreName = "auto") {
  Schedule schedule = run(name, problem);
  repairHighPlaces(problem, schedule.offsets, computeLowerBound(problem).bytes,
                   maxWork, [&](const SchedulingProblem &core, int64_t &work) {
                     mostOfCore = std::max(mostOfCore, core.buffers.size());
                     work += core.buffers.size();
                     return run(coreName, core).offsets;
                   });
  Schedule repaired = makeSchedule(problem, schedule.offsets);
  EXPECT_FALSE(findScheduleViolation(problem, repaired));
  return {schedule.poolSize, repaired.poolSize};
}

TEST(Repair, LowersFewPlacesOfLongProblems) {
  size_t mostOfCore = 0;
  for (unsigned seed = 0; seed < 6; seed += seedStep) {
    SchedulingProblem problem = makeRandomProblem(seed, {4000, 8000, 30});
    int64_t bound = computeLowerBound(problem).bytes;
    auto [before, after] = repair("canonical-by-contention-and-duration",
                                  problem, 1 << 20, mostOfCore);
    EXPECT_LE(after, before) << "seed " << seed;
    EXPECT_EQ(after, bound) << "seed " << seed;
  }
  // That is what makes it fast.
  EXPECT_LT(mostOfCore, 200u);
}

TEST(Repair, NeverMakesAPoolLarger) {
  for (unsigned seed = 0; seed < 8; seed += seedStep) {
    RandomShape shape = {100 + 20 * seed, 100, 5 + 5 * seed, 1000};
    shape.maxAlignmentLog2 = seed % 3;
    SchedulingProblem problem = makeRandomProblem(seed, shape);
    size_t mostOfCore = 0;
    for (llvm::StringRef name : {"first-fit", "canonical-by-area", "bump"}) {
      auto [before, after] =
          repair(name, problem, 1 << 13, mostOfCore, "canonical-by-duration");
      EXPECT_LE(after, before) << name.str() << ", seed " << seed;
    }
  }
}

TEST(Repair, EndsWhenTheWorkIsDone) {
  SchedulingProblem problem = makeRandomProblem(1, {2000, 2000, 100});
  Schedule schedule = run("bump", problem);
  unsigned numCores = 0;
  repairHighPlaces(problem, schedule.offsets, computeLowerBound(problem).bytes,
                   /*maxWork=*/0,
                   [&](const SchedulingProblem &core, int64_t &work) {
                     ++numCores;
                     work += core.buffers.size();
                     return run("bump", core).offsets;
                   });
  EXPECT_LE(numCores, 1u);
}
