//===- Placement.cpp - Gaps between placed buffers ------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gaps between sorted ranges, lists of conflicts, and the error of a pool that
// misses the capacity.
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "KeySort.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace buffer_merge;

int64_t buffer_merge::findOffset(llvm::ArrayRef<ByteRange> occupied,
                                 const Buffer &buffer, int64_t poolSize,
                                 GapChoice choice) {
  std::optional<int64_t> best;
  int64_t bestGap = 0;
  int64_t top = 0;
  auto consider = [&](int64_t gapEnd) {
    int64_t offset = alignUp(top, buffer.alignment);
    if (offset + buffer.size > gapEnd)
      return;
    int64_t gap = gapEnd - top;
    if (!best || (choice == GapChoice::Best && gap < bestGap)) {
      best = offset;
      bestGap = gap;
    }
  };
  for (const ByteRange &range : occupied) {
    consider(range.begin);
    if (best && choice == GapChoice::First)
      return *best;
    top = std::max(top, range.end);
  }
  consider(poolSize);
  return best ? *best : alignUp(top, buffer.alignment);
}

llvm::SmallVector<BufferId, 0>
buffer_merge::collectFixed(const SchedulingProblem &problem) {
  llvm::SmallVector<BufferId, 0> fixed;
  for (const auto &[id, buffer] : llvm::enumerate(problem.buffers))
    if (buffer.fixedOffset)
      fixed.push_back(id);
  return fixed;
}

ConflictLists::ConflictLists(
    size_t count, llvm::ArrayRef<std::pair<BufferId, BufferId>> conflicts) {
  if (conflicts.empty())
    return;
  begins.assign(count + 1, 0);
  for (auto [a, b] : conflicts) {
    ++begins[a + 1];
    ++begins[b + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  others.resize(2 * conflicts.size());
  llvm::SmallVector<size_t, 0> next(begins);
  for (auto [a, b] : conflicts) {
    others[next[a]++] = b;
    others[next[b]++] = a;
  }
}

llvm::SmallVector<unsigned, 0>
buffer_merge::orderByOffset(llvm::ArrayRef<int64_t> offsets) {
  return orderByKey(offsets.size(), [&](unsigned id) { return offsets[id]; });
}

llvm::Error buffer_merge::makeCapacityError(llvm::StringRef scheduler,
                                            int64_t poolSize, int64_t capacity,
                                            bool isOpen) {
  return llvm::make_error<CapacityError>(
      llvm::formatv("scheduler '{0}' found a pool of {1} bytes, the capacity "
                    "is {2}",
                    scheduler, poolSize, capacity)
          .str(),
      poolSize, /*isProved=*/false, isOpen);
}
