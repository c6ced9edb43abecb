//===- InPlace.cpp - Scheduling with in-place pairs -----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In-place pairs are reduced to problems without: buffers that are to lie at
// one offset become one unit, those that may lie anywhere meet in the middle of
// their tick. Any scheduler then does the rest, for several choices of what is
// united, and for the problem without its pairs.
//
//===----------------------------------------------------------------------===//

#include "InPlace.h"
#include "Sections.h"
#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <numeric>
#include <set>

using namespace buffer_merge;

static constexpr BufferId none = ~BufferId(0);

namespace {
/// Chains of buffers that are to be in place of each other.
struct Chains {
  explicit Chains(size_t count) : next(count, none), previous(count, none) {}

  llvm::SmallVector<BufferId, 0> next, previous;
};
} // namespace

/// Link the buffers of the same-offset pairs that `choice` means.
static Chains linkPairs(const SchedulingProblem &problem,
                        InPlaceChoice choice) {
  llvm::ArrayRef<InPlacePair> pairs = problem.inPlacePairs;
  llvm::SmallVector<unsigned, 0> order;
  int64_t bound = 0;
  if (choice == InPlaceChoice::Needed)
    bound = computeLowerBound(problem).bytes;
  // The tick of a pair stands for the first section of the later buffer.
  Sections sections(problem.buffers);
  auto getLiveBytes = [&](unsigned index) {
    return sections.getTotals()[sections.getBegin(pairs[index].later)];
  };
  auto earlierOf = [&](unsigned index) -> const Buffer & {
    return problem.buffers[pairs[index].earlier];
  };
  auto laterOf = [&](unsigned index) -> const Buffer & {
    return problem.buffers[pairs[index].later];
  };
  auto areBothFixed = [&](unsigned index) {
    return earlierOf(index).fixedOffset && laterOf(index).fixedOffset;
  };
  for (unsigned index = 0; index < pairs.size(); ++index) {
    if (pairs[index].condition != InPlaceCondition::SameOffset)
      continue;
    bool isWanted = choice == InPlaceChoice::All || getLiveBytes(index) > bound;
    // What is fixed is decided.
    if (areBothFixed(index))
      isWanted = *earlierOf(index).fixedOffset == *laterOf(index).fixedOffset;
    if (isWanted)
      order.push_back(index);
  }
  auto getKey = [&](unsigned index) {
    int64_t commonBytes = std::min(earlierOf(index).size, laterOf(index).size);
    return std::tuple(!areBothFixed(index), -commonBytes, index);
  };
  llvm::sort(order,
             [&](unsigned a, unsigned b) { return getKey(a) < getKey(b); });
  Chains chains(problem.buffers.size());
  for (unsigned index : order) {
    const InPlacePair &pair = pairs[index];
    if (chains.next[pair.earlier] != none ||
        chains.previous[pair.later] != none)
      continue;
    chains.next[pair.earlier] = pair.later;
    chains.previous[pair.later] = pair.earlier;
  }
  return chains;
}

/// Cut the chains that hold both buffers of a conflict.
static void cutAtConflicts(const SchedulingProblem &problem, Chains &chains) {
  if (problem.conflicts.empty())
    return;
  size_t count = problem.buffers.size();
  llvm::SmallVector<BufferId, 0> chainOf(count, none), position(count, 0);
  for (BufferId head = 0; head < count; ++head) {
    if (chains.previous[head] != none)
      continue;
    BufferId numSeen = 0;
    for (BufferId id = head; id != none; id = chains.next[id]) {
      chainOf[id] = head;
      position[id] = numSeen++;
    }
  }
  for (auto [a, b] : problem.conflicts) {
    if (chainOf[a] != chainOf[b])
      continue;
    BufferId behind = position[a] < position[b] ? b : a;
    BufferId &previous = chains.previous[behind];
    if (previous == none)
      continue;
    chains.next[previous] = none;
    previous = none;
  }
}

/// Add `buffer` to the end of `unit` if one place can do for both.
static bool addToUnit(Buffer &unit, const Buffer &buffer) {
  int64_t factor =
      buffer.alignment / std::gcd(unit.alignment, buffer.alignment);
  if (factor > maxBytes / unit.alignment)
    return false;
  int64_t alignment = unit.alignment * factor;
  if (unit.fixedOffset && buffer.fixedOffset &&
      *unit.fixedOffset != *buffer.fixedOffset)
    return false;
  std::optional<int64_t> fixedOffset =
      unit.fixedOffset ? unit.fixedOffset : buffer.fixedOffset;
  int64_t size = std::max(unit.size, buffer.size);
  if (fixedOffset &&
      (*fixedOffset % alignment != 0 || *fixedOffset > maxBytes - size))
    return false;
  unit.size = size;
  unit.alignment = alignment;
  unit.fixedOffset = fixedOffset;
  unit.end = buffer.end;
  unit.gaps.append(buffer.gaps);
  return true;
}

/// Let units of pairs that need no common offset meet in the middle of a tick.
/// The ticks of the units are doubled already; `isFirst` and `isLast` say which
/// buffers are at the ends of their units.
static void splitTicks(const SchedulingProblem &problem,
                       const llvm::BitVector &isFirst,
                       const llvm::BitVector &isLast,
                       InPlaceReduction &reduction) {
  struct Meeting {
    std::set<std::pair<BufferId, BufferId>> pairs;
    std::set<BufferId> earlier, later;
  };
  std::map<int64_t, Meeting> meetings;
  for (const InPlacePair &pair : problem.inPlacePairs) {
    if (pair.condition != InPlaceCondition::AnyOffset)
      continue;
    BufferId earlier = reduction.unitOf[pair.earlier];
    BufferId later = reduction.unitOf[pair.later];
    int64_t tick = problem.buffers[pair.later].begin;
    // A unit that goes on does not end or begin here. It may end at this very
    // tick all the same, with a buffer that is alive at no other.
    if (!isLast.test(pair.earlier) || !isFirst.test(pair.later))
      continue;
    Meeting &meeting = meetings[tick];
    meeting.pairs.emplace(earlier, later);
    meeting.earlier.insert(earlier);
    meeting.later.insert(later);
  }
  constexpr size_t maxConflicts = size_t(1) << 16;
  for (const auto &[tick, meeting] : meetings) {
    if (meeting.earlier.size() * meeting.later.size() > maxConflicts)
      continue;
    for (BufferId id : meeting.earlier)
      reduction.problem.buffers[id].end = 2 * tick + 1;
    for (BufferId id : meeting.later)
      reduction.problem.buffers[id].begin = 2 * tick + 1;
    for (BufferId earlier : meeting.earlier)
      for (BufferId later : meeting.later)
        if (!meeting.pairs.count({earlier, later}))
          reduction.problem.conflicts.push_back({earlier, later});
  }
}

InPlaceReduction buffer_merge::reduceInPlace(const SchedulingProblem &problem,
                                             InPlaceChoice choice) {
  Chains chains = linkPairs(problem, choice);
  cutAtConflicts(problem, chains);
  // Ticks may be any numbers; their ranks can be doubled.
  SchedulingProblem ranked = rankTicks(problem);
  InPlaceReduction reduction;
  reduction.unitOf.assign(problem.buffers.size(), none);
  llvm::SmallVector<Buffer, 0> &units = reduction.problem.buffers;
  llvm::BitVector isFirst(problem.buffers.size());
  llvm::BitVector isLast(problem.buffers.size(), true);
  for (BufferId head = 0; head < problem.buffers.size(); ++head) {
    if (chains.previous[head] != none)
      continue;
    for (BufferId id = head; id != none; id = chains.next[id]) {
      if (id == head || !addToUnit(units.back(), ranked.buffers[id])) {
        units.push_back(ranked.buffers[id]);
        isFirst.set(id);
      }
      reduction.unitOf[id] = units.size() - 1;
    }
  }
  for (BufferId id = 0; id < isLast.size(); ++id)
    if (BufferId next = chains.next[id]; next != none && !isFirst.test(next))
      isLast.reset(id);
  for (Buffer &unit : units) {
    unit.begin *= 2;
    unit.end *= 2;
    for (TickInterval &gap : unit.gaps)
      gap = {2 * gap.begin, 2 * gap.end};
  }
  for (auto [a, b] : problem.conflicts)
    reduction.problem.conflicts.push_back(
        {reduction.unitOf[a], reduction.unitOf[b]});
  reduction.problem.capacity = problem.capacity;
  splitTicks(ranked, isFirst, isLast, reduction);
  return reduction;
}

namespace {
/// Keeps the smallest of several schedules of one problem, or the reason why
/// there is none.
class SmallestSchedule {
public:
  explicit SmallestSchedule(const SchedulingProblem &problem)
      : problem(problem), bound(computeProvedBound(problem)) {}

  /// Return true if no other schedule can be smaller.
  bool isDone() const { return best && best->poolSize <= bound; }

  /// Take note of a schedule in which buffer `unitOf[id]` stands for `id`.
  void offer(llvm::Expected<Schedule> schedule,
             llvm::ArrayRef<BufferId> unitOf);

  llvm::Expected<Schedule> take();

private:
  const SchedulingProblem &problem;
  int64_t bound;
  std::optional<Schedule> best;
  /// Of schedules that miss the capacity, the least bytes needed.
  std::optional<int64_t> neededBytes;
  /// More effort may find one that does not.
  bool isOpen = false;
  /// The other failure that came last.
  std::string message;
};
} // namespace

void SmallestSchedule::offer(llvm::Expected<Schedule> schedule,
                             llvm::ArrayRef<BufferId> unitOf) {
  if (!schedule) {
    llvm::Error rest = llvm::handleErrors(
        schedule.takeError(), [&](const CapacityError &error) {
          isOpen |= error.isOpen();
          neededBytes = std::min(neededBytes.value_or(error.getNeededBytes()),
                                 error.getNeededBytes());
        });
    if (rest)
      message = llvm::toString(std::move(rest));
    return;
  }
  llvm::SmallVector<int64_t, 0> offsets;
  for (BufferId unit : unitOf)
    offsets.push_back(schedule->offsets[unit]);
  Schedule expanded = makeSchedule(problem, std::move(offsets));
  // What was proved of one reduction says nothing about the others.
  expanded.provedBound = bound;
  if (!best || expanded.poolSize < best->poolSize)
    best = std::move(expanded);
}

llvm::Expected<Schedule> SmallestSchedule::take() {
  if (best)
    return std::move(*best);
  if (neededBytes)
    return llvm::make_error<CapacityError>(
        llvm::formatv("the scheduler found no pool below {0} bytes with "
                      "in-place pairs, the capacity is {1}",
                      *neededBytes, *problem.capacity)
            .str(),
        *neededBytes, /*isProved=*/false, isOpen);
  return llvm::createStringError(message);
}

llvm::Expected<Schedule>
buffer_merge::scheduleInPlace(const Scheduler &scheduler,
                              const SchedulingProblem &problem,
                              const SchedulerOptions &options) {
  // Each reduction is a problem of its own, to be checked and verified: units
  // may be more aligned than their buffers, and fixed offsets that a pair
  // allows may exclude each other without it.
  SmallestSchedule smallest(problem);
  llvm::SmallVector<BufferId, 0> unitsBefore;
  for (InPlaceChoice choice : {InPlaceChoice::Needed, InPlaceChoice::All}) {
    if (smallest.isDone())
      break;
    InPlaceReduction reduction = reduceInPlace(problem, choice);
    if (reduction.unitOf == unitsBefore)
      continue;
    smallest.offer(runScheduler(scheduler, reduction.problem, options),
                   reduction.unitOf);
    unitsBefore = std::move(reduction.unitOf);
  }
  if (!smallest.isDone()) {
    SchedulingProblem without = problem;
    without.inPlacePairs.clear();
    llvm::SmallVector<BufferId, 0> identity(problem.buffers.size());
    std::iota(identity.begin(), identity.end(), 0);
    smallest.offer(runScheduler(scheduler, without, options), identity);
  }
  return smallest.take();
}
