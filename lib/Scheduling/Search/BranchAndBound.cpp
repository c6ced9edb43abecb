//===- BranchAndBound.cpp - Does a component fit a capacity? --------------===//
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
// bound of [1], with both of its floors. The bound is computed for each new
// state, and again for a state before each further alternative: the one tried
// last has become a skipped buffer.
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
// **Decomposition** [1]. When no buffer that is still to be placed crosses the
// boundary between two sections (and no conflict does), the sides are
// independent: each is searched on its own, and if one has no solution, neither
// has the state before. The limit stays what it was: the restriction of a
// canonical sequence to a side is canonical. A side of one buffer needs no
// search; this is what [1] calls hatless pruning, except that there the buffer
// has to be placed first.
//
// **Failed states.** Whether a state can be completed depends on the buffers to
// be placed, their floors and the limit alone: whatever lies below is out of
// reach, and the argument about the smallest sum of offsets only ever moves
// buffers that are still to be placed. So failed states are remembered, across
// orders too: the rank takes part only through the set of skipped buffers with
// a floor at the limit, which is added to the state's hash as the blocked ones
// are. A state that failed with a lower or equal limit or at a higher or equal
// capacity has failed. Two 64-bit sums of products with random odd factors
// stand for a state: one selects the place in the table, both are compared, so
// that two states are taken for one with a probability of about 2^-120.
//
// **Jumps** [2]. A failure is due to some sections, its *conflict*, in this
// sense: if all lifetimes are clipped to these sections, the state cannot be
// completed either. A state that breaks one of the rules above has a section in
// conflict: the one that is too high, or one of the buffer that cannot be
// placed. The rules hold for the clipped state as well: a buffer has fewer
// neighbours there to rest on, so that releases are no lower. Dominance needs a
// section of x.
//
// A placement has *touched* the sections of its buffer and of those that it
// raised. If it fails and the conflict is none of these, the clipped state was
// the same before: no alternative can help, and the state before has failed
// with it. Otherwise, when there is no alternative left, the conflict of the
// state begins with that of any alternative and is united with those of all the
// others that are alive in it, until there are no more. (Follow the schedule of
// the clipped problem with the smallest sum through the search: what it places
// next is an alternative that failed with a part of the conflict, or it comes
// after one that did not touch the conflict and failed within it.) Conflicts
// are ranges of sections here: more sections than needed do no harm.
//
// **Failed parts.** What a failed state looks like in the sections of its
// conflict is remembered like a state. States are compared with these parts in
// the few ranges that were in conflict last, if they are touched.
//
// Frames are on an explicit stack, and the lists of the buffers to be placed on
// another that grows and shrinks with it: no allocation for a node, no undo of
// floors, no recursion.
//
// [2] P. Prosser, "Hybrid Algorithms for the Constraint Satisfaction Problem",
//     Computational Intelligence 9(3), 1993: conflict-directed backjumping. R.
//     Dechter, "Enhancement Schemes for Constraint Processing", Artificial
//     Intelligence 41(3), 1990: learning from conflicts.
//
//===----------------------------------------------------------------------===//

#include "BranchAndBound.h"
#include "../../Mutation.h"
#include "FailedStates.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <limits>
#include <numeric>
#include <optional>

using namespace buffer_merge;

/// Return the bits that the rank of one of `count` buffers takes.
static unsigned getRankBits(unsigned count) {
  return llvm::Log2_32_Ceil(std::max(count, 2u));
}

namespace {
/// A floor and the rank of a buffer, the floor in the upper bits. The lowest
/// bit says that the buffer is blocked.
using Key = int64_t;

/// A buffer that cannot be placed at its floor.
struct Release {
  /// It will not be placed below this.
  int64_t release;
  unsigned rank;
  /// The end that it would have at its floor.
  int64_t roomTop;
  /// The lowest floor of a neighbour that can be placed.
  int64_t lowestNeighbour;

  bool operator<(const Release &other) const {
    return std::tie(release, rank) < std::tie(other.release, other.rank);
  }
};

/// One node of the search: buffers to be placed, in one independent group.
struct Frame {
  /// The keys of the buffers, sorted: `lists[listBegin, +listSize)`.
  size_t listBegin;
  unsigned listSize;
  /// Buffers below this index are skipped; the one there is tried next.
  unsigned next;
  /// `next` when the frame was entered.
  unsigned entry;
  /// Buffers with a floor at or above this are not worth placing.
  int64_t dominance;
  /// Hash of all buffers of the list.
  StateHash hash;
  /// The buffer that was placed to get here, or `none` if the frame begins a
  /// group other than the first of its decomposition.
  unsigned placed;
  /// The depth of the frame that goes on when this one has failed; -1: none.
  int failDepth;
  /// The group to be searched when this one is done: an index into `groups`, or
  /// `none`.
  unsigned nextGroup;
  /// Lengths of `groups` and of the part of `lists` in use before the frame was
  /// entered.
  unsigned numGroups;
  size_t numListed;
  /// The sections of the group.
  unsigned sectionBegin, sectionEnd;
  /// The sections of the buffer placed last, and of those that it raised.
  SectionRange life, touched;
  /// Where the tries of the frame begin in `tries`.
  unsigned firstTry;
};

/// A buffer that was placed, and the sections in which that failed.
struct Try {
  SectionRange life, conflict;
};

/// What a state looks like in some sections.
struct PartialState {
  StateHash hash;
  /// The floor of the first buffer that can be placed.
  int64_t limit;
};

/// A part of a state that is independent of the others.
struct Group {
  size_t listBegin;
  unsigned listSize;
  unsigned entry;
  StateHash hash;
  int failDepth;
  unsigned nextGroup;
  unsigned sectionBegin, sectionEnd;
  /// The release-time bound: groups are searched in decreasing order of it.
  int64_t bound;
};

constexpr unsigned none = ~0u;
} // namespace

static bool areDisjoint(SectionRange a, SectionRange b) {
  return a.end <= b.begin || b.end <= a.begin;
}

/// Return the smallest range that contains both.
static SectionRange unite(SectionRange a, SectionRange b) {
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// The state of a search, whatever type the sections are computed in.
class BranchAndBound::Search {
public:
  virtual ~Search() = default;
  virtual void start(llvm::ArrayRef<unsigned> order, int64_t capacity) = 0;
  virtual BranchAndBound::Outcome resume(int64_t maxSteps) = 0;

  llvm::SmallVector<int64_t, 0> offsets;
  /// How often each section was found to be the reason of a failure.
  llvm::SmallVector<uint64_t, 0> failures;
  int64_t work = 0;
  /// Work in one step.
  static constexpr int64_t workPerStep = 1024;
};

namespace {
/// A search with sections of type `T`, which holds twice the capacity. The
/// smaller the type, the more sections a vector instruction updates.
///
/// Inside, a buffer is known by its rank, so that iterating over ranks is
/// iterating in order and ranks need no look-up.
template <typename T>
class TypedSearch final : public BranchAndBound::Search {
public:
  explicit TypedSearch(const PackingInstance &instance);
  void start(llvm::ArrayRef<unsigned> order, int64_t newCapacity) override;
  BranchAndBound::Outcome resume(int64_t maxSteps) override;

private:
  using Outcome = BranchAndBound::Outcome;

  int64_t getFloor(Key key) const { return key >> (rankBits + 1); }
  unsigned getRank(Key key) const {
    return unsigned(key >> 1) & ((1u << rankBits) - 1);
  }
  static bool isBlocked(Key key) { return key & 1; }
  Key makeKey(int64_t floor, unsigned rank, bool blocked) const {
    return floor << (rankBits + 1) | Key(rank) << 1 | Key(blocked);
  }
  /// Return the first index from `index` on of a buffer that is not blocked.
  unsigned skipBlocked(const Key *list, unsigned size, unsigned index) const {
    while (index < size && isBlocked(list[index]))
      ++index;
    return index;
  }
  bool areNeighbours(const uint64_t *row, unsigned rank) const {
    return row[rank / 64] >> (rank % 64) & 1;
  }
  const uint64_t *getRow(unsigned rank) const {
    return &neighbours[size_t(rank) * wordsPerRow];
  }

  void findTwins();
  llvm::SmallVector<unsigned, 0>
  sortTwins(llvm::ArrayRef<unsigned> order) const;
  void separateAtGaps();
  /// Make room for `count` keys after `listsTop`.
  void reserveLists(size_t count);
  bool place(const Frame &frame, unsigned index);
  bool computeReleases(const Key *list, unsigned size, unsigned entry);
  bool fitsSections(const Key *list, unsigned size, unsigned entry,
                    unsigned sectionBegin, unsigned sectionEnd);
  void addToHash(StateHash &hash, unsigned rank, int64_t change) const {
    hash.first += factors[rank].first * uint64_t(change);
    hash.second += factors[rank].second * uint64_t(change);
  }
  void addSkipTerm(StateHash &hash, unsigned rank, int sign) const {
    hash.first += skipTerms[rank].first * uint64_t(int64_t(sign));
    hash.second += skipTerms[rank].second * uint64_t(int64_t(sign));
  }
  StateHash getStateHash(const Key *list, unsigned entry, StateHash hash) const;
  int64_t getDominance(const Key *list, unsigned size) const;
  bool enterGroups(Group whole, unsigned placed);
  void numberSegments(const Group &whole);
  unsigned findSegment(unsigned rank);
  void collectGroups(const Group &whole, llvm::SmallVectorImpl<Group> &found);
  void enter(const Group &group, unsigned placed, unsigned numGroups,
             size_t numListed);
  SectionRange getLife(unsigned rank) const {
    return {sectionBegins[rank], sectionEnds[rank]};
  }
  /// Fail because of the sections `range`.
  bool fail(SectionRange range) {
    conflict = range;
    failures[range.begin] += range.end - range.begin == 1;
    return false;
  }
  /// Fail because of what one buffer is in: its first section is enough.
  bool failBy(unsigned rank) {
    return fail({sectionBegins[rank], sectionBegins[rank] + 1});
  }
  bool failBetween(unsigned a, unsigned b);
  SectionRange closeConflict(const Frame &frame, SectionRange range) const;
  SectionRange explainEnd(const Frame &frame) const;
  void leave(SectionRange range);
  std::optional<PartialState> getPart(const Key *list, unsigned size,
                                      unsigned entry, SectionRange range);
  const SectionRange *findFailedPart(const Key *list, unsigned size,
                                     unsigned entry);
  void rememberPart(const Frame &frame, SectionRange range);
  bool hasOpenBoundary(unsigned rank) const;
  void changeCrossings(unsigned rank, int change);
  void popTo(int depth);

  const PackingInstance &instance;
  unsigned count;
  unsigned wordsPerRow;
  unsigned rankBits;
  int64_t capacity = 0;

  // By rank.
  llvm::SmallVector<unsigned, 0> ids;
  llvm::SmallVector<int64_t, 0> sizes, alignments;
  llvm::SmallVector<bool, 0> isFixed;
  /// Equal for buffers with the same neighbours beside each other.
  llvm::SmallVector<unsigned, 0> twins;
  llvm::SmallVector<unsigned, 0> sectionBegins, sectionEnds;
  llvm::SmallVector<uint64_t, 0> neighbours;
  llvm::SmallVector<StateHash, 0> factors, skipTerms;
  llvm::SmallVector<std::pair<unsigned, unsigned>, 0> conflicts;
  llvm::SmallVector<bool, 0> hasConflict;

  // By index in the instance: what does not change with the order.
  llvm::SmallVector<StateHash, 0> baseFactors, baseSkipTerms;
  llvm::SmallVector<unsigned, 0> baseTwins;
  /// All buffers; twins follow each other, the largest first.
  llvm::SmallVector<unsigned, 0> twinOrder;

  /// Buffers to be placed that are alive in section s and s + 1.
  llvm::SmallVector<int, 0> crossings;
  llvm::SmallVector<T, 0> sectionTops;
  /// The buffers that are skipped or blocked, by increasing release.
  llvm::SmallVector<Release, 0> releases;
  /// The keys of the buffers that a placement raises.
  llvm::SmallVector<Key, 0> raised;

  llvm::SmallVector<Frame, 0> frames;
  llvm::SmallVector<Group, 0> groups;
  llvm::SmallVector<Key, 0> lists;
  size_t listsTop = 0;
  /// Scratch of `enterGroups`.
  llvm::SmallVector<unsigned, 0> segmentOf, groupOf;
  llvm::SmallVector<Key, 0> sorted;

  FailedStates failedStates;
  llvm::SmallVector<Try, 0> tries;
  /// Sections that states failed in, the latest first.
  llvm::SmallVector<SectionRange, 4> recent;
  /// The sections that the failure noticed last is due to.
  SectionRange conflict = {0, 0};
  /// Of the buffer placed last and those that it raised.
  SectionRange touched = {0, 0};
  bool isExhausted = false;
  bool isFound = false;
};
} // namespace

template <typename T>
TypedSearch<T>::TypedSearch(const PackingInstance &instance)
    : instance(instance), count(instance.size()),
      wordsPerRow(llvm::divideCeil(count, 64)), rankBits(getRankBits(count)) {
  offsets.assign(count, 0);
  ids.resize(count);
  sizes.resize(count);
  alignments.resize(count);
  isFixed.resize(count);
  twins.resize(count);
  sectionBegins.resize(count);
  sectionEnds.resize(count);
  hasConflict.resize(count);
  factors.resize(count);
  skipTerms.resize(count);
  neighbours.resize(size_t(count) * wordsPerRow);
  sectionTops.resize(instance.numSections);
  failures.assign(instance.numSections, 0);
  segmentOf.resize(instance.numSections);
  uint64_t seed = 1;
  for (unsigned i = 0; i < count; ++i) {
    baseFactors.push_back({getNextRandom(seed) | 1, getNextRandom(seed) | 1});
    baseSkipTerms.push_back({getNextRandom(seed), getNextRandom(seed)});
  }
  findTwins();
}

/// Find the buffers that are alive in the same sections and are not special.
template <typename T>
void TypedSearch<T>::findTwins() {
  llvm::SmallVector<bool, 0> isSpecial(count, false);
  for (auto [a, b] : instance.conflicts)
    isSpecial[a] = isSpecial[b] = true;
  for (unsigned i = 0; i < count; ++i)
    if (instance.alignments[i] != 1 || instance.fixedOffsets[i] >= 0 ||
        (!isMutated("twins-with-gaps") && !instance.gaps.of(i).empty()))
      isSpecial[i] = true;
  twinOrder.resize(count);
  std::iota(twinOrder.begin(), twinOrder.end(), 0);
  llvm::sort(twinOrder, [&](unsigned a, unsigned b) {
    return std::tuple(instance.sectionBegins[a], instance.sectionEnds[a],
                      -instance.sizes[a], a) <
           std::tuple(instance.sectionBegins[b], instance.sectionEnds[b],
                      -instance.sizes[b], b);
  });
  // The twins of a buffer are known by the first of them.
  baseTwins.resize(count);
  unsigned first = none;
  for (unsigned index : twinOrder) {
    baseTwins[index] = index;
    if (isSpecial[index])
      continue;
    if (first != none &&
        instance.sectionBegins[first] == instance.sectionBegins[index] &&
        instance.sectionEnds[first] == instance.sectionEnds[index])
      baseTwins[index] = first;
    else
      first = index;
  }
}

/// Return `order` with the twins exchanged so that the largest is first.
template <typename T>
llvm::SmallVector<unsigned, 0>
TypedSearch<T>::sortTwins(llvm::ArrayRef<unsigned> order) const {
  // The next one of each set of twins, by the first of them.
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 0> members(count);
  for (unsigned index : llvm::reverse(twinOrder))
    members[baseTwins[index]].push_back(index);
  llvm::SmallVector<unsigned, 0> sortedOrder;
  for (unsigned index : order)
    sortedOrder.push_back(members[baseTwins[index]].pop_back_val());
  return sortedOrder;
}

template <typename T>
void TypedSearch<T>::start(llvm::ArrayRef<unsigned> order,
                           int64_t newCapacity) {
  assert(order.size() == count && "not a permutation");
  if (newCapacity > capacity)
    failedStates.clear();
  capacity = newCapacity;
  isFound = isExhausted = false;
  if (capacity < instance.lowerBound) {
    isExhausted = true;
    return;
  }
  frames.clear();
  groups.clear();
  tries.clear();
  listsTop = 0;

  llvm::SmallVector<unsigned, 0> rankOf(count);
  for (auto [rank, index] : llvm::enumerate(sortTwins(order))) {
    rankOf[index] = rank;
    ids[rank] = index;
    sizes[rank] = instance.sizes[index];
    alignments[rank] = instance.alignments[index];
    isFixed[rank] = instance.fixedOffsets[index] >= 0;
    sectionBegins[rank] = instance.sectionBegins[index];
    sectionEnds[rank] = instance.sectionEnds[index];
    hasConflict[rank] = false;
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
  separateAtGaps();
  conflicts.clear();
  for (auto [first, second] : instance.conflicts) {
    unsigned a = rankOf[first], b = rankOf[second];
    conflicts.emplace_back(a, b);
    hasConflict[a] = hasConflict[b] = true;
    neighbours[size_t(a) * wordsPerRow + b / 64] |= uint64_t(1) << (b % 64);
    neighbours[size_t(b) * wordsPerRow + a / 64] |= uint64_t(1) << (a % 64);
  }
  work += int64_t(count) * count / 2;

  crossings.assign(instance.numSections, 0);
  for (unsigned rank = 0; rank < count; ++rank)
    changeCrossings(rank, 1);

  // The root: nothing is placed and nothing is skipped.
  sorted.clear();
  StateHash hash;
  for (unsigned rank = 0; rank < count; ++rank) {
    int64_t floor = std::max<int64_t>(instance.fixedOffsets[ids[rank]], 0);
    if (floor + sizes[rank] > capacity) {
      isExhausted = true;
      return;
    }
    sorted.push_back(makeKey(floor, rank, false));
    addToHash(hash, rank, floor + 1);
  }
  llvm::sort(sorted);
  reserveLists(count);
  llvm::copy(sorted, lists.begin());
  if (!computeReleases(lists.data(), count, 0) ||
      !fitsSections(lists.data(), count, 0, 0, instance.numSections)) {
    isExhausted = true;
    return;
  }
  listsTop = count;
  enter({0, count, 0, hash, -1, none, 0, instance.numSections, 0}, none, 0, 0);
}

/// Buffers that share sections in gaps only are no neighbours.
template <typename T>
void TypedSearch<T>::separateAtGaps() {
  if (instance.gaps.empty() || isMutated("neighbours-in-gaps"))
    return;
  llvm::SmallVector<bool, 0> isLive(instance.numSections, false);
  auto mark = [&](unsigned rank, bool value) {
    instance.forEachLiveRange(ids[rank], [&](unsigned begin, unsigned end) {
      std::fill(isLive.begin() + begin, isLive.begin() + end, value);
    });
  };
  auto isMarked = [&](unsigned rank) {
    bool result = false;
    instance.forEachLiveRange(ids[rank], [&](unsigned begin, unsigned end) {
      result |= std::find(isLive.begin() + begin, isLive.begin() + end, true) !=
                isLive.begin() + end;
    });
    return result;
  };
  for (unsigned a = 0; a < count; ++a) {
    if (instance.gaps.of(ids[a]).empty())
      continue;
    mark(a, true);
    for (unsigned b = 0; b < count; ++b) {
      if (!areNeighbours(getRow(a), b) || isMarked(b))
        continue;
      neighbours[size_t(a) * wordsPerRow + b / 64] &=
          ~(uint64_t(1) << (b % 64));
      neighbours[size_t(b) * wordsPerRow + a / 64] &=
          ~(uint64_t(1) << (a % 64));
    }
    mark(a, false);
  }
}

template <typename T>
void TypedSearch<T>::reserveLists(size_t size) {
  if (lists.size() < listsTop + size)
    lists.resize((listsTop + size) * 2);
}

template <typename T>
void TypedSearch<T>::changeCrossings(unsigned rank, int change) {
  int *data = crossings.data();
  for (unsigned s = sectionBegins[rank], e = sectionEnds[rank] - 1; s < e; ++s)
    data[s] += change;
}

/// Return true if a state may fall apart now that the buffer `rank` is placed.
template <typename T>
bool TypedSearch<T>::hasOpenBoundary(unsigned rank) const {
  if (hasConflict[rank])
    return true;
  for (unsigned s = sectionBegins[rank], e = sectionEnds[rank] - 1; s < e; ++s)
    if (crossings[s] == 0)
      return true;
  return false;
}

template <typename T>
int64_t TypedSearch<T>::getDominance(const Key *list, unsigned size) const {
  int64_t dominance = std::numeric_limits<int64_t>::max();
  for (unsigned i = 0; i < size; ++i)
    dominance =
        std::min(dominance, getFloor(list[i]) + sizes[getRank(list[i])]);
  return dominance;
}

/// Add the skipped buffers with a floor at the limit to `hash`. The limit is
/// the floor of the first buffer that may be placed: nothing comes before it.
template <typename T>
StateHash TypedSearch<T>::getStateHash(const Key *list, unsigned entry,
                                       StateHash hash) const {
  int64_t limit = getFloor(list[entry]);
  for (unsigned i = entry; i-- != 0 && getFloor(list[i]) == limit;) {
    if (isBlocked(list[i]))
      continue;
    addSkipTerm(hash, getRank(list[i]), 1);
  }
  return hash;
}

/// Compute the releases of the buffers that are skipped (those before `entry`)
/// or blocked into `releases`. Return false if the state cannot be completed.
template <typename T>
bool TypedSearch<T>::computeReleases(const Key *list, unsigned size,
                                     unsigned entry) {
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

/// Compute the release-time bound of the sections [sectionBegin, sectionEnd)
/// from `releases` and the buffers from `entry` on.
template <typename T>
bool TypedSearch<T>::fitsSections(const Key *list, unsigned size,
                                  unsigned entry, unsigned sectionBegin,
                                  unsigned sectionEnd) {
  T *tops = sectionTops.data();
  std::fill(tops + sectionBegin, tops + sectionEnd, T(0));
  int64_t cells = sectionEnd - sectionBegin;
  const bool hasGaps =
      !instance.gaps.empty() && !isMutated("release-bound-in-gaps");
  auto add = [&](int64_t release, unsigned rank) {
    T start = release, bytes = sizes[rank];
    auto addRange = [&](unsigned begin, unsigned end) {
      cells += end - begin;
      for (unsigned s = begin; s < end; ++s)
        tops[s] = T(std::max(tops[s], start) + bytes);
    };
    if (hasGaps)
      instance.forEachLiveRange(ids[rank], addRange);
    else
      addRange(sectionBegins[rank], sectionEnds[rank]);
  };
  const Release *next = releases.begin(), *end = releases.end();
  for (unsigned j = entry; j < size; ++j) {
    if (isBlocked(list[j]))
      continue;
    int64_t floor = getFloor(list[j]);
    for (; next != end && next->release <= floor; ++next)
      add(next->release, next->rank);
    add(floor, getRank(list[j]));
  }
  for (; next != end; ++next)
    add(next->release, next->rank);
  T highest = 0;
  for (unsigned s = sectionBegin; s < sectionEnd; ++s)
    highest = std::max(highest, tops[s]);
  work += cells / 4 + int64_t(size) * 6;
  if (highest <= capacity)
    return true;
  // One that the last placement has not touched tells more.
  unsigned worst = sectionEnd;
  for (unsigned s = sectionBegin; s < sectionEnd; ++s) {
    if (tops[s] <= capacity)
      continue;
    worst = s;
    if (s < touched.begin || s >= touched.end)
      break;
  }
  return fail({worst, worst + 1});
}

/// Place the buffer at `index` of the list of `frame` and enter what follows.
/// Return false if that cannot be completed.
template <typename T>
bool TypedSearch<T>::place(const Frame &frame, unsigned index) {
  unsigned size = frame.listSize;
  reserveLists(size);
  const Key *list = &lists[frame.listBegin];
  Key *out = &lists[listsTop];
  Key placedKey = list[index];
  unsigned placed = getRank(placedKey);
  int64_t floor = getFloor(placedKey);
  int64_t top = floor + sizes[placed];
  const uint64_t *row = getRow(placed);
  work += int64_t(size) * 4 + 60;

  StateHash hash = frame.hash;
  addToHash(hash, placed, -(floor + 1));
  raised.clear();
  touched = getLife(placed);
  unsigned kept = 0, entry = 0;
  for (unsigned i = 0; i < size; ++i) {
    Key key = list[i];
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
    bool blocked = twins[rank] == twins[placed] && rank < placed;
    if (blocked != isBlocked(key))
      addSkipTerm(hash, rank, blocked ? 1 : -1);
    raised.push_back(makeKey(newFloor, rank, blocked));
  }
  offsets[ids[placed]] = floor;

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

  if (newSize != 0) {
    entry = skipBlocked(out, newSize, entry);
    if (entry == newSize)
      return failBy(getRank(out[0]));
    if (const SectionRange *sections = failedStates.find(
            getStateHash(out, entry, hash), getFloor(out[entry])))
      return fail(*sections);
    if (const SectionRange *sections = findFailedPart(out, newSize, entry))
      return fail(*sections);
    if (!computeReleases(out, newSize, entry) ||
        !fitsSections(out, newSize, entry, frame.sectionBegin,
                      frame.sectionEnd))
      return false;
  }
  changeCrossings(placed, -1);
  if (enterGroups({listsTop, newSize, entry, hash, int(frames.size()) - 1,
                   frame.nextGroup, frame.sectionBegin, frame.sectionEnd,
                   /*bound=*/0},
                  placed))
    return true;
  changeCrossings(placed, 1);
  return false;
}

/// Enter the state `whole`, whose list is at the top of `lists`, after `placed`
/// was placed; split into groups if it falls apart. Return false if a group is
/// known to fail.
template <typename T>
bool TypedSearch<T>::enterGroups(Group whole, unsigned placed) {
  unsigned numGroups = groups.size();
  if (whole.listSize != 0 && !hasOpenBoundary(placed)) {
    listsTop += whole.listSize;
    enter(whole, placed, numGroups, whole.listBegin);
    return true;
  }
  numberSegments(whole);
  llvm::SmallVector<Group, 16> found;
  collectGroups(whole, found);

  // A single buffer goes to its floor, which is known to be low enough.
  llvm::erase_if(found, [&](const Group &group) {
    Key key = lists[group.listBegin];
    if (group.listSize != 1 || group.entry != 0 || isBlocked(key))
      return false;
    offsets[ids[getRank(key)]] = getFloor(key);
    return true;
  });
  for (Group &group : found) {
    const Key *groupList = &lists[group.listBegin];
    group.entry = skipBlocked(groupList, group.listSize, group.entry);
    if (group.entry == group.listSize)
      return failBy(getRank(groupList[0]));
    if (const SectionRange *sections =
            failedStates.find(getStateHash(groupList, group.entry, group.hash),
                              getFloor(groupList[group.entry])))
      return fail(*sections);
  }
  // The one most likely to fail first.
  llvm::sort(found, [](const Group &a, const Group &b) {
    return std::tuple(-a.bound, a.listSize, a.listBegin) <
           std::tuple(-b.bound, b.listSize, b.listBegin);
  });
  listsTop += whole.listSize;
  unsigned nextGroup = whole.nextGroup;
  for (Group &group : llvm::reverse(found)) {
    group.nextGroup = nextGroup;
    nextGroup = groups.size();
    groups.push_back(group);
  }
  if (nextGroup == none) {
    isFound = true;
    return true;
  }
  Group first = groups[nextGroup];
  enter(first, placed, numGroups, whole.listBegin);
  return true;
}

/// Number the stretches of sections that no buffer of `whole` leaves, and unite
/// those that a conflict connects.
template <typename T>
void TypedSearch<T>::numberSegments(const Group &whole) {
  unsigned numSegments = 0;
  for (unsigned s = whole.sectionBegin; s < whole.sectionEnd; ++s) {
    segmentOf[s] = numSegments;
    numSegments += crossings[s] == 0 || s + 1 == whole.sectionEnd;
  }
  work += whole.sectionEnd - whole.sectionBegin + whole.listSize * 4;
  groupOf.resize(numSegments);
  std::iota(groupOf.begin(), groupOf.end(), 0);
  if (conflicts.empty())
    return;
  llvm::SmallVector<bool, 0> isListed(count, false);
  for (unsigned i = 0; i < whole.listSize; ++i)
    isListed[getRank(lists[whole.listBegin + i])] = true;
  for (auto [a, b] : conflicts) {
    if (!isListed[a] || !isListed[b])
      continue;
    unsigned left = findSegment(a), right = findSegment(b);
    groupOf[std::max(left, right)] = std::min(left, right);
  }
  work += count + conflicts.size() * 4;
}

/// Return the first segment of the group that the buffer of `rank` is in.
template <typename T>
unsigned TypedSearch<T>::findSegment(unsigned rank) {
  unsigned segment = segmentOf[sectionBegins[rank]];
  while (groupOf[segment] != segment)
    segment = groupOf[segment] = groupOf[groupOf[segment]];
  return segment;
}

/// Sort the list of `whole` by groups, and describe each of them.
template <typename T>
void TypedSearch<T>::collectGroups(const Group &whole,
                                   llvm::SmallVectorImpl<Group> &found) {
  const Key *list = &lists[whole.listBegin];
  llvm::SmallVector<unsigned, 32> indexOf(groupOf.size(), none);
  for (unsigned i = 0; i < whole.listSize; ++i) {
    unsigned rank = getRank(list[i]);
    unsigned segment = findSegment(rank);
    if (indexOf[segment] == none) {
      indexOf[segment] = found.size();
      found.push_back({0, 0, 0, {}, whole.failDepth, none, ~0u, 0, 0});
    }
    Group &group = found[indexOf[segment]];
    ++group.listSize;
    group.entry += i < whole.entry;
    addToHash(group.hash, rank, getFloor(list[i]) + 1);
    if (isBlocked(list[i]))
      addSkipTerm(group.hash, rank, 1);
    group.sectionBegin = std::min(group.sectionBegin, sectionBegins[rank]);
    group.sectionEnd = std::max(group.sectionEnd, sectionEnds[rank]);
  }
  sorted.assign(list, list + whole.listSize);
  size_t begin = whole.listBegin;
  llvm::SmallVector<size_t, 16> ends;
  for (Group &group : found) {
    group.listBegin = begin;
    ends.push_back(begin);
    begin += group.listSize;
    for (unsigned s = group.sectionBegin; s < group.sectionEnd; ++s)
      group.bound = std::max<int64_t>(group.bound, sectionTops[s]);
  }
  for (Key key : sorted)
    lists[ends[indexOf[findSegment(getRank(key))]]++] = key;
}

/// Push the frame of `group`.
template <typename T>
void TypedSearch<T>::enter(const Group &group, unsigned placed,
                           unsigned numGroups, size_t numListed) {
  frames.push_back({group.listBegin, group.listSize, group.entry, group.entry,
                    getDominance(&lists[group.listBegin], group.listSize),
                    group.hash, placed, group.failDepth, group.nextGroup,
                    numGroups, numListed, group.sectionBegin, group.sectionEnd,
                    /*life=*/{0, 0}, /*touched=*/{0, 0},
                    unsigned(tries.size())});
}

/// Leave frames until the one at `depth` is the last.
template <typename T>
void TypedSearch<T>::popTo(int depth) {
  while (int(frames.size()) - 1 > depth) {
    Frame &frame = frames.back();
    if (frame.placed != none)
      changeCrossings(frame.placed, 1);
    groups.truncate(frame.numGroups);
    listsTop = frame.numListed;
    tries.truncate(frame.firstTry);
    frames.pop_back();
  }
}

/// Fail because two neighbours do not go together.
template <typename T>
bool TypedSearch<T>::failBetween(unsigned a, unsigned b) {
  SectionRange first = getLife(a), second = getLife(b);
  unsigned begin = std::max(first.begin, second.begin);
  unsigned end = std::min(first.end, second.end);
  // In conflict, they need not meet.
  if (begin >= end)
    return fail({end - 1, begin + 1});
  return fail({begin, instance.gaps.empty() ? begin + 1 : end});
}

/// Return `range` with the sections in which those alternatives of `frame`
/// failed that are alive in it.
template <typename T>
SectionRange TypedSearch<T>::closeConflict(const Frame &frame,
                                           SectionRange range) const {
  llvm::ArrayRef<Try> own = llvm::ArrayRef(tries).drop_front(frame.firstTry);
  for (bool changed = !isMutated("conflict-without-tries"); changed;) {
    changed = false;
    for (const Try &attempt : own) {
      if (areDisjoint(attempt.life, range))
        continue;
      SectionRange larger = unite(range, attempt.conflict);
      changed |= larger.begin != range.begin || larger.end != range.end;
      range = larger;
    }
  }
  return range;
}

/// Return the sections because of which nothing is left to be tried in `frame`.
template <typename T>
SectionRange TypedSearch<T>::explainEnd(const Frame &frame) const {
  const Key *list = &lists[frame.listBegin];
  SectionRange range = {~0u, 0};
  if (tries.size() > frame.firstTry) {
    range = tries.back().conflict;
  }
  if (frame.next == frame.listSize)
    return range;
  // The buffer that could be moved down.
  for (unsigned i = 0; i < frame.listSize; ++i) {
    unsigned rank = getRank(list[i]);
    if (getFloor(list[i]) + sizes[rank] != frame.dominance)
      continue;
    if (range.end == 0)
      return {sectionBegins[rank], sectionBegins[rank] + 1};
    return {std::min(range.begin, sectionEnds[rank] - 1),
            std::max(range.end, sectionBegins[rank] + 1)};
  }
  llvm_unreachable("the least end is that of a buffer");
}

/// Return what a state looks like in the sections `range`, unless no buffer can
/// be placed there.
template <typename T>
std::optional<PartialState>
TypedSearch<T>::getPart(const Key *list, unsigned size, unsigned entry,
                        SectionRange range) {
  // A limit that the first buffer to be placed there exceeds is no other.
  const uint64_t name = uint64_t(range.begin) << 32 | range.end;
  PartialState part = {{name * 0x9e3779b97f4a7c15, name * 0xbf58476d1ce4e5b9},
                       -1};
  for (unsigned i = 0; i < size; ++i) {
    unsigned rank = getRank(list[i]);
    if (areDisjoint(getLife(rank), range))
      continue;
    if (!isMutated("part-without-floors"))
      addToHash(part.hash, rank, getFloor(list[i]) + 1);
    if (isBlocked(list[i]))
      addSkipTerm(part.hash, rank, 1);
    else if (i >= entry && part.limit < 0)
      part.limit = getFloor(list[i]);
  }
  work += size * 2;
  if (part.limit < 0)
    return std::nullopt;
  for (unsigned i = entry; i-- != 0 && getFloor(list[i]) >= part.limit;) {
    unsigned rank = getRank(list[i]);
    if (!isBlocked(list[i]) && !areDisjoint(getLife(rank), range))
      addSkipTerm(part.hash, rank, 1);
  }
  return part;
}

/// Return the sections in which a state is one that failed before, or null. It
/// is compared in sections that failed lately and that have changed.
template <typename T>
const SectionRange *
TypedSearch<T>::findFailedPart(const Key *list, unsigned size, unsigned entry) {
  for (SectionRange *it = recent.begin(); it != recent.end(); ++it) {
    if (areDisjoint(*it, touched))
      continue;
    std::optional<PartialState> part = getPart(list, size, entry, *it);
    if (!part)
      continue;
    if (const SectionRange *found =
            failedStates.find(part->hash, part->limit)) {
      std::rotate(recent.begin(), it, it + 1);
      return found;
    }
  }
  return nullptr;
}

/// Remember that `frame` failed because of what is in the sections `range`.
template <typename T>
void TypedSearch<T>::rememberPart(const Frame &frame, SectionRange range) {
  if (range.begin <= frame.sectionBegin && range.end >= frame.sectionEnd)
    return;
  std::optional<PartialState> part =
      getPart(&lists[frame.listBegin], frame.listSize, frame.entry, range);
  if (!part)
    return;
  failedStates.insert(part->hash, part->limit, range);
  auto *it = llvm::find_if(recent, [&](SectionRange other) {
    return other.begin == range.begin && other.end == range.end;
  });
  constexpr unsigned maxRecent = 3;
  if (it == recent.end()) {
    if (recent.size() < maxRecent)
      recent.push_back(range);
    it = std::prev(recent.end());
  }
  *it = range;
  std::rotate(recent.begin(), it, it + 1);
}

/// Leave the last frame, which failed because of the sections `range`, and all
/// those before it that have nothing to do with them.
template <typename T>
void TypedSearch<T>::leave(SectionRange range) {
  while (true) {
    Frame &frame = frames.back();
    range = closeConflict(frame, range);
    const Key *list = &lists[frame.listBegin];
    failedStates.insert(getStateHash(list, frame.entry, frame.hash),
                        getFloor(list[frame.entry]), range);
    rememberPart(frame, range);
    int failDepth = frame.failDepth;
    popTo(failDepth);
    if (failDepth < 0) {
      isExhausted = true;
      return;
    }
    Frame &before = frames.back();
    tries.push_back({before.life, range});
    if (!areDisjoint(before.touched, range) && !isMutated("jump-over-all"))
      return;
  }
}

template <typename T>
BranchAndBound::Outcome TypedSearch<T>::resume(int64_t maxSteps) {
  int64_t maxWork = work + maxSteps * workPerStep;
  while (true) {
    if (isFound)
      return Outcome::Found;
    if (isExhausted)
      return Outcome::Exhausted;
    if (work >= maxWork)
      return Outcome::Stopped;

    Frame &frame = frames.back();
    const Key *list = &lists[frame.listBegin];
    frame.next = skipBlocked(list, frame.listSize, frame.next);
    if (frame.next == frame.listSize ||
        getFloor(list[frame.next]) >= frame.dominance) {
      leave(explainEnd(frame));
      continue;
    }
    // With one more buffer skipped, the state itself may be hopeless.
    if (frame.next != frame.entry &&
        (!computeReleases(list, frame.listSize, frame.next) ||
         !fitsSections(list, frame.listSize, frame.next, frame.sectionBegin,
                       frame.sectionEnd))) {
      leave(conflict);
      continue;
    }
    unsigned index = frame.next++;
    unsigned depth = frames.size() - 1;
    frame.life = getLife(getRank(list[index]));
    Frame copy = frame;
    bool isEntered = place(copy, index);
    frames[depth].touched = touched;
    if (isEntered)
      continue;
    tries.push_back({copy.life, conflict});
    if (areDisjoint(touched, conflict))
      leave(conflict);
  }
}

bool BranchAndBound::supports(const PackingInstance &instance) {
  return instance.size() != 0 && instance.size() <= maxBuffers &&
         instance.upperBound < int64_t(1)
                                   << (59 - getRankBits(instance.size()));
}

BranchAndBound::BranchAndBound(const PackingInstance &instance)
    : instance(instance) {
  assert(supports(instance) && "check before");
}

BranchAndBound::~BranchAndBound() = default;

void BranchAndBound::start(llvm::ArrayRef<unsigned> order, int64_t capacity) {
  // Whatever the instance, this is enough.
  capacity = std::min(capacity, instance.upperBound);
  if (!search || capacity > maxCapacity) {
    if (search)
      earlierWork += search->work;
    // A section may be filled up to twice the capacity before that is noticed.
    if (capacity <= std::numeric_limits<int16_t>::max() / 2) {
      maxCapacity = std::numeric_limits<int16_t>::max() / 2;
      search = std::make_unique<TypedSearch<int16_t>>(instance);
    } else if (capacity <= std::numeric_limits<int32_t>::max() / 2) {
      maxCapacity = std::numeric_limits<int32_t>::max() / 2;
      search = std::make_unique<TypedSearch<int32_t>>(instance);
    } else {
      maxCapacity = std::numeric_limits<int64_t>::max();
      search = std::make_unique<TypedSearch<int64_t>>(instance);
    }
  }
  search->start(order, capacity);
}

BranchAndBound::Outcome BranchAndBound::resume(int64_t maxSteps) {
  return search->resume(maxSteps);
}

int64_t BranchAndBound::getSteps() const {
  return (earlierWork + (search ? search->work : 0)) / Search::workPerStep;
}

llvm::ArrayRef<uint64_t> BranchAndBound::getFailures() const {
  return search->failures;
}

llvm::ArrayRef<int64_t> BranchAndBound::getOffsets() const {
  return search->offsets;
}
