//===- Generated accesses -------------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelGeneratorImpl.h"
#include "KernelInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// A buffer that is used for a while, and done.
void KernelGenerator::genPhase() {
  int buffer = makeBuffer();
  Permutation pattern = pickPermutation();
  fill(buffer, pattern);
  maybeBarrier(60);
  Permutation other = pickPermutation();
  read(buffer, states[buffer].mayRead(other) ? other : pattern);
  if (random.chance(30))
    genStatement();
  if (random.chance(50) && states[buffer].written) {
    Permutation last = pickPermutation();
    if (prepareRead(buffer, last))
      read(buffer, last);
  }
  forget(buffer);
  maybeBarrier(70 - carelessness);
}

void KernelGenerator::genFill() {
  int buffer = random.chance(40)
                   ? pickBuffer([](const BufferState &) { return true; })
                   : -1;
  if (buffer < 0)
    buffer = makeBuffer();
  Permutation pattern = pickPermutation();
  if (prepareWrite(buffer, pattern))
    fill(buffer, pattern);
}

void KernelGenerator::genRead() {
  int buffer =
      pickBuffer([](const BufferState &state) { return state.written; });
  if (buffer < 0)
    return genFill();
  Permutation pattern = pickPermutation();
  if (Permutation writer = states[buffer].writer;
      writer >= 0 && writer < single && random.chance(30))
    pattern = writer;
  if (prepareRead(buffer, pattern))
    read(buffer, pattern);
}

void KernelGenerator::genStore() {
  int buffer = pickBuffer([](const BufferState &) { return true; });
  if (buffer < 0)
    return;
  Permutation pattern = pickPermutation();
  if (prepareWrite(buffer, pattern))
    writeSome(buffer, pattern);
}

void KernelGenerator::genBarrier() {
  if (position.isConvergent)
    barrier();
}

void KernelGenerator::genForget() {
  int buffer = pickBuffer([](const BufferState &) { return true; });
  if (buffer >= 0)
    forget(buffer);
}

/// Copy the slice of a thread, from one buffer to another.
void KernelGenerator::genCopy() {
  Permutation pattern = pickPermutation();
  int source = pickBuffer(
      [&](const BufferState &state) { return state.mayRead(pattern); });
  if (source < 0)
    return;
  int target = pickTwin(source, [&](const BufferState &state) {
    return state.mayWrite(pattern);
  });
  if (target < 0) {
    if (!buffers[source].value.getDefiningOp<memref::AllocOp>())
      return;
    target = makeBuffer(buffers[source].type, buffers[source].perThread);
  }
  if (buffers[source].type != buffers[target].type)
    return;
  auto view = [&](int buffer) -> Value {
    Value slice = getSlice(pattern);
    int64_t perThread = buffers[buffer].perThread;
    SmallVector<OpFoldResult> offsets, sizes, strides;
    if (buffers[buffer].type.getRank() == 2) {
      offsets = {slice, b.getIndexAttr(0)};
      sizes = {b.getIndexAttr(1), b.getIndexAttr(perThread)};
    } else {
      offsets = {OpFoldResult(
          Value(make<arith::MulIOp>(slice, makeIndex(perThread))))};
      sizes = {b.getIndexAttr(perThread)};
    }
    strides.assign(offsets.size(), b.getIndexAttr(1));
    return make<memref::SubViewOp>(buffers[buffer].value, offsets, sizes,
                                   strides);
  };
  Value from = view(source);
  make<memref::CopyOp>(from, view(target));
  states[source].read(pattern);
  states[target].written = true;
  states[target].writer = pattern;
}

void KernelGenerator::genAtomic() {
  Permutation pattern = pickPermutation();
  int buffer = pickBuffer([&](const BufferState &state) {
    return state.mayRead(pattern) && state.mayWrite(pattern);
  });
  if (buffer < 0 || !buffers[buffer].type.getElementType().isInteger(32))
    return;
  Slice slice = access(buffers[buffer], pattern);
  SmallVector<Value, 2> at;
  Value memref = getElement(slice, 0, at);
  consume(make<memref::AtomicRMWOp>(arith::AtomicRMWKind::addi,
                                    makeData(b.getI32Type()), memref, at));
  states[buffer].reader = states[buffer].writer = pattern;
}

/// Everybody reads the same element.
void KernelGenerator::genBroadcast() {
  int buffer =
      pickBuffer([](const BufferState &state) { return state.written; });
  if (buffer < 0 || !prepareRead(buffer, broadcast))
    return;
  SmallVector<Value, 2> at(buffers[buffer].type.getRank(), makeIndex(0));
  at[0] = makeIndex(random.below(numThreads));
  consume(load(buffers[buffer].value, at));
  states[buffer].reader = mixed;
}

/// One thread writes all of a buffer.
void KernelGenerator::genSingleThread() {
  int buffer = makeBuffer();
  int64_t k = random.below(numThreads);
  const Buffer &target = buffers[buffer];
  Value isChosen =
      make<arith::CmpIOp>(arith::CmpIPredicate::eq, thread, makeIndex(k));
  auto ifOp = make<scf::IfOp>(isChosen, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    auto forOp = make<scf::ForOp>(
        makeIndex(0),
        makeIndex(target.type.getRank() == 2
                      ? int64_t(numThreads)
                      : int64_t(numThreads) * target.perThread),
        makeIndex(1));
    b.setInsertionPointToStart(forOp.getBody());
    for (int64_t j = 0, e = target.type.getRank() == 2 ? target.perThread : 1;
         j < e; ++j) {
      SmallVector<Value, 2> at = {forOp.getInductionVar()};
      if (target.type.getRank() == 2)
        at.push_back(makeIndex(j));
      make<memref::StoreOp>(makeData(target.type.getElementType()),
                            target.value, at);
    }
  }
  states[buffer].written = position.isConvergent;
  states[buffer].writer = single + k;
}

/// A function that reads and writes a slice.
void KernelGenerator::genCall() {
  Permutation pattern = pickPermutation();
  int buffer = pickBuffer([&](const BufferState &state) {
    return state.mayRead(pattern) && state.mayWrite(pattern);
  });
  if (buffer < 0 || buffers[buffer].type.getRank() != 1)
    return;
  auto type = cast<MemRefType>(buffers[buffer].value.getType());
  Value slice = getSlice(pattern);
  Value first =
      make<arith::MulIOp>(slice, makeIndex(buffers[buffer].perThread));
  func::FuncOp callee;
  {
    OpBuilder::InsertionGuard guard(b);
    callee = beginHelper({type, b.getIndexType(), type.getElementType()});
    callee.setFunctionType(
        b.getFunctionType(callee.getArgumentTypes(), {type.getElementType()}));
    Block *entry = &callee.getBody().front();
    Value old = load(entry->getArgument(0), entry->getArgument(1));
    if (random.chance(60))
      make<memref::StoreOp>(entry->getArgument(2), entry->getArgument(0),
                            entry->getArgument(1));
    make<func::ReturnOp>(old);
  }
  auto call =
      make<func::CallOp>(callee, ValueRange{buffers[buffer].value, first,
                                            makeData(type.getElementType())});
  consume(call.getResult(0));
  states[buffer].reader = states[buffer].writer = pattern;
}

/// Memory of one thread: nothing that merging should touch.
void KernelGenerator::genPrivate() {
  auto type = MemRefType::get({2}, b.getI32Type());
  Value buffer = make<memref::AllocaOp>(type);
  make<memref::StoreOp>(makeData(b.getI32Type()), buffer, makeIndex(1));
  consume(load(buffer, makeIndex(1)));
}
