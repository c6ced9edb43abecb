//===- RegionProblem.cpp - Buffers and several memories -------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/RegionProblem.h"
#include "Components.h"
#include "Placement.h"
#include "Regions/RegionSchedules.h"
#include "SamePlaces.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace buffer_merge;

llvm::SmallVector<BufferId, 0>
RegionAssignment::getBuffersIn(unsigned region) const {
  llvm::SmallVector<BufferId, 0> ids;
  for (BufferId id = 0; id < regions.size(); ++id)
    if (regions[id] == region)
      ids.push_back(id);
  return ids;
}

SchedulingProblem
buffer_merge::makeProblemOfRegion(const RegionProblem &problem, unsigned region,
                                  llvm::ArrayRef<BufferId> ids) {
  const MemoryRegion &memory = problem.regions[region];
  SchedulingProblem result = extractProblem(problem.buffers, ids);
  if (memory.capacity)
    result.capacity = std::max<int64_t>(*memory.capacity, 1);
  for (Buffer &buffer : result.buffers) {
    buffer.alignment = std::lcm(buffer.alignment, memory.alignment);
    buffer.size = alignUp(buffer.size, memory.granule);
  }
  return result;
}

llvm::Error buffer_merge::checkRegionProblem(const RegionProblem &problem) {
  auto fail = [](const llvm::Twine &message) {
    return llvm::createStringError(message);
  };
  if (llvm::Error error = checkProblem(problem.buffers))
    return error;
  auto isNumber = [](int64_t number) {
    return 1 <= number && number <= maxBytes;
  };
  for (auto [index, region] : llvm::enumerate(problem.regions)) {
    if (!isNumber(region.alignment) || !isNumber(region.granule) ||
        (region.capacity &&
         (*region.capacity < 0 || *region.capacity > maxBytes)))
      return fail(llvm::formatv(
          "region {0} has an impossible capacity, alignment or granule",
          index));
    // Alignments multiply, and sizes grow.
    for (const Buffer &buffer : problem.buffers.buffers)
      if (region.granule > maxBytes - buffer.size ||
          buffer.alignment / std::gcd(buffer.alignment, region.alignment) >
              maxBytes / region.alignment)
        return fail(
            llvm::formatv("region {0} aligns a buffer too much", index));
    llvm::SmallVector<BufferId, 0> ids(problem.buffers.buffers.size());
    std::iota(ids.begin(), ids.end(), 0);
    SchedulingProblem part = makeProblemOfRegion(problem, index, ids);
    // An offset is fixed where the buffer may be.
    for (auto [buffer, costs] : llvm::zip(part.buffers, problem.costs))
      if (index < costs.size() && !costs[index])
        buffer.fixedOffset.reset();
    if (llvm::Error error = checkProblem(part))
      return error;
  }
  if (problem.costs.size() != problem.buffers.buffers.size())
    return fail("costs are not for as many buffers as there are");
  int64_t sum = 0;
  int64_t mostCosts = maxBytes / int64_t(problem.costs.size() + 1);
  for (auto [id, costs] : llvm::enumerate(problem.costs)) {
    if (costs.size() != problem.regions.size())
      return fail(llvm::formatv("buffer {0} has costs for {1} regions of {2}",
                                id, costs.size(), problem.regions.size()));
    int64_t largest = 0;
    for (std::optional<int64_t> cost : costs)
      if (cost && *cost < 0)
        return fail(llvm::formatv("buffer {0} has a negative cost", id));
      else
        largest = std::max(largest, cost.value_or(0));
    if (largest > mostCosts - sum)
      return fail(llvm::formatv("the sum of costs exceeds {0}", mostCosts));
    sum += largest;
  }
  return llvm::Error::success();
}

std::optional<std::string>
buffer_merge::findAssignmentViolation(const RegionProblem &problem,
                                      const RegionAssignment &assignment) {
  if (assignment.regions.size() != problem.buffers.buffers.size() ||
      assignment.schedules.size() != problem.regions.size())
    return "not as many regions or schedules as there should be";
  int64_t cost = 0;
  unsigned numOutside = 0;
  for (auto [id, region] : llvm::enumerate(assignment.regions)) {
    if (!region) {
      ++numOutside;
      continue;
    }
    if (*region >= problem.regions.size() || !problem.costs[id][*region])
      return llvm::formatv("buffer {0} must not be in region {1}", id, *region)
          .str();
    cost += *problem.costs[id][*region];
  }
  if (cost != assignment.cost || numOutside != assignment.numOutside)
    return "the sums are wrong";
  for (auto [first, second] : problem.buffers.samePlaces)
    if (assignment.regions[first] != assignment.regions[second])
      return llvm::formatv("buffers {0} and {1} are not in the same region",
                           first, second)
          .str();
  for (auto [region, schedule] : llvm::enumerate(assignment.schedules)) {
    llvm::SmallVector<BufferId, 0> ids = assignment.getBuffersIn(region);
    if (ids.empty())
      continue;
    if (problem.regions[region].capacity == 0)
      return llvm::formatv("region {0} has no byte", region).str();
    if (std::optional<ScheduleViolation> violation = findScheduleViolation(
            makeProblemOfRegion(problem, region, ids), schedule))
      return llvm::formatv("region {0}: {1}", region, violation->str()).str();
  }
  return std::nullopt;
}

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
  addSchedules(problem, groups.expand(offsets), result);
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
