//===- SearchState.h - What branch and bound works on -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_SEARCHSTATE_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_SEARCHSTATE_H

#include "BranchAndBound.h"
#include "FailedStates.h"

#include <optional>
#include <tuple>
#include <variant>

namespace buffer_merge {
inline bool areDisjoint(SectionRange a, SectionRange b) {
  return a.end <= b.begin || b.end <= a.begin;
}

/// Return the smallest range that contains both.
inline SectionRange unite(SectionRange a, SectionRange b) {
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// Return the bits that the rank of one of `count` buffers takes.
unsigned getRankBits(unsigned count);

/// The state of a search. A buffer is known by its rank, so that iterating over
/// ranks is iterating in order and ranks need no look-up.
class BranchAndBound::Search {
public:
  explicit Search(const PackingInstance &instance);
  void start(llvm::ArrayRef<unsigned> order, int64_t newCapacity);
  Outcome resume(int64_t maxSteps);

  llvm::SmallVector<int64_t, 0> offsets;
  /// How often each section was found to be the reason of a failure.
  llvm::SmallVector<uint64_t, 0> failures;
  int64_t work = 0;
  /// Work in one step.
  static constexpr int64_t workPerStep = 1024;

private:
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
    /// The group to be searched when this one is done: an index into `groups`,
    /// or `none`.
    unsigned nextGroup;
    /// Lengths of `groups` and of the part of `lists` in use before the frame
    /// was entered.
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

  static constexpr unsigned none = ~0u;

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
  void chooseTopType();
  bool computeReleases(const Key *list, unsigned size, unsigned entry);
  bool fitsSections(const Key *list, unsigned size, unsigned entry,
                    unsigned sectionBegin, unsigned sectionEnd);
  template <typename T>
  bool fitsSections(llvm::SmallVector<T, 0> &tops, const Key *list,
                    unsigned size, unsigned entry, unsigned sectionBegin,
                    unsigned sectionEnd);
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
  int64_t getSectionTop(unsigned section) const {
    return std::visit([&](auto &tops) -> int64_t { return tops[section]; },
                      sectionTops);
  }
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
  /// Where each section ends, as computed last. The smaller the type, the more
  /// sections a vector instruction updates.
  std::variant<llvm::SmallVector<int16_t, 0>, llvm::SmallVector<int32_t, 0>,
               llvm::SmallVector<int64_t, 0>>
      sectionTops;
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
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_SEARCHSTATE_H
