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

#include "../SeedStep.h"
#include "RandomScope.h"

#include "gtest/gtest.h"

using namespace buffer_merge;
using namespace buffer_merge::test;

TEST(Heap, RaisesNoPath) {
  unsigned numTight = 0, numInVain = 0, numWithRoom = 0;
  for (unsigned seed = 0; seed < 400; seed += seedStep) {
    RandomScope scope(seed);
    Heap heap = scope.makeHeap();
    for (unsigned attempt = 0; attempt < 20; ++attempt) {
      // Some of the items, of known size, become a pool around them.
      unsigned removed = scope.random() & scope.knownItems;
      if (!removed)
        continue;
      Swap swap = scope.getSwap(removed);
      Room room = heap.getRoom(swap);
      numWithRoom += room.bytes > 0;
      if (room.bytes > 0)
        EXPECT_FALSE(
            scope.isRaised(RandomPool{swap.ticks, room.bytes}, removed))
            << "seed " << seed;
      bool isTight = scope.isRaised(
          RandomPool{swap.ticks, std::max<int64_t>(room.bytes, 0) + 1},
          removed);
      numTight += isTight;
      numInVain += !isTight;
    }
  }
  // One byte more is too much most often: what a path may or may not hold
  // beside the pool is not known.
  EXPECT_GT(numWithRoom, 1000 / seedStep);
  EXPECT_LT(numInVain, numTight / 3);
}

/// Two pools, the second of which gets what the first one has left.
TEST(Heap, RaisesNoPathWithSeveralPools) {
  unsigned numSecond = 0;
  for (unsigned seed = 0; seed < 2000; seed += seedStep) {
    RandomScope scope(seed);
    Heap heap = scope.makeHeap();
    unsigned first = scope.random() & scope.knownItems;
    unsigned second = scope.random() & scope.knownItems & ~first;
    if (!first || !second)
      continue;
    Swap swaps[] = {scope.getSwap(first), scope.getSwap(second)};
    int64_t room = heap.getRoom(swaps[0]).bytes;
    if (room <= 0)
      continue;
    int64_t bytes[] = {1 + int64_t(scope.random() % room), 0};
    heap.commit(swaps[0], bytes[0]);
    bytes[1] = heap.getRoom(swaps[1]).bytes;
    if (bytes[1] <= 0)
      continue;
    ++numSecond;
    EXPECT_FALSE(
        scope.isRaised({{swaps[0].ticks, bytes[0]}, {swaps[1].ticks, bytes[1]}},
                       first | second))
        << "seed " << seed;
  }
  EXPECT_GT(numSecond, 200 / seedStep);
}

/// Return something of `bytes` bytes that is held at `ticks`.
static Hold makeHold(TickRange ticks, std::optional<int64_t> bytes) {
  Hold hold;
  hold.ticks = ticks;
  hold.certain = {ticks};
  hold.most = bytes;
  hold.least = bytes.value_or(0);
  return hold;
}

/// Return a heap of ten ticks and one branch.
static Heap makeHeap(llvm::ArrayRef<Hold> holds) {
  return Heap(unsigned(0), BranchTree::Part{0, {0, 9}}, holds, {0, 3, 6, 9});
}

static Swap makeSwap(TickRange ticks, llvm::ArrayRef<Hold> removed) {
  Swap swap;
  swap.ticks = ticks;
  for (const Hold &hold : removed)
    swap.removed.push_back(&hold);
  return swap;
}

TEST(Heap, UnknownBytesVary) {
  llvm::SmallVector<Hold> holds = {makeHold({0, 2}, 8), makeHold({6, 8}, 4)};
  Swap swap = makeSwap({0, 8}, holds);
  EXPECT_EQ(makeHeap(holds).getRoom(swap).bytes, 8);
  // A recursive call.
  Hold call = makeHold({4, 4}, std::nullopt);
  call.mayVary = true;
  llvm::SmallVector<Hold> all = {holds[0], holds[1], call};
  Room room = makeHeap(all).getRoom(swap);
  EXPECT_EQ(room.bytes, 0);
  EXPECT_EQ(room.tick, 4);
}

TEST(Heap, UnknownBytesStay) {
  llvm::SmallVector<Hold> holds = {makeHold({0, 2}, 8), makeHold({6, 8}, 4)};
  Swap swap = makeSwap({0, 8}, holds);
  // It is there at the peak as well.
  llvm::SmallVector<Hold> all = {holds[0], holds[1],
                                 makeHold({1, 5}, std::nullopt)};
  EXPECT_EQ(makeHeap(all).getRoom(swap).bytes, 8);
  // It is not.
  all.back() = makeHold({3, 5}, std::nullopt);
  EXPECT_EQ(makeHeap(all).getRoom(swap).tick, 3);
  // It may be.
  all.back() = makeHold({1, 5}, std::nullopt);
  all.back().certain.clear();
  EXPECT_EQ(makeHeap(all).getRoom(swap).tick, 3);
}

TEST(Heap, WhatIsReplacedStays) {
  llvm::SmallVector<Hold> holds = {makeHold({0, 2}, 8), makeHold({6, 8}, 4)};
  Heap heap = makeHeap(holds);
  EXPECT_EQ(heap.getRoom(makeSwap({3, 5}, {})).bytes, 8);
  heap.commit(makeSwap({3, 5}, {}), 6);
  EXPECT_EQ(heap.getRoom(makeSwap({3, 5}, {})).bytes, 2);
  heap.commit(makeSwap({0, 2}, holds[0]), 5);
  Room room = heap.getRoom(makeSwap({0, 2}, {}));
  EXPECT_EQ(room.bytes, 3);
  EXPECT_EQ(room.tick, 0);
}

/// What is left behind is there for whoever goes on, however high the peak was.
TEST(Heap, NoMoreIsLeftBehind) {
  llvm::SmallVector<Hold> holds = {makeHold({0, 2}, 100), makeHold({3, 10}, 4),
                                   makeHold({5, 10}, 2)};
  Heap heap = makeHeap(holds);
  EXPECT_EQ(heap.getRoom(makeSwap({3, 9}, {})).bytes, 94);
  EXPECT_EQ(heap.getRoom(makeSwap({3, 10}, {})).bytes, 0);
  EXPECT_EQ(
      heap.getRoom(makeSwap({3, 10}, llvm::ArrayRef(holds).drop_front())).bytes,
      6);
}

/// A pool that is never freed, in a branch: only what its paths leave counts.
TEST(Heap, NoMoreIsLeftBehindByBranches) {
  llvm::SmallVector<Hold> holds = {makeHold({0, 1}, 100), makeHold({3, 10}, 4),
                                   makeHold({4, 10}, 2)};
  for (Hold &hold : llvm::drop_begin(holds)) {
    hold.branch = 1;
    hold.certain = {{hold.ticks.first, 5}};
  }
  Heap heap({0, 0}, {{0, {0, 9}}, {1, {3, 5}}}, holds, {});
  Swap swap = makeSwap({3, 5}, llvm::ArrayRef(holds).drop_front());
  swap.branch = 1;
  EXPECT_EQ(heap.getRoom(swap).bytes, 100);
  swap.forGoodFrom = 3;
  EXPECT_EQ(heap.getRoom(swap).bytes, 6);
  heap.commit(swap, 4);
  EXPECT_EQ(heap.getRoom(makeSwap({6, 9}, {})).bytes, 96);
}
