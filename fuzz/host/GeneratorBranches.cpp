//===- Generated graphs of blocks ----------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// Return the immediate dominator of every node of a graph in which node 0
/// reaches all others, and its nodes in an order in which dominators come
/// first.
static std::vector<unsigned>
computeDominators(ArrayRef<SmallVector<unsigned, 4>> successors) {
  size_t count = successors.size();
  // Sets of dominators by iteration: the graphs are tiny.
  std::vector<uint64_t> dominators(count, (uint64_t(1) << count) - 1);
  dominators[0] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<uint64_t> incoming(count, (uint64_t(1) << count) - 1);
    for (size_t node = 0; node < count; ++node)
      for (unsigned successor : successors[node])
        incoming[successor] &= dominators[node];
    for (size_t node = 1; node < count; ++node) {
      uint64_t updated = incoming[node] | uint64_t(1) << node;
      changed |= updated != dominators[node];
      dominators[node] = updated;
    }
  }
  std::vector<unsigned> immediate(count, 0);
  for (size_t node = 1; node < count; ++node) {
    uint64_t strict = dominators[node] & ~(uint64_t(1) << node);
    // The immediate dominator is the one with the most dominators itself.
    for (size_t other = 0; other < count; ++other)
      if ((strict >> other & 1) && dominators[other] == strict)
        immediate[node] = other;
  }
  return immediate;
}

/// Blocks before they are generated. Node 0 is the current block, the last node
/// is the exit, all others are new.
struct Generator::Graph {
  bool acyclic;
  unsigned exit;
  std::vector<SmallVector<unsigned, 4>> successors;
  std::vector<unsigned> immediate;
  SmallVector<Block *> blocks;

  void addEdge(unsigned from, unsigned to) {
    if (!llvm::is_contained(successors[from], to))
      successors[from].push_back(to);
  }
};

Generator::Graph Generator::makeGraph(unsigned numBlocks, bool multiEntry,
                                      bool acyclic) {
  Graph graph = {acyclic, numBlocks + 1, {}, {}, {}};
  graph.successors.resize(numBlocks + 2);
  graph.addEdge(0, 1);
  if (multiEntry)
    graph.addEdge(0, random.range(2, numBlocks));
  for (unsigned node = 1; node <= numBlocks; ++node) {
    // Every node is reached from an earlier one.
    if (node > 1)
      graph.addEdge(random.chance(60) ? node - 1 : random.range(1, node - 1),
                    node);
    if (!acyclic && random.chance(50))
      graph.addEdge(node, random.range(1, node));
    if (random.chance(30) && node < numBlocks)
      graph.addEdge(node, random.range(node + 1, numBlocks));
  }
  for (unsigned node = 1; node <= numBlocks; ++node)
    if (graph.successors[node].empty() || !acyclic || random.chance(30))
      graph.addEdge(node, graph.exit);
  graph.immediate = computeDominators(graph.successors);
  return graph;
}

/// Branch from the current block, which is `node`, with `operands`: all
/// successors get one list, which is legal if not as varied as it could be.
void Generator::genBranch(const Graph &graph, unsigned node, Value fuel,
                          ValueRange operands) {
  ArrayRef<Block *> blocks = graph.blocks;
  Block *exit = blocks[graph.exit];
  SmallVector<unsigned, 4> targets = graph.successors[node];
  bool exits = llvm::is_contained(targets, graph.exit);
  llvm::erase(targets, graph.exit);
  if (targets.empty() || (targets.size() == 1 && !exits)) {
    Block *target = targets.empty() ? exit : blocks[targets[0]];
    make<cf::BranchOp>(target, operands);
    return;
  }
  Value isSpent =
      make<arith::CmpIOp>(arith::CmpIPredicate::sle, fuel, makeInt(0));
  if (targets.size() == 1) {
    make<cf::CondBranchOp>(isSpent, exit, operands, blocks[targets[0]],
                           operands);
    return;
  }
  Value mixed = make<arith::MulIOp>(pickInt(), makeInt(11));
  Value choice = make<arith::RemUIOp>(mixed, makeInt(targets.size()));
  Block *fallback = blocks[targets[0]];
  if (exits) {
    choice = make<arith::SelectOp>(isSpent, makeInt(-1), choice);
    fallback = exit;
  }
  SmallVector<APInt> cases;
  SmallVector<Block *> destinations;
  for (auto [k, target] : llvm::enumerate(targets)) {
    if (!exits && k == 0)
      continue;
    cases.push_back(APInt(64, k));
    destinations.push_back(blocks[target]);
  }
  if (destinations.size() == 1 && !exits) {
    Value isFirst =
        make<arith::CmpIOp>(arith::CmpIPredicate::eq, choice, makeInt(1));
    make<cf::CondBranchOp>(isFirst, destinations[0], operands, fallback,
                           operands);
    return;
  }
  SmallVector<ValueRange> lists(destinations.size(), operands);
  make<cf::SwitchOp>(choice, fallback, operands, cases, destinations, lists);
}

void Generator::genBlocks(const Graph &graph, Carried &carried) {
  unsigned exit = graph.exit;
  std::vector<std::optional<Scope>> scopes(exit + 1);
  scopes[0] = scope;
  Position outer = position;
  // Dominators first, the exit last.
  std::vector<bool> done(exit + 1, false);
  done[0] = true;
  for (unsigned round = 1; round <= exit; ++round) {
    unsigned node = 0;
    for (unsigned candidate = 1; candidate <= exit && node == 0; ++candidate)
      if (!done[candidate] && done[graph.immediate[candidate]] &&
          (candidate != exit || round == exit))
        node = candidate;
    done[node] = true;
    size_t numWritten = scope.written.size();
    scope = *scopes[graph.immediate[node]];
    scope.written.resize(numWritten);
    position = outer;
    Block *block = graph.blocks[node];
    b.setInsertionPointToEnd(block);
    scope.acc = block->getArgument(1);
    addMems(block->getArguments().drop_front(2), carried.from);
    if (node == exit)
      break;
    if (!graph.acyclic)
      position.work *= 4;
    Yields yields = genBody(random.range(1, 2), carried.types);
    carried.from.append(yields.roots);
    Value fuel = make<arith::SubIOp>(block->getArgument(0), makeInt(1));
    yields.values.insert(yields.values.begin(), fuel);
    scopes[node] = scope;
    genBranch(graph, node, fuel, yields.values);
  }
  position = outer;
}

void Generator::genGraph(unsigned numBlocks, bool multiEntry, bool acyclic) {
  Graph graph = makeGraph(numBlocks, multiEntry, acyclic);
  ArrayRef<unsigned> entries = graph.successors[0];
  Carried carried = pickInits();
  carried.inits.insert(carried.inits.begin(), makeInt(random.range(1, 7)));
  ValueRange inits(carried.inits);
  SmallVector<Location> locs(inits.size(), loc);
  Region *region = currentBlock()->getParent();
  graph.blocks.push_back(currentBlock());
  {
    OpBuilder::InsertionGuard guard(b);
    for (unsigned node = 1; node <= graph.exit; ++node)
      graph.blocks.push_back(
          b.createBlock(region, region->end(), inits.getTypes(), locs));
  }
  if (multiEntry && entries.size() > 1)
    make<cf::CondBranchOp>(makeCondition(), graph.blocks[entries[0]], inits,
                           graph.blocks[entries[1]], inits);
  else
    make<cf::BranchOp>(graph.blocks[1], inits);
  genBlocks(graph, carried);
  // What the block arguments of the exit may be was not all known when the
  // first of the blocks were generated; now it is.
  scope.mems.resize(scope.mems.size() - carried.types.size());
  addMems(graph.blocks[graph.exit]->getArguments().drop_front(2), carried.from);
}

void Generator::genCFG() {
  if (structured)
    return genWhile();
  if (!position.canBranch)
    return genExecuteRegion();
  if (isFull() || position.work > 16)
    return genTemporary();
  unsigned numBlocks = random.range(1, 5);
  bool multiEntry = numBlocks >= 2 && random.chance(20);
  if (multiEntry)
    features.insert("cf-multi-entry");
  genGraph(numBlocks, multiEntry, /*acyclic=*/false);
}

void Generator::genDiamond() {
  if (structured)
    return genIf();
  if (!position.canBranch)
    return genIf();
  if (isFull())
    return genTemporary();
  genGraph(random.range(2, 4), /*multiEntry=*/random.chance(60),
           /*acyclic=*/true);
}

void Generator::shuffleBlocks() {
  module->walk([&](Operation *op) {
    for (Region &region : op->getRegions()) {
      if (region.hasOneBlock() || region.empty() || random.chance(30))
        continue;
      features.insert("blocks-out-of-order");
      SmallVector<Block *> blocks;
      for (Block &block : llvm::drop_begin(region))
        blocks.push_back(&block);
      for (size_t k = blocks.size(); k > 1; --k)
        std::swap(blocks[k - 1], blocks[random.below(k)]);
      for (Block *block : blocks)
        block->moveBefore(&region, region.end());
    }
  });
}
