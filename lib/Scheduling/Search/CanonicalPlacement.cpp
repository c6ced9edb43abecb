//===- CanonicalPlacement.cpp - Buffers pushed down -----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A skyline of the placed buffers over the sections says how low a buffer can
// be put. The lowest one is found in a valley of it (ValleyFit.h) or, with
// conflicts or gaps, by a queue of offsets that may be out of date.
//
//===----------------------------------------------------------------------===//

#include "CanonicalPlacement.h"

#include "../../Mutation.h"
#include "../ValleyFit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <queue>

using namespace buffer_merge;

namespace {
/// A skyline: the top of the placed buffers in each section, for assignment
/// to and the maximum of a range in O(log m) for m sections.
///
/// A placed buffer is on top of everything in its sections, so that assigning
/// never lowers a section and no pending assignment needs to be pushed down:
/// `assigned` of a node holds for its whole range, `highest` is the maximum of
/// all that was assigned at or below it.
class SectionTops {
public:
  explicit SectionTops(const PackingInstance &instance)
      : instance(instance),
        leaves(llvm::PowerOf2Ceil(std::max(instance.numSections, 1u))),
        assigned(2 * leaves, 0), highest(2 * leaves, 0) {}

  /// Return the highest top of the sections in which buffer `index` is alive.
  int64_t getMax(unsigned index) const {
    int64_t best = 0;
    instance.forEachLiveRange(index, [&](unsigned begin, unsigned end) {
      best = std::max(best, getMax(begin, end));
    });
    return best;
  }

  /// Raise the sections in which buffer `index` is alive to `top`.
  void raise(unsigned index, int64_t top) {
    if (isMutated("push-down-in-gaps"))
      return raise(instance.sectionBegins[index], instance.sectionEnds[index],
                   top);
    instance.forEachLiveRange(
        index, [&](unsigned begin, unsigned end) { raise(begin, end, top); });
  }

private:
  int64_t getMax(unsigned begin, unsigned end) const {
    int64_t best = 0;
    unsigned left = begin + leaves, right = end - 1 + leaves;
    best = std::max(highest[left], highest[right]);
    for (unsigned l = left, r = right; l / 2 != r / 2; l /= 2, r /= 2) {
      if (l % 2 == 0)
        best = std::max(best, highest[l + 1]);
      if (r % 2 == 1)
        best = std::max(best, highest[r - 1]);
    }
    for (unsigned l = left / 2; l != 0; l /= 2)
      best = std::max(best, assigned[l]);
    for (unsigned r = right / 2; r != 0; r /= 2)
      best = std::max(best, assigned[r]);
    return best;
  }

  void raise(unsigned begin, unsigned end, int64_t top) {
    unsigned l = begin + leaves, r = end + leaves;
    for (; l < r; l /= 2, r /= 2) {
      if (l % 2 == 1)
        raiseNode(l++, top);
      if (r % 2 == 1)
        raiseNode(--r, top);
    }
  }

  void raiseNode(unsigned node, int64_t top) {
    assigned[node] = std::max(assigned[node], top);
    for (; node != 0; node /= 2)
      highest[node] = std::max(highest[node], top);
  }

  const PackingInstance &instance;
  unsigned leaves;
  llvm::SmallVector<int64_t, 0> assigned, highest;
};

/// For each buffer those that it is in conflict with.
struct ConflictTable {
  explicit ConflictTable(const PackingInstance &instance)
      : begins(instance.size() + 1, 0) {
    for (auto [a, b] : instance.conflicts) {
      ++begins[a + 1];
      ++begins[b + 1];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    others.resize(begins.back());
    llvm::SmallVector<unsigned, 0> next(begins);
    for (auto [a, b] : instance.conflicts) {
      others[next[a]++] = b;
      others[next[b]++] = a;
    }
  }
  llvm::ArrayRef<unsigned> of(unsigned index) const {
    return llvm::ArrayRef<unsigned>(others).slice(
        begins[index], begins[index + 1] - begins[index]);
  }
  llvm::SmallVector<unsigned, 0> begins, others;
};
} // namespace

llvm::SmallVector<int64_t, 0>
buffer_merge::placeCanonically(const PackingInstance &instance,
                               llvm::ArrayRef<unsigned> order) {
  if (instance.conflicts.empty() && instance.gaps.empty() &&
      suitsValleys(instance.alignments))
    return fitIntoValleys({instance.sectionBegins, instance.sectionEnds,
                           instance.numSections, instance.sizes,
                           instance.alignments},
                          order);
  unsigned count = instance.size();
  SectionTops skyline(instance);
  // What conflicts ask for; time is up to the skyline.
  llvm::SmallVector<int64_t, 0> conflictFloors(count, 0);
  ConflictTable conflicts(instance);

  // Floors in the queue may be out of date, and then they are too low: a buffer
  // that comes out is put back with its present floor.
  using Entry = std::pair<int64_t, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (unsigned rank = 0; rank < count; ++rank)
    queue.emplace(0, rank);
  // As many corrections for each buffer as dense problems need.
  uint64_t corrections = (uint64_t(1) << 20) + uint64_t(64) * count;
  llvm::SmallVector<int64_t, 0> offsets(count, 0);
  while (!queue.empty()) {
    auto [key, rank] = queue.top();
    queue.pop();
    unsigned index = order[rank];
    int64_t floor = std::max(conflictFloors[index], skyline.getMax(index));
    if (instance.alignments[index] != 1)
      floor = llvm::alignTo(uint64_t(floor), instance.alignments[index]);
    if (floor > key && corrections != 0) {
      --corrections;
      queue.emplace(floor, rank);
      continue;
    }
    int64_t top = floor + instance.sizes[index];
    offsets[index] = floor;
    skyline.raise(index, top);
    for (unsigned other : conflicts.of(index))
      conflictFloors[other] = std::max(conflictFloors[other], top);
  }
  return offsets;
}

llvm::SmallVector<int64_t, 0>
buffer_merge::pushDown(const PackingInstance &instance,
                       llvm::ArrayRef<int64_t> offsets) {
  unsigned count = instance.size();
  llvm::SmallVector<unsigned, 0> order(count);
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::tuple(offsets[a], a) < std::tuple(offsets[b], b);
  });
  SectionTops skyline(instance);
  llvm::SmallVector<int64_t, 0> conflictFloors(count, 0);
  ConflictTable conflicts(instance);
  llvm::SmallVector<int64_t, 0> result(count, 0);
  for (unsigned index : order) {
    int64_t floor = std::max(conflictFloors[index], skyline.getMax(index));
    floor = llvm::alignTo(uint64_t(floor), instance.alignments[index]);
    if (instance.fixedOffsets[index] >= 0)
      floor = instance.fixedOffsets[index];
    int64_t top = floor + instance.sizes[index];
    result[index] = floor;
    skyline.raise(index, top);
    for (unsigned other : conflicts.of(index))
      conflictFloors[other] = std::max(conflictFloors[other], top);
  }
  return result;
}
