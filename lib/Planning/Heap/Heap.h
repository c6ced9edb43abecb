//===- Heap.h - Bytes held over time, path by path --------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one execution of a scope holds over time, and how many bytes a pool may
// have without raising the peak of any path. Knows no IR.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_HEAP_H
#define BUFFER_MERGE_LIB_PLANNING_HEAP_H

#include "BranchTree.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace buffer_merge {
/// The bytes of something at most, if that is known, and at least.
using Bytes = std::pair<std::optional<int64_t>, int64_t>;

/// Bytes held because of an allocation, a pool, an inner scope or a call. The
/// tick after the last one of a scope stands for what an execution of the scope
/// leaves behind.
struct Hold {
  /// They may be held at these ticks, and at no other.
  TickRange ticks = {0, -1};
  /// The branch that allocates them.
  unsigned branch = 0;
  /// They are held at these ticks, of `branch` or inside it, if they are
  /// executed. Sorted; the first range begins with the allocation.
  llvm::SmallVector<TickRange, 1> certain;
  /// The bytes at most; nothing if they are not known.
  std::optional<int64_t> most;
  /// The bytes at least, where they are held for certain.
  int64_t least = 0;
  /// The bytes of these at most that are not really there.
  int64_t padding = 0;
  /// Bytes that are not known may change from tick to tick.
  bool mayVary = false;

  /// Return true if it is known when they are held, whatever path is taken, and
  /// how many they are.
  bool isCertain() const {
    return branch == 0 && most == least && certain.size() == 1 &&
           certain.front().first == ticks.first &&
           certain.front().last == ticks.last;
  }
};

/// A pool, allocated in `branch`, in place of `removed`.
struct Swap {
  unsigned branch = 0;
  /// When the pool is held, inside of its branch; if it is never freed, until
  /// the end of the region that allocates it.
  TickRange ticks = {0, -1};
  /// For a pool that is never freed, and none of `removed` is: the first tick
  /// at which an earlier execution of its region may have left one behind, or
  /// else the first of `ticks`. Outside of `ticks` it is there only if all that
  /// it replaces would be.
  std::optional<int64_t> forGoodFrom;
  llvm::SmallVector<const Hold *, 0> removed;
};

/// The bytes that a pool may have, and the first tick that allows no more.
struct Room {
  int64_t bytes, tick;
};

/// Let `allowed(t)` be the most bytes that are certain at one tick of the
/// branches that lead to tick t:
///
/// ```
///   scope            |---- 30 ----|      |-- 20 --|
///   branch 1                       |-50-|
///   allowed           30 30 30 30  50 50  30 30 30
/// ```
///
/// A pool raises the peak of no path if at each tick all that is held with it
/// is at most `allowed(t)`, or pools add nothing to what they replace there. In
/// its own branch, what a pool replaces counts as far as it is certain, and
/// what it saves is room for others; after the branch and beside it only what
/// it adds counts.
///
/// While something of unknown size is held, `allowed` is what is certain at the
/// ticks at which the same is held.
///
/// Construction takes O(n log n) time for n holds and branches, a query time
/// linear in the segments, between which nothing changes, of the ticks of the
/// pool.
class Heap {
public:
  /// `parents` and `parts` are those of a `BranchTree`. A pool may begin at
  /// `poolTicks`, or end before them.
  Heap(llvm::ArrayRef<unsigned> parents, llvm::ArrayRef<BranchTree::Part> parts,
       llvm::ArrayRef<Hold> holds, llvm::ArrayRef<int64_t> poolTicks);

  /// Return the most bytes that raise the peak of no path. Negative if even the
  /// end of what is removed would: something is in the way already.
  Room getRoom(const Swap &swap) const {
    return findRoom(swap, /*isWorstPathOnly=*/false);
  }

  /// The same if the path with the highest peak counts alone, for memory that
  /// is there anyway.
  Room getRoomOfWorstPath(const Swap &swap) const {
    return findRoom(swap, /*isWorstPathOnly=*/true);
  }

  /// Hold `bytes` for `swap` from now on, of which `padding` is not really
  /// there.
  void commit(const Swap &swap, int64_t bytes, int64_t padding = 0);

  /// Return true if this holds less by `bytes` than `other` at the peak or
  /// leaves less behind, by what is known, and no more of both. Padding does
  /// not count.
  bool holdsLess(const Heap &other, int64_t bytes) const;

  /// Return a number of bytes that every path holds at one tick.
  int64_t getLeastPeak() const { return leastPeak; }

private:
  /// Half-open.
  using Segments = std::pair<size_t, size_t>;

  /// A sequence of numbers: linear to read, logarithmic to change a range of.
  class Sums {
  public:
    void resize(size_t size);
    void add(Segments segments, int64_t value);
    /// Return the values of `segments`.
    llvm::SmallVector<int64_t, 0> get(Segments segments) const;

  private:
    /// Differences of neighbours; and their sums, as a Fenwick tree.
    llvm::SmallVector<int64_t, 0> differences, tree;
  };

  /// Return the bytes at the peak and those that are left behind.
  std::pair<int64_t, int64_t> getMostHeld() const;
  Room findRoom(const Swap &swap, bool isWorstPathOnly) const;
  void makeSegments(llvm::SmallVectorImpl<int64_t> &all);
  size_t getSegment(int64_t tick) const;
  Segments getSegments(TickRange range) const {
    return {getSegment(range.first), getSegment(range.last + 1)};
  }
  void findBranches(llvm::ArrayRef<unsigned> parents,
                    llvm::ArrayRef<BranchTree::Part> parts);
  llvm::SmallVector<int64_t, 0> sumUpCertain(llvm::ArrayRef<Hold> holds) const;
  llvm::SmallVector<Segments, 0> findWindows(llvm::ArrayRef<Hold> holds) const;
  void findAllowed(llvm::ArrayRef<unsigned> parents,
                   llvm::ArrayRef<Hold> holds);

  /// The segment `i` is from `ticks[i]` until before `ticks[i + 1]`; the last
  /// one is what is left behind.
  llvm::SmallVector<int64_t, 0> ticks;
  /// The segments by their first tick, counted from the first of all.
  llvm::SmallVector<uint32_t, 0> segmentOf;
  /// The branch of each segment.
  llvm::SmallVector<unsigned, 0> branchOf;
  /// By branch, the end of its last segment, of it or inside it.
  llvm::SmallVector<size_t, 0> endOf;
  /// In each segment: the bytes held at most, those of them that are padding;
  /// how many more at most than without pools, on any path; and what is
  /// allowed.
  Sums held, padding, surplus;
  llvm::SmallVector<int64_t, 0> allowed;
  /// The segments that hold something of unknown size.
  llvm::BitVector isLimited;
  int64_t leastPeak = 0, worstPeak = 0;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_HEAP_H
