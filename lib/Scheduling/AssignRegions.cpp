//===- AssignRegions.cpp - Which buffer is in which memory ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Regions/RegionSchedules.h"
#include "SamePlaces.h"
#include "buffer-merge/Scheduling/RegionProblem.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

static bool isCheaper(const RegionAssignment &a, const RegionAssignment &b) {
  return std::pair(a.numOutside, a.cost) < std::pair(b.numOutside, b.cost);
}

/// Find an assignment of `problem`, whose groups of buffers with one place are
/// one buffer each there.
static llvm::Expected<RegionAssignment>
assignGroups(const RegionProblem &problem, const Scheduler &scheduler,
             const SchedulerOptions &options) {
  PlaceGroups groups(problem.buffers);
  RegionProblem united;
  united.buffers = groups.getProblem();
  united.regions = problem.regions;
  united.costs.assign(united.buffers.buffers.size(),
                      RegionCosts(problem.regions.size(), 0));
  for (auto [id, costs] : llvm::enumerate(problem.costs))
    for (auto [sum, cost] :
         llvm::zip_equal(united.costs[groups.getGroup(id)], costs))
      sum = sum && cost ? std::optional(*sum + *cost) : std::nullopt;
  llvm::Expected<RegionAssignment> found =
      assignRegions(united, scheduler, options);
  if (!found)
    return found;
  RegionAssignment result;
  result.cost = found->cost;
  // Buffers in place were not considered.
  result.isOptimal = found->isOptimal && problem.buffers.inPlacePairs.empty();
  llvm::SmallVector<int64_t, 0> offsets(united.buffers.buffers.size(), 0);
  for (auto [region, schedule] : llvm::enumerate(found->schedules))
    for (auto [id, offset] :
         llvm::zip_equal(found->getBuffersIn(region), schedule.offsets))
      offsets[id] = offset;
  for (BufferId id = 0; id < problem.costs.size(); ++id) {
    result.regions.push_back(found->regions[groups.getGroup(id)]);
    result.numOutside += !result.regions.back();
  }
  offsets = groups.expand(offsets);
  for (unsigned region = 0; region < problem.regions.size(); ++region) {
    llvm::SmallVector<BufferId, 0> ids = result.getBuffersIn(region);
    llvm::SmallVector<int64_t, 0> own;
    for (BufferId id : ids)
      own.push_back(offsets[id]);
    result.schedules.push_back(makeSchedule(
        makeProblemOfRegion(problem, region, ids), std::move(own)));
  }
  if (std::optional<std::string> violation =
          findAssignmentViolation(problem, result))
    return llvm::createStringError("invalid assignment: " + *violation);
  return result;
}

llvm::Expected<RegionAssignment>
buffer_merge::assignRegions(const RegionProblem &problem,
                            const Scheduler &scheduler,
                            const SchedulerOptions &options) {
  if (llvm::Error error = checkRegionProblem(problem))
    return std::move(error);
  if (!problem.buffers.samePlaces.empty())
    return assignGroups(problem, scheduler, options);
  RegionChoices choices(problem);
  std::optional<RegionAssignment> best;
  // Choices that were scheduled; several searches may come to one.
  llvm::SmallVector<RegionChoice, 5> tried;
  auto schedule = [&](RegionChoice choice,
                      const SchedulerOptions &options) -> llvm::Error {
    llvm::Expected<RegionAssignment> result =
        scheduleChoice(choices, std::move(choice), scheduler, options);
    if (!result)
      return result.takeError();
    if (!best || isCheaper(*result, *best))
      best = std::move(*result);
    return llvm::Error::success();
  };
  SchedulerOptions undecided = options;
  undecided.decisionSteps = 0;
  auto attempt = [&](RegionChoice choice) -> llvm::Error {
    if (llvm::is_contained(tried, choice))
      return llvm::Error::success();
    tried.push_back(choice);
    return schedule(std::move(choice), undecided);
  };
  // More than all that are possible for 8 buffers alive at one tick.
  size_t width = size_t(64) << std::min(options.effort, 9u);
  auto [choice, isProof] = choices.sweep(width);
  int64_t leastCost = choices.sumCosts(choice);
  if (llvm::Error error = attempt(std::move(choice)))
    return std::move(error);
  auto isOptimal = [&, isProof = isProof] {
    return isProof && choices.sumCosts(*best) == leastCost;
  };
  best->isOptimal = isOptimal();
  if (!best->isOptimal) {
    for (llvm::ArrayRef<BufferId> order : choices.getOrders())
      if (llvm::Error error = attempt(choices.chooseGreedily(order)))
        return std::move(error);
    best->isOptimal = isOptimal();
  }
  if (!best->isOptimal)
    searchChoices(choices, int64_t(250) << std::min(options.effort, 9u), *best);
  // Of the choices tried, the first one is for what fits if only sums count:
  // whether it does is decided before anything is refused.
  if (best->numOutside != 0 && !best->isOptimal) {
    if (llvm::Error error = schedule(tried.front(), options))
      return std::move(error);
    best->isOptimal |= isOptimal();
  }
  if (std::optional<std::string> violation =
          findAssignmentViolation(problem, *best))
    return llvm::createStringError("invalid assignment: " + *violation);
  return std::move(*best);
}
