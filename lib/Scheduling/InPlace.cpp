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
#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <numeric>
#include <set>

using namespace buffer_merge;

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
  InPlaceChains chains = linkInPlace(problem, choice);
  // Ticks may be any numbers; their ranks can be doubled.
  SchedulingProblem ranked = rankTicks(problem);
  InPlaceReduction reduction;
  reduction.unitOf.assign(problem.buffers.size(), InPlaceChains::none);
  llvm::SmallVector<Buffer, 0> &units = reduction.problem.buffers;
  llvm::BitVector isFirst(problem.buffers.size());
  llvm::BitVector isLast(problem.buffers.size(), true);
  for (BufferId head = 0; head < problem.buffers.size(); ++head) {
    if (chains.previous[head] != InPlaceChains::none)
      continue;
    for (BufferId id = head; id != InPlaceChains::none; id = chains.next[id]) {
      if (id == head || !addToUnit(units.back(), ranked.buffers[id])) {
        units.push_back(ranked.buffers[id]);
        isFirst.set(id);
      }
      reduction.unitOf[id] = units.size() - 1;
    }
  }
  for (BufferId id = 0; id < isLast.size(); ++id)
    if (BufferId next = chains.next[id];
        next != InPlaceChains::none && !isFirst.test(next))
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
  /// Return true if no schedule of `reduced`, which is made of the problem, can
  /// be smaller.
  bool isDone(const SchedulingProblem &reduced) const {
    return best && best->poolSize <= computeLowerBound(reduced).bytes;
  }

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
    if (reduction.unitOf == unitsBefore || smallest.isDone(reduction.problem))
      continue;
    smallest.offer(runScheduler(scheduler, reduction.problem, options),
                   reduction.unitOf);
    unitsBefore = std::move(reduction.unitOf);
  }
  if (smallest.isDone())
    return smallest.take();
  SchedulingProblem without = problem;
  without.inPlacePairs.clear();
  if (!smallest.isDone(without)) {
    llvm::SmallVector<BufferId, 0> identity(problem.buffers.size());
    std::iota(identity.begin(), identity.end(), 0);
    smallest.offer(runScheduler(scheduler, without, options), identity);
  }
  return smallest.take();
}
