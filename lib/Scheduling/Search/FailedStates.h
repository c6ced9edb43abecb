//===- FailedStates.h - What need not be searched ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_FAILEDSTATES_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_FAILEDSTATES_H

#include "CanonicalSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <limits>

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
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_FAILEDSTATES_H
