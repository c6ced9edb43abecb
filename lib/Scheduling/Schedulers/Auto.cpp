//===- Auto.cpp - The default scheduler ----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `auto`: all other schedulers, one after the other, until a pool is as small
// as the lower bound; of each component the best offsets are kept. Then search,
// as far as the effort reaches.
//
//===----------------------------------------------------------------------===//

#include "../BeamFit.h"
#include "../BufferOrder.h"
#include "../Builtins.h"
#include "../Components.h"
#include "../Placement.h"
#include "../RelaxedFit.h"
#include "buffer-merge/Scheduling/ImproveSchedule.h"
#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <array>
#include <limits>

using namespace buffer_merge;

namespace {
class AutoScheduler final : public Scheduler {
public:
  AutoScheduler()
      : portfolio(createOnePassSchedulers()), exact(createExactScheduler()) {}

  llvm::StringRef getName() const override { return "auto"; }

  llvm::StringRef getDescription() const override {
    return "The best of all schedulers for each part of the problem";
  }

  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override;

private:
  const OnePassSchedulers portfolio;
  const std::unique_ptr<Scheduler> exact;
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
  llvm::sort(begins, std::less<>());
  llvm::sort(ends, std::less<>());
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

/// Offer what relaxed orders make of the components that need more than the
/// lower bound, within about `budget` steps.
static void refine(const SchedulingProblem &problem, BestOfComponents &best,
                   uint64_t budget) {
  using Key = OrderKey;
  // Chosen one after the other, each the one that does the most for random
  // problems and for four instances published with MiniMalloc (A, C, E and G):
  // what they do for those four says little about others. The tolerance is a
  // fraction of the lower bound.
  const struct {
    std::array<Key, 3> keys;
    int64_t toleranceDivisor;
  } rules[] = {
      {{Key::Contention, Key::Duration, Key::Size}, 256},
      {{Key::Contention, Key::Conflicts, Key::Size}, 64},
      {{Key::Contention, Key::Duration, Key::Size}, 0},
      {{Key::Conflicts, Key::Contention, Key::Duration}, 256},
      {{Key::Contention, Key::Conflicts, Key::Size}, 256},
      {{Key::Contention, Key::Conflicts, Key::Duration}, 64},
  };
  llvm::SmallVector<BufferId, 0> ids = best.collectOpen();
  uint64_t stepsOfPass = uint64_t(ids.size()) * ids.size();
  if (ids.empty() || stepsOfPass > budget)
    return;
  SchedulingProblem part = extractProblem(problem, ids);
  if (llvm::any_of(part.buffers,
                   [](const Buffer &buffer) { return buffer.fixedOffset; }))
    return;
  Sections sections(part.buffers);
  RelaxedFit fit(part);
  llvm::SmallVector<int64_t, 0> offsets(best.getOffsets());
  for (const auto &rule : rules) {
    if (best.isDone() || stepsOfPass > budget)
      return;
    budget -= stepsOfPass;
    int64_t tolerance =
        rule.toleranceDivisor ? best.getTarget() / rule.toleranceDivisor : 0;
    llvm::SmallVector<int64_t, 0> partOffsets =
        fit.place(orderBuffers(part, sections, rule.keys), tolerance);
    for (auto [id, offset] : llvm::zip_equal(ids, partOffsets))
      offsets[id] = offset;
    best.offer(offsets);
  }
}

/// Offer what a beam of `width` arrangements makes of the components that need
/// more than the lower bound.
static void fitOpenWithBeam(const SchedulingProblem &problem,
                            BestOfComponents &best, unsigned width) {
  llvm::SmallVector<BufferId, 0> ids = best.collectOpen();
  SchedulingProblem part = extractProblem(problem, ids);
  if (!part.conflicts.empty() ||
      llvm::any_of(part.buffers,
                   [](const Buffer &buffer) { return buffer.fixedOffset; }))
    return;
  std::optional<llvm::SmallVector<int64_t, 0>> partOffsets =
      fitWithBeam(part, best.getTarget(), width);
  if (!partOffsets)
    return;
  llvm::SmallVector<int64_t, 0> offsets(best.getOffsets());
  for (auto [id, offset] : llvm::zip_equal(ids, *partOffsets))
    offsets[id] = offset;
  best.offer(offsets);
}

llvm::Expected<Schedule>
AutoScheduler::schedule(const SchedulingProblem &problem,
                        const SchedulerOptions &options) const {
  Components components(problem);
  BestOfComponents best(problem, components, computeProvedBound(problem));

  // The capacity is left out: a scheduler that misses it may still have the
  // best offsets for one of the components.
  SchedulingProblem copy;
  if (problem.capacity) {
    copy = problem;
    copy.capacity.reset();
  }
  const SchedulingProblem &unlimited = problem.capacity ? copy : problem;

  // What is likely to meet the lower bound soon comes first: the canonical and
  // greedy schedulers, unless so many buffers are alive at once that the others
  // are done long before; peaks-first for problems that are long.
  constexpr size_t longProblem = 10000;
  constexpr uint64_t crowdedProblem = 32;
  constexpr uint64_t narrowProblem = 8;
  constexpr uint64_t maxPairs = uint64_t(1) << 24;
  constexpr unsigned effortForAll = 5;
  size_t count = problem.buffers.size();
  uint64_t pairs = countOverlaps(problem);
  bool isLong = count > longProblem;
  bool isCrowded = !isLong && pairs > crowdedProblem * count;
  bool isNarrow = pairs <= narrowProblem * count;
  bool affordsPairs = pairs <= maxPairs || options.effort >= effortForAll;
  auto getTurn = [&](const OnePassScheduler &scheduler) {
    switch (scheduler.getCost()) {
    case PassCost::Pairs:
      return isCrowded || isLong ? 3 : 0;
    case PassCost::SomePairs:
      return isCrowded ? 2 : 0;
    case PassCost::Buffers:
      return 1;
    }
    llvm_unreachable("unknown cost");
  };
  llvm::SmallVector<const Scheduler *> order;
  for (int turn = 0; turn <= 3; ++turn)
    for (const std::unique_ptr<OnePassScheduler> &scheduler : portfolio)
      if (getTurn(*scheduler) == turn &&
          (affordsPairs || scheduler->getCost() != PassCost::Pairs))
        order.push_back(scheduler.get());
  // An interrupt is heeded as soon as there is a schedule at all.
  bool isStopped = false;
  auto mayGoOn = [&] {
    isStopped = isStopped ||
                (options.progress && best.hasOffsets() &&
                 !options.progress({0, best.getPoolSize(), best.getTarget()}));
    return !isStopped && !best.isDone();
  };
  auto improve = [&](int64_t maxSteps, int64_t provedBound) {
    Schedule improved =
        improveSchedule(unlimited, makeSchedule(problem, best.copyOffsets()),
                        provedBound, maxSteps, options.progress);
    best.offer(improved.offsets);
  };
  for (const auto &[index, scheduler] : llvm::enumerate(order)) {
    if (!mayGoOn())
      break;
    // A beam takes less time than any of the searches, and not much more than
    // one of the others.
    if (isNarrow && index == 1) {
      fitOpenWithBeam(unlimited, best, 2u << std::min(options.effort, 6u));
      if (!mayGoOn())
        break;
    }
    // What peaks-first, the first one, makes of a long problem exceeds the
    // lower bound in a few places. They are mended in less time than all those
    // take who look at pairs. Where it exceeds the bound everywhere, the search
    // gets nowhere from the start.
    if (isLong && index == 1) {
      int64_t left = std::min(pairs, maxPairs);
      int64_t before = std::numeric_limits<int64_t>::max();
      while (left > 0 && best.getPoolSize() < before && mayGoOn()) {
        before = best.getPoolSize();
        int64_t slice = std::min<int64_t>(left, 16 * count);
        improve(slice, best.getTarget());
        left -= slice;
      }
      if (!mayGoOn())
        break;
    }
    llvm::Expected<Schedule> schedule = scheduler->schedule(unlimited, options);
    if (!schedule)
      return schedule;
    best.offer(schedule->offsets);
  }
  // All passes over 400 buffers, one over 1000.
  constexpr uint64_t refinementSteps = uint64_t(1) << 20;
  if (mayGoOn())
    refine(unlimited, best, refinementSteps);

  // `exact` is run as it is, with the capacity, in order to be never worse;
  // then the same effort is spent on what is the best of all. The other way
  // round is worse: the second search would not begin where the first ended.
  //
  // On long problems it begins with canonical orders that were all tried above,
  // which is what takes its time, and then has too few steps to end far from
  // there: both searches begin with the best.
  int64_t provedBound = best.getTarget();
  int64_t maxSteps = getExactStepLimit(options.effort, count);
  if (isLong && affordsPairs && !problem.capacity) {
    maxSteps *= 2;
  } else if (mayGoOn()) {
    llvm::Expected<Schedule> schedule = exact->schedule(problem, options);
    if (schedule) {
      best.offer(schedule->offsets);
      provedBound = std::max(provedBound, schedule->provedBound);
    } else if (llvm::Error error = llvm::handleErrors(
                   schedule.takeError(),
                   [](std::unique_ptr<CapacityError> error) -> llvm::Error {
                     if (error->isProved())
                       return llvm::Error(std::move(error));
                     return llvm::Error::success();
                   })) {
      return std::move(error);
    }
  }
  if (mayGoOn() && best.getPoolSize() > provedBound)
    improve(maxSteps, provedBound);

  Schedule schedule = makeSchedule(problem, best.takeOffsets());
  schedule.provedBound = provedBound;
  if (problem.capacity && schedule.poolSize > *problem.capacity)
    return makeCapacityError(getName(), schedule.poolSize, *problem.capacity);
  return schedule;
}

std::unique_ptr<Scheduler> buffer_merge::createAutoScheduler() {
  return std::make_unique<AutoScheduler>();
}
