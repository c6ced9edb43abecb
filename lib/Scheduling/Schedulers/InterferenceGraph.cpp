//===- InterferenceGraph.cpp - Hand-overs between buffers ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `interference-graph`: the tensor allocation of NNC (L. Liu, "NNC tensor
// allocation algorithm", libnnc.org). The largest buffers first, each inserted
// into an *allocation graph*, whose edges are ranges of bytes that one buffer
// hands over to another; the first is handed over by nobody, the last to
// nobody.
//
// ```
//            [0, 64)        [0, 64)                    [0, 16)
//    start ----------> a ------------> end     a -> c ---------> end
//                                              a --------------> end
//    c of 16 bytes is inserted into a -> end:       [16, 64)
// ```
//
// A buffer may go to any edge of which neither end interferes with it. Of these
// candidates the one that needs the fewest new bytes is taken, then the one
// that wastes the fewest. New bytes can be had at the top of a block only.
// Without a candidate, the buffer starts a new block, and with it a companion:
// the largest buffer left that can follow or precede it in the same bytes. NNC
// derives only the size of the pool for a candidate; here, every edge carries
// offsets.
//
//===----------------------------------------------------------------------===//

#include "../BufferOrder.h"
#include "../Builtins.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <set>

using namespace buffer_merge;

namespace {
class AllocationGraph {
public:
  explicit AllocationGraph(llvm::ArrayRef<Buffer> buffers) : buffers(buffers) {}

  /// Place all buffers, in the given order, and return their offsets.
  llvm::SmallVector<int64_t, 0> run(llvm::ArrayRef<BufferId> order);

private:
  /// Bytes [low, high) of a block, handed over by a buffer that ends at tick
  /// `from` to one that begins at tick `to`.
  struct Edge {
    int64_t from, to, low, high;
    unsigned block;

    bool operator<(const Edge &other) const {
      return std::tie(from, to, low, high, block) <
             std::tie(other.from, other.to, other.low, other.high, other.block);
    }
  };

  void addEdge(const Edge &edge) {
    // Nothing can be inserted where no time or no bytes are left.
    if (edge.from < edge.to && edge.low < edge.high)
      edges.insert(edge);
  }
  std::optional<Edge> findEdge(const Buffer &buffer) const;
  void insert(BufferId id, Edge edge);
  void startBlock(llvm::ArrayRef<BufferId> order);

  llvm::ArrayRef<Buffer> buffers;
  std::set<Edge> edges;
  llvm::SmallVector<int64_t, 0> blockSizes;
  struct Place {
    unsigned block;
    int64_t offset;
  };
  llvm::SmallVector<std::optional<Place>, 0> places;

  /// How many edges are looked at, and how many buffers to be a companion.
  static constexpr unsigned maxCandidates = 64, maxCompanions = 32;
  static constexpr int64_t startOfTime = std::numeric_limits<int64_t>::min();
  static constexpr int64_t endOfTime = std::numeric_limits<int64_t>::max();
};
} // namespace

/// Return the best of the edges that begin last before `buffer` does, and of
/// those that no buffer begins.
std::optional<AllocationGraph::Edge>
AllocationGraph::findEdge(const Buffer &buffer) const {
  const Edge *best = nullptr;
  // New bytes, and those that are wasted.
  std::pair<int64_t, int64_t> bestCost;
  auto consider = [&](const Edge &edge) {
    int64_t missing = buffer.size - (edge.high - edge.low);
    if (edge.to < buffer.end ||
        (missing > 0 && edge.high != blockSizes[edge.block]))
      return;
    std::pair cost(std::max<int64_t>(missing, 0),
                   std::max<int64_t>(-missing, 0));
    if (best && bestCost <= cost)
      return;
    best = &edge;
    bestCost = cost;
  };
  auto it = edges.lower_bound({startOfTime, buffer.end, 0, 0, 0});
  for (unsigned i = 0;
       it != edges.end() && it->from == startOfTime && i < maxCandidates;
       ++it, ++i)
    consider(*it);
  it = edges.upper_bound({buffer.begin, endOfTime, maxBytes, maxBytes, ~0u});
  for (unsigned i = 0; it != edges.begin() && i < maxCandidates; ++i)
    consider(*--it);
  return best ? std::optional(*best) : std::nullopt;
}

/// Place `id` at the low end of `edge`.
void AllocationGraph::insert(BufferId id, Edge edge) {
  const Buffer &buffer = buffers[id];
  edges.erase(edge);
  places[id] = Place{edge.block, edge.low};
  int64_t top = edge.low + buffer.size;
  int64_t shared = std::min(top, edge.high);
  addEdge({edge.from, buffer.begin, edge.low, shared, edge.block});
  addEdge({buffer.end, edge.to, edge.low, shared, edge.block});
  addEdge({edge.from, edge.to, shared, edge.high, edge.block});
  if (top <= edge.high)
    return;
  blockSizes[edge.block] = top;
  addEdge({startOfTime, buffer.begin, shared, top, edge.block});
  addEdge({buffer.end, endOfTime, shared, top, edge.block});
}

/// Place the first of `order` in a block of its own, and the first one that
/// goes with it in the same bytes.
void AllocationGraph::startBlock(llvm::ArrayRef<BufferId> order) {
  const Buffer &first = buffers[order.front()];
  const unsigned block = blockSizes.size();
  blockSizes.push_back(first.size);
  insert(order.front(), {startOfTime, endOfTime, 0, first.size, block});
  for (BufferId other : order.drop_front().take_front(maxCompanions)) {
    const Buffer &buffer = buffers[other];
    if (places[other])
      continue;
    if (buffer.end <= first.begin)
      return insert(other, {startOfTime, first.begin, 0, first.size, block});
    if (first.end <= buffer.begin)
      return insert(other, {first.end, endOfTime, 0, first.size, block});
  }
}

llvm::SmallVector<int64_t, 0>
AllocationGraph::run(llvm::ArrayRef<BufferId> order) {
  places.resize(buffers.size());
  for (; !order.empty(); order = order.drop_front()) {
    BufferId id = order.front();
    if (places[id])
      continue;
    if (std::optional<Edge> edge = findEdge(buffers[id]))
      insert(id, *edge);
    else
      startBlock(order);
  }
  llvm::SmallVector<int64_t, 0> blockOffsets;
  int64_t top = 0;
  for (int64_t size : blockSizes)
    blockOffsets.push_back(std::exchange(top, top + size));
  llvm::SmallVector<int64_t, 0> offsets;
  for (const std::optional<Place> &place : places)
    offsets.push_back(blockOffsets[place->block] + place->offset);
  return offsets;
}

std::unique_ptr<OnePassScheduler>
buffer_merge::createInterferenceGraphScheduler() {
  return std::make_unique<OnePassScheduler>(
      "interference-graph",
      "The largest first, each into bytes that one buffer hands over to "
      "another",
      [](const SchedulingProblem &problem, int64_t limit) {
        llvm::SmallVector<BufferId, 0> order =
            orderBuffers(problem, Sections(problem.buffers),
                         {OrderKey::Size, OrderKey::Conflicts});
        return adapt(problem, limit,
                     [&](llvm::ArrayRef<Buffer> buffers, int64_t) {
                       return AllocationGraph(buffers).run(order);
                     });
      });
}
