//===- ThreadValues.cpp - The numbers that threads compute ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/ThreadValues.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// Workgroups
//===----------------------------------------------------------------------===//

/// Return the sizes that are constant and not 0.
static BlockSize getConstants(gpu::KernelDim3 operands) {
  BlockSize size;
  std::array<Value, 3> values = {operands.x, operands.y, operands.z};
  for (auto [dimension, operand] : llvm::zip_equal(size, values))
    if (std::optional<int64_t> number = getConstantIntValue(operand);
        number && *number > 0)
      dimension = number;
  return size;
}

BlockSize buffer_merge::findBlockSize(Region &kernel,
                                      const KernelLaunches *launches) {
  BlockSize size;
  auto set = [&](ArrayRef<int32_t> known) {
    if (known.size() == size.size())
      for (auto [dimension, number] : llvm::zip_equal(size, known))
        if (number > 0)
          dimension = number;
  };
  Operation *op = kernel.getParentOp();
  if (auto launch = dyn_cast<gpu::LaunchOp>(op))
    return getConstants(launch.getBlockSizeOperandValues());
  auto function = dyn_cast<gpu::GPUFuncOp>(op);
  if (!function) {
    if (auto known = op->getAttrOfType<DenseI32ArrayAttr>(
            gpu::GPUDialect::KnownBlockSizeAttrHelper::getNameStr()))
      set(known);
    return size;
  }
  if (std::optional<ArrayRef<int32_t>> known = function.getKnownBlockSize()) {
    set(*known);
    return size;
  }
  if (!launches || !launches->check(function).empty())
    return size;
  gpu::LaunchFuncOp first = launches->lookup(function).front();
  size = getConstants(first.getBlockSizeOperandValues());
  for (gpu::LaunchFuncOp launch : launches->lookup(function))
    for (auto [dimension, other] : llvm::zip_equal(
             size, getConstants(launch.getBlockSizeOperandValues())))
      if (dimension != other)
        dimension.reset();
  return size;
}

/// Return which dimension of an `IdOp` `value` is, or of what a launch passes
/// to its body, of those that `get` returns.
template <typename IdOp>
static std::optional<unsigned>
findDimension(Value value, gpu::KernelDim3 (gpu::LaunchOp::*get)()) {
  if (auto id = value.getDefiningOp<IdOp>())
    return unsigned(id.getDimension());
  auto argument = dyn_cast<BlockArgument>(value);
  auto launch =
      argument
          ? dyn_cast_or_null<gpu::LaunchOp>(argument.getOwner()->getParentOp())
          : gpu::LaunchOp();
  if (!launch)
    return std::nullopt;
  gpu::KernelDim3 all = (launch.*get)();
  std::array<Value, 3> values = {all.x, all.y, all.z};
  const auto *it = llvm::find(values, value);
  return it == values.end() ? std::nullopt
                            : std::optional<unsigned>(it - values.begin());
}

std::optional<unsigned> ThreadValues::getThreadDimension(Value value) {
  return findDimension<gpu::ThreadIdOp>(value, &gpu::LaunchOp::getThreadIds);
}

std::optional<unsigned> ThreadValues::getBlockDimension(Value value) {
  return findDimension<gpu::BlockDimOp>(value, &gpu::LaunchOp::getBlockSize);
}

/// More threads than any device has in a workgroup.
static constexpr int64_t maxLanes = 4096;

ThreadValues::ThreadValues(const BlockSize &blockSize, int64_t &budget)
    : size(blockSize), budget(budget) {
  int64_t lanes = 1;
  for (std::optional<int64_t> dimension : size)
    lanes *= std::min(dimension.value_or(1), maxLanes + 1);
  if (lanes <= maxLanes)
    numLanes = lanes;
  else
    size = BlockSize();
}

ThreadValues::Lanes ThreadValues::computeId(unsigned dimension) const {
  if (!size[dimension])
    return {{0}, /*isOfFirst=*/true};
  int64_t stride = 1;
  for (unsigned lower = 0; lower < dimension; ++lower)
    stride *= size[lower].value_or(1);
  Lanes lanes;
  lanes.numbers.resize(numLanes);
  for (auto [lane, number] : llvm::enumerate(lanes.numbers))
    number = int64_t(lane) / stride % *size[dimension];
  return lanes;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static std::optional<int64_t>
evaluate(AffineExpr expr, ArrayRef<int64_t> operands, unsigned numDims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> lhs = evaluate(binary.getLHS(), operands, numDims);
  std::optional<int64_t> rhs = evaluate(binary.getRHS(), operands, numDims);
  if (!lhs || !rhs)
    return std::nullopt;
  bool isDivision = expr.getKind() != AffineExprKind::Add &&
                    expr.getKind() != AffineExprKind::Mul;
  if (isDivision && *rhs <= 0)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return llvm::checkedAdd(*lhs, *rhs);
  case AffineExprKind::Mul:
    return llvm::checkedMul(*lhs, *rhs);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(*lhs, *rhs);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(*lhs, *rhs);
  case AffineExprKind::Mod:
    return llvm::mod(*lhs, *rhs);
  default:
    return std::nullopt;
  }
}

/// Of the type `index` only numbers that fit 32 bits are known.
static bool isIndexKnown(int64_t number) { return llvm::isInt<32>(number); }

namespace {
/// What an operation of `arith` does with numbers of `width` bits.
class ArithFunction {
public:
  explicit ArithFunction(Operation *op) : op(op) {
    // Of the last operand: that of a selection is of its type.
    Type type = op->getOperands().back().getType();
    isIndex = type.isIndex();
    width = isIndex ? 64 : type.getIntOrFloatBitWidth();
  }

  std::optional<int64_t> operator()(ArrayRef<int64_t> operands) const;

private:
  std::optional<APInt> compute(const APInt &a, const APInt &b) const;
  bool dependsOnWidth(const APInt &a, const APInt &b) const;
  APInt getAPInt(int64_t number) const {
    return APInt(width, number, /*isSigned=*/true, /*implicitTrunc=*/true);
  }

  Operation *op;
  bool isIndex;
  unsigned width;
};
} // namespace

/// Return true if the result depends on how wide the type `index` is: that of
/// an operand that is negative, or very large as an unsigned number.
bool ArithFunction::dependsOnWidth(const APInt &a, const APInt &b) const {
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op) && b.uge(32))
    return true;
  return isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp,
             arith::IndexCastUIOp>(op) &&
         (a.isNegative() || b.isNegative());
}

std::optional<APInt> ArithFunction::compute(const APInt &a,
                                            const APInt &b) const {
  using Result = std::optional<APInt>;
  auto shift = [&](auto function) -> Result {
    return b.ult(width) ? Result(function()) : std::nullopt;
  };
  auto divide = [&](auto function) -> Result {
    bool overflows = a.isMinSignedValue() && b.isAllOnes();
    return b.isZero() || overflows ? std::nullopt : Result(function());
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return a + b; })
      .Case([&](arith::SubIOp) { return a - b; })
      .Case([&](arith::MulIOp) { return a * b; })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::MinSIOp) { return llvm::APIntOps::smin(a, b); })
      .Case([&](arith::MinUIOp) { return llvm::APIntOps::umin(a, b); })
      .Case([&](arith::MaxSIOp) { return llvm::APIntOps::smax(a, b); })
      .Case([&](arith::MaxUIOp) { return llvm::APIntOps::umax(a, b); })
      .Case([&](arith::DivUIOp) { return divide([&] { return a.udiv(b); }); })
      .Case([&](arith::DivSIOp) { return divide([&] { return a.sdiv(b); }); })
      .Case([&](arith::RemUIOp) { return divide([&] { return a.urem(b); }); })
      .Case([&](arith::RemSIOp) { return divide([&] { return a.srem(b); }); })
      .Case([&](arith::ShLIOp) { return shift([&] { return a.shl(b); }); })
      .Case([&](arith::ShRUIOp) { return shift([&] { return a.lshr(b); }); })
      .Case([&](arith::ShRSIOp) { return shift([&] { return a.ashr(b); }); })
      .Default([](Operation *) { return Result(); });
}

std::optional<int64_t>
ArithFunction::operator()(ArrayRef<int64_t> operands) const {
  if (isa<arith::SelectOp>(op))
    return operands[0] ? operands[1] : operands[2];
  APInt first = getAPInt(operands[0]), second = getAPInt(operands.back());
  if (isIndex && dependsOnWidth(first, second))
    return std::nullopt;
  if (operands.size() == 1) {
    unsigned target = 64;
    if (auto type = dyn_cast<IntegerType>(op->getResult(0).getType()))
      target = type.getWidth();
    bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
    return (isUnsigned ? first.zextOrTrunc(target) : first.sextOrTrunc(target))
        .getSExtValue();
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return arith::applyCmpPredicate(compare.getPredicate(), first, second);
  std::optional<APInt> result = compute(first, second);
  return result ? std::optional(result->getSExtValue()) : std::nullopt;
}

/// Return true if `type` is one whose values are computed.
static bool isNumber(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return type.isIndex() || (integer && integer.getWidth() <= 64);
}

/// Return true if `op` is one of `arith` that is computed lane by lane.
static bool isArith(Operation *op) {
  if (!isa_and_present<arith::ArithDialect>(op->getDialect()) ||
      op->getNumResults() != 1 ||
      !llvm::all_of(op->getOperandTypes(), isNumber))
    return false;
  return op->getNumOperands() == 2 ||
         isa<arith::SelectOp, arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp,
             arith::IndexCastOp, arith::IndexCastUIOp>(op);
}

/// Return part `index` of `linear` in the mixed radix `basis`, whose first
/// digit is not bounded.
static int64_t getDigit(int64_t linear, ArrayRef<int64_t> basis,
                        unsigned index) {
  for (unsigned i = basis.size() - 1; i > index; --i)
    linear = llvm::divideFloorSigned(linear, basis[i]);
  return index == 0 ? linear : llvm::mod(linear, basis[index]);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const ThreadValues::Lanes *ThreadValues::lookup(Value value) const {
  auto it = indices.find(value);
  return it == indices.end() ? nullptr : &values[it->second].second;
}

void ThreadValues::bind(Value value, Lanes lanes) {
  indices[value] = values.size();
  values.emplace_back(value, std::move(lanes));
}

void ThreadValues::unwind(size_t mark) {
  while (values.size() > mark) {
    // A value may have been bound twice.
    if (auto it = indices.find(values.back().first);
        it != indices.end() && it->second == values.size() - 1)
      indices.erase(it);
    values.pop_back();
  }
}

/// Return the condition of `op` and the values that its arms yield as result
/// `index`.
static SmallVector<Value, 3> getChoice(scf::IfOp op, unsigned index) {
  return {op.getCondition(), op.thenYield().getOperand(index),
          op.elseYield().getOperand(index)};
}

/// Add to `needed` what `value` is computed from and is not known yet; return
/// true if that is nothing.
bool ThreadValues::isReady(Value value, SmallVectorImpl<Value> &needed) {
  Operation *op = value.getDefiningOp();
  if (!op || !isNumber(value.getType()))
    return true;
  size_t before = needed.size();
  auto need = [&](Value operand) {
    if (!lookup(operand))
      needed.push_back(operand);
  };
  if (auto branch = dyn_cast<scf::IfOp>(op))
    llvm::for_each(getChoice(branch, cast<OpResult>(value).getResultNumber()),
                   need);
  else if (isArith(op) ||
           isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp,
               affine::AffineDelinearizeIndexOp,
               affine::AffineLinearizeIndexOp>(op))
    llvm::for_each(op->getOperands(), need);
  return needed.size() == before;
}

const ThreadValues::Lanes &ThreadValues::get(Value value) {
  // Without recursion: expressions may be long.
  SmallVector<Value> stack = {value};
  while (!stack.empty()) {
    Value top = stack.back();
    if (lookup(top)) {
      stack.pop_back();
      continue;
    }
    if (!isReady(top, stack))
      continue;
    stack.pop_back();
    bind(top, compute(top));
  }
  return *lookup(value);
}

ThreadValues::Lanes ThreadValues::computeEach(ArrayRef<const Lanes *> operands,
                                              const Function &function,
                                              bool isIndex) {
  Lanes result;
  unsigned count = 1;
  for (const Lanes *operand : operands) {
    if (!operand->isKnown())
      return Lanes();
    count = std::max<unsigned>(count, operand->numbers.size());
    result.isOfFirst |= operand->isOfFirst;
  }
  budget -= count;
  if (budget < 0)
    return Lanes();
  SmallVector<int64_t, 4> numbers(operands.size());
  for (unsigned lane = 0; lane < count; ++lane) {
    for (auto [number, operand] : llvm::zip_equal(numbers, operands))
      number = (*operand)[lane];
    std::optional<int64_t> computed = function(numbers);
    if (!computed || (isIndex && !isIndexKnown(*computed)))
      return Lanes();
    result.numbers.push_back(*computed);
  }
  return result;
}

ThreadValues::Lanes ThreadValues::computeFrom(ValueRange operands,
                                              const Function &function,
                                              bool isIndex) {
  SmallVector<const Lanes *> lanes;
  for (Value operand : operands) {
    // Where it is stays the same until it is unwound.
    const Lanes *known = lookup(operand);
    lanes.push_back(known ? known : &get(operand));
  }
  return computeEach(lanes, function, isIndex);
}

ThreadValues::Lanes ThreadValues::getFolded(OpFoldResult value) {
  if (auto known = dyn_cast<Value>(value))
    return get(known);
  return getConstant(*getConstantIntValue(value));
}

ThreadValues::Lanes ThreadValues::apply(AffineMap map, unsigned index,
                                        ValueRange operands) {
  return computeFrom(
      operands,
      [&](ArrayRef<int64_t> numbers) {
        return evaluate(map.getResult(index), numbers, map.getNumDims());
      },
      /*isIndex=*/true);
}

ThreadValues::Lanes ThreadValues::isIn(IntegerSet set, ValueRange operands) {
  return computeFrom(
      operands,
      [&](ArrayRef<int64_t> numbers) -> std::optional<int64_t> {
        bool isInside = true;
        for (auto [constraint, isEquality] :
             llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
          auto number = evaluate(constraint, numbers, set.getNumDims());
          if (!number || !isIndexKnown(*number))
            return std::nullopt;
          isInside &= isEquality ? *number == 0 : *number >= 0;
        }
        return isInside;
      },
      /*isIndex=*/false);
}

ThreadValues::Lanes
ThreadValues::multiplyAdd(const Lanes &lhs, const Lanes &rhs, int64_t factor) {
  // As `computeEach` does; most of what is computed are these.
  Lanes result;
  if (!lhs.isKnown() || !rhs.isKnown())
    return result;
  unsigned count = std::max(lhs.numbers.size(), rhs.numbers.size());
  budget -= count;
  if (budget < 0)
    return result;
  SmallVector<int64_t> numbers(count);
  for (auto [lane, number] : llvm::enumerate(numbers)) {
    int64_t product;
    if (llvm::MulOverflow(rhs[lane], factor, product) ||
        llvm::AddOverflow(lhs[lane], product, number) || !isIndexKnown(number))
      return result;
  }
  result.numbers.append(numbers.begin(), numbers.end());
  result.isOfFirst = lhs.isOfFirst || rhs.isOfFirst;
  return result;
}

/// Compute result `index` of `op`, if it is one of `affine`, from its operands.
ThreadValues::Lanes ThreadValues::computeAffine(Operation *op, unsigned index) {
  auto compute = [&](const Function &function) {
    return computeFrom(op->getOperands(), function, /*isIndex=*/true);
  };
  return TypeSwitch<Operation *, Lanes>(op)
      .Case([&](affine::AffineApplyOp apply) {
        return this->apply(apply.getAffineMap(), 0, apply.getMapOperands());
      })
      .Case<affine::AffineMinOp, affine::AffineMaxOp>([&](auto extreme) {
        constexpr bool isMin =
            std::is_same_v<decltype(extreme), affine::AffineMinOp>;
        AffineMap map = extreme.getAffineMap();
        return compute([&](ArrayRef<int64_t> numbers) {
          std::optional<int64_t> best;
          for (AffineExpr result : map.getResults()) {
            auto next = evaluate(result, numbers, map.getNumDims());
            if (!next)
              return next;
            if (!best || (isMin ? *next < *best : *next > *best))
              best = next;
          }
          return best;
        });
      })
      .Case([&](affine::AffineDelinearizeIndexOp split) {
        if (!split.getDynamicBasis().empty())
          return Lanes();
        SmallVector<int64_t> basis(split.getStaticBasis());
        if (basis.size() + 1 == split.getNumResults())
          basis.insert(basis.begin(), 1);
        return compute([&](ArrayRef<int64_t> numbers) {
          return getDigit(numbers[0], basis, index);
        });
      })
      .Case([&](affine::AffineLinearizeIndexOp join) {
        if (!join.getDynamicBasis().empty() || join.getMultiIndex().empty())
          return Lanes();
        ArrayRef<int64_t> basis = join.getStaticBasis();
        return compute([&](ArrayRef<int64_t> numbers) {
          ArrayRef<int64_t> factors = basis.take_back(numbers.size() - 1);
          std::optional<int64_t> sum = numbers[0];
          for (auto [number, factor] :
               llvm::zip_equal(numbers.drop_front(), factors))
            if (sum)
              sum = llvm::checkedMulAdd(*sum, factor, number);
          return sum;
        });
      })
      .Default([](Operation *) { return Lanes(); });
}

/// Compute `value`, whose operands are known.
ThreadValues::Lanes ThreadValues::compute(Value value) {
  if (!isNumber(value.getType()))
    return Lanes();
  if (std::optional<unsigned> dimension = getThreadDimension(value))
    return computeId(*dimension);
  if (std::optional<unsigned> dimension = getBlockDimension(value))
    return size[*dimension] ? getConstant(*size[*dimension]) : Lanes();
  Operation *op = value.getDefiningOp();
  if (!op)
    return Lanes();
  bool isIndex = value.getType().isIndex();
  if (APInt constant; matchPattern(value, m_ConstantInt(&constant))) {
    int64_t number = constant.getSExtValue();
    return isIndex && !isIndexKnown(number) ? Lanes() : getConstant(number);
  }
  unsigned index = cast<OpResult>(value).getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return computeFrom(
        getChoice(branch, index),
        [](ArrayRef<int64_t> numbers) {
          return numbers[0] ? numbers[1] : numbers[2];
        },
        isIndex);
  if (isArith(op))
    return computeFrom(op->getOperands(), ArithFunction(op), isIndex);
  return computeAffine(op, index);
}
