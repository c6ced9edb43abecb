//===- RankOrder.cpp - Static orders of buffers ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Static orders by up to three keys. Keys are doubles that are products of two
// numbers at most, which are rounded alike everywhere.
//
//===----------------------------------------------------------------------===//

#include "RankOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace buffer_merge;

llvm::SmallVector<int64_t, 0>
buffer_merge::computeLargestTotals(const PackingInstance &instance) {
  // A sparse table of range maxima would do in O(1) a buffer; blocks of the
  // square root do in less memory.
  llvm::SmallVector<int64_t, 0> totals = computeSectionTotals(instance);
  constexpr unsigned blockSize = 64;
  llvm::SmallVector<int64_t, 0> blocks(
      llvm::divideCeil(totals.size(), blockSize), 0);
  for (auto [section, total] : llvm::enumerate(totals))
    blocks[section / blockSize] = std::max(blocks[section / blockSize], total);
  llvm::SmallVector<int64_t, 0> largest;
  for (unsigned i = 0; i < instance.size(); ++i) {
    int64_t best = 0;
    unsigned end = instance.sectionEnds[i];
    for (unsigned s = instance.sectionBegins[i]; s < end;) {
      if (s % blockSize == 0 && s + blockSize <= end) {
        best = std::max(best, blocks[s / blockSize]);
        s += blockSize;
      } else {
        best = std::max(best, totals[s++]);
      }
    }
    largest.push_back(best);
  }
  return largest;
}

llvm::SmallVector<unsigned, 0>
buffer_merge::sortByKeys(llvm::ArrayRef<std::array<double, 3>> keys) {
  llvm::SmallVector<unsigned, 0> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
  });
  return order;
}

llvm::SmallVector<unsigned, 0>
buffer_merge::computeOrder(const PackingInstance &instance, RankOrder order) {
  llvm::SmallVector<int64_t, 0> totals;
  if (order == RankOrder::WAT || order == RankOrder::TAW ||
      order == RankOrder::TWA)
    totals = computeLargestTotals(instance);
  else
    totals.assign(instance.size(), 0);
  // A product of two numbers rounded to double is rounded once more: the same
  // everywhere.
  llvm::SmallVector<std::array<double, 3>, 0> keys;
  for (unsigned i = 0; i < instance.size(); ++i) {
    double w = instance.durations[i];
    double z = instance.sizes[i];
    double a = w * z;
    double t = totals[i];
    switch (order) {
    case RankOrder::WAT:
      keys.push_back({w, a, t});
      break;
    case RankOrder::TAW:
      keys.push_back({t, a, w});
      break;
    case RankOrder::TWA:
      keys.push_back({t, w, a});
      break;
    case RankOrder::A:
      keys.push_back({a, w, z});
      break;
    case RankOrder::Z:
      keys.push_back({z, w, a});
      break;
    }
  }
  return sortByKeys(keys);
}
