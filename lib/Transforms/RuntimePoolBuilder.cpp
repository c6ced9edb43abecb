//===- RuntimePoolBuilder.cpp - Making pools of run-time size -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimePoolBuilder.h"
#include "Analysis/ArgumentSizes.h"
#include "Analysis/GPU/RuntimeTiles.h"
#include "Analysis/SizePolynomial.h"
#include "Mutation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace buffer_merge;

namespace {
/// A number of bytes: sorted indices of `LinearBytes` with their coefficients,
/// none of which is 0.
using Sum = SmallVector<std::pair<size_t, int64_t>, 2>;

/// Returns a value, which is computed at the insertion point of a rewriter.
using GetFactor = llvm::function_ref<Value(Value)>;

/// Computes numbers of bytes at the insertion point, each of them once.
class BytesBuilder {
public:
  BytesBuilder(RewriterBase &rewriter, const RuntimePool &pool,
               GetFactor getFactor)
      : rewriter(rewriter), pool(pool), getFactor(getFactor),
        loc(pool.first->getParentOp()->getLoc()),
        variables(pool.variables.size()) {}

  /// Find out whether no number wraps around: the largest is the sum of all
  /// buffers. If one would, `limit` says that there is no such pool, and all
  /// offsets are 0: the variables are then if there are at most `numOffsets` of
  /// them.
  void checkSum(size_t numOffsets);

  /// Return `size`, or if a number wraps around, more bytes than there are:
  /// their allocation fails, as that of one of the buffers would.
  Value limit(Value size);

  /// Return `offset`, or 0 if a number wraps around.
  Value limitOffset(Value offset);

  Value getLargest(ArrayRef<LinearBytes> all);

private:
  Value getConstant(int64_t value);
  template <typename OpTy>
  Value get(Value a, Value b);
  Value getVariable(size_t index);
  Value roundUp(Value bytes);
  Value getBytes(const Sum &sum);
  Value getLargest(SmallVector<Sum, 0> all);
  Value getLargest(ArrayRef<Value> values);
  size_t countOperations(ArrayRef<Sum> all) const;

  RewriterBase &rewriter;
  const RuntimePool &pool;
  GetFactor getFactor;
  Location loc;
  std::map<int64_t, Value> constants;
  /// By kind and operands.
  llvm::DenseMap<std::tuple<TypeID, Value, Value>, Value> operations;
  std::map<std::pair<size_t, int64_t>, Value> multiples;
  std::map<Sum, Value> sums;
  SmallVector<Value> variables;
  /// No number wraps around; null if none ever does.
  Value isSmall;
  /// All variables are 0 otherwise.
  bool areVariablesLimited = false;
};

/// Moves what sizes are computed from in front of a pool.
class FactorMover {
public:
  FactorMover(RewriterBase &rewriter, const RuntimePool &pool,
              DominanceInfo &dominance,
              const llvm::DenseSet<Operation *> &places)
      : rewriter(rewriter), pool(pool), dominance(dominance), places(places) {}

  /// Return `value`, which is computed in front of the pool then.
  Value get(Value value);

private:
  RewriterBase &rewriter;
  const RuntimePool &pool;
  DominanceInfo &dominance;
  const llvm::DenseSet<Operation *> &places;
  /// What is there of what was behind the front.
  IRMapping copies;
};

/// What of a pool is computed when the program runs.
struct PoolValues {
  /// More than there is if a number wraps around.
  Value size;
  /// By buffer.
  SmallVector<Value, 0> offsets;
};
} // namespace

static Sum makeSum(const LinearBytes &bytes) {
  Sum sum;
  for (auto [index, coefficient] : llvm::enumerate(bytes))
    if (coefficient != 0)
      sum.emplace_back(index, coefficient);
  return sum;
}

/// Add `times` times `other` to `sum`.
static void addTo(Sum &sum, const Sum &other, int64_t times) {
  for (const auto &term : other) {
    auto *it = llvm::lower_bound(sum, term, llvm::less_first());
    if (it == sum.end() || it->first != term.first)
      it = sum.insert(it, {term.first, 0});
    it->second += times * term.second;
    if (it->second == 0)
      sum.erase(it);
  }
}

/// Return what both `a` and `b` have.
static Sum getCommon(const Sum &a, const Sum &b) {
  Sum common;
  const auto *it = b.begin();
  for (auto [index, coefficient] : a) {
    while (it != b.end() && it->first < index)
      ++it;
    if (it != b.end() && it->first == index)
      common.emplace_back(index, std::min(coefficient, it->second));
  }
  return common;
}

Value BytesBuilder::getConstant(int64_t value) {
  Value &constant = constants[value];
  if (!constant)
    constant = arith::ConstantIndexOp::create(rewriter, loc, value);
  return constant;
}

template <typename OpTy>
Value BytesBuilder::get(Value a, Value b) {
  Value &value = operations[{TypeID::get<OpTy>(), a, b}];
  if (!value)
    value = OpTy::create(rewriter, loc, a, b);
  return value;
}

Value FactorMover::get(Value value) {
  if (Value there = copies.lookupOrNull(value))
    return there;
  if (dominance.properlyDominates(value, pool.first))
    return value;
  Operation *op = value.getDefiningOp();
  bool mayMove = op->getBlock() == pool.first->getBlock() &&
                 (!places.contains(op) || isMutated("R9-places-stay"));
  for (Value operand : op->getOperands()) {
    Value there = get(operand);
    copies.map(operand, there);
    mayMove &= there == operand;
  }
  if (!mayMove) {
    rewriter.clone(*op, copies);
    return copies.lookup(value);
  }
  // Moving it at once would number all operations of the block again.
  op->remove();
  rewriter.insert(op);
  copies.map(op->getResults(), op->getResults());
  return value;
}

/// Return `bytes`, rounded up to a multiple of the alignment.
Value BytesBuilder::roundUp(Value bytes) {
  Value up = get<arith::AddIOp>(bytes, getConstant(pool.alignment - 1));
  return get<arith::AndIOp>(up, getConstant(-pool.alignment));
}

Value BytesBuilder::getVariable(size_t index) {
  const SizeVariable &variable = pool.variables[index];
  if (variables[index])
    return variables[index];
  Value result;
  if (!variable.rounded.empty())
    result = roundUp(getBytes(makeSum(variable.rounded)));
  for (Value factor : variable.factors) {
    Value next = getFactor(factor);
    result = result ? get<arith::MulIOp>(result, next) : next;
  }
  return variables[index] = result;
}

Value BytesBuilder::getBytes(const Sum &sum) {
  auto known = sums.find(sum);
  if (known != sums.end())
    return known->second;
  Value result;
  auto add = [&](Value value) {
    result = result ? get<arith::AddIOp>(result, value) : value;
  };
  for (const auto &term : sum) {
    if (term.first == 0)
      continue;
    Value &multiple = multiples[term];
    if (!multiple) {
      // Arguments of one call would be created in any order.
      multiple = getVariable(term.first - 1);
      if (term.second != 1)
        multiple = get<arith::MulIOp>(multiple, getConstant(term.second));
    }
    add(multiple);
  }
  if (sum.empty() || sum.front().first == 0)
    add(getConstant(sum.empty() ? 0 : sum.front().second));
  return sums[sum] = result;
}

/// Return the number of operations that compute `all`.
size_t BytesBuilder::countOperations(ArrayRef<Sum> all) const {
  size_t count = 0;
  for (const Sum &sum : all) {
    if (sum.empty() || sums.count(sum) != 0)
      continue;
    count += sum.size() - 1;
    for (const auto &term : sum) {
      if (term.first == 0 || multiples.count(term) != 0)
        continue;
      count += term.second != 1;
      const LinearBytes &rounded = pool.variables[term.first - 1].rounded;
      if (!rounded.empty() && !variables[term.first - 1])
        count += 2 + countOperations(makeSum(rounded));
    }
  }
  return count;
}

/// Replace `all` by sums of which the largest, rounded up to a multiple of the
/// alignment of `pool`, is their largest. Return false if there are none.
static bool removeRounding(const RuntimePool &pool, MutableArrayRef<Sum> all) {
  auto getRounded = [&](size_t index) -> ArrayRef<int64_t> {
    return index == 0 ? ArrayRef<int64_t>()
                      : ArrayRef(pool.variables[index - 1].rounded);
  };
  for (Sum &sum : all) {
    auto isRounded = [&](const auto &term) {
      return !getRounded(term.first).empty();
    };
    auto *it = llvm::find_if(sum, isRounded);
    if (it == sum.end())
      continue;
    // What else is added is a multiple, but only if it is one number.
    if (it->second != 1 || llvm::count_if(sum, isRounded) > 1)
      return false;
    Sum rounded = makeSum(LinearBytes(getRounded(it->first)));
    sum.erase(it);
    addTo(sum, rounded, 1);
  }
  return true;
}

/// Return the largest of `values`.
Value BytesBuilder::getLargest(ArrayRef<Value> values) {
  Value result = values.front();
  for (Value next : values.drop_front())
    result = get<arith::MaxUIOp>(result, next);
  return result;
}

Value BytesBuilder::getLargest(SmallVector<Sum, 0> all) {
  if (all.size() == 1)
    return getBytes(all.front());
  // What all have in common is added behind the comparison.
  Sum common = all.front();
  for (const Sum &sum : llvm::drop_begin(all))
    common = getCommon(common, sum);
  if (!common.empty()) {
    for (Sum &sum : all)
      addTo(sum, common, -1);
    Value largest = getLargest(std::move(all));
    return get<arith::AddIOp>(largest, getBytes(common));
  }
  llvm::sort(all);
  // What is rounded up, or a multiple, is as large as the others only if it is
  // so without that. It may be needed again: two operations more.
  const size_t numOperations = countOperations(all);
  SmallVector<Sum, 0> parts = all;
  if (removeRounding(pool, parts) && countOperations(parts) + 4 < numOperations)
    return roundUp(getLargest(std::move(parts)));
  int64_t divisor = 0;
  for (const Sum &sum : all)
    for (const auto &term : sum)
      divisor = std::gcd(divisor, term.second);
  parts = all;
  for (Sum &sum : parts)
    for (auto &term : sum)
      term.second /= divisor;
  if (divisor > 1 && countOperations(parts) + 1 < numOperations) {
    Value largest = getLargest(std::move(parts));
    return get<arith::MulIOp>(largest, getConstant(divisor));
  }
  SmallVector<Value> values;
  for (const Sum &sum : all)
    values.push_back(getBytes(sum));
  return getLargest(values);
}

Value BytesBuilder::getLargest(ArrayRef<LinearBytes> all) {
  return getLargest(llvm::map_to_vector<0>(all, makeSum));
}

void BytesBuilder::checkSum(size_t numOffsets) {
  // The coefficient of each variable in the sum of all buffers; those that are
  // rounded up have been counted by what is rounded.
  SmallVector<int64_t> coefficients(pool.variables.size() + 1);
  auto add = [&](const LinearBytes &bytes, int64_t times) {
    for (auto [index, coefficient] : llvm::enumerate(bytes))
      coefficients[index] += times * coefficient;
  };
  for (const LinearBytes &bytes : pool.bytes)
    add(bytes, 1);
  for (size_t i = pool.variables.size(); i > 0; --i)
    if (const LinearBytes &rounded = pool.variables[i - 1].rounded;
        !rounded.empty() && coefficients[i] != 0) {
      add(rounded, coefficients[i]);
      coefficients[0] += pool.alignment * coefficients[i];
      coefficients[i] = 0;
    }
  unsigned count = llvm::count_if(ArrayRef(coefficients).drop_front(),
                                  [](int64_t value) { return value != 0; });
  // The constant and each product have a part of the numbers that have a sign.
  int64_t part = (int64_t(1) << 62) / (count + 1);
  // What must not be larger than about the same number is compared as one.
  struct Limited {
    int64_t most = std::numeric_limits<int64_t>::max();
    SmallVector<Value> values;
  };
  std::map<uint64_t, Limited> byMost;
  // What must be 0.
  Value high;
  for (size_t i = 1; i < coefficients.size(); ++i) {
    if (coefficients[i] == 0)
      continue;
    Value product;
    for (Value factor : pool.variables[i - 1].factors) {
      Value next = getFactor(factor);
      if (!product) {
        product = next;
        continue;
      }
      auto extended =
          arith::MulUIExtendedOp::create(rewriter, loc, product, next);
      high = high && !isMutated("R9-each-product-fits")
                 ? get<arith::OrIOp>(high, extended.getHigh())
                 : extended.getHigh();
      product = extended.getLow();
    }
    variables[i - 1] = product;
    int64_t most = part / coefficients[i];
    Limited &limited = byMost[llvm::bit_floor(static_cast<uint64_t>(most))];
    limited.most = std::min(limited.most, most);
    limited.values.push_back(product);
  }
  auto require = [&](arith::CmpIPredicate predicate, Value value,
                     int64_t number) {
    Value holds = arith::CmpIOp::create(rewriter, loc, predicate, value,
                                        getConstant(number));
    isSmall = isSmall ? get<arith::AndIOp>(isSmall, holds) : holds;
  };
  if (high)
    require(arith::CmpIPredicate::eq, high, 0);
  for (const auto &[key, limited] : byMost)
    require(arith::CmpIPredicate::ule,
            isMutated("R9-each-size-fits") ? limited.values.front()
                                           : getLargest(limited.values),
            limited.most);
  if (isMutated("R9-sizes-fit"))
    isSmall = nullptr;
  areVariablesLimited = isSmall && count <= numOffsets;
  if (!areVariablesLimited)
    return;
  for (size_t i = 1; i < coefficients.size(); ++i)
    if (coefficients[i] != 0)
      variables[i - 1] = arith::SelectOp::create(
          rewriter, loc, isSmall, variables[i - 1], getConstant(0));
}

Value BytesBuilder::limit(Value size) {
  return isSmall ? arith::SelectOp::create(
                       rewriter, loc, isSmall, size,
                       getConstant(std::numeric_limits<int64_t>::max()))
                       .getResult()
                 : size;
}

Value BytesBuilder::limitOffset(Value offset) {
  if (!isSmall || areVariablesLimited || isMutated("R9-offsets-fit"))
    return offset;
  return arith::SelectOp::create(rewriter, loc, isSmall, offset,
                                 getConstant(0));
}

/// Compute what `pool` is made of at the insertion point.
static PoolValues computeValues(RewriterBase &rewriter, const RuntimePool &pool,
                                GetFactor getFactor) {
  BytesBuilder builder(rewriter, pool, getFactor);
  Location loc = pool.first->getParentOp()->getLoc();
  // By the first buffer that is there in each order.
  auto isBefore = [&](size_t a, size_t b) {
    for (const PoolOrder &order : pool.orders)
      if (order.offsets[a] != order.offsets[b])
        return order.offsets[a] < order.offsets[b];
    return false;
  };
  struct Offset {
    SmallVector<Value, 3> ofOrders;
    Value chosen;
  };
  std::map<size_t, Offset, decltype(isBefore)> offsets(isBefore);
  for (size_t i = 0; i < pool.buffers.size(); ++i)
    offsets.try_emplace(i);
  auto varies = [&](size_t buffer) {
    return llvm::any_of(pool.orders, [&](const PoolOrder &order) {
      return order.offsets[buffer].size() > 1 ||
             llvm::any_of(makeSum(order.offsets[buffer].front()),
                          [](const auto &term) { return term.first != 0; });
    });
  };
  builder.checkSum(llvm::count_if(llvm::make_first_range(offsets), varies));
  // What sizes need is there for the offsets below them.
  for (size_t i = 0; i < pool.buffers.size(); ++i)
    if (Offset &offset = offsets.find(i)->second; offset.ofOrders.empty())
      for (const PoolOrder &order : pool.orders)
        offset.ofOrders.push_back(builder.getLargest(order.offsets[i]));
  // By order but the first one: its pool is smaller than those before it.
  Value size = builder.getLargest(pool.orders.front().sizes);
  SmallVector<Value> isSmaller;
  for (const PoolOrder &order : ArrayRef(pool.orders).drop_front()) {
    Value other = builder.getLargest(order.sizes);
    isSmaller.push_back(arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ult, other, size));
    size = arith::MinUIOp::create(rewriter, loc, size, other);
  }
  PoolValues values;
  values.size = builder.limit(size);
  for (size_t i = 0; i < pool.buffers.size(); ++i) {
    Offset &offset = offsets.find(i)->second;
    if (!offset.chosen) {
      offset.chosen = offset.ofOrders.front();
      for (auto [isLess, other] :
           llvm::zip(isSmaller, ArrayRef(offset.ofOrders).drop_front()))
        if (other != offset.chosen)
          offset.chosen = arith::SelectOp::create(rewriter, loc, isLess, other,
                                                  offset.chosen);
      if (varies(i))
        offset.chosen = builder.limitOffset(offset.chosen);
    }
    values.offsets.push_back(offset.chosen);
  }
  return values;
}

/// Replace each buffer of `pool` by a view of `memory` at its offset.
static void placeBuffers(RewriterBase &rewriter, const RuntimePool &pool,
                         Value memory, ArrayRef<Value> offsets,
                         SmallVectorImpl<Value> &views) {
  PoolUnits units = collectUnits(pool);
  // By unit, in the order of the block: each is in front of what comes later.
  SmallVector<SmallVector<memref::ViewOp, 1>> viewsOf(units.units.size());
  for (auto [index, buffer] : llvm::enumerate(pool.buffers)) {
    const size_t unit = units.unitOf[index];
    memref::AllocOp alloc = buffer->getAllocOp();
    // To passes that tell memory apart by values, writing one buffer is writing
    // what it is in place of then.
    auto *same = llvm::find_if(viewsOf[unit], [&](memref::ViewOp view) {
      return view.getType() == alloc.getType() &&
             view.getSizes() == alloc.getDynamicSizes() &&
             view->getDiscardableAttrDictionary() ==
                 alloc->getDiscardableAttrDictionary();
    });
    if (same != viewsOf[unit].end()) {
      (*same)->setLoc(FusedLoc::get(rewriter.getContext(),
                                    {same->getLoc(), alloc.getLoc()}));
      rewriter.replaceOp(alloc, *same);
      continue;
    }
    rewriter.setInsertionPoint(alloc);
    auto view =
        memref::ViewOp::create(rewriter, alloc.getLoc(), alloc.getType(),
                               memory, offsets[index], alloc.getDynamicSizes());
    view->setDiscardableAttrs(alloc->getDiscardableAttrDictionary());
    rewriter.replaceOp(alloc, view);
    views.push_back(view);
    viewsOf[unit].push_back(view);
  }
}

void buffer_merge::buildRuntimePool(RewriterBase &rewriter,
                                    const RuntimePool &pool,
                                    DominanceInfo &dominance,
                                    const llvm::DenseSet<Operation *> &places,
                                    SmallVectorImpl<Value> &views) {
  rewriter.setInsertionPoint(pool.first);
  FactorMover mover(rewriter, pool, dominance, places);
  PoolValues values = computeValues(
      rewriter, pool, [&](Value value) { return mover.get(value); });
  Location loc = pool.first->getParentOp()->getLoc();
  if (pool.mostBytes)
    buildCapacityCheck(
        rewriter, cast<FunctionOpInterface>(pool.buffers.front()->function),
        values.size, *pool.mostBytes);
  // All of its buffers may have sizes that are constant.
  std::optional<int64_t> bytes = getConstantIntValue(values.size);
  auto type = MemRefType::get({bytes.value_or(ShapedType::kDynamic)},
                              rewriter.getI8Type(), MemRefLayoutAttrInterface(),
                              pool.memorySpace);
  Value memory = memref::AllocOp::create(
      rewriter, loc, type, bytes ? ValueRange() : ValueRange(values.size),
      rewriter.getI64IntegerAttr(pool.alignment));
  if (pool.last) {
    rewriter.setInsertionPointAfter(pool.last);
    memref::DeallocOp::create(rewriter, loc, memory);
  }
  placeBuffers(rewriter, pool, memory, values.offsets, views);
  // An offset may be the same number.
  if (bytes && values.size.use_empty())
    rewriter.eraseOp(values.size.getDefiningOp());
}

void buffer_merge::buildCapacityCheck(RewriterBase &rewriter,
                                      FunctionOpInterface function, Value bytes,
                                      int64_t mostBytes) {
  Location loc = function.getLoc();
  Value most = arith::ConstantIndexOp::create(rewriter, loc, mostBytes);
  Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule,
                                     bytes, most);
  cf::AssertOp::create(rewriter, loc, fits,
                       llvm::formatv("{0}: a pool has more than {1} bytes, "
                                     "which its capacity leaves",
                                     function.getName(), mostBytes)
                           .str());
}

Value buffer_merge::buildPoolsBehind(
    RewriterBase &rewriter, Block *block, int64_t bytes,
    ArrayRef<const RuntimePool *> pools, SmallVectorImpl<Value> &views,
    llvm::function_ref<Value(Value)> getMemory) {
  // The alignment of one is a multiple of those behind it.
  SmallVector<const RuntimePool *> sorted(pools);
  llvm::stable_sort(sorted, [](const RuntimePool *a, const RuntimePool *b) {
    return a->alignment > b->alignment;
  });
  Location loc = block->getParentOp()->getLoc();
  rewriter.setInsertionPointToStart(block);
  IRMapping there;
  auto getSource = [&](Value value) -> Value {
    if (std::optional<ArgumentSize> size = findArgumentSize(value)) {
      Value from = block->getArgument(size->argument);
      if (!size->dimension)
        return from;
      return memref::DimOp::create(rewriter, loc, from, *size->dimension);
    }
    // What a launch says.
    Operation *op = value.getDefiningOp();
    return findLaunchSize(value) ? rewriter.clone(*op)->getResult(0) : Value();
  };
  auto getFactor = [&](Value value) {
    return computeFromArgumentSizes(rewriter, value, there, getSource);
  };
  Value end;
  if (bytes != 0)
    end = arith::ConstantIndexOp::create(
        rewriter, loc, llvm::alignTo(bytes, sorted.front()->alignment));
  SmallVector<std::pair<Value, PoolValues>> placed;
  for (const RuntimePool *pool : sorted) {
    PoolValues values = computeValues(rewriter, *pool, getFactor);
    Value begin = end;
    end = values.size;
    if (begin) {
      // The sum of two numbers with a sign has one bit more.
      Value sum = arith::AddIOp::create(rewriter, loc, begin, values.size);
      Value most = arith::ConstantIndexOp::create(
          rewriter, loc, std::numeric_limits<int64_t>::max());
      end = arith::MinUIOp::create(rewriter, loc, sum, most);
      if (isMutated("R9-arena-fits"))
        end = sum;
    }
    placed.emplace_back(begin, std::move(values));
  }
  rewriter.setInsertionPointAfterValue(end);
  Value all = getMemory(end);
  auto type = MemRefType::get(
      {ShapedType::kDynamic}, rewriter.getI8Type(), MemRefLayoutAttrInterface(),
      cast<BaseMemRefType>(all.getType()).getMemorySpace());
  SmallVector<Value> memories;
  for (const auto &[begin, values] : placed)
    memories.push_back(begin ? memref::ViewOp::create(rewriter, loc, type, all,
                                                      begin, values.size)
                                   .getResult()
                             : all);
  for (auto [pool, place, memory] : llvm::zip_equal(sorted, placed, memories))
    placeBuffers(rewriter, *pool, memory, place.second.offsets, views);
  return end;
}
