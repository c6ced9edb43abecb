//===- Tests of what a scope may hold over time ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every path through random scopes is walked, tick by tick. A path is a set of
// branches, each with the one around it. What the timeline does not know is
// drawn: sizes, and whether something is held where that is not certain.
//
//===----------------------------------------------------------------------===//

#include "RandomScope.h"

#include "gtest/gtest.h"

using namespace buffer_merge;
using namespace buffer_merge::test;

TEST(HeapTimeline, RaisesNoPath) {
  unsigned numAccepted = 0, numTight = 0, numRejectedInVain = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    RandomScope scope(seed);
    HeapTimeline timeline = scope.makeTimeline();
    for (unsigned attempt = 0; attempt < 20; ++attempt) {
      // Some of the items, of known size, become a pool around them.
      unsigned removed = scope.random() & scope.knownItems;
      if (!removed)
        continue;
      HeldBytes pool = scope.getHull(removed);
      pool.bytes = 1 + int64_t(scope.random() % 16);
      bool isAccepted = !timeline.findExcess(pool, scope.getItems(removed));
      bool isRaised = scope.isRaised(pool, removed);
      numAccepted += isAccepted;
      numTight += isRaised;
      numRejectedInVain += !isAccepted && !isRaised;
      EXPECT_FALSE(isAccepted && isRaised) << "seed " << seed;
    }
  }
  // Both answers occur, and few pools are rejected that raise no peak: those
  // beside what a path may or may not hold.
  EXPECT_GT(numAccepted, 500u);
  EXPECT_GT(numTight, 500u);
  EXPECT_LT(numRejectedInVain, numTight / 3);
}

/// Return something of `bytes` bytes that is held at `ticks`.
static HeldItem makeItem(TickRange ticks, std::optional<int64_t> bytes) {
  return {ticks, {ticks}, bytes, bytes.value_or(0)};
}

/// Return a timeline of ten ticks and one branch.
static HeapTimeline makeTimeline(llvm::ArrayRef<HeldItem> items) {
  return HeapTimeline(unsigned(0), BranchTree::Part{0, {0, 9}}, items,
                      {0, 3, 6, 9});
}

TEST(HeapTimeline, UnknownBytesVary) {
  llvm::SmallVector<HeldItem> items = {makeItem({0, 2}, 8),
                                       makeItem({6, 8}, 4)};
  HeldBytes pool = {0, 9, 8};
  EXPECT_EQ(makeTimeline(items).findExcess(pool, items), std::nullopt);
  // A recursive call.
  HeldItem call = makeItem({4, 4}, std::nullopt);
  call.mayVary = true;
  llvm::SmallVector<HeldItem> all = {items[0], items[1], call};
  EXPECT_EQ(makeTimeline(all).findExcess(pool, items), 4);
}

TEST(HeapTimeline, UnknownBytesStay) {
  llvm::SmallVector<HeldItem> items = {makeItem({0, 2}, 8),
                                       makeItem({6, 8}, 4)};
  HeldBytes pool = {0, 9, 8};
  // It is there at the peak as well.
  llvm::SmallVector<HeldItem> all = {items[0], items[1],
                                     makeItem({1, 5}, std::nullopt)};
  EXPECT_EQ(makeTimeline(all).findExcess(pool, items), std::nullopt);
  // It is not.
  all.back() = makeItem({3, 5}, std::nullopt);
  EXPECT_EQ(makeTimeline(all).findExcess(pool, items), 3);
  // It may be.
  all.back() = makeItem({1, 5}, std::nullopt);
  all.back().certainTicks.clear();
  EXPECT_EQ(makeTimeline(all).findExcess(pool, items), 3);
}

TEST(HeapTimeline, WhatIsReplacedStays) {
  llvm::SmallVector<HeldItem> items = {makeItem({0, 2}, 8),
                                       makeItem({6, 8}, 4)};
  HeapTimeline timeline = makeTimeline(items);
  EXPECT_EQ(timeline.findExcess({3, 6, 8}, llvm::ArrayRef<HeldItem>()),
            std::nullopt);
  timeline.replace({3, 6, 6}, {});
  EXPECT_EQ(timeline.findExcess({3, 6, 2}, llvm::ArrayRef<HeldItem>()),
            std::nullopt);
  EXPECT_EQ(timeline.findExcess({3, 6, 3}, llvm::ArrayRef<HeldItem>()), 3);
  timeline.replace({0, 3, 5}, items[0]);
  EXPECT_EQ(timeline.findExcess({0, 3, 3}, llvm::ArrayRef<HeldItem>()),
            std::nullopt);
  EXPECT_EQ(timeline.findExcess({0, 3, 4}, llvm::ArrayRef<HeldItem>()), 0);
}
