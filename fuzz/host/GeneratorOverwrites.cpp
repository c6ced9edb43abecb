//===- Generated writes of nearly all of a buffer -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each of them looks like an operation that overwrites all of a buffer, and
// mostly leaves something as it was, or reads it.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// Return true if `type` has elements, each of which takes all bytes up to the
/// next one.
static bool isOverwritable(MemRefType type) {
  Type element = type.getElementType();
  return type.hasStaticShape() && type.getNumElements() > 0 &&
         type.getRank() > 0 && type.getLayout().isIdentity() &&
         (element.isInteger(8) || element.isInteger(16) ||
          element.isInteger(32) || element.isInteger(64) || element.isF32() ||
          element.isF64());
}

MemVal Generator::pickOverwritable() {
  auto found = pick([&](const MemVal &mem) {
    return mem.whole && mem.getType() && isOverwritable(mem.getType()) &&
           canRead(mem) && canTouch(mem, /*write=*/true);
  });
  if (found && random.chance(80))
    return *found;
  static const unsigned widths[] = {8, 16, 32, 64};
  Type element = random.chance(30) ? Type(b.getF32Type())
                                   : b.getIntegerType(widths[random.below(4)]);
  SmallVector<int64_t> shape(random.range(1, 2), random.range(2, 4));
  return makeFilled(MemRefType::get(shape, element));
}

/// Store to each element in a nest of loops, one of which may end early, or
/// under a condition.
void Generator::overwriteByLoops(const MemVal &mem) {
  OpBuilder::InsertionGuard guard(b);
  ArrayRef<int64_t> shape = mem.getType().getShape();
  int64_t shorter = random.below(shape.size() + 1);
  int64_t conditional = random.below(2 * shape.size());
  SmallVector<Value> indices;
  Value value = pickInt(), condition = makeCondition();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    Value upper = makeIndex(size);
    if (int64_t(dim) == shorter)
      upper = random.chance(50) ? makeIndex(size - 1) : makeBelow(size + 1);
    auto loop = make<scf::ForOp>(makeIndex(0), upper, makeIndex(1));
    b.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
    if (int64_t(dim) == conditional) {
      auto ifOp = make<scf::IfOp>(condition, /*withElseRegion=*/false);
      b.setInsertionPointToStart(ifOp.thenBlock());
    }
  }
  Value sum = make<arith::AddIOp>(value, toInt(indices.back()));
  make<memref::StoreOp>(toElement(mem.getType().getElementType(), sum),
                        mem.value, indices);
}

/// Write what no input decides, in a `linalg.generic` that has other loops than
/// the output has dimensions, leaves a row out, or reads the output.
void Generator::overwriteByLinalg(const MemVal &mem) {
  MemRefType type = mem.getType();
  unsigned rank = type.getRank();
  SmallVector<AffineExpr> exprs;
  for (unsigned dim = 0; dim < rank; ++dim)
    exprs.push_back(getAffineDimExpr(dim, &context));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto addInput = [&](ArrayRef<int64_t> shape, ArrayRef<AffineExpr> results) {
    MemVal input = makeFilled(MemRefType::get(shape, type.getElementType()));
    record(input, /*write=*/false);
    inputs.push_back(input.value);
    maps.push_back(AffineMap::get(iterators.size(), 0, results, &context));
  };
  bool readsOut = random.chance(20);
  switch (random.below(4)) {
  case 0:
  case 1: {
    // The first row stays.
    if (type.getDimSize(0) == 1)
      break;
    SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
    --shape[0];
    addInput(shape, exprs);
    exprs[0] = exprs[0] + 1;
    break;
  }
  case 2:
    // Another loop, that may run no iteration.
    iterators.push_back(utils::IteratorType::reduction);
    addInput({random.range(0, 2)}, {getAffineDimExpr(rank, &context)});
    break;
  default:
    break;
  }
  maps.push_back(AffineMap::get(iterators.size(), 0, exprs, &context));
  Value value = pickInt();
  make<linalg::GenericOp>(
      inputs, ValueRange{mem.value}, maps, iterators,
      [&](OpBuilder &, Location, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(arguments[0].getParentBlock());
        Value sum = value;
        if (readsOut)
          sum = make<arith::AddIOp>(sum, fromElement(arguments.back()));
        make<linalg::YieldOp>(toElement(type.getElementType(), sum));
      });
}

/// Write a vector, of all elements or of some, perhaps with a mask.
void Generator::overwriteByVector(const MemVal &mem) {
  MemRefType type = mem.getType();
  int64_t size = type.getNumElements();
  int64_t count = random.chance(50) ? size : random.range(1, size);
  auto vectorType = VectorType::get({count}, type.getElementType());
  Value vector = make<vector::BroadcastOp>(
      vectorType, toElement(type.getElementType(), pickInt()));
  Value mask;
  if (random.chance(50))
    mask = make<vector::ConstantMaskOp>(
        VectorType::get({count}, b.getI1Type()),
        b.getDenseI64ArrayAttr({random.range(1, count)}));
  make<vector::TransferWriteOp>(
      /*result=*/TypeRange(), vector, mem.value, ValueRange{makeIndex(0)},
      AffineMapAttr::get(b.getMultiDimIdentityMap(1)), mask,
      b.getBoolArrayAttr({true}));
}

/// Fill all rows, or all but one.
void Generator::overwriteRows(const MemVal &mem) {
  MemRefType type = mem.getType();
  int64_t rows = type.getDimSize(0);
  int64_t first = random.below(std::min<int64_t>(rows, 2));
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(b.getIndexAttr(size));
  offsets[0] = b.getIndexAttr(first);
  sizes[0] = b.getIndexAttr(rows - first);
  Value part = make<memref::SubViewOp>(mem.value, offsets, sizes, strides);
  make<linalg::FillOp>(toElement(type.getElementType(), pickInt()), part);
}

void Generator::genOverwrite() {
  MemVal mem = pickOverwritable();
  MemRefType type = mem.getType();
  if (random.chance(30))
    read(mem, /*all=*/false);
  constexpr unsigned maxBits = 128;
  bool fitsVector =
      type.getRank() == 1 && !options.onlyLowerable &&
      type.getNumElements() * type.getElementTypeBitWidth() <= maxBits;
  switch (random.below(fitsVector ? 5 : 4)) {
  case 0:
    overwriteByLoops(mem);
    break;
  case 1:
  case 2:
    overwriteByLinalg(mem);
    break;
  case 3:
    overwriteRows(mem);
    break;
  default:
    overwriteByVector(mem);
    break;
  }
  record(mem, /*write=*/true);
  if (random.chance(40) && !isFull())
    genStatements(1);
  if (llvm::none_of(mem.roots, [&](int root) { return roots[root].freed; }) &&
      canRead(mem))
    read(mem, /*all=*/true);
}
