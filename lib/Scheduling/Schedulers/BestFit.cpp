//===- BestFit.cpp - Online best-fit scheduling ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Schedulers/BestFit.h"

#include "../Placement.h"

using namespace buffer_merge;

namespace {
class BestFitScheduler final : public Scheduler {
public:
  llvm::StringRef getName() const override { return "best-fit"; }

  llvm::StringRef getDescription() const override {
    return "The smallest gap between live buffers, in the order of their begin";
  }

  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override {
    llvm::Expected<Schedule> schedule =
        scheduleOnline(problem, GapChoice::Best);
    if (schedule && problem.capacity && schedule->poolSize > *problem.capacity)
      return makeCapacityError(getName(), schedule->poolSize,
                               *problem.capacity);
    return schedule;
  }
};
} // namespace

std::unique_ptr<Scheduler> buffer_merge::createBestFitScheduler() {
  return std::make_unique<BestFitScheduler>();
}
