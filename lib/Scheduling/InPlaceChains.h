//===- InPlaceChains.h - Which in-place pairs to make use of ----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers that are in place of each other at one offset become one unit, as
// large as the largest of them for as long as any of them lives. So a pair
// saves bytes at its tick and may cost some before and after.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_INPLACECHAINS_H
#define BUFFER_MERGE_LIB_SCHEDULING_INPLACECHAINS_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

namespace buffer_merge {
/// Which same-offset pairs become one unit.
enum class InPlaceChoice {
  /// Those that a small pool needs (`linkInPlace`).
  Needed,
  /// All of them.
  All,
};

/// Chains of buffers that are to be in place of each other.
struct InPlaceChains {
  /// No buffer.
  static constexpr BufferId none = ~BufferId(0);

  explicit InPlaceChains(size_t count)
      : next(count, none), previous(count, none) {}

  /// By buffer, the one that is in place of it, and the one that it is in place
  /// of; or `none`.
  llvm::SmallVector<BufferId, 0> next, previous;
};

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
InPlaceChains linkInPlace(const SchedulingProblem &problem,
                          InPlaceChoice choice);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_INPLACECHAINS_H
