//===- PeakOrderTest.cpp - Tests of orders that hold little ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeakOrder.h"

#include "llvm/ADT/Sequence.h"
#include "gtest/gtest.h"

#include <numeric>
#include <random>

using namespace buffer_merge;

/// A random problem of `numNodes` nodes.
static OrderProblem makeProblem(unsigned seed, unsigned numNodes) {
  std::mt19937 random(seed);
  auto draw = [&](unsigned limit) { return unsigned(random() % limit); };
  OrderProblem problem;
  unsigned numItems = 1 + draw(numNodes + 2);
  for (unsigned i = 0; i < numItems; ++i)
    problem.items.push_back({draw(9), draw(5) == 0, draw(5) == 0});
  for (unsigned index : llvm::seq(numNodes)) {
    OrderProblem::Node node;
    for (unsigned pred : llvm::seq(index))
      if (draw(4) == 0)
        node.preds.push_back(pred);
    for (unsigned item : llvm::seq(numItems))
      if (draw(3) == 0)
        node.items.push_back(item);
    node.ownBytes = draw(3) == 0 ? draw(9) : 0;
    if (node.items.size() > 1 && draw(2) == 0)
      node.inPlace.push_back({node.items[0], node.items[1]});
    problem.nodes.push_back(node);
  }
  return problem;
}

/// Return true if `order` has each node once, behind what it must stay behind.
static bool isOrder(const OrderProblem &problem,
                    llvm::ArrayRef<unsigned> order) {
  std::vector<bool> done(problem.nodes.size());
  for (unsigned node : order) {
    if (node >= done.size() || done[node])
      return false;
    done[node] = true;
    for (unsigned pred : problem.nodes[node].preds)
      if (!done[pred])
        return false;
  }
  return order.size() == done.size();
}

TEST(PeakOrder, IsTheBestOfAllOrders) {
  for (unsigned seed : llvm::seq(400u)) {
    OrderProblem problem = makeProblem(seed, 1 + seed % 7);
    NodeOrder order(problem.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    int64_t best = computePeak(problem, order);
    do {
      if (isOrder(problem, order))
        best = std::min(best, computePeak(problem, order));
    } while (std::next_permutation(order.begin(), order.end()));
    int64_t steps = 100000;
    NodeOrder found = findPeakOrder(problem, steps);
    ASSERT_TRUE(isOrder(problem, found)) << "seed " << seed;
    EXPECT_EQ(computePeak(problem, found), best) << "seed " << seed;
    EXPECT_LE(computePeakBound(problem), best) << "seed " << seed;
  }
}

TEST(PeakOrder, IsNeverWorse) {
  for (unsigned seed : llvm::seq(60u)) {
    OrderProblem problem = makeProblem(seed, 20 + seed * 3);
    NodeOrder same(problem.nodes.size());
    std::iota(same.begin(), same.end(), 0);
    int64_t steps = seed % 3 == 0 ? 0 : 2000;
    NodeOrder found = findPeakOrder(problem, steps);
    ASSERT_TRUE(isOrder(problem, found)) << "seed " << seed;
    EXPECT_LE(computePeak(problem, found), computePeak(problem, same))
        << "seed " << seed;
    int64_t again = seed % 3 == 0 ? 0 : 2000;
    EXPECT_EQ(findPeakOrder(problem, again), found) << "seed " << seed;
    EXPECT_EQ(again, steps);
  }
}

/// Chains of which each makes something large, and then something small of it:
/// `numChains` large ones first.
static OrderProblem makeLateConversions(unsigned numChains) {
  OrderProblem problem;
  for (unsigned i = 0; i < 2 * numChains; ++i)
    problem.items.push_back({i < numChains ? 100 : 1, false, i >= numChains});
  for (unsigned chain : llvm::seq(numChains))
    problem.nodes.push_back({{}, {chain}, 0, {}});
  for (unsigned chain : llvm::seq(numChains))
    problem.nodes.push_back({{chain}, {chain, numChains + chain}, 0, {}});
  return problem;
}

TEST(PeakOrder, ConvertsAtOnce) {
  for (unsigned numChains : {3u, 40u, 5000u}) {
    OrderProblem problem = makeLateConversions(numChains);
    int64_t steps = 1000;
    NodeOrder order = findPeakOrder(problem, steps);
    EXPECT_TRUE(isOrder(problem, order));
    EXPECT_EQ(computePeak(problem, order), 100 + numChains);
  }
}

TEST(PeakOrder, OfNothing) {
  int64_t steps = 10;
  EXPECT_TRUE(findPeakOrder(OrderProblem(), steps).empty());
  EXPECT_EQ(steps, 10);
}

// Two nodes that need 6 bytes by themselves: one of them may write its result
// over what it reads, but only if nothing needs that afterwards.
TEST(PeakOrder, WorksInPlace) {
  OrderProblem problem;
  problem.items = {{4, true, false}, {4, false, true}};
  problem.nodes.push_back({{}, {0, 1}, 0, {{0, 1}}});
  problem.nodes.push_back({{}, {0}, 2, {}});
  EXPECT_EQ(computePeak(problem, {0, 1}), 10);
  EXPECT_EQ(computePeak(problem, {1, 0}), 6);
  int64_t steps = 10;
  NodeOrder order = findPeakOrder(problem, steps);
  EXPECT_EQ(order, (NodeOrder{1, 0}));
}
