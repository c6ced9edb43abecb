//===- Generated tiles that are declared at the top of a kernel -----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelGeneratorImpl.h"
#include "KernelInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// Generate `body` in a loop.
static void genLoop(OpBuilder &b, Location loc, Value lower, Value upper,
                    Value step, function_ref<void(Value)> body) {
  auto forOp = scf::ForOp::create(b, loc, lower, upper, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  body(forOp.getInductionVar());
}

/// Generate `body` in a branch.
static void genWhen(OpBuilder &b, Location loc, Value condition,
                    function_ref<void()> body) {
  auto ifOp = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  body();
}

/// Store data to all elements of row `row` of a tile: what a slice is, whoever
/// writes it.
void KernelGenerator::storeRow(const Buffer &tile, Value row) {
  Type element = tile.type.getElementType();
  bool isMatrix = tile.type.getRank() == 2;
  Value first =
      isMatrix ? row : make<arith::MulIOp>(row, makeIndex(tile.perThread));
  for (int64_t j = 0; j < tile.perThread; ++j) {
    SmallVector<Value, 2> at = {first};
    if (isMatrix)
      at.push_back(makeIndex(j));
    else if (j != 0)
      at[0] = add(first, makeIndex(j));
    make<memref::StoreOp>(makeData(element), tile.value, at);
  }
}

/// Return whether `value` is less than `limit`.
Value KernelGenerator::isBelow(Value value, int64_t limit) {
  return make<arith::CmpIOp>(arith::CmpIPredicate::ult, value,
                             makeIndex(limit));
}

/// Return whether the kernel says how many threads execute it.
bool KernelGenerator::knowsBlockSize() const {
  return features.count("known-block-size") != 0;
}

/// Return whether the kernel says how many columns of threads there are, but
/// not how many rows.
bool KernelGenerator::knowsColumnsOnly() const {
  return columns != numThreads && !knowsBlockSize();
}

/// Write an element of a thread's own slice in some threads, and read it in the
/// others, which have it from an earlier iteration.
void KernelGenerator::genWriteOrRead(const Buffer &tile) {
  features.insert("write-or-read");
  bool isMatrix = tile.type.getRank() == 2;
  SmallVector<Value, 2> at = {thread};
  if (isMatrix)
    at.push_back(makeIndex(0));
  else
    at[0] = make<arith::MulIOp>(thread, makeIndex(tile.perThread));
  Value isWriter = isBelow(thread, random.range(1, numThreads - 1));
  auto ifOp = make<scf::IfOp>(isWriter, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  make<memref::StoreOp>(makeData(tile.type.getElementType()), tile.value, at);
  b.setInsertionPointToStart(ifOp.elseBlock());
  consume(load(tile.value, at));
}

/// Return how many of the slices of a tile are written: often all of them, or
/// all but that of the last thread.
int64_t KernelGenerator::pickLimit() {
  if (random.chance(50))
    return numThreads;
  return random.chance(50) ? numThreads - 1 : random.range(0, numThreads - 1);
}

/// Write the first `limit` slices of a tile, each thread in steps of `step`
/// from `first`.
void KernelGenerator::storeInSteps(const Buffer &tile, Value first,
                                   int64_t limit, Value step) {
  // Element by element: there are more than threads.
  bool isMatrix = tile.type.getRank() == 2;
  int64_t end = isMatrix ? limit : limit * tile.perThread;
  genLoop(b, loc, first, makeIndex(end), step, [&](Value at) {
    if (isMatrix)
      storeRow(tile, at);
    else
      make<memref::StoreOp>(makeData(tile.type.getElementType()), tile.value,
                            at);
  });
}

/// Write the first `limit` slices of a tile in steps of the workgroup, or not.
void KernelGenerator::genRefillInSteps(const Buffer &tile, int64_t limit) {
  Value blockSize = columns == numThreads
                        ? Value(make<gpu::BlockDimOp>(gpu::Dimension::x))
                        : makeIndex(numThreads);
  Value steps[] = {blockSize, makeIndex(numThreads), makeIndex(2 * numThreads),
                   add(blockSize, makeIndex(numThreads))};
  // Of a workgroup of unknown size only the first one is known to be all.
  unsigned step = knowsBlockSize() || random.chance(20) ? random.below(4)
                  : random.chance(50)                   ? 0
                                                        : random.range(2, 3);
  storeInSteps(tile, thread, limit, steps[step]);
}

/// Write the first `limit` slices of a tile by the first row of threads, which
/// there is whatever the number of rows is.
void KernelGenerator::genRefillByFirstRow(const Buffer &tile, int64_t limit) {
  Value row = make<gpu::ThreadIdOp>(gpu::Dimension::y);
  Value column = make<gpu::ThreadIdOp>(gpu::Dimension::x);
  genWhen(b, loc, isBelow(row, 1),
          [&] { storeInSteps(tile, column, limit, makeIndex(columns)); });
}

/// Read a slice of a tile by threads of some rows and columns.
void KernelGenerator::genReadBySome(const Buffer &tile) {
  features.insert("read-by-some");
  Value row = make<gpu::ThreadIdOp>(gpu::Dimension::y);
  Value column = make<gpu::ThreadIdOp>(gpu::Dimension::x);
  SmallVector<Value, 2> at = {column};
  if (tile.type.getRank() == 2)
    at.push_back(makeIndex(0));
  auto predicate =
      random.chance(50) ? arith::CmpIPredicate::ne : arith::CmpIPredicate::eq;
  Value isInRow =
      make<arith::CmpIOp>(predicate, row, makeIndex(random.below(3)));
  genWhen(b, loc, isInRow, [&] {
    if (random.chance(30))
      return consume(load(tile.value, at));
    Value isInColumn = isBelow(column, random.below(columns + 1));
    genWhen(b, loc, isInColumn, [&] { consume(load(tile.value, at)); });
  });
}

/// Write one part of a tile by the first `limit` threads, the other one by the
/// others.
void KernelGenerator::genRefillByHalves(const Buffer &tile, int64_t limit) {
  Value condition = isBelow(thread, limit);
  Permutation other = random.chance(60) ? 0 : 4;
  genWhen(b, loc, condition, [&] { storeRow(tile, thread); });
  Value isNot =
      make<arith::CmpIOp>(arith::CmpIPredicate::uge, thread, makeIndex(limit));
  Value row =
      other ? Value(make<arith::XOrIOp>(thread, makeIndex(other))) : thread;
  // No two threads write one row.
  if (other)
    barrier();
  genWhen(b, loc, isNot, [&] { storeRow(tile, row); });
}

/// Copy into a tile, and wait for the copies or not.
void KernelGenerator::genRefillByCopies(int buffer) {
  if (!canCopy(buffers[buffer]))
    return;
  Value copy = startCopy(buffer, pickPermutation());
  bool isGrouped = random.chance(75);
  Value group = createGroup(isGrouped ? ValueRange(copy) : ValueRange());
  // Others may come behind it; a group that is left in flight is this one.
  for (unsigned k = random.below(3); k > 0; --k)
    createGroup({});
  unsigned left = random.below(3);
  make<nvgpu::DeviceAsyncWaitOp>(group, left ? b.getI32IntegerAttr(left)
                                             : IntegerAttr());
  // The rest of the program waits for whatever is left.
  barrier();
  copiesToDrain = true;
}

/// Write to a tile under a condition that is not known, or in a loop that may
/// have no iteration.
void KernelGenerator::genRefillMaybe(int buffer) {
  if (random.chance(40)) {
    genLoop(b, loc, makeIndex(0), counts[random.below(counts.size())],
            makeIndex(1), [&](Value) { fill(buffer, 0); });
    return;
  }
  // By the threads that a loaded value names, or by all or none.
  Value divergent =
      make<arith::TruncIOp>(b.getI1Type(), load(inputs[0], thread));
  Value conditions[] = {divergent, makeUniformBool(), makeHiddenBool()};
  genWhen(b, loc, conditions[random.below(3)],
          [&] { fill(buffer, pickPermutation()); });
}

/// Write the first `limit` slices of a tile by one thread, or every other one.
void KernelGenerator::genRefillByOne(const Buffer &tile, int64_t limit) {
  Value isOne = make<arith::CmpIOp>(arith::CmpIPredicate::eq, thread,
                                    makeIndex(random.below(numThreads)));
  Value step = makeIndex(random.chance(70) ? 1 : 2);
  genWhen(b, loc, isOne, [&] {
    genLoop(b, loc, makeIndex(0), makeIndex(limit), step,
            [&](Value row) { storeRow(tile, row); });
  });
}

/// Write some of a tile, or all of it, so that a proof that it is all must look
/// closely. No element is written by two threads.
void KernelGenerator::genRefill(int buffer) {
  Buffer tile = buffers[buffer];
  int64_t limit = pickLimit();
  if (knowsColumnsOnly() && random.chance(90)) {
    features.insert("refill-by-first-row");
    return genRefillByFirstRow(tile, limit);
  }
  // Where the size of the workgroup is not known, what the first thread writes
  // is no more than that, and steps of the size are all.
  static const unsigned forUnknownSize[] = {0, 1, 1, 2};
  unsigned kind = knowsBlockSize() || random.chance(30)
                      ? random.below(9)
                      : forUnknownSize[random.below(4)];
  features.insert("refill-" + std::to_string(kind));
  switch (kind) {
  case 0: // By the first threads.
    return genWhen(b, loc, isBelow(thread, limit), [&] {
      fill(buffer, random.chance(80) ? 0 : pickPermutation());
    });
  case 1:
    return genRefillInSteps(tile, limit);
  case 2: // By some threads.
    return genWhen(b, loc, isBelow(getSlice(pickPermutation()), limit),
                   [&] { fill(buffer, 0); });
  case 3:
    return genRefillMaybe(buffer);
  case 4:
    return genRefillByHalves(tile, limit);
  case 5:
    return genRefillByOne(tile, limit);
  case 6:
    return genRefillByCopies(buffer);
  case 7: // A part of each slice.
    return writeSome(buffer, pickPermutation());
  default:
    return fill(buffer, pickPermutation());
  }
}

/// Fill all of a tile, so that this can be proved.
void KernelGenerator::genWholeTile(int buffer) {
  if (knowsBlockSize() || random.chance(30))
    return fill(buffer, pickPermutation());
  if (knowsColumnsOnly())
    genRefillByFirstRow(buffers[buffer], numThreads);
  else
    storeInSteps(buffers[buffer], thread, numThreads,
                 make<gpu::BlockDimOp>(gpu::Dimension::x));
  states[buffer].written = true;
  states[buffer].writer = mixed;
}

/// A tile that all iterations of a loop use, and the contents of which one
/// iteration leaves to the next, or not. What the first one reads was written
/// for it.
void KernelGenerator::genKeptTile() {
  if (!position.isConvergent || isDeep() || !tokens.empty())
    return;
  auto hoisted = [&] {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(body);
    return makeBuffer();
  };
  // More elements than threads, one after the other: steps may leave some out.
  // They are large, so that a small pool has both in one place if it may.
  auto hoistedRow = [&] {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(body);
    int64_t perThread = int64_t(2) << random.below(2);
    return makeBuffer(
        makeShared({int64_t(numThreads) * perThread}, b.getI64Type()),
        perThread);
  };
  bool isRow = random.chance(knowsBlockSize() ? 25 : 70);
  int tile = isRow ? hoistedRow() : hoisted();
  int other = isRow && random.chance(75) ? hoistedRow() : hoisted();
  auto forOp = make<scf::ForOp>(makeIndex(0),
                                random.chance(50)
                                    ? makeIndex(random.range(2, 3))
                                    : add(counts[random.below(counts.size())],
                                          makeIndex(random.below(3))),
                                makeIndex(1));
  std::vector<BufferState> before = states;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    Position outer = position;
    ++position.depth;
    position.work *= 3;
    Value isFirst = make<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                        forOp.getInductionVar(), makeIndex(0));
    genWhen(b, loc, isFirst, [&] { fill(tile, pickPermutation()); });
    barrier();
    if (columns != numThreads && random.chance(40)) {
      genReadBySome(buffers[tile]);
      barrier();
    }
    bool isPrivate = random.chance(10);
    if (isPrivate)
      genWriteOrRead(buffers[tile]);
    else
      genRefill(tile);
    barrier();
    states[tile] = BufferState();
    states[tile].written = true;
    for (unsigned k = isPrivate ? 0 : random.range(1, 2); k > 0; --k)
      read(tile,
           random.chance(knowsBlockSize() ? 30 : 60) ? 0 : pickPermutation());
    if (std::exchange(copiesToDrain, false)) {
      Value group = createGroup({});
      make<nvgpu::DeviceAsyncWaitOp>(group, IntegerAttr());
    }
    maybeBarrier(100 - carelessness);
    genWholeTile(other);
    barrier();
    read(other, pickPermutation());
    if (random.chance(30))
      genRegion(1, /*isConvergent=*/true, 1);
    barrier();
    position = outer;
  }
  states.resize(before.size());
  buffers.resize(before.size());
  join(before);
  forget(tile);
  forget(other);
}
