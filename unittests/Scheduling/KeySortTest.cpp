//===- KeySortTest.cpp - Tests of sorting by a number --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeySort.h"

#include "gtest/gtest.h"

#include <random>

using namespace buffer_merge;

/// The same as a stable sort by comparisons, for `count` keys within `span` of
/// `smallest`.
static void expectStable(size_t count, int64_t smallest, uint64_t span) {
  std::mt19937_64 random(count);
  llvm::SmallVector<int64_t, 0> keys;
  for (size_t i = 0; i < count; ++i) {
    uint64_t distance = span + 1 == 0 ? random() : random() % (span + 1);
    keys.push_back(int64_t(uint64_t(smallest) + distance));
  }
  llvm::SmallVector<unsigned, 0> expected(count);
  for (unsigned i = 0; i < count; ++i)
    expected[i] = i;
  llvm::stable_sort(expected,
                    [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
  EXPECT_EQ(orderByKey(count, [&](unsigned id) { return keys[id]; }), expected)
      << count << " keys from " << smallest << ", span " << span;
}

TEST(KeySortTest, IsAStableSort) {
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  for (size_t count : {0, 1, 2, 63, 64, 65, 1000, 5000})
    for (unsigned bits : {0, 1, 7, 11, 12, 23, 40, 44, 45, 63}) {
      uint64_t span = (uint64_t(1) << bits) - 1;
      for (int64_t smallest : {lowest, int64_t(-5), int64_t(0), int64_t(9)})
        if (smallest < 0 || bits < 63)
          expectStable(count, smallest, span);
    }
  expectStable(1000, lowest, ~uint64_t(0));
}

TEST(KeySortTest, TiesOfBegins) {
  const Buffer buffers[] = {{8, 3, 4, 1}, {8, 1, 2, 1}, {16, 3, 4, 1},
                            {8, 3, 9, 1}, {4, 1, 2, 1}, {8, 0, 9, 1}};
  auto order =
      orderByBegin(buffers, [&](BufferId id) { return -buffers[id].size; });
  EXPECT_EQ(order, (llvm::SmallVector<BufferId, 0>{5, 1, 4, 2, 0, 3}));
}
