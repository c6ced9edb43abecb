//===- SymbolicHeap.cpp - A heap with sizes known at run time -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicHeap.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the value of the variable with coefficient `index`.
static LinearBytes makeVariable(unsigned index) {
  LinearBytes bytes(index + 1);
  bytes.back() = 1;
  return bytes;
}

unsigned PoolVariables::add(SizeVariable variable) {
  pool.variables.push_back(std::move(variable));
  return pool.variables.size();
}

unsigned PoolVariables::getProduct(const Factors &factors) {
  std::vector<void *> key;
  for (Value factor : factors)
    key.push_back(factor.getAsOpaquePointer());
  auto [it, isNew] = products.try_emplace(std::move(key), 0);
  if (isNew) {
    SizeVariable variable;
    variable.factors = factors;
    it->second = add(std::move(variable));
  }
  return it->second;
}

LinearBytes PoolVariables::get(const SizePolynomial &bytes, bool isRounded) {
  LinearBytes sum;
  for (const auto &[product, coefficient] : bytes) {
    Factors factors;
    for (unsigned symbol : product)
      factors.push_back(sizes.getSymbol(symbol));
    unsigned index = factors.empty() ? 0 : getProduct(factors);
    if (sum.size() <= index)
      sum.resize(index + 1);
    sum[index] = coefficient;
  }
  return isRounded ? roundUp(sum) : sum;
}

LinearBytes PoolVariables::get(const RuntimePool &other,
                               const LinearBytes &bytes) {
  LinearBytes sum;
  for (auto [index, coefficient] : llvm::enumerate(bytes)) {
    if (coefficient == 0)
      continue;
    LinearBytes term = {1};
    if (index != 0) {
      const SizeVariable &variable = other.variables[index - 1];
      if (variable.rounded.empty()) {
        term = makeVariable(getProduct(variable.factors));
      } else {
        term = roundUp(get(other, variable.rounded));
        // It may be rounded up further there.
        term.front() += std::max<int64_t>(other.alignment - pool.alignment, 0);
      }
    }
    for (int64_t &factor : term)
      factor *= coefficient;
    sum = getSum(sum, term);
  }
  return sum;
}

LinearBytes PoolVariables::roundUp(const LinearBytes &bytes) {
  LinearBytes sum = bytes;
  auto isZero = [](int64_t coefficient) { return coefficient == 0; };
  if (!sum.empty() && llvm::all_of(llvm::drop_begin(sum), isZero))
    sum.front() = llvm::alignTo(sum.front(), pool.alignment);
  if (llvm::all_of(sum, [&](int64_t coefficient) {
        return coefficient % pool.alignment == 0;
      }))
    return sum;
  std::vector<int64_t> key;
  for (auto [index, coefficient] : llvm::enumerate(sum))
    if (coefficient != 0)
      key.insert(key.end(), {static_cast<int64_t>(index), coefficient});
  auto [it, isNew] = rounded.try_emplace(std::move(key), 0);
  if (isNew) {
    SizeVariable variable;
    variable.rounded = sum;
    it->second = add(std::move(variable));
  }
  return makeVariable(it->second);
}

LinearBytes PoolVariables::getUnknown(Operation *op) {
  auto [it, isNew] = unknown.try_emplace(op, 0);
  if (isNew) {
    SizeVariable variable;
    variable.isUnknown = true;
    it->second = add(std::move(variable));
  }
  return makeVariable(it->second);
}

SymbolicSums::SymbolicSums(ArrayRef<SymbolicItem> items)
    : SymbolicSums(items, {}) {}

SymbolicSums::SymbolicSums(ArrayRef<SymbolicItem> items,
                           ArrayRef<int64_t> ticks) {
  // By tick: what begins there, or has ended before it.
  std::map<int64_t, SmallVector<std::pair<const SymbolicItem *, int>, 2>>
      changes;
  for (const SymbolicItem &item : items) {
    if (item.ticks.last < item.ticks.first)
      continue;
    changes[item.ticks.first].emplace_back(&item, 1);
    changes[item.ticks.last + 1].emplace_back(&item, -1);
  }
  for (int64_t tick : ticks)
    changes[tick];
  sums.reserve(changes.size());
  LinearBytes held;
  int numVarying = 0;
  for (const auto &[tick, ofTick] : changes) {
    for (auto [item, sign] : ofTick) {
      numVarying += item->mayVary ? sign : 0;
      if (held.size() < item->bytes.size())
        held.resize(item->bytes.size());
      for (auto [index, coefficient] : llvm::enumerate(item->bytes))
        held[index] += sign * coefficient;
    }
    sums.push_back({tick, held, numVarying != 0});
  }
}

LinearBytes SymbolicSums::get(int64_t tick) const {
  auto next = llvm::upper_bound(
      sums, tick, [](int64_t tick, const Sum &sum) { return tick < sum.tick; });
  return next == sums.begin() ? LinearBytes() : std::prev(next)->bytes;
}
