//===- Generated tiles that loops carry ----------------------------------===//
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
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// Store data, and `number`, to the slice of a tile of one element each.
void KernelGenerator::storeNumber(const Buffer &tile, Permutation pattern,
                                  Value number) {
  SmallVector<Value, 2> at;
  Value memref = getElement(access(tile, pattern), 0, at);
  Type element = tile.type.getElementType();
  Value data = make<arith::AddIOp>(makeData(element),
                                   make<arith::IndexCastOp>(element, number));
  make<memref::StoreOp>(data, memref, at);
}

/// One iteration: it has the tiles `carried` of the iterations before, the
/// youngest first, and makes another one. Return what it hands on.
SmallVector<Value> KernelGenerator::genCarryingBody(ValueRange carried,
                                                    Value number,
                                                    Permutation writer,
                                                    bool isLate) {
  auto type = cast<MemRefType>(carried.front().getType());
  Buffer made = {Value(), type, 1};
  // Other threads than the writer read only behind a barrier.
  Permutation reader = pickPermutation();
  constexpr unsigned numPlaces = 4;
  unsigned firstRead = random.below(numPlaces);
  unsigned endOfReads = numPlaces;
  unsigned write = random.range(1, 2);
  // Few barriers, as slots have to do with them.
  unsigned barrierPlace = random.below(numPlaces);
  bool isSeparated = false;
  // A late tile is written first in the iteration after its own.
  if (isLate) {
    firstRead = 0;
    barrierPlace = numPlaces;
    if (random.chance(50))
      endOfReads = 1;
    createBarrier();
    isSeparated = true;
    storeNumber({carried.front(), type, 1}, writer, number);
    if (random.chance(70))
      createBarrier();
    else
      reader = writer;
  }
  for (unsigned place = 0; place < numPlaces; ++place) {
    if (place == 1) {
      auto alloc = make<memref::AllocOp>(type);
      alloc->setLoc(NameLoc::get(b.getStringAttr(carriedName)));
      made.value = alloc;
    }
    if (place == barrierPlace || random.chance(7)) {
      createBarrier();
      isSeparated |= place <= firstRead || place > write;
    }
    if (place >= firstRead && place < endOfReads)
      for (auto [index, old] : llvm::enumerate(carried))
        if ((index == 0 && place == firstRead) || random.chance(30))
          readFirst({old, type, 1}, reader);
    if (random.chance(4))
      storeNumber({carried.back(), type, 1}, writer, number);
    if (place == write && !isLate)
      storeNumber(made, writer, number);
  }
  if (!isSeparated)
    createBarrier();
  SmallVector<Value> yielded = {made.value};
  llvm::append_range(yielded, carried.drop_back());
  return yielded;
}

/// Each iteration of a loop allocates a tile, and reads those of the one or two
/// iterations before, perhaps across the iterations of a loop around.
void KernelGenerator::genCarriedTile() {
  if (isDeep() || !position.isConvergent || position.isInThreadLoop)
    return;
  MemRefType type = makeShared({numThreads}, b.getI32Type());
  Permutation writer = pickPermutation();
  SmallVector<Value> inits;
  SmallVector<int> firsts;
  for (unsigned k = random.chance(40) ? 2 : 1; k != 0; --k) {
    firsts.push_back(makeBuffer(type, 1));
    if (buffers[firsts.back()].value.getType() != type)
      return;
    inits.push_back(buffers[firsts.back()].value);
  }
  for (int first : firsts)
    fill(first, writer);
  createBarrier();
  passBarrier();

  bool isLate = inits.size() == 1 && random.chance(20);
  bool isNest = random.chance(30);
  auto makeLoop = [&](ValueRange carried) {
    Value end = random.chance(50) ? makeUniformIndex()
                                  : makeIndex(random.below(isNest ? 4 : 6));
    return make<scf::ForOp>(makeIndex(0), end, makeIndex(1), carried);
  };
  auto makeInnermost = [&](ValueRange carried) {
    scf::ForOp loop = makeLoop(carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    make<scf::YieldOp>(genCarryingBody(loop.getRegionIterArgs(),
                                       loop.getInductionVar(), writer, isLate));
    return loop;
  };
  scf::ForOp outermost;
  if (isNest) {
    features.insert("carried-by-nest");
    outermost = makeLoop(inits);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(outermost.getBody());
    scf::ForOp inner = makeInnermost(outermost.getRegionIterArgs());
    if (!isLate && random.chance(40)) {
      createBarrier();
      readFirst({inner.getResult(0), type, 1}, pickPermutation());
    }
    make<scf::YieldOp>(inner.getResults());
  } else {
    outermost = makeInnermost(inits);
  }
  // Its writer needs no barrier to go on with the last tile.
  Buffer last = {outermost.getResult(0), type, 1};
  if (random.chance(50)) {
    storeNumber(last, writer, makeIndex(random.below(100)));
    readFirst(last, writer);
  }
  if (!isLate && random.chance(30)) {
    createBarrier();
    passBarrier();
    readFirst(last, pickPermutation());
  }
  for (int first : firsts)
    forget(first);
}
