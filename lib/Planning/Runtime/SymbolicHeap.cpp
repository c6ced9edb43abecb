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

unsigned PoolVariables::add(SizeVariable variable) {
  pool.variables.push_back(std::move(variable));
  return pool.variables.size();
}

/// Return the value of the variable with coefficient `index`.
static LinearBytes makeVariable(unsigned index) {
  LinearBytes bytes(index + 1);
  bytes.back() = 1;
  return bytes;
}

LinearBytes PoolVariables::get(const SizePolynomial &bytes) {
  LinearBytes sum;
  bool isMultiple = true;
  for (const auto &[product, coefficient] : bytes) {
    unsigned index = 0;
    if (!product.empty()) {
      auto [it, isNew] = products.try_emplace(product, 0);
      if (isNew) {
        SizeVariable variable;
        for (unsigned symbol : product)
          variable.factors.push_back(sizes.getSymbol(symbol));
        it->second = add(std::move(variable));
      }
      index = it->second;
    }
    if (sum.size() <= index)
      sum.resize(index + 1);
    sum[index] = index == 0 && bytes.size() == 1
                     ? llvm::alignTo(coefficient, pool.alignment)
                     : coefficient;
    isMultiple &= sum[index] % pool.alignment == 0;
  }
  if (isMultiple)
    return sum;
  auto [it, isNew] =
      rounded.try_emplace(std::vector<int64_t>(sum.begin(), sum.end()), 0);
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

SymbolicSums::SymbolicSums(ArrayRef<SymbolicItem> items) {
  // By tick: what begins there, or has ended before it.
  std::map<int64_t, SmallVector<std::pair<const SymbolicItem *, int>, 2>>
      changes;
  for (const SymbolicItem &item : items) {
    if (item.ticks.last < item.ticks.first)
      continue;
    changes[item.ticks.first].emplace_back(&item, 1);
    changes[item.ticks.last + 1].emplace_back(&item, -1);
  }
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
