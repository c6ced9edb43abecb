//===- Exact.cpp - Branch and bound ---------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `exact` and `solveExact()`: the components of a problem are searched in turns
// (Search/ComponentSearch.h), all for one capacity if there is one, else the
// highest one for a smaller height until that is the lower bound.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Exact.h"
#include "../BufferOrder.h"
#include "../Builtins.h"
#include "../CanonicalFit.h"
#include "../Components.h"
#include "../GapFit.h"
#include "../Placement.h"
#include "../Search/ComponentSearch.h"
#include "../Skyline.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace buffer_merge;

namespace {
/// A problem as a set of components, each with its own search.
class ProblemSearch {
public:
  ProblemSearch(const SchedulingProblem &problem, const ExactOptions &options);

  ExactResult run();

private:
  int64_t getHeight(unsigned component) const {
    return searches[component].getHeight() * instances[component].unit;
  }
  int64_t getLowerBound(unsigned component) const {
    return searches[component].getLowerBound() * instances[component].unit;
  }
  void computeInitialOffsets();
  void updateBounds();
  bool mayGoOn();
  bool tell(const SearchProgress &progress);
  void decide(int64_t capacity);
  void optimize();
  ExactResult makeResult() const;

  const SchedulingProblem &problem;
  const ExactOptions &options;
  llvm::SmallVector<PackingInstance, 0> instances;
  std::vector<ComponentSearch> searches;
  int64_t height = 0, lowerBound = 0, steps = 0;
  bool isInfeasible = false;
  bool isStopped = false;

  /// Steps between two calls of the progress callback.
  static constexpr int64_t sliceSteps = 4096;
};
} // namespace

ProblemSearch::ProblemSearch(const SchedulingProblem &problem,
                             const ExactOptions &options)
    : problem(problem), options(options), instances(splitProblem(problem)) {
  computeInitialOffsets();
  updateBounds();
}

/// Return the best of a few quick schedules of `instance`, which has no fixed
/// offsets; the first one if `progress` says that it is enough.
static llvm::SmallVector<int64_t, 0>
placeGreedily(const PackingInstance &instance, SearchCallback progress) {
  llvm::SmallVector<int64_t, 0> best;
  int64_t bestHeight = std::numeric_limits<int64_t>::max();
  using Key = OrderKey;
  const llvm::SmallVector<Key, 3> rankings[] = {
      {Key::Duration, Key::Area, Key::Contention},
      {Key::Contention, Key::Area, Key::Duration},
      {Key::Contention, Key::Duration, Key::Area},
      {Key::Area, Key::Duration, Key::Size},
      {Key::Size, Key::Duration, Key::Area},
  };
  for (llvm::ArrayRef<Key> keys : rankings) {
    llvm::SmallVector<int64_t, 0> offsets =
        fitCanonically(instance.problem, instance.sections,
                       orderBuffers(instance.problem, instance.sections, keys));
    int64_t height = makeSchedule(instance.problem, offsets).poolSize;
    if (height < bestHeight) {
      best = std::move(offsets);
      bestHeight = height;
    }
    if (bestHeight <= instance.lowerBound ||
        !progress({0, bestHeight * instance.unit,
                   instance.lowerBound * instance.unit}))
      break;
  }
  return best;
}

/// Begin with the incumbent or with quick schedules.
void ProblemSearch::computeInitialOffsets() {
  // Capacity is up to the search.
  SchedulingProblem copy;
  const SchedulingProblem &relaxed = relaxProblem(problem, copy);
  const Schedule *incumbent = nullptr;
  if (options.incumbent && !findScheduleViolation(relaxed, *options.incumbent))
    incumbent = &*options.incumbent;
  // It goes around fixed buffers, which the canonical greedy does not.
  llvm::SmallVector<int64_t, 0> firstFit;
  if (!incumbent &&
      llvm::any_of(instances, [](const PackingInstance &instance) {
        return instance.hasFixedOffsets;
      }))
    firstFit = fitOnline(relaxed, GapChoice::First);
  for (const PackingInstance &instance : instances) {
    if (!incumbent && !instance.hasFixedOffsets) {
      searches.emplace_back(
          instance,
          placeGreedily(instance, [&](const SearchProgress &progress) {
            return tell(progress);
          }));
      continue;
    }
    llvm::SmallVector<int64_t, 0> offsets;
    for (BufferId id : instance.ids)
      offsets.push_back(incumbent ? incumbent->offsets[id] : firstFit[id]);
    // Pushed down, they are multiples of the unit.
    searches.emplace_back(instance, settle(instance.problem, offsets));
  }
}

/// Take over what the searches found.
void ProblemSearch::updateBounds() {
  height = steps = 0;
  lowerBound = options.lowerBound;
  for (unsigned i = 0; i < instances.size(); ++i) {
    height = std::max(height, getHeight(i));
    lowerBound = std::max(lowerBound, getLowerBound(i));
    steps += searches[i].getSteps();
  }
}

/// Return false if a limit or the caller says that it is enough.
bool ProblemSearch::mayGoOn() {
  if (steps >= options.maxSteps)
    return false;
  return tell({steps, height, lowerBound});
}

/// Tell the caller where the search stands. Return false if it is to end; the
/// caller is not asked again.
bool ProblemSearch::tell(const SearchProgress &progress) {
  isStopped = isStopped || (options.progress && !options.progress(progress));
  return !isStopped;
}

/// Decide whether all components fit `capacity`.
void ProblemSearch::decide(int64_t capacity) {
  // In turns that grow, so that a component which is easily refuted need not
  // wait for one that is not.
  for (int64_t budget = 4096; !isInfeasible && height > capacity;
       budget = std::min<int64_t>(budget * 2, 1 << 20)) {
    bool isOpen = false;
    for (unsigned i = 0; i < instances.size() && !isInfeasible; ++i) {
      if (getHeight(i) <= capacity)
        continue;
      int64_t units = capacity / instances[i].unit;
      for (int64_t left = budget; left > 0; left -= sliceSteps) {
        if (!mayGoOn())
          return;
        auto outcome = searches[i].decide(
            units, std::min(sliceSteps, options.maxSteps - steps));
        updateBounds();
        isInfeasible |= outcome == ComponentSearch::Outcome::Exhausted;
        if (outcome != ComponentSearch::Outcome::Stopped)
          break;
        isOpen = true;
      }
    }
    if (!isOpen)
      return;
  }
}

/// Make the highest component lower, until that is not possible.
void ProblemSearch::optimize() {
  while (height > lowerBound && mayGoOn()) {
    unsigned highest = 0;
    while (getHeight(highest) != height)
      ++highest;
    // A component may be as high as the bound; in whole units, that is.
    searches[highest].improve(lowerBound / instances[highest].unit,
                              std::min(sliceSteps, options.maxSteps - steps));
    updateBounds();
  }
}

ExactResult ProblemSearch::makeResult() const {
  ExactResult result;
  result.lowerBound = lowerBound;
  result.foundBytes = height;
  result.steps = steps;
  if (isInfeasible) {
    result.status = ExactStatus::Infeasible;
    return result;
  }
  if (problem.capacity && height > *problem.capacity) {
    result.status = ExactStatus::StepLimit;
    return result;
  }
  llvm::SmallVector<int64_t, 0> offsets(problem.buffers.size());
  for (unsigned i = 0; i < instances.size(); ++i)
    for (auto [id, offset] :
         llvm::zip_equal(instances[i].ids, searches[i].getOffsets()))
      offsets[id] = offset * instances[i].unit;
  result.schedule = makeSchedule(problem, std::move(offsets));
  if (llvm::Error error = verifySchedule(problem, *result.schedule))
    llvm::report_fatal_error(std::move(error));
  result.schedule->provedBound = lowerBound;
  result.status =
      height == lowerBound ? ExactStatus::Optimal : ExactStatus::Feasible;
  return result;
}

ExactResult ProblemSearch::run() {
  if (problem.capacity && lowerBound > *problem.capacity)
    isInfeasible = true;
  else if (problem.capacity)
    decide(*problem.capacity);
  else
    optimize();
  return makeResult();
}

ExactResult buffer_merge::solveExact(const SchedulingProblem &problem,
                                     const ExactOptions &options) {
  SchedulingProblem copy;
  if (findFixedViolation(relaxProblem(problem, copy))) {
    ExactResult result;
    result.status = ExactStatus::Infeasible;
    result.lowerBound = computeLowerBound(problem).bytes;
    return result;
  }
  return ProblemSearch(problem, options).run();
}

int64_t buffer_merge::getExactStepLimit(unsigned effort, size_t numBuffers) {
  if (effort == 0)
    return 0;
  int64_t scale = std::clamp<size_t>(numBuffers, 100, 1000);
  return scale << (3 * (std::min(effort, 9u) - 1));
}

int64_t buffer_merge::getStepLimit(const SchedulerOptions &options,
                                   size_t numBuffers) {
  return std::min(getExactStepLimit(options.effort, numBuffers),
                  options.maxSteps);
}

namespace {
class ExactScheduler final : public Scheduler {
public:
  llvm::StringRef getName() const override { return "exact"; }
  llvm::StringRef getDescription() const override {
    return "Branch and bound: the smallest pool, as far as the effort reaches";
  }
  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override {
    ExactOptions exactOptions;
    exactOptions.maxSteps = getStepLimit(options, problem.buffers.size());
    exactOptions.progress = options.progress;
    exactOptions.lowerBound = computeProvedBound(problem);
    ExactResult result = solveExact(problem, exactOptions);
    if (result.schedule)
      return std::move(*result.schedule);
    if (result.status == ExactStatus::StepLimit)
      return makeCapacityError(getName(), result.foundBytes, *problem.capacity,
                               /*isOpen=*/true);
    if (problem.capacity)
      return llvm::make_error<CapacityError>(
          llvm::formatv("no schedule fits the capacity of {0} bytes, "
                        "which is proved",
                        *problem.capacity)
              .str(),
          *problem.capacity + 1, /*isProved=*/true);
    return llvm::createStringError(
        "buffers with fixed offsets exclude each other");
  }
};
} // namespace

std::unique_ptr<Scheduler> buffer_merge::createExactScheduler() {
  return std::make_unique<ExactScheduler>();
}
