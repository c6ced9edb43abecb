//===- SharedFreeList.cpp - Whole blocks matched best-fit ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `shared-free-list`: the free list of TVM's merging of shared memory. Blocks
// are reused whole, and fused with free neighbours as long as bytes are
// missing.
//
//===----------------------------------------------------------------------===//

#include "../Builtins.h"
#include "../SegmentList.h"

#include <set>

using namespace buffer_merge;

namespace {
/// The blocks at a moment of time. Free neighbours are not merged until a
/// buffer takes both.
class Blocks {
public:
  SegmentId allocate(int64_t size);
  void release(SegmentId id) {
    free[id] = true;
    bySize.emplace(segments.getSize(id), id);
  }

  llvm::SmallVector<int64_t, 0> computeOffsets() const {
    return segments.computeOffsets();
  }

private:
  /// How much larger or smaller than a buffer a block may be.
  static constexpr int64_t matchRange = 16;

  void take(SegmentId id) {
    free[id] = false;
    bySize.erase({segments.getSize(id), id});
  }
  bool isFree(SegmentId id) const {
    return id != SegmentList::none && free[id];
  }

  SegmentList segments;
  llvm::SmallVector<bool, 0> free;
  std::set<std::pair<int64_t, SegmentId>> bySize;
};
} // namespace

SegmentId Blocks::allocate(int64_t size) {
  auto fit = bySize.lower_bound({size, 0});
  if (fit != bySize.end() && fit->first / matchRange <= size) {
    SegmentId id = fit->second;
    take(id);
    return id;
  }
  if (fit == bySize.begin() || std::prev(fit)->first < size / matchRange) {
    free.push_back(false);
    return segments.append(size);
  }
  SegmentId id = std::prev(fit)->second;
  take(id);
  while (segments.getSize(id) < size) {
    if (SegmentId next = segments.getNext(id); isFree(next)) {
      take(next);
      segments.mergeNext(id);
    } else if (SegmentId previous = segments.getPrevious(id);
               isFree(previous)) {
      take(previous);
      segments.mergeNext(previous);
      id = previous;
    } else {
      segments.grow(id, size - segments.getSize(id));
    }
  }
  return id;
}

static llvm::SmallVector<int64_t, 0> place(llvm::ArrayRef<Buffer> buffers) {
  Blocks blocks;
  llvm::SmallVector<SegmentId, 0> blockOf(buffers.size());
  replay(
      buffers,
      [&](BufferId id) { blockOf[id] = blocks.allocate(buffers[id].size); },
      [&](BufferId id) { blocks.release(blockOf[id]); });
  llvm::SmallVector<int64_t, 0> blockOffsets = blocks.computeOffsets();
  llvm::SmallVector<int64_t, 0> offsets;
  offsets.reserve(buffers.size());
  for (SegmentId block : blockOf)
    offsets.push_back(blockOffsets[block]);
  return offsets;
}

std::unique_ptr<OnePassScheduler>
buffer_merge::createSharedFreeListScheduler() {
  return std::make_unique<OnePassScheduler>(
      "shared-free-list",
      "Whole free blocks matched best-fit, as for GPU shared memory",
      [](const SchedulingProblem &problem) { return adapt(problem, place); });
}
