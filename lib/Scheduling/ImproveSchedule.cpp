//===- ImproveSchedule.cpp - Make a schedule smaller ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `solveExact` without the capacity, which begins with the schedule to be made
// smaller.
//
//===----------------------------------------------------------------------===//

#include "ImproveSchedule.h"
#include "Components.h"

using namespace buffer_merge;

Schedule buffer_merge::improveSchedule(const SchedulingProblem &problem,
                                       Schedule incumbent, int64_t lowerBound,
                                       int64_t maxSteps,
                                       SearchCallback progress) {
  if (maxSteps <= 0 || incumbent.poolSize <= lowerBound)
    return incumbent;
  SchedulingProblem copy;
  const SchedulingProblem &relaxed = relaxProblem(problem, copy);
  ExactOptions options;
  options.maxSteps = maxSteps;
  options.incumbent = incumbent;
  options.lowerBound = lowerBound;
  options.progress = progress;
  ExactResult result = solveExact(relaxed, options);
  if (!result.schedule || result.schedule->poolSize >= incumbent.poolSize)
    return incumbent;
  return std::move(*result.schedule);
}
