//===- Generated operations of linalg -------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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

/// An operation of linalg before it is made.
struct Generator::Elementwise {
  enum Kind { Generic, Map, Add };

  Elementwise(Generator &generator, const MemVal &in);
  AffineMap getMap(ArrayRef<unsigned> loops) const;
  /// Return true if a buffer that it reads may be `root`.
  bool reads(int root) const;

  MLIRContext *context;
  const char *name = "linalg-elementwise";
  Kind kind = Generic;
  MemVal in;
  SmallVector<MemVal> others;
  /// What the output is: its shape and elements; part of a larger buffer.
  SmallVector<int64_t> shape;
  Type element;
  bool isPart = false;
  bool readsOut = false;
  /// The loops of the operation, and those that index the operands.
  SmallVector<utils::IteratorType> iterators;
  SmallVector<unsigned> all;
  SmallVector<unsigned> inLoops;
  SmallVector<SmallVector<unsigned>> otherLoops;
  SmallVector<unsigned> outLoops;
};

Generator::Elementwise::Elementwise(Generator &generator, const MemVal &in)
    : context(&generator.context), in(in), shape(in.getType().getShape()),
      element(in.getType().getElementType()),
      iterators(shape.size(), utils::IteratorType::parallel),
      all(llvm::to_vector(llvm::seq<unsigned>(0, shape.size()))), inLoops(all),
      outLoops(all) {}

AffineMap Generator::Elementwise::getMap(ArrayRef<unsigned> loops) const {
  SmallVector<AffineExpr> exprs;
  for (unsigned loop : loops)
    exprs.push_back(getAffineDimExpr(loop, context));
  return AffineMap::get(iterators.size(), 0, exprs, context);
}

bool Generator::Elementwise::reads(int root) const {
  auto isOf = [&](const MemVal &mem) {
    return llvm::is_contained(mem.roots, root);
  };
  return isOf(in) || llvm::any_of(others, isOf);
}

bool Generator::isElementwiseInput(const MemVal &mem) {
  MemRefType type = mem.getType();
  return type && canRead(mem) && type.hasStaticShape() &&
         type.getNumElements() > 0 && type.getRank() <= 3 &&
         isDense(type.getElementType());
}

MemVal Generator::pickElementwiseInput() {
  auto found = pick([&](const MemVal &mem) { return isElementwiseInput(mem); });
  if (found && random.chance(75))
    return *found;
  static const int64_t extents[] = {2, 3, 4, 4};
  int64_t extent = extents[random.below(std::size(extents))];
  SmallVector<int64_t> shape(random.range(1, 2), extent);
  static const unsigned widths[] = {8, 16, 32, 32, 64};
  Type element = random.chance(30) ? Type(b.getF32Type())
                                   : b.getIntegerType(widths[random.below(5)]);
  return makeFilled(MemRefType::get(shape, element));
}

/// What iterations read and write; mostly the same element.
void Generator::chooseElementwise(Elementwise &e) {
  MemRefType type = e.in.getType();
  int64_t rank = type.getRank();
  switch (random.below(16)) {
  case 0:
    e.name = "linalg-permuted";
    std::reverse(e.inLoops.begin(), e.inLoops.end());
    std::reverse(e.outLoops.begin(), e.outLoops.end());
    break;
  case 1:
  case 2:
    e.name = "linalg-transposed";
    std::reverse(e.inLoops.begin(), e.inLoops.end());
    std::reverse(e.shape.begin(), e.shape.end());
    break;
  case 3:
    chooseBroadcast(e);
    break;
  case 4:
    if (rank == 0)
      break;
    e.name = "linalg-reduction";
    e.readsOut = true;
    e.shape.pop_back();
    e.outLoops.pop_back();
    e.iterators.back() = utils::IteratorType::reduction;
    break;
  case 5:
    e.name = "linalg-reads-output";
    e.readsOut = true;
    break;
  case 6:
    e.name = "linalg-other-type";
    e.element = random.chance(50) ? Type(b.getI32Type()) : b.getF32Type();
    break;
  case 7:
    // The operand itself once more, and perhaps not the same element.
    e.name = "linalg-operand-twice";
    e.others.push_back(e.in);
    e.otherLoops.push_back(e.all);
    if (llvm::all_equal(type.getShape()))
      std::reverse(e.otherLoops[0].begin(), e.otherLoops[0].end());
    break;
  case 8:
  case 9:
    e.name = "linalg-two-operands";
    if (auto other = pick([&](const MemVal &mem) {
          return isElementwiseInput(mem) &&
                 mem.getType().getShape() == type.getShape();
        })) {
      e.others.push_back(*other);
      e.otherLoops.push_back(e.all);
    }
    break;
  case 10:
    e.isPart = rank != 0;
    e.name = e.isPart ? "linalg-into-part" : e.name;
    break;
  case 11:
    if (rank == 0 || !type.getLayout().isIdentity())
      break;
    // Behind the bytes that the result might have.
    e.name = "linalg-from-part";
    e.shape[0] = std::max<int64_t>(e.shape[0] / 2, 1);
    e.in.value =
        makePart(b, loc, e.in.value, type.getDimSize(0) - e.shape[0], e.shape);
    e.in.whole = false;
    break;
  case 12:
    e.kind = Elementwise::Map;
    e.name = "linalg.map";
    break;
  case 13:
    e.kind = Elementwise::Add;
    e.name = "linalg.add";
    break;
  default:
    break;
  }
}

void Generator::chooseBroadcast(Elementwise &e) {
  e.name = "linalg-broadcast";
  unsigned rank = e.all.size();
  int64_t extent = random.range(1, 3);
  bool isFirst = random.chance(50);
  e.shape.insert(isFirst ? e.shape.begin() : e.shape.end(), extent);
  e.iterators.push_back(utils::IteratorType::parallel);
  e.outLoops.push_back(rank);
  if (isFirst)
    for (unsigned &loop : e.inLoops)
      ++loop;
}

MemVal Generator::makeElementwiseOutput(const Elementwise &e) {
  MemRefType type = MemRefType::get(e.shape, e.element);
  auto reused = pick([&](const MemVal &mem) {
    return mem.value.getType() == type && canTouch(mem, /*write=*/true) &&
           llvm::none_of(mem.roots, [&](int root) { return e.reads(root); });
  });
  if (e.isPart) {
    // The rest is never written.
    SmallVector<int64_t> larger(e.shape);
    int64_t start = random.range(0, 2);
    larger[0] += 2;
    MemVal out = allocate(MemRefType::get(larger, e.element));
    out.value = makePart(b, loc, out.value, start, e.shape);
    out.state = -1;
    out.whole = false;
    scope.mems.push_back(out);
    return out;
  }
  return reused && random.chance(20) ? *reused : allocate(type);
}

void Generator::makeElementwise(const Elementwise &e, ValueRange inputs,
                                Value out, int64_t constant) {
  SmallVector<AffineMap> maps = {e.getMap(e.inLoops)};
  for (ArrayRef<unsigned> loops : e.otherLoops)
    maps.push_back(e.getMap(loops));
  maps.push_back(e.getMap(e.outLoops));
  auto makeBody = [&](OpBuilder &, Location, ValueRange arguments) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(arguments[0].getParentBlock());
    size_t numRead = inputs.size() + e.readsOut;
    Value sum = makeInt(constant);
    for (Value argument : arguments.take_front(numRead)) {
      Value scaled = make<arith::MulIOp>(sum, makeInt(31));
      sum = make<arith::AddIOp>(scaled, fromElement(argument));
    }
    make<linalg::YieldOp>(toElement(e.element, sum));
  };
  if (e.kind == Elementwise::Map)
    make<linalg::MapOp>(inputs, out, makeBody);
  else if (e.kind == Elementwise::Add)
    make<linalg::AddOp>(ValueRange{inputs[0], inputs[0]}, ValueRange{out});
  else
    make<linalg::GenericOp>(inputs, ValueRange{out}, maps, e.iterators,
                            makeBody);
}

/// Let a function do it, or one that it calls: in place, in a buffer of its
/// own, or twice.
void Generator::callElementwise(const Elementwise &e, ValueRange inputs,
                                Value out, int64_t constant) {
  SmallVector<Value> operands(inputs);
  operands.push_back(out);
  auto type = b.getFunctionType(TypeRange(ValueRange(operands)), {});
  func::FuncOp callee;
  unsigned depth = random.range(1, 2);
  auto outerConstants = std::exchange(constants, {});
  Block *outerEntry = entryBlock;
  for (unsigned k = 0; k < depth; ++k) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module->getBody());
    func::FuncOp inner = callee;
    callee = make<func::FuncOp>("e" + std::to_string(numOutlined++), type);
    if (random.chance(70))
      callee.setPrivate();
    entryBlock = callee.addEntryBlock();
    constants.clear();
    b.setInsertionPointToEnd(entryBlock);
    ValueRange arguments = entryBlock->getArguments();
    ValueRange ins = arguments.drop_back();
    Value result = arguments.back();
    switch (inner ? 4 : random.below(4)) {
    case 0: {
      features.insert("outlined-buffer");
      MemRefType own = MemRefType::get(e.shape, e.element);
      Value buffer = random.chance(50) ? Value(make<memref::AllocOp>(own))
                                       : Value(make<memref::AllocaOp>(own));
      if (e.readsOut)
        make<memref::CopyOp>(result, buffer);
      makeElementwise(e, ins, buffer, constant);
      make<memref::CopyOp>(buffer, result);
      if (frees && buffer.getDefiningOp<memref::AllocOp>())
        make<memref::DeallocOp>(buffer);
      break;
    }
    case 1:
      features.insert("outlined-twice");
      makeElementwise(e, ins, result, constant);
      makeElementwise(e, ins, result, constant);
      break;
    case 4:
      features.insert("outlined-deep");
      make<func::CallOp>(inner, arguments);
      break;
    default:
      features.insert("outlined");
      makeElementwise(e, ins, result, constant);
    }
    make<func::ReturnOp>();
  }
  constants = std::move(outerConstants);
  entryBlock = outerEntry;
  make<func::CallOp>(callee, operands);
}

void Generator::genElementwise() { genElementwiseOf(pickElementwiseInput()); }

void Generator::genElementwiseOf(const MemVal &in) {
  Elementwise e(*this, in);
  chooseElementwise(e);
  if (ShapedType::getNumElements(e.shape) > 64)
    return genRead();
  features.insert(e.name);
  MemVal out = makeElementwiseOutput(e);
  if (e.readsOut)
    fill(out);
  SmallVector<Value> inputs = {e.in.value};
  for (const MemVal &other : e.others)
    inputs.push_back(other.value);
  int64_t constant = random.range(1, 9);
  if (random.chance(30))
    callElementwise(e, inputs, out.value, constant);
  else
    makeElementwise(e, inputs, out.value, constant);
  record(e.in, /*write=*/false);
  for (const MemVal &other : e.others)
    record(other, /*write=*/false);
  record(out, /*write=*/true);
  setWritten(out);
  int root = e.in.roots[0];
  if (random.chance(75)) {
    if (e.in.roots.size() == 1 && frees && canFree(root) && random.chance(80))
      free(root);
    else
      forget(root);
  }
  if (random.chance(60) && canRead(out))
    read(out, /*all=*/true);
}
