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

#include "../../Mutation.h"
#include "../BeamFit.h"
#include "../BufferOrder.h"
#include "../Builtins.h"
#include "../CanonicalFit.h"
#include "../Components.h"
#include "../KeySort.h"
#include "../Placement.h"
#include "../SqueakyWheel.h"
#include "buffer-merge/Scheduling/Exact.h"
#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <limits>

using namespace buffer_merge;

/// Return how many pairs of buffers overlap in time.
static uint64_t countOverlaps(const SchedulingProblem &problem) {
  llvm::SmallVector<int64_t, 0> begins, ends;
  begins.reserve(problem.buffers.size());
  ends.reserve(problem.buffers.size());
  for (const Buffer &buffer : problem.buffers) {
    begins.push_back(buffer.begin);
    ends.push_back(buffer.end);
  }
  sortNumbers(begins);
  sortNumbers(ends);
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

/// Offer what better and better orders make of the components that need more
/// than the lower bound.
static void tryBetterOrders(const SchedulingProblem &problem,
                            BestOfComponents &best,
                            llvm::function_ref<bool()> mayGoOn) {
  llvm::SmallVector<BufferId, 0> ids = best.collectOpen();
  // A heap takes longer than valleys.
  const bool isByHeap = !problem.conflicts.empty() || hasGaps(problem);
  const size_t many = isByHeap ? 512 : 1 << 15;
  if (ids.size() > many || isLeftOut("auto-better-orders"))
    return;
  SchedulingProblem part = extractProblem(problem, ids);
  if (llvm::any_of(part.buffers,
                   [](const Buffer &buffer) { return buffer.fixedOffset; }))
    return;
  // Few buffers are placed in no time, many are not.
  constexpr size_t numBetter = 10, minPlacements = 2048, most = 1 << 17;
  const size_t numPasses = std::max(numBetter, minPlacements / ids.size());
  size_t numLeft = most / ids.size();
  Sections sections(part.buffers);
  llvm::SmallVector<int64_t, 0> offsets(best.getOffsets());

  using Key = OrderKey;
  const std::array<Key, 3> rankings[] = {
      {Key::Contention, Key::Duration, Key::Area},
      {Key::Contention, Key::Conflicts, Key::Size},
      {Key::Duration, Key::Area, Key::Contention},
  };
  for (llvm::ArrayRef<Key> keys : rankings) {
    SqueakyWheel wheel(part, orderBuffers(part, sections, keys),
                       best.getTarget());
    for (size_t pass = 0; pass <= numPasses; ++pass) {
      if (numLeft-- == 0 || !mayGoOn())
        return;
      llvm::SmallVector<int64_t, 0> partOffsets =
          fitCanonically(part, sections, wheel.getOrder());
      for (auto [id, offset] : llvm::zip_equal(ids, partOffsets))
        offsets[id] = offset;
      best.offer(offsets);
      wheel.advance(partOffsets);
    }
  }
}

/// Offer what a beam of `width` arrangements makes of the components that need
/// more than the lower bound.
static void fitOpenWithBeam(const SchedulingProblem &problem,
                            BestOfComponents &best, unsigned width,
                            llvm::function_ref<bool()> mayGoOn) {
  llvm::SmallVector<BufferId, 0> ids = best.collectOpen();
  SchedulingProblem part = extractProblem(problem, ids);
  if (!part.conflicts.empty() ||
      llvm::any_of(part.buffers,
                   [](const Buffer &buffer) { return buffer.fixedOffset; }))
    return;
  std::optional<llvm::SmallVector<int64_t, 0>> partOffsets =
      fitWithBeam(part, best.getTarget(), width, mayGoOn);
  if (!partOffsets)
    return;
  llvm::SmallVector<int64_t, 0> offsets(best.getOffsets());
  for (auto [id, offset] : llvm::zip_equal(ids, *partOffsets))
    offsets[id] = offset;
  best.offer(offsets);
}

/// Above this many buffers not every scheduler is tried.
static constexpr size_t longProblem = 10000;

namespace {
/// One problem on its way through the stages.
class AutoRun {
public:
  AutoRun(const SchedulingProblem &problem, const SchedulerOptions &options,
          const OnePassSchedulers &portfolio, const Scheduler &exact);

  llvm::Expected<Schedule> run();

private:
  using Stage = llvm::Error (AutoRun::*)();

  // The stages.
  llvm::Error runFirstPass();
  llvm::Error runBeam();
  llvm::Error runPasses();
  llvm::Error runBetterOrders();
  llvm::Error runExact();
  llvm::Error runLocalSearch();

  bool mayGoOn();
  /// Return true if there is nothing left to search for.
  bool fitsCapacity() const {
    return !isMutated("auto-stops-when-it-fits") && problem.capacity &&
           best.hasOffsets() && best.getPoolSize() <= *problem.capacity;
  }
  /// Return true if what there is will do: of a long problem, the first
  /// schedule that fits the capacity.
  bool isEnough() const { return count > longProblem && fitsCapacity(); }
  llvm::Error runPass(unsigned index);
  bool isWorthwhile(const OnePassScheduler &scheduler) const;

  const SchedulingProblem &problem;
  const SchedulerOptions &options;
  const OnePassSchedulers &portfolio;
  const Scheduler &exact;
  /// The problem without its capacity: a scheduler that misses it may still
  /// have the best offsets for one of the components.
  SchedulingProblem copy;
  const SchedulingProblem &unlimited;

  const size_t count;
  const uint64_t pairs;
  Components components;
  BestOfComponents best;
  int64_t provedBound;
  /// Which of the portfolio have had their turn.
  llvm::SmallVector<bool> isTried;
  unsigned numTried = 0;
  bool isStopped = false;
};
} // namespace

AutoRun::AutoRun(const SchedulingProblem &problem,
                 const SchedulerOptions &options,
                 const OnePassSchedulers &portfolio, const Scheduler &exact)
    : problem(problem), options(options), portfolio(portfolio), exact(exact),
      unlimited(relaxProblem(problem, copy)), count(problem.buffers.size()),
      pairs(countOverlaps(problem)), components(problem),
      best(problem, components, computeProvedBound(problem)),
      provedBound(best.getTarget()), isTried(portfolio.size(), false) {}

/// Return true unless the bound is met or the caller has interrupted: that is
/// heeded as soon as there is a schedule at all.
bool AutoRun::mayGoOn() {
  isStopped = isStopped ||
              (options.progress && best.hasOffsets() &&
               !options.progress({0, best.getPoolSize(), best.getTarget()}));
  return !isStopped && !best.isDone();
}

/// Run one of the portfolio, unless it had its turn.
llvm::Error AutoRun::runPass(unsigned index) {
  if (isTried[index])
    return llvm::Error::success();
  isTried[index] = true;
  ++numTried;
  llvm::Expected<Schedule> schedule =
      portfolio[index]->schedule(unlimited, options);
  if (!schedule)
    return schedule.takeError();
  best.offer(schedule->offsets);
  return llvm::Error::success();
}

/// The one that is most likely to meet the bound.
llvm::Error AutoRun::runFirstPass() { return runPass(0); }

/// A beam takes less time than any of the searches, and not much more than a
/// pass, where few buffers are alive at once.
llvm::Error AutoRun::runBeam() {
  constexpr uint64_t narrowProblem = 8;
  if (pairs <= narrowProblem * count && !isLeftOut("auto-beam"))
    fitOpenWithBeam(unlimited, best, 2u << std::min(options.effort, 6u),
                    [&] { return mayGoOn(); });
  return llvm::Error::success();
}

/// Return true if `scheduler` does not take longer than it may.
bool AutoRun::isWorthwhile(const OnePassScheduler &scheduler) const {
  if (!scheduler.looksAtPairs())
    return true;
  constexpr uint64_t fewPairs = uint64_t(1) << 18, pairsOfBuffer = 32;
  return count <= longProblem && pairs <= fewPairs + pairsOfBuffer * count;
}

/// The rest of the portfolio, as far as there is time for it.
llvm::Error AutoRun::runPasses() {
  constexpr size_t maxPlacements = 200000;
  constexpr unsigned minPasses = 2;
  const size_t maxPasses =
      count <= longProblem ? portfolio.size()
                           : std::max<size_t>(minPasses, maxPlacements / count);
  for (unsigned i = 0; i < portfolio.size(); ++i) {
    if (!mayGoOn() || numTried >= maxPasses || isEnough())
      break;
    if (!isWorthwhile(*portfolio[i]))
      continue;
    if (llvm::Error error = runPass(i))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error AutoRun::runBetterOrders() {
  tryBetterOrders(unlimited, best, [&] { return mayGoOn(); });
  return llvm::Error::success();
}

/// `exact` is run as it is, with the capacity, in order to be never worse; then
/// the same effort is spent on what is the best of all. The other way round is
/// worse: the second search would not begin where the first ended.
///
/// On long problems it begins with canonical orders that were tried before,
/// which is what takes its time, and then has too few steps to end far from
/// there: both searches begin with the best.
llvm::Error AutoRun::runExact() {
  if (fitsCapacity() || (count > longProblem && !problem.capacity))
    return llvm::Error::success();
  llvm::Expected<Schedule> schedule = exact.schedule(problem, options);
  if (schedule) {
    best.offer(schedule->offsets);
    provedBound = std::max(provedBound, schedule->provedBound);
    return llvm::Error::success();
  }
  return llvm::handleErrors(
      schedule.takeError(),
      [](std::unique_ptr<CapacityError> error) -> llvm::Error {
        if (error->isProved())
          return llvm::Error(std::move(error));
        return llvm::Error::success();
      });
}

llvm::Error AutoRun::runLocalSearch() {
  const int64_t maxSteps = getStepLimit(options, count);
  if (fitsCapacity() || best.getPoolSize() <= provedBound || maxSteps == 0 ||
      isLeftOut("auto-incumbent"))
    return llvm::Error::success();
  bool isAll = count > longProblem && !problem.capacity;
  auto progress = [&](const SearchProgress &progress) {
    return (!options.progress || options.progress(progress)) &&
           !(problem.capacity && progress.poolSize <= *problem.capacity);
  };
  ExactOptions exactOptions;
  exactOptions.maxSteps = isAll ? 2 * maxSteps : maxSteps;
  exactOptions.incumbent = makeSchedule(problem, best.copyOffsets());
  exactOptions.lowerBound = provedBound;
  exactOptions.progress = progress;
  if (std::optional<Schedule> improved =
          solveExact(unlimited, exactOptions).schedule)
    best.offer(improved->offsets);
  return llvm::Error::success();
}

llvm::Expected<Schedule> AutoRun::run() {
  static constexpr Stage stages[] = {
      &AutoRun::runFirstPass,    &AutoRun::runBeam,  &AutoRun::runPasses,
      &AutoRun::runBetterOrders, &AutoRun::runExact, &AutoRun::runLocalSearch};
  for (Stage stage : stages) {
    if (!mayGoOn() && best.hasOffsets())
      break;
    if (llvm::Error error = (this->*stage)())
      return std::move(error);
    if (isEnough())
      break;
  }

  Schedule schedule = makeSchedule(problem, best.takeOffsets());
  schedule.provedBound = provedBound;
  if (problem.capacity && schedule.poolSize > *problem.capacity)
    return makeCapacityError("auto", schedule.poolSize, *problem.capacity,
                             /*isOpen=*/true);
  return schedule;
}

/// Run on a copy of `problem` in which what is close in time is close in
/// memory.
static llvm::Expected<Schedule>
runInOrderOfTime(const SchedulingProblem &problem,
                 const SchedulerOptions &options,
                 const OnePassSchedulers &portfolio, const Scheduler &exact) {
  llvm::SmallVector<BufferId, 0> order =
      orderByKey(problem.buffers.size(),
                 [&](BufferId id) { return problem.buffers[id].begin; });
  SchedulingProblem sorted = extractProblem(problem, order);
  sorted.capacity = problem.capacity;
  llvm::Expected<Schedule> schedule =
      AutoRun(sorted, options, portfolio, exact).run();
  if (schedule) {
    llvm::SmallVector<int64_t, 0> offsets(order.size());
    for (auto [id, offset] : llvm::zip_equal(order, schedule->offsets))
      offsets[id] = offset;
    schedule->offsets = std::move(offsets);
  }
  return schedule;
}

namespace {
class AutoScheduler final : public Scheduler {
public:
  llvm::StringRef getName() const override { return "auto"; }

  llvm::StringRef getDescription() const override {
    return "The best of all schedulers for each part of the problem";
  }

  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override {
    auto beginsBefore = [](const Buffer &a, const Buffer &b) {
      return a.begin < b.begin;
    };
    if (problem.buffers.size() > longProblem &&
        !llvm::is_sorted(problem.buffers, beginsBefore))
      return runInOrderOfTime(problem, options, portfolio, *exact);
    return AutoRun(problem, options, portfolio, *exact).run();
  }

private:
  const OnePassSchedulers portfolio = createOnePassSchedulers();
  const std::unique_ptr<Scheduler> exact = createExactScheduler();
};
} // namespace

std::unique_ptr<Scheduler> buffer_merge::createAutoScheduler() {
  return std::make_unique<AutoScheduler>();
}
