//===- InterferenceGraph.cpp - Hand-overs between buffers ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `interference-graph`: the tensor allocation of NNC (libnnc.org). The largest
// buffers first, each inserted into a graph whose edges are ranges of bytes
// that one buffer hands over to another; the first is handed over by nobody,
// the last to nobody.
//
//            [0, 64)        [0, 64)                    [0, 16)
//    start ----------> a ------------> end     a -> c ---------> end
//                                              a --------------> end
//    c of 16 bytes is inserted into a -> end:       [16, 64)
//
// A buffer may go to any edge whose two ends do not interfere with it, at the
// range's begin. Of these candidates the one that needs the fewest new bytes is
// taken, then the one that wastes the fewest. New bytes can be had at the top
// of a block only. Without a candidate, the buffer starts a new block, and with
// it a companion: the largest buffer left (of the next 32) that can follow or
// precede it in the same bytes. There, only the size of the pool is derived for
// a candidate; here, every edge carries offsets.
//
//===----------------------------------------------------------------------===//

#include "../BufferOrder.h"
#include "../Builtins.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <map>

using namespace buffer_merge;

/// Where a range of bytes is handed over by no buffer, and to no buffer.
static constexpr int64_t startOfTime = std::numeric_limits<int64_t>::min();
static constexpr int64_t endOfTime = std::numeric_limits<int64_t>::max();

namespace {
/// A row of numbers that change, in which large ones are found quickly.
class MaxTree {
public:
  explicit MaxTree(size_t count)
      : width(llvm::PowerOf2Ceil(count + 1)), values(2 * width, startOfTime) {}

  void set(size_t index, int64_t value) {
    size_t node = width + index;
    values[node] = value;
    for (node /= 2; node != 0; node /= 2)
      values[node] = std::max(values[2 * node], values[2 * node + 1]);
  }

  /// Return the last index below `limit` whose number is at least `value`.
  std::optional<size_t> findLast(size_t limit, int64_t value) const {
    // Up to a left sibling that has one, then down again to the right.
    size_t node = width + limit;
    while (node % 2 == 0 || values[node - 1] < value) {
      // The nodes that begin a level are powers of two: nothing is left of
      // them.
      if (llvm::isPowerOf2_64(node))
        return std::nullopt;
      node /= 2;
    }
    for (--node; node < width;)
      node = 2 * node + (values[2 * node + 1] >= value ? 1 : 0);
    return node - width;
  }

private:
  size_t width;
  llvm::SmallVector<int64_t, 0> values;
};

class AllocationGraph {
public:
  explicit AllocationGraph(llvm::ArrayRef<Buffer> buffers);

  /// Place all buffers, in the given order, and return their offsets.
  llvm::SmallVector<int64_t, 0> run(llvm::ArrayRef<BufferId> order);

private:
  /// Bytes [low, high) of a block, handed over by a buffer that ends at tick
  /// `from` to one that begins at tick `to`.
  struct Edge {
    int64_t from, to;
    int64_t low, high;
    unsigned block;
  };
  using EdgeId = unsigned;

  void addEdge(const Edge &edge);
  void removeEdge(EdgeId id);
  std::optional<EdgeId> findEdge(const Buffer &buffer) const;

  /// Place `id` at the low end of the edge.
  void insert(BufferId id, EdgeId edgeId);

  /// Place `id` in a block of its own, and return its only edge.
  EdgeId startBlock(int64_t size);

  size_t leafOf(int64_t tick) const {
    return llvm::lower_bound(endTicks, tick) - endTicks.begin();
  }
  /// Tell the tree how far the edges of a leaf reach.
  void updateReach(size_t leaf);

  /// How many edges are compared that begin with a buffer, and how many others.
  static constexpr unsigned maxCandidates = 32;
  /// How far the search for a companion looks ahead.
  static constexpr unsigned maxCompanions = 32;

  llvm::ArrayRef<Buffer> buffers;
  llvm::SmallVector<Edge, 0> edges;
  llvm::SmallVector<int64_t, 0> blockSizes;
  static constexpr unsigned noBlock = ~0u;
  llvm::SmallVector<unsigned, 0> blockOf;
  llvm::SmallVector<int64_t, 0> offsetInBlock;

  /// The edges that begin with a buffer, by the tick at which it ends.
  llvm::SmallVector<int64_t, 0> endTicks;
  llvm::SmallVector<llvm::SmallVector<EdgeId, 1>, 0> edgesFrom;
  MaxTree reach;
  /// The others, by the tick to which they reach.
  std::multimap<int64_t, EdgeId> edgesFromStart;
};
} // namespace

static llvm::SmallVector<int64_t, 0>
collectEndTicks(llvm::ArrayRef<Buffer> buffers) {
  llvm::SmallVector<int64_t, 0> ticks;
  for (const Buffer &buffer : buffers)
    ticks.push_back(buffer.end);
  llvm::sort(ticks, std::less<>());
  ticks.erase(llvm::unique(ticks), ticks.end());
  return ticks;
}

AllocationGraph::AllocationGraph(llvm::ArrayRef<Buffer> buffers)
    : buffers(buffers), blockOf(buffers.size(), noBlock),
      offsetInBlock(buffers.size()), endTicks(collectEndTicks(buffers)),
      edgesFrom(endTicks.size()), reach(endTicks.size()) {}

void AllocationGraph::updateReach(size_t leaf) {
  int64_t latest = startOfTime;
  for (EdgeId id : edgesFrom[leaf])
    latest = std::max(latest, edges[id].to);
  reach.set(leaf, latest);
}

void AllocationGraph::addEdge(const Edge &edge) {
  // Nothing can be inserted where no time or no bytes are left.
  if (edge.from >= edge.to || edge.low >= edge.high)
    return;
  EdgeId id = edges.size();
  edges.push_back(edge);
  if (edge.from == startOfTime) {
    edgesFromStart.emplace(edge.to, id);
    return;
  }
  size_t leaf = leafOf(edge.from);
  edgesFrom[leaf].push_back(id);
  updateReach(leaf);
}

void AllocationGraph::removeEdge(EdgeId id) {
  const Edge &edge = edges[id];
  if (edge.from == startOfTime) {
    auto [it, end] = edgesFromStart.equal_range(edge.to);
    edgesFromStart.erase(std::find_if(
        it, end, [&](const auto &entry) { return entry.second == id; }));
    return;
  }
  size_t leaf = leafOf(edge.from);
  llvm::erase(edgesFrom[leaf], id);
  updateReach(leaf);
}

std::optional<AllocationGraph::EdgeId>
AllocationGraph::findEdge(const Buffer &buffer) const {
  // New bytes, wasted bytes, edge.
  std::optional<std::tuple<int64_t, int64_t, EdgeId>> best;
  auto consider = [&](EdgeId id) {
    const Edge &edge = edges[id];
    int64_t missing = buffer.size - (edge.high - edge.low);
    if (missing > 0 && edge.high != blockSizes[edge.block])
      return;
    std::tuple candidate(std::max<int64_t>(missing, 0),
                         std::max<int64_t>(-missing, 0), id);
    if (!best || candidate < *best)
      best = candidate;
  };
  unsigned count = 0;
  for (auto it = edgesFromStart.lower_bound(buffer.end);
       it != edgesFromStart.end() && count < maxCandidates; ++it, ++count)
    consider(it->second);
  count = 0;
  size_t limit = llvm::upper_bound(endTicks, buffer.begin) - endTicks.begin();
  while (count < maxCandidates) {
    std::optional<size_t> leaf = reach.findLast(limit, buffer.end);
    if (!leaf)
      break;
    for (EdgeId id : edgesFrom[*leaf]) {
      if (edges[id].to >= buffer.end) {
        consider(id);
        ++count;
      }
    }
    limit = *leaf;
  }
  if (!best)
    return std::nullopt;
  return std::get<EdgeId>(*best);
}

void AllocationGraph::insert(BufferId id, EdgeId edgeId) {
  const Buffer &buffer = buffers[id];
  const Edge edge = edges[edgeId];
  removeEdge(edgeId);
  blockOf[id] = edge.block;
  offsetInBlock[id] = edge.low;
  int64_t top = edge.low + buffer.size;
  int64_t shared = std::min(top, edge.high);
  addEdge({edge.from, buffer.begin, edge.low, shared, edge.block});
  addEdge({buffer.end, edge.to, edge.low, shared, edge.block});
  addEdge({edge.from, edge.to, shared, edge.high, edge.block});
  if (top > edge.high) {
    blockSizes[edge.block] = top;
    addEdge({startOfTime, buffer.begin, shared, top, edge.block});
    addEdge({buffer.end, endOfTime, shared, top, edge.block});
  }
}

AllocationGraph::EdgeId AllocationGraph::startBlock(int64_t size) {
  unsigned block = blockSizes.size();
  blockSizes.push_back(size);
  addEdge({startOfTime, endOfTime, 0, size, block});
  return edges.size() - 1;
}

llvm::SmallVector<int64_t, 0>
AllocationGraph::run(llvm::ArrayRef<BufferId> order) {
  for (unsigned i = 0; i < order.size(); ++i) {
    BufferId id = order[i];
    if (blockOf[id] != noBlock)
      continue;
    if (std::optional<EdgeId> edge = findEdge(buffers[id])) {
      insert(id, *edge);
      continue;
    }
    insert(id, startBlock(buffers[id].size));
    // A companion is smaller and fits the block. It goes to the edge that ends
    // with `id` or to the one that begins with it: both are the latest ones.
    for (BufferId other : order.slice(i + 1).take_front(maxCompanions)) {
      if (blockOf[other] != noBlock ||
          buffers[other].overlapsInTime(buffers[id]))
        continue;
      for (EdgeId edge = edges.size(); edge-- > 0;) {
        if (edges[edge].from <= buffers[other].begin &&
            buffers[other].end <= edges[edge].to) {
          insert(other, edge);
          break;
        }
      }
      break;
    }
  }

  llvm::SmallVector<int64_t, 0> blockOffsets;
  int64_t top = 0;
  for (int64_t size : blockSizes) {
    blockOffsets.push_back(top);
    top += size;
  }
  llvm::SmallVector<int64_t, 0> offsets(buffers.size());
  for (auto [offset, block, inBlock] :
       llvm::zip_equal(offsets, blockOf, offsetInBlock))
    offset = blockOffsets[block] + inBlock;
  return offsets;
}

static llvm::SmallVector<int64_t, 0> place(const SchedulingProblem &problem) {
  llvm::SmallVector<BufferId, 0> order =
      orderBuffers(problem, Sections(problem.buffers),
                   {OrderKey::Size, OrderKey::Conflicts});
  return adapt(problem, [&](llvm::ArrayRef<Buffer> buffers) {
    return AllocationGraph(buffers).run(order);
  });
}

std::unique_ptr<OnePassScheduler>
buffer_merge::createInterferenceGraphScheduler() {
  return std::make_unique<OnePassScheduler>(
      "interference-graph",
      "The largest first, each into bytes that one buffer hands over to "
      "another",
      place);
}
