//===- Generated values and buffers --------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Generator::makeConstant(bool isIndex, int64_t value) {
  // One of each in the entry block: programs are half as large that way.
  Value &constant = constants[{isIndex, value}];
  if (constant)
    return constant;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entryBlock);
  if (isIndex)
    constant = make<arith::ConstantIndexOp>(value);
  else
    constant = make<arith::ConstantIntOp>(value, 64);
  return constant;
}

Value Generator::makeIndex(int64_t value) { return makeConstant(true, value); }

Value Generator::makeInt(int64_t value) { return makeConstant(false, value); }

Value Generator::toIndex(Value i64) {
  return make<arith::IndexCastOp>(b.getIndexType(), i64);
}

Value Generator::toInt(Value index) {
  return make<arith::IndexCastOp>(b.getI64Type(), index);
}

Value Generator::pickInt() {
  if (random.chance(35))
    return scope.acc;
  if (random.chance(20))
    return makeInt(random.range(-9, 99));
  size_t count = scope.ints.size();
  return scope.ints[count - 1 - random.below(std::min<size_t>(count, 6))];
}

Value Generator::makeCondition() {
  // The product spreads the bits of small numbers.
  Value mixed =
      make<arith::MulIOp>(pickInt(), makeInt(random.range(3, 1000) * 2 + 1));
  Value bits = make<arith::RemUIOp>(mixed, makeInt(7));
  return make<arith::CmpIOp>(arith::CmpIPredicate::ult, bits,
                             makeInt(random.range(1, 6)));
}

Value Generator::makeBelow(int64_t bound) {
  if (random.chance(50))
    return makeIndex(random.below(bound));
  return toIndex(make<arith::RemUIOp>(pickInt(), makeInt(bound)));
}

Value Generator::makeTripCount(unsigned &trips) {
  static const unsigned counts[] = {0, 1, 2, 2, 2, 3, 3, 4};
  trips = counts[random.below(std::size(counts))];
  if (position.work * trips > 64)
    trips = 2;
  if (random.chance(60))
    return makeIndex(trips);
  // At most `trips`.
  Value mixed = make<arith::MulIOp>(pickInt(), makeInt(13));
  return toIndex(make<arith::RemUIOp>(mixed, makeInt(trips + 1)));
}

Value Generator::toElement(Type type, Value i64) {
  if (type.isIndex())
    return toIndex(i64);
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 64)
      return i64;
    return make<arith::TruncIOp>(type, i64);
  }
  if (isa<FloatType>(type)) {
    Value small = make<arith::AndIOp>(i64, makeInt(0xFFF));
    return make<arith::SIToFPOp>(type, small);
  }
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Value re = toElement(complex.getElementType(), i64);
    Value shifted = make<arith::ShRUIOp>(i64, makeInt(5));
    Value im = toElement(complex.getElementType(), shifted);
    return make<complex::CreateOp>(type, re, im);
  }
  auto vector = cast<VectorType>(type);
  if (random.chance(30))
    return make<vector::BroadcastOp>(type,
                                     toElement(vector.getElementType(), i64));
  SmallVector<Value, 4> elements;
  for (int64_t k = 0; k < vector.getNumElements(); ++k) {
    Value shifted = make<arith::ShRUIOp>(i64, makeInt(3 * k));
    elements.push_back(toElement(vector.getElementType(), shifted));
  }
  return make<vector::FromElementsOp>(type, elements);
}

Value Generator::fromElement(Value element) {
  Type type = element.getType();
  Type i64 = b.getI64Type();
  auto mix = [&](Value x, Value y) -> Value {
    Value scaled = make<arith::MulIOp>(x, makeInt(5));
    return make<arith::AddIOp>(scaled, y);
  };
  if (type == i64)
    return element;
  if (type.isIndex())
    return toInt(element);
  if (isa<IntegerType>(type))
    return make<arith::ExtUIOp>(i64, element);
  if (isa<FloatType>(type))
    return make<arith::FPToSIOp>(i64, element);
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Value re = make<complex::ReOp>(element);
    Value im = make<complex::ImOp>(element);
    return mix(fromElement(re), fromElement(im));
  }
  Value sum;
  for (int64_t k = 0; k < cast<VectorType>(type).getNumElements(); ++k) {
    Value part = make<vector::ExtractOp>(element, k);
    part = fromElement(part);
    sum = sum ? mix(sum, part) : part;
  }
  return sum;
}

void Generator::accumulate(Value i64) {
  Value scaled = make<arith::MulIOp>(scope.acc, makeInt(31));
  scope.acc = make<arith::AddIOp>(scaled, i64);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type Generator::pickElementType() {
  switch (random.below(16)) {
  case 0:
    return b.getI1Type();
  case 1:
  case 2:
    return b.getI8Type();
  case 3:
    return b.getI16Type();
  case 4:
  case 5:
    return b.getI32Type();
  case 6:
  case 7:
    return b.getI64Type();
  case 8:
  case 9:
    return b.getF32Type();
  case 10:
    return b.getF64Type();
  case 11:
    return b.getIndexType();
  case 12:
    return ComplexType::get(random.chance(50) ? b.getF32Type()
                                              : b.getF64Type());
  case 13:
    return VectorType::get({random.chance(70) ? 3 : 2}, b.getF32Type());
  case 14:
    return b.getIntegerType(random.chance(50) ? 12 : 4);
  default:
    return b.getI32Type();
  }
}

MemRefType Generator::makeType() {
  static const int64_t extents[] = {1, 2, 3, 3, 4, 5, 7, 8, 9, 13};
  SmallVector<int64_t, 3> shape;
  unsigned rank = random.chance(60) ? 1 : random.below(4);
  int64_t count = 1;
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t extent = extents[random.below(std::size(extents))];
    while (count * extent > 24)
      extent = (extent + 1) / 2;
    if (random.chance(1))
      extent = 0;
    count *= std::max<int64_t>(extent, 1);
    shape.push_back(extent);
  }
  Attribute space;
  if (random.chance(8) && !options.onlyLowerable)
    space = b.getI64IntegerAttr(random.chance(50) ? 1 : 3);
  return MemRefType::get(shape, pickElementType(), MemRefLayoutAttrInterface(),
                         space);
}

MemRefType Generator::pickType() {
  if (!palette.empty() && random.chance(75))
    return palette[random.below(palette.size())];
  return makeType();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

int Generator::addRoot(int level) {
  roots.emplace_back();
  roots.back().level = level;
  return roots.size() - 1;
}

MemVal Generator::allocate(MemRefType type, bool isPinned,
                           ArrayRef<Value> sizes) {
  int root = addRoot(position.level);
  roots[root].pinned = isPinned;
  auto alloc = make<memref::AllocOp>(type, sizes);
  if (random.chance(10)) {
    roots[root].alignment = int64_t(1) << random.range(4, 8);
    alloc.setAlignment(roots[root].alignment);
  }
  scope.mems.push_back(makeUnwritten(alloc, root));
  return scope.mems.back();
}

MemVal Generator::makeUnwritten(Value value, int root) {
  MemVal mem;
  mem.value = value;
  mem.roots = {root};
  mem.whole = true;
  mem.state = scope.written.size();
  scope.written.push_back(false);
  return mem;
}

MemVal Generator::makeFilled(MemRefType type, bool isPinned,
                             ArrayRef<Value> sizes) {
  MemVal mem = allocate(type, isPinned, sizes);
  fill(mem);
  return mem;
}

bool Generator::isWritten(const MemVal &mem) {
  return mem.state < 0 || scope.written[mem.state];
}

bool Generator::canTouch(const MemVal &mem, bool write) {
  for (int root : mem.roots) {
    if (roots[root].freed || (write && roots[root].noWrite > 0))
      return false;
    for (const Pending &other : pending)
      if (other.log.writes.count(root) ||
          (write && other.log.reads.count(root)))
        return false;
  }
  return true;
}

void Generator::record(const MemVal &mem, bool write) {
  for (AccessLog *log : logs)
    (write ? log->writes : log->reads)
        .insert(mem.roots.begin(), mem.roots.end());
}

void Generator::setWritten(const MemVal &mem) {
  if (mem.whole && mem.state >= 0)
    scope.written[mem.state] = true;
}

std::optional<MemVal>
Generator::pick(function_ref<bool(const MemVal &)> isWanted) {
  SmallVector<MemVal *, 16> candidates;
  for (MemVal &mem : llvm::reverse(scope.mems))
    if (isWanted(mem))
      candidates.push_back(&mem);
  if (candidates.empty())
    return std::nullopt;
  size_t recent = std::min<size_t>(candidates.size(), 4);
  return *candidates[random.below(random.chance(70) ? recent
                                                    : candidates.size())];
}

std::optional<MemVal> Generator::pickReadable(bool ranked) {
  return pick([&](const MemVal &mem) {
    return (!ranked || mem.getType()) && canRead(mem);
  });
}

MemVal Generator::getReadable(MemRefType type, bool isPinned) {
  auto found = pick([&](const MemVal &mem) {
    return mem.value.getType() == type && canRead(mem) &&
           canTouch(mem, /*write=*/true);
  });
  MemVal mem;
  if (found && random.chance(70)) {
    mem = *found;
  } else {
    mem = makeFilled(type);
  }
  if (isPinned)
    for (int root : mem.roots)
      if (roots[root].level == position.level)
        roots[root].pinned = true;
  return mem;
}

SmallVector<Value, 4> Generator::makeSizes(const MemVal &mem) {
  SmallVector<Value, 4> sizes;
  for (int64_t dim = 0; dim < mem.getType().getRank(); ++dim)
    sizes.push_back(mem.getType().isDynamicDim(dim)
                        ? Value(make<memref::DimOp>(mem.value, makeIndex(dim)))
                        : makeIndex(mem.getType().getDimSize(dim)));
  return sizes;
}

SmallVector<Value, 4> Generator::makeIndices(const MemVal &mem) {
  SmallVector<Value, 4> indices;
  for (int64_t extent : mem.getType().getShape())
    indices.push_back(makeBelow(extent));
  return indices;
}

/// Return true if elements can be picked: the sizes are known and not 0.
static bool hasElements(MemRefType type) {
  return type.hasStaticShape() && type.getNumElements() > 0;
}

void Generator::fillElements(const MemVal &mem) {
  MemRefType type = mem.getType();
  Value seed = pickInt();
  auto valueAt = [&](ArrayRef<Value> indices) {
    Value value = seed;
    for (Value index : indices) {
      Value scaled = make<arith::MulIOp>(value, makeInt(7));
      value = make<arith::AddIOp>(scaled, toInt(index));
    }
    return toElement(type.getElementType(), value);
  };
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value, 4> indices;
  bool isAffine = type.hasStaticShape() && random.chance(30);
  if (isAffine) {
    features.insert("affine.store");
    for (int64_t extent : type.getShape()) {
      auto loop = make<affine::AffineForOp>(0, extent);
      b.setInsertionPointToStart(loop.getBody());
      indices.push_back(loop.getInductionVar());
    }
    make<affine::AffineStoreOp>(valueAt(indices), mem.value, indices);
    return;
  }
  SmallVector<Value, 4> sizes = makeSizes(mem);
  Value zero = makeIndex(0), one = makeIndex(1);
  for (Value size : sizes) {
    auto loop = make<scf::ForOp>(zero, size, one);
    b.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
  }
  make<memref::StoreOp>(valueAt(indices), mem.value, indices);
}

void Generator::fill(MemVal mem) {
  MemRefType type = mem.getType();
  auto source = pick([&](const MemVal &other) {
    return other.getType() && other.value != mem.value && canRead(other) &&
           other.getType().hasStaticShape() &&
           other.getType().getShape() == type.getShape() &&
           other.getType().getElementType() == type.getElementType() &&
           llvm::none_of(other.roots, [&](int root) {
             return llvm::is_contained(mem.roots, root);
           });
  });
  unsigned choice = random.below(10);
  if (choice < 3 && source) {
    record(*source, /*write=*/false);
    make<memref::CopyOp>(source->value, mem.value);
  } else if (choice < 5) {
    Value value = toElement(type.getElementType(), pickInt());
    make<linalg::FillOp>(value, mem.value);
  } else if (choice < 8 && type.hasStaticShape() &&
             type.getNumElements() <= 5) {
    Value value = pickInt();
    for (int64_t k = 0; k < type.getNumElements(); ++k) {
      int64_t rest = k;
      SmallVector<Value> indices(type.getRank());
      for (int64_t dim = type.getRank(); dim-- > 0;) {
        indices[dim] = makeIndex(rest % type.getDimSize(dim));
        rest /= type.getDimSize(dim);
      }
      Value element = make<arith::AddIOp>(value, makeInt(k));
      make<memref::StoreOp>(toElement(type.getElementType(), element),
                            mem.value, indices);
    }
  } else {
    fillElements(mem);
  }
  record(mem, /*write=*/true);
  setWritten(mem);
}

void Generator::read(const MemVal &mem, bool all) {
  MemRefType type = mem.getType();
  record(mem, /*write=*/false);
  if (!all && hasElements(type)) {
    accumulate(fromElement(make<memref::LoadOp>(mem.value, makeIndices(mem))));
    return;
  }
  // A nest of loops that carry the accumulator.
  bool isAffine = type.hasStaticShape() && random.chance(30);
  SmallVector<Value, 4> sizes, indices;
  SmallVector<Operation *, 4> loops;
  if (!isAffine)
    sizes = makeSizes(mem);
  Value zero = makeIndex(0), one = makeIndex(1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (isAffine) {
      auto loop =
          make<affine::AffineForOp>(0, type.getDimSize(dim), 1, scope.acc);
      b.setInsertionPointToStart(loop.getBody());
      indices.push_back(loop.getInductionVar());
      scope.acc = loop.getRegionIterArgs()[0];
      loops.push_back(loop);
    } else {
      auto loop = make<scf::ForOp>(zero, sizes[dim], one, scope.acc);
      b.setInsertionPointToStart(loop.getBody());
      indices.push_back(loop.getInductionVar());
      scope.acc = loop.getRegionIterArgs()[0];
      loops.push_back(loop);
    }
  }
  Value element;
  if (isAffine) {
    features.insert("affine.load");
    element = make<affine::AffineLoadOp>(mem.value, indices);
  } else {
    element = make<memref::LoadOp>(mem.value, indices);
  }
  accumulate(fromElement(element));
  for (Operation *loop : llvm::reverse(loops)) {
    if (isAffine)
      make<affine::AffineYieldOp>(scope.acc);
    else
      make<scf::YieldOp>(scope.acc);
    b.setInsertionPointAfter(loop);
    scope.acc = loop->getResult(0);
  }
}

void Generator::store(const MemVal &mem) {
  MemRefType type = mem.getType();
  record(mem, /*write=*/true);
  if (!hasElements(type))
    return fillElements(mem);
  make<memref::StoreOp>(toElement(type.getElementType(), pickInt()), mem.value,
                        makeIndices(mem));
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Generator::genAllocFill() { makeFilled(pickType()); }

void Generator::genAlloc() { allocate(pickType()); }

void Generator::genDynamicAlloc() {
  MemRefType type = pickType();
  if (type.getRank() == 0)
    return genAllocFill();
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> sizes;
  for (int64_t &extent : shape)
    if (sizes.empty() || random.chance(40)) {
      sizes.push_back(makeBelow(6));
      extent = ShapedType::kDynamic;
    }
  Value value = make<memref::AllocOp>(
      MemRefType::get(shape, type.getElementType()), sizes);
  MemVal mem = makeUnwritten(value, addRoot(position.level));
  scope.mems.push_back(mem);
  fill(mem);
}

void Generator::genStackAlloc() {
  if (!entryBlock->getParentOp()->hasTrait<OpTrait::AutomaticAllocationScope>())
    return genTemporary();
  Value value = make<memref::AllocaOp>(pickType());
  MemVal mem = makeUnwritten(value, addRoot(-1));
  fill(mem);
  read(mem, /*all=*/true);
}

void Generator::genFill() {
  auto mem = pick([&](const MemVal &other) {
    return other.getType() && canTouch(other, /*write=*/true);
  });
  if (!mem)
    return genAllocFill();
  fill(*mem);
}

void Generator::genStore() {
  auto mem = pick([&](const MemVal &other) {
    return other.getType() && canTouch(other, /*write=*/true);
  });
  if (!mem)
    return genAllocFill();
  store(*mem);
}

void Generator::genAtomic() {
  auto mem = pick([&](const MemVal &other) {
    MemRefType type = other.getType();
    return type && canRead(other) && canTouch(other, /*write=*/true) &&
           hasElements(type) &&
           (type.getElementType().isInteger(32) ||
            type.getElementType().isInteger(64));
  });
  if (!mem)
    return genStore();
  record(*mem, /*write=*/true);
  Value value = toElement(mem->getType().getElementType(), pickInt());
  if (random.chance(60)) {
    make<memref::AtomicRMWOp>(arith::AtomicRMWKind::addi, value, mem->value,
                              makeIndices(*mem));
    return;
  }
  auto op = make<memref::GenericAtomicRMWOp>(mem->value, makeIndices(*mem));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&op.getRegion().front());
  Value sum = make<arith::AddIOp>(op.getRegion().front().getArgument(0), value);
  make<memref::AtomicYieldOp>(sum);
}

void Generator::genRead() {
  auto mem = pickReadable();
  if (!mem)
    return genAllocFill();
  read(MemVal(*mem), random.chance(50));
}

void Generator::genCopy() {
  auto source = pickReadable();
  if (!source)
    return genAllocFill();
  MemRefType type = source->getType();
  auto target = pick([&](const MemVal &other) {
    return other.getType() && canTouch(other, /*write=*/true) &&
           type.hasStaticShape() && other.value != source->value &&
           other.getType().getShape() == type.getShape() &&
           other.getType().getElementType() == type.getElementType();
  });
  if (!target || !type.hasStaticShape())
    return genTemporary();
  // Overlapping operands have no defined result.
  for (int root : source->roots)
    if (llvm::is_contained(target->roots, root))
      return genRead();
  record(*source, /*write=*/false);
  record(*target, /*write=*/true);
  if (random.chance(75) ||
      type.getMemorySpace() != target->getType().getMemorySpace())
    make<memref::CopyOp>(source->value, target->value);
  else
    make<linalg::CopyOp>(source->value, target->value);
  setWritten(*target);
}

void Generator::genPrint() {
  if (!position.canPrint)
    return genRead();
  prints = true;
  make<func::CallOp>("use_i64", TypeRange(), scope.acc);
}

void Generator::genTemporary() {
  // What bufferization leaves: a buffer that is made, used and forgotten.
  auto source = pickReadable();
  MemVal mem = allocate(pickType());
  if (source && random.chance(50))
    read(MemVal(*source), /*all=*/false);
  fill(mem);
  if (random.chance(50) && !isFull())
    genStatements(1);
  if (!roots[mem.roots[0]].freed && canRead(mem))
    read(mem, /*all=*/true);
  if (random.chance(80) && canFree(mem.roots[0])) {
    if (frees && random.chance(80))
      free(mem.roots[0]);
    else
      forget(mem.roots[0]);
  }
}

void Generator::genRefill() {
  // What hoisting and reuse of tensors leave: a buffer with another value.
  auto found = pick([&](const MemVal &other) {
    return other.whole && other.getType() && canTouch(other, /*write=*/true);
  });
  if (!found)
    return genAllocFill();
  MemVal mem = *found;
  fill(mem);
  if (random.chance(60) && !isFull())
    genStatements(1);
  if (llvm::none_of(mem.roots, [&](int root) { return roots[root].freed; }) &&
      canRead(mem))
    read(mem, /*all=*/random.chance(70));
}

/// Insert `part` into `whole` at index `first` of dimension `dim`: some offsets
/// are known at run time only.
void Generator::insertPart(const MemVal &part, const MemVal &whole,
                           unsigned dim, int64_t first) {
  int64_t length = part.getType().getDimSize(dim);
  SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0));
  offsets[dim] = b.getIndexAttr(first);
  if (random.chance(25))
    offsets[dim] = makeBelow(whole.getType().getDimSize(dim) - length + 1);
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : part.getType().getShape())
    sizes.push_back(b.getIndexAttr(size));
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  record(part, /*write=*/false);
  record(whole, /*write=*/true);
  Value target = make<memref::SubViewOp>(whole.value, offsets, sizes, strides);
  make<memref::CopyOp>(part.value, target);
}

/// Insert all of `whole` into it, row by row or column by column, each computed
/// after the one before it was inserted, which is still read then, and perhaps
/// after `whole` was filled anew.
void Generator::insertInTurn(const MemVal &whole, unsigned dim) {
  MemRefType type = whole.getType();
  Value filling = toElement(type.getElementType(), pickInt());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = 1;
  std::optional<MemVal> last;
  for (int64_t begin = 0, end = type.getDimSize(dim); begin < end; ++begin) {
    MemVal part = makeFilled(MemRefType::get(shape, type.getElementType()));
    if (last)
      read(*last, /*all=*/true);
    if (random.chance(40)) {
      record(whole, /*write=*/true);
      make<linalg::FillOp>(filling, whole.value);
    }
    insertPart(part, whole, dim, begin);
    last = part;
  }
}

void Generator::genInsert() {
  // What a concatenation or an insertion leaves: buffers that are computed to
  // be copied into rows or columns of another one.
  Type element = pickType().getElementType();
  int64_t width = random.range(1, 3), numParts = random.range(1, 3);
  unsigned dim = random.chance(30);
  auto makeType = [&](int64_t length) {
    SmallVector<int64_t> shape(2, width);
    shape[dim] = length;
    return MemRefType::get(shape, element);
  };
  // Where the parts begin.
  SmallVector<int64_t> begins;
  int64_t length = 0;
  for (int64_t i = 0; i < numParts; ++i) {
    begins.push_back(length);
    length += random.range(1, 2);
  }
  std::optional<MemVal> whole;
  auto makeWhole = [&] { whole = makeFilled(makeType(length)); };
  if (random.chance(25)) {
    makeWhole();
    insertInTurn(*whole, dim);
    return read(*whole, /*all=*/true);
  }
  bool isFirst = random.chance(50);
  if (isFirst)
    makeWhole();
  SmallVector<MemVal> parts;
  for (int64_t i = 0; i < numParts; ++i) {
    int64_t end = i + 1 < numParts ? begins[i + 1] : length;
    parts.push_back(makeFilled(makeType(end - begins[i])));
    if (random.chance(30) && !isFull())
      genStatements(1);
  }
  if (!isFirst)
    makeWhole();
  auto canUse = [&](const MemVal &mem) {
    return llvm::none_of(mem.roots,
                         [&](int root) { return roots[root].freed; }) &&
           canRead(mem) && canTouch(mem, /*write=*/true);
  };
  for (auto [part, begin] : llvm::zip_equal(parts, begins)) {
    if (canUse(part) && canUse(*whole))
      insertPart(part, *whole, dim, begin);
    if (random.chance(20) && canUse(part))
      read(part, /*all=*/true);
    if (random.chance(10) && canUse(part))
      fill(part);
    if (random.chance(10) && canUse(*whole))
      store(*whole);
    if (random.chance(20) && !isFull())
      genStatements(1);
  }
  for (const MemVal &part : parts)
    if (random.chance(25) && canUse(part))
      read(part, /*all=*/true);
  if (canUse(*whole))
    read(*whole, /*all=*/true);
}

void Generator::forget(int root) {
  llvm::erase_if(scope.mems, [&](const MemVal &mem) {
    return llvm::is_contained(mem.roots, root);
  });
}

void Generator::genForget() {
  if (scope.mems.empty())
    return;
  forget(int(scope.mems[random.below(scope.mems.size())].roots.front()));
}

bool Generator::canFree(int root) {
  const Root &info = roots[root];
  if (info.level != position.level || info.pinned || info.freed)
    return false;
  return llvm::none_of(pending, [&](const Pending &other) {
    return other.log.reads.count(root) || other.log.writes.count(root);
  });
}

void Generator::free(int root) {
  const MemVal *found = nullptr;
  for (const MemVal &mem : scope.mems)
    if (mem.whole && mem.roots.size() == 1 && mem.roots[0] == root &&
        mem.value.getDefiningOp<memref::AllocOp>())
      found = &mem;
  if (!found)
    return;
  Value value = found->value;
  if (random.chance(10)) {
    // Freed in both arms.
    auto ifOp = make<scf::IfOp>(makeCondition(), true);
    make<memref::DeallocOp>(value)->moveBefore(ifOp.thenBlock(),
                                               ifOp.thenBlock()->begin());
    make<memref::DeallocOp>(value)->moveBefore(ifOp.elseBlock(),
                                               ifOp.elseBlock()->begin());
    b.setInsertionPointAfter(ifOp);
    features.insert("free-in-arms");
  } else {
    make<memref::DeallocOp>(value);
  }
  roots[root].freed = true;
  forget(root);
}

void Generator::genFree() {
  if (!frees)
    return genForget();
  for (unsigned attempt = 0; attempt < 4 && !scope.mems.empty(); ++attempt) {
    int root = scope.mems[random.below(scope.mems.size())].roots.front();
    if (canFree(root))
      return free(root);
  }
}

void Generator::genFreeSelected() {
  if (!frees)
    return genTemporary();
  MemRefType type = pickType();
  MemVal first = allocate(type), second = allocate(type);
  fill(first);
  fill(second);
  Value condition = makeCondition();
  Value one = make<arith::SelectOp>(condition, first.value, second.value);
  Value other = make<arith::SelectOp>(condition, second.value, first.value);
  if (random.chance(50) && !isFull())
    genStatements(1);
  if (!canFree(first.roots[0]) || !canFree(second.roots[0]))
    return;
  MemVal selected = first;
  selected.value = one;
  read(selected, /*all=*/true);
  make<memref::DeallocOp>(one);
  make<memref::DeallocOp>(other);
  for (int root : {first.roots[0], second.roots[0]}) {
    roots[root].freed = true;
    forget(root);
  }
}

void Generator::genRealloc() {
  MemRefType type = makeType();
  MemRefType from = MemRefType::get({6}, type.getElementType());
  MemRefType to = MemRefType::get({random.range(2, 6)}, type.getElementType());
  MemVal mem = makeFilled(from);
  Value value = make<memref::ReallocOp>(to, mem.value);
  roots[mem.roots[0]].freed = true;
  forget(mem.roots[0]);
  MemVal result;
  result.value = value;
  result.roots = {addRoot(frees ? -1 : position.level)};
  scope.mems.push_back(result);
  read(result, /*all=*/true);
  if (frees) {
    make<memref::DeallocOp>(value);
    roots[result.roots[0]].freed = true;
    forget(result.roots[0]);
  }
}
