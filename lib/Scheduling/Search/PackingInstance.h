//===- PackingInstance.h - One component of a problem, scaled ---*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the search works on: a set of buffers that no tick and no conflict
// connects with any other buffer, bytes divided by their common unit, ticks
// compressed to sections.
//
// A *section* is a maximal set of buffers alive at one tick. Two buffers are
// alive at one tick if and only if they share a section, and the section with
// the largest sum of sizes is the peak, so that nothing is lost.
//
// ```
//   a  ----------            a: [0, 2)
//   b     -----              b: [0, 1)
//   c          -----         c: [1, 2)
//        0     1             sections {a, b} and {a, c}
// ```
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_PACKINGINSTANCE_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_PACKINGINSTANCE_H

#include "../Sections.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace buffer_merge {
/// A component of a problem. All arrays are indexed by the position of a buffer
/// in `ids`; bytes are counted in multiples of `unit`.
struct PackingInstance {
  /// The buffers of the problem, in ascending order.
  llvm::SmallVector<BufferId, 0> ids;
  /// Bytes in one unit. There is a smallest pool in which every offset is a
  /// multiple of it.
  int64_t unit = 1;
  llvm::SmallVector<int64_t, 0> sizes;
  /// In units as well: 1 if every multiple of `unit` is aligned.
  llvm::SmallVector<int64_t, 0> alignments;
  /// Fixed offsets, -1 for none.
  llvm::SmallVector<int64_t, 0> fixedOffsets;
  /// Lifetimes in ticks.
  llvm::SmallVector<int64_t, 0> durations;
  /// Lifetimes in sections: half-open, never empty.
  llvm::SmallVector<unsigned, 0> sectionBegins, sectionEnds;
  /// The gaps of lifetimes in which a section is.
  SectionGaps gaps;
  unsigned numSections = 0;
  /// Conflicts between buffers that share no section, each pair once.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 0> conflicts;
  /// The largest sum of sizes in a section, or the highest end of a buffer with
  /// a fixed offset if that is more.
  int64_t lowerBound = 0;
  /// No schedule without holes below a buffer is larger: the sum of sizes and
  /// of what alignment and fixed offsets may add.
  int64_t upperBound = 0;
  bool hasFixedOffsets = false;
  bool hasAlignments = false;

  unsigned size() const { return ids.size(); }

  /// Call `visit(begin, end)` on each range of sections in which buffer `index`
  /// is alive.
  template <typename Visitor>
  void forEachLiveRange(unsigned index, Visitor &&visit) const {
    gaps.forEachLiveRange(index, {sectionBegins[index], sectionEnds[index]},
                          visit);
  }
};

/// Split `problem`, which must be well formed, into its components, ordered by
/// the first tick of each, then by its first buffer. O((n + c) log n) for n
/// buffers and c conflicts.
llvm::SmallVector<PackingInstance, 0>
splitProblem(const SchedulingProblem &problem);

/// Advance `state` and return a random number: Vigna's splitmix64, the same on
/// every machine.
uint64_t getNextRandom(uint64_t &state);

/// Return the largest sum of sizes in each section of `instance`.
llvm::SmallVector<int64_t, 0>
computeSectionTotals(const PackingInstance &instance);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_PACKINGINSTANCE_H
