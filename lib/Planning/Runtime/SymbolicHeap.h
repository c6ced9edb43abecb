//===- SymbolicHeap.h - A heap with sizes known at run time -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_SYMBOLICHEAP_H
#define BUFFER_MERGE_LIB_PLANNING_SYMBOLICHEAP_H

#include "Analysis/SizePolynomial.h"
#include "OrderSearch.h"
#include "Planning/Heap/ProgramHeap.h"

namespace buffer_merge {
/// Gives sizes as sums over the variables of one pool, which it adds to.
class PoolVariables {
public:
  /// Proofs and searches with more variables would take too long.
  static constexpr size_t maxVariables = 48;

  /// The alignment of `pool` is known.
  PoolVariables(RuntimePool &pool, SizePolynomials &sizes)
      : pool(pool), sizes(sizes) {}

  /// Return `bytes`, rounded up to a multiple of the alignment if `isRounded`.
  LinearBytes get(const SizePolynomial &bytes, bool isRounded = true);

  /// Return the most that `bytes` of `other`, another pool, may be.
  LinearBytes get(const RuntimePool &other, const LinearBytes &bytes);

  /// Return a number of bytes of which nothing is known but that they are the
  /// result of `op`.
  LinearBytes getUnknown(mlir::Operation *op);

private:
  using Factors = llvm::SmallVector<mlir::Value, 2>;

  unsigned add(SizeVariable variable);
  /// Return the index of the coefficient of a product.
  unsigned getProduct(const Factors &factors);
  /// Return `sum` rounded up to a multiple of the alignment.
  LinearBytes roundUp(const LinearBytes &sum);

  RuntimePool &pool;
  SizePolynomials &sizes;
  std::map<std::vector<void *>, unsigned> products;
  /// By indices and coefficients of the sum.
  std::map<std::vector<int64_t>, unsigned> rounded;
  llvm::DenseMap<mlir::Operation *, unsigned> unknown;
};

/// Something that the heap holds.
struct SymbolicItem {
  TickRange ticks;
  LinearBytes bytes;
  /// The bytes are not known, and may be others at each tick.
  bool mayVary = false;
};

/// Sums of what is held, from one tick on until the next one of them.
class SymbolicSums {
public:
  explicit SymbolicSums(llvm::ArrayRef<SymbolicItem> items);
  /// Begin another one at each of `ticks` as well.
  SymbolicSums(llvm::ArrayRef<SymbolicItem> items,
               llvm::ArrayRef<int64_t> ticks);

  struct Sum {
    int64_t tick;
    LinearBytes bytes;
    /// Some of it may vary.
    bool mayVary;
  };

  /// Return all sums, in the order of their ticks.
  llvm::ArrayRef<Sum> get() const { return sums; }
  /// Return what is held at `tick`.
  LinearBytes get(int64_t tick) const;

private:
  llvm::SmallVector<Sum, 0> sums;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_SYMBOLICHEAP_H
