//===- HeapTimeline.h - Bytes held over time --------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_HEAPTIMELINE_H
#define BUFFER_MERGE_LIB_PLANNING_HEAPTIMELINE_H

#include "buffer-merge/Analysis/BufferLifetimes.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace buffer_merge {
/// Bytes that are held from tick `begin` until before tick `end`.
struct HeldBytes {
  int64_t begin, end;
  int64_t bytes;
};

/// What is held without pools.
struct BaselineBytes {
  int64_t begin, end;
  /// At most, and at least, if `begin` is executed.
  int64_t bytes, leastBytes;
  /// Until before this tick at least.
  int64_t leastEnd;
  /// The innermost region, of those that may not run, in which it is allocated:
  /// an index in their list.
  unsigned region;
};

/// What one execution of a scope holds over time, and what it may hold so that
/// no path through the scope has a higher peak than the baseline.
///
/// A path takes some of the regions that may not run. The peak of the baseline
/// on a path is at least that of the regions that it must take to reach a tick,
/// of what is allocated in these:
///
/// ```
///   scope            |---- 30 ----|      |-- 20 --|
///   region 1                       |-50-|
///   allowed           30 30 30 30  50 50  30 30 30
/// ```
class HeapTimeline {
public:
  /// A region that may not run, inside another one: the index of the latter in
  /// the list of regions. The first region is the scope itself.
  struct Region {
    unsigned parent;
    TickRange ticks;
  };

  /// `regions` are sorted so that every region follows its parent. `baseline`
  /// is what is held without pools; at `limitedTicks` no more may be held than
  /// it holds at that tick. `otherTicks` are ticks at which a pool may begin or
  /// end.
  HeapTimeline(llvm::ArrayRef<Region> regions,
               llvm::ArrayRef<BaselineBytes> baseline,
               llvm::ArrayRef<TickRange> limitedTicks,
               llvm::ArrayRef<int64_t> otherTicks);

  /// Let `bytes` more be held, or less if negative, for good. Both ticks must
  /// be among those that the constructor was given. What a path through the
  /// ticks may not hold must not be taken away: the bytes of a region that may
  /// not run, after it.
  void add(HeldBytes held);

  /// Return a tick at which more is held than allowed by the most bytes, the
  /// first of several, if `added` is held besides and `removed` is not; nothing
  /// if there is none. `bytes`, if given, is set to how much more it is.
  std::optional<int64_t> findExcess(HeldBytes added,
                                    llvm::ArrayRef<HeldBytes> removed,
                                    int64_t *bytes = nullptr) const;

private:
  size_t getSegment(int64_t tick) const;
  void computeAllowed(llvm::ArrayRef<Region> regions,
                      llvm::ArrayRef<BaselineBytes> baseline,
                      llvm::ArrayRef<TickRange> limitedTicks);
  /// Turn differences into sums.
  static void sumUp(llvm::SmallVectorImpl<int64_t> &values);

  /// The segment `i` is from `ticks[i]` until before `ticks[i + 1]`.
  llvm::SmallVector<int64_t, 0> ticks;
  llvm::SmallVector<int64_t, 0> held, allowed;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_HEAPTIMELINE_H
