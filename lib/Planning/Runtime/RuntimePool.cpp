//===- RuntimePool.cpp - Pools of run-time size ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Planning/RuntimePool.h"
#include "Scheduling/SaturatingBytes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the coefficient `index` of `bytes`.
static int64_t getCoefficient(const LinearBytes &bytes, size_t index) {
  return index < bytes.size() ? bytes[index] : 0;
}

LinearBytes buffer_merge::getSum(const LinearBytes &a, const LinearBytes &b) {
  LinearBytes sum = a.size() < b.size() ? b : a;
  const LinearBytes &other = a.size() < b.size() ? a : b;
  for (size_t i = 0; i < other.size(); ++i)
    sum[i] += other[i];
  return sum;
}

int64_t buffer_merge::evaluate(const LinearBytes &bytes,
                               ArrayRef<int64_t> values) {
  int64_t sum = getCoefficient(bytes, 0);
  for (size_t i = 1; i < bytes.size(); ++i)
    sum = addBytes(sum, multiplyBytes(bytes[i], values[i - 1]));
  return sum;
}

int64_t buffer_merge::evaluateLargest(llvm::ArrayRef<LinearBytes> all,
                                      llvm::ArrayRef<int64_t> values) {
  int64_t largest = 0;
  for (const LinearBytes &bytes : all)
    largest = std::max(largest, evaluate(bytes, values));
  return largest;
}

int64_t buffer_merge::getLeastBytes(const RuntimePool &pool) {
  SmallVector<int64_t> values;
  for (const SizeVariable &variable : pool.variables)
    values.push_back(
        llvm::alignTo(evaluate(variable.rounded, values), pool.alignment));
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const PoolOrder &order : pool.orders)
    least = std::min(least, evaluateLargest(order.sizes, values));
  return least;
}

bool buffer_merge::isAtMost(const LinearBytes &a, const LinearBytes &b) {
  // Mostly, what is met last is in one of them alone.
  if (!a.empty() && a.back() > getCoefficient(b, a.size() - 1))
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] > getCoefficient(b, i))
      return false;
  return true;
}

/// Return when the buffer `index` of `pool` is in use.
static TickRange getTicks(const RuntimePool &pool, size_t index) {
  return pool.ticks.empty() ? pool.buffers[index]->ticks : pool.ticks[index];
}

PoolUnits buffer_merge::collectUnits(const RuntimePool &pool) {
  llvm::IntEqClasses classes(pool.buffers.size());
  for (auto [later, earlier] : llvm::enumerate(pool.inPlaceOf))
    if (earlier)
      classes.join(later, *earlier);
  // They are numbered by their first buffers.
  classes.compress();
  PoolUnits result;
  for (size_t index = 0; index < pool.buffers.size(); ++index) {
    const size_t unit = classes[index];
    const TickRange own = getTicks(pool, index);
    if (unit == result.units.size())
      result.units.push_back({own, pool.bytes[index]});
    TickRange &ticks = result.units[unit].ticks;
    ticks = ticks.hull(own);
    result.unitOf.push_back(unit);
  }
  return result;
}

/// Return true if the largest of `a`, plus `size`, is at most the largest of
/// `b`.
static bool endBelow(ArrayRef<LinearBytes> a, const LinearBytes &size,
                     ArrayRef<LinearBytes> b) {
  return llvm::all_of(a, [&](const LinearBytes &offset) {
    LinearBytes end = getSum(offset, size);
    return llvm::any_of(
        b, [&](const LinearBytes &other) { return isAtMost(end, other); });
  });
}

/// Return true if `bytes` is always a multiple of the alignment of `pool`.
static bool isAligned(const LinearBytes &bytes, const RuntimePool &pool) {
  for (auto [index, coefficient] : llvm::enumerate(bytes))
    if (coefficient % pool.alignment != 0 &&
        (index == 0 || pool.variables[index - 1].rounded.empty()))
      return false;
  return true;
}

/// Return true if one of two buffers of `pool`, which are alive together, is in
/// place of the other one: so they are in one operation only.
static bool isInPlace(const RuntimePool &pool, size_t a, size_t b) {
  auto isInPlaceOf = [&](size_t later, size_t earlier) {
    return later < pool.inPlaceOf.size() && pool.inPlaceOf[later] == earlier &&
           pool.buffers[later]->firstAccess ==
               pool.buffers[earlier]->lastAccess;
  };
  return isInPlaceOf(a, b) || isInPlaceOf(b, a);
}

bool buffer_merge::verifyRuntimePool(const RuntimePool &pool) {
  size_t count = pool.buffers.size();
  if (pool.bytes.size() != count || pool.orders.empty())
    return false;
  for (const PoolOrder &order : pool.orders) {
    if (order.offsets.size() != count)
      return false;
    for (size_t i = 0; i < count; ++i) {
      if (pool.buffers[i]->alignment > pool.alignment ||
          order.offsets[i].empty() ||
          !endBelow(order.offsets[i], pool.bytes[i], order.sizes))
        return false;
      for (const LinearBytes &offset : order.offsets[i])
        if (!isAligned(offset, pool))
          return false;
      TickRange ticks = getTicks(pool, i);
      for (size_t j = 0; j < i; ++j) {
        TickRange other = getTicks(pool, j);
        bool areAliveTogether =
            ticks.first <= other.last && other.first <= ticks.last;
        if (!areAliveTogether)
          continue;
        if (isInPlace(pool, i, j)) {
          if (pool.bytes[i] != pool.bytes[j] ||
              order.offsets[i] != order.offsets[j])
            return false;
          continue;
        }
        if (!endBelow(order.offsets[i], pool.bytes[i], order.offsets[j]) &&
            !endBelow(order.offsets[j], pool.bytes[j], order.offsets[i]))
          return false;
      }
    }
  }
  return true;
}

/// Return `value` in words; `others` are those that have no better name.
static std::string describeFactor(Value value, llvm::SetVector<Value> &others) {
  auto describeArgument = [](Value value) -> std::string {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || !argument.getOwner()->isEntryBlock() ||
        !isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      return "";
    return "arg" + std::to_string(argument.getArgNumber());
  };
  if (std::string name = describeArgument(value); !name.empty())
    return name;
  if (auto dim = value.getDefiningOp<memref::DimOp>())
    if (std::optional<int64_t> index = dim.getConstantIndex())
      if (std::string name = describeArgument(dim.getSource()); !name.empty())
        return "dim(" + name + ", " + std::to_string(*index) + ")";
  others.insert(value);
  size_t number = llvm::find(others, value) - others.begin();
  return "v" + std::to_string(number);
}

std::string buffer_merge::describeBytes(const RuntimePool &pool,
                                        ArrayRef<LinearBytes> all) {
  SmallVector<std::string> names;
  auto describe = [&](const LinearBytes &sum) {
    SmallVector<std::string> terms;
    for (size_t i = 1; i < sum.size(); ++i)
      if (sum[i] != 0)
        terms.push_back(sum[i] == 1
                            ? names[i - 1]
                            : std::to_string(sum[i]) + " * " + names[i - 1]);
    if (getCoefficient(sum, 0) != 0 || terms.empty())
      terms.push_back(std::to_string(getCoefficient(sum, 0)));
    return llvm::join(terms, " + ");
  };
  llvm::SetVector<Value> others;
  for (const SizeVariable &variable : pool.variables) {
    if (!variable.rounded.empty()) {
      names.push_back("roundup(" + describe(variable.rounded) + ")");
      continue;
    }
    SmallVector<std::string> factors;
    for (Value factor : variable.factors)
      factors.push_back(describeFactor(factor, others));
    names.push_back(llvm::join(factors, " * "));
  }
  if (all.size() == 1)
    return describe(all.front());
  return "max(" + llvm::join(llvm::map_range(all, describe), ", ") + ")";
}

std::string buffer_merge::describeBytes(const RuntimePool &pool) {
  SmallVector<std::string> orders;
  for (const PoolOrder &order : pool.orders)
    orders.push_back(describeBytes(pool, order.sizes));
  return orders.size() == 1 ? orders.front()
                            : "min(" + llvm::join(orders, ", ") + ")";
}
