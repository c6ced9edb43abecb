//===- BeamSearch.cpp - Many schedules from bottom to top -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// States, canonical order, dominance, skipped buffers and the release-time
// bound are those of branch and bound (BranchAndBound.cpp, ReleaseBound.cpp).
// Whatever is left out, each buffer is placed on top of all of its neighbours
// that are below: what is found is a schedule.
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
#include "../../Mutation.h"
#include "../BufferOrder.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace buffer_merge;

bool BeamSearch::supports(const PackingInstance &instance) {
  return instance.size() >= 2 && instance.size() <= maxBuffers &&
         !instance.hasFixedOffsets && instance.upperBound < int64_t(1) << 29;
}

/// Return the logarithm of `value` to the base of 2, with 16 bits after the
/// point, linear between powers of two: the same on every machine.
static int64_t getLogarithm(uint64_t value) {
  unsigned exponent = llvm::Log2_64(value);
  return int64_t(exponent) << 16 | int64_t((value << 16 >> exponent) & 0xffff);
}

BeamSearch::BeamSearch(const PackingInstance &instance)
    : instance(instance), count(instance.size()) {
  assert(supports(instance) && "check before");
  ids = orderBuffers(instance.problem, instance.sections,
                     {OrderKey::Area, OrderKey::Duration});
  llvm::BitVector isLive(instance.sections.size());
  neighbours.assign(count, llvm::BitVector(count));
  lives.resize(count);
  llvm::SmallVector<unsigned, 0> rankOf(count);
  uint64_t seed = 1;
  for (unsigned rank = 0; rank < count; ++rank) {
    rankOf[ids[rank]] = rank;
    sizes.push_back(instance[ids[rank]].size);
    alignments.push_back(instance[ids[rank]].alignment);
    factors.push_back(getNextRandom(seed) | 1);
    isLive.reset();
    instance.sections.forEachLiveRange(ids[rank],
                                       [&](unsigned begin, unsigned end) {
                                         lives[rank].push_back({begin, end});
                                         isLive.set(begin, end);
                                       });
    for (unsigned other = 0; other < rank; ++other) {
      if (llvm::none_of(lives[other], [&](SectionRange range) {
            return isLive.find_first_in(range.begin, range.end) != -1;
          }))
        continue;
      neighbours[rank].set(other);
      neighbours[other].set(rank);
    }
  }
  for (auto [a, b] : instance.problem.conflicts) {
    neighbours[rankOf[a]].set(rankOf[b]);
    neighbours[rankOf[b]].set(rankOf[a]);
  }
  work += int64_t(count) * count * 4;
}

void BeamSearch::start(int64_t newCapacity, unsigned newWidth) {
  capacity = std::min(newCapacity, instance.upperBound);
  width = newWidth;
  leastRoom = 1 + capacity / 1024;
  initialRoom.clear();
  weights.clear();
  for (int64_t total : instance.sections.getTotals()) {
    initialRoom.push_back(getLogarithm(capacity - total + leastRoom));
    weights.push_back(1 + getNextRandom(random) % 4);
  }
  nodes.clear();
  candidates.clear();
  numCandidates = 0;
  isFound = false;
  firstNode = beamSize = next = 0;
  floors.assign(count, 0);
}

BeamSearch::Outcome BeamSearch::resume(int64_t maxSteps) {
  const int64_t maxWork = work + maxSteps * workPerStep;
  if (nodes.empty() && !isFound)
    expand(0);
  while (!isFound) {
    if (next == beamSize) {
      if (candidates.empty())
        return Outcome::Failed;
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
  std::swap(floors, parentFloors);
  floors.clear();
  llvm::SmallDenseSet<uint64_t> hashes;
  unsigned parentNode = firstNode;
  firstNode = nodes.size();
  for (const Candidate &candidate : candidates) {
    if (nodes.size() - firstNode == width)
      break;
    if (!hashes.insert(candidate.hash).second)
      continue;
    const Node &node = candidate.node;
    nodes.push_back(node);
    unsigned slot = node.parent == none ? 0 : node.parent - parentNode;
    const int32_t *parent = &parentFloors[size_t(slot) * count];
    floors.append(parent, parent + count);
    int32_t *own = floors.end() - count;
    own[node.rank] = -1;
    for (unsigned other : neighbours[node.rank].set_bits())
      if (own[other] >= 0)
        own[other] = std::max<int64_t>(
            own[other],
            alignTop(int64_t(node.floor) + sizes[node.rank], other));
    work += count * 2;
  }
  beamSize = nodes.size() - firstNode;
  next = 0;
  candidates.clear();
}

int64_t BeamSearch::alignTop(int64_t top, unsigned rank) const {
  int64_t alignment = alignments[rank];
  return alignment == 1 ? top : int64_t(llvm::alignTo(top, alignment));
}

/// Try all that can be placed next in the state `slot` of the layer.
void BeamSearch::expand(unsigned slot) {
  const int32_t *own = &floors[size_t(slot) * count];
  present.clear();
  int64_t dominance = std::numeric_limits<int64_t>::max();
  for (unsigned rank = 0; rank < count; ++rank) {
    if (own[rank] < 0)
      continue;
    present.push_back(makeKey(own[rank], rank));
    dominance = std::min<int64_t>(dominance, own[rank] + sizes[rank]);
  }
  llvm::sort(present, std::less<>());
  work += int64_t(count) * 16;
  unsigned node = nodes.empty() ? none : firstNode + slot;
  Key limit = node == none ? 0 : makeKey(nodes[node].floor, nodes[node].rank);
  for (unsigned i = llvm::lower_bound(present, limit) - present.begin();
       i < present.size() && getFloor(present[i]) < dominance; ++i) {
    Node placed = {node, getRank(present[i]), int32_t(getFloor(present[i]))};
    if (!placeNext(i))
      continue;
    if (following.empty()) {
      takeOffsets(placed);
      return;
    }
    if (std::optional<int64_t> rating = rate(present[i]))
      add(placed, *rating);
  }
}

/// Place the buffer at `index` of `present` at its floor: `following`. Return
/// false if another one gets too high.
bool BeamSearch::placeNext(unsigned index) {
  const unsigned placed = getRank(present[index]);
  const int64_t top = getFloor(present[index]) + sizes[placed];
  const llvm::BitVector &row = neighbours[placed];
  work += int64_t(present.size()) * 4 + 60;
  others.clear();
  changed.clear();
  for (Key key : present) {
    unsigned rank = getRank(key);
    if (rank == placed)
      continue;
    if (getFloor(key) >= top || !row.test(rank)) {
      others.push_back(key);
      continue;
    }
    int64_t floor = alignTop(top, rank);
    if (floor + sizes[rank] > capacity)
      return false;
    changed.push_back(makeKey(floor, rank));
  }
  llvm::sort(changed, std::less<>());
  following.resize(others.size() + changed.size());
  std::merge(others.begin(), others.end(), changed.begin(), changed.end(),
             following.begin());
  return true;
}

/// Compute the releases of the buffers of `following` that come before `limit`:
/// `changed`. Return false if one cannot be placed any more.
bool BeamSearch::liftSkipped(Key limit) {
  constexpr int64_t never = std::numeric_limits<int64_t>::max();
  const int64_t limitFloor = getFloor(limit);
  int64_t visited = 0;
  auto countWork = llvm::scope_exit([&] { work += visited * 2; });
  changed.clear();
  for (Key key : following) {
    if (key >= limit)
      break;
    unsigned rank = getRank(key);
    const llvm::BitVector &row = neighbours[rank];
    int64_t release = never;
    for (Key other : following) {
      int64_t floor = getFloor(other);
      ++visited;
      if (floor >= release)
        break;
      if (row.test(getRank(other)))
        release = std::min(release,
                           std::max(floor, limitFloor) + sizes[getRank(other)]);
    }
    if (release == never)
      return false;
    release = alignTop(release, rank);
    if (release + sizes[rank] > capacity)
      return false;
    changed.push_back(makeKey(release, rank));
  }
  return true;
}

/// Return what the sections have lost in the state `following`, entered with
/// `limit`, or nothing if it cannot be completed.
std::optional<int64_t> BeamSearch::rate(Key limit) {
  if (!liftSkipped(limit))
    return std::nullopt;
  const Key *firstOpen = following.begin() + changed.size();
  llvm::sort(changed, std::less<>());
  others.resize(following.size());
  std::merge(changed.begin(), changed.end(), firstOpen,
             (const Key *)following.end(), others.begin());

  sectionTops.assign(instance.sections.size(), 0);
  int32_t *tops = sectionTops.data();
  for (Key key : others) {
    int32_t floor = getFloor(key), size = sizes[getRank(key)];
    for (SectionRange range : lives[getRank(key)]) {
      for (unsigned s = range.begin; s < range.end; ++s)
        tops[s] = std::max(tops[s], floor) + size;
      work += (range.end - range.begin) / 4 + 8;
    }
  }
  int64_t rating = 0;
  for (unsigned s = 0; s < instance.sections.size(); ++s) {
    if (tops[s] > capacity)
      return std::nullopt;
    if (tops[s] == 0)
      continue;
    int64_t room = getLogarithm(capacity - tops[s] + leastRoom);
    if (!isMutated("beam-without-rating"))
      rating += weights[s] * (initialRoom[s] - room);
  }
  work += instance.sections.size() * 4;
  return rating;
}

/// Make the state `following` a candidate of the next layer.
void BeamSearch::add(Node node, int64_t rating) {
  uint64_t hash = 0;
  for (Key key : following)
    hash += factors[getRank(key)] * uint64_t(getFloor(key) + 1);
  candidates.push_back({rating, numCandidates++, hash, node});
  // Of several that are equal one is kept: enough others are left.
  const size_t enough = 4 * size_t(width);
  if (candidates.size() < 2 * enough + 64)
    return;
  std::nth_element(candidates.begin(), candidates.begin() + enough,
                   candidates.end());
  candidates.truncate(enough);
}

void BeamSearch::takeOffsets(Node last) {
  offsets.assign(count, 0);
  offsets[ids[last.rank]] = last.floor;
  for (unsigned at = last.parent; at != none; at = nodes[at].parent)
    offsets[ids[nodes[at].rank]] = nodes[at].floor;
  isFound = true;
}
