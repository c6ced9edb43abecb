//===- OverlapTree.cpp - Placed buffers by lifetime ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment tree over the begins that knows the latest end below each node:
// what overlaps an interval begins before its end and ends after its begin.
//
//===----------------------------------------------------------------------===//

#include "OverlapTree.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace buffer_merge;

static constexpr int64_t never = std::numeric_limits<int64_t>::min();

OverlapTree::OverlapTree(llvm::ArrayRef<Buffer> buffers,
                         llvm::ArrayRef<BufferId> candidates)
    : buffers(buffers), leaves(candidates.begin(), candidates.end()) {
  llvm::sort(leaves, [&](BufferId a, BufferId b) {
    return std::pair(buffers[a].begin, a) < std::pair(buffers[b].begin, b);
  });
  width = llvm::PowerOf2Ceil(std::max<size_t>(leaves.size(), 1));
  latestEnds.assign(2 * size_t(width), never);
}

void OverlapTree::insert(BufferId id) {
  const auto *leaf = llvm::partition_point(leaves, [&](BufferId other) {
    return std::pair(buffers[other].begin, other) <
           std::pair(buffers[id].begin, id);
  });
  for (size_t node = width + (leaf - leaves.begin()); node != 0; node /= 2)
    latestEnds[node] = std::max(latestEnds[node], buffers[id].end);
}

void OverlapTree::forEachOverlap(
    const Buffer &buffer, llvm::function_ref<void(BufferId)> visit) const {
  // Buffers that begin at `end` or later are to the right of `limit`.
  size_t limit =
      llvm::partition_point(
          leaves,
          [&](BufferId other) { return buffers[other].begin < buffer.end; }) -
      leaves.begin();
  if (limit == 0 || latestEnds[1] <= buffer.begin)
    return;
  // Depth first, left to right, without a stack: after a subtree comes the
  // right sibling of the first left child on the way up.
  size_t node = 1;
  while (true) {
    if (latestEnds[node] > buffer.begin) {
      if (node < width) {
        node *= 2;
        continue;
      }
      if (node - width >= limit)
        return;
      BufferId other = leaves[node - width];
      if (buffer.overlapsInTime(buffers[other]))
        visit(other);
    }
    while (node % 2 == 1)
      node /= 2;
    if (node == 0)
      return;
    ++node;
    // Skip what lies to the right of the limit altogether.
    unsigned below = llvm::Log2_64(width) - llvm::Log2_64(node);
    if ((node << below) - width >= limit)
      return;
  }
}
