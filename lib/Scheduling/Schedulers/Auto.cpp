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
#include "../Repair.h"
#include "../SqueakyWheel.h"
#include "buffer-merge/Scheduling/Exact.h"
#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

using namespace buffer_merge;

namespace {
/// The buffers of the components that need more than the bound.
struct OpenPart {
  OpenPart(const SchedulingProblem &problem, const BestOfComponents &best)
      : ids(best.collectOpen()) {
    if (ids.size() != problem.buffers.size())
      copy = extractProblem(problem, ids);
    part = ids.size() == problem.buffers.size() ? &problem : &copy;
  }

  llvm::SmallVector<BufferId, 0> ids;
  SchedulingProblem copy;
  /// All of the problem, or `copy`.
  const SchedulingProblem *part;
};
} // namespace

/// Offer what better and better orders make of the components that need more
/// than the lower bound.
static void tryBetterOrders(const SchedulingProblem &problem,
                            BestOfComponents &best, bool isCore, int64_t &work,
                            llvm::function_ref<bool()> mayGoOn) {
  OpenPart open(problem, best);
  const SchedulingProblem &part = *open.part;
  // A heap takes longer than valleys.
  const bool isByHeap = !problem.conflicts.empty() || hasGaps(problem);
  const size_t count = open.ids.size(), many = isByHeap ? 512 : 1 << 15;
  if (count > many || hasFixedOffsets(part) || isLeftOut("auto-better-orders"))
    return;
  // Few buffers are placed in no time, many are not, and neither are those of
  // many cores.
  constexpr size_t few = 1024, most = 1 << 17;
  const bool isThorough = count <= few && !isCore;
  const size_t numPasses = isThorough ? std::max<size_t>(32, 7168 / count)
                                      : std::max<size_t>(10, 2048 / count);
  size_t numLeft = most / count;
  Sections sections(part.buffers);

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
      work += count;
      llvm::SmallVector<int64_t, 0> offsets =
          fitCanonically(part, sections, wheel.getOrder());
      best.offer(open.ids, offsets);
      wheel.advance(offsets);
    }
  }
}

/// Above this many buffers not every scheduler is tried.
static constexpr size_t longProblem = 10000;

namespace {
/// One problem on its way through the stages.
class AutoRun {
public:
  /// A pool of `target` bytes is small enough, if one is not proved optimal
  /// before.
  AutoRun(const SchedulingProblem &problem, const SchedulerOptions &options,
          const OnePassSchedulers &portfolio, const Scheduler &exact,
          int64_t target = 0);

  llvm::Expected<Schedule> run();

  /// Return the work done so far, in buffers placed.
  int64_t getWork() const { return work; }

private:
  struct Stage {
    /// What it is called in `ScheduleStep`.
    llvm::StringLiteral name;
    llvm::Error (AutoRun::*run)();
  };

  // The stages.
  llvm::Error runFirstPass();
  llvm::Error runBeam();
  llvm::Error runPasses();
  llvm::Error runRepairOfFirstPass();
  llvm::Error runRepair();
  llvm::Error runQuickSearch();
  llvm::Error runBetterOrders();
  llvm::Error runExact();
  llvm::Error runLocalSearch();

  bool mayGoOn();
  void improve(int64_t maxSteps);
  /// Return true if there is nothing left to search for.
  bool fitsCapacity() const {
    return problem.capacity && best.hasOffsets() &&
           best.getPoolSize() <= *problem.capacity;
  }
  /// Return true if what there is will do: of a long problem, the first
  /// schedule that fits the capacity.
  bool isEnough() const { return count > longProblem && fitsCapacity(); }
  bool isShort() const { return count <= 1024; }
  /// A search takes less time than repair.
  bool isVeryShort() const { return count <= 512; }
  void runPass(const OnePassScheduler &scheduler);
  void note(llvm::StringRef part);
  llvm::SmallVector<int64_t, 0> scheduleCore(const SchedulingProblem &core,
                                             const SchedulerOptions &options,
                                             int64_t &work);
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
  Components components;
  int64_t provedBound;
  BestOfComponents best;
  bool isStopped = false;
  int64_t work = 0;
  /// What the last repair has led to, and the work that the next one may do.
  int64_t repairedPoolSize = 0;
  int64_t repairWork;
  llvm::SmallVector<ScheduleStep, 0> steps;
  /// It is the core of another run.
  bool isCore;
};
} // namespace

AutoRun::AutoRun(const SchedulingProblem &problem,
                 const SchedulerOptions &options,
                 const OnePassSchedulers &portfolio, const Scheduler &exact,
                 int64_t target)
    : problem(problem), options(options), portfolio(portfolio), exact(exact),
      unlimited(relaxProblem(problem, copy)), count(problem.buffers.size()),
      components(problem), provedBound(computeProvedBound(problem)),
      best(problem, components, std::max(target, provedBound)),
      repairWork(std::min<int64_t>(1 << 18, 192 * count) + count),
      isCore(target != 0) {}

/// Return true unless a bound is met or the caller has interrupted: that is
/// heeded as soon as there is a schedule at all.
bool AutoRun::mayGoOn() {
  isStopped = isStopped ||
              (options.progress && best.hasOffsets() &&
               !options.progress({0, best.getPoolSize(), best.getTarget()}));
  return !isStopped && !best.isDone() &&
         !(best.hasOffsets() && best.getPoolSize() <= provedBound);
}

/// Run one of the portfolio.
void AutoRun::runPass(const OnePassScheduler &scheduler) {
  work += count;
  // Of several components, a larger pool may have the better part.
  const int64_t limit = components.count == 1 && best.hasOffsets()
                            ? best.getPoolSize()
                            : maxBytes;
  llvm::SmallVector<int64_t, 0> offsets = scheduler.place(unlimited, limit);
  if (!offsets.empty())
    best.offer(offsets);
  note(scheduler.getName());
}

/// Remember that `part` has made the pool smaller, if it has.
void AutoRun::note(llvm::StringRef part) {
  if (best.hasOffsets() &&
      (steps.empty() || best.getPoolSize() < steps.back().poolSize))
    steps.push_back({part, best.getPoolSize()});
}

/// The one that is most likely to meet the bound.
llvm::Error AutoRun::runFirstPass() {
  runPass(*portfolio.front());
  return llvm::Error::success();
}

/// A beam takes less time than any of the searches, and not much more than a
/// pass, where few buffers are alive at once.
llvm::Error AutoRun::runBeam() {
  constexpr uint64_t narrowProblem = 8;
  if (isCore || isLeftOut("auto-beam") ||
      countOverlaps(problem) > narrowProblem * count)
    return llvm::Error::success();
  OpenPart open(unlimited, best);
  if (!open.part->conflicts.empty() || hasFixedOffsets(*open.part))
    return llvm::Error::success();
  if (std::optional<llvm::SmallVector<int64_t, 0>> offsets = fitWithBeam(
          *open.part, best.getTarget(),
          2u << std::clamp(options.effort, 2u, 6u), [&] { return mayGoOn(); }))
    best.offer(open.ids, *offsets);
  return llvm::Error::success();
}

/// Return true if `scheduler` does not take longer than it may.
bool AutoRun::isWorthwhile(const OnePassScheduler &scheduler) const {
  using Cost = OnePassScheduler::Cost;
  if (scheduler.getCost() != Cost::Pairs)
    return count <= longProblem || scheduler.getCost() == Cost::Low;
  constexpr uint64_t fewPairs = uint64_t(1) << 18, pairsOfBuffer = 32;
  return count <= longProblem &&
         countOverlaps(problem) <= fewPairs + pairsOfBuffer * count;
}

/// The rest of the portfolio, as far as there is time for it.
llvm::Error AutoRun::runPasses() {
  for (const auto &scheduler : llvm::drop_begin(portfolio)) {
    if (!mayGoOn() || isEnough())
      break;
    if (isWorthwhile(*scheduler))
      runPass(*scheduler);
  }
  return llvm::Error::success();
}

/// Return offsets for `core` alone, and add the work to `work`.
llvm::SmallVector<int64_t, 0>
AutoRun::scheduleCore(const SchedulingProblem &core,
                      const SchedulerOptions &options, int64_t &work) {
  AutoRun run(core, options, portfolio, exact, best.getTarget());
  Schedule schedule = llvm::cantFail(run.run());
  work += run.getWork();
  return std::move(schedule.offsets);
}

/// Lower what is open where it is high, if it has changed since the last time.
llvm::Error AutoRun::runRepair() {
  // Whether few buffers fit a capacity, `exact` decides sooner.
  const bool isDecided = problem.capacity && options.effort != 0 && isShort();
  if (isCore || isDecided || isVeryShort() || isLeftOut("auto-repair") ||
      !unlimited.conflicts.empty() || hasGaps(unlimited) ||
      best.getPoolSize() == repairedPoolSize)
    return llvm::Error::success();
  OpenPart open(unlimited, best);
  if (hasFixedOffsets(*open.part))
    return llvm::Error::success();
  llvm::SmallVector<int64_t, 0> offsets;
  for (BufferId id : open.ids)
    offsets.push_back(best.getOffsets()[id]);
  SchedulerOptions coreOptions = options;
  auto progress = [&](const SearchProgress &progress) {
    return mayGoOn() && progress.poolSize > best.getTarget();
  };
  coreOptions.progress = progress;
  coreOptions.effort = 0;
  repairWork -=
      repairHighPlaces(*open.part, offsets, best.getTarget(), repairWork,
                       [&](const SchedulingProblem &core, int64_t &work) {
                         return scheduleCore(core, coreOptions, work);
                       });
  best.offer(open.ids, offsets);
  repairedPoolSize = best.getPoolSize();
  return llvm::Error::success();
}

/// Of few buffers, all passes take less time.
llvm::Error AutoRun::runRepairOfFirstPass() {
  return isShort() ? llvm::Error::success() : runRepair();
}

llvm::Error AutoRun::runBetterOrders() {
  tryBetterOrders(unlimited, best, isCore, work, [&] { return mayGoOn(); });
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
  work += getExactStepLimit(options.effort, count);
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
  int64_t maxSteps = getStepLimit(options, count);
  // Very few are searched whatever the effort, and in place of repair.
  constexpr int64_t leastSteps = 4096;
  if (isVeryShort() && !isCore && !problem.capacity)
    maxSteps = std::min(leastSteps + 3 * maxSteps, options.maxSteps);
  bool isAll = count > longProblem && !problem.capacity;
  improve(isAll ? 2 * maxSteps : maxSteps);
  return llvm::Error::success();
}

/// Of a handful of buffers, all places are tried sooner than many orders.
llvm::Error AutoRun::runQuickSearch() {
  constexpr size_t handful = 32;
  constexpr int64_t steps = 256;
  if (count <= handful && !isCore && !problem.capacity)
    improve(std::min(steps, options.maxSteps));
  return llvm::Error::success();
}

/// Search from the best schedule on.
void AutoRun::improve(int64_t maxSteps) {
  if (fitsCapacity() || best.getPoolSize() <= provedBound || maxSteps == 0 ||
      isLeftOut("auto-incumbent"))
    return;
  auto progress = [&](const SearchProgress &progress) {
    return (!options.progress || options.progress(progress)) &&
           !(problem.capacity && progress.poolSize <= *problem.capacity);
  };
  ExactOptions exactOptions;
  exactOptions.maxSteps = maxSteps;
  work += maxSteps;
  exactOptions.incumbent = makeSchedule(problem, best.copyOffsets());
  exactOptions.lowerBound = provedBound;
  exactOptions.progress = progress;
  ExactResult result = solveExact(unlimited, exactOptions);
  if (!result.schedule)
    return;
  best.offer(result.schedule->offsets);
  provedBound = std::max(provedBound, result.lowerBound);
}

/// Run the stages one after the other, as long as there is something to search
/// for.
llvm::Expected<Schedule> AutoRun::run() {
  static constexpr Stage stages[] = {
      {"one-pass", &AutoRun::runFirstPass},
      {"beam", &AutoRun::runBeam},
      {"repair", &AutoRun::runRepairOfFirstPass},
      {"one-pass", &AutoRun::runPasses},
      {"repair", &AutoRun::runRepair},
      {"local-search", &AutoRun::runQuickSearch},
      {"better-orders", &AutoRun::runBetterOrders},
      {"exact", &AutoRun::runExact},
      {"local-search", &AutoRun::runLocalSearch}};
  for (const Stage &stage : stages) {
    if (isEnough() || (!mayGoOn() && best.hasOffsets()))
      break;
    if (llvm::Error error = (this->*stage.run)())
      return std::move(error);
    note(stage.name);
  }

  Schedule schedule = makeSchedule(problem, best.takeOffsets());
  schedule.provedBound = provedBound;
  schedule.steps = std::move(steps);
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
