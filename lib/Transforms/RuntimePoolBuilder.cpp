//===- RuntimePoolBuilder.cpp - Making pools of run-time size -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimePoolBuilder.h"
#include "Analysis/SizePolynomial.h"
#include "Mutation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

#include <map>

using namespace mlir;
using namespace buffer_merge;

namespace {
/// Computes numbers of bytes in front of a pool, each of them once.
class BytesBuilder {
public:
  BytesBuilder(RewriterBase &rewriter, const RuntimePool &pool)
      : rewriter(rewriter), pool(pool),
        loc(pool.first->getParentOp()->getLoc()),
        dominance(pool.first->getParentOfType<FunctionOpInterface>()) {
    rewriter.setInsertionPoint(pool.first);
  }

  /// Find out whether no number wraps around: the largest is the sum of all
  /// buffers. If one would, the variables are 0, and `limit` says that there is
  /// no such pool.
  void checkSum();

  /// Return `size`, or if it would have wrapped around, more bytes than there
  /// are: their allocation fails, as that of one of the buffers would.
  Value limit(Value size);

  Value getConstant(int64_t value);
  Value getBytes(const LinearBytes &bytes);
  Value getLargest(ArrayRef<LinearBytes> all);

private:
  Value getVariable(size_t index);
  Value getFactor(Value value);

  RewriterBase &rewriter;
  const RuntimePool &pool;
  Location loc;
  DominanceInfo dominance;
  std::map<int64_t, Value> constants;
  std::map<std::pair<size_t, int64_t>, Value> multiples;
  std::map<std::vector<int64_t>, Value> sums;
  std::map<std::vector<std::vector<int64_t>>, Value> largest;
  SmallVector<Value> variables;
  /// No number wraps around; null if none ever does.
  Value isSmall;
  IRMapping copies;
};
} // namespace

/// Return `bytes` without zeros at the end.
static std::vector<int64_t> getKey(const LinearBytes &bytes) {
  std::vector<int64_t> key(bytes.begin(), bytes.end());
  while (!key.empty() && key.back() == 0)
    key.pop_back();
  return key;
}

Value BytesBuilder::getConstant(int64_t value) {
  Value &constant = constants[value];
  if (!constant)
    constant = arith::ConstantIndexOp::create(rewriter, loc, value);
  return constant;
}

/// Return `value`, computed in front of the pool if it is not there.
Value BytesBuilder::getFactor(Value value) {
  if (dominance.properlyDominates(value, pool.first))
    return value;
  if (Value copy = copies.lookupOrNull(value))
    return copy;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    copies.map(operand, getFactor(operand));
  rewriter.clone(*op, copies);
  return copies.lookup(value);
}

Value BytesBuilder::getVariable(size_t index) {
  variables.resize(pool.variables.size());
  if (variables[index])
    return variables[index];
  const SizeVariable &variable = pool.variables[index];
  Value result;
  if (!variable.rounded.empty()) {
    Value sum = getBytes(variable.rounded);
    Value up = arith::AddIOp::create(rewriter, loc, sum,
                                     getConstant(pool.alignment - 1));
    result =
        arith::AndIOp::create(rewriter, loc, up, getConstant(-pool.alignment));
  } else {
    for (Value factor : variable.factors) {
      Value next = getFactor(factor);
      result =
          result
              ? arith::MulIOp::create(rewriter, loc, result, next).getResult()
              : next;
    }
  }
  variables[index] = result;
  return result;
}

Value BytesBuilder::getBytes(const LinearBytes &bytes) {
  std::vector<int64_t> key = getKey(bytes);
  auto known = sums.find(key);
  if (known != sums.end())
    return known->second;
  Value sum;
  auto add = [&](Value value) {
    sum = sum ? arith::AddIOp::create(rewriter, loc, sum, value).getResult()
              : value;
  };
  for (size_t i = 1; i < key.size(); ++i) {
    if (key[i] == 0)
      continue;
    Value &multiple = multiples[{i, key[i]}];
    if (!multiple) {
      // Arguments of one call would be created in any order.
      multiple = getVariable(i - 1);
      if (key[i] != 1)
        multiple =
            arith::MulIOp::create(rewriter, loc, multiple, getConstant(key[i]));
    }
    add(multiple);
  }
  if (!sum || key.front() != 0)
    add(getConstant(key.empty() ? 0 : key.front()));
  return sums[key] = sum;
}

Value BytesBuilder::getLargest(ArrayRef<LinearBytes> all) {
  std::vector<std::vector<int64_t>> key(llvm::map_range(all, getKey).begin(),
                                        llvm::map_range(all, getKey).end());
  llvm::sort(key);
  auto known = largest.find(key);
  if (known != largest.end())
    return known->second;
  // What all have in common is added behind the comparison.
  LinearBytes common = all.front();
  for (const LinearBytes &bytes : all.drop_front()) {
    common.truncate(std::min(common.size(), bytes.size()));
    for (auto [least, coefficient] : llvm::zip(common, bytes))
      least = std::min(least, coefficient);
  }
  if (all.size() > 1 && !getKey(common).empty()) {
    SmallVector<LinearBytes> rest(all);
    for (LinearBytes &bytes : rest)
      for (auto [coefficient, least] : llvm::zip(bytes, common))
        coefficient -= least;
    Value largestRest = getLargest(rest);
    return largest[key] = arith::AddIOp::create(rewriter, loc, largestRest,
                                                getBytes(common));
  }
  Value result;
  for (const LinearBytes &bytes : all) {
    Value next = getBytes(bytes);
    result =
        result ? arith::MaxUIOp::create(rewriter, loc, result, next).getResult()
               : next;
  }
  return largest[key] = result;
}

void BytesBuilder::checkSum() {
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
  auto require = [&](Value condition) {
    isSmall = isSmall ? arith::AndIOp::create(rewriter, loc, isSmall, condition)
                            .getResult()
                      : condition;
  };
  variables.resize(pool.variables.size());
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
      require(arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                    extended.getHigh(), getConstant(0)));
      product = extended.getLow();
    }
    variables[i - 1] = product;
    require(arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule,
                                  product,
                                  getConstant(part / coefficients[i])));
  }
  if (isMutated("R9-sizes-fit"))
    isSmall = nullptr;
  if (!isSmall)
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

void buffer_merge::buildRuntimePool(RewriterBase &rewriter,
                                    const RuntimePool &pool,
                                    SmallVectorImpl<Value> &views) {
  BytesBuilder builder(rewriter, pool);
  Location loc = pool.first->getParentOp()->getLoc();
  builder.checkSum();
  SmallVector<Value> sizes;
  for (const PoolOrder &order : pool.orders)
    sizes.push_back(builder.getLargest(order.sizes));
  // By order but the first one: its pool is smaller than those before it.
  Value size = sizes.front();
  SmallVector<Value> isSmaller = {Value()};
  for (Value other : ArrayRef(sizes).drop_front()) {
    isSmaller.push_back(arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ult, other, size));
    size = arith::MinUIOp::create(rewriter, loc, size, other);
  }
  size = builder.limit(size);
  SmallVector<Value> offsets;
  std::map<std::vector<void *>, Value> chosen;
  for (size_t i = 0; i < pool.buffers.size(); ++i) {
    std::vector<void *> key;
    SmallVector<Value> ofOrders;
    for (const PoolOrder &order : pool.orders) {
      ofOrders.push_back(builder.getLargest(order.offsets[i]));
      key.push_back(ofOrders.back().getAsOpaquePointer());
    }
    Value &offset = chosen[key];
    if (!offset) {
      offset = ofOrders.front();
      for (size_t order = 1; order < ofOrders.size(); ++order)
        if (ofOrders[order] != offset)
          offset = arith::SelectOp::create(rewriter, loc, isSmaller[order],
                                           ofOrders[order], offset);
    }
    offsets.push_back(offset);
  }
  auto type = MemRefType::get({ShapedType::kDynamic}, rewriter.getI8Type(),
                              MemRefLayoutAttrInterface(), pool.memorySpace);
  Value memory =
      memref::AllocOp::create(rewriter, loc, type, ValueRange{size},
                              rewriter.getI64IntegerAttr(pool.alignment));
  if (pool.last) {
    rewriter.setInsertionPointAfter(pool.last);
    memref::DeallocOp::create(rewriter, loc, memory);
  }
  PoolUnits units = collectUnits(pool);
  // By unit, in the order of the block: each is in front of what comes later.
  SmallVector<SmallVector<memref::ViewOp, 1>> viewsOf(units.units.size());
  for (auto [buffer, offset, unit] :
       llvm::zip(pool.buffers, offsets, units.unitOf)) {
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
                               memory, offset, alloc.getDynamicSizes());
    view->setDiscardableAttrs(alloc->getDiscardableAttrDictionary());
    rewriter.replaceOp(alloc, view);
    views.push_back(view);
    viewsOf[unit].push_back(view);
  }
}
