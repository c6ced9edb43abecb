//===- Generated aliases of several buffers -------------------------------===//
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

void KernelGenerator::genSelect() {
  Permutation pattern = pickPermutation();
  bool writes = random.chance(50);
  auto isGood = [&](const BufferState &state) {
    return writes ? state.mayWrite(pattern) : state.mayRead(pattern);
  };
  int one = pickBuffer(isGood);
  int other = one < 0 ? -1 : pickTwin(one, isGood);
  if (other < 0)
    return;
  Value condition = random.chance(50) ? makeUniformBool() : makeDivergentBool();
  Buffer either = buffers[one];
  either.value = make<arith::SelectOp>(condition, buffers[one].value,
                                       buffers[other].value);
  Slice slice = access(either, pattern);
  SmallVector<Value, 2> at;
  Value memref = getElement(slice, 0, at);
  if (writes)
    make<memref::StoreOp>(makeData(either.type.getElementType()), memref, at);
  else
    consume(load(memref, at));
  for (int k : {one, other}) {
    Permutation &last = writes ? states[k].writer : states[k].reader;
    last = last == none || last == pattern ? pattern : mixed;
  }
}

/// As a select, by the results of a condition.
void KernelGenerator::genBranchedAlias() {
  Permutation pattern = pickPermutation();
  auto isGood = [&](const BufferState &state) {
    return state.mayRead(pattern);
  };
  int one = pickBuffer(isGood);
  int other = one < 0 ? -1 : pickTwin(one, isGood);
  if (other < 0)
    return;
  Value condition = random.chance(50) ? makeUniformBool() : makeDivergentBool();
  auto ifOp = make<scf::IfOp>(buffers[one].value.getType(), condition,
                              /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    make<scf::YieldOp>(buffers[one].value);
    b.setInsertionPointToStart(ifOp.elseBlock());
    make<scf::YieldOp>(buffers[other].value);
  }
  maybeBarrier(30);
  Buffer either = buffers[one];
  either.value = ifOp.getResult(0);
  readFirst(either, pattern);
  for (int k : {one, other})
    states[k].read(pattern);
}

/// Two buffers that a loop swaps.
void KernelGenerator::genPingPong() {
  if (isDeep())
    return;
  int one = makeBuffer();
  int other = makeBuffer(buffers[one].type, buffers[one].perThread);
  if (buffers[one].value.getType() != buffers[other].value.getType())
    return;
  Permutation pattern = pickPermutation();
  fill(one, pattern);
  fill(other, pattern);
  bool hasBarrier = position.isConvergent && random.chance(70);
  if (hasBarrier)
    barrier();
  Permutation readPattern = hasBarrier ? pickPermutation() : pattern;
  auto forOp =
      make<scf::ForOp>(makeIndex(0), makeUniformIndex(), makeIndex(1),
                       ValueRange{buffers[one].value, buffers[other].value});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    Buffer from = buffers[one], to = buffers[one];
    from.value = forOp.getRegionIterArg(0);
    to.value = forOp.getRegionIterArg(1);
    readFirst(from, readPattern);
    SmallVector<Value, 2> at;
    Slice target = access(to, pattern);
    Value memref = getElement(target, 0, at);
    make<memref::StoreOp>(makeData(to.type.getElementType()), memref, at);
    if (hasBarrier)
      createBarrier();
    make<scf::YieldOp>(ValueRange{to.value, from.value});
  }
  for (int k : {one, other}) {
    states[k].writer = hasBarrier ? none : pattern;
    states[k].reader = hasBarrier ? none : readPattern;
  }
  if (random.chance(70)) {
    forget(one);
    forget(other);
  }
}
