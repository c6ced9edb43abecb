//===- Generated operations that only move elements -----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// Convert an integer to another type.
Value Generator::convertInteger(Value value, Type type) {
  auto from = cast<IntegerType>(value.getType());
  auto to = dyn_cast<IntegerType>(type);
  if (!to)
    return make<arith::SIToFPOp>(type, value);
  if (to.getWidth() < from.getWidth())
    return make<arith::TruncIOp>(type, value);
  if (to.getWidth() == from.getWidth())
    return value;
  if (random.chance(50))
    return make<arith::ExtUIOp>(type, value);
  return make<arith::ExtSIOp>(type, value);
}

/// Return a new buffer with the elements of `in`, in another order, several
/// times, or of another type.
MemVal Generator::makeMoved(const MemVal &in) {
  MemRefType type = in.getType();
  int64_t rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape());
  auto element = dyn_cast<IntegerType>(type.getElementType());
  // One of rank 0 cannot be transposed: MLIR 22.1 does not survive that.
  switch (random.range(rank == 0, 3)) {
  case 0: {
    std::reverse(shape.begin(), shape.end());
    SmallVector<int64_t> permutation(
        llvm::reverse(llvm::seq<int64_t>(0, rank)));
    MemVal out = allocate(MemRefType::get(shape, type.getElementType()));
    make<linalg::TransposeOp>(in.value, out.value, permutation);
    return out;
  }
  case 1: {
    int64_t dim = random.range(0, rank);
    shape.insert(shape.begin() + dim, random.range(1, 3));
    MemVal out = allocate(MemRefType::get(shape, type.getElementType()));
    make<linalg::BroadcastOp>(in.value, out.value, ArrayRef<int64_t>{dim});
    return out;
  }
  case 2:
    if (element && element.getWidth() >= 8) {
      static const unsigned widths[] = {8, 32, 64};
      Type other = random.chance(20) && element.getWidth() <= 16
                       ? Type(b.getF32Type())
                       : b.getIntegerType(widths[random.below(3)]);
      MemVal out = allocate(MemRefType::get(shape, other));
      AffineMap map = b.getMultiDimIdentityMap(rank);
      SmallVector<utils::IteratorType> iterators(rank,
                                                 utils::IteratorType::parallel);
      make<linalg::GenericOp>(
          ValueRange{in.value}, ValueRange{out.value}, ArrayRef{map, map},
          iterators, [&](OpBuilder &, Location, ValueRange arguments) {
            OpBuilder::InsertionGuard guard(b);
            b.setInsertionPointToEnd(arguments[0].getParentBlock());
            make<linalg::YieldOp>(convertInteger(arguments[0], other));
          });
      return out;
    }
    [[fallthrough]];
  default:
    MemVal out = allocate(MemRefType::get(shape, type.getElementType()));
    if (random.chance(50))
      make<memref::CopyOp>(in.value, out.value);
    else
      make<linalg::CopyOp>(in.value, out.value);
    return out;
  }
}

/// Multiply something by `in`, a matrix of integers.
void Generator::makeProduct(const MemVal &in) {
  MemRefType type = in.getType();
  int64_t rows = random.range(1, 3);
  MemVal left = makeFilled(
      MemRefType::get({rows, type.getDimSize(0)}, type.getElementType()));
  MemVal out = makeFilled(MemRefType::get(
      {rows, type.getDimSize(1)},
      random.chance(50) ? type.getElementType() : Type(b.getI64Type())));
  make<linalg::MatmulOp>(ValueRange{left.value, in.value},
                         ValueRange{out.value});
  record(left, /*write=*/false);
  record(in, /*write=*/false);
  record(out, /*write=*/true);
  read(out, /*all=*/true);
}

/// Operations that read a buffer that was moved or converted, perhaps after
/// what it was made of has changed.
void Generator::genMove() {
  MemVal in = pickElementwiseInput();
  if (in.getType().getNumElements() > 16)
    return genRead();
  MemVal moved = makeMoved(in);
  record(in, /*write=*/false);
  record(moved, /*write=*/true);
  setWritten(moved);
  if (random.chance(40))
    genStatements(random.range(1, 2));
  for (int64_t k = random.range(1, 2); k > 0; --k) {
    if (!isElementwiseInput(moved))
      return;
    MemRefType type = moved.getType();
    if (type.getRank() == 2 && isa<IntegerType>(type.getElementType()) &&
        random.chance(50)) {
      features.insert("move-product");
      makeProduct(moved);
    } else {
      features.insert("move");
      genElementwiseOf(moved);
    }
  }
}
