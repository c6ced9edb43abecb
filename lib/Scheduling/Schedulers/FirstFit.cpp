//===- FirstFit.cpp - First-fit by lifetime -------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Schedulers/FirstFit.h"

#include "../Placement.h"

using namespace buffer_merge;

namespace {
class FirstFitScheduler final : public Scheduler {
public:
  llvm::StringRef getName() const override { return "first-fit"; }

  llvm::StringRef getDescription() const override {
    return "The lowest offset free for the whole lifetime, in the order of "
           "begin";
  }

  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override {
    llvm::Expected<Schedule> schedule =
        scheduleOnline(problem, GapChoice::First);
    if (schedule && problem.capacity && schedule->poolSize > *problem.capacity)
      return makeCapacityError(getName(), schedule->poolSize,
                               *problem.capacity);
    return schedule;
  }
};
} // namespace

std::unique_ptr<Scheduler> buffer_merge::createFirstFitScheduler() {
  return std::make_unique<FirstFitScheduler>();
}
