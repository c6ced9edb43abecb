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
// that a problem has at most as many sections as buffers and gaps, however far
// apart its ticks are. Not part of the public interface.
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
/// A half-open range of sections.
struct SectionRange {
  unsigned begin;
  unsigned end;
};

/// Where the lifetimes of some buffers have gaps, in sections. Without any it
/// takes no memory.
class SectionGaps {
public:
  /// Add a gap of buffer `index`: those of one buffer from first to last, and
  /// the buffers in ascending order.
  void append(unsigned index, SectionRange gap);

  bool empty() const { return ranges.empty(); }
  llvm::ArrayRef<SectionRange> of(unsigned index) const;

  /// Call `visit(begin, end)` on each part of the lifetime `life` of buffer
  /// `index` that is no gap, in their order.
  template <typename Visitor>
  void forEachLiveRange(unsigned index, SectionRange life,
                        Visitor &&visit) const {
    for (const SectionRange &gap : of(index)) {
      visit(life.begin, gap.begin);
      life.begin = gap.end;
    }
    visit(life.begin, life.end);
  }

private:
  llvm::SmallVector<SectionRange, 0> ranges;
  /// Where the ranges of a buffer end; nothing after the last one with a gap.
  llvm::SmallVector<unsigned, 0> ends;
};

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

  /// The gaps between the two: those in which no section is.
  const SectionGaps &getGaps() const { return gaps; }
  /// Call `visit(begin, end)` on each range of sections in which buffer `id` is
  /// alive.
  template <typename Visitor>
  void forEachLiveRange(BufferId id, Visitor &&visit) const {
    gaps.forEachLiveRange(id, {begins[id], ends[id]}, visit);
  }

  /// Bytes alive in each section. The largest is the lower bound.
  llvm::ArrayRef<int64_t> getTotals() const { return totals; }

private:
  llvm::SmallVector<unsigned, 0> begins, ends;
  SectionGaps gaps;
  llvm::SmallVector<int64_t, 0> totals;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SECTIONS_H
