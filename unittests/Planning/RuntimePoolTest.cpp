//===- Tests of pools of run-time size ------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planning/Runtime/OrderSearch.h"
#include "Planning/Runtime/SampledHeap.h"

#include "mlir/IR/BuiltinOps.h"
#include "gtest/gtest.h"

#include <random>

using namespace buffer_merge;

namespace {
/// Buffers with these ticks, each of a multiple of one of two variables.
struct RuntimePoolTest : public testing::Test {
  RuntimePoolTest() {
    pool.alignment = 64;
    pool.variables.resize(2);
    options.scheduler = lookupScheduler("auto");
  }

  void add(TickRange ticks, LinearBytes bytes) {
    auto &lifetime = lifetimes.emplace_back(std::make_unique<BufferLifetime>());
    lifetime->ticks = ticks;
    lifetime->alignment = 8;
    pool.buffers.push_back(lifetime.get());
    pool.bytes.push_back(std::move(bytes));
  }

  bool findOrders(std::optional<PeakBound> bound = std::nullopt) {
    pool.orders.clear();
    llvm::SmallVector<int64_t> counterexample;
    if (!bound)
      return buffer_merge::findOrders(pool, std::nullopt, options,
                                      counterexample);
    return buffer_merge::findOrders(pool, llvm::ArrayRef<PeakBound>(*bound),
                                    options, counterexample);
  }

  /// The bytes of the smallest pool for these values.
  int64_t getSize(llvm::ArrayRef<int64_t> values) const {
    int64_t size = std::numeric_limits<int64_t>::max();
    for (const PoolOrder &order : pool.orders) {
      int64_t ofOrder = 0;
      for (const LinearBytes &bytes : order.sizes)
        ofOrder = std::max(ofOrder, evaluate(bytes, values));
      size = std::min(size, ofOrder);
    }
    return size;
  }

  std::vector<std::unique_ptr<BufferLifetime>> lifetimes;
  RuntimePool pool;
  MergePlanOptions options;
};
} // namespace

TEST_F(RuntimePoolTest, VerifierFindsWhatIsWrong) {
  add({0, 2}, {0, 64});
  add({2, 4}, {0, 0, 64});
  ASSERT_TRUE(findOrders());
  EXPECT_TRUE(verifyRuntimePool(pool));
  RuntimePool right = pool;
  // Both at the start.
  pool.orders.front().offsets = {{LinearBytes()}, {LinearBytes()}};
  EXPECT_FALSE(verifyRuntimePool(pool));
  // Each above the size of the other, for which nothing is proved.
  pool = right;
  pool.orders.front().offsets = {{LinearBytes{0, 64}}, {LinearBytes{0, 0, 64}}};
  EXPECT_FALSE(verifyRuntimePool(pool));
  // The end of one of them is outside.
  pool = right;
  pool.orders.front().sizes = {{0, 64}, {0, 0, 64}};
  EXPECT_FALSE(verifyRuntimePool(pool));
  // Not aligned.
  pool = right;
  pool.orders.front().offsets = {{LinearBytes()}, {LinearBytes{8, 64}}};
  pool.orders.front().sizes = {{64, 64, 64}};
  EXPECT_FALSE(verifyRuntimePool(pool));
  pool.orders.front().offsets = {{LinearBytes()}, {LinearBytes{64, 64}}};
  EXPECT_TRUE(verifyRuntimePool(pool));
  // More aligned than the pool.
  lifetimes.front()->alignment = 128;
  EXPECT_FALSE(verifyRuntimePool(pool));
}

/// What is in place of each other is one unit, as large as one of them.
TEST_F(RuntimePoolTest, InPlaceIsOneUnit) {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> op =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  add({0, 2}, {0, 64});
  add({2, 4}, {0, 64});
  add({4, 5}, {0, 64});
  lifetimes[0]->lastAccess = lifetimes[1]->firstAccess = *op;
  pool.inPlaceOf = {std::nullopt, 0};
  PoolUnits units = collectUnits(pool);
  EXPECT_EQ(units.units.size(), 2u);
  EXPECT_EQ(units.units.front().ticks.last, 4);
  ASSERT_TRUE(findOrders());
  EXPECT_TRUE(verifyRuntimePool(pool));
  EXPECT_EQ(getSize({10, 0}), 2 * 640);
  EXPECT_EQ(pool.orders.front().offsets[0], pool.orders.front().offsets[1]);
  EXPECT_NE(pool.orders.front().offsets[1], pool.orders.front().offsets[2]);
  RuntimePool right = pool;
  // At two places.
  pool.orders.front().offsets[0] = pool.orders.front().offsets[2];
  EXPECT_FALSE(verifyRuntimePool(pool));
  // Of other sizes.
  pool = right;
  pool.bytes[0] = {0, 0, 64};
  EXPECT_FALSE(verifyRuntimePool(pool));
  // Alive together in more than one operation.
  pool = right;
  lifetimes[0]->lastAccess = nullptr;
  EXPECT_FALSE(verifyRuntimePool(pool));
}

/// Of sizes that trade off, any number may be the largest: what would be too
/// many is not planned, and less is.
TEST_F(RuntimePoolTest, TermsAreLimited) {
  LargestBytes largest(/*most=*/4);
  for (int64_t i = 0; i < 4; ++i)
    largest.add({0, 64 * i, 64 * (9 - i)});
  EXPECT_TRUE(largest.isComplete());
  // It is at most as large as another one, and is not counted.
  largest.add({0, 64, 64});
  EXPECT_TRUE(largest.isComplete());
  largest.add({0, 64 * 4, 64 * 5});
  EXPECT_FALSE(largest.isComplete());
  EXPECT_EQ(largest.get().size(), 4u);

  constexpr int64_t count = 1000;
  for (int64_t i = 0; i < count; ++i)
    add({i, i + 20}, {0, 64 * (i + 1), 64 * (count - i)});
  llvm::SmallVector<int64_t> counterexample = {1};
  EXPECT_FALSE(
      buffer_merge::findOrders(pool, std::nullopt, options, counterexample));
  EXPECT_TRUE(counterexample.empty());
  pool.buffers.truncate(16);
  pool.bytes.truncate(16);
  EXPECT_TRUE(findOrders());
  EXPECT_TRUE(verifyRuntimePool(pool));
}

/// Chains of random lifetimes: for any values, the pool is as large as what is
/// alive if that is what was proved.
TEST_F(RuntimePoolTest, ProvedPeaksHold) {
  std::mt19937 random(7);
  unsigned numProved = 0, numOrders = 0;
  for (unsigned round = 0; round < 200; ++round) {
    pool.buffers.clear();
    pool.bytes.clear();
    lifetimes.clear();
    for (int64_t i = 0; i < 12; ++i) {
      int64_t factor = 64 * (1 + random() % 4);
      add({i, i + 1 + static_cast<int64_t>(random() % 3)},
          random() % 2 ? LinearBytes{0, factor} : LinearBytes{0, 0, factor});
    }
    PeakBound bound;
    bound.others = {LinearBytes()};
    LargestBytes alive;
    for (int64_t tick = 0; tick < 16; ++tick) {
      LinearBytes sum;
      for (auto [buffer, bytes] : llvm::zip(pool.buffers, pool.bytes))
        if (buffer->ticks.first <= tick && tick <= buffer->ticks.last)
          sum = getSum(sum, bytes);
      alive.add(sum);
    }
    bound.given.assign(alive.get().begin(), alive.get().end());
    if (!findOrders(bound))
      continue;
    ++numProved;
    numOrders += pool.orders.size();
    EXPECT_TRUE(verifyRuntimePool(pool));
    for (int64_t a : {0, 1, 2, 3, 5, 17, 1000})
      for (int64_t b : {0, 1, 2, 3, 4, 64, 999}) {
        int64_t allowed = 0;
        for (const LinearBytes &bytes : bound.given)
          allowed = std::max(allowed, evaluate(bytes, {a, b}));
        EXPECT_LE(getSize({a, b}), allowed) << round << ": " << a << " " << b;
      }
  }
  // Most are proved, and some by several orders.
  EXPECT_GT(numProved, 90u);
  EXPECT_GT(numOrders, numProved);
}

/// A heap in which a pool was put in place of some buffers is as if it had been
/// held from the beginning.
TEST(SampledHeapTest, ReplacesMembers) {
  constexpr size_t numItems = 12, numReplaced = 4;
  std::mt19937 random(1);
  auto draw = [&](int64_t end) { return static_cast<int64_t>(random() % end); };
  unsigned numExceeded = 0;
  for (unsigned trial = 0; trial < 500; ++trial) {
    std::vector<SampledHeap::Member> items(numItems);
    TickRange hull = {100, 0};
    for (size_t i = 0; i < numItems; ++i) {
      int64_t first = draw(30);
      items[i].ticks = {first, first + draw(10)};
      items[i].held = {items[i].ticks};
      items[i].bytes = sampleBytes(64 * (1 + draw(8)));
      if (i < numReplaced)
        hull = i == 0 ? items[i].ticks : hull.hull(items[i].ticks);
    }
    SampledBytes poolBytes = sampleBytes(64 * (1 + draw(16)));
    // Whether the first items are in the pool from the beginning.
    auto findExcess = [&](bool isPool) {
      std::vector<SampledHeap::Member> members = items;
      SampledHeap heap({0, 40});
      std::vector<SampledHeap::Member *> all;
      for (size_t i = 0; i < numItems; ++i) {
        heap.addHeld(members[i].held.front(), isPool && i < numReplaced
                                                  ? sampleBytes(int64_t(0))
                                                  : members[i].bytes);
        heap.addCertain(members[i].held.front(), members[i].bytes);
        all.push_back(&members[i]);
      }
      if (isPool)
        heap.addHeld(hull, poolBytes);
      for (int64_t tick = 0; tick <= 40; tick += 5)
        heap.addOwnTick(tick);
      heap.finish(all);
      std::vector<const SampledHeap::Member *> replaced(
          all.begin(), all.begin() + numReplaced),
          others(all.begin() + numReplaced, all.begin() + 2 * numReplaced);
      if (!isPool)
        heap.replace(replaced, hull, poolBytes);
      TickRange held = items[numReplaced].ticks;
      for (size_t i = numReplaced; i < 2 * numReplaced; ++i)
        held = held.hull(items[i].ticks);
      int64_t aliveTick = -1;
      std::optional<int64_t> excess = heap.findExcess(others, held, aliveTick);
      return std::pair(excess, aliveTick);
    };
    auto [excess, aliveTick] = findExcess(false);
    EXPECT_EQ(std::pair(excess, aliveTick), findExcess(true));
    numExceeded += excess.has_value();
  }
  EXPECT_GT(numExceeded, 50u);
  EXPECT_LT(numExceeded, 480u);
}
