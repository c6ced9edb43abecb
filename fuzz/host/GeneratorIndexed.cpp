//===- Generated operations of linalg with any indices --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation may be in place if each iteration reads the element with the
// number that it writes. Here, most operands have an index for each group of
// loops, so that this is so whatever the groups are, and some are different: a
// dimension that is longer, another order, a stride, a part of something else.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// An operand before its buffer is made.
struct Generator::Indexed {
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> indices;
  Type element;
  MemVal mem;

  /// Compute the sizes of dimensions that are not one loop alone: what loops of
  /// `extents` need.
  void fitShape(ArrayRef<int64_t> extents);
};

void Generator::Indexed::fitShape(ArrayRef<int64_t> extents) {
  shape.clear();
  for (AffineExpr index : indices) {
    AffineMap map = AffineMap::get(extents.size(), 0, index);
    int64_t largest = 0;
    SmallVector<int64_t> iteration(extents.size(), 0);
    for (int64_t n = ShapedType::getNumElements(extents); n-- > 0;) {
      int64_t rest = n;
      for (auto [extent, value] : llvm::zip_equal(extents, iteration)) {
        value = rest % extent;
        rest /= extent;
      }
      SmallVector<Attribute> numbers, result;
      Builder builder(index.getContext());
      for (int64_t value : iteration)
        numbers.push_back(builder.getIndexAttr(value));
      (void)map.constantFold(numbers, result);
      largest = std::max(largest, cast<IntegerAttr>(result.front()).getInt());
    }
    shape.push_back(largest + 1);
  }
}

/// Return an operand of loops of `extents`, in groups.
Generator::Indexed Generator::makeIndexed(ArrayRef<int64_t> extents) {
  Indexed operand;
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    AffineExpr index = b.getAffineDimExpr(loop);
    if (extent == 1 && random.chance(30))
      continue;
    if (extent == 1 && random.chance(30))
      index = b.getAffineConstantExpr(0);
    if (!operand.indices.empty() && random.chance(30))
      operand.indices.back() = operand.indices.back() * extent + index;
    else
      operand.indices.push_back(index);
    if (random.chance(15))
      operand.indices.insert(operand.indices.begin() +
                                 random.below(operand.indices.size() + 1),
                             b.getAffineConstantExpr(0));
  }
  return operand;
}

/// Let iterations access other elements, perhaps.
void Generator::disturb(Indexed &operand) {
  if (operand.indices.empty())
    return;
  AffineExpr &index = operand.indices[random.below(operand.indices.size())];
  switch (random.below(8)) {
  case 0:
    std::swap(index, operand.indices.back());
    break;
  case 1:
    index = index + random.range(1, 2);
    break;
  case 2:
    index = index * 2;
    break;
  case 3:
    index = b.getAffineConstantExpr(random.range(0, 1));
    break;
  case 4:
    operand.indices.push_back(index);
    break;
  case 5:
    index = index + operand.indices.back();
    break;
  case 6:
    operand.indices.erase(&index);
    break;
  default:
    index = index + 0;
    break;
  }
}

/// Return the type of elements one after the other of which the strides are not
/// known.
static MemRefType makeStridesUnknown(MemRefType type) {
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  if (!strides.empty())
    strides.back() = 1;
  return MemRefType::get(
      type.getShape(), type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), /*offset=*/0, strides));
}

/// Give `operand` a buffer of at least its elements, or a view of one, some of
/// whose sizes and strides are not known if `isDynamic`.
void Generator::makeView(Indexed &operand, bool isInput, unsigned choice,
                         bool isDynamic) {
  MemRefType type = MemRefType::get(operand.shape, operand.element);
  int64_t rank = type.getRank(), count = type.getNumElements();
  auto makeRoot = [&](ArrayRef<int64_t> shape) {
    MemRefType rootType = MemRefType::get(shape, operand.element);
    operand.mem = isInput ? makeFilled(rootType) : allocate(rootType);
    return operand.mem.value;
  };
  auto setView = [&](Value view) {
    operand.mem.value = view;
    operand.mem.whole = false;
    operand.mem.state = -1;
  };
  if (choice < 2 && rank > 0) {
    // The first of the elements of a row, or others.
    features.insert("indexed-reinterpreted");
    int64_t start = random.chance(70) ? 0 : 1;
    Value root = makeRoot({count + random.range(0, 2) + start});
    SmallVector<OpFoldResult> sizes, strides;
    int64_t stride = 1;
    for (int64_t extent : llvm::reverse(type.getShape())) {
      sizes.insert(sizes.begin(), b.getIndexAttr(extent));
      strides.insert(strides.begin(), b.getIndexAttr(stride));
      stride *= extent;
    }
    SmallVector<int64_t> numbers;
    for (OpFoldResult number : strides)
      numbers.push_back(*getConstantIntValue(number));
    auto layout = StridedLayoutAttr::get(&context, start, numbers);
    setView(make<memref::ReinterpretCastOp>(
        MemRefType::get(type.getShape(), operand.element, layout), root,
        OpFoldResult(b.getIndexAttr(start)), sizes, strides));
  } else if (choice < 6 && rank > 0) {
    // A part of more: rows, columns, or both; perhaps all of it.
    features.insert("indexed-part");
    SmallVector<int64_t> larger(type.getShape());
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(rank, b.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes;
    larger[random.chance(70) ? rank - 1 : 0] += random.range(0, 2);
    for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
      sizes.push_back(isDynamic ? OpFoldResult(makeIndex(extent))
                                : OpFoldResult(b.getIndexAttr(extent)));
      int64_t slack = larger[dim] - extent;
      if (slack > 0 && random.chance(30))
        offsets[dim] = b.getIndexAttr(random.range(0, slack));
    }
    Value root = makeRoot(larger);
    if (isDynamic) {
      features.insert("indexed-part-of-unknown");
      root = make<memref::CastOp>(
          MemRefType::get(SmallVector<int64_t>(rank, ShapedType::kDynamic),
                          operand.element),
          root);
    }
    setView(make<memref::SubViewOp>(root, offsets, sizes, strides));
  } else if (choice == 6 && rank > 1) {
    features.insert("indexed-expanded");
    Value root = makeRoot({count});
    ReassociationIndices all = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    setView(make<memref::ExpandShapeOp>(type, root, ArrayRef{all}));
  } else if (choice == 7) {
    features.insert("indexed-collapsed");
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), 1);
    Value root = makeRoot(shape);
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < rank; ++dim)
      groups.push_back({dim + 1});
    if (rank > 0)
      groups[0].insert(groups[0].begin(), 0);
    setView(make<memref::CollapseShapeOp>(root, groups));
  } else {
    makeRoot(type.getShape());
  }
  if (!isDynamic || rank == 0)
    return;
  // Some sizes or strides are not known.
  MemRefType known = operand.mem.getType();
  SmallVector<int64_t> shape(known.getShape());
  for (int64_t &extent : shape)
    if (random.chance(50))
      extent = ShapedType::kDynamic;
  MemRefType cast = MemRefType::get(shape, operand.element, known.getLayout());
  if (random.chance(30) && known.getLayout().isIdentity())
    cast = makeStridesUnknown(cast);
  if (cast != known && memref::CastOp::areCastCompatible(known, cast)) {
    features.insert("indexed-cast");
    setView(make<memref::CastOp>(cast, operand.mem.value));
  }
}

void Generator::genIndexed() {
  // Few elements, in up to three loops.
  static const int64_t choices[] = {1, 2, 2, 3, 3, 4};
  SmallVector<int64_t> extents;
  for (unsigned k = 0, e = random.range(1, 3); k < e; ++k)
    extents.push_back(choices[random.below(std::size(choices))]);
  auto pickElement = [&]() -> Type {
    static const unsigned widths[] = {8, 16, 32, 64};
    switch (random.below(6)) {
    case 0:
      return b.getF32Type();
    case 1:
      return b.getF64Type();
    case 2:
      return b.getIndexType();
    default:
      return b.getIntegerType(widths[random.below(4)]);
    }
  };
  Type element = pickElement();
  unsigned numInputs = random.chance(70) ? 1 : 2;
  unsigned numOutputs = random.chance(85) ? 1 : 2;
  bool isDisturbed = random.chance(50);
  SmallVector<Indexed> operands;
  for (unsigned k = 0; k < numInputs + numOutputs; ++k) {
    Indexed operand = makeIndexed(extents);
    if (isDisturbed && random.chance(60))
      disturb(operand);
    operand.element = random.chance(80) ? element : pickElement();
    operand.fitShape(extents);
    for (auto [index, size] : llvm::zip_equal(operand.indices, operand.shape))
      if (!isa<AffineDimExpr>(index) && random.chance(10))
        ++size;
    if (ShapedType::getNumElements(operand.shape) > 48)
      return genRead();
    operands.push_back(operand);
  }
  features.insert("indexed");
  // What is not known of one operand is often not known of the others.
  bool isDynamic = random.chance(40), isAlike = random.chance(60);
  unsigned form = random.below(isDynamic ? 8 : 12);
  for (auto [k, operand] : llvm::enumerate(operands)) {
    bool isInput = k < numInputs;
    // The same buffer once more, by other indices.
    if (k == 1 && isInput && random.chance(50) &&
        operand.shape.size() == operands[0].shape.size()) {
      operand.shape = operands[0].shape;
      operand.element = operands[0].element;
      operand.mem = operands[0].mem;
      operand.indices = operands[0].indices;
      if (llvm::all_equal(operand.shape))
        std::reverse(operand.indices.begin(), operand.indices.end());
      features.insert("indexed-twice");
      continue;
    }
    unsigned choice = isAlike ? form : random.below(12);
    makeView(operand, isInput, choice, isDynamic);
  }
  // Each loop is an index of its own somewhere.
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    AffineExpr index = b.getAffineDimExpr(loop);
    if (llvm::any_of(operands, [&](const Indexed &operand) {
          return llvm::is_contained(operand.indices, index);
        }))
      continue;
    Indexed range;
    range.indices = {index};
    range.shape = {extent};
    range.element = element;
    range.mem = makeFilled(MemRefType::get(range.shape, element));
    operands.insert(operands.begin() + numInputs, range);
    ++numInputs;
  }

  bool readsOut = random.chance(10);
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  for (Indexed &operand : operands) {
    if (readsOut && values.size() >= numInputs) {
      features.insert("indexed-reads-output");
      Indexed root = operand;
      fillElements(root.mem);
    }
    values.push_back(operand.mem.value);
    maps.push_back(
        AffineMap::get(extents.size(), 0, operand.indices, &context));
  }
  SmallVector<utils::IteratorType> iterators;
  for (size_t loop = 0; loop < extents.size(); ++loop) {
    bool isIndex =
        llvm::all_of(ArrayRef(maps).drop_front(numInputs),
                     [&](AffineMap map) { return map.isFunctionOfDim(loop); });
    iterators.push_back(isIndex ? utils::IteratorType::parallel
                                : utils::IteratorType::reduction);
  }
  int64_t constant = random.range(1, 9);
  auto makeBody = [&](OpBuilder &, Location, ValueRange arguments) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(arguments[0].getParentBlock());
    Value sum = makeInt(constant);
    size_t numRead = readsOut ? arguments.size() : numInputs;
    for (Value argument : arguments.take_front(numRead)) {
      Value scaled = make<arith::MulIOp>(sum, makeInt(31));
      sum = make<arith::AddIOp>(scaled, fromElement(argument));
    }
    SmallVector<Value> results;
    for (unsigned k = 0; k < numOutputs; ++k)
      results.push_back(toElement(operands[numInputs + k].element, sum));
    make<linalg::YieldOp>(results);
  };
  ValueRange all(values);
  make<linalg::GenericOp>(all.take_front(numInputs), all.drop_front(numInputs),
                          maps, iterators, makeBody);
  for (auto [k, operand] : llvm::enumerate(operands))
    record(operand.mem, /*write=*/k >= numInputs);

  // What it wrote, and nothing else, is read by the same indices.
  for (unsigned k = 0; k < numOutputs; ++k) {
    const Indexed &out = operands[numInputs + k];
    MemVal result = allocate(MemRefType::get(extents, b.getI64Type()));
    make<linalg::GenericOp>(
        ValueRange{out.mem.value}, ValueRange{result.value},
        ArrayRef{maps[numInputs + k], b.getMultiDimIdentityMap(extents.size())},
        SmallVector<utils::IteratorType>(extents.size(),
                                         utils::IteratorType::parallel),
        [&](OpBuilder &, Location, ValueRange arguments) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToEnd(arguments[0].getParentBlock());
          make<linalg::YieldOp>(fromElement(arguments[0]));
        });
    record(out.mem, /*write=*/false);
    record(result, /*write=*/true);
    setWritten(result);
    if (random.chance(70))
      read(result, /*all=*/true);
  }
  for (const Indexed &operand : operands) {
    int root = operand.mem.roots[0];
    if (roots[root].freed || !random.chance(85))
      continue;
    if (frees && canFree(root) && random.chance(80))
      free(root);
    else
      forget(root);
  }
}
