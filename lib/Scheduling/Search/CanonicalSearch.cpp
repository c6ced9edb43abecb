//===- CanonicalSearch.cpp - Schedules from bottom to top -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two buffers are *neighbours* if they must not share bytes: they share a
// section or they are in conflict. Nothing below asks for more than a graph of
// neighbours, unless it says so; alignment and fixed offsets are dealt with
// where they matter.
//
// A state is a set of buffers that are not placed yet, the *floor* of each (the
// lowest aligned offset above all placed neighbours), and a limit.
//
// **Canonical order** [1]. Take any schedule and push buffers down, lowest
// first: each ends at its floor, and the order of neighbours stays what it was.
// Read in the order of (offset, rank), this is a sequence in which each buffer
// is placed exactly at its floor and keys (floor, rank) never decrease. So only
// such sequences are searched: a state has a *limit*, and a buffer with a key
// below it, called *skipped*, cannot be placed until a neighbour raises its
// floor. Rounding up and neighbours by conflict do not disturb the argument. A
// buffer with a fixed offset never moves; its floor is its offset from the
// start, and a state in which it is skipped or a neighbour reaches above its
// floor cannot be completed.
//
// Of all schedules within the capacity consider one with the smallest sum of
// offsets. It is pushed down, and no buffer of it can be moved to a lower
// place. The search may leave out whatever is not like that (if there is a
// schedule at all, this one is found, or another one before it):
//
// **Dominance** [1]. No buffer is placed at or above floor + size of another
// one x that is still to be placed: all that follow are at or above as well, so
// x could be moved down to its floor. (If x is fixed, it would be skipped.)
//
// **Twins** are buffers with the same sections, without a conflict, a fixed
// offset, an alignment or a gap. If two of them lie directly on top of each
// other, the exchange of the two is a schedule as well. So when a twin is
// placed, the larger ones that are not placed yet are *blocked*, until a
// neighbour raises their floor again: they are like skipped buffers from then
// on. This needs more than the smallest sum of offsets; consider the smallest
// sum of
//     offset * size * (1 + epsilon * preference)
// instead, with a preference that is larger for larger twins. Moving a buffer
// down still makes it smaller, and so does putting the larger of two twins
// (the first in the instance, if they are of one size) below the other. The
// preference does not depend on the order that is searched, and neither do
// the blocked buffers, which are part of a state.
//
// **Lifting.** A skipped buffer b ends above its present floor, so it will rest
// on a neighbour that is still to be placed:
//     release(b) = min over such x of release(x) + size(x), rounded up,
// where release(x) is the floor of x, and no less than the limit. The smallest
// solution of these equations is found as shortest paths are. If there is no x,
// or b then ends above the capacity, the state cannot be completed. If all
// such x have a release at or above floor + size of b, then b could be moved
// down to its floor, and the state is left out like in dominance.
//
// **Release-time bound.** The buffers of a section are jobs on one machine,
// which is idle or works on one at a time; each takes its size and is not begun
// before its release. Earliest release first gives the least end, and that must
// be within the capacity. It is at least floor + total of the section, the
// bound of MiniMalloc, with both of its floors. The bound is computed for each
// new state, and again for a state before each further alternative: the one
// tried last has become a skipped buffer.
//
//===----------------------------------------------------------------------===//

#include "CanonicalSearch.h"

#include "../../Mutation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <numeric>

using namespace buffer_merge;

/// Return the bits that the rank of one of `count` buffers takes.
static unsigned getRankBits(unsigned count) {
  return llvm::Log2_32_Ceil(std::max(count, 2u));
}

bool CanonicalSearch::supports(const PackingInstance &instance) {
  return instance.size() != 0 && instance.size() <= maxBuffers &&
         instance.upperBound < int64_t(1)
                                   << (59 - getRankBits(instance.size()));
}

CanonicalSearch::CanonicalSearch(const PackingInstance &instance)
    : instance(instance), count(instance.size()),
      wordsPerRow(llvm::divideCeil(count, 64)), rankBits(getRankBits(count)) {
  assert(supports(instance) && "check before");
  offsets.assign(count, 0);
  ids.resize(count);
  sizes.resize(count);
  alignments.resize(count);
  isFixed.resize(count);
  twins.resize(count);
  sectionBegins.resize(count);
  sectionEnds.resize(count);
  factors.resize(count);
  skipTerms.resize(count);
  neighbours.resize(size_t(count) * wordsPerRow);
  failures.assign(instance.sections.size(), 0);
  uint64_t seed = 1;
  for (unsigned i = 0; i < count; ++i) {
    baseFactors.push_back({getNextRandom(seed) | 1, getNextRandom(seed) | 1});
    baseSkipTerms.push_back({getNextRandom(seed), getNextRandom(seed)});
  }
  findTwins();
}

/// Find the buffers that are alive in the same sections and are not special.
void CanonicalSearch::findTwins() {
  llvm::SmallVector<bool, 0> isSpecial(count, false);
  for (auto [a, b] : instance.problem.conflicts)
    isSpecial[a] = isSpecial[b] = true;
  for (unsigned i = 0; i < count; ++i)
    if (instance[i].alignment != 1 || instance[i].fixedOffset ||
        !instance.sections.getGaps().of(i).empty())
      isSpecial[i] = true;
  const Sections &sections = instance.sections;
  twinOrder.resize(count);
  std::iota(twinOrder.begin(), twinOrder.end(), 0);
  llvm::sort(twinOrder, [&](unsigned a, unsigned b) {
    return std::tuple(sections.getBegin(a), sections.getEnd(a),
                      -instance[a].size,
                      a) < std::tuple(sections.getBegin(b), sections.getEnd(b),
                                      -instance[b].size, b);
  });
  // The twins of a buffer are known by the first of them.
  baseTwins.resize(count);
  unsigned first = none;
  for (unsigned index : twinOrder) {
    baseTwins[index] = index;
    if (isSpecial[index])
      continue;
    if (first != none && sections.getBegin(first) == sections.getBegin(index) &&
        sections.getEnd(first) == sections.getEnd(index))
      baseTwins[index] = first;
    else
      first = index;
  }
}

/// Return `order` with the twins exchanged so that the largest is first.
llvm::SmallVector<unsigned, 0>
CanonicalSearch::sortTwins(llvm::ArrayRef<unsigned> order) const {
  // The next one of each set of twins, by the first of them.
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 0> members(count);
  for (unsigned index : llvm::reverse(twinOrder))
    members[baseTwins[index]].push_back(index);
  llvm::SmallVector<unsigned, 0> sortedOrder;
  for (unsigned index : order)
    sortedOrder.push_back(members[baseTwins[index]].pop_back_val());
  return sortedOrder;
}

void CanonicalSearch::setOrder(llvm::ArrayRef<unsigned> order) {
  assert(order.size() == count && "not a permutation");
  llvm::SmallVector<unsigned, 0> rankOf(count);
  for (auto [rank, index] : llvm::enumerate(sortTwins(order))) {
    rankOf[index] = rank;
    ids[rank] = index;
    sizes[rank] = instance[index].size;
    alignments[rank] = instance[index].alignment;
    isFixed[rank] = instance[index].fixedOffset.has_value();
    sectionBegins[rank] = instance.sections.getBegin(index);
    sectionEnds[rank] = instance.sections.getEnd(index);
    twins[rank] = baseTwins[index];
    factors[rank] = baseFactors[index];
    skipTerms[rank] = baseSkipTerms[index];
  }
  llvm::fill(neighbours, 0);
  for (unsigned a = 0; a < count; ++a) {
    uint64_t *row = &neighbours[size_t(a) * wordsPerRow];
    unsigned begin = sectionBegins[a], end = sectionEnds[a];
    for (unsigned b = 0; b < count; ++b)
      row[b / 64] |= uint64_t(sectionBegins[b] < end && begin < sectionEnds[b])
                     << (b % 64);
    row[a / 64] &= ~(uint64_t(1) << (a % 64));
  }
  auto change = [&](unsigned a, unsigned b, bool value) {
    uint64_t &word = neighbours[size_t(a) * wordsPerRow + b / 64];
    const uint64_t bit = uint64_t(1) << (b % 64);
    word = value ? word | bit : word & ~bit;
  };
  // Buffers that share sections in gaps only are no neighbours.
  if (!instance.sections.getGaps().empty() && !isMutated("exact-neighbours"))
    for (unsigned a = 0; a < count; ++a)
      for (unsigned b = 0; b < count; ++b)
        if (areNeighbours(getRow(a), b) &&
            !instance[ids[a]].overlapsInTime(instance[ids[b]]))
          change(a, b, false);
  for (auto [first, second] : instance.problem.conflicts) {
    change(rankOf[first], rankOf[second], true);
    change(rankOf[second], rankOf[first], true);
  }
  work += int64_t(count) * count / 2;
}

bool CanonicalSearch::begin(llvm::ArrayRef<unsigned> order, int64_t newCapacity,
                            KeyList &list, State &root) {
  // Whatever the instance, the upper bound is enough.
  capacity = std::min(newCapacity, instance.upperBound);
  if (capacity < instance.lowerBound)
    return false;
  // A section may be filled up to twice the capacity before that is noticed.
  const unsigned numSections = instance.sections.size();
  if (capacity <= std::numeric_limits<int16_t>::max() / 2)
    sectionTops.emplace<0>(numSections);
  else if (capacity <= std::numeric_limits<int32_t>::max() / 2)
    sectionTops.emplace<1>(numSections);
  else
    sectionTops.emplace<2>(numSections);
  setOrder(order);

  // Nothing is placed and nothing is skipped.
  list.clear();
  StateHash hash;
  for (unsigned rank = 0; rank < count; ++rank) {
    int64_t floor = instance[ids[rank]].fixedOffset.value_or(0);
    if (floor + sizes[rank] > capacity)
      return false;
    list.push_back(makeKey(floor, rank, false));
    addToHash(hash, rank, floor + 1);
  }
  llvm::sort(list);
  root = {list.data(), count, 0, hash};
  return canComplete(root);
}

int64_t CanonicalSearch::getDominance(const State &state) const {
  int64_t dominance = std::numeric_limits<int64_t>::max();
  for (Key key : llvm::ArrayRef(state.list, state.size))
    dominance = std::min(dominance, getFloor(key) + sizes[getRank(key)]);
  return dominance;
}

/// Fail because two neighbours do not go together.
bool CanonicalSearch::failBetween(unsigned a, unsigned b) {
  SectionRange first = getLife(a), second = getLife(b);
  unsigned begin = std::max(first.begin, second.begin);
  unsigned end = std::min(first.end, second.end);
  // In conflict, they need not meet.
  if (begin >= end)
    return fail({end - 1, begin + 1});
  return fail({begin, instance.sections.getGaps().empty() ? begin + 1 : end});
}

bool CanonicalSearch::place(const State &state, unsigned index, Key *out,
                            State &next) {
  Key placedKey = state.list[index];
  unsigned placed = getRank(placedKey);
  int64_t floor = getFloor(placedKey);
  int64_t top = floor + sizes[placed];
  const uint64_t *row = getRow(placed);
  work += int64_t(state.size) * 4 + 60;

  StateHash hash = state.hash;
  addToHash(hash, placed, -(floor + 1));
  raised.clear();
  touched = getLife(placed);
  unsigned kept = 0, entry = 0;
  for (unsigned i = 0; i < state.size; ++i) {
    Key key = state.list[i];
    unsigned rank = getRank(key);
    if (i == index) {
      entry = kept;
      continue;
    }
    if (!areNeighbours(row, rank) || getFloor(key) >= top) {
      out[kept++] = key;
      continue;
    }
    int64_t newFloor = top;
    if (alignments[rank] != 1)
      newFloor = llvm::alignTo(uint64_t(top), alignments[rank]);
    if (isFixed[rank] || newFloor + sizes[rank] > capacity)
      return failBetween(placed, rank);
    touched = unite(touched, getLife(rank));
    addToHash(hash, rank, newFloor - getFloor(key));
    bool blocked = twins[rank] == twins[placed] && rank < placed &&
                   !isLeftOut("search-twins");
    if (blocked != isBlocked(key))
      addSkipTerm(hash, rank, blocked ? 1 : -1);
    raised.push_back(makeKey(newFloor, rank, blocked));
  }

  // Merge from the back, so that the keys move once.
  llvm::sort(raised, std::less<>());
  unsigned newSize = kept + raised.size();
  unsigned to = newSize;
  for (unsigned from = kept, r = raised.size(); r != 0;) {
    if (from != 0 && out[from - 1] > raised[r - 1])
      out[--to] = out[--from];
    else
      out[--to] = raised[--r];
  }

  next = {out, newSize, entry, hash};
  next.entry = skipBlocked(next, entry);
  return newSize == 0 || next.entry != newSize || failBy(getRank(out[0]));
}

/// Compute the releases of the buffers that are skipped (those before `entry`)
/// or blocked into `releases`. Return false if the state cannot be completed.
bool CanonicalSearch::computeReleases(const State &state) {
  const auto [list, size, entry, hash] = state;
  releases.clear();
  if (entry == size)
    return failBy(getRank(list[0]));
  constexpr int64_t never = std::numeric_limits<int64_t>::max() / 2;
  for (unsigned i = 0; i < size; ++i) {
    if (i >= entry && !isBlocked(list[i]))
      continue;
    unsigned rank = getRank(list[i]);
    if (isFixed[rank])
      return failBy(rank);
    const uint64_t *row = getRow(rank);
    int64_t ownFloor = getFloor(list[i]);
    int64_t best = never, lowest = never;
    unsigned j = entry;
    for (; j < size; ++j) {
      int64_t floor = getFloor(list[j]);
      if (floor >= best)
        break;
      unsigned other = getRank(list[j]);
      if (!areNeighbours(row, other) || isBlocked(list[j]))
        continue;
      lowest = std::min(lowest, floor);
      best = std::min(best, floor + sizes[other]);
    }
    work += (j - entry) * 2 + 4;
    if (alignments[rank] != 1 && best != never)
      best = llvm::alignTo(uint64_t(best), alignments[rank]);
    releases.push_back({best, rank, ownFloor + sizes[rank], lowest});
  }
  work += size / 2;
  // Shortest paths: the least release is final, the others may get smaller.
  unsigned numReleases = releases.size();
  work += int64_t(numReleases) * numReleases;
  for (unsigned i = 0; i < numReleases; ++i) {
    auto *least = std::min_element(releases.begin() + i, releases.end());
    std::swap(releases[i], *least);
    const Release present = releases[i];
    int64_t top = present.release + sizes[present.rank];
    if (top > capacity)
      return failBy(present.rank);
    const uint64_t *row = getRow(present.rank);
    for (unsigned j = i + 1; j < numReleases; ++j) {
      Release &other = releases[j];
      if (top >= other.release || !areNeighbours(row, other.rank))
        continue;
      int64_t release = top;
      if (alignments[other.rank] != 1)
        release = llvm::alignTo(uint64_t(top), alignments[other.rank]);
      other.release = std::min(other.release, release);
    }
  }
  // One that has room below all of its neighbours could be moved down.
  for (const Release &present : releases) {
    if (present.lowestNeighbour < present.roomTop)
      continue;
    const uint64_t *row = getRow(present.rank);
    if (llvm::none_of(releases, [&](const Release &other) {
          return other.release < present.roomTop &&
                 areNeighbours(row, other.rank);
        }))
      return failBy(present.rank);
  }
  return true;
}

/// See below; `allTops` is `sectionTops`.
template <typename T>
bool CanonicalSearch::fitsSections(llvm::SmallVector<T, 0> &allTops,
                                   const State &state) {
  T *tops = allTops.data();
  const unsigned numSections = allTops.size();
  std::fill(tops, tops + numSections, T(0));
  int64_t cells = numSections;
  const bool hasGaps = !instance.sections.getGaps().empty();
  auto add = [&](int64_t release, unsigned rank) {
    T start = release, bytes = sizes[rank];
    auto addRange = [&](unsigned begin, unsigned end) {
      cells += end - begin;
      for (unsigned s = begin; s < end; ++s)
        tops[s] = T(std::max(tops[s], start) + bytes);
    };
    if (hasGaps)
      instance.sections.forEachLiveRange(ids[rank], addRange);
    else
      addRange(sectionBegins[rank], sectionEnds[rank]);
  };
  const Release *next = releases.begin(), *end = releases.end();
  for (Key key : llvm::ArrayRef(state.list, state.size).slice(state.entry)) {
    if (isBlocked(key))
      continue;
    int64_t floor = getFloor(key);
    for (; next != end && next->release <= floor; ++next)
      add(next->release, next->rank);
    add(floor, getRank(key));
  }
  for (; next != end; ++next)
    add(next->release, next->rank);
  T highest = 0;
  for (unsigned s = 0; s < numSections; ++s)
    highest = std::max(highest, tops[s]);
  work += cells / 4 + int64_t(state.size) * 6;
  if (highest <= capacity)
    return true;
  // One that the last placement has not touched tells more.
  unsigned worst = numSections;
  for (unsigned s = 0; s < numSections; ++s) {
    if (tops[s] <= capacity)
      continue;
    worst = s;
    if (s < touched.begin || s >= touched.end)
      break;
  }
  return fail({worst, worst + 1});
}

/// Compute the release-time bound of the sections from `releases` and the
/// buffers from the entry on.
bool CanonicalSearch::fitsSections(const State &state) {
  return std::visit([&](auto &tops) { return fitsSections(tops, state); },
                    sectionTops);
}
