//===- ExecutionOrder.cpp - Ticks and cycles of a function ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/ExecutionOrder.h"
#include "AllocScope.h"
#include "GraphComponents.h"
#include "Mutation.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Region.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/BreadthFirstIterator.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the components of the subgraph of `part`, of one region's CFG, in a
/// topological order backwards; in each component the first block that a search
/// from `roots` has found comes first.
static SmallVector<SmallVector<Block *, 1>>
findBlockComponents(ArrayRef<Block *> part, ArrayRef<Block *> roots) {
  llvm::SmallDenseMap<Block *, unsigned, 8> indices;
  for (auto [index, block] : llvm::enumerate(part))
    indices[block] = index;
  auto addInPart = [&](auto &&blocks, SmallVectorImpl<unsigned> &list) {
    for (Block *block : blocks)
      if (auto it = indices.find(block); it != indices.end())
        list.push_back(it->second);
  };
  // Successors are taken from the last to the first, so that the order of the
  // components, which is backwards, has the first successor first.
  SmallVector<SmallVector<unsigned, 2>, 0> successors(part.size());
  for (auto [index, block] : llvm::enumerate(part))
    addInPart(llvm::reverse(block->getSuccessors()), successors[index]);
  SmallVector<unsigned> starts;
  addInPart(roots, starts);
  return llvm::map_to_vector(
      findComponents(successors, starts), [&](const GraphComponent &component) {
        return llvm::map_to_vector<1>(
            component.nodes, [&](unsigned index) { return part[index]; });
      });
}

SmallVector<Block *> ExecutionOrder::orderBlocks(Region &region) {
  SmallVector<Block *> order;
  auto append = [&](Block *block, int cycle, bool reachable) {
    blocks[block] = {
        static_cast<unsigned>(order.size()), cycle, reachable, {0, 0}};
    order.push_back(block);
  };
  if (llvm::hasSingleElement(region) || isMutated("L1-order")) {
    for (Block &block : region)
      append(&block, -1, true);
    return order;
  }

  // What is still to be appended, the next on top: a block, or a part of the
  // CFG to be cut into components first.
  struct Item {
    SmallVector<Block *> part;
    SmallVector<Block *> roots;
    int cycle;
    bool isBlock;
  };
  size_t firstCycle = cycles.size();
  SmallVector<Item> items;
  Block *entry = &region.front();
  items.push_back(
      {llvm::to_vector(llvm::breadth_first(entry)), {entry}, -1, false});
  while (!items.empty()) {
    Item item = items.pop_back_val();
    if (item.isBlock) {
      append(item.part.front(), item.cycle, /*reachable=*/true);
      continue;
    }
    for (ArrayRef<Block *> component :
         findBlockComponents(item.part, item.roots)) {
      Block *head = component.front();
      if (component.size() == 1 &&
          !llvm::is_contained(head->getSuccessors(), head)) {
        items.push_back({{head}, {}, item.cycle, true});
        continue;
      }
      // A cycle: its head comes first, then what is left without the head.
      int cycle = cycles.size();
      cycles.push_back({item.cycle, 0, 0, {0, 0}});
      SmallVector<Block *> rest(llvm::drop_begin(component));
      if (!rest.empty())
        items.push_back({std::move(rest),
                         llvm::to_vector(head->getSuccessors()), cycle, false});
      items.push_back({{head}, {}, cycle, true});
    }
  }
  for (size_t i = firstCycle; i < cycles.size(); ++i)
    cycles[i].firstBlock = order.size();
  for (Block *block : order) {
    const BlockInfo &info = blocks[block];
    for (int cycle = info.cycle; cycle >= 0; cycle = cycles[cycle].parent) {
      cycles[cycle].firstBlock =
          std::min(cycles[cycle].firstBlock, info.position);
      cycles[cycle].lastBlock = info.position;
    }
  }
  for (Block &block : region)
    if (!blocks.contains(&block))
      append(&block, -1, /*reachable=*/false);
  return order;
}

ExecutionOrder::ExecutionOrder(Operation *root) {
  // A region that is being numbered: the operation before `next` in the block
  // at `position` is done.
  struct Frame {
    Region *region;
    SmallVector<Block *> order;
    size_t position;
    Block::iterator next;
  };
  // Regions of one operation are pushed last to first.
  SmallVector<Frame> frames;
  auto enterRegions = [&](Operation *op) {
    for (Region &region : llvm::reverse(op->getRegions()))
      if (!region.empty())
        frames.push_back({&region, {}, 0, {}});
  };
  enterRegions(root);
  while (!frames.empty()) {
    Frame &frame = frames.back();
    if (frame.order.empty()) {
      frame.order = orderBlocks(*frame.region);
      frame.next = frame.order.front()->begin();
      blocks[frame.order.front()].ticks.first = numTicks;
    }
    Block *block = frame.order[frame.position];
    if (frame.next != block->end()) {
      Operation *op = &*frame.next++;
      opTicks[op] = {numTicks, numTicks};
      ++numTicks;
      if (auto copy = dyn_cast<memref::CopyOp>(op))
        copies.push_back(copy);
      isControlFlowKnown &= isKnownControlFlow(op);
      enterRegions(op);
      // The last tick of an operation with regions is set when they are done.
      continue;
    }
    // The block is done; an empty one has the tick that comes next.
    BlockInfo &info = blocks[block];
    info.ticks.last = std::max(info.ticks.first, numTicks - 1);
    for (int cycle = info.cycle; cycle >= 0; cycle = cycles[cycle].parent) {
      if (cycles[cycle].firstBlock == info.position)
        cycles[cycle].ticks.first = info.ticks.first;
      cycles[cycle].ticks.last = info.ticks.last;
    }
    if (++frame.position < frame.order.size()) {
      Block *nextBlock = frame.order[frame.position];
      frame.next = nextBlock->begin();
      blocks[nextBlock].ticks.first = numTicks;
      continue;
    }
    Operation *parent = frame.region->getParentOp();
    frames.pop_back();
    bool isLastRegion =
        frames.empty() || frames.back().region->getParentOp() != parent;
    if (isLastRegion && parent != root)
      opTicks[parent].last = numTicks++;
  }
}

TickRange ExecutionOrder::getTicks(Operation *op) const {
  return opTicks.at(op);
}

TickRange ExecutionOrder::getTicks(Block *block) const {
  return blocks.at(block).ticks;
}

TickRange ExecutionOrder::getTicks(Region *region) const {
  TickRange ticks = getTicks(&region->front());
  for (Block &block : *region)
    ticks = ticks.hull(getTicks(&block));
  return ticks;
}

bool ExecutionOrder::isReachable(Block *block) const {
  return block->isEntryBlock() || blocks.at(block).reachable;
}

int ExecutionOrder::findCycle(Block *block,
                              std::optional<unsigned> without) const {
  int outermost = -1;
  for (int cycle = blocks.at(block).cycle; cycle >= 0;
       cycle = cycles[cycle].parent) {
    if (without && cycles[cycle].firstBlock <= *without &&
        *without <= cycles[cycle].lastBlock)
      break;
    outermost = cycle;
  }
  return outermost;
}

std::optional<TickRange> ExecutionOrder::getCycle(Block *block,
                                                  Block *without) const {
  std::optional<unsigned> position;
  if (without)
    position = blocks.at(without).position;
  int cycle = findCycle(block, position);
  if (cycle < 0)
    return std::nullopt;
  return cycles[cycle].ticks;
}

bool ExecutionOrder::isBackEdge(Block *from, Block *to) const {
  if (blocks.at(to).position > blocks.at(from).position)
    return false;
  int cycle = findCycle(from, std::nullopt);
  return cycle >= 0 && cycle == findCycle(to, std::nullopt);
}

SmallVector<OpOperand *>
ExecutionOrder::collectUses(ArrayRef<Value> values) const {
  using Use = std::tuple<int64_t, unsigned, OpOperand *>;
  SmallVector<Use> uses;
  for (Value value : values)
    for (OpOperand &use : value.getUses())
      uses.emplace_back(getTicks(use.getOwner()).first, use.getOperandNumber(),
                        &use);
  llvm::sort(uses);
  return llvm::map_to_vector(uses,
                             [](const Use &use) { return std::get<2>(use); });
}
