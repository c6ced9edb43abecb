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
#include "../Placement.h"
#include "../SectionTops.h"
#include "../ValleyFit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <queue>

using namespace buffer_merge;

namespace {
/// What is placed of an instance, seen from above.
class Tops {
public:
  explicit Tops(const PackingInstance &instance)
      : instance(instance), sections(instance.numSections),
        conflicts(instance.size(), instance.conflicts),
        conflictTops(instance.size(), 0) {}

  /// Return the lowest offset of buffer `index` on top of all that is placed.
  int64_t getFloor(unsigned index) const {
    int64_t floor = conflictTops[index];
    instance.forEachLiveRange(index, [&](unsigned begin, unsigned end) {
      floor = std::max(floor, sections.getHighest(begin, end));
    });
    return alignUp(floor, instance.alignments[index]);
  }

  /// Place buffer `index`.
  void put(unsigned index, int64_t offset) {
    int64_t top = offset + instance.sizes[index];
    if (isMutated("push-down-in-gaps"))
      sections.raise(instance.sectionBegins[index], instance.sectionEnds[index],
                     top);
    instance.forEachLiveRange(index, [&](unsigned begin, unsigned end) {
      sections.raise(begin, end, top);
    });
    for (unsigned other : conflicts.of(index))
      conflictTops[other] = std::max(conflictTops[other], top);
  }

private:
  const PackingInstance &instance;
  SectionTops sections;
  ConflictLists conflicts;
  /// The top of what is in conflict with a buffer.
  llvm::SmallVector<int64_t, 0> conflictTops;
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
  Tops tops(instance);

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
    int64_t floor = tops.getFloor(index);
    if (floor > key && corrections != 0) {
      --corrections;
      queue.emplace(floor, rank);
      continue;
    }
    offsets[index] = floor;
    tops.put(index, floor);
  }
  return offsets;
}

llvm::SmallVector<int64_t, 0>
buffer_merge::pushDown(const PackingInstance &instance,
                       llvm::ArrayRef<int64_t> offsets) {
  Tops tops(instance);
  llvm::SmallVector<int64_t, 0> result(instance.size(), 0);
  for (unsigned index : orderByOffset(offsets)) {
    int64_t fixed = instance.fixedOffsets[index];
    result[index] = fixed >= 0 ? fixed : tops.getFloor(index);
    tops.put(index, result[index]);
  }
  return result;
}
