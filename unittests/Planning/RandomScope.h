//===- RandomScope.h - Random scopes and their peaks ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_UNITTESTS_PLANNING_RANDOMSCOPE_H
#define BUFFER_MERGE_UNITTESTS_PLANNING_RANDOMSCOPE_H

#include "Planning/Heap/Heap.h"

#include "llvm/ADT/STLExtras.h"

#include <random>

namespace buffer_merge::test {
/// Bytes that are held at some ticks.
struct RandomPool {
  TickRange ticks = {0, -1};
  int64_t bytes = 0;
};

/// A scope with branches and what it holds.
struct RandomScope {
  static constexpr int64_t numTicks = 16;

  explicit RandomScope(unsigned seed) : random(seed) {
    for (unsigned i = 0, e = random() % 4; i < e; ++i)
      addBranch();
    for (unsigned i = 0; i < 7; ++i)
      addItem();
  }

  /// Add a branch inside an earlier one, beside those that are in it already.
  void addBranch() {
    unsigned parent = random() % parents.size();
    TickRange around = parts[parent].ticks;
    int64_t length = around.last - around.first - 1;
    if (length < 1)
      return;
    int64_t first = around.first + 1 + random() % length;
    int64_t last = first + random() % (around.last - first);
    for (unsigned other = 1; other < parents.size(); ++other)
      if (parents[other] == parent && parts[other].ticks.first <= last &&
          first <= parts[other].ticks.last)
        return;
    parts.push_back({unsigned(parents.size()), {first, last}});
    parents.push_back(parent);
  }

  /// Add an item: most often of known size, and held for certain as long as it
  /// may be and its branch lasts.
  void addItem() {
    int64_t first = random() % numTicks;
    int64_t last = first + random() % (numTicks - first);
    unsigned branch = getBranch(first);
    int64_t certainLast = std::min(last, parts[branch].ticks.last);
    if (random() % 4 == 0)
      certainLast = first + random() % (certainLast - first + 1);
    Hold item;
    item.ticks = {first, last};
    item.branch = branch;
    item.certain = {{first, certainLast}};
    item.most = item.least = 1 + random() % 8;
    // Inner scopes and callees may hold less, or nobody knows how much.
    if (random() % 4 == 0) {
      item.least = random() % (*item.most + 1);
      if (random() % 2)
        item.most.reset();
      item.mayVary = random() % 2;
    } else {
      knownItems |= 1u << items.size();
    }
    itemBranches.push_back(branch);
    items.push_back(std::move(item));
  }

  /// Return the innermost branch at `tick`.
  unsigned getBranch(int64_t tick) const {
    unsigned innermost = 0;
    for (const BranchTree::Part &part : parts)
      if (part.ticks.first <= tick && tick <= part.ticks.last)
        innermost = part.branch;
    return innermost;
  }

  Heap makeHeap() const {
    return Heap(parents, parts, items,
                llvm::to_vector(llvm::seq<int64_t>(0, numTicks + 1)));
  }

  /// Return a pool around `subset`, one bit for each item, in its place.
  Swap getSwap(unsigned subset) const {
    Swap swap;
    swap.ticks = {numTicks, -1};
    for (auto [index, item] : llvm::enumerate(items))
      if (subset >> index & 1) {
        swap.ticks = swap.ticks.hull(item.ticks);
        swap.removed.push_back(&item);
      }
    return swap;
  }

  bool isPath(unsigned path) const {
    for (auto [branch, parent] : llvm::enumerate(parents))
      if (path >> branch & 1 && !(path >> parent & 1))
        return false;
    return path & 1;
  }

  /// What is not known, as it is in one execution: the bytes of each item at
  /// each tick if its branch is taken.
  using World = llvm::SmallVector<std::array<int64_t, numTicks>>;

  World drawWorld() {
    World world;
    for (const Hold &item : items) {
      auto &held = world.emplace_back();
      int64_t most = item.most.value_or(60);
      auto draw = [&] {
        return random() % 2
                   ? most
                   : int64_t(item.least + random() % (most - item.least + 1));
      };
      int64_t bytes = draw(), last = item.certain.front().last;
      last += random() % (item.ticks.last - last + 1);
      for (int64_t tick = item.ticks.first; tick <= last; ++tick)
        held[tick] = item.mayVary ? draw() : bytes;
    }
    return world;
  }

  /// Return the peak of `path` with `pools` in place of the items `removed`.
  int64_t getPeak(unsigned path, const World &world,
                  llvm::ArrayRef<RandomPool> pools, unsigned removed) const {
    int64_t peak = 0;
    for (int64_t tick = 0; tick < numTicks; ++tick) {
      if (!(path >> getBranch(tick) & 1))
        continue;
      int64_t bytes = 0;
      for (const RandomPool &pool : pools)
        if (pool.ticks.first <= tick && tick <= pool.ticks.last)
          bytes += pool.bytes;
      for (unsigned i = 0; i < items.size(); ++i)
        if (path >> itemBranches[i] & 1 && !(removed >> i & 1))
          bytes += world[i][tick];
      peak = std::max(peak, bytes);
    }
    return peak;
  }

  /// Return true if `pools` in place of the items `removed` raises the peak of
  /// some execution.
  bool isRaised(llvm::ArrayRef<RandomPool> pools, unsigned removed) {
    for (unsigned draw = 0; draw < 40; ++draw) {
      World world = drawWorld();
      for (unsigned path = 0; path < 1u << parents.size(); ++path)
        if (isPath(path) &&
            getPeak(path, world, pools, removed) > getPeak(path, world, {}, 0))
          return true;
    }
    return false;
  }

  std::mt19937_64 random;
  llvm::SmallVector<unsigned> parents = {0};
  llvm::SmallVector<BranchTree::Part> parts = {{0, {0, numTicks - 1}}};
  llvm::SmallVector<Hold> items;
  llvm::SmallVector<unsigned> itemBranches;
  /// A bit for each item whose bytes are known.
  unsigned knownItems = 0;
};
} // namespace buffer_merge::test

#endif // BUFFER_MERGE_UNITTESTS_PLANNING_RANDOMSCOPE_H
