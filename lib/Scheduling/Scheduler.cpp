//===- Scheduler.cpp - Interface and registry of schedulers ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way of a problem: checks, the scheduler (or the one schedule that there
// is), and the verifier. And the registry of schedulers by name.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Scheduler.h"
#include "Components.h"
#include "InPlace.h"
#include "SamePlaces.h"
#include "buffer-merge/Scheduling/Algorithms.h"
#include "buffer-merge/Scheduling/Exact.h"
#include "buffer-merge/Scheduling/Input.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace buffer_merge;

char CapacityError::ID;

Scheduler::~Scheduler() = default;

/// Return an error if no schedule can fit the capacity for lack of bytes.
static llvm::Error checkCapacity(const SchedulingProblem &problem) {
  if (!problem.capacity)
    return llvm::Error::success();
  LowerBound bound = computeLowerBound(problem);
  if (bound.bytes > *problem.capacity)
    return llvm::make_error<CapacityError>(
        llvm::formatv("the capacity of {0} bytes is below the lower bound: {1} "
                      "bytes are needed at tick {2}, which is proved",
                      *problem.capacity, bound.bytes, bound.peakTick)
            .str(),
        bound.bytes, /*isProved=*/true);
  int64_t proved = computeProvedBound(problem);
  if (proved <= *problem.capacity)
    return llvm::Error::success();
  return llvm::make_error<CapacityError>(
      llvm::formatv("no schedule fits the capacity of {0} bytes: {1} bytes are "
                    "needed, which is proved",
                    *problem.capacity, proved)
          .str(),
      proved, /*isProved=*/true);
}

/// Return the only schedule there is of `problem`, of which all offsets are
/// fixed. It fits the capacity, for its end is part of the lower bound.
static Schedule takeFixedOffsets(const SchedulingProblem &problem) {
  llvm::SmallVector<int64_t, 0> offsets;
  for (const Buffer &buffer : problem.buffers)
    offsets.push_back(*buffer.fixedOffset);
  Schedule schedule = makeSchedule(problem, std::move(offsets));
  schedule.provedBound = schedule.poolSize;
  return schedule;
}

/// Schedule `problem`, which was checked.
static llvm::Expected<Schedule> schedule(const Scheduler &scheduler,
                                         const SchedulingProblem &problem,
                                         const SchedulerOptions &options) {
  auto isFixed = [](const Buffer &buffer) {
    return buffer.fixedOffset.has_value();
  };
  if (llvm::all_of(problem.buffers, isFixed))
    return takeFixedOffsets(problem);
  return problem.inPlacePairs.empty() || !scheduler.reusesBytes()
             ? scheduler.schedule(problem, options)
             : scheduleInPlace(scheduler, problem, options);
}

/// Schedule `problem`, which was checked, with its gaps and without them: the
/// smaller pool wins, so that gaps never make it larger.
static llvm::Expected<Schedule> scheduleGaps(const Scheduler &scheduler,
                                             const SchedulingProblem &problem,
                                             const SchedulerOptions &options) {
  llvm::Expected<Schedule> best = schedule(scheduler, problem, options);
  if (!hasGaps(problem))
    return best;
  if (best && best->poolSize <=
                  std::max(best->provedBound, computeLowerBound(problem).bytes))
    return best;
  SchedulingProblem whole = problem;
  for (Buffer &buffer : whole.buffers) {
    // Two of them may share bytes in a gap.
    if (buffer.fixedOffset)
      return best;
    buffer.gaps.clear();
  }
  if (whole.capacity && computeLowerBound(whole).bytes > *whole.capacity)
    return best;
  llvm::Expected<Schedule> other = schedule(scheduler, whole, options);
  if (!other) {
    llvm::consumeError(other.takeError());
    return best;
  }
  if (best && best->poolSize <= other->poolSize)
    return best;
  // What is proved about lifetimes without gaps is not true of others.
  other->provedBound = best ? best->provedBound : 0;
  if (!best)
    llvm::consumeError(best.takeError());
  return other;
}

/// Schedule groups of buffers that have one place as one buffer each.
static llvm::Expected<Schedule>
scheduleSamePlaces(const Scheduler &scheduler, const SchedulingProblem &problem,
                   const SchedulerOptions &options) {
  PlaceGroups groups(problem);
  llvm::Expected<Schedule> schedule =
      runScheduler(scheduler, groups.getProblem(), options);
  if (!schedule)
    return schedule;
  return makeSchedule(problem, groups.expand(schedule->offsets));
}

/// Return how many searches one attempt at `problem` may run: `auto` has two
/// for each problem that gaps and in-place pairs make of it.
static int64_t countSearches(const SchedulingProblem &problem) {
  return 2 * (hasGaps(problem) ? 2 : 1) *
         (problem.inPlacePairs.empty() ? 1 : 3);
}

/// Schedule `problem`, which was checked, with more and more effort as long as
/// it is open whether anything fits its capacity.
static llvm::Expected<Schedule> decide(const Scheduler &scheduler,
                                       const SchedulingProblem &problem,
                                       const SchedulerOptions &options) {
  // What is made of the problem on the way is decided together with it.
  SchedulerOptions attempt = options;
  attempt.decisionSteps = 0;
  const size_t count = problem.buffers.size();
  const int64_t searches = countSearches(problem);
  int64_t left = options.decisionSteps;
  std::unique_ptr<CapacityError> least;
  while (true) {
    llvm::Expected<Schedule> schedule =
        problem.samePlaces.empty()
            ? scheduleGaps(scheduler, problem, attempt)
            : scheduleSamePlaces(scheduler, problem, attempt);
    if (schedule || options.decisionSteps == 0)
      return schedule;
    bool isOpen = false;
    llvm::Error error = llvm::handleErrors(
        schedule.takeError(),
        [&](std::unique_ptr<CapacityError> error) -> llvm::Error {
          isOpen = error->isOpen();
          if (!isOpen)
            return llvm::Error(std::move(error));
          if (!least || error->getNeededBytes() <= least->getNeededBytes())
            least = std::move(error);
          return llvm::Error::success();
        });
    if (!isOpen)
      return std::move(error);
    left -= searches * getStepLimit(attempt, count);
    bool isInterrupted = options.progress &&
                         !options.progress({options.decisionSteps - left,
                                            least->getNeededBytes(),
                                            computeLowerBound(problem).bytes});
    if (attempt.effort >= 9 || left < searches || isInterrupted)
      break;
    ++attempt.effort;
    attempt.maxSteps = left / searches;
  }
  // The effort that searches further than this.
  SchedulerOptions more = options;
  more.effort = attempt.effort;
  const int64_t limit = getStepLimit(attempt, count);
  if (getStepLimit(more, count) <= limit)
    ++more.effort;
  std::string message =
      least->message() +
      llvm::formatv("; whether one fits is open after {0} steps",
                    options.decisionSteps - left)
          .str();
  if (getStepLimit(more, count) > limit)
    message += llvm::formatv(", effort={0} takes up to {1} steps", more.effort,
                             searches * getStepLimit(more, count));
  return llvm::make_error<CapacityError>(std::move(message),
                                         least->getNeededBytes(),
                                         /*isProved=*/false, /*isOpen=*/true);
}

llvm::Expected<Schedule>
buffer_merge::runScheduler(const Scheduler &scheduler,
                           const SchedulingProblem &problem,
                           const SchedulerOptions &options) {
  if (llvm::Error error = checkProblem(problem))
    return std::move(error);
  if (std::optional<ScheduleViolation> violation = findFixedViolation(problem))
    return llvm::createStringError("fixed offsets exclude each other: " +
                                   violation->str());
  if (llvm::Error error = checkCapacity(problem))
    return std::move(error);
  llvm::Expected<Schedule> schedule = decide(scheduler, problem, options);
  if (!schedule)
    return schedule;
  if (llvm::Error error = verifySchedule(problem, *schedule))
    return llvm::joinErrors(
        llvm::createStringError("scheduler '" + scheduler.getName() +
                                "' returned an invalid schedule"),
        std::move(error));
  return schedule;
}

namespace {
/// Ordered by name, so that listings are the same everywhere.
using Registry = std::map<std::string, std::unique_ptr<Scheduler>, std::less<>>;
} // namespace

static void addTo(Registry &registry, std::unique_ptr<Scheduler> scheduler) {
  std::string name = scheduler->getName().str();
  registry[name] = std::move(scheduler);
}

static Registry &getRegistry() {
  static Registry registry = [] {
    Registry builtins;
    for (std::unique_ptr<Scheduler> &scheduler : createBuiltinSchedulers())
      addTo(builtins, std::move(scheduler));
    return builtins;
  }();
  return registry;
}

void buffer_merge::registerScheduler(std::unique_ptr<Scheduler> scheduler) {
  addTo(getRegistry(), std::move(scheduler));
}

const Scheduler *buffer_merge::lookupScheduler(llvm::StringRef name) {
  const Registry &registry = getRegistry();
  auto it = registry.find(name.str());
  return it == registry.end() ? nullptr : it->second.get();
}

llvm::SmallVector<const Scheduler *> buffer_merge::getRegisteredSchedulers() {
  llvm::SmallVector<const Scheduler *> schedulers;
  for (const auto &entry : getRegistry())
    schedulers.push_back(entry.second.get());
  return schedulers;
}

std::string buffer_merge::getRegisteredSchedulerNames() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Scheduler *scheduler : getRegisteredSchedulers())
    names.push_back(scheduler->getName());
  return llvm::join(names, ", ");
}

llvm::StringRef buffer_merge::findNearestScheduler(llvm::StringRef name) {
  return findNearestName(name, llvm::map_range(getRegisteredSchedulers(),
                                               [](const Scheduler *scheduler) {
                                                 return scheduler->getName();
                                               }));
}
