//===- OffsetCosts.cpp - What each offset of a buffer costs ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OffsetCosts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace buffer_merge;

void OffsetCosts::add(int64_t begin, int64_t end, int64_t cost, int forbidden) {
  // The first and the last offset of the buffer with a byte in the range.
  steps.push_back({begin - buffer.size + 1, cost, forbidden});
  steps.push_back({end, -cost, -forbidden});
  propose(end);
}

void OffsetCosts::forbid(int64_t begin, int64_t end) { add(begin, end, 0, 1); }

void OffsetCosts::charge(int64_t begin, int64_t end, int64_t cost) {
  add(begin, end, cost, 0);
}

void OffsetCosts::propose(int64_t offset) {
  candidates.push_back(llvm::divideCeil(offset, buffer.alignment) *
                       buffer.alignment);
}

void OffsetCosts::forEachCandidate(
    llvm::function_ref<void(int64_t, int64_t)> visit) {
  llvm::sort(candidates);
  candidates.erase(llvm::unique(candidates), candidates.end());
  llvm::sort(steps, [](const Step &a, const Step &b) {
    return std::tuple(a.offset, a.cost, a.forbidden) <
           std::tuple(b.offset, b.cost, b.forbidden);
  });
  int64_t cost = 0;
  int forbidden = 0;
  const Step *step = steps.begin();
  for (int64_t offset : candidates) {
    if (offset + buffer.size > capacity)
      break;
    for (; step != steps.end() && step->offset <= offset; ++step) {
      cost += step->cost;
      forbidden += step->forbidden;
    }
    if (forbidden == 0)
      visit(offset, cost);
  }
}

llvm::BitVector buffer_merge::findMovable(const SchedulingProblem &problem) {
  llvm::BitVector movable(problem.buffers.size(), true);
  for (const auto &[id, buffer] : llvm::enumerate(problem.buffers))
    if (buffer.fixedOffset)
      movable.reset(id);
  for (const InPlacePair &pair : problem.inPlacePairs) {
    movable.reset(pair.earlier);
    movable.reset(pair.later);
  }
  return movable;
}

void buffer_merge::moveToCheaperPlaces(
    const llvm::BitVector &movable, llvm::MutableArrayRef<int64_t> offsets,
    llvm::function_ref<int64_t(BufferId)> getCost,
    llvm::function_ref<std::optional<CostedPlace>(BufferId)> findPlace) {
  constexpr unsigned maxPasses = 8;
  bool isBetter = true;
  for (unsigned pass = 0; isBetter && pass < maxPasses; ++pass) {
    isBetter = false;
    for (BufferId id : movable.set_bits()) {
      int64_t cost = getCost(id);
      if (cost == 0)
        continue;
      std::optional<CostedPlace> place = findPlace(id);
      if (!place || place->cost >= cost)
        continue;
      offsets[id] = place->offset;
      isBetter = true;
    }
  }
}
