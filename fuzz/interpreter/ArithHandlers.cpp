//===- Interpretation of scalar operations -------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace buffer_merge::fuzz;

/// `fn` gets two operands and their width; all are zero-extended.
template <uint64_t (*fn)(uint64_t, uint64_t, unsigned)>
static void handleBinary(Step &s) {
  uint64_t value = fn(s.integer(0), s.integer(1), s.i.operandWidth);
  s.result().word[0] = truncate(value, s.i.resultWidth);
}

template <typename OpTy, uint64_t (*fn)(uint64_t, uint64_t, unsigned)>
static void addBinary(HandlerMap &map) {
  addHandler<OpTy>(map, handleBinary<fn>);
}

static uint64_t add(uint64_t a, uint64_t b, unsigned) { return a + b; }
static uint64_t sub(uint64_t a, uint64_t b, unsigned) { return a - b; }
static uint64_t mul(uint64_t a, uint64_t b, unsigned) { return a * b; }
static uint64_t bitAnd(uint64_t a, uint64_t b, unsigned) { return a & b; }
static uint64_t bitOr(uint64_t a, uint64_t b, unsigned) { return a | b; }
static uint64_t bitXor(uint64_t a, uint64_t b, unsigned) { return a ^ b; }
static uint64_t shl(uint64_t a, uint64_t b, unsigned w) {
  return b < w ? a << b : 0;
}
static uint64_t shrUI(uint64_t a, uint64_t b, unsigned w) {
  return b < w ? a >> b : 0;
}
static uint64_t shrSI(uint64_t a, uint64_t b, unsigned w) {
  return b < w ? signExtend(a, w) >> b : 0;
}
static uint64_t divUI(uint64_t a, uint64_t b, unsigned) {
  return b ? a / b : 0;
}
static uint64_t remUI(uint64_t a, uint64_t b, unsigned) {
  return b ? a % b : 0;
}
static uint64_t divSI(uint64_t a, uint64_t b, unsigned w) {
  int64_t divisor = signExtend(b, w);
  if (divisor == 0 || divisor == -1)
    return divisor == 0 ? 0 : -a;
  return signExtend(a, w) / divisor;
}
static uint64_t remSI(uint64_t a, uint64_t b, unsigned w) {
  int64_t divisor = signExtend(b, w);
  if (divisor == 0 || divisor == -1)
    return 0;
  return signExtend(a, w) % divisor;
}
static uint64_t floorDivSI(uint64_t a, uint64_t b, unsigned w) {
  int64_t x = signExtend(a, w), y = signExtend(b, w);
  if (y == 0 || y == -1)
    return y == 0 ? 0 : -a;
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}
static uint64_t ceilDivSI(uint64_t a, uint64_t b, unsigned w) {
  int64_t x = signExtend(a, w), y = signExtend(b, w);
  if (y == 0 || y == -1)
    return y == 0 ? 0 : -a;
  return x / y + (x % y != 0 && (x < 0) == (y < 0));
}
static uint64_t ceilDivUI(uint64_t a, uint64_t b, unsigned) {
  return b ? a / b + (a % b != 0) : 0;
}
static uint64_t minUI(uint64_t a, uint64_t b, unsigned) {
  return std::min(a, b);
}
static uint64_t maxUI(uint64_t a, uint64_t b, unsigned) {
  return std::max(a, b);
}
static uint64_t minSI(uint64_t a, uint64_t b, unsigned w) {
  return std::min(signExtend(a, w), signExtend(b, w));
}
static uint64_t maxSI(uint64_t a, uint64_t b, unsigned w) {
  return std::max(signExtend(a, w), signExtend(b, w));
}

void buffer_merge::fuzz::handleConstant(Step &s) { s.result() = s.i.constant; }

static void handleCmpI(Step &s) {
  uint64_t x = s.integer(0), y = s.integer(1);
  if (s.i.operandWidth == 64 && s.m.recorder)
    s.m.comparesFreed |=
        s.m.memory.isFreedAddress(x) || s.m.memory.isFreedAddress(y);
  s.result().word[0] = arith::applyCmpPredicate(
      cast<arith::CmpIOp>(s.i.op).getPredicate(), APInt(s.i.operandWidth, x),
      APInt(s.i.operandWidth, y));
}

static void handleMulUIExtended(Step &s) {
  unsigned width = s.i.operandWidth;
  llvm::APInt product = llvm::APInt(width, s.integer(0)).zext(2 * width) *
                        llvm::APInt(width, s.integer(1)).zext(2 * width);
  s.result(0).word[0] = product.trunc(width).getZExtValue();
  s.result(1).word[0] = product.lshr(width).trunc(width).getZExtValue();
}

static void handleSelect(Step &s) {
  unsigned selected = s.integer(0) ? 1 : 2;
  if (s.i.name.empty() || !isa<MemRefType>(s.i.op->getResult(0).getType())) {
    s.result() = s.operand(selected);
    return;
  }
  // A slot that stands for an allocation: what is in it belongs to an earlier
  // one.
  Descriptor descriptor = s.memref(selected);
  const Instance owner = s.m.memory.getInstance(descriptor.instance);
  descriptor.instance = s.m.memory.addSlice(descriptor.allocation, s.i.name,
                                            owner.begin, owner.end);
  s.setMemref(0, descriptor);
}

static void handleUnsignedCast(Step &s) {
  s.result().word[0] = truncate(s.integer(0), s.i.resultWidth);
}

void buffer_merge::fuzz::handleSignedCast(Step &s) {
  s.result().word[0] =
      truncate(signExtend(s.integer(0), s.i.operandWidth), s.i.resultWidth);
}

static uint64_t encode(double value, unsigned width) {
  if (width == 64)
    return llvm::bit_cast<uint64_t>(value);
  return llvm::bit_cast<uint32_t>(float(value));
}

static double decode(uint64_t bits, unsigned width) {
  if (width == 64)
    return llvm::bit_cast<double>(bits);
  return llvm::bit_cast<float>(uint32_t(bits));
}

static void handleSIToFP(Step &s) {
  int64_t value = signExtend(s.integer(0), s.i.operandWidth);
  s.result().word[0] = encode(value, s.i.resultWidth);
}

static void handleFPToSI(Step &s) {
  int64_t value = decode(s.integer(0), s.i.operandWidth);
  s.result().word[0] = truncate(value, s.i.resultWidth);
}

static void handleAddF(Step &s) {
  double value = decode(s.integer(0), s.i.operandWidth) +
                 decode(s.integer(1), s.i.operandWidth);
  s.result().word[0] = encode(value, s.i.resultWidth);
}

/// Copy `bytes` bytes from byte `from` of `source` to byte `to` of `target`.
static void copyBytes(Val &target, unsigned to, const Val &source,
                      unsigned from, unsigned bytes) {
  std::memcpy(reinterpret_cast<char *>(target.word) + to,
              reinterpret_cast<const char *>(source.word) + from, bytes);
}

static void handleParts(Step &s) {
  Val value;
  unsigned bytes = s.i.operandWidth / 8;
  for (unsigned part = 0; part < s.i.numOperands; ++part)
    copyBytes(value, part * bytes, s.operand(part), 0, bytes);
  s.result() = value;
}

template <unsigned part>
static void handleComplexPart(Step &s) {
  Val value;
  unsigned bytes = s.i.resultWidth / 8;
  copyBytes(value, 0, s.operand(0), part * bytes, bytes);
  s.result() = value;
}

static void handleBroadcast(Step &s) {
  Val value;
  unsigned bytes = s.i.operandWidth / 8;
  for (unsigned to = 0; to + bytes <= s.i.elementBytes; to += bytes)
    copyBytes(value, to, s.operand(0), 0, bytes);
  s.result() = value;
}

static void handleExtract(Step &s) {
  auto op = cast<vector::ExtractOp>(s.i.op);
  Val value;
  unsigned bytes = s.i.resultWidth / 8;
  if (op.getStaticPosition().size() != 1 || op.hasDynamicPosition())
    return s.fail("vector.extract of this form is not known");
  copyBytes(value, 0, s.operand(0), op.getStaticPosition()[0] * bytes, bytes);
  s.result() = value;
}

/// The mask of a vector of one dimension: a bit for each element.
static void handleConstantMask(Step &s) {
  auto op = cast<vector::ConstantMaskOp>(s.i.op);
  ArrayRef<int64_t> sizes = op.getMaskDimSizes();
  if (sizes.size() != 1 || sizes[0] >= 64)
    return s.fail("vector.constant_mask of this form is not known");
  Val value;
  value.word[0] = (uint64_t(1) << sizes[0]) - 1;
  s.result() = value;
}

static void handleTransferWrite(Step &s) {
  auto op = cast<vector::TransferWriteOp>(s.i.op);
  Descriptor &memref = s.memref(1);
  if (memref.rank != 1 || !op.getPermutationMap().isIdentity() ||
      op.hasOutOfBoundsDim())
    return s.fail("vector.transfer_write of this form is not known");
  // The vector, the memref, one index, the mask.
  constexpr unsigned maskOperand = 3;
  uint64_t mask = op.getMask() ? s.operand(maskOperand).word[0] : ~uint64_t(0);
  unsigned bytes = memref.elementBytes;
  for (int64_t k = 0, e = op.getVectorType().getNumElements(); k < e; ++k) {
    Val element;
    copyBytes(element, 0, s.operand(0), k * bytes, bytes);
    if (mask >> k & 1)
      s.m.memory.write(memref, s.integer(2) + k, bytes, element);
  }
}

/// Evaluate `expr` without recursion worth mentioning: the maps are small.
static int64_t evaluateExpr(AffineExpr expr, ArrayRef<int64_t> dims,
                            ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluateExpr(binary.getLHS(), dims, symbols);
  int64_t rhs = evaluateExpr(binary.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::Mod:
    return rhs > 0 ? llvm::mod(lhs, rhs) : 0;
  case AffineExprKind::FloorDiv:
    return rhs != 0 ? llvm::divideFloorSigned(lhs, rhs) : 0;
  case AffineExprKind::CeilDiv:
    return rhs != 0 ? llvm::divideCeilSigned(lhs, rhs) : 0;
  default:
    return 0;
  }
}

SmallVector<int64_t, 4>
buffer_merge::fuzz::evaluateMap(AffineMap map, ArrayRef<int64_t> operands) {
  SmallVector<int64_t, 4> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(evaluateExpr(expr, operands.take_front(map.getNumDims()),
                                   operands.drop_front(map.getNumDims())));
  return results;
}

bool buffer_merge::fuzz::evaluateSet(IntegerSet set,
                                     ArrayRef<int64_t> operands) {
  for (unsigned i = 0, e = set.getNumConstraints(); i < e; ++i) {
    int64_t value = evaluateExpr(set.getConstraint(i),
                                 operands.take_front(set.getNumDims()),
                                 operands.drop_front(set.getNumDims()));
    if (set.isEq(i) ? value != 0 : value < 0)
      return false;
  }
  return true;
}

enum class Reduction { None, Min, Max };

template <typename OpTy, Reduction reduction>
static void handleAffineMap(Step &s) {
  SmallVector<int64_t, 4> results =
      evaluateMap(cast<OpTy>(s.i.op).getAffineMap(), s.getIntegers());
  int64_t value = results.front();
  for (int64_t other : results) {
    if (reduction == Reduction::Min)
      value = std::min(value, other);
    if (reduction == Reduction::Max)
      value = std::max(value, other);
  }
  s.result().word[0] = value;
}

void buffer_merge::fuzz::addArithHandlers(HandlerMap &map) {
  addHandler<arith::ConstantOp, complex::ConstantOp, ub::PoisonOp>(
      map, handleConstant);
  addBinary<arith::AddIOp, add>(map);
  addBinary<arith::SubIOp, sub>(map);
  addBinary<arith::MulIOp, mul>(map);
  addHandler<arith::MulUIExtendedOp>(map, handleMulUIExtended);
  addBinary<arith::AndIOp, bitAnd>(map);
  addBinary<arith::OrIOp, bitOr>(map);
  addBinary<arith::XOrIOp, bitXor>(map);
  addBinary<arith::ShLIOp, shl>(map);
  addBinary<arith::ShRUIOp, shrUI>(map);
  addBinary<arith::ShRSIOp, shrSI>(map);
  addBinary<arith::DivUIOp, divUI>(map);
  addBinary<arith::RemUIOp, remUI>(map);
  addBinary<arith::DivSIOp, divSI>(map);
  addBinary<arith::RemSIOp, remSI>(map);
  addBinary<arith::FloorDivSIOp, floorDivSI>(map);
  addBinary<arith::CeilDivSIOp, ceilDivSI>(map);
  addBinary<arith::CeilDivUIOp, ceilDivUI>(map);
  addBinary<arith::MinUIOp, minUI>(map);
  addBinary<arith::MaxUIOp, maxUI>(map);
  addBinary<arith::MinSIOp, minSI>(map);
  addBinary<arith::MaxSIOp, maxSI>(map);
  addHandler<arith::CmpIOp>(map, handleCmpI);
  addHandler<arith::SelectOp>(map, handleSelect);
  addHandler<arith::ExtUIOp, arith::TruncIOp, arith::IndexCastUIOp,
             arith::BitcastOp>(map, handleUnsignedCast);
  addHandler<arith::ExtSIOp, arith::IndexCastOp>(map, handleSignedCast);
  addHandler<arith::SIToFPOp>(map, handleSIToFP);
  addHandler<arith::FPToSIOp>(map, handleFPToSI);
  addHandler<arith::AddFOp>(map, handleAddF);
  addHandler<complex::CreateOp>(map, handleParts);
  addHandler<complex::ReOp>(map, handleComplexPart<0>);
  addHandler<complex::ImOp>(map, handleComplexPart<1>);
  addHandler<vector::FromElementsOp>(map, handleParts);
  addHandler<vector::BroadcastOp>(map, handleBroadcast);
  addHandler<vector::ExtractOp>(map, handleExtract);
  addHandler<vector::ConstantMaskOp>(map, handleConstantMask);
  addHandler<vector::TransferWriteOp>(map, handleTransferWrite);
  addHandler<affine::AffineApplyOp>(
      map, handleAffineMap<affine::AffineApplyOp, Reduction::None>);
  addHandler<affine::AffineMinOp>(
      map, handleAffineMap<affine::AffineMinOp, Reduction::Min>);
  addHandler<affine::AffineMaxOp>(
      map, handleAffineMap<affine::AffineMaxOp, Reduction::Max>);
}
