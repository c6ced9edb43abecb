//===- SqueakyWheel.cpp - Better orders from bottom to top ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers that end above the middle between the bound and the best height move
// towards the front, by a random part of the length of the order; all others
// keep their order. The next schedule may be worse: what is known of the best
// is only its height.
//
//===----------------------------------------------------------------------===//

#include "SqueakyWheel.h"

#include "Search/PackingInstance.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace buffer_merge;

SqueakyWheel::SqueakyWheel(const SchedulingProblem &problem,
                           llvm::SmallVector<unsigned, 0> order, int64_t target)
    : problem(problem), order(std::move(order)), target(target),
      smallest(std::numeric_limits<int64_t>::max()) {}

void SqueakyWheel::advance(llvm::ArrayRef<int64_t> offsets) {
  int64_t height = 0;
  for (auto [offset, buffer] : llvm::zip_equal(offsets, problem.buffers))
    height = std::max(height, offset + buffer.size);
  smallest = std::min(smallest, height);
  int64_t limit = target + (smallest - target) / 2;
  if (height <= limit)
    limit = target;

  // A fifth of the length to a fiftieth, and for each buffer 0.2 to 1.2 of it.
  constexpr int64_t divisors[] = {5, 10, 20, 50}, scale = 1024;
  const int64_t step = int64_t(order.size()) * scale /
                       divisors[getNextRandom(random) % std::size(divisors)];
  moved.clear();
  kept.clear();
  for (const auto &[position, index] : llvm::enumerate(order)) {
    int64_t key = int64_t(position) * scale;
    if (offsets[index] + problem.buffers[index].size <= limit) {
      kept.push_back({key, index});
      continue;
    }
    int64_t factor = scale / 5 + int64_t(getNextRandom(random) % scale);
    moved.push_back({key - step * factor / scale, index});
  }
  llvm::sort(moved, std::less<>());
  merged.resize(order.size());
  std::merge(moved.begin(), moved.end(), kept.begin(), kept.end(),
             merged.begin());
  for (auto [place, entry] : llvm::zip_equal(order, merged))
    place = entry.second;
}
