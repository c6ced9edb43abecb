//===- Auto.cpp - The default scheduler ----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Schedulers/Auto.h"

#include "../Builtins.h"
#include "../Components.h"
#include "../Placement.h"
#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace buffer_merge;

namespace {
class AutoScheduler final : public Scheduler {
public:
  AutoScheduler() : portfolio(createOnePassSchedulers()) {}

  llvm::StringRef getName() const override { return "auto"; }

  llvm::StringRef getDescription() const override {
    return "The best of all schedulers for each part of the problem";
  }

  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override;

private:
  const llvm::SmallVector<std::unique_ptr<Scheduler>> portfolio;
};
} // namespace

/// Return how many pairs of buffers overlap in time.
static uint64_t countOverlaps(const SchedulingProblem &problem) {
  llvm::SmallVector<int64_t, 0> begins, ends;
  begins.reserve(problem.buffers.size());
  ends.reserve(problem.buffers.size());
  for (const Buffer &buffer : problem.buffers) {
    begins.push_back(buffer.begin);
    ends.push_back(buffer.end);
  }
  llvm::sort(begins);
  llvm::sort(ends);
  // Each buffer overlaps those that are alive when it begins, one by one.
  uint64_t pairs = 0;
  size_t ended = 0;
  for (const auto &[begun, tick] : llvm::enumerate(begins)) {
    while (ends[ended] <= tick)
      ++ended;
    pairs += begun - ended;
  }
  return pairs;
}

/// Return true if the time that `scheduler` takes grows with the number of
/// pairs of buffers that overlap.
static bool looksAtPairs(const Scheduler &scheduler) {
  return scheduler.getName().starts_with("greedy-") ||
         scheduler.getName().starts_with("canonical-");
}

llvm::Expected<Schedule>
AutoScheduler::schedule(const SchedulingProblem &problem,
                        const SchedulerOptions &options) const {
  Components components(problem);
  BestOfComponents best(problem, components, computeAlignedLowerBound(problem));

  // The capacity is left out: a scheduler that misses it may still have the
  // best offsets for one of the components.
  SchedulingProblem unlimited = problem;
  unlimited.capacity.reset();

  // Long problems first try what costs little more than first-fit.
  constexpr unsigned longProblem = 10000;
  constexpr uint64_t maxPairs = uint64_t(1) << 24;
  constexpr unsigned effortForAll = 5;
  bool isLong = problem.buffers.size() > longProblem;
  bool affordsPairs =
      options.effort >= effortForAll || countOverlaps(problem) <= maxPairs;
  llvm::SmallVector<const Scheduler *> order;
  for (const std::unique_ptr<Scheduler> &scheduler : portfolio)
    if (affordsPairs || !looksAtPairs(*scheduler))
      order.push_back(scheduler.get());
  if (isLong)
    std::stable_partition(
        order.begin(), order.end(),
        [](const Scheduler *scheduler) { return !looksAtPairs(*scheduler); });
  for (const Scheduler *scheduler : order) {
    if (best.isDone())
      break;
    llvm::Expected<Schedule> schedule = scheduler->schedule(unlimited, options);
    if (!schedule)
      return schedule;
    best.offer(schedule->offsets);
  }

  Schedule schedule = makeSchedule(problem, best.takeOffsets());
  if (problem.capacity && schedule.poolSize > *problem.capacity)
    return makeCapacityError(getName(), schedule.poolSize, *problem.capacity);
  return schedule;
}

std::unique_ptr<Scheduler> buffer_merge::createAutoScheduler() {
  return std::make_unique<AutoScheduler>();
}
