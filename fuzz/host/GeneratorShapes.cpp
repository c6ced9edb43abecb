//===- Generated allocations of dynamic shape -----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

Value Generator::makeNewSize() {
  switch (random.below(7)) {
  case 0:
    return makeIndex(random.range(1, 6));
  case 1: {
    auto mem = pick([&](const MemVal &other) {
      return other.getType() && other.getType().getNumDynamicDims() > 0 &&
             canTouch(other, /*write=*/false);
    });
    if (!mem)
      return makeIndex(3);
    unsigned dim = 0;
    while (!mem->getType().isDynamicDim(dim))
      ++dim;
    return memref::DimOp::create(b, loc, mem->value, makeIndex(dim));
  }
  case 2:
    // It has a bound that nobody proves.
    return toIndex(arith::AndIOp::create(b, loc, pickInt(), makeInt(7)));
  default:
    return toIndex(
        arith::RemUIOp::create(b, loc, pickInt(), makeInt(random.range(2, 7))));
  }
}

Value Generator::makeSize() {
  if (scope.sizes.empty() || random.chance(20)) {
    scope.sizes.push_back(makeNewSize());
    return scope.sizes.back();
  }
  size_t recent = std::min<size_t>(scope.sizes.size(), 4);
  Value size = scope.sizes[scope.sizes.size() - 1 - random.below(recent)];
  AffineExpr d0 = b.getAffineDimExpr(0);
  auto makeMap = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(1, 0, results, &context);
  };
  unsigned choice = random.below(16);
  if (choice < 6)
    return size;
  int64_t constant = random.range(1, 6);
  AffineExpr bound = b.getAffineConstantExpr(constant);
  switch (choice) {
  case 6:
  case 7:
  case 8:
    // Made anew each time: whether two are equal is to be found out.
    size = affine::AffineMinOp::create(b, loc, makeMap({d0, bound}), size);
    break;
  case 9:
    size = affine::AffineMinOp::create(b, loc, makeMap({d0 + 1, bound}), size);
    break;
  case 10:
    size = affine::AffineMaxOp::create(
        b, loc, makeMap({-d0 + constant, b.getAffineConstantExpr(0)}), size);
    break;
  case 11:
    size =
        affine::AffineApplyOp::create(b, loc, makeMap({d0.floorDiv(2)}), size);
    break;
  case 12:
    size = affine::AffineApplyOp::create(b, loc, makeMap({d0 % (constant + 1)}),
                                         size);
    break;
  case 13:
    size = arith::MinUIOp::create(b, loc, size, makeIndex(constant));
    break;
  case 14:
    size = arith::SelectOp::create(b, loc, makeCondition(), size,
                                   makeIndex(constant));
    break;
  default:
    size = affine::AffineApplyOp::create(b, loc, makeMap({(d0 + 1).ceilDiv(2)}),
                                         size);
    break;
  }
  scope.sizes.push_back(size);
  return size;
}

MemVal Generator::allocateDynamic(MemRefType type, ArrayRef<Value> sizes) {
  int root = addRoot(position.level);
  auto alloc = memref::AllocOp::create(b, loc, type, sizes);
  if (random.chance(10)) {
    roots[root].alignment = int64_t(1) << random.range(4, 8);
    alloc.setAlignment(roots[root].alignment);
  }
  MemVal mem;
  mem.value = alloc;
  mem.roots = {root};
  mem.whole = true;
  mem.state = scope.written.size();
  scope.written.push_back(false);
  scope.mems.push_back(mem);
  return mem;
}

void Generator::genDynamicTemporary() {
  // Few types, so that many allocations have the same.
  while (dynamicPalette.size() < 3) {
    SmallVector<int64_t, 3> shape = {ShapedType::kDynamic};
    if (random.chance(40))
      shape.push_back(random.chance(50) ? ShapedType::kDynamic
                                        : random.range(1, 3));
    dynamicPalette.push_back(MemRefType::get(shape, pickElementType()));
  }
  MemRefType type = dynamicPalette[random.below(dynamicPalette.size())];
  SmallVector<Value> sizes;
  for (int64_t k = 0, e = type.getNumDynamicDims(); k < e; ++k)
    sizes.push_back(makeSize());
  MemVal mem = allocateDynamic(type, sizes);
  fill(mem);
  auto release = [&](const MemVal &buffer) {
    if (!canFree(buffer.roots[0]))
      return;
    if (frees && random.chance(80))
      free(buffer.roots[0]);
    else
      forget(buffer.roots[0]);
  };
  if (random.chance(30)) {
    // A second one of the same size, which the first may become.
    MemVal copy = allocateDynamic(type, sizes);
    record(mem, /*write=*/false);
    record(copy, /*write=*/true);
    memref::CopyOp::create(b, loc, mem.value, copy.value);
    setWritten(copy);
    if (random.chance(70))
      release(mem);
    read(copy, /*all=*/true);
    if (random.chance(70))
      release(copy);
  }
  if (random.chance(50) && !isFull())
    genStatements(1);
  if (canRead(mem))
    read(mem, /*all=*/true);
  if (random.chance(80))
    release(mem);
}
