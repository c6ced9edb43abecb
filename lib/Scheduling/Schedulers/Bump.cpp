//===- Bump.cpp - Scheduling without reuse --------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `bump` is the arena without free: buffers with a fixed offset are placed
// first; each other buffer, in the order of the problem, goes to the lowest
// aligned offset that is above the one before it and hits no fixed buffer.
//
//===----------------------------------------------------------------------===//

#include "../Builtins.h"
#include "../Placement.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

static llvm::SmallVector<int64_t, 0>
placeInTurn(const SchedulingProblem &problem) {
  llvm::SmallVector<ByteRange> fixed;
  for (const Buffer &buffer : problem.buffers)
    if (buffer.fixedOffset)
      fixed.push_back({*buffer.fixedOffset, *buffer.fixedOffset + buffer.size});
  llvm::sort(fixed, std::less<>());

  llvm::SmallVector<int64_t, 0> offsets;
  offsets.reserve(problem.buffers.size());
  int64_t top = 0;
  const ByteRange *nextFixed = fixed.begin();
  for (const Buffer &buffer : problem.buffers) {
    if (buffer.fixedOffset) {
      offsets.push_back(*buffer.fixedOffset);
      continue;
    }
    int64_t offset = alignUp(top, buffer.alignment);
    for (; nextFixed != fixed.end() && nextFixed->begin < offset + buffer.size;
         ++nextFixed)
      offset = alignUp(std::max(offset, nextFixed->end), buffer.alignment);
    offsets.push_back(offset);
    top = offset + buffer.size;
  }
  return offsets;
}

std::unique_ptr<OnePassScheduler> buffer_merge::createBumpScheduler() {
  return std::make_unique<OnePassScheduler>(
      "bump", "One buffer after the other, without reuse: the baseline",
      [](const SchedulingProblem &problem, int64_t) {
        return placeInTurn(problem);
      },
      OnePassScheduler::Cost::Medium, /*reuses=*/false);
}
