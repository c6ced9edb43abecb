//===- LifetimeBits.h - Few buffers by begin, end and rank ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which is the first buffer that lives within a stretch of time? Of few
// buffers, the bits of those that begin late enough, end early enough and are
// left tell it in a few words.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_LIFETIMEBITS_H
#define BUFFER_MERGE_LIB_SCHEDULING_LIFETIMEBITS_H

#include "Sections.h"

#include "llvm/ADT/bit.h"

namespace buffer_merge {
/// The same as `LifetimeTree`, in n^2 / 16 bytes and time in proportion to
/// them.
class LifetimeBits {
public:
  static constexpr unsigned none = ~0u;

  /// Create the set of the buffers with the given ranks, their positions in
  /// `ranking`.
  LifetimeBits(const Sections &sections, llvm::ArrayRef<BufferId> ranking,
               llvm::ArrayRef<unsigned> ranks)
      : numWords(ranking.size() / 64 + 1), numSections(sections.size()),
        left(numWords) {
    beginsFrom.assign((numSections + 1) * numWords, 0);
    endsUpTo.assign((numSections + 1) * numWords, 0);
    auto set = [](uint64_t *words, unsigned rank) {
      words[rank / 64] |= uint64_t(1) << (rank % 64);
    };
    for (unsigned rank : ranks) {
      set(left.data(), rank);
      set(&beginsFrom[sections.getBegin(ranking[rank]) * numWords], rank);
      set(&endsUpTo[sections.getEnd(ranking[rank]) * numWords], rank);
    }
    for (size_t i = numWords; i < endsUpTo.size(); ++i)
      endsUpTo[i] |= endsUpTo[i - numWords];
    for (size_t i = beginsFrom.size() - numWords; i-- != 0;)
      beginsFrom[i] |= beginsFrom[i + numWords];
  }

  /// Return the lowest rank of a buffer that lives within the sections [begin,
  /// end), or `none`.
  unsigned findFirst(unsigned begin, unsigned end) const {
    const uint64_t *late = &beginsFrom[begin * numWords];
    const uint64_t *early = &endsUpTo[end * numWords];
    for (unsigned word = 0; word < numWords; ++word)
      if (uint64_t bits = left[word] & late[word] & early[word])
        return word * 64 + llvm::countr_zero(bits);
    return none;
  }

  /// Remove the buffer of this rank.
  void remove(unsigned rank) {
    left[rank / 64] &= ~(uint64_t(1) << (rank % 64));
  }

private:
  const size_t numWords, numSections;
  /// By rank: the buffers that are left.
  llvm::SmallVector<uint64_t, 4> left;
  /// For each section, those that begin there or later, and that end there or
  /// before.
  llvm::SmallVector<uint64_t, 64> beginsFrom, endsUpTo;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_LIFETIMEBITS_H
