//===- LinearScan.cpp - Linear scan over slots ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `linear-scan`: linear-scan register allocation (Poletto and Sarkar, TOPLAS
// 1999) with slots for registers. A buffer takes the smallest free slot that
// holds it, or else the largest free slot, which grows, or else a new slot.
//
//===----------------------------------------------------------------------===//

#include "../Builtins.h"
#include "../SegmentList.h"

#include <set>

using namespace buffer_merge;

static llvm::SmallVector<int64_t, 0>
assignSlots(llvm::ArrayRef<Buffer> buffers) {
  SegmentList slots;
  std::set<std::pair<int64_t, SegmentId>> freeSlots;
  llvm::SmallVector<SegmentId, 0> slotOf(buffers.size());
  auto allocate = [&](BufferId id) {
    int64_t size = buffers[id].size;
    if (freeSlots.empty()) {
      slotOf[id] = slots.append(size);
      return;
    }
    // The smallest slot that is large enough, or else the largest, which grows.
    auto it = freeSlots.lower_bound({size, 0});
    if (it == freeSlots.end())
      --it;
    slotOf[id] = it->second;
    freeSlots.erase(it);
    if (slots.getSize(slotOf[id]) < size)
      slots.grow(slotOf[id], size - slots.getSize(slotOf[id]));
  };
  auto release = [&](BufferId id) {
    freeSlots.emplace(slots.getSize(slotOf[id]), slotOf[id]);
  };
  replay(buffers, allocate, release);

  llvm::SmallVector<int64_t, 0> slotOffsets = slots.computeOffsets();
  llvm::SmallVector<int64_t, 0> offsets;
  offsets.reserve(buffers.size());
  for (SegmentId slot : slotOf)
    offsets.push_back(slotOffsets[slot]);
  return offsets;
}

std::unique_ptr<OnePassScheduler> buffer_merge::createLinearScanScheduler() {
  return std::make_unique<OnePassScheduler>(
      "linear-scan",
      "Slots as large as their largest tenant, in the order of begin",
      [](const SchedulingProblem &problem) {
        return adapt(problem, assignSlots);
      });
}
