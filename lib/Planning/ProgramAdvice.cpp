//===- ProgramAdvice.cpp - What would lower the peak of the program -------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options are tried by planning the program with them, each by itself and then
// together with the best one. Changes of the program are tried in the plan that
// there is: the pool is scheduled with the change (BufferAdvice.cpp), and what
// the program holds at its peak is computed with the smaller pool.
//
//===----------------------------------------------------------------------===//

#include "Advice.h"
#include "Heap/Footprint.h"
#include "Heap/WorkingSet.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace buffer_merge;

/// So many plans are made, those for pools among them.
static constexpr size_t maxPlans = 10;
/// So many changes of the program are tried, those of which pools save most.
static constexpr size_t maxChangesTried = 32;

namespace {
/// An option with another value.
struct OptionTrial {
  /// As in the textual options of the passes.
  std::string text;
  std::function<void(MergePlanOptions &)> set;
};

/// What a plan with another option comes to.
struct TrialResult {
  const OptionTrial *first, *second;
  int64_t savedBytes = 0, numMerged = 0;
};

/// Tries options for one program.
class OptionTrials {
public:
  OptionTrials(Operation *root, const MergePlan &plan,
               const MergePlanOptions &options)
      : root(root), plan(plan), options(options),
        peakBytes(computePeakBytes(plan)), numDynamic(countDynamic(plan)) {
    collect();
  }

  /// Try the options, with what is known of `known` already.
  void run(ArrayRef<AlternativePlan> known);

  SmallVector<ProgramAdvice, 0> takeAdvice();

private:
  void collect();
  void add(std::string text, std::function<void(MergePlanOptions &)> set) {
    trials.push_back({std::move(text), std::move(set)});
  }
  bool hasReason(UnmergeableReason reason) const;
  /// Return the allocations of run-time size that stay in `plan`.
  static int64_t countDynamic(const MergePlan &plan);
  void tryBoth(const OptionTrial &first, const OptionTrial *second);
  void note(const OptionTrial &first, const OptionTrial *second,
            const MergePlan &found);

  Operation *root;
  const MergePlan &plan;
  const MergePlanOptions &options;
  int64_t peakBytes, numDynamic;
  SmallVector<OptionTrial, 0> trials;
  SmallVector<TrialResult> results;
  size_t numPlans = 0;
};
} // namespace

int64_t OptionTrials::countDynamic(const MergePlan &plan) {
  return llvm::count_if(plan.unmergeable, [](const UnmergeableBuffer &left) {
    UnmergeableReason reason = left.buffer->refusal->reason;
    return reason == UnmergeableReason::DynamicShape ||
           reason == UnmergeableReason::WastefulBound;
  });
}

bool OptionTrials::hasReason(UnmergeableReason reason) const {
  return llvm::any_of(plan.pools,
                      [&](const PoolPlan &pool) {
                        return pool.getReason() == reason;
                      }) ||
         llvm::any_of(plan.unmergeable, [&](const UnmergeableBuffer &left) {
           return left.refusal.reason == reason;
         });
}

/// List the options that may make a difference, those first that often do. Left
/// out are those that say what the program or its target is: storages, spaces,
/// capacities, and the baseline that peaks are compared with.
void OptionTrials::collect() {
  const BufferLifetimesOptions &lifetimes = options.lifetimes;
  for (PoolOption option : findPoolOptions(plan, options))
    add(PoolAdvice{option.kind, 0}.getOption().str(), option.set);
  // Each policy has what the one before it has.
  auto addDynamic = [&](DynamicPolicy from, DynamicPolicy to, StringRef name) {
    if (numDynamic != 0 && lifetimes.dynamic == from)
      add(("dynamic=" + name).str(),
          [to](MergePlanOptions &other) { other.lifetimes.dynamic = to; });
  };
  addDynamic(DynamicPolicy::None, DynamicPolicy::Runtime, "runtime");
  addDynamic(DynamicPolicy::Runtime, DynamicPolicy::Bounded, "bounded");
  if (!lifetimes.findRefills)
    add("erase-copies",
        [](MergePlanOptions &other) { other.lifetimes.findRefills = true; });
  if (options.scheduler->getName() != "auto")
    add("scheduler=auto", [](MergePlanOptions &other) {
      other.scheduler = lookupScheduler("auto");
    });
  if (options.goal != Goal::Peak)
    add("goal=peak", [](MergePlanOptions &other) { other.goal = Goal::Peak; });
  if (!options.limitPeak)
    add("limit-peak=as-given",
        [](MergePlanOptions &other) { other.limitPeak = FreePoint::AsGiven; });
  else if (plan.hasRaisedPeak || hasReason(UnmergeableReason::RaisesPeak)) {
    unsigned more = options.maxPools * 4;
    add("max-pools=" + std::to_string(more),
        [more](MergePlanOptions &other) { other.maxPools = more; });
  }
  if (lifetimes.calls == CallPolicy::Escape &&
      hasReason(UnmergeableReason::PassedToCall))
    add("calls=keep-nothing", [](MergePlanOptions &other) {
      other.lifetimes.calls = CallPolicy::KeepNothing;
    });
  if (hasReason(UnmergeableReason::NoGain))
    add("min-gain=0",
        [](MergePlanOptions &other) { other.minGain = MinGain{0, 0}; });
  if (options.reuse == ReusePolicy::AsNeeded)
    add("reuse=smallest",
        [](MergePlanOptions &other) { other.reuse = ReusePolicy::Smallest; });
  bool mayBeSmaller = llvm::any_of(plan.pools, [](const PoolPlan &pool) {
    const Pool *made = pool.getPool();
    return made && pool.getProvedBound() < made->schedule.poolSize;
  });
  constexpr unsigned moreEffort = 5;
  if (mayBeSmaller && options.schedulerOptions.effort < moreEffort)
    add("effort=" + std::to_string(moreEffort), [](MergePlanOptions &other) {
      other.schedulerOptions.effort = moreEffort;
    });
  constexpr int64_t lessAlignment = 16;
  if (options.alignment.value_or(options.defaultAlignment) > lessAlignment)
    add("alignment=" + std::to_string(lessAlignment),
        [=](MergePlanOptions &other) { other.alignment = lessAlignment; });
}

void OptionTrials::note(const OptionTrial &first, const OptionTrial *second,
                        const MergePlan &found) {
  int64_t numMerged = numDynamic - countDynamic(found);
  // Bytes that are known only at run time are in no sum: a peak with others
  // among them cannot be compared.
  int64_t savedBytes = peakBytes - computePeakBytes(found);
  if (numMerged > 0 && savedBytes < 0)
    savedBytes = 0;
  results.push_back({&first, second, savedBytes, numMerged});
}

void OptionTrials::tryBoth(const OptionTrial &first,
                           const OptionTrial *second) {
  if (numPlans == maxPlans)
    return;
  ++numPlans;
  FailureOr<MergePlan> found =
      planWith(root, options, [&](MergePlanOptions &other) {
        first.set(other);
        if (second)
          second->set(other);
      });
  if (succeeded(found))
    note(first, second, *found);
}

void OptionTrials::run(ArrayRef<AlternativePlan> known) {
  numPlans = known.size();
  for (const OptionTrial &trial : trials) {
    const auto *plan = llvm::find_if(known, [&](const AlternativePlan &other) {
      return PoolAdvice{other.kind, 0}.getOption() == trial.text;
    });
    if (plan != known.end())
      note(trial, nullptr, plan->plan);
    else
      tryBoth(trial, nullptr);
  }
  const TrialResult *best = nullptr;
  for (const TrialResult &result : results)
    if (result.savedBytes > 0 &&
        (!best || result.savedBytes > best->savedBytes))
      best = &result;
  if (!best)
    return;
  const OptionTrial *bestTrial = best->first;
  for (const OptionTrial &trial : trials)
    if (&trial != bestTrial)
      tryBoth(*bestTrial, &trial);
}

SmallVector<ProgramAdvice, 0> OptionTrials::takeAdvice() {
  SmallVector<ProgramAdvice, 0> advice;
  auto isBetterAlone = [&](const TrialResult &both) {
    return llvm::any_of(results, [&](const TrialResult &alone) {
      return !alone.second &&
             (alone.first == both.first || alone.first == both.second) &&
             alone.savedBytes >= both.savedBytes &&
             alone.numMerged >= both.numMerged;
    });
  };
  for (const TrialResult &result : results) {
    if (result.savedBytes < 0 ||
        (result.savedBytes == 0 && result.numMerged <= 0))
      continue;
    if (result.second && isBetterAlone(result))
      continue;
    ProgramAdvice &item = advice.emplace_back();
    item.options = result.first->text;
    if (result.second)
      item.options += " " + result.second->text;
    item.savedBytes = result.savedBytes;
    item.numMerged = std::max<int64_t>(result.numMerged, 0);
  }
  return advice;
}

/// Return what the program of `plan` saves at its peak if `pool` takes `bytes`
/// less than it does.
static int64_t computeSavedBytes(MergePlan &plan, PoolPlan &pool, int64_t bytes,
                                 int64_t peakBytes) {
  int64_t &size = pool.getPool()->schedule.poolSize;
  size -= bytes;
  int64_t saved = peakBytes - computePeakBytes(plan);
  size += bytes;
  return saved;
}

/// Add the changes of pools of `plan` that save bytes of the program.
static void addChanges(MergePlan &plan) {
  int64_t peakBytes = computePeakBytes(plan);
  SmallVector<std::pair<size_t, const PoolAdvice *>> changes;
  for (auto [index, pool] : llvm::enumerate(plan.pools))
    for (const PoolAdvice &advice : pool.advice)
      if (pool.getPool() && !pool.excessiveBytes && advice.getOption().empty())
        changes.emplace_back(index, &advice);
  llvm::stable_sort(changes, [](const auto &a, const auto &b) {
    return a.second->savedBytes > b.second->savedBytes;
  });
  for (auto [index, change] : ArrayRef(changes).take_front(
           std::min(changes.size(), maxChangesTried))) {
    int64_t saved = computeSavedBytes(plan, plan.pools[index],
                                      change->savedBytes, peakBytes);
    if (saved <= 0)
      continue;
    ProgramAdvice &item = plan.advice.emplace_back();
    item.savedBytes = saved;
    item.pool = index;
    item.change = *change;
  }
}

void buffer_merge::addProgramAdvice(Operation *root, MergePlan &plan,
                                    const MergePlanOptions &options,
                                    ArrayRef<AlternativePlan> alternatives) {
  OptionTrials trials(root, plan, options);
  trials.run(alternatives);
  plan.advice = trials.takeAdvice();
  if (WorkingSet set = findLargestWorkingSet(plan);
      set.bytes == computePeakBytes(plan))
    plan.peakOp = set.op;
  addChanges(plan);
  llvm::stable_sort(plan.advice,
                    [](const ProgramAdvice &a, const ProgramAdvice &b) {
                      return std::pair(a.savedBytes, a.numMerged) >
                             std::pair(b.savedBytes, b.numMerged);
                    });
}
