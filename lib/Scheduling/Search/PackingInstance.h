//===- PackingInstance.h - One component of a problem, scaled ---*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the search works on: a set of buffers that no tick and no conflict
// connects with any other buffer, bytes divided by their common unit.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_PACKINGINSTANCE_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_PACKINGINSTANCE_H

#include "../Sections.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace buffer_merge {
/// A component of a problem, or a part of one that is searched on its own.
struct PackingInstance {
  /// Take over `part`, which has no capacity and no in-place pairs. O(n log n)
  /// time for n buffers and conflicts.
  explicit PackingInstance(SchedulingProblem part);

  /// The buffers, with bytes in multiples of `unit`: the alignment is 1 if
  /// every multiple of it is aligned. Conflicts are between buffers that do not
  /// overlap in time, each pair once.
  SchedulingProblem problem;
  Sections sections;
  /// The buffers of the problem that this is a component of, in ascending
  /// order, and the bytes in one unit. There is a smallest pool in which every
  /// offset is a multiple of it.
  llvm::SmallVector<BufferId, 0> ids;
  int64_t unit = 1;
  /// The largest sum of sizes in a section, or the highest end of a buffer with
  /// a fixed offset if that is more.
  int64_t lowerBound = 0;
  /// No schedule without holes below a buffer is larger: the sum of sizes and
  /// of what alignment and fixed offsets may add.
  int64_t upperBound = 0;
  bool hasFixedOffsets = false;

  unsigned size() const { return problem.buffers.size(); }
  const Buffer &operator[](unsigned index) const {
    return problem.buffers[index];
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
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_PACKINGINSTANCE_H
