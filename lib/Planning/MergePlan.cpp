//===- What to merge, and where to ---------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Planning/MergePlan.h"
#include "Analysis/ParallelWork.h"
#include "Mutation.h"
#include "Pins.h"
#include "PlannedBuffers.h"
#include "Planning/GPU/LaunchWarnings.h"
#include "Planning/GPU/WorkgroupPlan.h"
#include "Planning/Heap/Footprint.h"
#include "Planning/Heap/ProgramCapacity.h"
#include "Planning/Peak/PeakLimits.h"
#include "Planning/Regions/RegionPlan.h"
#include "Planning/Storage/ArenaPlan.h"
#include "Planning/Storage/ArgumentPools.h"
#include "Planning/Storage/StaticGlobals.h"
#include "Planning/Storage/StorageChoice.h"
#include "PoolCollection.h"
#include "PoolDecision.h"
#include "PoolPlaces.h"
#include "Runtime/RuntimePools.h"
#include "Scheduling/RememberingScheduler.h"
#include "Scheduling/SaturatingBytes.h"
#include "buffer-merge/Scheduling/Exact.h"

#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// Parts of a plan
//===----------------------------------------------------------------------===//

StringRef buffer_merge::getPoolStorageName(PoolStorage storage) {
  // In the order of the enumeration.
  static constexpr StringLiteral names[] = {"alloc",  "stack",       "arena",
                                            "global", "argument",    "result",
                                            "slots",  "attribution", "dynamic"};
  static_assert(std::size(names) == unsigned(PoolStorage::Dynamic) + 1);
  return names[unsigned(storage)];
}

const Capacity *MergePlanOptions::findCapacity(Attribute memorySpace,
                                               bool isInDeviceCode) const {
  for (const Capacity &capacity : capacities)
    if (capacity.spaces.contains(memorySpace, isInDeviceCode))
      return &capacity;
  return nullptr;
}

bool MergePlanOptions::hasRegions(Attribute memorySpace) const {
  return llvm::any_of(regions, [&](const SpaceRegion &region) {
    return region.spaces.contains(memorySpace, /*isInDeviceCode=*/false);
  });
}

int64_t MergePlanOptions::getLeastAlignment(Attribute memorySpace,
                                            bool isInDeviceCode,
                                            bool isWorkgroup) const {
  for (const auto &[spaces, bytes] : spaceAlignments)
    if (spaces.contains(memorySpace, isInDeviceCode) &&
        !isMutated("R1-space-alignment"))
      return bytes;
  return isWorkgroup ? workgroupAlignment
                     : alignment.value_or(defaultAlignment);
}

std::optional<UnmergeableReason> PoolPlan::getReason() const {
  if (const NoPool *noPool = getNoPool())
    return noPool->reason;
  return std::nullopt;
}

const Schedule *PoolPlan::getSchedule() const {
  if (const Pool *pool = getPool())
    return pool->schedule.offsets.empty() ? nullptr : &pool->schedule;
  const NoPool *noPool = getNoPool();
  return noPool->schedule ? &*noPool->schedule : nullptr;
}

size_t PoolPlan::countAllocations() const {
  size_t count = 0;
  for (const BufferLifetime *buffer : buffers)
    if (!buffer->value || buffer->value->index == 0)
      count += buffer->countAllocations();
  return count;
}

bool PoolPlan::isDeallocated() const {
  return llvm::any_of(buffers, [](const BufferLifetime *buffer) {
    return !buffer->deallocs.empty();
  });
}

int64_t PoolPlan::getProvedBound() const {
  if (!hasFixedOffsets(problem)) {
    const Schedule *schedule = getSchedule();
    return std::max(schedule ? schedule->provedBound : 0,
                    computeProvedBound(problem));
  }
  // Offsets from elsewhere may be others, unless the program asks for them.
  SchedulingProblem unfixed = problem;
  for (auto [lifetime, buffer] : llvm::zip(buffers, unfixed.buffers))
    if (!hasPinnedOffset(lifetime->getAllocOp()))
      buffer.fixedOffset.reset();
  return computeProvedBound(unfixed);
}

MemRefType PoolPlan::getPoolType() const {
  return MemRefType::get({getPool()->schedule.poolSize},
                         IntegerType::get(scope->getContext(), 8),
                         MemRefLayoutAttrInterface(), memorySpace);
}

Operation *PoolPlan::getHostPlace() const {
  Operation *place = host.getDefiningOp();
  for (const BufferLifetime *buffer : buffers) {
    Operation *op =
        place->getBlock()->findAncestorOpInBlock(*buffer->getAllocOp());
    if (op->isBeforeInBlock(place))
      place = op;
  }
  return place;
}

bool buffer_merge::isInResult(const PoolPlan &pool) {
  return pool.getPool() && pool.getPool()->storage == PoolStorage::Result;
}

std::string PoolRegion::getSymbol() const { return toSymbolPart(region->name); }

std::optional<int64_t> PoolPlan::getAddress(std::optional<BufferId> id) const {
  std::optional<int64_t> address;
  if (region && getPool() && !excessiveBytes)
    address = region->getAddress();
  if (address && id)
    *address += getPool()->schedule.offsets[*id];
  return address;
}

bool PoolPlan::isInFlightAtEnd() const {
  return llvm::any_of(buffers, [](const BufferLifetime *buffer) {
    return buffer->isInFlightAtEnd;
  });
}

bool PoolPlan::needsManualDealloc() const {
  return llvm::any_of(buffers, [](const BufferLifetime *buffer) {
    return buffer->needsManualDealloc;
  });
}

//===----------------------------------------------------------------------===//
// The steps of planning
//===----------------------------------------------------------------------===//

/// Call `function` for each pool of `plan`, in several threads if possible.
/// Each call may change its own pool alone.
static void forEachPool(MergePlan &plan,
                        function_ref<void(PoolPlan &)> function) {
  forEachInParallel(plan.lifetimes->getRoot(), plan.pools.size(),
                    [&](size_t index) { function(plan.pools[index]); });
}

/// Schedule the pools of `plan`. Every schedule is verified. Buffers with a
/// fixed offset are placed there; where all of a pool have one, no scheduler is
/// asked.
static void schedulePools(MergePlan &plan, const MergePlanOptions &options) {
  auto schedule = [&](PoolPlan &pool) { schedulePool(pool, options); };
  // Progress is reported for one pool after the other.
  if (options.schedulerOptions.progress)
    llvm::for_each(plan.pools, schedule);
  else
    forEachPool(plan, schedule);
  refuseSharedDeallocs(plan.pools);
}

/// Fail if `options` ask for pools that change more than the inside of
/// functions, and `root` is not the whole module.
static LogicalResult checkRoot(Operation *root, const MergePlanOptions &options,
                               PlanMessages &messages) {
  bool needsModule =
      options.pool == PoolStorage::Arena || options.pool == PoolStorage::Global;
  if (!needsModule || (!root->getParentOp() && isa<ModuleOp>(root)))
    return success();
  return messages.addError(root->getLoc())
         << "pool=" << getPoolStorageName(options.pool)
         << " changes the module, so the pass must run on the top-level "
            "module, not on '"
         << root->getName() << "'";
}

/// Choose where the pools of `plan`, which are scheduled, are.
static LogicalResult placePools(const BufferLifetimes &lifetimes,
                                MergePlan &plan,
                                const MergePlanOptions &options,
                                PlanMessages &messages) {
  Operation *root = lifetimes.getRoot();
  if (options.pool == PoolStorage::Alloc)
    return success();
  auto arenas = std::make_shared<ArenaPlan>();
  if (options.pool == PoolStorage::Stack ||
      options.pool == PoolStorage::Slots) {
    chooseStorage(FunctionGraph(root), *arenas, plan, options);
    limitPeaks(nullptr, plan, options);
    return success();
  }
  auto module = cast<ModuleOp>(root);
  if (failed(arenas->initialize(lifetimes, options, messages)))
    return failure();
  chooseStorage(arenas->getGraph(), *arenas, plan, options);
  // What callers hand down depends on what is left of the pools of callees.
  limitPeaks(arenas.get(), plan, options);
  if (failed(arenas->compute(module, plan, options, messages)))
    return failure();
  plan.arenas = std::move(arenas);
  return success();
}

/// Put pools of one buffer behind the others, whose numbers in a report thus do
/// not depend on what is worth a pool by itself.
static void moveSinglesToEnd(MergePlan &plan) {
  SmallVector<PoolPlan, 0> pools, singles;
  for (PoolPlan &pool : plan.pools) {
    bool isSingle = pool.buffers.size() == 1 && pool.getPool() &&
                    !pool.workgroup && !pool.region;
    (isSingle ? singles : pools).push_back(std::move(pool));
  }
  plan.pools = std::move(pools);
  llvm::append_range(plan.pools,
                     llvm::make_range(std::make_move_iterator(singles.begin()),
                                      std::make_move_iterator(singles.end())));
}

/// Make no allocated pools that the pass would free (R3 deallocations) where
/// the program frees nothing and `finalize-memref-to-llvm` cannot: it calls
/// `free` with a pointer to the memory space.
static void refuseUnfreeable(MergePlan &plan) {
  for (PoolPlan &pool : plan.pools)
    if (const Pool *made = pool.getPool();
        made && made->storage == PoolStorage::Alloc && pool.memorySpace &&
        pool.needsManualDealloc() && !pool.isDeallocated() &&
        !isMutated("R3-space"))
      pool.decision = NoPool{UnmergeableReason::Unfreeable};
}

/// Decide what becomes of the pools of `plan`, which are scheduled.
static LogicalResult finishPlan(const BufferLifetimes &lifetimes,
                                RegionPlanner &regions, MergePlan &plan,
                                const MergePlanOptions &options,
                                PlanMessages &messages) {
  Operation *root = lifetimes.getRoot();
  if (failed(placePools(lifetimes, plan, options, messages)))
    return failure();
  regions.place(plan);
  regions.changePlaces(plan);
  if (auto module = dyn_cast<ModuleOp>(root);
      module && failed(collectGlobals(module, plan, options, messages)))
    return failure();
  moveSinglesToEnd(plan);
  if (options.pool == PoolStorage::Alloc)
    limitPeaks(nullptr, plan, options);
  refuseUnfreeable(plan);
  return checkPins(lifetimes, options, plan, messages);
}

/// Return the plan of `buffers`, which are of `lifetimes`.
static FailureOr<MergePlan> planBuffers(const BufferLifetimes &lifetimes,
                                        const PlannedBuffers &buffers,
                                        const MergePlanOptions &options,
                                        PlanMessages &messages) {
  messages.clear();
  Operation *root = lifetimes.getRoot();
  if (failed(checkRoot(root, options, messages)))
    return failure();
  MergePlan plan = collectPools(lifetimes, buffers.collect(), options);
  plan.lifetimes = std::shared_ptr<const BufferLifetimes>(
      std::shared_ptr<const BufferLifetimes>(), &lifetimes);
  plan.freePoint = options.limitPeak.value_or(FreePoint::AsGiven);
  RegionPlanner regions(root, options, messages);
  if (failed(takePins(lifetimes, options, plan, messages)) ||
      failed(regions.choose(plan)))
    return failure();
  forEachPool(plan, [&](PoolPlan &pool) { preparePool(pool, options); });
  if (options.fixOffsets && failed(options.fixOffsets(root, plan, messages)))
    return failure();
  schedulePools(plan, options);
  if (failed(finishPlan(lifetimes, regions, plan, options, messages)))
    return failure();
  enforcePeaks(plan, options);
  plan.overfullScopes = findOverfullScopes(plan, options);
  if (options.reuse == ReusePolicy::AsNeeded && plan.overfullScopes.empty())
    shareAsNeededWithinCapacities(plan, options);
  KernelMemory kernelMemory(root, lifetimes.getDeviceCode());
  findOwnAttributions(plan, options, kernelMemory);
  return plan;
}

/// Return the bytes of all buffers of `plan`, in pools or not, apart from those
/// in arguments.
static int64_t countBytes(const MergePlan &plan) {
  int64_t bytes = 0;
  for (const PoolPlan &pool : plan.pools)
    if (!pool.host)
      bytes +=
          pool.getPool() ? pool.getPool()->schedule.poolSize : pool.totalBytes;
  return bytes;
}

/// Return the plan of `buffers`, which are of `lifetimes`: with as many of
/// their values as help.
static FailureOr<MergePlan> planValues(const BufferLifetimes &lifetimes,
                                       PlannedBuffers &buffers,
                                       const MergePlanOptions &options,
                                       PlanMessages &messages) {
  buffers.divideAll();
  FailureOr<MergePlan> plan =
      planBuffers(lifetimes, buffers, options, messages);
  // What is joined may leave other pools without a gain.
  constexpr int maxRounds = 2;
  for (int round = 0;
       succeeded(plan) && buffers.haveValues() && buffers.joinWhatStays(*plan);
       ++round) {
    if (round == maxRounds)
      buffers.joinAll();
    plan = planBuffers(lifetimes, buffers, options, messages);
  }
  if (failed(plan) || !buffers.haveValues() ||
      (!plan->hasRaisedPeak && areValuesProvedToHelp(*plan)))
    return plan;
  // A scheduler may find a larger pool for more buffers.
  buffers.joinAll();
  PlanMessages messagesOfWhole;
  FailureOr<MergePlan> whole =
      planBuffers(lifetimes, buffers, options, messagesOfWhole);
  if (failed(whole) ||
      (!plan->hasRaisedPeak && countBytes(*whole) > countBytes(*plan)))
    return plan;
  messages = std::move(messagesOfWhole);
  return whole;
}

/// Return the plan of `buffers`, which are of `lifetimes`: with as many of
/// those that are one as help.
static FailureOr<MergePlan> planUnited(const BufferLifetimes &lifetimes,
                                       PlannedBuffers &buffers,
                                       const MergePlanOptions &options,
                                       PlanMessages &messages) {
  for (int round = 0;; ++round) {
    FailureOr<MergePlan> plan =
        planValues(lifetimes, buffers, options, messages);
    if (failed(plan))
      return failure();
    if (!buffers.takeBackWhatStays(*plan)) {
      if (options.lifetimes.dynamic != DynamicPolicy::None &&
          options.pool != PoolStorage::Slots) {
        addRuntimePools(*plan, options);
        addKernelPools(*plan, options);
      }
      addLaunchWarnings(lifetimes.getRoot(), messages);
      return plan;
    }
    constexpr int maxRounds = 2;
    if (round == maxRounds)
      buffers.takeBackAll();
  }
}

/// Return true if `emplaced` is better than `plan`, in which no buffer is a
/// part of one that it is copied into, or as good.
static bool isNoWorse(const MergePlan &emplaced, const MergePlan &plan,
                      Goal goal) {
  auto countExcessive = [](const MergePlan &plan) {
    return plan.overfullScopes.size() +
           llvm::count_if(plan.pools, [](const PoolPlan &pool) {
             return pool.excessiveBytes.has_value();
           });
  };
  size_t excessive = countExcessive(emplaced);
  if (size_t other = countExcessive(plan);
      excessive != other || goal == Goal::Traffic)
    return excessive <= other;
  // In the order of what matters.
  auto getCosts = [goal](const MergePlan &plan) {
    size_t numAllocations = 0;
    for (const PoolPlan &pool : plan.pools)
      numAllocations += pool.getPool() ? 1 : pool.countAllocations();
    return std::tuple(goal == Goal::Allocations ? numAllocations : 0,
                      computePeakBytes(plan), countBytes(plan), numAllocations);
  };
  return getCosts(emplaced) <= getCosts(plan);
}

/// Take those of `functions` out that hold no less with `after`, or more on
/// some path if `options` limit that. Return false if a function holds more.
static bool keepLower(llvm::DenseSet<Operation *> &functions,
                      const MergePlan &after, const MergePlan &before,
                      const MergePlanOptions &options) {
  if (options.limitPeak)
    llvm::set_subtract(functions, findRaisedByResults(after));
  llvm::DenseMap<Operation *, int64_t> bytes;
  for (const auto &[function, peak] : computeFootprint(before).functions)
    bytes[function] = peak.planned;
  bool isAnyHigher = false;
  for (const auto &[function, peak] : computeFootprint(after).functions) {
    isAnyHigher |= peak.planned > bytes.lookup(function);
    if (peak.planned >= bytes.lookup(function))
      functions.erase(function);
  }
  return !isAnyHigher;
}

/// Put what `plan` can of `buffers` into results in place of pools, in the
/// functions that hold less then.
static void useResults(const BufferLifetimes &lifetimes,
                       PlannedBuffers &buffers, MergePlanOptions options,
                       FailureOr<MergePlan> &plan, PlanMessages &messages) {
  if (options.pool != PoolStorage::Alloc || !options.scheduler->reusesBytes())
    return;
  llvm::DenseSet<Operation *> all, functions;
  for (const LentResult &result : lifetimes.getLentResults())
    all.insert(result.buffer->function);
  if (all.empty())
    return;
  options.usesResults = &all;
  SmallVector<RefusedArgument, 0> refused;
  for (const PoolPlan &pool :
       planArgumentPools(lifetimes, buffers.collect(), options, refused))
    if (isInResult(pool))
      functions.insert(pool.scope->getParentOp());
  options.usesResults = &functions;
  // Functions that would hold more are left out then.
  for (int round = 0; round < 2 && !functions.empty(); ++round) {
    PlanMessages messagesOfResults;
    FailureOr<MergePlan> other =
        planUnited(lifetimes, buffers, options, messagesOfResults);
    if (failed(other) || llvm::none_of(other->pools, isInResult))
      return;
    size_t count = functions.size();
    bool isLower =
        failed(plan) || (keepLower(functions, *other, *plan, options) &&
                         isNoWorse(*other, *plan, options.goal));
    if (isLower && functions.size() == count) {
      plan = std::move(other);
      messages = std::move(messagesOfResults);
      return;
    }
  }
}

/// Return the plan of `lifetimes`, whether it fits the capacities or not.
static FailureOr<MergePlan> planOnce(const BufferLifetimes &lifetimes,
                                     const MergePlanOptions &options,
                                     PlanMessages &messages) {
  // Functions may have equal problems, and the plans of several rounds have.
  RememberingScheduler scheduler(*options.scheduler);
  MergePlanOptions ownOptions = options;
  ownOptions.scheduler = &scheduler;
  PlannedBuffers buffers(lifetimes);
  FailureOr<MergePlan> plan =
      planUnited(lifetimes, buffers, ownOptions, messages);
  auto tryResults = [&](PlannedBuffers &chosen) {
    useResults(lifetimes, chosen, ownOptions, plan, messages);
    return std::move(plan);
  };
  if (lifetimes.getEmplacedBuffers().empty())
    return tryResults(buffers);
  // What is a part of another buffer is not copied, but may be held for longer.
  // Offsets from elsewhere may be those of a plan with parts.
  PlannedBuffers emplaced(lifetimes);
  FailureOr<MergePlan> unfixed = failure();
  if (failed(plan)) {
    MergePlanOptions unfixedOptions = ownOptions;
    unfixedOptions.fixOffsets = nullptr;
    PlanMessages none;
    unfixed = planUnited(lifetimes, buffers, unfixedOptions, none);
  }
  const FailureOr<MergePlan> &without = succeeded(plan) ? plan : unfixed;
  if (failed(without) || !emplaced.emplace(*without, options.goal))
    return tryResults(buffers);
  PlanMessages messagesOfEmplaced;
  FailureOr<MergePlan> planOfEmplaced =
      planUnited(lifetimes, emplaced, ownOptions, messagesOfEmplaced);
  if (failed(planOfEmplaced) ||
      (succeeded(plan) && !isNoWorse(*planOfEmplaced, *plan, options.goal)))
    return tryResults(buffers);
  plan = std::move(planOfEmplaced);
  messages = std::move(messagesOfEmplaced);
  return tryResults(emplaced);
}

/// Return the most steps that searches for the pools of `plan` take with the
/// effort of `options`.
static int64_t countSteps(const MergePlan &plan,
                          const SchedulerOptions &options) {
  int64_t steps = 0;
  for (const PoolPlan &pool : plan.pools)
    steps = addBytes(steps, getStepLimit(options, pool.problem.buffers.size()));
  return steps;
}

/// Return true if scopes of `plan` exceed capacities together, and it is open
/// for each of them whether smaller pools exist with which it fits.
static bool areScopesOpen(MergePlan &plan) {
  findOpenScopes(plan);
  return !plan.overfullScopes.empty() &&
         llvm::all_of(plan.overfullScopes,
                      [](const OverfullScope &scope) { return scope.isOpen; });
}

FailureOr<MergePlan>
buffer_merge::computeMergePlan(const BufferLifetimes &lifetimes,
                               const MergePlanOptions &options,
                               PlanMessages &messages) {
  FailureOr<MergePlan> plan = planOnce(lifetimes, options, messages);
  // A capacity of one pool is decided when it is scheduled; that of several
  // that are held together is decided here, by the same number of steps.
  MergePlanOptions more = options;
  more.shareCapacities = true;
  int64_t left = options.schedulerOptions.decisionSteps;
  while (succeeded(plan) && areScopesOpen(*plan)) {
    left -= countSteps(*plan, more.schedulerOptions);
    if (left < 0)
      break;
    PlanMessages messagesOfMore;
    FailureOr<MergePlan> better = planOnce(lifetimes, more, messagesOfMore);
    if (failed(better))
      break;
    plan = std::move(better);
    messages = std::move(messagesOfMore);
    if (++more.schedulerOptions.effort > 9)
      break;
  }
  if (succeeded(plan))
    findOpenScopes(*plan);
  return plan;
}

FailureOr<MergePlan>
buffer_merge::computeMergePlan(Operation *root, const MergePlanOptions &options,
                               PlanMessages &messages) {
  auto lifetimes =
      std::make_shared<const BufferLifetimes>(root, options.lifetimes);
  FailureOr<MergePlan> plan = computeMergePlan(*lifetimes, options, messages);
  if (succeeded(plan))
    plan->lifetimes = std::move(lifetimes);
  return plan;
}
