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
//   - the pool from its first use on, instead of from the front;
//   - fewer buffers: those that end last leave, in one sweep over lifetimes
//     (for equal sizes this keeps most: M. Carlisle and E. Lloyd, On the
//     k-coloring of intervals, Discrete Applied Mathematics 59, 1995);
//   - two pools, before and after the tick that allows the fewest bytes; and
//     for buffers of a loop that are left, pools in its body.
//
// A pool that is not allocated is held as long as the scope runs. If it would
// raise the peak of the worst path, it has fewer buffers, and the others are in
// such pools.
//
//===----------------------------------------------------------------------===//

#include "PeakLimit.h"
#include "Analysis/FunctionContext.h"
#include "Mutation.h"
#include "Planning/Gain.h"
#include "Planning/PoolDecision.h"
#include "Planning/Storage/StorageChoice.h"
#include "PoolExtents.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <set>

using namespace mlir;
using namespace buffer_merge;

namespace {
class PeakLimiter {
public:
  PeakLimiter(PoolPlan plan, const ProgramHeap &baseline,
              const MergePlanOptions &options, ArrayRef<CalleePart> parts,
              const llvm::DenseSet<const BufferLifetime *> &erased = {});

  /// Limit the pools of all buffers, or of those without the largest ones that
  /// may be worth a pool.
  SmallVector<PoolPlan, 0> run(bool mayBeHeld, bool keepsLargest);

  /// Return what the scope holds with the pools so far.
  const Heap &getHeap() const { return *heap; }

  /// Return true if a pool of the parts for callees raises the peak.
  bool raisesPeakWithParts() const {
    return getBoundWithParts({}) >
           heap->getRoomOfWorstPath(makeHeldSwap({})).bytes;
  }

private:
  using Ids = ArrayRef<BufferId>;
  /// Buffers that are in one pool or in none, because deallocations free any of
  /// them.
  using Unit = SmallVector<BufferId, 1>;
  using Units = SmallVector<Unit, 0>;
  /// By branch, the buffers inside.
  using InnerBranches = llvm::MapVector<unsigned, SmallVector<BufferId>>;

  /// Units that end before a tick, that are in use then, and that begin later.
  struct Division {
    Units before, across, after;
  };

  /// How often fewer buffers are tried.
  static constexpr unsigned maxRounds = 8;
  /// How often what is to be in one block is divided.
  static constexpr unsigned maxDivisions = 8;

  /// Return true if the pool is not allocated: it is there as long as the scope
  /// runs.
  bool isHeldByScope() const {
    return whole.getPool() && whole.getPool()->storage != PoolStorage::Alloc;
  }
  void addHolds(const ProgramHeap &baseline, const ScopeHeap &scopeHeap,
                const llvm::DenseSet<const BufferLifetime *> &erased);
  void takePartFrom(BufferId part, Hold &hold);
  void makeHeap(const ScopeHeap &scopeHeap);
  void addRemoved(Ids ids, Swap &swap) const;
  SmallVector<BufferId> getAllIds() const {
    return llvm::to_vector(llvm::seq<BufferId>(0, whole.buffers.size()));
  }
  bool isFreedByProgram(Ids ids) const;
  Swap makeSwap(Region &region, const PoolExtent &extent, Ids ids);
  PoolExtent getFrontExtent(Region &region, Ids ids) const;
  Swap makeHeldSwap(Ids ids) const;

  PoolPlan makePlan(Region &region, Ids ids) const;
  /// Return the pairs in which `later` may be in place of another one.
  ArrayRef<InPlacePair> getPairs(BufferId later) const {
    auto it = pairsOf.find(later);
    return it == pairsOf.end() ? ArrayRef<InPlacePair>() : it->second;
  }
  SchedulingProblem makeProblem(Ids ids) const;
  int64_t getLowerBound(Ids ids) const;
  int64_t getPaddedBound(Ids ids, int64_t alignment) const;
  int64_t getBoundWithParts(Ids ids) const;
  int64_t getBytesWithoutPadding(const PoolPlan &plan, Ids ids) const;
  Units findUnits(Ids ids) const;
  Units keepWithin(Units units, Room room) const;

  void chooseInBranch(unsigned level, unsigned branch, Ids ids);
  SmallVector<BufferId> includeInnerBranches(Region &region, Ids direct,
                                             const InnerBranches &inner) const;
  unsigned countLevelsInside(BufferId id) const;
  Heap holdPool(const Swap &swap, int64_t bytes) const;
  bool lowersPeak(const PoolPlan &plan, const Heap &with) const;
  bool makePool(Region &region, Ids ids, const PoolExtent &extent, Room &room);
  void makePoolsInRegion(Region &region, Units units);
  Division divide(const Units &units, int64_t tick) const;
  void makePoolsInBlock(Block &home, Units units, unsigned &budget,
                        unsigned depth, Units &others);
  bool makeHeldPool(Ids ids);
  SmallVector<BufferId> makeHeldPool();
  void holdParts();
  SmallVector<BufferId> findGain() const;
  void addRest(Ids ids, UnmergeableReason reason);
  void explainAllocations();

  PoolPlan whole;
  /// Named by the numbers behind those of the buffers.
  ArrayRef<CalleePart> parts;
  const ExecutionOrder &order;
  const MergePlanOptions &options;
  FreePoint freePoint;
  BranchTree branches;
  PoolExtents extents;
  /// What each buffer and each part holds without pools, and everything else.
  SmallVector<SmallVector<Hold, 1>, 0> holdsOf;
  SmallVector<Hold, 0> otherHolds;
  std::optional<Heap> heap;
  /// The branch of each buffer, and the branches that lead to it, with itself,
  /// the scope first.
  SmallVector<unsigned, 0> branchOf;
  SmallVector<SmallVector<unsigned, 4>, 0> pathTo;
  /// How many branches there are from the scope to the innermost one of these
  /// that a pool with the buffer may be in.
  SmallVector<unsigned, 0> levelsInside;
  /// By the later buffer, the pairs that may be in place.
  llvm::DenseMap<BufferId, SmallVector<InPlacePair, 1>> pairsOf;
  SmallVector<PoolPlan, 0> result;
  SmallVector<BufferId> left;
  /// How often what is held with a pool may still be compared, which takes all
  /// segments of the heap.
  unsigned checksLeft = 64;
  /// The buffers with which pools for branches inside of each other may still
  /// be tried.
  int64_t triesLeft;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is held
//===----------------------------------------------------------------------===//

PeakLimiter::PeakLimiter(PoolPlan plan, const ProgramHeap &baseline,
                         const MergePlanOptions &options,
                         ArrayRef<CalleePart> parts,
                         const llvm::DenseSet<const BufferLifetime *> &erased)
    : whole(std::move(plan)), parts(parts),
      order(baseline.getContext(whole.scope).order), options(options),
      freePoint(baseline.getFreePoint()),
      branches(baseline.lookup(whole.scope, whole.memorySpace)->branches),
      extents(whole, order), triesLeft(2 * whole.buffers.size()) {
  for (const InPlacePair &pair : whole.problem.inPlacePairs)
    pairsOf[pair.later].push_back(pair);
  for (const BufferLifetime *buffer : whole.buffers)
    branchOf.push_back(branches.getBranch(buffer->getPlace()->getBlock()));
  pathTo.resize(branches.getParents().size());
  for (unsigned branch : branchOf)
    if (SmallVector<unsigned, 4> &path = pathTo[branch]; path.empty()) {
      for (unsigned around = branch; around != 0;
           around = branches.getParents()[around])
        path.push_back(around);
      path.push_back(0);
      std::reverse(path.begin(), path.end());
    }
  for (BufferId id = 0; id < whole.buffers.size(); ++id)
    levelsInside.push_back(countLevelsInside(id));
  const ScopeHeap &scopeHeap = *baseline.lookup(whole.scope, whole.memorySpace);
  addHolds(baseline, scopeHeap, erased);
  makeHeap(scopeHeap);
}

void PeakLimiter::addHolds(
    const ProgramHeap &baseline, const ScopeHeap &scopeHeap,
    const llvm::DenseSet<const BufferLifetime *> &erased) {
  llvm::DenseMap<const BufferLifetime *, BufferId> idOf;
  for (auto [id, buffer] : llvm::enumerate(whole.buffers))
    if (!buffer->value || buffer->value->index == 0)
      for (const BufferLifetime *allocation :
           baseline.getLifetimes().getWholes(buffer))
        idOf[allocation] = id;
  holdsOf.resize(whole.buffers.size() + parts.size());
  otherHolds = scopeHeap.outerItems;
  llvm::DenseMap<Operation *, BufferId> partOf;
  for (auto [index, part] : llvm::enumerate(parts)) {
    BufferId id = whole.buffers.size() + index;
    partOf[part.call] = id;
    Hold &hold = holdsOf[id].emplace_back();
    hold.ticks = {part.place.begin, part.place.end - 1};
    hold.most = part.place.size;
  }
  for (const HeapItem &item : scopeHeap.items)
    if (auto entry = idOf.find(item.buffer); entry != idOf.end()) {
      Hold hold = item;
      // What is padding for its own alignment is not held against a pool.
      const Buffer &buffer = whole.problem.buffers[entry->second];
      int64_t bytes = llvm::alignTo(*item.buffer->size, buffer.alignment);
      if (hold.most) {
        hold.padding = std::max<int64_t>(bytes - *hold.most, 0);
        *hold.most += hold.padding;
      }
      if (hold.least != 0)
        hold.least = std::max(hold.least, bytes);
      holdsOf[entry->second].push_back(std::move(hold));
    } else if (!erased.contains(item.buffer)) {
      otherHolds.push_back(item);
      if (auto part = partOf.find(item.op); part != partOf.end())
        takePartFrom(part->second, otherHolds.back());
    }
}

/// Take what `part` has of `hold`, which is because of its call, out of it:
/// what is held during the call, or what it leaves behind.
void PeakLimiter::takePartFrom(BufferId part, Hold &hold) {
  bool isDuring = hold.mayVary;
  int64_t bytes = isDuring ? *holdsOf[part].front().most
                           : parts[part - whole.buffers.size()].leftBytes;
  if (!isDuring)
    holdsOf[part].emplace_back().ticks = hold.ticks;
  Hold &taken = isDuring ? holdsOf[part].front() : holdsOf[part].back();
  taken.branch = hold.branch;
  taken.certain = hold.certain;
  taken.mayVary = isDuring;
  taken.least = std::min(bytes, hold.least);
  hold.least -= taken.least;
  if (!isDuring)
    taken.most = std::min(bytes, hold.most.value_or(bytes));
  if (hold.most)
    hold.most = std::max<int64_t>(*hold.most - bytes, 0);
}

void PeakLimiter::makeHeap(const ScopeHeap &scopeHeap) {
  // Pools are allocated and freed between the operations of a block, or at the
  // ends of a region.
  SmallVector<int64_t, 0> ticks = extents.collectTicks();
  llvm::DenseSet<Region *> regions;
  for (const BufferLifetime *buffer : whole.buffers) {
    Region *region = buffer->getPlace()->getParentRegion();
    for (; regions.insert(region).second && region != whole.scope;
         region = region->getParentRegion())
      ticks.push_back(order.getTicks(region).last + 1);
  }
  SmallVector<Hold, 0> all;
  auto addAll = [&](MutableArrayRef<Hold> holds) {
    for (Hold &hold : holds)
      all.push_back(hold = scopeHeap.clamp(hold));
  };
  for (SmallVector<Hold, 1> &holds : holdsOf)
    addAll(holds);
  addAll(otherHolds);
  heap.emplace(branches.getParents(), branches.getParts(), all, ticks);
}

void PeakLimiter::addRemoved(Ids ids, Swap &swap) const {
  for (BufferId id : ids)
    for (const Hold &hold : holdsOf[id])
      swap.removed.push_back(&hold);
}

/// Return true if a pool of `ids` is freed by R3.
bool PeakLimiter::isFreedByProgram(Ids ids) const {
  return llvm::any_of(ids, [&](BufferId id) {
    const BufferLifetime &buffer = *whole.buffers[id];
    return !buffer.deallocs.empty() || buffer.needsManualDealloc;
  });
}

/// Return the pool with `extent` in `region` in place of `ids`.
Swap PeakLimiter::makeSwap(Region &region, const PoolExtent &extent, Ids ids) {
  Swap swap;
  Block *block = extent.first ? extent.first->getBlock() : &region.front();
  swap.branch = branches.getBranch(block);
  swap.ticks = {extent.begin, extent.end - 1};
  if (freePoint == FreePoint::AsGiven && !isFreedByProgram(ids)) {
    swap.ticks.last = order.getTicks(&region).last;
    if (&region == whole.scope)
      ++swap.ticks.last;
    swap.forGoodFrom = branches.getLoopBegin(block, extent.begin);
  }
  addRemoved(ids, swap);
  return swap;
}

/// Return where a pool of `ids` is if it is allocated at the front of `region`.
PoolExtent PeakLimiter::getFrontExtent(Region &region, Ids ids) const {
  TickRange ticks = order.getTicks(&region);
  PoolExtent extent;
  extent.begin = ticks.first;
  extent.end = ticks.last + 1;
  // Deallocations in the program are at the end of the scope; without them,
  // later passes free the pool after its last use, if they can.
  if (!isFreedByProgram(ids))
    if (Block *home = extents.getHome(region, ids))
      if (PoolExtent inHome = extents.getExtent(*home, ids); inHome.last)
        extent.end = inHome.end;
  return extent;
}

/// Return the pool that is held as long as the scope runs, in place of `ids`
/// and of the parts for callees.
Swap PeakLimiter::makeHeldSwap(Ids ids) const {
  Swap swap;
  swap.ticks = order.getTicks(whole.scope);
  addRemoved(ids, swap);
  addRemoved(llvm::to_vector(llvm::seq<BufferId>(
                 whole.buffers.size(), whole.buffers.size() + parts.size())),
             swap);
  return swap;
}

/// Return the problem of `ids`, with the pairs among them that may be in place.
SchedulingProblem PeakLimiter::makeProblem(Ids ids) const {
  SchedulingProblem problem;
  llvm::DenseMap<BufferId, BufferId> newIds;
  for (BufferId id : ids) {
    newIds[id] = problem.buffers.size();
    problem.buffers.push_back(whole.problem.buffers[id]);
  }
  for (BufferId id : ids)
    for (const InPlacePair &pair : getPairs(id))
      if (auto earlier = newIds.find(pair.earlier); earlier != newIds.end())
        problem.inPlacePairs.push_back(
            {earlier->second, newIds[id], pair.condition});
  return problem;
}

int64_t PeakLimiter::getLowerBound(Ids ids) const {
  return computeLowerBound(makeProblem(ids)).bytes;
}

/// Return the lower bound of `ids` if each takes a multiple of `alignment` and
/// of its own alignment.
int64_t PeakLimiter::getPaddedBound(Ids ids, int64_t alignment) const {
  SchedulingProblem problem = makeProblem(ids);
  for (Buffer &buffer : problem.buffers)
    buffer.size =
        llvm::alignTo(buffer.size, std::max(buffer.alignment, alignment));
  return computeLowerBound(problem).bytes;
}

/// Return the lower bound of a pool of `ids` with the parts for callees.
int64_t PeakLimiter::getBoundWithParts(Ids ids) const {
  SchedulingProblem problem = makeProblem(ids);
  for (const CalleePart &part : parts)
    problem.buffers.push_back(part.place);
  return computeLowerBound(problem).bytes;
}

/// Return the bytes that `plan`, a pool of `ids`, takes, without what is
/// padding between them.
int64_t PeakLimiter::getBytesWithoutPadding(const PoolPlan &plan,
                                            Ids ids) const {
  const Schedule &schedule = plan.getPool()->schedule;
  int64_t padding =
      getPaddedBound(ids, schedule.poolAlignment) - getPaddedBound(ids, 1);
  return std::max(schedule.poolSize - padding, getLowerBound(ids));
}

/// Group `ids` by the deallocations that they share, and by the allocations
/// that they are values of.
PeakLimiter::Units PeakLimiter::findUnits(Ids ids) const {
  llvm::EquivalenceClasses<BufferId> classes;
  llvm::DenseMap<void *, BufferId> firstOf;
  for (BufferId id : ids) {
    classes.insert(id);
    auto join = [&](void *with) {
      classes.unionSets(firstOf.try_emplace(with, id).first->second, id);
    };
    for (OpOperand *dealloc : whole.buffers[id]->deallocs)
      join(dealloc);
    if (whole.buffers[id]->value)
      join(whole.buffers[id]->alloc.getAsOpaquePointer());
  }
  llvm::MapVector<BufferId, Unit> units;
  for (BufferId id : ids)
    units[classes.getLeaderValue(id)].push_back(id);
  return llvm::to_vector<0>(llvm::make_second_range(units));
}

/// Return those of `units` that together take at most `room.bytes` at each
/// tick, and not all. Those leave first that are not in use at `room.tick`,
/// where they would make the room smaller; of these the smallest that is
/// enough, because what leaves is held beside the pool, and of one size the one
/// that ends last. The order stays.
PeakLimiter::Units PeakLimiter::keepWithin(Units units, Room room) const {
  // At the tick of two that may be in place of each other the first one ends
  // before the second one begins.
  llvm::DenseSet<BufferId> present, endsEarlier;
  for (const Unit &unit : units)
    present.insert(unit.begin(), unit.end());
  for (const Unit &unit : units)
    for (BufferId id : unit)
      for (const InPlacePair &pair : getPairs(id))
        if (present.contains(pair.earlier))
          endsEarlier.insert(pair.earlier);
  // By unit: its bytes, and the ticks from its first to its last one.
  struct Interval {
    int64_t begin, end, bytes;
  };
  SmallVector<Interval, 0> intervals;
  for (const Unit &unit : units) {
    Interval &interval = intervals.emplace_back(Interval{INT64_MAX, 0, 0});
    for (BufferId id : unit) {
      const Buffer &buffer = whole.problem.buffers[id];
      interval.begin = std::min(interval.begin, buffer.begin);
      interval.end = std::max(interval.end, buffer.end - endsEarlier.count(id));
    }
    interval.bytes = getLowerBound(unit);
  }
  SmallVector<size_t, 0> byBegin =
      llvm::to_vector<0>(llvm::seq<size_t>(0, units.size()));
  llvm::stable_sort(byBegin, [&](size_t a, size_t b) {
    return intervals[a].begin < intervals[b].begin;
  });
  // Of those that are in use at the tick or not, by size and end.
  using Rank = std::tuple<bool, int64_t, int64_t, int64_t, size_t>;
  auto getRank = [&](size_t i) {
    const Interval &interval = intervals[i];
    bool isElsewhere = room.tick < interval.begin || room.tick >= interval.end;
    return Rank(isElsewhere, interval.bytes, interval.end, -interval.begin, i);
  };
  llvm::BitVector leaves(units.size());
  // Those that are alive, by their ends and by rank.
  std::set<std::pair<int64_t, size_t>> byEnd;
  std::set<Rank> byRank;
  int64_t bytes = 0;
  auto remove = [&](size_t i) {
    bytes -= intervals[i].bytes;
    byEnd.erase({intervals[i].end, i});
    byRank.erase(getRank(i));
  };
  // Of those that are large enough, the smallest; else the largest.
  auto findLeaving = [&](int64_t excess) {
    bool isElsewhere = std::get<0>(*byRank.rbegin());
    auto it =
        byRank.lower_bound(Rank(isElsewhere, excess, INT64_MIN, INT64_MIN, 0));
    if (it != byRank.end())
      it = byRank.lower_bound(
          Rank(isElsewhere, std::get<1>(*it) + 1, INT64_MIN, INT64_MIN, 0));
    return std::get<4>(*std::prev(it));
  };
  for (size_t i : byBegin) {
    while (!byEnd.empty() && byEnd.begin()->first <= intervals[i].begin)
      remove(byEnd.begin()->second);
    bytes += intervals[i].bytes;
    byEnd.insert({intervals[i].end, i});
    byRank.insert(getRank(i));
    while (bytes > room.bytes && !byRank.empty()) {
      size_t leaving = findLeaving(bytes - room.bytes);
      leaves.set(leaving);
      remove(leaving);
    }
  }
  // What is in the way may be something else than the sum of the buffers.
  if (leaves.none() && !units.empty()) {
    auto last = llvm::max_element(byBegin, [&](size_t a, size_t b) {
      const Interval &first = intervals[a], &second = intervals[b];
      return std::tuple(std::get<0>(getRank(a)), first.end, a) <
             std::tuple(std::get<0>(getRank(b)), second.end, b);
    });
    leaves.set(*last);
  }
  Units kept;
  for (auto [i, unit] : llvm::enumerate(units))
    if (!leaves[i])
      kept.push_back(std::move(unit));
  return kept;
}

//===----------------------------------------------------------------------===//
// Allocated pools
//===----------------------------------------------------------------------===//

/// Return the part of the plan for `ids` in `region`, scheduled.
PoolPlan PeakLimiter::makePlan(Region &region, Ids ids) const {
  if (&region == whole.scope && ids.size() == whole.buffers.size() &&
      !isHeldByScope())
    return whole;
  PoolPlan part;
  part.scope = &region;
  part.memorySpace = whole.memorySpace;
  for (BufferId id : ids)
    part.buffers.push_back(whole.buffers[id]);
  part.problem = makeProblem(ids);
  part.mayAlignLess = whole.mayAlignLess;
  // Elsewhere, buffers may be less aligned than what is allocated.
  int64_t alignment = options.getLeastAlignment(
      whole.memorySpace, /*isInDeviceCode=*/false, /*isWorkgroup=*/false);
  for (Buffer &buffer : part.problem.buffers)
    buffer.alignment = std::max(buffer.alignment, alignment);
  preparePool(part, options);
  schedulePool(part, options);
  return part;
}

/// Return what is held with a pool of `bytes` that is yet to be made.
Heap PeakLimiter::holdPool(const Swap &swap, int64_t bytes) const {
  Heap with = *heap;
  with.commit(swap, bytes);
  return with;
}

/// Return true if the pool of `plan`, which is smaller than its buffers by too
/// little, is worth having because the program frees them later than it (R4
/// gain).
bool PeakLimiter::lowersPeak(const PoolPlan &plan, const Heap &with) const {
  int64_t needed =
      whole.getPool() ? getNeededGain(plan.totalBytes, options) : 1;
  return with.holdsLess(*heap, needed) && !isMutated("R4-early");
}

/// Make one pool for `ids` in `region`, with `extent`. Return false if there is
/// no room for it, and what there is in `room`; or if the pool gains nothing
/// although pools of inner loops might.
bool PeakLimiter::makePool(Region &region, Ids ids, const PoolExtent &extent,
                           Room &room) {
  std::optional<PoolPlan> plan;
  // One buffer gets no pool most often, which takes no room.
  if (ids.size() == 1)
    plan = makePlan(region, ids);
  const int64_t least = getLowerBound(ids);
  Swap swap;
  room = {least, extent.begin};
  if (!plan || plan->getPool()) {
    swap = makeSwap(region, extent, ids);
    room = heap->getRoom(swap);
  }
  if (least > room.bytes)
    return false;
  if (!plan)
    plan = makePlan(region, ids);
  bool isNoGain = plan->getReason() == UnmergeableReason::NoGain;
  const Schedule *schedule = plan->getSchedule();
  // At the front, it is freed where the program frees.
  Block *home = extent.first || !isFreedByProgram(ids)
                    ? nullptr
                    : extents.getHome(region, ids);
  if (schedule && (isNoGain || home) && checksLeft != 0) {
    --checksLeft;
    int64_t bytes = getPoolBytes(*plan, schedule->poolSize);
    Heap with = holdPool(swap, bytes);
    PoolExtent inHome = home ? extents.getExtent(*home, ids) : PoolExtent();
    if (inHome.first && holdPool(makeSwap(region, inHome, ids), bytes)
                            .holdsLess(with, /*bytes=*/1))
      return makePool(region, ids, inHome, room);
    if (isNoGain && lowersPeak(*plan, with))
      plan->decision =
          Pool{PoolStorage::Alloc, "", nullptr, Schedule(*schedule)};
  }
  if (!plan->getPool()) {
    // Fewer buffers gain no more.
    if (extent.first && llvm::any_of(ids, [&](BufferId id) {
          return whole.buffers[id]->getPlace()->getParentRegion() != &region;
        }))
      return false;
    result.push_back(std::move(*plan));
    return true;
  }
  int64_t bytes = getBytesWithoutPadding(*plan, ids);
  if (bytes > room.bytes) {
    // What the schedule takes beyond its lower bound is left free.
    room.bytes = static_cast<int64_t>(static_cast<double>(room.bytes) *
                                      static_cast<double>(least) /
                                      static_cast<double>(bytes));
    return false;
  }
  plan->first = extent.first;
  plan->last = extent.last;
  heap->commit(swap, bytes, bytes - getPoolBytes(*plan));
  result.push_back(std::move(*plan));
  return true;
}

/// Return `direct`, the buffers of a branch that begins in `region`, with those
/// of `inner` branches that fit into the bytes that its pool has without them.
SmallVector<BufferId>
PeakLimiter::includeInnerBranches(Region &region, Ids direct,
                                  const InnerBranches &inner) const {
  SmallVector<BufferId> some(direct);
  if (inner.empty())
    return some;
  int64_t limit = getLowerBound(direct);
  if (direct.size() != 1) {
    PoolPlan plan = makePlan(region, direct);
    if (const Schedule *schedule = plan.getSchedule())
      limit = schedule->poolSize;
  }
  // The bytes alive in each segment between two ends of lifetimes.
  SmallVector<int64_t, 0> ticks, bytes;
  auto addTicks = [&](Ids ids) {
    for (BufferId id : ids) {
      ticks.push_back(whole.problem.buffers[id].begin);
      ticks.push_back(whole.problem.buffers[id].end);
    }
  };
  // Theirs may be long: only where they begin and end.
  auto addDirect = [&] {
    llvm::sort(ticks);
    ticks.erase(llvm::unique(ticks), ticks.end());
    bytes.assign(ticks.size(), 0);
    auto find = [&](int64_t tick) {
      return llvm::lower_bound(ticks, tick) - ticks.begin();
    };
    for (BufferId id : direct) {
      const Buffer &buffer = whole.problem.buffers[id];
      bytes[find(buffer.begin)] += buffer.size;
      bytes[find(buffer.end)] -= buffer.size;
    }
    std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
  };
  addTicks(direct);
  addDirect();
  // Most often one of theirs alone is too large where it begins.
  SmallVector<Ids> candidates;
  for (const auto &[child, ids] : inner)
    if (llvm::all_of(ids, [&](BufferId id) {
          const Buffer &buffer = whole.problem.buffers[id];
          auto next = llvm::upper_bound(ticks, buffer.begin);
          int64_t alive =
              next == ticks.begin() ? 0 : bytes[next - ticks.begin() - 1];
          return alive + buffer.size <= limit;
        }))
      candidates.push_back(ids);
  llvm::for_each(candidates, addTicks);
  if (candidates.empty())
    return some;
  addDirect();
  auto add = [&](Ids ids, int64_t sign) {
    int64_t most = 0;
    for (BufferId id : ids) {
      const Buffer &buffer = whole.problem.buffers[id];
      for (size_t i = llvm::lower_bound(ticks, buffer.begin) - ticks.begin();
           ticks[i] != buffer.end; ++i)
        most = std::max(most, bytes[i] += sign * buffer.size);
    }
    return most;
  };
  for (Ids ids : candidates)
    if (add(ids, 1) <= limit)
      llvm::append_range(some, ids);
    else
      add(ids, -1);
  if (some.size() == direct.size())
    return some;
  llvm::sort(some);
  PoolPlan withInner = makePlan(region, some);
  if (withInner.getPool() && withInner.getPool()->schedule.poolSize <= limit)
    return some;
  return SmallVector<BufferId>(direct);
}

/// Return how many branches there are from the scope to the innermost one
/// around the allocation of `id`, without the scope, that has its last use.
unsigned PeakLimiter::countLevelsInside(BufferId id) const {
  ArrayRef<unsigned> path = pathTo[branchOf[id]];
  unsigned level = path.size() - 1;
  for (; level != 0; --level) {
    Region &region = *branches.getFront(path[level])->getParent();
    if (extents.getExtent(*extents.getHome(region, id), id).first)
      break;
  }
  return level;
}

/// Decide about `ids`, which are allocated in `branch`, `level` branches inside
/// of the scope.
void PeakLimiter::chooseInBranch(unsigned level, unsigned branch, Ids ids) {
  // Those of inner branches, by the outermost such branch.
  SmallVector<BufferId> direct;
  InnerBranches inner;
  std::pair<unsigned, SmallVector<BufferId> *> latest;
  for (BufferId id : ids) {
    if (branchOf[id] == branch) {
      direct.push_back(id);
      continue;
    }
    unsigned child = pathTo[branchOf[id]][level + 1];
    if (child != latest.first)
      latest = {child, &inner[child]};
    latest.second->push_back(id);
  }
  if (!direct.empty()) {
    Region &region = *branches.getFront(branch)->getParent();
    auto tryPool = [&](Ids included) {
      Block *home = extents.getHome(region, included);
      bool isAtFront = branches.getFront(branch) == &region.front();
      PoolExtent extent = isAtFront ? getFrontExtent(region, included)
                          : home    ? extents.getExtent(*home, included)
                                    : PoolExtent();
      Room room;
      return (isAtFront || extent.first) &&
             makePool(region, included, extent, room);
    };
    // With all that is allocated in branches, if there is room on each path.
    auto tryAll = [&] {
      if (inner.empty() || triesLeft <= 0 || isMutated("R7-all-branches"))
        return false;
      triesLeft -= ids.size();
      if (!tryPool(ids))
        return false;
      if (result.back().getPool())
        return true;
      // Some of them may be worth a pool.
      result.pop_back();
      return false;
    };
    SmallVector<BufferId> included(ids);
    if (!tryAll()) {
      included = includeInnerBranches(region, direct, inner);
      if (!tryPool(included)) {
        included = direct;
        makePoolsInRegion(region, findUnits(direct));
      }
    }
    // Both are sorted.
    if (included.size() != direct.size())
      for (auto &[child, group] : inner)
        llvm::erase_if(group, [&](BufferId id) {
          return std::binary_search(included.begin(), included.end(), id);
        });
  }
  for (auto &[child, group] : inner) {
    // What is used after the branch must not be in a pool of it.
    SmallVector<BufferId> inside;
    for (BufferId id : group)
      (level < levelsInside[id] ? inside : left).push_back(id);
    if (!inside.empty())
      chooseInBranch(level + 1, child, inside);
  }
}

/// Make pools in blocks of `region` for some of `units`, which are allocated
/// inside. What is left in a loop may be in pools of its body, one for each
/// iteration.
void PeakLimiter::makePoolsInRegion(Region &region, Units units) {
  llvm::MapVector<Block *, Units> byHome;
  for (Unit &unit : units)
    if (Block *home = extents.getHome(region, unit))
      byHome[home].push_back(std::move(unit));
    else
      llvm::append_range(left, unit);
  for (auto &[home, members] : byHome) {
    Units others;
    unsigned budget = options.maxPools;
    makePoolsInBlock(*home, std::move(members), budget, /*depth=*/0, others);
    llvm::MapVector<Region *, Units> inner;
    for (Unit &unit : others) {
      Operation *place = whole.buffers[unit.front()]->getPlace();
      Operation *around = home->findAncestorOpInBlock(*place);
      if (around == place) {
        llvm::append_range(left, unit);
        continue;
      }
      Region *within = llvm::find_if(around->getRegions(), [&](Region &region) {
        return region.isAncestor(place->getParentRegion());
      });
      inner[within].push_back(std::move(unit));
    }
    for (auto &[within, unitsWithin] : inner)
      makePoolsInRegion(*within, std::move(unitsWithin));
  }
}

/// Divide `units` at `tick`.
PeakLimiter::Division PeakLimiter::divide(const Units &units,
                                          int64_t tick) const {
  Division division;
  for (const Unit &unit : units) {
    auto ends = [&](BufferId id) {
      return whole.problem.buffers[id].end <= tick;
    };
    auto begins = [&](BufferId id) {
      return whole.problem.buffers[id].begin > tick;
    };
    (llvm::all_of(unit, ends)     ? division.before
     : llvm::all_of(unit, begins) ? division.after
                                  : division.across)
        .push_back(unit);
  }
  return division;
}

/// Make at most `budget` pools in `home` for some of `units`, which are what is
/// left after `depth` divisions, and add the others to `others`.
void PeakLimiter::makePoolsInBlock(Block &home, Units units, unsigned &budget,
                                   unsigned depth, Units &others) {
  Units some;
  for (Unit &unit : units)
    (extents.getExtent(home, unit).first ? some : others)
        .push_back(std::move(unit));
  std::optional<Division> division;
  Units current = some;
  for (unsigned round = 0; round < maxRounds && !current.empty() && budget != 0;
       ++round) {
    SmallVector<BufferId> ids;
    for (const Unit &unit : current)
      llvm::append_range(ids, unit);
    llvm::sort(ids);
    Room room;
    if (makePool(*home.getParent(), ids, extents.getExtent(home, ids), room)) {
      --budget;
      llvm::erase_if(some, [&](const Unit &unit) {
        return std::binary_search(ids.begin(), ids.end(), unit.front());
      });
      if (!some.empty())
        makePoolsInBlock(home, std::move(some), budget, depth, others);
      return;
    }
    current = keepWithin(std::move(current), room);
    if (division || depth == maxDivisions)
      continue;
    division = divide(some, room.tick);
    size_t most = std::max(division->before.size(), division->after.size());
    if (most == 0 || most == some.size())
      division.reset();
  }
  if (!division || budget == 0) {
    llvm::append_range(others, some);
    return;
  }
  llvm::append_range(others, division->across);
  for (Units *part : {&division->before, &division->after})
    if (!part->empty())
      makePoolsInBlock(home, std::move(*part), budget, depth + 1, others);
}

/// Return the buffers, without the largest ones, that may be worth a pool
/// although all of them are not; empty if there are none.
SmallVector<BufferId> PeakLimiter::findGain() const {
  SmallVector<BufferId> ids = getAllIds();
  auto getSize = [&](BufferId id) { return whole.problem.buffers[id].size; };
  while (ids.size() >= 2) {
    int64_t bytes = 0, largest = 0;
    for (BufferId id : ids) {
      bytes += getAllocatedBytes(*whole.buffers[id]);
      largest = std::max(largest, getSize(id));
    }
    if (ids.size() < whole.buffers.size() &&
        bytes - getLowerBound(ids) >= getNeededGain(bytes, options))
      return ids;
    llvm::erase_if(ids, [&](BufferId id) { return getSize(id) > largest / 2; });
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Pools that are held as long as the scope runs
//===----------------------------------------------------------------------===//

/// Let the parts for callees be held as long as the scope runs.
void PeakLimiter::holdParts() {
  if (!parts.empty())
    heap->commit(makeHeldSwap({}), getBoundWithParts({}));
}

/// Make a pool for `ids`, where `whole` is. Return false if it raises the peak.
bool PeakLimiter::makeHeldPool(Ids ids) {
  Swap swap = makeHeldSwap(ids);
  int64_t bytes = getBoundWithParts(ids);
  if (bytes > heap->getRoomOfWorstPath(swap).bytes)
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
  heap->commit(swap, bytes);
  result.push_back(std::move(plan));
  return true;
}

/// Make a pool for as many buffers as it can hold, where `whole` is. Return the
/// others.
SmallVector<BufferId> PeakLimiter::makeHeldPool() {
  SmallVector<BufferId> all = getAllIds();
  Units current = findUnits(all);
  for (unsigned round = 0; round < maxRounds && !current.empty(); ++round) {
    SmallVector<BufferId> chosen, others;
    for (const Unit &unit : current)
      llvm::append_range(chosen, unit);
    llvm::sort(chosen);
    if (makeHeldPool(chosen)) {
      std::set_difference(all.begin(), all.end(), chosen.begin(), chosen.end(),
                          std::back_inserter(others));
      return others;
    }
    Room room = heap->getRoomOfWorstPath(makeHeldSwap(chosen));
    room.bytes -= getBoundWithParts({});
    current = keepWithin(std::move(current), room);
  }
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

SmallVector<PoolPlan, 0> PeakLimiter::run(bool mayBeHeld, bool keepsLargest) {
  SmallVector<BufferId> all = getAllIds();
  SmallVector<BufferId> ids = keepsLargest ? all : findGain(), largest;
  std::set_difference(all.begin(), all.end(), ids.begin(), ids.end(),
                      std::back_inserter(largest));
  if (isHeldByScope() && mayBeHeld)
    ids = makeHeldPool();
  else
    holdParts();
  if (!ids.empty())
    chooseInBranch(/*level=*/0, /*branch=*/0, ids);
  if (isHeldByScope())
    explainAllocations();
  if (!whole.getPool() && llvm::none_of(result, [](const PoolPlan &plan) {
        return plan.getPool();
      })) {
    result.clear();
    result.push_back(std::move(whole));
    return std::move(result);
  }
  llvm::sort(left);
  addRest(left, UnmergeableReason::RaisesPeak);
  addRest(largest, UnmergeableReason::NoGain);
  return std::move(result);
}

/// Return true if all buffers of `plan` together gain too little, which does
/// not matter for some goals.
static bool gainsLittle(const PoolPlan &plan, const MergePlanOptions &options) {
  const Pool *pool = plan.getPool();
  if (!pool)
    return true;
  return options.goal != Goal::Peak && pool->storage == PoolStorage::Alloc &&
         plan.totalBytes - getPoolBytes(plan) <
             getNeededGain(plan.totalBytes, options);
}

static size_t countAllocations(ArrayRef<PoolPlan> plans) {
  size_t count = 0;
  for (const PoolPlan &plan : plans)
    count += plan.getPool() ? 1 : plan.countAllocations();
  return count;
}

SmallVector<PoolPlan, 0> buffer_merge::limitPeak(
    PoolPlan plan, const ProgramHeap &baseline, const MergePlanOptions &options,
    ArrayRef<CalleePart> parts,
    const llvm::DenseSet<const BufferLifetime *> &erased, bool mayBeHeld) {
  PeakLimiter limiter(plan, baseline, options, parts, erased);
  SmallVector<PoolPlan, 0> plans =
      limiter.run(mayBeHeld, /*keepsLargest=*/true);
  if (!gainsLittle(plan, options))
    return plans;
  int64_t needed = getNeededGain(plan.totalBytes, options);
  PeakLimiter other(std::move(plan), baseline, options, parts, erased);
  SmallVector<PoolPlan, 0> others =
      other.run(mayBeHeld, /*keepsLargest=*/false);
  if (options.goal != Goal::Peak)
    return countAllocations(plans) <= countAllocations(others) ? plans : others;
  if (llvm::any_of(others, [](const PoolPlan &plan) { return plan.getPool(); }))
    needed = 1;
  return limiter.getHeap().holdsLess(other.getHeap(), needed) ? plans : others;
}

bool buffer_merge::raisePeak(Region *scope, ArrayRef<CalleePart> parts,
                             const ProgramHeap &baseline,
                             const MergePlanOptions &options) {
  PoolPlan none;
  none.scope = scope;
  return PeakLimiter(std::move(none), baseline, options, parts)
      .raisesPeakWithParts();
}
