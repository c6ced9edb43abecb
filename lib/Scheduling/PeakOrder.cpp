//===- PeakOrder.cpp - Orders of operations that hold little --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeakOrder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <numeric>
#include <optional>
#include <queue>
#include <set>

using namespace buffer_merge;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// What executing a node next means for the bytes that are alive.
struct NodeBytes {
  /// How many more there are while it is executed, and afterwards.
  int64_t during = 0, after = 0;
};
} // namespace

/// Return that for `node`. `State` says which items have been accessed, and
/// which ones no other node will access.
template <typename State>
static NodeBytes measure(const OrderProblem &problem, unsigned node,
                         const State &state) {
  const OrderProblem::Node &info = problem.nodes[node];
  NodeBytes bytes;
  auto dies = [&](unsigned item) {
    return !problem.items[item].isAliveAfter && state.isLastAccess(item, node);
  };
  for (unsigned item : info.items) {
    int64_t size = problem.items[item].bytes;
    bytes.during += state.isAlive(item) ? 0 : size;
    bytes.after -= dies(item) ? size : 0;
  }
  bytes.after += bytes.during;
  bytes.during += info.ownBytes;
  SmallVector<unsigned, 4> used;
  for (OrderProblem::InPlacePair pair : info.inPlace) {
    if (!dies(pair.earlier) || !state.isAlive(pair.earlier) ||
        state.isAlive(pair.later) || llvm::is_contained(used, pair.earlier) ||
        llvm::is_contained(used, pair.later))
      continue;
    used.append({pair.earlier, pair.later});
    bytes.during -= std::min(problem.items[pair.earlier].bytes,
                             problem.items[pair.later].bytes);
  }
  return bytes;
}

namespace {
/// What is alive while nodes are executed one by one.
class Execution {
public:
  explicit Execution(const OrderProblem &problem)
      : problem(problem), numLeft(problem.items.size()) {
    for (const OrderProblem::Node &node : problem.nodes)
      for (unsigned item : node.items)
        ++numLeft[item];
    for (const OrderProblem::Item &item : problem.items) {
      isBegun.push_back(item.isAliveBefore);
      alive += item.isAliveBefore ? item.bytes : 0;
    }
    peak = alive;
  }

  bool isAlive(unsigned item) const { return isBegun[item]; }
  bool isLastAccess(unsigned item, unsigned) const {
    return numLeft[item] == 1;
  }

  void execute(unsigned node) {
    NodeBytes bytes = measure(problem, node, *this);
    peak = std::max(peak, alive + bytes.during);
    alive += bytes.after;
    for (unsigned item : problem.nodes[node].items) {
      isBegun[item] = true;
      --numLeft[item];
    }
  }

  const OrderProblem &problem;
  int64_t alive = 0, peak = 0;
  SmallVector<unsigned, 0> numLeft;
  SmallVector<bool, 0> isBegun;
};
} // namespace

int64_t buffer_merge::computePeak(const OrderProblem &problem,
                                  ArrayRef<unsigned> order) {
  Execution execution(problem);
  for (unsigned node : order)
    execution.execute(node);
  return execution.peak;
}

int64_t buffer_merge::computePeakBound(const OrderProblem &problem) {
  int64_t bound = 0;
  for (const OrderProblem::Item &item : problem.items)
    bound += item.isAliveBefore ? item.bytes : 0;
  for (const OrderProblem::Node &node : problem.nodes) {
    int64_t bytes = node.ownBytes, shared = 0;
    for (unsigned item : node.items)
      bytes += problem.items[item].bytes;
    for (OrderProblem::InPlacePair pair : node.inPlace)
      shared += std::min(problem.items[pair.earlier].bytes,
                         problem.items[pair.later].bytes);
    bound = std::max(bound, bytes - shared);
  }
  return bound;
}

/// Return the nodes that must stay behind each one.
static SmallVector<SmallVector<unsigned, 4>, 0>
findSuccessors(const OrderProblem &problem) {
  SmallVector<SmallVector<unsigned, 4>, 0> successors(problem.nodes.size());
  for (auto [index, node] : llvm::enumerate(problem.nodes))
    for (unsigned pred : node.preds)
      successors[pred].push_back(index);
  return successors;
}

//===----------------------------------------------------------------------===//
// List scheduling
//===----------------------------------------------------------------------===//

/// Return the order in which the node that `getKey` gives the least number is
/// next; of several the first one.
static NodeOrder
scheduleList(const OrderProblem &problem,
             llvm::function_ref<int64_t(const NodeBytes &)> getKey) {
  size_t numNodes = problem.nodes.size();
  SmallVector<SmallVector<unsigned, 4>, 0> successors = findSuccessors(problem);
  SmallVector<SmallVector<unsigned, 4>, 0> users(problem.items.size());
  SmallVector<unsigned, 0> numPreds;
  SmallVector<int64_t, 0> keys(numNodes);
  for (auto [index, node] : llvm::enumerate(problem.nodes)) {
    numPreds.push_back(node.preds.size());
    for (unsigned item : node.items)
      users[item].push_back(index);
  }
  Execution execution(problem);
  std::set<std::pair<int64_t, unsigned>> ready;
  auto add = [&](unsigned node) {
    keys[node] = getKey(measure(problem, node, execution));
    ready.insert({keys[node], node});
  };
  for (unsigned node : llvm::seq(numNodes))
    if (numPreds[node] == 0)
      add(node);
  NodeOrder order;
  while (!ready.empty()) {
    unsigned node = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(node);
    // Others cost something else if an item has begun, or may end now.
    SmallVector<unsigned> changed;
    for (unsigned item : problem.nodes[node].items)
      if (!execution.isAlive(item) || execution.numLeft[item] == 2)
        changed.append(users[item].begin(), users[item].end());
    execution.execute(node);
    for (unsigned user : changed)
      if (ready.erase({keys[user], user}))
        add(user);
    for (unsigned successor : successors[node])
      if (--numPreds[successor] == 0)
        add(successor);
  }
  return order;
}

/// Return `problem` with its operations in reverse: the same bytes are alive.
static OrderProblem reverse(const OrderProblem &problem) {
  OrderProblem result;
  size_t last = problem.nodes.size() - 1;
  result.items = problem.items;
  for (OrderProblem::Item &item : result.items)
    std::swap(item.isAliveBefore, item.isAliveAfter);
  for (const OrderProblem::Node &node : llvm::reverse(problem.nodes)) {
    result.nodes.push_back(node);
    result.nodes.back().preds.clear();
    for (OrderProblem::InPlacePair &pair : result.nodes.back().inPlace)
      std::swap(pair.earlier, pair.later);
  }
  for (auto [index, node] : llvm::enumerate(problem.nodes))
    for (unsigned pred : node.preds)
      result.nodes[last - pred].preds.push_back(last - index);
  return result;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

namespace {
/// Searches the order of least peak of a few nodes.
class OrderSearch {
public:
  static constexpr size_t maxNodes = 62;

  explicit OrderSearch(const OrderProblem &problem);

  /// Return the order of least peak, if that is less than `limit`; nothing if
  /// there is none, or if `steps` do not suffice.
  std::optional<NodeOrder> run(int64_t limit, int64_t &steps);

private:
  using NodeSet = uint64_t;
  /// The nodes that have been executed, and the last one of them.
  struct State {
    NodeSet done;
    int64_t peak, alive;
    size_t previous;
    unsigned node;
  };
  /// What `measure` asks.
  struct Items {
    const OrderSearch &search;
    NodeSet done;
    bool isAlive(unsigned item) const {
      return search.problem.items[item].isAliveBefore ||
             (search.users[item] & done) != 0;
    }
    bool isLastAccess(unsigned item, unsigned node) const {
      return (search.users[item] & ~done) == NodeSet(1) << node;
    }
  };

  void expand(size_t index, int64_t limit, int64_t &steps);
  void add(size_t previous, unsigned node, NodeBytes bytes);
  NodeOrder getOrder(size_t index) const;

  const OrderProblem &problem;
  SmallVector<NodeSet, 0> preds, users;
  SmallVector<State, 0> states;
  /// The best peak of each set so far.
  llvm::DenseMap<NodeSet, int64_t> best;
  /// Peak, nodes that are left, and the state.
  std::set<std::tuple<int64_t, unsigned, size_t>> open;
};
} // namespace

OrderSearch::OrderSearch(const OrderProblem &problem)
    : problem(problem), users(problem.items.size()) {
  for (auto [index, node] : llvm::enumerate(problem.nodes)) {
    preds.push_back(0);
    for (unsigned pred : node.preds)
      preds.back() |= NodeSet(1) << pred;
    for (unsigned item : node.items)
      users[item] |= NodeSet(1) << index;
  }
}

void OrderSearch::add(size_t previous, unsigned node, NodeBytes bytes) {
  const State &from = states[previous];
  State state = {from.done | NodeSet(1) << node,
                 std::max(from.peak, from.alive + bytes.during),
                 from.alive + bytes.after, previous, node};
  auto [it, isNew] = best.try_emplace(state.done, state.peak);
  if (!isNew && it->second <= state.peak)
    return;
  it->second = state.peak;
  unsigned numLeft = problem.nodes.size() - llvm::popcount(state.done);
  open.insert({state.peak, numLeft, states.size()});
  states.push_back(state);
}

void OrderSearch::expand(size_t index, int64_t limit, int64_t &steps) {
  State state = states[index];
  Items items{*this, state.done};
  SmallVector<std::pair<unsigned, NodeBytes>, 16> next;
  for (unsigned node : llvm::seq(problem.nodes.size())) {
    if ((state.done >> node & 1) || (preds[node] & ~state.done))
      continue;
    NodeBytes bytes = measure(problem, node, items);
    --steps;
    if (bytes.after <= 0 && state.alive + bytes.during <= state.peak)
      return add(index, node, bytes);
    if (state.alive + bytes.during < limit)
      next.push_back({node, bytes});
  }
  for (auto [node, bytes] : next)
    add(index, node, bytes);
}

NodeOrder OrderSearch::getOrder(size_t index) const {
  NodeOrder order;
  for (; index != 0; index = states[index].previous)
    order.push_back(states[index].node);
  std::reverse(order.begin(), order.end());
  return order;
}

std::optional<NodeOrder> OrderSearch::run(int64_t limit, int64_t &steps) {
  int64_t alive = 0;
  for (const OrderProblem::Item &item : problem.items)
    alive += item.isAliveBefore ? item.bytes : 0;
  if (alive >= limit)
    return std::nullopt;
  states.push_back({0, alive, alive, 0, 0});
  open.insert({alive, problem.nodes.size(), 0});
  while (!open.empty() && steps > 0) {
    auto [peak, numLeft, index] = *open.begin();
    open.erase(open.begin());
    if (numLeft == 0)
      return getOrder(index);
    if (index == 0 || best.lookup(states[index].done) == peak)
      expand(index, limit, steps);
  }
  return std::nullopt;
}

/// Return the part of `problem` that `order` executes from `begin` on, up to
/// `end`: its nodes are numbered from `begin`.
static OrderProblem getWindow(const OrderProblem &problem,
                              ArrayRef<unsigned> order, size_t begin,
                              size_t end) {
  OrderProblem window;
  llvm::DenseMap<unsigned, unsigned> nodes, items;
  for (unsigned node : order.slice(begin, end - begin)) {
    OrderProblem::Node part = problem.nodes[node];
    unsigned number = nodes.size();
    nodes[node] = number;
    llvm::erase_if(part.preds,
                   [&](unsigned pred) { return !nodes.contains(pred); });
    for (unsigned &pred : part.preds)
      pred = nodes.lookup(pred);
    for (unsigned &item : part.items) {
      auto [it, isNew] = items.try_emplace(item, window.items.size());
      if (isNew)
        window.items.push_back(problem.items[item]);
      item = it->second;
    }
    for (OrderProblem::InPlacePair &pair : part.inPlace)
      pair = {items.lookup(pair.earlier), items.lookup(pair.later)};
    window.nodes.push_back(std::move(part));
  }
  auto mark = [&](ArrayRef<unsigned> others, bool OrderProblem::Item::*flag) {
    for (unsigned node : others)
      for (unsigned item : problem.nodes[node].items)
        if (auto it = items.find(item); it != items.end())
          window.items[it->second].*flag = true;
  };
  mark(order.take_front(begin), &OrderProblem::Item::isAliveBefore);
  mark(order.drop_front(end), &OrderProblem::Item::isAliveAfter);
  return window;
}

/// Order what is around the peak of `order` anew, as long as that lowers it.
static void improveAroundPeak(const OrderProblem &problem, NodeOrder &order,
                              int64_t &steps) {
  constexpr size_t windowSize = 40;
  constexpr int maxWindows = 64;
  int64_t bound = computePeakBound(problem);
  for (int i = 0; i < maxWindows && steps > 0; ++i) {
    Execution execution(problem);
    size_t position = 0;
    for (auto [index, node] : llvm::enumerate(order)) {
      int64_t before = execution.peak;
      execution.execute(node);
      if (execution.peak > before)
        position = index;
    }
    if (execution.peak <= bound)
      return;
    size_t begin = position - std::min(position, windowSize / 2);
    size_t end = std::min(begin + windowSize, order.size());
    OrderProblem window = getWindow(problem, order, begin, end);
    NodeOrder same(window.nodes.size());
    std::iota(same.begin(), same.end(), 0);
    std::optional<NodeOrder> found =
        OrderSearch(window).run(computePeak(window, same), steps);
    if (!found)
      return;
    ArrayRef<unsigned> old = ArrayRef(order).slice(begin, end - begin);
    NodeOrder now =
        llvm::map_to_vector<0>(*found, [&](unsigned i) { return old[i]; });
    llvm::copy(now, order.begin() + begin);
  }
}

NodeOrder buffer_merge::findPeakOrder(const OrderProblem &problem,
                                      int64_t &steps) {
  NodeOrder best(problem.nodes.size());
  std::iota(best.begin(), best.end(), 0);
  int64_t peak = computePeak(problem, best);
  int64_t bound = computePeakBound(problem);
  if (peak <= bound)
    return best;
  bool isLarge = problem.nodes.size() > OrderSearch::maxNodes;
  auto offer = [&](NodeOrder order) {
    int64_t found = computePeak(problem, order);
    if (found >= peak)
      return;
    peak = found;
    best = std::move(order);
  };
  auto turn = [](NodeOrder order) {
    unsigned last = order.size() - 1;
    NodeOrder result;
    for (unsigned node : llvm::reverse(order))
      result.push_back(last - node);
    return result;
  };
  // What few changes do is done by few.
  if (isLarge) {
    int64_t half = steps / 2, left = half;
    improveAroundPeak(problem, best, left);
    steps -= half - left;
    peak = computePeak(problem, best);
  }
  NodeOrder improved = best;
  OrderProblem reversed = reverse(problem);
  auto getAfter = [](const NodeBytes &bytes) { return bytes.after; };
  auto getDuring = [](const NodeBytes &bytes) { return bytes.during; };
  offer(scheduleList(problem, getAfter));
  offer(turn(scheduleList(reversed, getAfter)));
  offer(scheduleList(problem, getDuring));
  offer(turn(scheduleList(reversed, getDuring)));
  if (peak <= bound)
    return best;
  if (isLarge && best != improved) {
    improveAroundPeak(problem, best, steps);
  } else if (!isLarge) {
    if (std::optional<NodeOrder> found = OrderSearch(problem).run(peak, steps))
      best = std::move(*found);
  }
  return best;
}
