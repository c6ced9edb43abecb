//===- PeakLimit.cpp - Pools that do not raise the peak -------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pool for the scope, at its front, is tried first. If it would raise the
// peak, these are tried in turn:
//
//   - a pool of its own for each branch that may not be taken, unless its
//     buffers fit into the bytes that the pool of the branch around it has
//     anyway;
//   - the pool from its first use to its last one, instead of from the front;
//   - fewer buffers (`choosePool`), from their first use to their last one; and
//     for those of a loop that are left, pools in its body.
//
// A pool that is not allocated is held as long as the scope runs. If it would
// raise the peak, it has fewer buffers, and the others are in such pools.
//
// The search for fewer buffers compares lower bounds; only what it chooses is
// scheduled.
//
//===----------------------------------------------------------------------===//

#include "PeakLimit.h"
#include "Analysis/FunctionContext.h"
#include "Mutation.h"
#include "PeakBaseline.h"
#include "Planning/Gain.h"
#include "Planning/PoolDecision.h"
#include "Planning/Storage/StorageChoice.h"
#include "PoolChoice.h"
#include "PoolExtents.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
class PeakLimiter {
public:
  PeakLimiter(PoolPlan plan, ArrayRef<HeapUse> heapUses,
              const MergePlanOptions &options, ArrayRef<CalleePart> parts);

  SmallVector<PoolPlan, 0> run(bool mayBeHeld);

  /// Return true if a pool of the parts for callees raises the peak.
  bool raisesPeakWithParts() const { return raisesPeakAllTheTime({}); }

private:
  using Ids = ArrayRef<BufferId>;
  /// Buffers that are in one pool or in none, because deallocations free any of
  /// them.
  using Unit = SmallVector<BufferId, 1>;
  using Units = SmallVector<Unit, 0>;

  BranchTree &getBranches() { return baselines.front().branches; }
  const BranchTree &getBranches() const { return baselines.front().branches; }
  /// Return true if the pool is not allocated: it is there as long as the scope
  /// runs.
  bool isHeldByScope() const {
    return whole.getPool() && whole.getPool()->storage != PoolStorage::Alloc;
  }
  bool raisesPeak(const PoolExtent &extent, int64_t bytes, Ids ids) const;
  Region *getRegion(unsigned branch) const;

  /// Decide about `ids`, which are allocated in `branch`.
  void chooseInBranch(unsigned branch, Ids ids);
  SmallVector<BufferId>
  includeInnerBranches(unsigned branch, Ids direct,
                       ArrayRef<SmallVector<BufferId>> inner) const;
  bool hasUnknownCall(int64_t begin, int64_t end) const;
  SmallVector<BufferId> takeStragglers(Region &region,
                                       SmallVectorImpl<BufferId> &ids) const;
  bool makePool(Region &region, Ids ids, bool mayBeAtFront);
  SmallVector<BufferId> getPartIds() const;
  int64_t getBoundWithParts(Ids ids) const;
  bool raisesPeakAllTheTime(Ids ids) const;
  bool makeHeldPool(Ids ids);
  SmallVector<BufferId> makeHeldPool();
  void makeSmallerPools(Region &region, ArrayRef<Unit> units);
  Units makePoolsInBlock(Block &home, ArrayRef<Unit> units);
  std::optional<PoolExtent> findExtent(Region &region, Ids ids,
                                       bool mayBeAtFront,
                                       const PoolPlan &plan) const;
  PoolPlan makePlan(Region &region, Ids ids) const;
  int64_t getLowerBound(Ids ids) const;
  int64_t getPaddedBound(Ids ids, int64_t alignment) const;
  void holdParts();
  Units findUnits(Ids ids) const;
  SmallVector<BufferId> findGain() const;
  void addRest(Ids ids, UnmergeableReason reason);
  void explainAllocations();

  PoolPlan whole;
  /// Named by the numbers behind those of the buffers.
  ArrayRef<CalleePart> parts;
  const ExecutionOrder &order;
  const MergePlanOptions &options;
  /// The ticks of calls of callees that are not known, sorted.
  ArrayRef<int64_t> unknownCalls;
  PoolExtents extents;
  SmallVector<PeakBaseline, 2> baselines;
  /// The branch of each buffer.
  SmallVector<unsigned, 0> branchOf;
  SmallVector<PoolPlan, 0> result;
  SmallVector<BufferId> left;
};
} // namespace

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

PeakLimiter::PeakLimiter(PoolPlan plan, ArrayRef<HeapUse> heapUses,
                         const MergePlanOptions &options,
                         ArrayRef<CalleePart> parts)
    : whole(std::move(plan)), parts(parts),
      order(heapUses.front().getContext(whole.scope).order), options(options),
      unknownCalls(heapUses.front().getUnknownCalls(whole.scope)),
      extents(whole, order,
              heapUses.size() > 1 ? &heapUses.front().getLateFrees(whole.scope)
                                  : nullptr) {
  for (const HeapUse &heapUse : heapUses)
    baselines.emplace_back(whole, heapUse, parts);
  for (const BufferLifetime *buffer : whole.buffers) {
    memref::AllocOp alloc = buffer->alloc;
    branchOf.push_back(getBranches().getBranch(alloc->getBlock()));
  }
  // Pools are allocated and freed between the operations of a block.
  for (BufferId id = 0; id < whole.buffers.size(); ++id)
    extents.forEachExtent(id, [&](const PoolExtent &extent) {
      for (PeakBaseline &baseline : baselines) {
        // With others, it may be freed at either end.
        baseline.addTick(extent.begin);
        baseline.addTick(extent.end);
        baseline.addTick(extent.lateEnd);
      }
    });
  for (PeakBaseline &baseline : baselines)
    baseline.makeTimeline();
}

/// Return true if a pool of `bytes` with `extent` in place of `ids` raises the
/// peak.
bool PeakLimiter::raisesPeak(const PoolExtent &extent, int64_t bytes,
                             Ids ids) const {
  return llvm::any_of(baselines, [&](const PeakBaseline &baseline) {
    int64_t end = extent.getEnd(baseline.getFreePoint());
    return baseline.raisesPeak({extent.begin, end, bytes}, ids);
  });
}

/// Return the region that `branch` begins in.
Region *PeakLimiter::getRegion(unsigned branch) const {
  return getBranches().getFront(branch)->getParent();
}

int64_t PeakLimiter::getLowerBound(Ids ids) const {
  SchedulingProblem problem;
  for (BufferId id : ids)
    problem.buffers.push_back(whole.problem.buffers[id]);
  return computeLowerBound(problem).bytes;
}

/// Return the lower bound of `ids` if each takes a multiple of `alignment` and
/// of its own alignment.
int64_t PeakLimiter::getPaddedBound(Ids ids, int64_t alignment) const {
  SchedulingProblem problem;
  for (BufferId id : ids) {
    Buffer &buffer = problem.buffers.emplace_back(whole.problem.buffers[id]);
    buffer.size =
        llvm::alignTo(buffer.size, std::max(buffer.alignment, alignment));
  }
  return computeLowerBound(problem).bytes;
}

/// Group `ids` by the deallocations that they share.
PeakLimiter::Units PeakLimiter::findUnits(Ids ids) const {
  llvm::EquivalenceClasses<BufferId> classes;
  llvm::DenseMap<OpOperand *, BufferId> firstOf;
  for (BufferId id : ids) {
    classes.insert(id);
    for (OpOperand *dealloc : whole.buffers[id]->deallocs)
      classes.unionSets(firstOf.try_emplace(dealloc, id).first->second, id);
  }
  llvm::MapVector<BufferId, Unit> units;
  for (BufferId id : ids)
    units[classes.getLeaderValue(id)].push_back(id);
  return llvm::to_vector<0>(llvm::make_second_range(units));
}

//===----------------------------------------------------------------------===//
// What becomes of it
//===----------------------------------------------------------------------===//

/// Return the part of the plan for `ids` in `region`, scheduled.
PoolPlan PeakLimiter::makePlan(Region &region, Ids ids) const {
  if (&region == whole.scope && ids.size() == whole.buffers.size() &&
      !isHeldByScope())
    return whole;
  PoolPlan part;
  part.scope = &region;
  part.memorySpace = whole.memorySpace;
  llvm::DenseMap<BufferId, BufferId> newIds;
  for (BufferId id : ids) {
    newIds[id] = part.buffers.size();
    part.buffers.push_back(whole.buffers[id]);
    Buffer &buffer =
        part.problem.buffers.emplace_back(whole.problem.buffers[id]);
    // Elsewhere, buffers may be less aligned than what is allocated.
    buffer.alignment = std::max(
        buffer.alignment,
        options.getLeastAlignment(whole.memorySpace, /*isInDeviceCode=*/false,
                                  /*isWorkgroup=*/false));
  }
  for (const InPlacePair &pair : whole.problem.inPlacePairs)
    if (newIds.contains(pair.earlier) && newIds.contains(pair.later))
      part.problem.inPlacePairs.push_back(
          {newIds[pair.earlier], newIds[pair.later], pair.condition});
  preparePool(part, options);
  schedulePool(part, options);
  return part;
}

/// Return where the pool of `plan`, for `ids` in `region`, may be: at its
/// front, or else from its first use to its last one. Return nothing if it
/// would raise the peak.
std::optional<PoolExtent> PeakLimiter::findExtent(Region &region, Ids ids,
                                                  bool mayBeAtFront,
                                                  const PoolPlan &plan) const {
  int64_t bytes = plan.getPool()->schedule.poolSize;
  PoolExtent extent =
      extents.getExtent(*extents.getHome(region, ids.front()), ids);
  if (mayBeAtFront) {
    // Deallocations in the program are at the end of the scope; without them,
    // later passes free the pool after its last use, if they can.
    TickRange ticks = order.getTicks(&region);
    bool isFreedAtEnd = plan.isDeallocated() || plan.needsManualDealloc();
    PoolExtent front = {nullptr, nullptr, ticks.first, extent.end,
                        extent.lateEnd};
    if (isFreedAtEnd || !extent.last)
      front.end = front.lateEnd = ticks.last + 1;
    if (!raisesPeak(front, bytes, ids))
      return front;
  }
  if (extent.first && !raisesPeak(extent, bytes, ids))
    return extent;
  return std::nullopt;
}

/// Return true if a callee that is not known is called from tick `begin` until
/// before tick `end`. What it holds is not known, and not counted.
bool PeakLimiter::hasUnknownCall(int64_t begin, int64_t end) const {
  const int64_t *call = llvm::lower_bound(unknownCalls, begin);
  return call != unknownCalls.end() && *call < end &&
         !isMutated("peak-unknown-calls");
}

/// Take those buffers out of `ids` for which a pool in `region` would be held
/// during calls of callees that are not known, before or after it is held for
/// the others, although they take less than a gain must have.
SmallVector<BufferId>
PeakLimiter::takeStragglers(Region &region,
                            SmallVectorImpl<BufferId> &ids) const {
  SmallVector<BufferId> taken;
  Block *home = extents.getHome(region, ids);
  if (!home || unknownCalls.empty() || !extents.getExtent(*home, ids).first)
    return taken;
  const MinGain &minGain = options.minGain;
  double least =
      std::max<double>(minGain.bytes, static_cast<double>(getLowerBound(ids)) /
                                          100 * minGain.percent);
  SmallVector<BufferId> large;
  llvm::BitVector isTaken(whole.buffers.size());
  for (BufferId id : ids)
    if (static_cast<double>(whole.problem.buffers[id].size) >= least)
      large.push_back(id);
  if (large.empty() || large.size() == ids.size())
    return taken;
  PoolExtent extent = extents.getExtent(*home, large);
  for (const Unit &unit : findUnits(ids)) {
    bool isStraggler = llvm::all_of(unit, [&](BufferId id) {
      PoolExtent own = extents.getExtent(*home, id);
      return static_cast<double>(whole.problem.buffers[id].size) < least &&
             (hasUnknownCall(own.begin, extent.begin) ||
              hasUnknownCall(extent.end, own.end));
    });
    if (isStraggler)
      for (BufferId id : unit)
        isTaken.set(id);
  }
  llvm::copy_if(ids, std::back_inserter(taken),
                [&](BufferId id) { return isTaken[id]; });
  llvm::erase_if(ids, [&](BufferId id) { return isTaken[id]; });
  return taken;
}

/// Make one pool for `ids` in `region`. Return false if it raises the peak, or
/// if it gains nothing although pools of inner loops might.
bool PeakLimiter::makePool(Region &region, Ids ids, bool mayBeAtFront) {
  PoolPlan plan = makePlan(region, ids);
  if (!plan.getPool()) {
    // Fewer buffers gain no more.
    if (!mayBeAtFront &&
        llvm::any_of(plan.buffers, [&](const BufferLifetime *buffer) {
          memref::AllocOp alloc = buffer->alloc;
          return alloc->getParentRegion() != &region;
        }))
      return false;
    result.push_back(std::move(plan));
    return true;
  }
  std::optional<PoolExtent> extent =
      findExtent(region, ids, mayBeAtFront, plan);
  if (!extent)
    return false;
  plan.first = extent->first;
  plan.last = extent->last;
  // What is padding here is not held against other pools.
  const Schedule &schedule = plan.getPool()->schedule;
  int64_t padding =
      getPaddedBound(ids, schedule.poolAlignment) - getPaddedBound(ids, 1);
  int64_t bytes = std::max(schedule.poolSize - padding, getLowerBound(ids));
  for (PeakBaseline &baseline : baselines)
    baseline.replace(
        {extent->begin, extent->getEnd(baseline.getFreePoint()), bytes}, ids);
  result.push_back(std::move(plan));
  return true;
}

/// Return `direct`, the buffers of `branch`, with those of `inner` branches
/// that fit into the bytes that its pool has without them.
SmallVector<BufferId>
PeakLimiter::includeInnerBranches(unsigned branch, Ids direct,
                                  ArrayRef<SmallVector<BufferId>> inner) const {
  Region &region = *getRegion(branch);
  PoolPlan plan = makePlan(region, direct);
  const Schedule *schedule = plan.getSchedule();
  int64_t limit = schedule ? schedule->poolSize : getLowerBound(direct);
  auto fits = [&](Ids ids) {
    if (getLowerBound(ids) > limit)
      return false;
    PoolPlan withInner = makePlan(region, ids);
    return withInner.getPool() &&
           withInner.getPool()->schedule.poolSize <= limit;
  };
  SmallVector<BufferId> some(direct);
  for (const SmallVector<BufferId> &ids : inner) {
    SmallVector<BufferId> more = some;
    llvm::append_range(more, ids);
    llvm::sort(more);
    if (getLowerBound(more) <= limit)
      some = std::move(more);
  }
  if (some.size() == direct.size() || fits(some))
    return some;
  return SmallVector<BufferId>(direct);
}

void PeakLimiter::chooseInBranch(unsigned branch, Ids ids) {
  // Those of inner branches, by the outermost such branch.
  SmallVector<BufferId> direct;
  llvm::MapVector<unsigned, SmallVector<BufferId>> inner;
  ArrayRef<unsigned> parents = getBranches().getParents();
  for (BufferId id : ids) {
    unsigned child = branchOf[id];
    if (child == branch) {
      direct.push_back(id);
      continue;
    }
    while (parents[child] != branch)
      child = parents[child];
    inner[child].push_back(id);
  }
  SmallVector<SmallVector<BufferId>> groups = llvm::map_to_vector(
      inner, [](const auto &entry) { return entry.second; });
  if (!direct.empty()) {
    SmallVector<BufferId> included =
        includeInnerBranches(branch, direct, groups);
    Region &region = *getRegion(branch);
    bool mayBeAtFront = getBranches().getFront(branch) == &region.front();
    SmallVector<BufferId> stragglers = takeStragglers(region, included);
    if (!makePool(region, included, mayBeAtFront && stragglers.empty())) {
      included = direct;
      makeSmallerPools(region, findUnits(direct));
    } else if (!stragglers.empty()) {
      makeSmallerPools(region, findUnits(stragglers));
      llvm::append_range(included, stragglers);
    }
    llvm::BitVector isIncluded(whole.buffers.size());
    for (BufferId id : included)
      isIncluded.set(id);
    for (SmallVector<BufferId> &group : groups)
      llvm::erase_if(group, [&](BufferId id) { return isIncluded[id]; });
  }
  for (auto [entry, group] : llvm::zip_equal(inner, groups)) {
    unsigned child = entry.first;
    // What is used after the branch must not be in a pool of it.
    SmallVector<BufferId> inside;
    for (BufferId id : group)
      (extents.getExtent(*extents.getHome(*getRegion(child), id), id).first
           ? inside
           : left)
          .push_back(id);
    if (!inside.empty())
      chooseInBranch(child, inside);
  }
}

/// Make pools in `region` for some of `units`, which are allocated inside. What
/// is left in a loop may be in pools of its body, one for each iteration.
void PeakLimiter::makeSmallerPools(Region &region, ArrayRef<Unit> units) {
  llvm::MapVector<Block *, Units> byHome;
  for (const Unit &unit : units)
    if (Block *home = extents.getHome(region, unit))
      byHome[home].push_back(unit);
    else
      llvm::append_range(left, unit);
  for (auto &[home, members] : byHome) {
    llvm::MapVector<Region *, Units> inner;
    for (const Unit &unit : makePoolsInBlock(*home, members)) {
      memref::AllocOp alloc = whole.buffers[unit.front()]->alloc;
      Operation *around = home->findAncestorOpInBlock(*alloc);
      if (around == alloc || isMutated("peak-no-pools-in-loops")) {
        llvm::append_range(left, unit);
        continue;
      }
      Region *within = llvm::find_if(around->getRegions(), [&](Region &region) {
        return region.isAncestor(alloc->getParentRegion());
      });
      inner[within].push_back(unit);
    }
    for (const auto &[within, unitsWithin] : inner)
      makeSmallerPools(*within, unitsWithin);
  }
}

/// Make pools in `home` for some of `units`, and return the others.
PeakLimiter::Units PeakLimiter::makePoolsInBlock(Block &home,
                                                 ArrayRef<Unit> all) {
  Units units, others;
  SmallVector<PoolCandidate, 0> candidates;
  ArrayRef<PeakBaseline> compared = baselines;
  if (isMutated("peak-choice-of-one"))
    compared = compared.take_back();
  SmallVector<const HeapTimeline *, 2> timelines;
  for (const PeakBaseline &baseline : compared)
    timelines.push_back(&baseline.getTimeline());
  for (const Unit &unit : all) {
    PoolExtent extent = extents.getExtent(home, unit);
    if (!extent.first) {
      others.push_back(unit);
      continue;
    }
    PoolCandidate candidate;
    for (BufferId id : unit)
      candidate.buffers.push_back(whole.problem.buffers[id]);
    for (const PeakBaseline &baseline : compared)
      candidate.holds.push_back({baseline.getItems(unit), extent.begin,
                                 extent.getEnd(baseline.getFreePoint())});
    units.push_back(unit);
    candidates.push_back(std::move(candidate));
  }
  for (unsigned i = 0; i < options.maxPools; ++i) {
    // A schedule may need more than its lower bound: then so much is left free.
    SmallVector<size_t, 0> chosen;
    bool isMade = false;
    constexpr int64_t maxPercent = 130;
    for (int64_t percent = 100; !isMade && percent <= maxPercent;
         percent += 10) {
      chosen = choosePool(timelines, candidates, percent);
      if (chosen.empty())
        break;
      SmallVector<BufferId> members;
      for (size_t index : chosen)
        llvm::append_range(members, units[index]);
      llvm::sort(members);
      SmallVector<BufferId> stragglers =
          takeStragglers(*home.getParent(), members);
      llvm::erase_if(chosen, [&](size_t index) {
        return llvm::is_contained(stragglers, units[index].front());
      });
      isMade = makePool(*home.getParent(), members, /*mayBeAtFront=*/false);
    }
    if (!isMade)
      break;
    for (size_t index : llvm::reverse(chosen)) {
      units.erase(units.begin() + index);
      candidates.erase(candidates.begin() + index);
    }
  }
  llvm::append_range(others, units);
  return others;
}

/// Return the buffers, without the largest ones, that may be worth a pool
/// although all of them are not; empty if there are none.
SmallVector<BufferId> PeakLimiter::findGain() const {
  SmallVector<BufferId> ids = llvm::to_vector(
      llvm::seq<BufferId>(0, static_cast<BufferId>(whole.buffers.size())));
  auto getSize = [&](BufferId id) { return whole.problem.buffers[id].size; };
  while (ids.size() >= 2) {
    int64_t bytes = 0, largest = 0;
    for (BufferId id : ids) {
      bytes += getAllocatedBytes(*whole.buffers[id]);
      largest = std::max(largest, getSize(id));
    }
    const MinGain &minGain = options.minGain;
    double least = std::max<double>(minGain.bytes, static_cast<double>(bytes) /
                                                       100 * minGain.percent);
    if (ids.size() < whole.buffers.size() &&
        static_cast<double>(bytes - getLowerBound(ids)) >= std::max(least, 1.0))
      return ids;
    llvm::erase_if(ids, [&](BufferId id) { return getSize(id) > largest / 2; });
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Pools that are held as long as the scope runs
//===----------------------------------------------------------------------===//

/// Return the numbers of the parts for callees.
SmallVector<BufferId> PeakLimiter::getPartIds() const {
  return llvm::to_vector(llvm::seq<BufferId>(
      whole.buffers.size(), whole.buffers.size() + parts.size()));
}

/// Return the lower bound of a pool of `ids` with the parts for callees.
int64_t PeakLimiter::getBoundWithParts(Ids ids) const {
  SchedulingProblem problem;
  for (BufferId id : ids)
    problem.buffers.push_back(whole.problem.buffers[id]);
  for (const CalleePart &part : parts)
    problem.buffers.push_back(part.place);
  return computeLowerBound(problem).bytes;
}

/// Return true if a pool of `ids` and the parts for callees raises the peak if
/// it is held as long as the scope runs: by so much that it is worth an
/// allocation. A network whose result is small keeps all of its buffers where
/// the user wants them.
bool PeakLimiter::raisesPeakAllTheTime(Ids ids) const {
  constexpr int64_t toleratedPart = 256;
  SmallVector<BufferId> all(ids);
  llvm::append_range(all, getPartIds());
  TickRange ticks = order.getTicks(whole.scope);
  int64_t bytes = getBoundWithParts(ids);
  if (!isMutated("peak-no-tolerance"))
    bytes -= bytes / toleratedPart;
  return raisesPeak(
      {nullptr, nullptr, ticks.first, ticks.last + 1, ticks.last + 1}, bytes,
      all);
}

/// Let the parts for callees be held as long as the scope runs.
void PeakLimiter::holdParts() {
  TickRange ticks = order.getTicks(whole.scope);
  for (PeakBaseline &baseline : baselines)
    baseline.replace({ticks.first, ticks.last + 1, getBoundWithParts({})},
                     getPartIds());
}

/// Make a pool for `ids`, where `whole` is. Return false if it raises the peak.
bool PeakLimiter::makeHeldPool(Ids ids) {
  if (raisesPeakAllTheTime(ids))
    return false;
  bool isWhole = ids.size() == whole.buffers.size();
  PoolPlan plan = isWhole ? whole : makePlan(*whole.scope, ids);
  if (!isWhole) {
    std::optional<Schedule> schedule = scheduleForStorage(plan, options);
    if (!schedule)
      return false;
    plan.decision =
        Pool{whole.getPool()->storage, "", nullptr, std::move(*schedule)};
  }
  SmallVector<BufferId> all(ids);
  llvm::append_range(all, getPartIds());
  TickRange ticks = order.getTicks(whole.scope);
  for (PeakBaseline &baseline : baselines)
    baseline.replace({ticks.first, ticks.last + 1, getBoundWithParts(ids)},
                     all);
  result.push_back(std::move(plan));
  return true;
}

/// Make a pool for as many buffers as it can hold, where `whole` is. Return the
/// others.
SmallVector<BufferId> PeakLimiter::makeHeldPool() {
  SmallVector<BufferId> all = llvm::to_vector(
      llvm::seq<BufferId>(0, static_cast<BufferId>(whole.buffers.size())));
  if (makeHeldPool(all))
    return {};
  TickRange ticks = order.getTicks(whole.scope);
  SmallVector<PoolCandidate, 0> candidates;
  SmallVector<const HeapTimeline *, 2> timelines;
  for (const PeakBaseline &baseline : baselines)
    timelines.push_back(&baseline.getTimeline());
  auto addCandidate = [&](Ids ids) -> PoolCandidate & {
    PoolCandidate &candidate = candidates.emplace_back();
    for (const PeakBaseline &baseline : baselines)
      candidate.holds.push_back(
          {baseline.getItems(ids), ticks.first, ticks.last + 1});
    return candidate;
  };
  Units units = findUnits(all);
  for (const Unit &unit : units) {
    PoolCandidate &candidate = addCandidate(unit);
    for (BufferId id : unit)
      candidate.buffers.push_back(whole.problem.buffers[id]);
  }
  if (!parts.empty()) {
    PoolCandidate &candidate = addCandidate(getPartIds());
    candidate.isKept = true;
    for (const CalleePart &part : parts)
      candidate.buffers.push_back(part.place);
  }
  llvm::BitVector isChosen(whole.buffers.size());
  for (size_t index : choosePool(timelines, candidates, /*percent=*/100,
                                 /*leastBuffers=*/1))
    if (index < units.size())
      for (BufferId id : units[index])
        isChosen.set(id);
  SmallVector<BufferId> chosen, others;
  for (BufferId id : all)
    (isChosen[id] ? chosen : others).push_back(id);
  if (!chosen.empty() && makeHeldPool(chosen))
    return others;
  holdParts();
  return all;
}

/// Add a plan without a pool for `ids`, if there are any.
void PeakLimiter::addRest(Ids ids, UnmergeableReason reason) {
  if (ids.empty())
    return;
  PoolPlan rest;
  rest.scope = whole.scope;
  rest.memorySpace = whole.memorySpace;
  for (BufferId id : ids) {
    rest.buffers.push_back(whole.buffers[id]);
    rest.problem.buffers.push_back(whole.problem.buffers[id]);
  }
  rest.totalBytes = getAllocatedBytes(rest.buffers);
  rest.lowerBound = computeLowerBound(rest.problem);
  rest.decision = NoPool{reason};
  result.push_back(std::move(rest));
}

/// Say of what cannot be where `whole` is that this is because of the peak.
void PeakLimiter::explainAllocations() {
  for (PoolPlan &plan : result) {
    if (Pool *pool = plan.getPool();
        pool && pool->storage == PoolStorage::Alloc)
      pool->storageNote = "it would raise the peak of the program";
    if (plan.getReason() == UnmergeableReason::NoPartner ||
        plan.getReason() == UnmergeableReason::NoGain)
      plan.decision = NoPool{UnmergeableReason::RaisesPeak};
  }
}

SmallVector<PoolPlan, 0> PeakLimiter::run(bool mayBeHeld) {
  SmallVector<BufferId> all = llvm::to_vector(
      llvm::seq<BufferId>(0, static_cast<BufferId>(whole.buffers.size())));
  SmallVector<BufferId> ids = whole.getPool() ? all : findGain();
  if (isHeldByScope() && mayBeHeld)
    ids = makeHeldPool();
  else
    holdParts();
  if (!ids.empty())
    chooseInBranch(0, ids);
  if (isHeldByScope())
    explainAllocations();
  if (!whole.getPool() &&
      (llvm::none_of(result,
                     [](const PoolPlan &plan) { return plan.getPool(); }) ||
       isMutated("R4-gain-of-all"))) {
    result.clear();
    result.push_back(std::move(whole));
    return std::move(result);
  }
  llvm::sort(left);
  addRest(left, UnmergeableReason::RaisesPeak);
  SmallVector<BufferId> largest;
  if (!whole.getPool())
    std::set_difference(all.begin(), all.end(), ids.begin(), ids.end(),
                        std::back_inserter(largest));
  addRest(largest, UnmergeableReason::NoGain);
  return std::move(result);
}

SmallVector<PoolPlan, 0>
buffer_merge::limitPeak(PoolPlan plan, ArrayRef<HeapUse> heapUses,
                        const MergePlanOptions &options,
                        ArrayRef<CalleePart> parts, bool mayBeHeld) {
  return PeakLimiter(std::move(plan), heapUses, options, parts).run(mayBeHeld);
}

bool buffer_merge::raisePeak(Region *scope, ArrayRef<CalleePart> parts,
                             ArrayRef<HeapUse> heapUses,
                             const MergePlanOptions &options) {
  PoolPlan none;
  none.scope = scope;
  return PeakLimiter(std::move(none), heapUses, options, parts)
      .raisesPeakWithParts();
}
