//===- ReuseAsNeeded.cpp - Sharing bytes where it costs least -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/ReuseAsNeeded.h"
#include "OffsetCosts.h"
#include "buffer-merge/Scheduling/Exact.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace buffer_merge;

namespace {
class ReuseSearch {
public:
  ReuseSearch(const ReuseProblem &problem, const Scheduler &scheduler,
              const SchedulerOptions &options);

  llvm::Expected<ReuseSchedule> run();

private:
  /// A schedule of `problem`, which has more conflicts by and by; nothing if
  /// none was found.
  std::optional<Schedule> schedule();
  /// The best place for a buffer beside those that are placed.
  std::optional<CostedPlace> findPlace(BufferId id, const Schedule &schedule,
                                       const llvm::BitVector &placed);
  int64_t getCost(BufferId id, const Schedule &schedule) const;

  void improve(Schedule &schedule);
  bool placeAll(llvm::ArrayRef<BufferId> order, Schedule &schedule,
                llvm::BitVector &placed);
  std::optional<Schedule> placeInOrderOfTime();
  llvm::SmallVector<BufferId> findNeighbours(BufferId id,
                                             const Schedule &schedule) const;
  void placeAnew();
  bool take(const Schedule &schedule);
  std::optional<size_t> findWorst(const Schedule &schedule) const;
  void decide(Schedule schedule, int64_t paid);
  void scheduleApart();

  const ReuseProblem &original;
  const Scheduler &scheduler;
  SchedulerOptions options;
  SchedulingProblem problem;
  llvm::BitVector movable;
  llvm::SmallVector<llvm::SmallVector<BufferId, 2>, 0> conflicts;
  /// For each buffer the others that it has a penalty with.
  llvm::SmallVector<llvm::SmallVector<std::pair<BufferId, int64_t>, 2>, 0>
      penaltiesOf;
  /// Reused: what it costs to share bytes with each buffer, or -1 if that must
  /// not be.
  llvm::SmallVector<int64_t, 0> costs;
  /// By penalty: shared bytes are accepted.
  llvm::BitVector isPaid;
  ReuseSchedule best;
  /// `solveExact` schedules, and all that it found impossible is.
  bool isExact;
  bool isComplete = true;
  int64_t steps;
  /// Those that all calls of `solveExact` may still take.
  int64_t exactSteps;
};
} // namespace

ReuseSearch::ReuseSearch(const ReuseProblem &problem,
                         const Scheduler &scheduler,
                         const SchedulerOptions &options)
    : original(problem), scheduler(scheduler), options(options),
      problem(problem.problem), movable(findMovable(problem.problem)),
      conflicts(problem.problem.buffers.size()),
      penaltiesOf(problem.problem.buffers.size()),
      costs(problem.problem.buffers.size(), 0),
      isPaid(problem.penalties.size()) {
  for (auto [a, b] : problem.problem.conflicts) {
    conflicts[a].push_back(b);
    conflicts[b].push_back(a);
  }
  for (const ReusePenalty &item : problem.penalties) {
    penaltiesOf[item.first].push_back({item.second, item.penalty});
    penaltiesOf[item.second].push_back({item.first, item.penalty});
  }
  unsigned effort = std::min(options.effort, 9u);
  size_t numBuffers = problem.problem.buffers.size();
  isExact = numBuffers <= 24 && problem.problem.inPlacePairs.empty();
  // With more buffers, each step takes longer.
  exactSteps = int64_t(1 << 17) << effort;
  steps = isExact ? int64_t(256) << effort
                  : std::min(int64_t(64) << effort,
                             (int64_t(8192) << effort) / int64_t(numBuffers));
}

std::optional<Schedule> ReuseSearch::schedule() {
  if (isExact && exactSteps <= 0) {
    isComplete = false;
    return std::nullopt;
  }
  if (isExact) {
    constexpr int64_t maxSteps = 20000;
    ExactOptions exact;
    exact.maxSteps = std::min(exactSteps, maxSteps);
    ExactResult result = solveExact(problem, exact);
    exactSteps -= result.steps;
    if (result.status == ExactStatus::StepLimit)
      isComplete = false;
    return std::move(result.schedule);
  }
  llvm::Expected<Schedule> found = runScheduler(scheduler, problem, options);
  if (found)
    return std::move(*found);
  llvm::consumeError(found.takeError());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Moving one buffer
//===----------------------------------------------------------------------===//

std::optional<CostedPlace>
ReuseSearch::findPlace(BufferId id, const Schedule &schedule,
                       const llvm::BitVector &placed) {
  const Buffer &buffer = problem.buffers[id];
  for (auto [other, penalty] : penaltiesOf[id])
    costs[other] = penalty;
  for (BufferId other : conflicts[id])
    costs[other] = -1;
  OffsetCosts offsets(buffer, problem.capacity.value_or(maxBytes));
  for (BufferId other : placed.set_bits()) {
    if (other == id)
      continue;
    int64_t begin = schedule.offsets[other];
    int64_t end = begin + problem.buffers[other].size;
    if (costs[other] < 0 || buffer.overlapsInTime(problem.buffers[other]))
      offsets.forbid(begin, end);
    else if (costs[other] > 0)
      offsets.charge(begin, end, costs[other]);
  }
  for (auto [other, penalty] : penaltiesOf[id])
    costs[other] = 0;
  for (BufferId other : conflicts[id])
    costs[other] = 0;
  std::optional<CostedPlace> place;
  offsets.forEachCandidate([&](int64_t offset, int64_t cost) {
    if (!place || cost < place->cost)
      place = CostedPlace{offset, cost};
  });
  return place;
}

int64_t ReuseSearch::getCost(BufferId id, const Schedule &schedule) const {
  int64_t cost = 0;
  for (auto [other, penalty] : penaltiesOf[id])
    if (shareBytes(problem, schedule, id, other))
      cost += penalty;
  return cost;
}

/// Move buffers to where they cost less, as long as that helps.
void ReuseSearch::improve(Schedule &schedule) {
  // A pass takes O(n^2 log n) time.
  constexpr size_t maxBuffers = 4096;
  size_t numBuffers = problem.buffers.size();
  if (numBuffers > maxBuffers)
    return;
  llvm::BitVector all(numBuffers, true);
  moveToCheaperPlaces(
      movable, schedule.offsets,
      [&](BufferId id) { return getCost(id, schedule); },
      [&](BufferId id) { return findPlace(id, schedule, all); });
  schedule = makeSchedule(problem, std::move(schedule.offsets));
}

/// Place the buffers in `order`, one after the other, where each costs least
/// beside those in `placed`. Return false if there is no room for one.
bool ReuseSearch::placeAll(llvm::ArrayRef<BufferId> order, Schedule &schedule,
                           llvm::BitVector &placed) {
  for (BufferId id : order) {
    std::optional<int64_t> offset = problem.buffers[id].fixedOffset;
    if (!offset) {
      std::optional<CostedPlace> place = findPlace(id, schedule, placed);
      if (!place)
        return false;
      offset = place->offset;
    }
    schedule.offsets[id] = *offset;
    placed.set(id);
  }
  return true;
}

std::optional<Schedule> ReuseSearch::placeInOrderOfTime() {
  if (!problem.inPlacePairs.empty() || problem.buffers.size() > 4096)
    return std::nullopt;
  auto order = llvm::to_vector(llvm::seq<BufferId>(0, problem.buffers.size()));
  llvm::sort(order, [&](BufferId a, BufferId b) {
    const Buffer &x = problem.buffers[a], &y = problem.buffers[b];
    return std::tuple(!x.fixedOffset, x.begin, -x.size, a) <
           std::tuple(!y.fixedOffset, y.begin, -y.size, b);
  });
  Schedule schedule;
  schedule.offsets.resize(problem.buffers.size());
  llvm::BitVector placed(problem.buffers.size());
  if (!placeAll(order, schedule, placed))
    return std::nullopt;
  return makeSchedule(problem, std::move(schedule.offsets));
}

/// Return up to 32 buffers that may be moved: `id`, those that it shares bytes
/// with at a cost, and those that are alive together with it, the nearest
/// first.
llvm::SmallVector<BufferId>
ReuseSearch::findNeighbours(BufferId id, const Schedule &schedule) const {
  constexpr size_t most = 32;
  const Buffer &buffer = problem.buffers[id];
  llvm::SmallVector<BufferId> found = {id}, others;
  for (auto [other, penalty] : penaltiesOf[id])
    if (movable.test(other) && shareBytes(problem, schedule, id, other))
      found.push_back(other);
  for (BufferId other : movable.set_bits())
    if (other != id && buffer.overlapsInTime(problem.buffers[other]))
      others.push_back(other);
  llvm::sort(others, [&](BufferId a, BufferId b) {
    auto getDistance = [&](BufferId other) {
      return std::pair(std::abs(problem.buffers[other].begin - buffer.begin),
                       other);
    };
    return getDistance(a) < getDistance(b);
  });
  found.append(others);
  found.truncate(std::min(found.size(), most));
  return found;
}

/// Take out those that cost most and their neighbours, and place them again,
/// in another order.
void ReuseSearch::placeAnew() {
  size_t numBuffers = problem.buffers.size();
  if (numBuffers > 4096)
    return;
  auto rankByCost = [&] {
    llvm::SmallVector<std::pair<int64_t, BufferId>, 0> ranks;
    for (BufferId id : movable.set_bits())
      if (int64_t cost = getCost(id, best.schedule))
        ranks.push_back({-cost, id});
    llvm::sort(ranks);
    return ranks;
  };
  llvm::SmallVector<std::pair<int64_t, BufferId>, 0> ranks = rankByCost();
  for (size_t next = 0; next < ranks.size() && steps-- > 0; ++next) {
    Schedule schedule = best.schedule;
    llvm::SmallVector<BufferId> order =
        findNeighbours(ranks[next].second, schedule);
    llvm::BitVector placed(numBuffers, true);
    for (BufferId id : order)
      placed.reset(id);
    // The first one comes first; of the others, large ones find less room.
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](BufferId a, BufferId b) {
                       return problem.buffers[a].size > problem.buffers[b].size;
                     });
    if (placeAll(order, schedule, placed) &&
        take(makeSchedule(problem, std::move(schedule.offsets)))) {
      ranks = rankByCost();
      next = -1;
    }
  }
}

//===----------------------------------------------------------------------===//
// Branch and bound
//===----------------------------------------------------------------------===//

/// Keep `schedule` if it is better.
bool ReuseSearch::take(const Schedule &schedule) {
  ReuseCost cost = computeReuseCost(original, schedule);
  if (cost.penalty >= best.cost.penalty ||
      findScheduleViolation(original.problem, schedule))
    return false;
  int64_t provedBound = best.schedule.provedBound;
  best.schedule = schedule;
  best.schedule.provedBound = provedBound;
  best.cost = cost;
  return true;
}

/// Return the pair with the largest penalty, of those that are not paid, that
/// shares bytes in `schedule`; the first of several.
std::optional<size_t> ReuseSearch::findWorst(const Schedule &schedule) const {
  std::optional<size_t> worst;
  for (auto [index, item] : llvm::enumerate(original.penalties))
    if (!isPaid.test(index) &&
        (!worst || item.penalty > original.penalties[*worst].penalty) &&
        shareBytes(problem, schedule, item.first, item.second))
      worst = index;
  return worst;
}

/// Search from `schedule`, one of `problem`, on: all pairs that are paid share
/// bytes, which costs `paid`. A schedule in which another pair shares bytes
/// leaves two cases: that pair is in conflict, or it is paid as well. If there
/// is none, nothing below costs less than this schedule. The depth of the
/// recursion is limited by `steps`.
void ReuseSearch::decide(Schedule schedule, int64_t paid) {
  improve(schedule);
  take(schedule);
  llvm::SmallVector<size_t> paidHere;
  while (paid < best.cost.penalty) {
    std::optional<size_t> pair = findWorst(schedule);
    if (!pair)
      break;
    if (steps-- <= 0) {
      isComplete = false;
      break;
    }
    const ReusePenalty &item = original.penalties[*pair];
    problem.conflicts.push_back({item.first, item.second});
    conflicts[item.first].push_back(item.second);
    conflicts[item.second].push_back(item.first);
    if (std::optional<Schedule> next = this->schedule())
      decide(std::move(*next), paid);
    problem.conflicts.pop_back();
    conflicts[item.first].pop_back();
    conflicts[item.second].pop_back();
    isPaid.set(*pair);
    paidHere.push_back(*pair);
    paid += item.penalty;
  }
  for (size_t pair : paidHere)
    isPaid.reset(pair);
}

/// Schedule the buffers such that no pair shares bytes.
void ReuseSearch::scheduleApart() {
  size_t numConflicts = problem.conflicts.size();
  for (const ReusePenalty &item : original.penalties)
    problem.conflicts.push_back({item.first, item.second});
  if (std::optional<Schedule> apart = schedule())
    take(*apart);
  problem.conflicts.truncate(numConflicts);
  isComplete = true;
}

llvm::Expected<ReuseSchedule> ReuseSearch::run() {
  llvm::Expected<Schedule> smallest = runScheduler(scheduler, problem, options);
  if (!smallest)
    return smallest.takeError();
  // That there is a schedule has been decided.
  options.decisionSteps = 0;
  best.schedule = *smallest;
  best.cost = computeReuseCost(original, *smallest);
  if (best.cost.penalty == 0) {
    best.isOptimal = true;
    return std::move(best);
  }
  if (isExact)
    scheduleApart();
  if (best.cost.penalty != 0) {
    improve(*smallest);
    take(*smallest);
    std::optional<Schedule> placed = placeInOrderOfTime();
    if (placed) {
      improve(*placed);
      take(*placed);
    }
    // With so many conflicts, a scheduler takes long: the last resort.
    if (best.cost.penalty != 0 && !isExact && !placed)
      scheduleApart();
  }
  if (best.cost.penalty != 0 && isExact)
    decide(best.schedule, /*paid=*/0);
  else if (best.cost.penalty != 0)
    placeAnew();
  best.isOptimal = best.cost.penalty == 0 || (isExact && isComplete);
  return std::move(best);
}

llvm::Expected<ReuseSchedule>
buffer_merge::scheduleReuse(const ReuseProblem &problem,
                            const Scheduler &scheduler,
                            const SchedulerOptions &options) {
  if (llvm::Error error = checkReuseProblem(problem))
    return std::move(error);
  return ReuseSearch(problem, scheduler, options).run();
}
