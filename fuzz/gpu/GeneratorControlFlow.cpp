//===- Generated control flow of kernels ----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelGeneratorImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

static Permutation joinPermutations(Permutation one, Permutation other) {
  if (one == none || one == other)
    return other;
  return other == none ? one : mixed;
}

/// The paths of `states` and `other` meet.
void KernelGenerator::join(const std::vector<BufferState> &other) {
  for (auto [one, two] : llvm::zip(states, other)) {
    bool fills = (one.written || (one.inFlight && one.fillsInFlight)) &&
                 (two.written || (two.inFlight && two.fillsInFlight));
    one.flightPattern = !one.inFlight   ? two.flightPattern
                        : !two.inFlight ? one.flightPattern
                                        : joinPermutations(one.flightPattern,
                                                           two.flightPattern);
    one.fillsInFlight = fills;
    one.inFlight |= two.inFlight;
    one.written &= two.written;
    one.writer = joinPermutations(one.writer, two.writer);
    one.reader = joinPermutations(one.reader, two.reader);
    one.forgotten |= two.forgotten;
  }
}

/// What only some threads wrote since `before` is not written.
void KernelGenerator::forgetPartialWrites(
    const std::vector<BufferState> &before) {
  for (auto [state, old] : llvm::zip(states, before)) {
    state.written = old.written;
    state.fillsInFlight = false;
  }
}

void KernelGenerator::genRegion(unsigned numStatements, bool isConvergent,
                                unsigned work) {
  Position outer = position;
  size_t numBuffers = buffers.size();
  auto outerTokens = std::move(tokens);
  tokens.clear();
  ++position.depth;
  position.isConvergent &= isConvergent;
  position.work *= work;
  genBody(numStatements);
  // Copies that are in no group now never get into one.
  for (auto [token, buffer] : tokens)
    states[buffer].forgotten = true;
  tokens = std::move(outerTokens);
  buffers.resize(numBuffers);
  states.resize(numBuffers);
  position = outer;
}

void KernelGenerator::genIf(Value condition, bool isConvergent) {
  bool hasElse = random.chance(55);
  auto ifOp = make<scf::IfOp>(condition, hasElse);
  std::vector<BufferState> before = states;
  OpBuilder::InsertionGuard guard(b);
  bool meetsInArms = !isConvergent && position.isConvergent &&
                     allowsDivergentBarriers && hasElse;
  auto genArm = [&](Block *block) {
    b.setInsertionPointToStart(block);
    genRegion(pickSize(), isConvergent, 1);
    if (meetsInArms) {
      // As many barriers in one arm as in the other.
      features.insert("divergent-barrier");
      createBarrier();
      genRegion(pickSize(), isConvergent, 1);
    }
  };
  genArm(ifOp.thenBlock());
  std::vector<BufferState> afterThen = std::move(states);
  states = before;
  if (hasElse)
    genArm(ifOp.elseBlock());
  join(afterThen);
  if (isConvergent)
    return;
  forgetPartialWrites(before);
}

void KernelGenerator::genIf() {
  if (isDeep())
    return;
  bool isHidden = random.chance(20);
  if (isHidden)
    features.insert("hidden-uniform-if");
  genIf(isHidden ? makeHiddenBool() : makeUniformBool(), true);
}

void KernelGenerator::genDivergentIf() {
  if (!isDeep())
    genIf(makeDivergentBool(), false);
}

void KernelGenerator::genSwitch() {
  if (isDeep())
    return;
  bool isConvergent = random.chance(60);
  Value selector = isConvergent
                       ? makeUniformIndex()
                       : Value(make<arith::RemUIOp>(thread, makeIndex(3)));
  unsigned numCases = random.range(1, 2);
  SmallVector<int64_t> cases = {0, 1};
  auto switchOp = make<scf::IndexSwitchOp>(
      TypeRange(), selector, ArrayRef(cases).take_front(numCases), numCases);
  std::vector<BufferState> before = states, after;
  OpBuilder::InsertionGuard guard(b);
  for (Region &region : switchOp->getRegions()) {
    states = before;
    b.setInsertionPointToStart(&region.emplaceBlock());
    genRegion(random.range(1, 2), isConvergent, 1);
    make<scf::YieldOp>();
    if (!after.empty())
      join(after);
    after = states;
  }
  if (!isConvergent)
    forgetPartialWrites(before);
}

void KernelGenerator::genFor() {
  if (isDeep())
    return;
  Value upper;
  bool runsOnce = false;
  unsigned kind = random.below(10);
  if (kind == 0) {
    features.insert("hidden-uniform-for");
    Value value = load(inputs[0], makeIndex(random.range(0, 7)));
    Value small = make<arith::AndIOp>(value, makeInt(b.getI32Type(), 3));
    upper = make<arith::IndexCastOp>(b.getIndexType(), small);
  } else if (kind < 4) {
    int64_t trips = random.range(0, 3);
    upper = makeIndex(trips);
    runsOnce = trips > 0;
  } else if (kind < 6) {
    upper = add(counts[random.below(counts.size())], makeIndex(1));
  } else {
    upper = counts[random.below(counts.size())];
  }
  auto forOp = make<scf::ForOp>(makeIndex(0), upper, makeIndex(1));
  std::vector<BufferState> before = states;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    genRegion(pickSize(), true, 3);
    maybeBarrier(60);
  }
  if (!runsOnce)
    join(before);
}

void KernelGenerator::genDivergentFor() {
  if (isDeep())
    return;
  Value upper = make<arith::RemUIOp>(thread, makeIndex(random.range(2, 3)));
  auto forOp = make<scf::ForOp>(makeIndex(0), upper, makeIndex(1));
  std::vector<BufferState> before = states;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    genRegion(random.range(1, 2), false, 3);
  }
  join(before);
  forgetPartialWrites(before);
}

void KernelGenerator::genWhile() {
  if (isDeep())
    return;
  Type index = b.getIndexType();
  bool isConvergent = random.chance(75);
  Value upper = counts[random.below(counts.size())];
  if (!isConvergent) {
    features.insert("divergent-while");
    upper = make<arith::RemUIOp>(thread, makeIndex(3));
  }
  std::vector<BufferState> before = states;
  auto whileOp = make<scf::WhileOp>(TypeRange(index), ValueRange(makeIndex(0)));
  OpBuilder::InsertionGuard guard(b);
  Block *condition = b.createBlock(&whileOp.getBefore(), {}, index, loc);
  // It runs once more than the body.
  if (random.chance(30))
    genRegion(1, isConvergent, 3);
  Value goesOn = make<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                     condition->getArgument(0), upper);
  make<scf::ConditionOp>(goesOn, condition->getArguments());
  std::vector<BufferState> afterCondition = states;
  Block *body = b.createBlock(&whileOp.getAfter(), {}, index, loc);
  genRegion(pickSize(), isConvergent, 3);
  if (isConvergent)
    maybeBarrier(60);
  make<scf::YieldOp>(add(body->getArgument(0), makeIndex(1)));
  join(afterCondition);
  join(before);
  if (!isConvergent)
    forgetPartialWrites(before);
}

/// A condition that is the same for all threads in the first iteration only.
void KernelGenerator::genCarried() {
  if (isDeep())
    return;
  auto isSmall = [&](Value value) -> Value {
    return make<arith::CmpIOp>(arith::CmpIPredicate::ult, value,
                               makeIndex(random.range(1, 7)));
  };
  auto forOp = make<scf::ForOp>(makeIndex(0), makeUniformIndex(), makeIndex(1),
                                ValueRange{makeIndex(0)});
  std::vector<BufferState> before = states;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    Position outer = position;
    ++position.depth;
    position.work *= 3;
    genIf(isSmall(forOp.getRegionIterArg(0)), false);
    position = outer;
    maybeBarrier(60);
    make<scf::YieldOp>(thread);
  }
  join(before);
  if (random.chance(50))
    genIf(isSmall(forOp.getResult(0)), false);
}

void KernelGenerator::genScope() {
  if (isDeep())
    return;
  OpBuilder::InsertionGuard guard(b);
  if (random.chance(50)) {
    auto op = make<scf::ExecuteRegionOp>(TypeRange());
    b.setInsertionPointToStart(&op.getRegion().emplaceBlock());
    genRegion(pickSize(), true, 1);
    make<scf::YieldOp>();
    return;
  }
  auto op = make<memref::AllocaScopeOp>(TypeRange());
  b.setInsertionPointToStart(&op.getBodyRegion().emplaceBlock());
  genRegion(pickSize(), true, 1);
  make<memref::AllocaScopeReturnOp>(ValueRange());
}
