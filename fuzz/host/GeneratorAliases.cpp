//===- Generated aliases of buffers --------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

void Generator::addAlias(const MemVal &of, Value value, bool whole,
                         const char *name) {
  features.insert(name);
  MemVal mem = of;
  mem.value = value;
  mem.whole = of.whole && whole;
  scope.mems.push_back(mem);
  // An alias nobody uses is no test.
  if (mem.getType() && canRead(mem) && random.chance(50))
    read(mem, random.chance(50));
}

static bool hasIdentityLayout(const MemVal &mem) {
  MemRefType type = mem.getType();
  return type && type.hasStaticShape() && type.getLayout().isIdentity() &&
         type.getNumElements() > 0;
}

void Generator::genSubView() {
  auto found = pick([](const MemVal &mem) {
    MemRefType type = mem.getType();
    return type && type.getRank() > 0 && type.hasStaticShape() &&
           type.getNumElements() > 0;
  });
  if (!found)
    return genAllocFill();
  MemVal mem = *found;
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (int64_t extent : mem.getType().getShape()) {
    int64_t stride = random.chance(80) ? 1 : 2;
    int64_t size = random.range(1, (extent + stride - 1) / stride);
    int64_t slack = extent - (size - 1) * stride;
    if (random.chance(40))
      offsets.push_back(makeBelow(slack));
    else
      offsets.push_back(b.getIndexAttr(random.below(slack)));
    sizes.push_back(random.chance(15) ? OpFoldResult(makeIndex(size))
                                      : b.getIndexAttr(size));
    strides.push_back(b.getIndexAttr(stride));
  }
  Value value;
  if (random.chance(30)) {
    // Drop all dimensions of size 1.
    SmallVector<int64_t> shape;
    for (OpFoldResult size : sizes) {
      std::optional<int64_t> constant = getConstantIntValue(size);
      if (isa<Value>(size))
        shape.push_back(ShapedType::kDynamic);
      else if (*constant != 1)
        shape.push_back(*constant);
    }
    MemRefType type = memref::SubViewOp::inferRankReducedResultType(
        shape, mem.getType(), offsets, sizes, strides);
    value = make<memref::SubViewOp>(type, mem.value, offsets, sizes, strides);
  } else {
    value = make<memref::SubViewOp>(mem.value, offsets, sizes, strides);
  }
  addAlias(mem, value, /*whole=*/false, "subview");
}

void Generator::genView() {
  // Views need a contiguous buffer of bytes.
  auto found = pick([](const MemVal &mem) {
    return hasIdentityLayout(mem) && mem.getType().getRank() == 1 &&
           mem.getType().getElementType().isInteger(8) &&
           mem.getType().getDimSize(0) >= 8;
  });
  MemVal mem;
  if (found) {
    mem = *found;
  } else {
    mem = makeFilled(MemRefType::get({random.range(8, 40)}, b.getI8Type()));
  }
  int64_t bytes = mem.getType().getDimSize(0);
  Type element = random.chance(50) ? Type(b.getI32Type()) : b.getI16Type();
  int64_t size = element.getIntOrFloatBitWidth() / 8;
  int64_t shift = random.range(0, bytes / 4 - 1) * 4;
  int64_t count = random.range(1, (bytes - shift) / size);
  auto type = MemRefType::get({count}, element, MemRefLayoutAttrInterface(),
                              mem.getType().getMemorySpace());
  Value value =
      make<memref::ViewOp>(type, mem.value, makeIndex(shift), ValueRange());
  addAlias(mem, value, /*whole=*/false, "view");
}

void Generator::genCast() {
  auto found = pick([](const MemVal &mem) {
    return mem.getType() && mem.getType().getRank() > 0 &&
           mem.getType().getLayout().isIdentity();
  });
  if (!found)
    return genAllocFill();
  MemVal mem = *found;
  MemRefType type = mem.getType();
  SmallVector<int64_t> shape(type.getShape());
  if (type.hasStaticShape()) {
    shape[random.below(shape.size())] = ShapedType::kDynamic;
    MemRefType to =
        MemRefType::get(shape, type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace());
    if (random.chance(30)) {
      SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
      to = MemRefType::get(
          shape, type.getElementType(),
          StridedLayoutAttr::get(&context, ShapedType::kDynamic, strides),
          type.getMemorySpace());
    }
    Value value = make<memref::CastOp>(to, mem.value);
    return addAlias(mem, value, /*whole=*/true, "cast");
  }
  // Casting to static sizes is only right where they are known.
  auto castOp = mem.value.getDefiningOp<memref::CastOp>();
  if (!castOp || !isa<MemRefType>(castOp.getSource().getType()))
    return genRead();
  Value value = make<memref::CastOp>(castOp.getSource().getType(), mem.value);
  addAlias(mem, value, /*whole=*/true, "cast-back");
}

void Generator::genUnrankedCast() {
  auto found = pick([](const MemVal &mem) { return true; });
  if (!found)
    return genAllocFill();
  MemVal mem = *found;
  if (MemRefType type = mem.getType()) {
    auto to =
        UnrankedMemRefType::get(type.getElementType(), type.getMemorySpace());
    Value value = make<memref::CastOp>(to, mem.value);
    addAlias(mem, value, /*whole=*/true, "unranked");
    mem = scope.mems.back();
    if (random.chance(40))
      return;
  }
  // Back to what it was cast from.
  auto castOp = mem.value.getDefiningOp<memref::CastOp>();
  if (!castOp)
    return;
  Value value = make<memref::CastOp>(castOp.getSource().getType(), mem.value);
  addAlias(mem, value, /*whole=*/true, "ranked-again");
}

void Generator::genReinterpretCast() {
  auto found = pick(hasIdentityLayout);
  if (!found)
    return genAllocFill();
  MemVal mem = *found;
  int64_t count = mem.getType().getNumElements();
  int64_t offset = random.chance(50) ? 0 : random.below(count);
  int64_t rest = count - offset;
  SmallVector<int64_t> sizes, strides;
  if (rest >= 4 && random.chance(50)) {
    sizes = {random.range(1, rest / 2), 2};
    strides = {2, 1};
  } else {
    sizes = {random.range(1, rest)};
    strides = {1};
  }
  SmallVector<OpFoldResult> sizeValues =
      getAsIndexOpFoldResult(&context, sizes);
  SmallVector<OpFoldResult> strideValues =
      getAsIndexOpFoldResult(&context, strides);
  OpFoldResult offsetValue = b.getIndexAttr(offset);
  int64_t typeOffset = offset;
  if (random.chance(30)) {
    offsetValue = makeIndex(offset);
    typeOffset = ShapedType::kDynamic;
  }
  auto type =
      MemRefType::get(sizes, mem.getType().getElementType(),
                      StridedLayoutAttr::get(&context, typeOffset, strides),
                      mem.getType().getMemorySpace());
  Value value = make<memref::ReinterpretCastOp>(type, mem.value, offsetValue,
                                                sizeValues, strideValues);
  addAlias(mem, value, /*whole=*/false, "reinterpret_cast");
}

void Generator::genTranspose() {
  auto found = pick([](const MemVal &mem) {
    return mem.getType() && mem.getType().getRank() >= 2;
  });
  MemVal mem;
  if (found) {
    mem = *found;
  } else {
    mem = makeFilled(MemRefType::get({3, 2}, pickElementType()));
  }
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, mem.getType().getRank()));
  std::rotate(permutation.begin(), permutation.begin() + 1, permutation.end());
  Value value = make<memref::TransposeOp>(
      mem.value,
      AffineMapAttr::get(AffineMap::getPermutationMap(permutation, &context)));
  addAlias(mem, value, /*whole=*/true, "transpose");
}

void Generator::genReshape() {
  auto found = pick([](const MemVal &mem) {
    return hasIdentityLayout(mem) && mem.getType().getRank() > 0;
  });
  if (!found)
    return genAllocFill();
  MemVal mem = *found;
  MemRefType type = mem.getType();
  SmallVector<ReassociationIndices> groups;
  if (type.getRank() >= 2) {
    // Collapse the first two dimensions.
    groups.push_back({0, 1});
    for (int64_t dim = 2; dim < type.getRank(); ++dim)
      groups.push_back({dim});
    Value value = make<memref::CollapseShapeOp>(mem.value, groups);
    return addAlias(mem, value, /*whole=*/true, "collapse_shape");
  }
  int64_t extent = type.getDimSize(0);
  int64_t inner = extent % 3 == 0 ? 3 : extent % 2 == 0 ? 2 : 1;
  groups.push_back({0, 1});
  Value value = make<memref::ExpandShapeOp>(
      ArrayRef<int64_t>{extent / inner, inner}, mem.value, groups);
  addAlias(mem, value, /*whole=*/true, "expand_shape");
}

void Generator::genMetadata() {
  auto found = pick(hasIdentityLayout);
  if (!found)
    return genAllocFill();
  MemVal mem = *found;
  MemRefType type = mem.getType();
  auto metadata = make<memref::ExtractStridedMetadataOp>(mem.value);
  SmallVector<int64_t> sizes(type.getShape());
  SmallVector<OpFoldResult> strides;
  for (Value stride : metadata.getStrides())
    strides.push_back(stride);
  SmallVector<int64_t> dynamic(sizes.size(), ShapedType::kDynamic);
  auto to = MemRefType::get(
      sizes, type.getElementType(),
      StridedLayoutAttr::get(&context, ShapedType::kDynamic, dynamic),
      type.getMemorySpace());
  Value value = make<memref::ReinterpretCastOp>(
      to, metadata.getBaseBuffer(), OpFoldResult(metadata.getOffset()),
      getAsIndexOpFoldResult(&context, sizes), strides);
  addAlias(mem, value, /*whole=*/true, "extract_strided_metadata");
}

void Generator::genAssumeAlignment() {
  auto found = pick([&](const MemVal &mem) {
    return mem.whole && mem.roots.size() == 1 && mem.getType();
  });
  if (!found)
    return genAllocFill();
  MemVal mem = *found;
  // What every heap gives, or what the allocation asks for.
  int64_t alignment =
      std::max(int64_t(1) << random.below(5), roots[mem.roots[0]].alignment);
  Value value = make<memref::AssumeAlignmentOp>(mem.value, uint32_t(alignment));
  addAlias(mem, value, /*whole=*/true, "assume_alignment");
}

void Generator::genMemorySpaceCast() {
  auto found = pick([](const MemVal &mem) { return bool(mem.getType()); });
  if (!found)
    return genAllocFill();
  MemVal mem = *found;
  MemRefType type = mem.getType();
  Attribute space;
  if (!type.getMemorySpace())
    space = b.getI64IntegerAttr(random.chance(50) ? 1 : 5);
  auto to = MemRefType::get(type.getShape(), type.getElementType(),
                            type.getLayout(), space);
  Value value = make<memref::MemorySpaceCastOp>(to, mem.value);
  addAlias(mem, value, /*whole=*/true, "memory_space_cast");
}

void Generator::genSelect() {
  auto found = pickReadable(/*ranked=*/false);
  if (!found)
    return genAllocFill();
  MemVal first = *found;
  auto foundOther = pick([&](const MemVal &mem) {
    return mem.value.getType() == first.value.getType() &&
           mem.value != first.value && canRead(mem);
  });
  MemVal second;
  if (foundOther) {
    second = *foundOther;
  } else {
    if (!first.getType() || !hasIdentityLayout(first))
      return genAllocFill();
    second = makeFilled(first.getType());
  }
  Value value =
      make<arith::SelectOp>(makeCondition(), first.value, second.value);
  MemVal mem;
  mem.roots = first.roots;
  mem.roots.append(second.roots.begin(), second.roots.end());
  addAlias(mem, value, /*whole=*/false, "select");
}

void Generator::genMemRefOfMemRefs() {
  auto found = pick([&](const MemVal &mem) {
    return hasIdentityLayout(mem) && canRead(mem);
  });
  if (!found)
    return genAllocFill();
  MemVal first = *found;
  MemVal second = getReadable(first.getType(), /*isPinned=*/false);
  auto type = MemRefType::get({2}, first.getType());
  int root = addRoot(position.level);
  Value table = make<memref::AllocOp>(type);
  make<memref::StoreOp>(first.value, table, makeIndex(0));
  make<memref::StoreOp>(second.value, table, makeIndex(1));
  MemVal mem;
  mem.roots = first.roots;
  mem.roots.append(second.roots.begin(), second.roots.end());
  Value value = make<memref::LoadOp>(table, makeBelow(2));
  addAlias(mem, value, /*whole=*/false, "memref-of-memrefs");
  if (frees)
    make<memref::DeallocOp>(table);
  roots[root].freed = true;
}

void Generator::genDistinctObjects() {
  SmallVector<MemVal, 2> chosen;
  for (const MemVal &mem : llvm::reverse(scope.mems)) {
    if (chosen.size() == 2 || !mem.whole || mem.roots.size() != 1 ||
        roots[mem.roots[0]].level < 0 || !mem.getType() ||
        !mem.value.getDefiningOp<memref::AllocOp>())
      continue;
    if (chosen.empty() || chosen[0].roots != mem.roots)
      chosen.push_back(mem);
  }
  if (chosen.size() != 2)
    return genAllocFill();
  auto op = make<memref::DistinctObjectsOp>(
      TypeRange{chosen[0].value.getType(), chosen[1].value.getType()},
      ValueRange{chosen[0].value, chosen[1].value});
  for (unsigned k = 0; k < 2; ++k)
    addAlias(chosen[k], op->getResult(k), /*whole=*/true, "distinct_objects");
}

void Generator::genAddress() {
  auto found = pick([](const MemVal &mem) { return bool(mem.getType()); });
  if (!found)
    return genAllocFill();
  MemVal mem = *found;
  Value address = make<memref::ExtractAlignedPointerAsIndexOp>(mem.value);
  // The address itself must not show.
  Value bits = make<arith::AndIOp>(toInt(address), makeInt(0));
  accumulate(bits);
  features.insert("address");
}

void Generator::genClone() {
  // The clone may be the source: neither is written as long as the clone is
  // there, and the source is not seen any more.
  auto source = pick([&](const MemVal &other) {
    return other.getType() && other.getType().getLayout().isIdentity() &&
           canRead(other) && canTouch(other, /*write=*/true);
  });
  if (!source)
    return genTemporary();
  MemVal original = *source;
  record(original, /*write=*/false);
  MemVal clone;
  clone.value = make<bufferization::CloneOp>(original.value);
  clone.roots = {addRoot(position.level)};
  int root = clone.roots[0];
  ++roots[root].noWrite;
  for (int from : original.roots) {
    if (frees && canFree(from) && random.chance(60))
      free(from);
    forget(from);
  }
  scope.mems.push_back(clone);
  genStatements(random.range(0, 2));
  if (canRead(clone))
    read(clone, /*all=*/true);
  if (!frees || !canFree(root) || random.chance(30))
    return;
  make<memref::DeallocOp>(clone.value);
  roots[root].freed = true;
  forget(root);
}
