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
    return make<memref::DimOp>(mem->value, makeIndex(dim));
  }
  case 2:
    // It has a bound that nobody proves.
    return toIndex(make<arith::AndIOp>(pickInt(), makeInt(7)));
  default:
    return toIndex(
        make<arith::RemUIOp>(pickInt(), makeInt(random.range(2, 7))));
  }
}

Value Generator::makeSize() {
  if (!argumentSizes.empty() && random.chance(50))
    return argumentSizes[random.below(argumentSizes.size())];
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
    size = make<affine::AffineMinOp>(makeMap({d0, bound}), size);
    break;
  case 9:
    size = make<affine::AffineMinOp>(makeMap({d0 + 1, bound}), size);
    break;
  case 10:
    size = make<affine::AffineMaxOp>(
        makeMap({-d0 + constant, b.getAffineConstantExpr(0)}), size);
    break;
  case 11:
    size = make<affine::AffineApplyOp>(makeMap({d0.floorDiv(2)}), size);
    break;
  case 12:
    size = make<affine::AffineApplyOp>(makeMap({d0 % (constant + 1)}), size);
    break;
  case 13:
    size = make<arith::MinUIOp>(size, makeIndex(constant));
    break;
  case 14:
    size = make<arith::SelectOp>(makeCondition(), size, makeIndex(constant));
    break;
  default:
    size = make<affine::AffineApplyOp>(makeMap({(d0 + 1).ceilDiv(2)}), size);
    break;
  }
  scope.sizes.push_back(size);
  return size;
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
  MemVal mem = makeFilled(type, /*isPinned=*/false, sizes);
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
    MemVal copy = allocate(type, /*isPinned=*/false, sizes);
    record(mem, /*write=*/false);
    record(copy, /*write=*/true);
    make<memref::CopyOp>(mem.value, copy.value);
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
