//===- DeadTicks.cpp - When nobody needs what a buffer holds --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever executes an operation between a write of the buffer and a read of
// what was written is at a point of the control flow at which the buffer is
// live. So it is enough to look at each tick by itself: loops and branches
// around it are in the liveness already.
//
//===----------------------------------------------------------------------===//

#include "Analysis/ExecutionOrder.h"
#include "Mutation.h"
#include "Webs.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace buffer_merge;

SmallVector<TickRange> Webs::findDeadTicks(const ExecutionOrder &order) const {
  // What has left the region of the allocation is not in the graph.
  bool isInGraph = known && llvm::all_of(accesses, [](const Access &access) {
                     return access.item != nullptr;
                   });
  if (!isInGraph && !isMutated("L11-region"))
    return {};
  llvm::BitVector isLiveAfter(nodes.size());
  for (const Node &node : nodes)
    if (node.isLive)
      for (unsigned predecessor : node.predecessors)
        isLiveAfter.set(predecessor);

  SmallVector<TickRange> dead;
  auto add = [&](bool isLive, int64_t first, int64_t last) {
    if (first <= last && (!isLive || isMutated("L11-live")))
      dead.push_back({first, last});
  };
  for (const auto &[block, ends] : blocks) {
    if (block->empty() || !order.isReachable(block))
      continue;
    TickRange ticks = order.getTicks(block);
    unsigned node = ends.first;
    for (Operation *op : items.lookup(block)) {
      TickRange own = order.getTicks(op);
      add(isLiveAfter.test(node), ticks.first, own.first - 1);
      auto [before, after] = opNodes.lookup(op);
      if (parents.contains(op)) {
        add(nodes[before].isLive, own.first, own.first);
        add(nodes[after].isLive, own.last, own.last);
      }
      node = after;
      ticks.first = own.last + 1;
    }
    add(isLiveAfter.test(node), ticks.first, ticks.last);
  }
  llvm::sort(dead, [](TickRange a, TickRange b) { return a.first < b.first; });
  SmallVector<TickRange> joined;
  for (TickRange range : dead)
    if (!joined.empty() && joined.back().last + 1 == range.first)
      joined.back().last = range.last;
    else
      joined.push_back(range);
  return joined;
}
