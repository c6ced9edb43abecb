//===- HeapTimeline.h - Bytes held over time --------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_HEAPTIMELINE_H
#define BUFFER_MERGE_LIB_PLANNING_HEAPTIMELINE_H

#include "BranchTree.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <cstdint>
#include <optional>

namespace buffer_merge {
/// Bytes that are held from tick `begin` until before tick `end`.
struct HeldBytes {
  int64_t begin, end;
  int64_t bytes;
};

/// What is held without pools.
struct HeldItem {
  /// It may be held at these ticks, and at no other.
  TickRange ticks;
  /// It is held at these ticks if they are executed, for what else may lead
  /// there; sorted, the first from its allocation on.
  llvm::SmallVector<TickRange, 1> certainTicks;
  /// Its bytes at most; nothing if they are not known.
  std::optional<int64_t> bytes;
  /// Its bytes at least, where it is held for certain.
  int64_t leastBytes;
  /// Bytes that are not known may change from tick to tick.
  bool mayVary = false;
};

/// What one execution of a scope holds over time, and what it may hold so that
/// no path through the scope has a higher peak than the baseline.
///
/// The peak of the baseline on a path is at least that of the branches that it
/// must take to reach a tick, of what is held there for certain:
///
/// ```
///   scope            |---- 30 ----|      |-- 20 --|
///   branch 1                       |-50-|
///   peak              30 30 30 30  50 50  30 30 30
/// ```
///
/// At each tick either no more is held than without pools, or no more than that
/// peak.
/// While something of unknown size is held, only ticks at which it is held as
/// well can have a higher peak for certain.
class HeapTimeline {
public:
  /// `parents` and `parts` are those of a `BranchTree`, `items` what is held
  /// without pools. `otherTicks` are ticks at which a pool may begin or end.
  HeapTimeline(llvm::ArrayRef<unsigned> parents,
               llvm::ArrayRef<BranchTree::Part> parts,
               llvm::ArrayRef<HeldItem> items,
               llvm::ArrayRef<int64_t> otherTicks);

  /// Return the most bytes that are held at one tick, not counting what is of
  /// unknown size.
  int64_t getPeak() const;

  /// Return a number of bytes that every path holds at one tick.
  int64_t getLeastPeak() const { return leastPeak; }

  /// Return a tick at which `pool` in place of `removed` raises the peak by the
  /// most bytes, the first of several; nothing if it does not. `bytes`, if
  /// given, is set to how much it is. `removed` are among the items; the ticks
  /// of `pool` must be known.
  std::optional<int64_t> findExcess(HeldBytes pool,
                                    llvm::ArrayRef<const HeldItem *> removed,
                                    int64_t *bytes = nullptr) const;
  std::optional<int64_t> findExcess(HeldBytes pool,
                                    llvm::ArrayRef<HeldItem> removed) const {
    return findExcess(pool, toPointers(removed));
  }

  /// Let `pool` be held in place of `removed`.
  void replace(HeldBytes pool, llvm::ArrayRef<HeldItem> removed);

private:
  static llvm::SmallVector<const HeldItem *, 0>
  toPointers(llvm::ArrayRef<HeldItem> items) {
    return llvm::map_to_vector<0>(items,
                                  [](const HeldItem &item) { return &item; });
  }

  using Segments = std::pair<size_t, size_t>;
  /// What changes in some segments: of `held` and of `surplus`.
  struct Changes {
    llvm::SmallVector<int64_t, 0> held, surplus;
  };

  void makeSegments();
  size_t getSegment(int64_t tick) const;
  Segments getSegments(TickRange range) const;
  void computePeaks(llvm::ArrayRef<unsigned> parents,
                    llvm::ArrayRef<BranchTree::Part> parts,
                    llvm::ArrayRef<HeldItem> items);
  llvm::SmallVector<Segments, 0>
  findWindows(llvm::ArrayRef<HeldItem> items) const;

  Changes computeChanges(HeldBytes pool,
                         llvm::ArrayRef<const HeldItem *> removed,
                         Segments segments) const;

  /// The segment `i` is from `ticks[i]` until before `ticks[i + 1]`.
  llvm::SmallVector<int64_t, 0> ticks;
  /// The segments by their first tick, counted from the first of all: choosing
  /// a pool asks for the same ticks again and again.
  llvm::SmallVector<uint32_t, 0> segmentOf;
  /// In each segment: the bytes held at most; how many more at most than
  /// without pools, on any path; and the peak that every path to it has without
  /// pools.
  llvm::SmallVector<int64_t, 0> held, surplus, peaks;
  int64_t leastPeak = 0;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_HEAPTIMELINE_H
