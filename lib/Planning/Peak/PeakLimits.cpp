//===- PeakLimits.cpp - Plans that do not raise the peak ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeakLimits.h"
#include "Analysis/FunctionContext.h"
#include "Mutation.h"
#include "PeakLimit.h"
#include "Planning/Gain.h"
#include "Planning/Heap/Footprint.h"
#include "Planning/Storage/ArenaPlan.h"
#include "Planning/Storage/StorageChoice.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if pools in `storage` are compared with the baseline. A pool on
/// the stack is small (`Target::stackLimit`).
static bool isLimited(PoolStorage storage) {
  bool isHeldByCaller =
      storage == PoolStorage::Arena || storage == PoolStorage::Global;
  return storage == PoolStorage::Alloc ||
         (isHeldByCaller && !isMutated("R7-arenas"));
}

/// Return true if `pool` is one of those that may be smaller, or elsewhere,
/// than they are planned (R7 peak), or made of fewer buffers (R4 gain): nothing
/// else has decided about its bytes.
static bool mayChange(const PoolPlan &pool, const MergePlanOptions &options) {
  bool isPossible = pool.getPool()
                        ? isLimited(pool.getPool()->storage)
                        : pool.getReason() == UnmergeableReason::NoGain;
  return isPossible && !pool.workgroup && !pool.region && !pool.host &&
         !pool.isErased && !pool.isPinned && pool.problem.conflicts.empty() &&
         !pool.isInDeviceCode() && options.scheduler->reusesBytes() &&
         !hasFixedOffsets(pool.problem);
}

/// Return what the program holds without pools, but with what `plan` puts into
/// results there; nothing if it puts nothing there.
static std::optional<ProgramHeap> findWithResults(MergePlan &plan) {
  if (llvm::none_of(plan.pools, isInResult))
    return std::nullopt;
  ProgramHeapOptions options;
  options.freePoint = plan.freePoint;
  options.usesResults = true;
  options.other = &getBaseline(plan);
  return std::optional<ProgramHeap>(std::in_place, plan, options);
}

namespace {
/// Limits the pools of one plan.
class PeakLimits {
public:
  PeakLimits(MergePlan &plan, const MergePlanOptions &options)
      : plan(plan), options(options), withResults(findWithResults(plan)),
        baseline(withResults ? *withResults : getBaseline(plan)),
        replacements(plan.pools.size()) {
    for (const PoolPlan &pool : plan.pools)
      if (pool.isErased && pool.getPool())
        erased.insert(pool.buffers.begin(), pool.buffers.end());
  }

  /// Limit the pools in `arenas`. Functions whose callers would hold too much
  /// for them have none.
  void limitArenas(const ArenaPlan &arenas);

  /// Limit the pools that are in no arena.
  void limitOthers();

  /// Carry out what is found.
  void replace();

private:
  SmallVector<CalleePart> collectParts(const ArenaPlan &arenas,
                                       unsigned function) const;
  SmallVector<CalleePart>
  takePartsInTheWay(Operation *function,
                    SmallVectorImpl<CalleePart> &parts) const;
  bool tryArenas(const ArenaPlan &arenas);
  bool refuse(const FunctionGraph &graph, ArrayRef<CalleePart> parts);
  void limit(size_t index, ArrayRef<CalleePart> parts, bool mayBeHeld);
  /// Return what becomes of the pool `index`.
  ArrayRef<PoolPlan> getPlans(size_t index) const {
    if (replacements[index].empty())
      return plan.pools[index];
    return replacements[index];
  }
  int64_t countNeed(size_t index, ArrayRef<CalleePart> parts) const;
  int64_t countLeft(size_t index) const;

  MergePlan &plan;
  const MergePlanOptions &options;
  std::optional<ProgramHeap> withResults;
  const ProgramHeap &baseline;
  llvm::DenseSet<const BufferLifetime *> erased;
  /// What becomes of each pool; empty if it stays.
  SmallVector<SmallVector<PoolPlan, 0>, 0> replacements;
  /// By function, the pool that is in its arena.
  llvm::DenseMap<Operation *, size_t> poolOf;
  /// By function, lower bounds of what its callers hand down.
  SmallVector<int64_t> needs;
  /// By function, what it would leave behind without its pool in an arena, and
  /// without those of its callees.
  SmallVector<int64_t> leftBytes;
  /// Functions that have no pool in an arena.
  llvm::DenseSet<Operation *> refused;
};
} // namespace

void PeakLimits::limit(size_t index, ArrayRef<CalleePart> parts,
                       bool mayBeHeld) {
  const PoolPlan &pool = plan.pools[index];
  if (!mayChange(pool, options))
    return;
  bool isSmaller = pool.getPool() &&
                   pool.getPool()->storage == PoolStorage::Alloc &&
                   pool.getPool()->schedule.poolSize <= pool.totalBytes;
  if (isSmaller && parts.empty() &&
      baseline.lookup(pool.scope, pool.memorySpace)->growsOnly())
    return;
  replacements[index] =
      limitPeak(pool, baseline, options, parts, erased, mayBeHeld);
}

/// Return a lower bound of the arena of the function with the pool `index`,
/// with `parts` for its callees.
int64_t PeakLimits::countNeed(size_t index, ArrayRef<CalleePart> parts) const {
  SchedulingProblem problem;
  for (const PoolPlan &pool : getPlans(index))
    if (isInArena(pool))
      problem = pool.problem;
  for (const CalleePart &part : parts)
    problem.buffers.push_back(part.place);
  return computeLowerBound(problem).bytes;
}

/// Return the bytes of what is never freed in the arena of the function with
/// the pool `index`.
int64_t PeakLimits::countLeft(size_t index) const {
  int64_t bytes = 0;
  for (const PoolPlan &pool : getPlans(index))
    for (const BufferLifetime *buffer : pool.buffers)
      if (isInArena(pool) && buffer->deallocs.empty() &&
          baseline.getFreePoint() == FreePoint::AsGiven)
        bytes += getAllocatedBytes(*buffer);
  return bytes;
}

/// Return what `function` hands down.
SmallVector<CalleePart> PeakLimits::collectParts(const ArenaPlan &arenas,
                                                 unsigned function) const {
  const FunctionGraph &graph = arenas.getGraph();
  const FunctionGraph::Function &node = graph.getFunctions()[function];
  func::FuncOp op = node.op;
  SmallVector<CalleePart> parts;
  for (unsigned index : node.calls) {
    const FunctionGraph::Call &call = graph.getCalls()[index];
    if (!arenas.isForwarded(call) || needs[call.callee] == 0)
      continue;
    TickRange ticks =
        baseline.getContext(&op.getBody()).order.getTicks(call.op);
    CalleePart &part = parts.emplace_back();
    part.call = call.op;
    part.callee = call.callee;
    part.place.size = needs[call.callee];
    part.place.begin = ticks.first;
    part.place.end = ticks.last + 1;
    part.leftBytes = leftBytes[call.callee];
  }
  return parts;
}

/// Take the largest of `parts` out of them, as many as are too much for
/// `function` if it holds parts as long as it runs, and return them.
SmallVector<CalleePart>
PeakLimits::takePartsInTheWay(Operation *function,
                              SmallVectorImpl<CalleePart> &parts) const {
  if (isMutated("R7-parts"))
    return {};
  llvm::stable_sort(parts, [](const CalleePart &a, const CalleePart &b) {
    return a.place.size < b.place.size;
  });
  Region *body = &cast<func::FuncOp>(function).getBody();
  // No two callees run at the same time: a part counts as much as smaller ones
  // with it.
  auto numbers = llvm::seq<size_t>(1, parts.size() + 1);
  size_t numLeft =
      *std::partition_point(numbers.begin(), numbers.end(),
                            [&](size_t number) {
                              return !raisePeak(
                                  body, ArrayRef(parts).take_front(number),
                                  baseline, options);
                            }) -
      1;
  SmallVector<CalleePart> taken(parts.begin() + numLeft, parts.end());
  parts.truncate(numLeft);
  return taken;
}

/// Take the pools of the callees of `parts`, and of what they call, out of
/// arenas. Return false if there are none left.
bool PeakLimits::refuse(const FunctionGraph &graph,
                        ArrayRef<CalleePart> parts) {
  size_t before = refused.size();
  for (const CalleePart &part : parts)
    for (unsigned function : graph.findReached(part.callee))
      refused.insert(graph.getFunctions()[function].op);
  return refused.size() != before;
}

/// Limit the pools in arenas, those of callees first. Return false if there are
/// other functions to refuse.
bool PeakLimits::tryArenas(const ArenaPlan &arenas) {
  const FunctionGraph &graph = arenas.getGraph();
  bool isComplete = true;
  needs.assign(graph.getFunctions().size(), 0);
  leftBytes.assign(graph.getFunctions().size(), 0);
  for (const auto &[function, index] : poolOf)
    replacements[index].clear();
  for (unsigned index : graph.getCalleesFirst()) {
    const ArenaPlan::Arena &arena = arenas.getArenas()[index];
    if (!arena.obstacle.empty() || arena.isFixed)
      continue;
    Operation *function = graph.getFunctions()[index].op;
    SmallVector<CalleePart> parts = collectParts(arenas, index);
    auto pool = poolOf.find(function);
    if (pool != poolOf.end())
      limit(pool->second, parts, !refused.contains(function));
    // With a pool of its own, the function may hold the parts in idle bytes.
    if (pool == poolOf.end() ||
        llvm::none_of(getPlans(pool->second), isInArena))
      isComplete &= !refuse(graph, takePartsInTheWay(function, parts));
    if (pool != poolOf.end())
      needs[index] = countNeed(pool->second, parts);
    else // No two callees run at the same time.
      for (const CalleePart &part : parts)
        needs[index] = std::max(needs[index], part.place.size);
    if (pool != poolOf.end())
      leftBytes[index] = countLeft(pool->second);
    for (const CalleePart &part : parts)
      leftBytes[index] += part.leftBytes;
  }
  return isComplete;
}

void PeakLimits::limitArenas(const ArenaPlan &arenas) {
  for (auto [index, pool] : llvm::enumerate(plan.pools))
    if (isInArena(pool))
      poolOf[pool.scope->getParentOp()] = index;
  // Each time it returns false, more functions are refused.
  while (!tryArenas(arenas))
    continue;
}

void PeakLimits::limitOthers() {
  for (auto [index, pool] : llvm::enumerate(plan.pools))
    if (!isInArena(pool))
      limit(index, {}, /*mayBeHeld=*/true);
}

void PeakLimits::replace() {
  SmallVector<PoolPlan, 0> pools;
  for (auto [pool, replacement] : llvm::zip_equal(plan.pools, replacements))
    if (replacement.empty())
      pools.push_back(std::move(pool));
    else
      llvm::append_range(pools, std::move(replacement));
  plan.pools = std::move(pools);
  refuseSharedDeallocs(plan.pools);
}

/// Return true if R7 applies to some pools of `plan`.
static bool isLimited(const MergePlan &plan, const MergePlanOptions &options) {
  // An allocation is an error then, whatever the peak is.
  bool mayBeAllocated =
      options.left == LeftPolicy::Keep || options.pool == PoolStorage::Alloc;
  return options.limitPeak && mayBeAllocated && !isMutated("R7-limit") &&
         llvm::any_of(plan.pools, [&](const PoolPlan &pool) {
           return mayChange(pool, options);
         });
}

void buffer_merge::enforcePeaks(MergePlan &plan,
                                const MergePlanOptions &options) {
  auto mayGiveUp = [&](const PoolPlan &pool) {
    return pool.getPool() && pool.getPool()->storage == PoolStorage::Alloc &&
           mayChange(pool, options);
  };
  if (!isLimited(plan, options))
    return;
  const ProgramHeap &baseline = getBaseline(plan);
  bool hasChanged = true;
  for (int round = 0; hasChanged && llvm::any_of(plan.pools, mayGiveUp);
       ++round) {
    // Those that save least, of these the largest. What raises the peak of a
    // caller may be what it calls. Each round looks at all of the program.
    constexpr int maxRounds = 16;
    const bool takesAll = round >= maxRounds;
    auto getRank = [](const PoolPlan &pool) {
      return std::pair(getPoolBytes(pool) - pool.totalBytes,
                       getPoolBytes(pool));
    };
    SmallVector<PoolPlan *> worst;
    SmallVector<FunctionOpInterface> raised = findRaisedPeaks(plan, baseline);
    for (PoolPlan &pool : plan.pools) {
      if (!mayGiveUp(pool) ||
          llvm::none_of(raised, [&](FunctionOpInterface function) {
            return function->isAncestor(pool.scope->getParentOp());
          }))
        continue;
      if (!takesAll && !worst.empty() &&
          getRank(pool) > getRank(*worst.front()))
        worst.clear();
      if (takesAll || worst.empty() || getRank(pool) == getRank(*worst.front()))
        worst.push_back(&pool);
    }
    for (PoolPlan *pool : worst)
      pool->decision = NoPool{UnmergeableReason::RaisesPeak};
    hasChanged = !worst.empty();
    plan.hasRaisedPeak |= hasChanged;
    refuseSharedDeallocs(plan.pools);
  }
}

/// Return true if `pool` raises the peak of no path while its result is only
/// there because of it, with all other pools of what is `planned`.
static bool hasRoom(const PoolPlan &pool, const ProgramHeap &baseline,
                    const ProgramHeap &planned) {
  Region *scope = pool.scope;
  const ExecutionOrder &order = baseline.getContext(scope).order;
  const ScopeHeap &before = *baseline.lookup(scope, pool.memorySpace);
  const ScopeHeap &after = *planned.lookup(scope, pool.memorySpace);
  int64_t begin = order.getTicks(pool.getHostPlace()).first;
  int64_t end = order.getTicks(pool.host.getDefiningOp()).first;
  SmallVector<Hold, 0> holds = llvm::map_to_vector<0>(
      before.items, [&](const HeapItem &item) { return before.clamp(item); });
  Swap all;
  all.ticks = {begin, end - 1};
  for (const Hold &hold : holds)
    all.removed.push_back(&hold);
  SmallVector<std::pair<TickRange, int64_t>> held;
  for (const HeapItem &item : after.items)
    if (TickRange ticks = {std::max(item.ticks.first, begin),
                           std::min(item.ticks.last, end - 1)};
        ticks.first <= ticks.last)
      held.emplace_back(ticks, item.bytes.most);
  Heap heap(before.branches.getParents(), before.branches.getParts(), holds,
            {begin, end});
  return begin == end || findPeak(held).first <= heap.getRoom(all).bytes;
}

llvm::DenseSet<Operation *>
buffer_merge::findRaisedByResults(const MergePlan &plan) {
  llvm::DenseSet<Operation *> raised;
  std::shared_ptr<const ProgramHeap> baseline = findBaseline(plan);
  ProgramHeap planned = analyzePlanned(plan, *baseline, /*countsStack=*/false);
  // Each result looks at all that its function holds.
  int64_t looksLeft = int64_t(1) << 22;
  for (const PoolPlan &pool : plan.pools) {
    if (!isInResult(pool) || isMutated("R7-result-paths"))
      continue;
    looksLeft -= baseline->lookup(pool.scope, pool.memorySpace)->items.size();
    if (looksLeft < 0 || !hasRoom(pool, *baseline, planned))
      raised.insert(pool.scope->getParentOp());
  }
  return raised;
}

void buffer_merge::limitPeaks(const ArenaPlan *arenas, MergePlan &plan,
                              const MergePlanOptions &options) {
  if (!isLimited(plan, options))
    return;
  PeakLimits limits(plan, options);
  if (arenas)
    limits.limitArenas(*arenas);
  limits.limitOthers();
  limits.replace();
}
