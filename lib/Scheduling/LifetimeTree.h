//===- LifetimeTree.h - The first buffer within an interval -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_LIFETIMETREE_H
#define BUFFER_MERGE_LIB_SCHEDULING_LIFETIMETREE_H

#include "Sections.h"

namespace buffer_merge {
/// A set of ranked buffers that finds the first one whose lifetime lies within
/// an interval of sections. A k-d tree (J. L. Bentley, CACM 1975) over begins
/// and ends: each node knows the first rank, the last begin and the first end
/// of what is left below it.
class LifetimeTree {
public:
  static constexpr unsigned none = ~0u;

  /// Create the set of the buffers with the given ranks, their positions in
  /// `ranking`. O(n log n) time.
  LifetimeTree(const Sections &sections, llvm::ArrayRef<BufferId> ranking,
               llvm::ArrayRef<unsigned> ranks);

  /// Return the lowest rank of a buffer that lives within [begin, end), or
  /// `none`. O(sqrt(n)) time, O(log n) as a rule.
  unsigned findFirst(unsigned begin, unsigned end) const;

  /// Remove the buffer of this rank. O(log n) time.
  void remove(unsigned rank);

private:
  struct Node {
    unsigned firstRank;
    unsigned lastBegin;
    unsigned firstEnd;
  };
  struct Point {
    unsigned begin;
    unsigned end;
    unsigned rank;
  };
  /// Points below one leaf.
  static constexpr unsigned leafSize = 8;

  void split(size_t node, unsigned from, unsigned to, unsigned depth);
  void updateLeaf(size_t node, unsigned from, unsigned to);
  void updateNode(size_t node);

  /// The points leaf by leaf; those removed have the rank `none`.
  llvm::SmallVector<Point, 0> points;
  /// Node i has the children 2i and 2i + 1; all leaves have the same depth.
  llvm::SmallVector<Node, 0> nodes;
  /// Where the points of a leaf begin; one more for the end of the last.
  llvm::SmallVector<unsigned, 0> leafBegins;
  /// The leaf of each rank.
  llvm::SmallVector<unsigned, 0> leafOf;
  size_t numLeaves = 1;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_LIFETIMETREE_H
