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
//   - a pool of its own for each region that may not run, unless its buffers
//     fit into the bytes that the pool of the region around it has anyway;
//   - the pool from its first use to its last one, instead of from the front;
//   - fewer buffers: without those that make the pool large, or only those
//     before or after the tick at which it is most in the way, whichever merges
//     the most.
//
// The search for fewer buffers compares lower bounds; only what it chooses is
// scheduled.
//
//===----------------------------------------------------------------------===//

#include "PeakLimit.h"
#include "Analysis/AllocScope.h"
#include "Gain.h"
#include "HeapTimeline.h"
#include "Mutation.h"
#include "PoolDecision.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <queue>

using namespace mlir;
using namespace buffer_merge;

namespace {
/// Buffers that are merged together or not at all: most often one.
struct Unit {
  SmallVector<BufferId, 1> buffers;
  /// The size of the largest one.
  int64_t size = 0;
  /// From the first allocation to the last use, half-open.
  int64_t begin = 0, end = 0;
};

/// Buffers that a pool could hold.
struct Choice {
  SmallVector<const Unit *, 0> units;
  int64_t numBuffers = 0, bytes = 0;

  bool isBetterThan(const Choice &other) const {
    return std::pair(numBuffers, bytes) >
           std::pair(other.numBuffers, other.bytes);
  }
};

/// Where a pool begins and ends in a region: the operations of its entry block
/// that it is allocated before and freed after, and their ticks, half-open.
struct Place {
  Operation *first = nullptr, *last = nullptr;
  int64_t begin = 0, end = 0;
};

class PeakLimiter {
public:
  PeakLimiter(PoolPlan plan, const HeapUse &heapUse,
              const MergePlanOptions &options);

  SmallVector<PoolPlan, 0> run();

private:
  using Ids = ArrayRef<BufferId>;

  unsigned addRegion(Operation *inside);
  void buildTimeline(const ScopeHeap &heap,
                     ArrayRef<Operation *> recursiveCalls);
  HeldBytes getHeld(BufferId id) const;
  SmallVector<HeldBytes, 0> getHeldInRegion(Ids ids) const;
  Place getPlace(Region &region, Ids ids) const;

  /// Decide about `ids`, whose allocations are in the region of this number.
  void chooseInRegion(unsigned region, SmallVector<BufferId> ids);
  SmallVector<BufferId> includeInnerRegions(unsigned region, Ids direct,
                                            ArrayRef<SmallVector<BufferId>>);
  bool makePool(unsigned region, Ids ids, bool mayBeAtFront);
  void makeSmallerPools(unsigned region, Ids ids);
  Choice choose(Region &region, ArrayRef<const Unit *> units, int64_t percent,
                unsigned maxDepth) const;
  Choice chooseByPeaks(Region &region, ArrayRef<const Unit *> units,
                       int64_t percent, bool largestFirst,
                       SmallVectorImpl<int64_t> &worstTicks) const;
  SmallVector<int64_t, 0> findPeaks(const Choice &choice) const;
  bool lowerPeaks(Choice &choice, bool largestFirst,
                  llvm::function_ref<bool(const Unit &)> mayLeave) const;
  std::optional<int64_t> findExcess(Region &region, Ids ids, int64_t bytes,
                                    int64_t *excess = nullptr) const;
  PoolPlan makePlan(unsigned region, Ids ids) const;
  int64_t getLowerBound(Ids ids) const;
  SmallVector<Unit, 0> findUnits(Ids ids) const;

  PoolPlan whole;
  const ExecutionOrder &order;
  const MergePlanOptions &options;
  /// That of the buffer that needs most.
  int64_t maxAlignment = 1;
  /// Regions that may not run, the scope first, and their numbers.
  SmallVector<Region *> regions;
  SmallVector<HeapTimeline::Region> regionTree;
  llvm::DenseMap<Region *, unsigned> numbers;
  /// The innermost of them around each allocation.
  SmallVector<unsigned, 0> regionOf;
  std::optional<HeapTimeline> timeline;
  SmallVector<PoolPlan, 0> result;
  SmallVector<BufferId> left;
};
} // namespace

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

PeakLimiter::PeakLimiter(PoolPlan plan, const HeapUse &heapUse,
                         const MergePlanOptions &options)
    : whole(std::move(plan)), order(heapUse.getOrder(whole.scope)),
      options(options) {
  regions.push_back(whole.scope);
  numbers[whole.scope] = 0;
  regionTree.push_back({0, order.getTicks(whole.scope)});
  for (const BufferLifetime *buffer : whole.buffers)
    regionOf.push_back(addRegion(buffer->alloc));
  for (const Buffer &buffer : whole.problem.buffers)
    maxAlignment = std::max(maxAlignment, buffer.alignment);
  buildTimeline(heapUse.get(whole.scope, whole.memorySpace),
                heapUse.getRecursiveCalls(whole.scope));
}

/// Return the number of the innermost region around `inside` that may not run.
unsigned PeakLimiter::addRegion(Operation *inside) {
  // The path of a function of several blocks is not known.
  SmallVector<Region *> path;
  Region *region = inside->getParentRegion();
  for (; !numbers.contains(region);
       region = region->getParentOp()->getParentRegion())
    if (mayNotRun(*region) && region->hasOneBlock())
      path.push_back(region);
  unsigned number = numbers[region];
  if (!whole.scope->hasOneBlock())
    return number;
  for (Region *inner : llvm::reverse(path)) {
    regionTree.push_back({number, order.getTicks(inner)});
    number = numbers[inner] = regions.size();
    regions.push_back(inner);
  }
  return number;
}

HeldBytes PeakLimiter::getHeld(BufferId id) const {
  const BufferLifetime &buffer = *whole.buffers[id];
  // What a slice takes beside one that needs the largest alignment, so that
  // padding is not held against the pool.
  int64_t bytes = std::max<int64_t>(getAllocatedBytes(buffer),
                                    llvm::alignTo(*buffer.size, maxAlignment));
  int64_t begin = order.getTicks(buffer.alloc).first;
  return {begin, std::max(buffer.ticks.last + 1, begin + 1), bytes};
}

/// Return what the buffers of `ids` hold, each on every path to its ticks: none
/// after its region, which may not run.
SmallVector<HeldBytes, 0> PeakLimiter::getHeldInRegion(Ids ids) const {
  SmallVector<HeldBytes, 0> result;
  for (BufferId id : ids) {
    HeldBytes held = getHeld(id);
    held.end = std::min(held.end, regionTree[regionOf[id]].ticks.last + 1);
    result.push_back(held);
  }
  return result;
}

void PeakLimiter::buildTimeline(const ScopeHeap &heap,
                                ArrayRef<Operation *> recursiveCalls) {
  SmallVector<BaselineBytes, 0> baseline;
  SmallVector<int64_t> otherTicks;
  for (BufferId id = 0; id < whole.buffers.size(); ++id) {
    HeldBytes held = getHeld(id);
    baseline.push_back(
        {held.begin, held.end, held.bytes, held.bytes, held.end, regionOf[id]});
    // Pools are allocated and freed between the operations of a block.
    for (Operation *op = whole.buffers[id]->alloc;
         op != whole.scope->getParentOp(); op = op->getParentOp())
      if (numbers.contains(op->getParentRegion())) {
        otherTicks.push_back(order.getTicks(op).first);
        Place place = getPlace(*op->getParentRegion(), id);
        otherTicks.push_back(place.end);
      }
  }
  llvm::SmallPtrSet<const BufferLifetime *, 8> inPool(whole.buffers.begin(),
                                                      whole.buffers.end());
  for (const BufferLifetime *other : heap.buffers)
    if (!inPool.contains(other)) {
      int64_t begin = order.getTicks(other->alloc).first;
      int64_t end = std::max(other->ticks.last, begin) + 1;
      int64_t bytes = getAllocatedBytes(*other);
      baseline.push_back(
          {begin, end, bytes, bytes, end, addRegion(other->alloc)});
    }
  for (const HeapItem &item : heap.items) {
    baseline.push_back(
        {item.ticks.first, item.ticks.last + 1, item.bytes, item.leastBytes,
         std::max(item.leastLast + 1, item.ticks.first), addRegion(item.op)});
  }
  SmallVector<TickRange> limited;
  for (Operation *call : recursiveCalls)
    if (whole.scope->isAncestor(call->getParentRegion()))
      limited.push_back(order.getTicks(call));
  timeline.emplace(regionTree, baseline, limited, otherTicks);
}

Place PeakLimiter::getPlace(Region &region, Ids ids) const {
  Place place;
  Block &entry = region.front();
  for (BufferId id : ids) {
    const BufferLifetime &buffer = *whole.buffers[id];
    memref::AllocOp alloc = buffer.alloc;
    Operation *first = entry.findAncestorOpInBlock(*alloc);
    Operation *lastUse =
        isMutated("peak-last-use") ? buffer.lastAccess : buffer.lastUse;
    Operation *last = entry.findAncestorOpInBlock(*lastUse);
    // An access that is still running when the scope is done has no last use.
    if (!first || !last || last == entry.getTerminator() ||
        buffer.isInFlightAtEnd)
      return Place();
    // A wait for the access may follow.
    while (order.getTicks(last).last < buffer.ticks.last && last->getNextNode())
      last = last->getNextNode();
    TickRange ticks = order.getTicks(first).hull(order.getTicks(last));
    if (!place.first || ticks.first < place.begin) {
      place.first = first;
      place.begin = ticks.first;
    }
    if (!place.last || ticks.last >= place.end) {
      place.last = last;
      place.end = ticks.last + 1;
    }
  }
  return place;
}

int64_t PeakLimiter::getLowerBound(Ids ids) const {
  SchedulingProblem problem;
  for (BufferId id : ids)
    problem.buffers.push_back(whole.problem.buffers[id]);
  return computeLowerBound(problem).bytes;
}

/// Return the tick at which a pool of `bytes` bytes for `ids`, from its first
/// use in `region` to its last one, raises the peak most, if it does. Without a
/// first and a last use, any pool raises it at the first tick.
std::optional<int64_t> PeakLimiter::findExcess(Region &region, Ids ids,
                                               int64_t bytes,
                                               int64_t *excess) const {
  Place place = getPlace(region, ids);
  if (!place.first)
    return order.getTicks(&region).first;
  return timeline->findExcess({place.begin, place.end, bytes},
                              getHeldInRegion(ids), excess);
}

/// Group `ids` by the deallocations that they share.
SmallVector<Unit, 0> PeakLimiter::findUnits(Ids ids) const {
  llvm::EquivalenceClasses<BufferId> classes;
  llvm::DenseMap<OpOperand *, BufferId> firstOf;
  for (BufferId id : ids) {
    classes.insert(id);
    for (OpOperand *dealloc : whole.buffers[id]->deallocs)
      classes.unionSets(firstOf.try_emplace(dealloc, id).first->second, id);
  }
  SmallVector<Unit, 0> units;
  llvm::DenseMap<BufferId, size_t> numberOf;
  for (BufferId id : ids) {
    auto [it, isNew] =
        numberOf.try_emplace(classes.getLeaderValue(id), units.size());
    HeldBytes held = getHeld(id);
    if (isNew)
      units.push_back({{}, 0, held.begin, held.end});
    Unit &unit = units[it->second];
    unit.buffers.push_back(id);
    unit.size = std::max(unit.size, whole.problem.buffers[id].size);
    unit.begin = std::min(unit.begin, held.begin);
    unit.end = std::max(unit.end, held.end);
  }
  return units;
}

//===----------------------------------------------------------------------===//
// What becomes of it
//===----------------------------------------------------------------------===//

/// Return the part of the plan for `ids` in the region of this number,
/// scheduled.
PoolPlan PeakLimiter::makePlan(unsigned region, Ids ids) const {
  if (region == 0 && ids.size() == whole.buffers.size())
    return whole;
  PoolPlan part;
  part.scope = regions[region];
  part.memorySpace = whole.memorySpace;
  llvm::DenseMap<BufferId, BufferId> newIds;
  for (BufferId id : ids) {
    newIds[id] = part.buffers.size();
    part.buffers.push_back(whole.buffers[id]);
    part.problem.buffers.push_back(whole.problem.buffers[id]);
  }
  for (const InPlacePair &pair : whole.problem.inPlacePairs)
    if (newIds.contains(pair.earlier) && newIds.contains(pair.later))
      part.problem.inPlacePairs.push_back(
          {newIds[pair.earlier], newIds[pair.later], pair.condition});
  preparePool(part, options);
  schedulePool(part, options);
  return part;
}

/// Make one pool for `ids` in the region of this number: at its front, as far
/// as that is possible, or else from its first use to its last one. Return
/// false if it is not worth having or raises the peak.
bool PeakLimiter::makePool(unsigned region, Ids ids, bool mayBeAtFront) {
  PoolPlan plan = makePlan(region, ids);
  Pool *pool = plan.getPool();
  if (!pool) {
    // Fewer buffers gain no more.
    result.push_back(std::move(plan));
    return true;
  }
  int64_t bytes = pool->schedule.poolSize;
  Place place = getPlace(*regions[region], ids);
  TickRange ticks = order.getTicks(regions[region]);
  // Deallocations in the program are at the end of the scope; without them,
  // later passes free the pool after its last use.
  Place front = {nullptr, nullptr, ticks.first,
                 plan.isDeallocated() || !place.last ? ticks.last + 1
                                                     : place.end};
  if (mayBeAtFront && !timeline->findExcess({front.begin, front.end, bytes},
                                            getHeldInRegion(ids)))
    place = front;
  else if (!place.first || timeline->findExcess({place.begin, place.end, bytes},
                                                getHeldInRegion(ids)))
    return false;
  plan.first = place.first;
  plan.last = place.last;
  for (const HeldBytes &held : getHeldInRegion(ids))
    timeline->add({held.begin, held.end, -held.bytes});
  timeline->add({place.begin, place.end, bytes});
  result.push_back(std::move(plan));
  return true;
}

/// Return `direct`, the buffers of the region of this number, with those of
/// `inner` regions that fit into the bytes that its pool has without them.
SmallVector<BufferId>
PeakLimiter::includeInnerRegions(unsigned region, Ids direct,
                                 ArrayRef<SmallVector<BufferId>> inner) {
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

void PeakLimiter::chooseInRegion(unsigned region, SmallVector<BufferId> ids) {
  // Those of regions inside that may not run, by the outermost such region.
  SmallVector<BufferId> direct;
  llvm::MapVector<unsigned, SmallVector<BufferId>> inner;
  for (BufferId id : ids) {
    unsigned child = regionOf[id];
    if (child == region) {
      direct.push_back(id);
      continue;
    }
    while (regionTree[child].parent != region)
      child = regionTree[child].parent;
    inner[child].push_back(id);
  }
  SmallVector<SmallVector<BufferId>> groups = llvm::map_to_vector(
      inner, [](const auto &entry) { return entry.second; });
  if (!direct.empty()) {
    SmallVector<BufferId> included =
        includeInnerRegions(region, direct, groups);
    if (!makePool(region, included, /*mayBeAtFront=*/true)) {
      included = direct;
      makeSmallerPools(region, included);
    }
    llvm::BitVector isIncluded(whole.buffers.size());
    for (BufferId id : included)
      isIncluded.set(id);
    for (SmallVector<BufferId> &group : groups)
      llvm::erase_if(group, [&](BufferId id) { return isIncluded[id]; });
  }
  for (auto [entry, group] : llvm::zip_equal(inner, groups)) {
    unsigned child = entry.first;
    // What is used after the region must not be in a pool of it.
    auto staysInside = [&](BufferId id) {
      const BufferLifetime &buffer = *whole.buffers[id];
      int64_t last =
          std::max(buffer.ticks.last, order.getTicks(buffer.lastUse).last);
      return last <= regionTree[child].ticks.last &&
             buffer.lastUse != regions[child]->front().getTerminator() &&
             !buffer.isInFlightAtEnd;
    };
    SmallVector<BufferId> inside;
    for (BufferId id : group)
      (staysInside(id) ? inside : left).push_back(id);
    if (!inside.empty())
      chooseInRegion(child, std::move(inside));
  }
}

//===----------------------------------------------------------------------===//
// Fewer buffers
//===----------------------------------------------------------------------===//

/// Return `percent` percent of `bytes`, 100 or more.
static int64_t addPercent(int64_t bytes, int64_t percent) {
  return bytes + bytes / 100 * (percent - 100);
}

static Choice makeChoice(ArrayRef<const Unit *> units,
                         llvm::function_ref<bool(const Unit &)> isIncluded) {
  Choice choice;
  for (const Unit *unit : units)
    if (isIncluded(*unit)) {
      choice.units.push_back(unit);
      choice.numBuffers += unit->buffers.size();
      choice.bytes += unit->size;
    }
  return choice;
}

static SmallVector<BufferId> getIds(const Choice &choice) {
  SmallVector<BufferId> ids;
  for (const Unit *unit : choice.units)
    llvm::append_range(ids, unit->buffers);
  llvm::sort(ids);
  return ids;
}

/// Return the ticks of the problem at which most bytes of `choice` are alive.
SmallVector<int64_t, 0> PeakLimiter::findPeaks(const Choice &choice) const {
  // At one tick, what ends comes first.
  SmallVector<std::pair<int64_t, int64_t>, 0> changes;
  for (const Unit *unit : choice.units)
    for (BufferId id : unit->buffers) {
      const Buffer &buffer = whole.problem.buffers[id];
      changes.emplace_back(buffer.begin, buffer.size);
      changes.emplace_back(buffer.end, -buffer.size);
    }
  llvm::sort(changes);
  SmallVector<int64_t, 0> peaks;
  int64_t live = 0, most = 0;
  for (auto [tick, bytes] : changes) {
    live += bytes;
    if (live > most)
      peaks.clear();
    most = std::max(most, live);
    if (live == most && bytes > 0)
      peaks.push_back(tick);
  }
  return peaks;
}

/// Take units out of `choice`, so that the pool gets smaller: for each of its
/// peaks the largest one that is alive, or the smallest one, among those that
/// `mayLeave`; of equal ones, that which is alive at most peaks. Return false
/// if there are none.
bool PeakLimiter::lowerPeaks(
    Choice &choice, bool largestFirst,
    llvm::function_ref<bool(const Unit &)> mayLeave) const {
  SmallVector<int64_t, 0> peaks = findPeaks(choice);
  // The peaks at which a buffer is alive, as a half-open range of indices.
  auto getPeaks = [&](BufferId id) {
    const Buffer &buffer = whole.problem.buffers[id];
    return std::pair<size_t, size_t>(
        llvm::lower_bound(peaks, buffer.begin) - peaks.begin(),
        llvm::lower_bound(peaks, buffer.end) - peaks.begin());
  };
  // Greedy set cover: what a unit lowers shrinks as others leave, and is
  // counted again when it is its turn.
  llvm::BitVector isLowered(peaks.size()), isLeaving(choice.units.size());
  auto countLowered = [&](const Unit &unit) {
    int64_t count = 0;
    for (BufferId id : unit.buffers)
      for (size_t i = getPeaks(id).first; i < getPeaks(id).second; ++i)
        count += !isLowered[i];
    return count;
  };
  using Candidate = std::tuple<int64_t, int64_t, size_t>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  auto enqueue = [&](size_t index) {
    const Unit &unit = *choice.units[index];
    if (int64_t count = countLowered(unit))
      queue.emplace(largestFirst ? -unit.size : unit.size, -count, index);
  };
  for (size_t index = 0; index < choice.units.size(); ++index)
    if (mayLeave(*choice.units[index]))
      enqueue(index);
  while (!queue.empty()) {
    auto [size, count, index] = queue.top();
    queue.pop();
    if (countLowered(*choice.units[index]) != -count) {
      enqueue(index);
      continue;
    }
    isLeaving.set(index);
    for (BufferId id : choice.units[index]->buffers)
      isLowered.set(getPeaks(id).first, getPeaks(id).second);
  }
  size_t index = 0;
  choice = makeChoice(choice.units,
                      [&](const Unit &) { return !isLeaving[index++]; });
  return isLeaving.any();
}

/// Return `units` without those that have to leave for a pool that does not
/// raise the peak. At each peak of the pool either the largest one leaves, or
/// the smallest one that is enough and is not in use when the pool is in the
/// way. Add the ticks at which it is to `worstTicks`.
Choice PeakLimiter::chooseByPeaks(Region &region, ArrayRef<const Unit *> units,
                                  int64_t percent, bool largestFirst,
                                  SmallVectorImpl<int64_t> &worstTicks) const {
  constexpr size_t maxSteps = 48, maxTicks = 2;
  Choice choice = makeChoice(units, [](const Unit &) { return true; });
  for (size_t step = 0; choice.numBuffers >= 2; ++step) {
    SmallVector<BufferId> ids = getIds(choice);
    int64_t bytes = 0;
    std::optional<int64_t> tick = findExcess(
        region, ids, addPercent(getLowerBound(ids), percent), &bytes);
    if (!tick)
      return choice;
    if (worstTicks.size() < maxTicks && !llvm::is_contained(worstTicks, *tick))
      worstTicks.push_back(*tick);
    auto isEnough = [&](const Unit &unit) {
      return largestFirst ||
             (unit.size >= bytes && (unit.end <= *tick || *tick < unit.begin));
    };
    if (step == maxSteps || !lowerPeaks(choice, largestFirst, isEnough))
      break;
  }
  return Choice();
}

/// Return the best choice among `units` for one pool of `region` that does not
/// raise the peak if it has `percent` percent of the lower bound; empty if
/// there is none.
Choice PeakLimiter::choose(Region &region, ArrayRef<const Unit *> units,
                           int64_t percent, unsigned maxDepth) const {
  // The order of several blocks is not that of a path.
  if (!region.hasOneBlock())
    return Choice();
  SmallVector<int64_t> worstTicks;
  Choice best;
  for (bool largestFirst : {false, true}) {
    Choice choice =
        chooseByPeaks(region, units, percent, largestFirst, worstTicks);
    if (choice.isBetterThan(best))
      best = std::move(choice);
  }
  if (maxDepth == 0)
    return best;
  for (int64_t tick : worstTicks) {
    Choice before =
        makeChoice(units, [&](const Unit &unit) { return unit.end <= tick; });
    Choice after =
        makeChoice(units, [&](const Unit &unit) { return unit.begin > tick; });
    for (const Choice &part : {before, after})
      if (part.isBetterThan(best) && part.units.size() < units.size())
        if (Choice choice = choose(region, part.units, percent, maxDepth - 1);
            choice.isBetterThan(best))
          best = std::move(choice);
  }
  return best;
}

void PeakLimiter::makeSmallerPools(unsigned region, Ids ids) {
  constexpr unsigned maxDepth = 5;
  SmallVector<Unit, 0> units = findUnits(ids);
  SmallVector<const Unit *> remaining = llvm::map_to_vector(
      units, [](const Unit &unit) -> const Unit * { return &unit; });
  for (unsigned i = 0; i < options.maxPools; ++i) {
    // A schedule may need more than its lower bound: then so much is left free.
    Choice choice;
    bool isMade = false;
    constexpr int64_t maxPercent = 130;
    for (int64_t percent = 100; !isMade && percent <= maxPercent;
         percent += 10) {
      choice = choose(*regions[region], remaining, percent, maxDepth);
      if (choice.units.empty())
        break;
      isMade = makePool(region, getIds(choice), /*mayBeAtFront=*/false);
    }
    if (!isMade)
      break;
    llvm::SmallPtrSet<const Unit *, 8> chosen(choice.units.begin(),
                                              choice.units.end());
    llvm::erase_if(remaining,
                   [&](const Unit *unit) { return chosen.contains(unit); });
  }
  for (const Unit *unit : remaining)
    llvm::append_range(left, unit->buffers);
}

SmallVector<PoolPlan, 0> PeakLimiter::run() {
  SmallVector<BufferId> ids = llvm::to_vector(
      llvm::seq<BufferId>(0, static_cast<BufferId>(whole.buffers.size())));
  chooseInRegion(0, std::move(ids));
  if (left.empty())
    return std::move(result);
  llvm::sort(left);
  PoolPlan rest;
  rest.scope = whole.scope;
  rest.memorySpace = whole.memorySpace;
  for (BufferId id : left) {
    rest.buffers.push_back(whole.buffers[id]);
    rest.problem.buffers.push_back(whole.problem.buffers[id]);
  }
  rest.totalBytes = getAllocationCost(rest.buffers, *rest.scope).bytes;
  rest.lowerBound = computeLowerBound(rest.problem);
  rest.decision = NoPool{UnmergeableReason::RaisesPeak};
  result.push_back(std::move(rest));
  return std::move(result);
}

SmallVector<PoolPlan, 0>
buffer_merge::limitPeak(PoolPlan plan, const HeapUse &heapUse,
                        const MergePlanOptions &options) {
  return PeakLimiter(std::move(plan), heapUse, options).run();
}
