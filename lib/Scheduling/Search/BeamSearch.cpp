//===- BeamSearch.cpp - Many schedules from bottom to top -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The *room* of a section is what the capacity exceeds its release-time bound
// by. It only gets less. A state is rated by how many times less, as a sum of
// logarithms over the sections: none may run out of room, and the last bytes
// are dear. A section in which everything is placed counts no longer. Which
// sections will be short of room is not known before; so they have weights, at
// random, and the next beam has others.
//
// A layer holds the states in which as many buffers are placed.
//
//===----------------------------------------------------------------------===//

#include "BeamSearch.h"

#include "../BufferOrder.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace buffer_merge;

/// Return the logarithm of `value` to the base of 2, with 16 bits after the
/// point, linear between powers of two: the same on every machine.
static int64_t getLogarithm(uint64_t value) {
  unsigned exponent = llvm::Log2_64(value);
  uint64_t fraction = value - (uint64_t(1) << exponent);
  fraction =
      exponent < 16 ? fraction << (16 - exponent) : fraction >> (exponent - 16);
  return int64_t(exponent) << 16 | int64_t(fraction);
}

BeamSearch::BeamSearch(const PackingInstance &instance)
    : CanonicalSearch(instance),
      order(orderBuffers(instance.problem, instance.sections,
                         {OrderKey::Area, OrderKey::Duration})) {}

void BeamSearch::start(int64_t newCapacity, unsigned newWidth) {
  width = newWidth;
  nodes = {{none, 0}};
  layer.clear();
  candidates.clear();
  numCandidates = firstNode = next = 0;
  isFound = false;
  State root;
  if (!begin(order, newCapacity, lists, root))
    return;
  layer.push_back(root);
  following.resize(count);
  leastRoom = 1 + capacity / 1024;
  initialRoom.clear();
  weights.clear();
  for (int64_t total : instance.sections.getTotals()) {
    initialRoom.push_back(getLogarithm(capacity - total + leastRoom));
    weights.push_back(1 + getNextRandom(random) % 4);
  }
}

BeamSearch::Outcome BeamSearch::resume(int64_t maxSteps) {
  const int64_t maxWork = work + maxSteps * workPerStep;
  while (!isFound) {
    if (next == layer.size()) {
      if (candidates.empty())
        return Outcome::Exhausted;
      openLayer();
    }
    if (work >= maxWork)
      return Outcome::Stopped;
    expand(next++);
  }
  return Outcome::Found;
}

/// Go on to the next layer: the best candidates, each once.
void BeamSearch::openLayer() {
  llvm::sort(candidates, std::less<>());
  work += int64_t(candidates.size()) * 16;
  std::swap(layer, layerBefore);
  std::swap(lists, listsBefore);
  layer.clear();
  const unsigned size = layerBefore.front().size - 1;
  lists.resize(size * std::min<size_t>(width, candidates.size()));
  llvm::SmallDenseSet<uint64_t> hashes;
  const unsigned firstBefore = std::exchange(firstNode, nodes.size());
  for (const Candidate &candidate : candidates) {
    if (layer.size() == width)
      break;
    if (!hashes.insert(candidate.hash).second)
      continue;
    const State &state = layerBefore[candidate.slot];
    nodes.push_back(
        {firstBefore + candidate.slot, state.list[candidate.index]});
    Key *list = &lists[layer.size() * size];
    place(state, candidate.index, list, layer.emplace_back());
  }
  next = 0;
  candidates.clear();
}

/// Try all that can be placed next in the state `slot` of the layer.
void BeamSearch::expand(unsigned slot) {
  const State state = layer[slot];
  const int64_t dominance = getDominance(state);
  work += state.size;
  for (unsigned index = state.entry;
       index != state.size && getFloor(state.list[index]) < dominance;
       index = skipBlocked(state, index + 1)) {
    State after;
    if (!place(state, index, following.data(), after))
      continue;
    if (after.size == 0) {
      nodes.push_back({firstNode + slot, state.list[index]});
      takeOffsets(nodes.size() - 1);
      return;
    }
    if (std::optional<int64_t> rating = rate(after))
      add(slot, index, *rating, after.hash);
  }
}

/// Return what the sections have lost in `state`, or nothing if it cannot be
/// completed.
std::optional<int64_t> BeamSearch::rate(const State &state) {
  if (!canComplete(state))
    return std::nullopt;
  work += int64_t(instance.sections.size()) * 4;
  int64_t rating = 0;
  auto addLosses = [&](auto &tops) {
    for (auto [top, room, weight] :
         llvm::zip_equal(tops, initialRoom, weights)) {
      if (top == 0)
        continue;
      rating += weight * (room - getLogarithm(capacity - top + leastRoom));
    }
  };
  std::visit(addLosses, sectionTops);
  return rating;
}

/// Make what follows when the buffer at `index` of the state `slot` is placed a
/// candidate of the next layer.
void BeamSearch::add(unsigned slot, unsigned index, int64_t rating,
                     StateHash hash) {
  candidates.push_back({rating, numCandidates++, hash.first, slot, index});
  // Of several that are equal one is kept: enough others are left.
  const size_t enough = 4 * size_t(width);
  if (candidates.size() < 2 * enough + 64)
    return;
  std::nth_element(candidates.begin(), candidates.begin() + enough,
                   candidates.end());
  candidates.truncate(enough);
}

void BeamSearch::takeOffsets(unsigned node) {
  for (; nodes[node].parent != none; node = nodes[node].parent)
    offsets[ids[getRank(nodes[node].placed)]] = getFloor(nodes[node].placed);
  isFound = true;
}
