//===- SizePolynomial.cpp - Sizes in terms of others ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/SizePolynomial.h"
#include "Analysis/BufferSize.h"
#include "Analysis/KnownRange.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

/// What is larger would make sums of coefficients wrap around.
static constexpr int64_t maxCoefficient = int64_t(1) << 40;
static constexpr size_t maxTerms = 8;
static constexpr size_t maxDegree = 6;

using Result = std::optional<SizePolynomial>;

static SizePolynomial makeConstant(int64_t value) {
  return value == 0 ? SizePolynomial() : SizePolynomial{{{}, value}};
}

static Result add(const Result &a, const Result &b) {
  if (!a || !b)
    return std::nullopt;
  SizePolynomial sum = *a;
  for (const auto &[product, coefficient] : *b)
    if ((sum[product] += coefficient) > maxCoefficient)
      return std::nullopt;
  if (sum.size() > maxTerms)
    return std::nullopt;
  return sum;
}

static Result multiply(const Result &a, const Result &b) {
  if (!a || !b)
    return std::nullopt;
  Result all = SizePolynomial();
  for (const auto &[productA, coefficientA] : *a)
    for (const auto &[productB, coefficientB] : *b) {
      std::vector<unsigned> product = productA;
      product.insert(product.end(), productB.begin(), productB.end());
      int64_t coefficient;
      if (product.size() > maxDegree ||
          llvm::MulOverflow(coefficientA, coefficientB, coefficient) ||
          coefficient > maxCoefficient)
        return std::nullopt;
      llvm::sort(product);
      all = add(all, SizePolynomial{{product, coefficient}});
      if (!all)
        return std::nullopt;
    }
  return all;
}

SizePolynomial SizePolynomials::makeSymbol(Value value) {
  auto addSymbol = [&] {
    symbols.push_back(value);
    return symbols.size() - 1;
  };
  if (auto dim = value.getDefiningOp<memref::DimOp>())
    if (std::optional<int64_t> index = dim.getConstantIndex()) {
      auto [it, isNew] = dimensionOf.try_emplace({dim.getSource(), *index}, 0);
      if (isNew)
        it->second = addSymbol();
      return {{{it->second}, 1}};
    }
  auto [it, isNew] = symbolOf.try_emplace(value, 0);
  if (isNew)
    it->second = addSymbol();
  return {{{it->second}, 1}};
}

/// Return the value of `expr`, whose dimensions and symbols are `operands`;
/// nothing if it is no sum of products, or may be negative.
static Result getValue(AffineExpr expr, unsigned numDims,
                       ArrayRef<Result> operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() < 0 ? Result()
                                   : makeConstant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() != AffineExprKind::Add &&
      expr.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  Result left = getValue(binary.getLHS(), numDims, operands);
  Result right = getValue(binary.getRHS(), numDims, operands);
  return expr.getKind() == AffineExprKind::Add ? add(left, right)
                                               : multiply(left, right);
}

static bool isNotNegative(Value value) {
  if (value.getDefiningOp<ShapedDimOpInterface>() ||
      isMutated("R9-parts-are-not-negative"))
    return true;
  auto identity = AffineMap::getMultiDimIdentityMap(1, value.getContext());
  return value.getType().isIndex() &&
         computeRange(identity, value).lower.value_or(-1) >= 0;
}

Result SizePolynomials::get(Value value, unsigned depth) {
  constexpr unsigned maxDepth = 16;
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  Result result;
  if (std::optional<int64_t> constant = getConstantIntValue(value)) {
    if (*constant >= 0 && *constant <= maxCoefficient)
      result = makeConstant(*constant);
    known[value] = result;
    return result;
  }
  Operation *op = value.getDefiningOp();
  auto getOperand = [&](Value operand) { return get(operand, depth + 1); };
  if (op && depth < maxDepth) {
    if (isa<arith::AddIOp, arith::MulIOp>(op)) {
      // Symbols are numbered in the order in which they are met.
      Result left = getOperand(op->getOperand(0));
      Result right = getOperand(op->getOperand(1));
      result =
          isa<arith::AddIOp>(op) ? add(left, right) : multiply(left, right);
    } else if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
      SmallVector<Result> operands =
          llvm::map_to_vector(apply.getMapOperands(), getOperand);
      result = getValue(apply.getAffineMap().getResult(0),
                        apply.getAffineMap().getNumDims(), operands);
    } else if (auto dim = dyn_cast<memref::DimOp>(op)) {
      Value source = dim.getSource();
      while (auto cast = source.getDefiningOp<memref::CastOp>())
        source = cast.getSource();
      auto alloc = source.getDefiningOp<memref::AllocOp>();
      std::optional<int64_t> index = dim.getConstantIndex();
      if (alloc && index && *index >= 0 && *index < alloc.getType().getRank()) {
        MemRefType type = alloc.getType();
        result =
            type.isDynamicDim(*index)
                ? getSize(
                      alloc.getDynamicSizes()[type.getDynamicDimIndex(*index)],
                      depth + 1)
                : makeConstant(type.getDimSize(*index));
      }
    }
  }
  // What is a part of a size may be negative although the size is not.
  if (!result && isNotNegative(value))
    result = makeSymbol(value);
  known[value] = result;
  return result;
}

SizePolynomial SizePolynomials::getSize(Value size, unsigned depth) {
  // What computes no sum or product is a symbol, and a size is not negative.
  Operation *op = size.getDefiningOp();
  if (!isa_and_present<arith::AddIOp, arith::MulIOp, affine::AffineApplyOp,
                       memref::DimOp>(op) &&
      !getConstantIntValue(size))
    return makeSymbol(size);
  Result result = get(size, depth);
  return result ? *result : makeSymbol(size);
}

const Result &SizePolynomials::getBytes(memref::AllocOp alloc,
                                        const DataLayout &layout) {
  auto [it, isNew] = bytesOf.try_emplace(alloc);
  if (isNew)
    it->second = computeBytes(alloc, layout);
  return it->second;
}

std::optional<int64_t>
SizePolynomials::getFixedBytes(MemRefType type, const DataLayout &layout) {
  auto [it, isNew] = fixedBytes.try_emplace({type, &layout});
  if (!isNew)
    return it->second;
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = 1;
  auto fixed =
      computeBufferSize(MemRefType::get(shape, type.getElementType()), layout);
  if (auto *size = std::get_if<BufferSize>(&fixed);
      size && size->bytes <= maxCoefficient)
    it->second = size->bytes;
  return it->second;
}

Result SizePolynomials::computeBytes(memref::AllocOp alloc,
                                     const DataLayout &layout) {
  MemRefType type = alloc.getType();
  if (!type.getLayout().isIdentity() || !alloc.getSymbolOperands().empty())
    return std::nullopt;
  std::optional<int64_t> fixed = getFixedBytes(type, layout);
  if (!fixed)
    return std::nullopt;
  Result bytes = makeConstant(*fixed);
  for (Value dynamic : alloc.getDynamicSizes())
    bytes = multiply(bytes, getSize(dynamic, /*depth=*/0));
  return bytes;
}

bool SizePolynomials::isAvailable(Value value, Operation *place,
                                  DominanceInfo &dominance) {
  constexpr unsigned maxOps = 16;
  SmallVector<Value> worklist = {value};
  for (unsigned i = 0; i < worklist.size(); ++i) {
    Value next = worklist[i];
    if (dominance.properlyDominates(next, place))
      continue;
    Operation *op = next.getDefiningOp();
    if (!op || op->getNumRegions() != 0 || !isPure(op) || i >= maxOps)
      return false;
    llvm::append_range(worklist, op->getOperands());
  }
  return true;
}
