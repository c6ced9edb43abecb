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
// A unit is as large as the largest of its buffers for as long as any of them
// lives. So a pair saves bytes at its tick and may cost some before and after.
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

/// No buffer.
static constexpr BufferId none = ~BufferId(0);

namespace {
/// Chains of buffers that are to be in place of each other.
struct InPlaceChains {
  explicit InPlaceChains(size_t count)
      : next(count, none), previous(count, none) {}

  /// By buffer, the one that is in place of it, and the one that it is in place
  /// of; or `none`.
  llvm::SmallVector<BufferId, 0> next, previous;
};
} // namespace

namespace {
/// Links pairs, those for which it is worth while.
class PairLinker {
public:
  explicit PairLinker(const SchedulingProblem &problem);

  /// Return the chains of all pairs.
  InPlaceChains linkAll();
  /// Return the chains of those that the smallest pool needs.
  InPlaceChains linkNeeded();

private:
  /// A same-offset pair that may be linked, and the section that both are alive
  /// in.
  struct Link {
    BufferId earlier, later;
    unsigned section;
    bool isFixed;
  };

  void start();
  bool isFree(const Link &link) const {
    return chains.next[link.earlier] == none &&
           chains.previous[link.later] == none;
  }
  void link(const Link &link);
  BufferId findUnit(BufferId id);
  int64_t getSize(BufferId id) { return sizes[findUnit(id)]; }
  int64_t computeTotals();
  bool linkFor(int64_t target);

  const SchedulingProblem &problem;
  Sections sections;
  /// In the order in which they are preferred.
  llvm::SmallVector<Link, 0> links;
  /// The buffers of pairs that need no common offset.
  llvm::BitVector isEarlier, isLater;

  InPlaceChains chains;
  /// A forest whose roots stand for units, and the bytes of each root.
  llvm::SmallVector<BufferId, 0> parent;
  llvm::SmallVector<int64_t, 0> sizes;
  /// By section: the bytes of units.
  llvm::SmallVector<int64_t, 0> totals;
};
} // namespace

PairLinker::PairLinker(const SchedulingProblem &problem)
    : problem(problem), sections(problem.buffers),
      isEarlier(problem.buffers.size()), isLater(problem.buffers.size()),
      chains(0) {
  for (const InPlacePair &pair : problem.inPlacePairs) {
    if (pair.condition != InPlaceCondition::SameOffset) {
      isEarlier.set(pair.earlier);
      isLater.set(pair.later);
      continue;
    }
    const Buffer &earlier = problem.buffers[pair.earlier];
    const Buffer &later = problem.buffers[pair.later];
    const bool isFixed = earlier.fixedOffset && later.fixedOffset;
    // What is fixed is decided.
    if (!isFixed || *earlier.fixedOffset == *later.fixedOffset)
      links.push_back(
          {pair.earlier, pair.later, sections.getBegin(pair.later), isFixed});
  }
  auto getKey = [&](const Link &link) {
    return std::pair(!link.isFixed,
                     -std::min(problem.buffers[link.earlier].size,
                               problem.buffers[link.later].size));
  };
  llvm::stable_sort(links, [&](const Link &a, const Link &b) {
    return getKey(a) < getKey(b);
  });
}

/// Begin without links but those that are fixed.
void PairLinker::start() {
  const size_t count = problem.buffers.size();
  chains = InPlaceChains(count);
  parent.resize(count);
  std::iota(parent.begin(), parent.end(), 0);
  sizes.clear();
  for (const Buffer &buffer : problem.buffers)
    sizes.push_back(buffer.size);
  for (const Link &fixed : links)
    if (fixed.isFixed && isFree(fixed))
      link(fixed);
}

BufferId PairLinker::findUnit(BufferId id) {
  while (parent[id] != id)
    id = parent[id] = parent[parent[id]];
  return id;
}

void PairLinker::link(const Link &link) {
  chains.next[link.earlier] = link.later;
  chains.previous[link.later] = link.earlier;
  BufferId earlier = findUnit(link.earlier), later = findUnit(link.later);
  parent[later] = earlier;
  sizes[earlier] = std::max(sizes[earlier], sizes[later]);
}

/// Compute the bytes that units need in each section, and return the most.
int64_t PairLinker::computeTotals() {
  totals.assign(sections.size() + 1, 0);
  // What begins and ends at the ticks of pairs that need no common offset.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 0> halves;
  if (isEarlier.any())
    halves.resize(sections.size());
  for (BufferId id = 0; id < problem.buffers.size(); ++id) {
    const int64_t size = getSize(id);
    sections.forEachLiveRange(id, [&](unsigned begin, unsigned end) {
      totals[begin] += size;
      totals[end] -= size;
    });
    const unsigned begin = sections.getBegin(id);
    if (chains.previous[id] != none) {
      // It was counted there already.
      totals[begin] -= size;
      totals[begin + 1] += size;
    } else if (isLater.test(id)) {
      halves[begin].second += size;
    }
    if (isEarlier.test(id) && chains.next[id] == none)
      halves[sections.getEnd(id) - 1].first += size;
  }
  std::partial_sum(totals.begin(), totals.end(), totals.begin());
  for (auto [total, half] : llvm::zip(totals, halves))
    total -= std::min(half.first, half.second);
  return *llvm::max_element(totals);
}

/// Link what a pool of `target` bytes needs. Return true if that is enough.
bool PairLinker::linkFor(int64_t target) {
  // Each round may make units larger, and so other pairs needed: a few times,
  // where it comes to an end.
  constexpr unsigned maxRounds = 32;
  start();
  for (unsigned round = 0; round < maxRounds; ++round) {
    if (computeTotals() <= target)
      return true;
    bool isChanged = false;
    for (const Link &wanted : links) {
      int64_t &total = totals[wanted.section];
      if (total <= target || !isFree(wanted))
        continue;
      total -= std::min(getSize(wanted.earlier), getSize(wanted.later));
      link(wanted);
      isChanged = true;
    }
    if (!isChanged)
      return false;
  }
  return false;
}

InPlaceChains PairLinker::linkAll() {
  start();
  for (const Link &wanted : links)
    if (isFree(wanted))
      link(wanted);
  return std::move(chains);
}

InPlaceChains PairLinker::linkNeeded() {
  // Without any link that is not fixed, the largest total is enough.
  int64_t least = computeLowerBound(problem).bytes;
  if (!linkFor(least)) {
    start();
    for (int64_t most = computeTotals(); least < most;) {
      const int64_t middle = least + (most - least) / 2;
      if (linkFor(middle))
        most = *llvm::max_element(totals);
      else
        least = middle + 1;
    }
    linkFor(least);
  }
  return std::move(chains);
}

/// Cut the chains that hold both buffers of a conflict.
static void cutAtConflicts(const SchedulingProblem &problem,
                           InPlaceChains &chains) {
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

/// Link the buffers of same-offset pairs of `problem`, which must be well
/// formed.
///
/// Where pairs exclude each other (two buffers that would take the place of
/// one), those of which both offsets are fixed are preferred, then those with
/// more bytes in common, then those listed first; a chain is cut where a
/// conflict forbids it.
///
/// A pair is needed for a pool of some bytes if the units need more than that
/// at its tick without it; it may make others needed, because it makes a unit
/// larger. `Needed` links what the smallest pool needs for which that comes to
/// an end. O(n log n log b) time for n buffers and pairs and b bytes.
static InPlaceChains linkInPlace(const SchedulingProblem &problem,
                                 InPlaceChoice choice) {
  PairLinker linker(problem);
  InPlaceChains chains =
      choice == InPlaceChoice::All ? linker.linkAll() : linker.linkNeeded();
  cutAtConflicts(problem, chains);
  return chains;
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
  InPlaceChains chains = linkInPlace(problem, choice);
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
