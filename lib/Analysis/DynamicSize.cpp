//===- DynamicSize.cpp - Sizes known at run time --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Analysis/DynamicSize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace buffer_merge;

using Variable = ValueBoundsConstraintSet::Variable;

/// Return true if MLIR would compose more than a few dozen affine maps to find
/// the constraints of `value`: each operand's map as often as it is used, which
/// may be exponentially often.
static bool composesManyMaps(Value value) {
  constexpr unsigned maxMaps = 32;
  unsigned numMaps = 0;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    auto apply = worklist.pop_back_val().getDefiningOp<affine::AffineApplyOp>();
    if (!apply)
      continue;
    if (++numMaps > maxMaps)
      return true;
    llvm::append_range(worklist, apply.getMapOperands());
  }
  return false;
}

/// Stops the search for constraints after a few values: what it costs to solve
/// them grows faster than their number.
static ValueBoundsConstraintSet::StopConditionFn stopSoon() {
  return [count = 0u](Value value, std::optional<int64_t>,
                      ValueBoundsConstraintSet &) mutable {
    constexpr unsigned maxValues = 16;
    return ++count > maxValues || composesManyMaps(value);
  };
}

namespace {
/// Compares values without looking further than `stopSoon` does.
class Comparison : public ValueBoundsConstraintSet {
public:
  explicit Comparison(MLIRContext *context)
      : ValueBoundsConstraintSet(context, stopSoon()) {}
};
} // namespace

DynamicSizes::Bounds DynamicSizes::getBounds(Value size) {
  auto [it, isNew] = bounds.try_emplace(size);
  Bounds &result = it->second;
  if (!isNew)
    return result;
  MLIRContext *context = size.getContext();
  auto isProved = [&](ValueBoundsConstraintSet::ComparisonOperator comparison,
                      int64_t bound) {
    // The solver's numbers have as many bits as they need; a bound that does
    // not fit 64 comes back as another number.
    OpFoldResult constant = Builder(context).getIndexAttr(bound);
    return Comparison(context).populateAndCompare(Variable(size), comparison,
                                                  Variable(constant));
  };
  FailureOr<int64_t> upper = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, Variable(size), stopSoon(),
      /*closedUB=*/true);
  if (succeeded(upper) && isProved(ValueBoundsConstraintSet::LE, *upper))
    result.upper = *upper;
  FailureOr<int64_t> lower = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::LB, Variable(size), stopSoon());
  if (succeeded(lower) && *lower > 0 &&
      isProved(ValueBoundsConstraintSet::GE, *lower))
    result.lower = *lower;
  return result;
}

std::variant<BufferSize, UnmergeableReason>
DynamicSizes::computeBound(memref::AllocOp alloc, const DataLayout &layout,
                           int64_t maxWaste) {
  MemRefType type = alloc.getType();
  // Strides may depend on the sizes.
  if (!type.getLayout().isIdentity())
    return UnmergeableReason::Layout;
  SmallVector<int64_t> upperShape(type.getShape()), lowerShape = upperShape;
  unsigned numDynamic = 0;
  for (auto [upper, lower] : llvm::zip_equal(upperShape, lowerShape)) {
    if (!ShapedType::isDynamic(upper))
      continue;
    Bounds known = getBounds(alloc.getDynamicSizes()[numDynamic++]);
    if (!known.upper || *known.upper < known.lower)
      return UnmergeableReason::DynamicShape;
    upper = *known.upper;
    lower = known.lower;
  }
  auto computeSize = [&](ArrayRef<int64_t> shape) {
    return computeBufferSize(MemRefType::get(shape, type.getElementType()),
                             layout);
  };
  std::variant<BufferSize, UnmergeableReason> most = computeSize(upperShape);
  if (std::holds_alternative<UnmergeableReason>(most))
    return most;
  // No dimension is larger than above.
  auto least = std::get<BufferSize>(computeSize(lowerShape));
  if (std::get<BufferSize>(most).bytes - least.bytes > maxWaste)
    return UnmergeableReason::WastefulBound;
  return most;
}

bool DynamicSizes::areEqual(memref::AllocOp a, memref::AllocOp b) {
  if (a.getType() != b.getType())
    return false;
  for (auto [sizeA, sizeB] :
       llvm::zip_equal(a.getDynamicSizes(), b.getDynamicSizes())) {
    if (sizeA == sizeB)
      continue;
    // Those that are not the same values are rarely equal, and there may be
    // many of them.
    constexpr size_t maxQuestions = 256;
    auto it = equalities.find({sizeA, sizeB});
    if (it == equalities.end() && equalities.size() >= maxQuestions)
      return false;
    if (it == equalities.end()) {
      bool isEqual =
          Comparison(a.getContext())
              .populateAndCompare(Variable(sizeA), ValueBoundsConstraintSet::EQ,
                                  Variable(sizeB));
      it = equalities.try_emplace({sizeA, sizeB}, isEqual).first;
    }
    if (!it->second)
      return false;
  }
  return true;
}
