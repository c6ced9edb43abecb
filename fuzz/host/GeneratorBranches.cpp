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

void Generator::genGraph(unsigned numBlocks, bool multiEntry, bool acyclic) {
  // Node 0 is the current block, 1 to numBlocks are new, the last is the exit.
  unsigned exit = numBlocks + 1;
  std::vector<SmallVector<unsigned, 4>> successors(numBlocks + 2);
  auto addEdge = [&](unsigned from, unsigned to) {
    if (!llvm::is_contained(successors[from], to))
      successors[from].push_back(to);
  };
  addEdge(0, 1);
  if (multiEntry)
    addEdge(0, random.range(2, numBlocks));
  for (unsigned node = 1; node <= numBlocks; ++node) {
    // Every node is reached from an earlier one.
    if (node > 1)
      addEdge(random.chance(60) ? node - 1 : random.range(1, node - 1), node);
    if (!acyclic && random.chance(50))
      addEdge(node, random.range(1, node));
    if (random.chance(30) && node < numBlocks)
      addEdge(node, random.range(node + 1, numBlocks));
  }
  for (unsigned node = 1; node <= numBlocks; ++node)
    if (successors[node].empty() || !acyclic || random.chance(30))
      addEdge(node, exit);
  std::vector<unsigned> immediate = computeDominators(successors);

  SmallVector<MemVal, 2> carried = pickCarried();
  SmallVector<Type> types = {b.getI64Type(), b.getI64Type()};
  SmallVector<MemRefType, 2> memTypes;
  SmallVector<int, 8> from;
  if (!carried.empty())
    from = getRootsOfType(carried[0].getType());
  SmallVector<Value> inits = {makeInt(random.range(1, 7)), scope.acc};
  for (const MemVal &mem : carried) {
    types.push_back(mem.value.getType());
    memTypes.push_back(mem.getType());
    inits.push_back(mem.value);
    from.append(mem.roots.begin(), mem.roots.end());
  }

  Region *region = currentBlock()->getParent();
  SmallVector<Location> locs(types.size(), loc);
  SmallVector<Block *> blocks = {currentBlock()};
  {
    OpBuilder::InsertionGuard guard(b);
    for (unsigned node = 1; node <= exit; ++node)
      blocks.push_back(b.createBlock(region, region->end(), types, locs));
  }
  if (multiEntry && successors[0].size() > 1)
    cf::CondBranchOp::create(b, loc, makeCondition(), blocks[successors[0][0]],
                             inits, blocks[successors[0][1]], inits);
  else
    cf::BranchOp::create(b, loc, blocks[1], inits);

  std::vector<std::optional<Scope>> scopes(exit + 1);
  scopes[0] = scope;
  Position outer = position;
  // Dominators first, the exit last.
  std::vector<bool> done(exit + 1, false);
  done[0] = true;
  for (unsigned round = 1; round <= exit; ++round) {
    unsigned node = 0;
    for (unsigned candidate = 1; candidate <= exit && node == 0; ++candidate)
      if (!done[candidate] && done[immediate[candidate]] &&
          (candidate != exit || round == exit))
        node = candidate;
    done[node] = true;
    size_t numWritten = scope.written.size();
    scope = *scopes[immediate[node]];
    scope.written.resize(numWritten);
    position = outer;
    Block *block = blocks[node];
    b.setInsertionPointToEnd(block);
    scope.acc = block->getArgument(1);
    for (size_t k = 0; k < carried.size(); ++k)
      addMem(block->getArgument(2 + k), from);
    if (node == exit)
      break;

    if (!acyclic)
      position.work *= 4;
    unsigned count = random.range(1, 2);
    // Values for every successor: all of one list, which is legal if not as
    // varied as it could be; the lists of two blocks differ.
    Yields yields = genBody(count, memTypes);
    from.append(yields.roots);
    Value fuel =
        arith::SubIOp::create(b, loc, block->getArgument(0), makeInt(1));
    yields.values.insert(yields.values.begin(), fuel);
    SmallVector<unsigned, 4> targets = successors[node];
    bool exits = llvm::is_contained(targets, exit);
    llvm::erase(targets, exit);
    scopes[node] = scope;
    if (targets.empty()) {
      cf::BranchOp::create(b, loc, blocks[exit], yields.values);
      continue;
    }
    if (targets.size() == 1 && !exits) {
      cf::BranchOp::create(b, loc, blocks[targets[0]], yields.values);
      continue;
    }
    Value isSpent = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                                          fuel, makeInt(0));
    if (targets.size() == 1) {
      cf::CondBranchOp::create(b, loc, isSpent, blocks[exit], yields.values,
                               blocks[targets[0]], yields.values);
      continue;
    }
    Value mixed = arith::MulIOp::create(b, loc, pickInt(), makeInt(11));
    Value choice =
        arith::RemUIOp::create(b, loc, mixed, makeInt(targets.size()));
    Block *fallback = blocks[targets[0]];
    if (exits) {
      choice = arith::SelectOp::create(b, loc, isSpent, makeInt(-1), choice);
      fallback = blocks[exit];
    }
    SmallVector<APInt> cases;
    SmallVector<Block *> destinations;
    SmallVector<ValueRange> operands;
    for (auto [k, target] : llvm::enumerate(targets)) {
      if (!exits && k == 0)
        continue;
      cases.push_back(APInt(64, k));
      destinations.push_back(blocks[target]);
      operands.push_back(yields.values);
    }
    if (destinations.size() == 1 && !exits) {
      Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            choice, makeInt(1));
      cf::CondBranchOp::create(b, loc, isFirst, destinations[0], yields.values,
                               fallback, yields.values);
      continue;
    }
    cf::SwitchOp::create(b, loc, choice, fallback, yields.values, cases,
                         destinations, operands);
  }
  position = outer;
  // What the block arguments of the exit may be was not all known when the
  // first of the blocks were generated; now it is.
  for (size_t k = 0; k < carried.size(); ++k)
    scope.mems.pop_back();
  for (size_t k = 0; k < carried.size(); ++k)
    addMem(blocks[exit]->getArgument(2 + k), from);
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
