//===- BruteForce.h - All schedules of small problems -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_UNITTESTS_SCHEDULING_BRUTEFORCE_H
#define BUFFER_MERGE_UNITTESTS_SCHEDULING_BRUTEFORCE_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace buffer_merge {
/// Call `visit` with the offsets of each schedule of `problem`, which has no
/// in-place pairs, in a pool of `bytes` bytes.
inline void
forEachSchedule(const SchedulingProblem &problem, int64_t bytes,
                llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit) {
  llvm::SmallVector<int64_t> offsets;
  auto isFree = [&](BufferId id, int64_t offset) {
    const Buffer &buffer = problem.buffers[id];
    for (BufferId other = 0; other < id; ++other) {
      const Buffer &placed = problem.buffers[other];
      bool mayShare = !buffer.overlapsInTime(placed);
      for (auto [a, b] : problem.conflicts)
        if ((a == id && b == other) || (a == other && b == id))
          mayShare = false;
      if (!mayShare && offset < offsets[other] + placed.size &&
          offsets[other] < offset + buffer.size)
        return false;
    }
    return !buffer.fixedOffset || *buffer.fixedOffset == offset;
  };
  auto place = [&](auto &self, BufferId id) -> void {
    if (id == problem.buffers.size())
      return visit(offsets);
    const Buffer &buffer = problem.buffers[id];
    for (int64_t offset = 0; offset + buffer.size <= bytes;
         offset += buffer.alignment)
      if (isFree(id, offset)) {
        offsets.push_back(offset);
        self(self, id + 1);
        offsets.pop_back();
      }
  };
  place(place, 0);
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_UNITTESTS_SCHEDULING_BRUTEFORCE_H
