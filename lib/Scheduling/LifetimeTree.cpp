//===- LifetimeTree.cpp - The first buffer within an interval ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lifetime is a point with the coordinates begin and end; those within an
// interval are the points of a quadrant. A k-d tree halves the points by begin
// and by end in turn. The search goes to the child with the lower rank first,
// and leaves out what is outside the quadrant or has no lower rank than the
// best so far: where a whole subtree is inside, that is one path to a leaf.
//
//===----------------------------------------------------------------------===//

#include "LifetimeTree.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>

using namespace buffer_merge;

LifetimeTree::LifetimeTree(const Sections &sections,
                           llvm::ArrayRef<BufferId> ranking,
                           llvm::ArrayRef<unsigned> ranks) {
  points.reserve(ranks.size());
  for (unsigned rank : ranks)
    points.push_back({sections.getBegin(ranking[rank]),
                      sections.getEnd(ranking[rank]), rank});
  numLeaves = llvm::PowerOf2Ceil(
      std::max<size_t>(llvm::divideCeil(points.size(), leafSize), 1));
  nodes.resize(2 * numLeaves);
  leafBegins.resize(numLeaves + 1, points.size());
  leafOf.resize(ranking.size());
  split(1, 0, points.size(), 0);
}

/// Build the subtree of `node`, which gets the points [from, to). As deep as
/// the tree, that is log n.
void LifetimeTree::split(size_t node, unsigned from, unsigned to,
                         unsigned depth) {
  if (node >= numLeaves) {
    leafBegins[node - numLeaves] = from;
    for (unsigned i = from; i < to; ++i)
      leafOf[points[i].rank] = node - numLeaves;
    return updateLeaf(node, from, to);
  }
  unsigned middle = from + (to - from) / 2;
  auto isLess = [&](const Point &a, const Point &b) {
    unsigned keyOfA = depth % 2 == 0 ? a.begin : a.end;
    unsigned keyOfB = depth % 2 == 0 ? b.begin : b.end;
    return std::tie(keyOfA, a.rank) < std::tie(keyOfB, b.rank);
  };
  std::nth_element(points.begin() + from, points.begin() + middle,
                   points.begin() + to, isLess);
  split(2 * node, from, middle, depth + 1);
  split(2 * node + 1, middle, to, depth + 1);
  updateNode(node);
}

void LifetimeTree::updateLeaf(size_t node, unsigned from, unsigned to) {
  Node &leaf = nodes[node];
  leaf = {none, 0, none};
  for (unsigned i = from; i < to; ++i) {
    if (points[i].rank == none)
      continue;
    leaf.firstRank = std::min(leaf.firstRank, points[i].rank);
    leaf.lastBegin = std::max(leaf.lastBegin, points[i].begin);
    leaf.firstEnd = std::min(leaf.firstEnd, points[i].end);
  }
}

void LifetimeTree::updateNode(size_t node) {
  const Node &left = nodes[2 * node], &right = nodes[2 * node + 1];
  nodes[node] = {std::min(left.firstRank, right.firstRank),
                 std::max(left.lastBegin, right.lastBegin),
                 std::min(left.firstEnd, right.firstEnd)};
}

unsigned LifetimeTree::findFirst(unsigned begin, unsigned end) const {
  unsigned best = none;
  auto isHopeful = [&](const Node &node) {
    return node.firstRank < best && node.lastBegin >= begin &&
           node.firstEnd <= end;
  };
  // One node waits at each level at most.
  std::array<unsigned, 33> waiting;
  unsigned numWaiting = 0;
  unsigned index = isHopeful(nodes[1]) ? 1 : 0;
  while (true) {
    // Down to a leaf, to the lower rank first.
    while (index != 0 && index < numLeaves) {
      unsigned left = 2 * index, right = left + 1;
      bool isLeftHopeful = isHopeful(nodes[left]);
      bool isRightHopeful = isHopeful(nodes[right]);
      if (isLeftHopeful && isRightHopeful) {
        bool isLeftFirst = nodes[left].firstRank < nodes[right].firstRank;
        waiting[numWaiting++] = left + isLeftFirst;
        index = left + !isLeftFirst;
      } else {
        index = isLeftHopeful ? left : isRightHopeful ? right : 0;
      }
    }
    if (index != 0) {
      size_t leaf = index - numLeaves;
      for (unsigned i = leafBegins[leaf]; i < leafBegins[leaf + 1]; ++i)
        if (points[i].rank < best && points[i].begin >= begin &&
            points[i].end <= end)
          best = points[i].rank;
    }
    do {
      if (numWaiting == 0)
        return best;
      index = waiting[--numWaiting];
    } while (nodes[index].firstRank >= best);
  }
}

void LifetimeTree::remove(unsigned rank) {
  size_t leaf = leafOf[rank];
  unsigned from = leafBegins[leaf], to = leafBegins[leaf + 1];
  for (unsigned i = from; i < to; ++i)
    if (points[i].rank == rank)
      points[i].rank = none;
  size_t node = leaf + numLeaves;
  updateLeaf(node, from, to);
  for (node /= 2; node != 0; node /= 2)
    updateNode(node);
}
