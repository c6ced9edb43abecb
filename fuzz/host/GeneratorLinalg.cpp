//===- Generated operations of linalg -------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// Return true if elements of `type` take all bytes from one to the next.
static bool isDense(Type type) {
  return type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
         type.isInteger(64) || type.isF32() || type.isF64();
}

/// Return the bytes [start, start + bytes) of a row of elements as one of
/// `shape`.
static Value makePart(OpBuilder &b, Location loc, Value whole, int64_t start,
                      ArrayRef<int64_t> shape) {
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(shape.size(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes;
  for (int64_t extent : shape)
    sizes.push_back(b.getIndexAttr(extent));
  offsets[0] = b.getIndexAttr(start);
  return memref::SubViewOp::create(b, loc, whole, offsets, sizes, strides);
}

void Generator::genElementwise() {
  auto isUsable = [&](const MemVal &mem) {
    MemRefType type = mem.getType();
    return type && canRead(mem) && type.hasStaticShape() &&
           type.getNumElements() > 0 && type.getRank() <= 3 &&
           isDense(type.getElementType());
  };
  auto release = [&](const MemVal &mem) {
    int root = mem.roots[0];
    if (mem.roots.size() == 1 && frees && canFree(root) && random.chance(80))
      free(root);
    else
      forget(root);
  };
  auto found = pick(isUsable);
  MemVal in;
  if (found && random.chance(75)) {
    in = *found;
  } else {
    static const int64_t extents[] = {2, 3, 4, 4};
    int64_t extent = extents[random.below(std::size(extents))];
    SmallVector<int64_t> shape(random.range(1, 2), extent);
    static const unsigned widths[] = {8, 16, 32, 32, 64};
    Type element = random.chance(30)
                       ? Type(b.getF32Type())
                       : b.getIntegerType(widths[random.below(5)]);
    in = allocate(MemRefType::get(shape, element));
    fill(in);
  }

  // What iterations read and write; mostly the same element.
  MemRefType type = in.getType();
  int64_t rank = type.getRank();
  unsigned numLoops = rank;
  SmallVector<int64_t> shape(type.getShape());
  Type element = type.getElementType();
  auto getMap = [&](ArrayRef<unsigned> loops) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : loops)
      exprs.push_back(b.getAffineDimExpr(loop));
    return AffineMap::get(numLoops, 0, exprs, &context);
  };
  SmallVector<unsigned> all;
  for (int64_t k = 0; k < rank; ++k)
    all.push_back(k);
  SmallVector<unsigned> inLoops = all, outLoops = all;
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  SmallVector<MemVal> others;
  SmallVector<SmallVector<unsigned>> otherLoops;
  bool readsOut = false, isPart = false;
  enum { Generic, Map, Add } kind = Generic;
  const char *name = "linalg-elementwise";
  switch (random.below(16)) {
  case 0:
    name = "linalg-permuted";
    std::reverse(inLoops.begin(), inLoops.end());
    std::reverse(outLoops.begin(), outLoops.end());
    break;
  case 1:
  case 2:
    name = "linalg-transposed";
    std::reverse(inLoops.begin(), inLoops.end());
    std::reverse(shape.begin(), shape.end());
    break;
  case 3: {
    name = "linalg-broadcast";
    int64_t extent = random.range(1, 3);
    bool isFirst = random.chance(50);
    shape.insert(isFirst ? shape.begin() : shape.end(), extent);
    numLoops = rank + 1;
    iterators.push_back(utils::IteratorType::parallel);
    outLoops.push_back(rank);
    if (isFirst)
      for (unsigned &loop : inLoops)
        ++loop;
    break;
  }
  case 4:
    if (rank == 0)
      break;
    name = "linalg-reduction";
    readsOut = true;
    shape.pop_back();
    outLoops.pop_back();
    iterators.back() = utils::IteratorType::reduction;
    break;
  case 5:
    name = "linalg-reads-output";
    readsOut = true;
    break;
  case 6:
    name = "linalg-other-type";
    element = random.chance(50) ? Type(b.getI32Type()) : b.getF32Type();
    break;
  case 7:
    // The operand itself once more, and perhaps not the same element.
    name = "linalg-operand-twice";
    others.push_back(in);
    otherLoops.push_back(all);
    if (llvm::all_equal(type.getShape()))
      std::reverse(otherLoops[0].begin(), otherLoops[0].end());
    break;
  case 8:
  case 9: {
    name = "linalg-two-operands";
    auto other = pick([&](const MemVal &mem) {
      return isUsable(mem) && mem.getType().getShape() == type.getShape();
    });
    if (!other)
      break;
    others.push_back(*other);
    otherLoops.push_back(all);
    break;
  }
  case 10:
    if (rank == 0)
      break;
    name = "linalg-into-part";
    isPart = true;
    break;
  case 11:
    if (rank == 0 || !type.getLayout().isIdentity())
      break;
    // Behind the bytes that the result might have.
    name = "linalg-from-part";
    shape[0] = std::max<int64_t>(shape[0] / 2, 1);
    in.value = makePart(b, loc, in.value, type.getDimSize(0) - shape[0], shape);
    in.whole = false;
    break;
  case 12:
    kind = Map;
    name = "linalg.map";
    break;
  case 13:
    kind = Add;
    name = "linalg.add";
    break;
  default:
    break;
  }
  int64_t numElements = ShapedType::getNumElements(shape);
  if (numElements > 64)
    return genRead();
  features.insert(name);

  MemRefType outType = MemRefType::get(shape, element);
  MemVal out;
  auto reused = pick([&](const MemVal &mem) {
    return mem.value.getType() == outType && canTouch(mem, /*write=*/true) &&
           llvm::none_of(mem.roots, [&](int root) {
             auto isOf = [&](const MemVal &other) {
               return llvm::is_contained(other.roots, root);
             };
             return isOf(in) || llvm::any_of(others, isOf);
           });
  });
  if (isPart) {
    // The rest is never written.
    SmallVector<int64_t> larger(shape);
    int64_t start = random.range(0, 2);
    larger[0] += 2;
    out = allocate(MemRefType::get(larger, element));
    out.value = makePart(b, loc, out.value, start, shape);
    out.state = -1;
    out.whole = false;
    scope.mems.push_back(out);
  } else if (reused && random.chance(20)) {
    out = *reused;
  } else {
    out = allocate(outType);
  }
  if (readsOut)
    fill(out);

  SmallVector<Value> inputs = {in.value};
  SmallVector<AffineMap> maps = {getMap(inLoops)};
  for (auto [other, loops] : llvm::zip(others, otherLoops)) {
    inputs.push_back(other.value);
    maps.push_back(getMap(loops));
  }
  maps.push_back(getMap(outLoops));
  int64_t constant = random.range(1, 9);
  auto makeBody = [&](OpBuilder &, Location, ValueRange arguments) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(arguments[0].getParentBlock());
    size_t numRead = inputs.size() + readsOut;
    Value sum = makeInt(constant);
    for (Value argument : arguments.take_front(numRead)) {
      Value scaled = arith::MulIOp::create(b, loc, sum, makeInt(31));
      sum = arith::AddIOp::create(b, loc, scaled, fromElement(argument));
    }
    linalg::YieldOp::create(b, loc, toElement(element, sum));
  };
  if (kind == Map)
    linalg::MapOp::create(b, loc, inputs, out.value, makeBody);
  else if (kind == Add)
    linalg::AddOp::create(b, loc, ValueRange{in.value, in.value},
                          ValueRange{out.value});
  else
    linalg::GenericOp::create(b, loc, inputs, ValueRange{out.value}, maps,
                              iterators, makeBody);

  record(in, /*write=*/false);
  for (const MemVal &other : others)
    record(other, /*write=*/false);
  record(out, /*write=*/true);
  setWritten(out);
  if (random.chance(75))
    release(in);
  if (random.chance(60) && canRead(out))
    read(out, /*all=*/true);
}
