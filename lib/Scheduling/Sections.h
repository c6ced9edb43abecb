//===- Sections.h - Ticks reduced to what matters ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two lifetimes have a tick in common if and only if they have one of the
// largest sets of live buffers in common. A section stands for such a set, so
// that a problem has at most as many sections as buffers, however far apart its
// ticks are. Not part of the public interface.
//
// ```
//     a a a a            ticks    0 1 2 3 4 5 6 7
//       b b b b b        sections 0 0 0 0 1 1 1 1
//               c c
// ```
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SECTIONS_H
#define BUFFER_MERGE_LIB_SCHEDULING_SECTIONS_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/ArrayRef.h"

namespace buffer_merge {
/// The sections of a set of lifetimes, numbered in the order of time.
class Sections {
public:
  /// O(n log n) time for n buffers.
  explicit Sections(llvm::ArrayRef<Buffer> buffers);

  /// The number of sections.
  unsigned size() const { return totals.size(); }

  /// First section in which buffer `id` is alive.
  unsigned getBegin(BufferId id) const { return begins[id]; }
  /// First section after `getBegin(id)` in which it is no longer alive.
  unsigned getEnd(BufferId id) const { return ends[id]; }

  /// Both for all buffers.
  llvm::ArrayRef<unsigned> getBegins() const { return begins; }
  llvm::ArrayRef<unsigned> getEnds() const { return ends; }

  /// Bytes alive in each section. The largest is the lower bound.
  llvm::ArrayRef<int64_t> getTotals() const { return totals; }

private:
  llvm::SmallVector<unsigned, 0> begins, ends;
  llvm::SmallVector<int64_t, 0> totals;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SECTIONS_H
