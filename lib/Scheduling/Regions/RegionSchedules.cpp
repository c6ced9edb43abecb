//===- RegionSchedules.cpp - Offsets for a choice of regions --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionSchedules.h"
#include "Scheduling/Placement.h"
#include "buffer-merge/Scheduling/Exact.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace buffer_merge;

void buffer_merge::addSchedules(const RegionProblem &problem,
                                llvm::ArrayRef<int64_t> offsets,
                                RegionAssignment &assignment) {
  for (unsigned region = 0; region < problem.regions.size(); ++region) {
    llvm::SmallVector<BufferId, 0> ids = assignment.getBuffersIn(region);
    llvm::SmallVector<int64_t, 0> own;
    for (BufferId id : ids)
      own.push_back(offsets[id]);
    assignment.schedules.push_back(makeSchedule(
        makeProblemOfRegion(problem, region, ids), std::move(own)));
  }
}

RegionAssignment buffer_merge::makeAssignment(const RegionChoices &choices,
                                              const RegionChoice &choice,
                                              llvm::ArrayRef<int64_t> offsets) {
  const RegionProblem &problem = choices.getProblem();
  RegionAssignment assignment;
  for (auto [id, region] : llvm::enumerate(choice)) {
    if (region == choices.getOutside()) {
      assignment.regions.push_back(std::nullopt);
      ++assignment.numOutside;
      continue;
    }
    assignment.regions.push_back(region);
    assignment.cost += choices.getCost(id, region);
  }
  addSchedules(problem, offsets, assignment);
  return assignment;
}

namespace {
/// Schedules one choice.
class ChoiceScheduler {
public:
  ChoiceScheduler(const RegionChoices &choices, RegionChoice choice,
                  const Scheduler &scheduler, const SchedulerOptions &options)
      : choices(choices), problem(choices.getProblem()),
        choice(std::move(choice)), scheduler(scheduler), options(options),
        offsets(this->choice.size(), 0), conflicts(problem.buffers) {}

  llvm::Expected<RegionAssignment> run();

private:
  llvm::SmallVector<BufferId, 0> getIds(unsigned region) const;
  llvm::Error scheduleRegion(unsigned region);
  llvm::Error shrink(unsigned region, llvm::SmallVector<BufferId, 0> ids);
  void moveOn(BufferId id, unsigned region);
  std::optional<int64_t> findPlace(BufferId id, unsigned region) const;
  bool fill();

  const RegionChoices &choices;
  const RegionProblem &problem;
  RegionChoice choice;
  const Scheduler &scheduler;
  SchedulerOptions options;
  llvm::SmallVector<int64_t, 0> offsets;
  ConflictLists conflicts;
};
} // namespace

llvm::SmallVector<BufferId, 0> ChoiceScheduler::getIds(unsigned region) const {
  llvm::SmallVector<BufferId, 0> ids;
  for (auto [id, chosen] : llvm::enumerate(choice))
    if (chosen == region)
      ids.push_back(id);
  return ids;
}

/// Give buffer `id` the option behind `region` that comes first. Those with a
/// lower number are scheduled already: there it has to fit between the others.
void ChoiceScheduler::moveOn(BufferId id, unsigned region) {
  llvm::ArrayRef<unsigned> options = choices.getOptions(id);
  choice[id] = choices.getOutside();
  for (unsigned next : llvm::drop_begin(
           options, 1 + (llvm::find(options, region) - options.begin()))) {
    if (next == choices.getOutside() || next > region) {
      choice[id] = next;
      return;
    }
    if (std::optional<int64_t> offset = findPlace(id, next)) {
      choice[id] = next;
      offsets[id] = *offset;
      return;
    }
  }
}

/// Take buffers of `ids` out of `region`, which they do not fit together, until
/// the others do.
llvm::Error ChoiceScheduler::shrink(unsigned region,
                                    llvm::SmallVector<BufferId, 0> ids) {
  // One by one, each of those above the capacity that saves least for a byte;
  // after some rounds all of those above it: then the others fit as they are.
  constexpr int maxRounds = 24;
  for (int round = 0; !ids.empty(); ++round) {
    SchedulingProblem part = makeProblemOfRegion(problem, region, ids);
    int64_t capacity = *std::exchange(part.capacity, std::nullopt);
    llvm::Expected<Schedule> schedule = runScheduler(scheduler, part, options);
    if (!schedule)
      return schedule.takeError();
    for (auto [id, offset] : llvm::zip_equal(ids, schedule->offsets))
      offsets[id] = offset;
    if (schedule->poolSize <= capacity)
      return llvm::Error::success();
    llvm::SmallVector<BufferId, 0> over;
    for (auto [index, id] : llvm::enumerate(ids))
      if (schedule->offsets[index] + part.buffers[index].size > capacity)
        over.push_back(id);
    if (round < maxRounds) {
      auto savesLess = [&](BufferId a, BufferId b) {
        return double(choices.getSaving(a)) /
                   double(problem.buffers.buffers[a].size) <
               double(choices.getSaving(b)) /
                   double(problem.buffers.buffers[b].size);
      };
      over = {*llvm::min_element(over, savesLess)};
    }
    for (BufferId id : over)
      moveOn(id, region);
    llvm::erase_if(ids, [&](BufferId id) { return choice[id] != region; });
    if (round >= maxRounds)
      return llvm::Error::success();
  }
  return llvm::Error::success();
}

llvm::Error ChoiceScheduler::scheduleRegion(unsigned region) {
  llvm::SmallVector<BufferId, 0> ids = getIds(region);
  if (ids.empty())
    return llvm::Error::success();
  llvm::Expected<Schedule> schedule = runScheduler(
      scheduler, makeProblemOfRegion(problem, region, ids), options);
  if (schedule) {
    for (auto [id, offset] : llvm::zip_equal(ids, schedule->offsets))
      offsets[id] = offset;
    return llvm::Error::success();
  }
  // Others are about the buffers, not about the region.
  return llvm::handleErrors(schedule.takeError(), [&](const CapacityError &) {
    return shrink(region, std::move(ids));
  });
}

/// Return an offset for buffer `id` between the others in `region`.
std::optional<int64_t> ChoiceScheduler::findPlace(BufferId id,
                                                  unsigned region) const {
  Buffer buffer = problem.buffers.buffers[id];
  const MemoryRegion &memory = problem.regions[region];
  if (buffer.fixedOffset)
    return std::nullopt;
  buffer.size = choices.getSize(id, region);
  buffer.alignment = std::lcm(buffer.alignment, memory.alignment);
  llvm::SmallVector<ByteRange> occupied;
  auto isInConflict = [&](BufferId other) {
    return llvm::is_contained(conflicts.of(id), other);
  };
  for (auto [other, chosen] : llvm::enumerate(choice))
    if (chosen == region && other != id &&
        (buffer.overlapsInTime(problem.buffers.buffers[other]) ||
         isInConflict(other)))
      occupied.push_back(
          {offsets[other], offsets[other] + choices.getSize(other, region)});
  llvm::sort(occupied);
  int64_t offset =
      findOffset(occupied, buffer, /*poolSize=*/0, GapChoice::First);
  if (offset > choices.getRoom(region) - buffer.size)
    return std::nullopt;
  return offset;
}

/// Move buffers to places between those of cheaper regions. Return true if one
/// was.
bool ChoiceScheduler::fill() {
  bool isMoved = false;
  auto order = choices.getOrders().front();
  for (BufferId id : order)
    for (unsigned region : choices.getOptions(id)) {
      if (region == choice[id])
        break;
      std::optional<int64_t> offset = findPlace(id, region);
      if (!offset)
        continue;
      choice[id] = region;
      offsets[id] = *offset;
      isMoved = true;
      break;
    }
  return isMoved;
}

llvm::Expected<RegionAssignment> ChoiceScheduler::run() {
  for (unsigned region = 0; region < problem.regions.size(); ++region)
    if (llvm::Error error = scheduleRegion(region))
      return std::move(error);
  options.decisionSteps = 0;
  while (fill()) {
  }
  // What was moved has left room behind, and stacks may be lower from scratch.
  RegionAssignment assignment = makeAssignment(choices, choice, offsets);
  for (auto [region, schedule] : llvm::enumerate(assignment.schedules)) {
    llvm::SmallVector<BufferId, 0> ids = assignment.getBuffersIn(region);
    if (ids.empty())
      continue;
    llvm::Expected<Schedule> again = runScheduler(
        scheduler, makeProblemOfRegion(problem, region, ids), options);
    if (again)
      schedule = std::move(*again);
    else
      llvm::consumeError(again.takeError());
  }
  return assignment;
}

llvm::Expected<RegionAssignment>
buffer_merge::scheduleChoice(const RegionChoices &choices, RegionChoice choice,
                             const Scheduler &scheduler,
                             const SchedulerOptions &options) {
  return ChoiceScheduler(choices, std::move(choice), scheduler, options).run();
}

namespace {
/// A set of buffers: bit i is buffer i.
using BufferMask = uint32_t;

class ChoiceSearch {
public:
  ChoiceSearch(const RegionChoices &choices, int64_t maxSteps,
               RegionAssignment &best)
      : choices(choices), problem(choices.getProblem()), maxSteps(maxSteps),
        best(best), choice(problem.costs.size(), choices.getOutside()),
        masks(problem.regions.size(), 0) {}

  void run();

private:
  /// What is known of the buffers of one region.
  struct Subset {
    bool fits;
    std::optional<Schedule> schedule;
  };

  const Subset &schedule(unsigned region, BufferMask mask);
  void decide(size_t depth, int64_t cost);
  void take();

  const RegionChoices &choices;
  const RegionProblem &problem;
  int64_t maxSteps;
  RegionAssignment &best;
  RegionChoice choice;
  llvm::SmallVector<BufferMask> masks;
  /// Every subset was decided.
  bool complete = true;
  llvm::SmallVector<BufferId, 0> order;
  /// At least what the buffers from this place of the order on cost.
  llvm::SmallVector<int64_t, 0> rest;
  llvm::DenseMap<std::pair<unsigned, BufferMask>, Subset> subsets;
};
} // namespace

const ChoiceSearch::Subset &ChoiceSearch::schedule(unsigned region,
                                                   BufferMask mask) {
  auto [it, isNew] = subsets.try_emplace({region, mask});
  Subset &subset = it->second;
  if (!isNew)
    return subset;
  llvm::SmallVector<BufferId, 0> ids;
  for (BufferId id = 0; id < problem.costs.size(); ++id)
    if (mask >> id & 1)
      ids.push_back(id);
  ExactOptions options;
  options.maxSteps = 20000;
  ExactResult result =
      solveExact(makeProblemOfRegion(problem, region, ids), options);
  subset.schedule = std::move(result.schedule);
  subset.fits = subset.schedule.has_value();
  if (result.status == ExactStatus::StepLimit)
    complete = false;
  --maxSteps;
  return subset;
}

void ChoiceSearch::take() {
  llvm::SmallVector<int64_t, 0> offsets(choice.size(), 0);
  for (auto [region, mask] : llvm::enumerate(masks)) {
    if (mask == 0)
      continue;
    const Subset &subset = schedule(region, mask);
    if (!subset.fits)
      return;
    size_t index = 0;
    for (BufferId id = 0; id < choice.size(); ++id)
      if (mask >> id & 1)
        offsets[id] = subset.schedule->offsets[index++];
  }
  best = makeAssignment(choices, choice, offsets);
}

void ChoiceSearch::decide(size_t depth, int64_t cost) {
  if (cost + rest[depth] >= choices.sumCosts(best))
    return;
  if (maxSteps <= 0) {
    complete = false;
    return;
  }
  if (depth == order.size()) {
    take();
    return;
  }
  BufferId id = order[depth];
  for (unsigned region : choices.getOptions(id)) {
    choice[id] = region;
    if (region == choices.getOutside()) {
      decide(depth + 1, cost + choices.getCost(id, region));
      continue;
    }
    masks[region] |= BufferMask(1) << id;
    // More buffers never take less.
    if (!problem.regions[region].capacity ||
        schedule(region, masks[region]).fits)
      decide(depth + 1, cost + choices.getCost(id, region));
    masks[region] &= ~(BufferMask(1) << id);
  }
}

void ChoiceSearch::run() {
  // What saves most decides most.
  order = choices.getOrders()[2];
  rest.assign(order.size() + 1, 0);
  for (size_t depth = order.size(); depth > 0; --depth) {
    BufferId id = order[depth - 1];
    rest[depth - 1] =
        rest[depth] + choices.getCost(id, choices.getOptions(id).front());
  }
  decide(0, 0);
  best.isOptimal = complete;
}

void buffer_merge::searchChoices(const RegionChoices &choices, int64_t maxSteps,
                                 RegionAssignment &best) {
  const SchedulingProblem &buffers = choices.getProblem().buffers;
  constexpr size_t maxBuffers = 12;
  if (buffers.buffers.empty() || buffers.buffers.size() > maxBuffers ||
      maxSteps <= 0 || hasGaps(buffers) || !buffers.inPlacePairs.empty())
    return;
  ChoiceSearch(choices, maxSteps, best).run();
}
