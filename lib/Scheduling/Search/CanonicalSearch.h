//===- CanonicalSearch.h - Schedules from bottom to top ---------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What branch and bound and beams have in common: states of a search, how one
// follows from another, and which of them cannot be completed. The scheme is
// MiniMalloc's [1]; CanonicalSearch.cpp says what is left out, and why that is
// sound.
//
// [1] M. D. Moffitt, "MiniMalloc: A Lightweight Memory Allocator for
//     Hardware-Accelerated Machine Learning", ASPLOS 2023, vol. 4,
//     doi 10.1145/3623278.3624752.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_CANONICALSEARCH_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_CANONICALSEARCH_H

#include "PackingInstance.h"

#include <limits>
#include <tuple>
#include <variant>
#include <vector>

namespace buffer_merge {
/// The sum that stands for a set of buffers with their floors.
struct StateHash {
  uint64_t first = 0, second = 0;
};

inline bool areDisjoint(SectionRange a, SectionRange b) {
  return a.end <= b.begin || b.end <= a.begin;
}

/// Return the smallest range that contains both.
inline SectionRange unite(SectionRange a, SectionRange b) {
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// The states of one instance. A buffer is known by its rank in the order that
/// is searched, so that iterating over ranks is iterating in order and ranks
/// need no look-up.
class CanonicalSearch {
public:
  enum class Outcome {
    /// There is a schedule within the capacity: `getOffsets()`.
    Found,
    /// Nothing is left to be tried.
    Exhausted,
    /// The limit of steps was reached.
    Stopped,
  };

  /// Return true if the search can run on `instance`: it has 1 to `maxBuffers`
  /// buffers, and offsets leave room for the index of a buffer in 64 bits.
  static bool supports(const PackingInstance &instance);
  static constexpr unsigned maxBuffers = 4096;

  /// Return the steps done since construction. A step is a fixed amount of
  /// work, in the order of a microsecond.
  int64_t getSteps() const { return work / workPerStep; }

  /// Return the offsets found, in units: after `Outcome::Found` only.
  llvm::ArrayRef<int64_t> getOffsets() const { return offsets; }

protected:
  /// `instance` must be supported and must outlive this object.
  explicit CanonicalSearch(const PackingInstance &instance);

  /// A floor and the rank of a buffer, the floor in the upper bits. The lowest
  /// bit says that the buffer is blocked.
  using Key = int64_t;
  /// Keys stay where they are when two lists are swapped.
  using KeyList = std::vector<Key>;

  /// What is left to be placed.
  struct State {
    /// The keys of the buffers, sorted.
    const Key *list = nullptr;
    unsigned size = 0;
    /// The first one that may be placed: those below this index are skipped.
    unsigned entry = 0;
    /// Of all buffers of the list, and of those that are blocked.
    StateHash hash;
  };

  int64_t getFloor(Key key) const { return key >> (rankBits + 1); }
  unsigned getRank(Key key) const {
    return unsigned(key >> 1) & ((1u << rankBits) - 1);
  }
  static bool isBlocked(Key key) { return key & 1; }
  Key makeKey(int64_t floor, unsigned rank, bool blocked) const {
    return floor << (rankBits + 1) | Key(rank) << 1 | Key(blocked);
  }
  /// Return the first index from `index` on of a buffer that is not blocked.
  static unsigned skipBlocked(const State &state, unsigned index) {
    while (index < state.size && isBlocked(state.list[index]))
      ++index;
    return index;
  }

  /// Begin with the buffers in `order`, a permutation of all of them, for
  /// schedules of at most `newCapacity` units: `root`, in `list`. Return false
  /// if there is none.
  bool begin(llvm::ArrayRef<unsigned> order, int64_t newCapacity, KeyList &list,
             State &root);

  /// Place the buffer at `index` of `state` at its floor: `next`, its list in
  /// `out`, which has room for it. Return false if it cannot be completed.
  bool place(const State &state, unsigned index, Key *out, State &next);

  /// Return false if `state` is known not to be completed, even if what comes
  /// before its entry is skipped; otherwise `sectionTops` is up to date.
  bool canComplete(const State &state) {
    return computeReleases(state) && fitsSections(state);
  }

  /// Return the height at or above which no buffer is worth placing.
  int64_t getDominance(const State &state) const;

  SectionRange getLife(unsigned rank) const {
    return {sectionBegins[rank], sectionEnds[rank]};
  }
  void addToHash(StateHash &hash, unsigned rank, int64_t change) const {
    hash.first += factors[rank].first * uint64_t(change);
    hash.second += factors[rank].second * uint64_t(change);
  }
  void addSkipTerm(StateHash &hash, unsigned rank, int sign) const {
    hash.first += skipTerms[rank].first * uint64_t(int64_t(sign));
    hash.second += skipTerms[rank].second * uint64_t(int64_t(sign));
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

  static constexpr int64_t workPerStep = 1024;

  const PackingInstance &instance;
  const unsigned count;
  int64_t capacity = 0;
  int64_t work = 0;
  llvm::SmallVector<int64_t, 0> offsets;

  // By rank.
  llvm::SmallVector<unsigned, 0> ids;
  llvm::SmallVector<int64_t, 0> sizes;
  llvm::SmallVector<unsigned, 0> sectionBegins, sectionEnds;

  /// The sections that the failure noticed last is due to, and those of the
  /// buffer placed last and of those that it raised.
  SectionRange conflict = {0, 0}, touched = {0, 0};
  /// How often each section was found to be the reason of a failure.
  llvm::SmallVector<uint64_t, 0> failures;
  /// Where each section ends at least, as computed last. The smaller the type,
  /// the more sections a vector instruction updates.
  std::variant<llvm::SmallVector<int16_t, 0>, llvm::SmallVector<int32_t, 0>,
               llvm::SmallVector<int64_t, 0>>
      sectionTops;

private:
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

  static constexpr unsigned none = ~0u;

  bool areNeighbours(const uint64_t *row, unsigned rank) const {
    return row[rank / 64] >> (rank % 64) & 1;
  }
  const uint64_t *getRow(unsigned rank) const {
    return &neighbours[size_t(rank) * wordsPerRow];
  }
  void findTwins();
  llvm::SmallVector<unsigned, 0>
  sortTwins(llvm::ArrayRef<unsigned> order) const;
  void setOrder(llvm::ArrayRef<unsigned> order);
  bool failBetween(unsigned a, unsigned b);
  bool computeReleases(const State &state);
  bool fitsSections(const State &state);
  template <typename T>
  bool fitsSections(llvm::SmallVector<T, 0> &tops, const State &state);

  const unsigned wordsPerRow, rankBits;

  // By rank.
  llvm::SmallVector<int64_t, 0> alignments;
  llvm::SmallVector<bool, 0> isFixed;
  /// Equal for buffers with the same neighbours beside each other.
  llvm::SmallVector<unsigned, 0> twins;
  llvm::SmallVector<uint64_t, 0> neighbours;
  llvm::SmallVector<StateHash, 0> factors, skipTerms;

  // By index in the instance: what does not change with the order.
  llvm::SmallVector<StateHash, 0> baseFactors, baseSkipTerms;
  llvm::SmallVector<unsigned, 0> baseTwins;
  /// All buffers; twins follow each other, the largest first.
  llvm::SmallVector<unsigned, 0> twinOrder;

  /// The buffers that are skipped or blocked, by increasing release.
  llvm::SmallVector<Release, 0> releases;
  /// The keys of the buffers that a placement raises.
  KeyList raised;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_CANONICALSEARCH_H
