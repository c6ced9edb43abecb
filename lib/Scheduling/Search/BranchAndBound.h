//===- BranchAndBound.h - Does a component fit a capacity? ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_BRANCHANDBOUND_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_BRANCHANDBOUND_H

#include "CanonicalSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace buffer_merge {
/// States that failed, each with the limit that it failed with and the sections
/// that were enough for it. Direct-mapped,
/// in pairs: the newer entry replaces the older one of its pair. The table
/// grows with use, so that a short search needs not clear a large one.
class FailedStates {
public:
  FailedStates() { clear(); }

  /// Forget everything.
  void clear() {
    bits = minBits;
    numInserted = 0;
    entries.assign(size_t(2) << bits, Entry());
  }

  /// Return the sections in which `hash` failed with a limit of `limit` or
  /// less, or null. Valid until the next insertion.
  const SectionRange *find(StateHash hash, int64_t limit) const {
    const Entry *entry = &entries[getIndex(hash)];
    for (unsigned i = 0; i < 2; ++i)
      if (entry[i].matches(hash, limit))
        return &entry[i].sections;
    return nullptr;
  }

  /// Remember that `hash` failed with a limit of `limit` in `sections`.
  void insert(StateHash hash, int64_t limit, SectionRange sections) {
    if (++numInserted > entries.size() && bits < maxBits)
      grow();
    put({hash, limit, sections});
  }

private:
  struct Entry {
    StateHash hash;
    int64_t limit = std::numeric_limits<int64_t>::max();
    SectionRange sections = {0, 0};
    bool matches(StateHash other, int64_t otherLimit) const {
      return hash.first == other.first && hash.second == other.second &&
             limit <= otherLimit;
    }
  };

  // The upper bits of a sum of products depend on all of its terms.
  size_t getIndex(StateHash hash) const {
    return (hash.first >> (64 - bits)) * 2;
  }
  void put(const Entry &newEntry) {
    Entry *entry = &entries[getIndex(newEntry.hash)];
    if (entry[0].hash.first != newEntry.hash.first ||
        entry[0].hash.second != newEntry.hash.second)
      entry[1] = entry[0];
    entry[0] = newEntry;
  }
  void grow() {
    bits += 2;
    llvm::SmallVector<Entry, 0> old(size_t(2) << bits);
    old.swap(entries);
    for (const Entry &entry : llvm::reverse(old))
      if (entry.limit != std::numeric_limits<int64_t>::max())
        put(entry);
  }

  static constexpr unsigned minBits = 6, maxBits = 18;
  unsigned bits;
  size_t numInserted;
  llvm::SmallVector<Entry, 0> entries;
};
/// A complete search for a schedule of one component below a capacity. It can
/// be stopped after any number of steps and resumed, and it can be restarted
/// with another order of the buffers or a lower capacity without forgetting
/// which states cannot be completed. The file comment of BranchAndBound.cpp
/// says what it learns from them.
class BranchAndBound : public CanonicalSearch {
public:
  /// `instance` must be supported and must outlive this object.
  explicit BranchAndBound(const PackingInstance &instance)
      : CanonicalSearch(instance) {}

  /// Begin a search for a schedule of at most `capacity` units, which prefers
  /// the buffers that come first in `order`, a permutation of all buffers.
  void start(llvm::ArrayRef<unsigned> order, int64_t newCapacity);

  /// Continue the search for about `maxSteps` steps. `Exhausted` is a proof
  /// that there is no schedule.
  Outcome resume(int64_t maxSteps);

  /// Return how often each section was the reason of a failure, since the first
  /// start.
  llvm::ArrayRef<uint64_t> getFailures() const { return failures; }

private:
  /// One node of the search.
  struct Frame {
    /// The keys of the buffers to be placed: `lists[listBegin, +listSize)`.
    size_t listBegin;
    unsigned listSize;
    /// The first buffer that may be placed, and the one that is tried next.
    unsigned entry, next;
    /// Buffers with a floor at or above this are not worth placing.
    int64_t dominance;
    StateHash hash;
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

  State getState(const Frame &frame) const {
    return {&lists[frame.listBegin], frame.listSize, frame.entry, frame.hash};
  }
  void enter(const State &state);
  bool placeNext(const Frame &frame, unsigned index);
  StateHash getStateHash(const State &state) const;
  SectionRange closeConflict(const Frame &frame, SectionRange range) const;
  SectionRange explainEnd(const Frame &frame) const;
  void leave(SectionRange range);
  std::optional<PartialState> getPart(const State &state, SectionRange range);
  const SectionRange *findFailedPart(const State &state);
  void rememberPart(const State &state, SectionRange range);

  llvm::SmallVector<Frame, 0> frames;
  /// The lists of all frames, one after the other.
  KeyList lists;
  size_t listsTop = 0;

  FailedStates failedStates;
  llvm::SmallVector<Try, 0> tries;
  /// Sections that states failed in, the latest first.
  llvm::SmallVector<SectionRange, 4> recent;
  bool isExhausted = false;
  bool isFound = false;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_BRANCHANDBOUND_H
