//===- SizePolynomial.h - Sizes in terms of others --------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of an allocation as a polynomial in values that are known earlier
// than its sizes.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_SIZEPOLYNOMIAL_H
#define BUFFER_MERGE_LIB_ANALYSIS_SIZEPOLYNOMIAL_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include <map>
#include <vector>

namespace buffer_merge {
/// A sum of products of symbols with positive coefficients: by product, sorted
/// symbols, its coefficient. The empty product is 1.
using SizePolynomial = std::map<std::vector<unsigned>, int64_t>;

/// Finds the sizes of allocations in terms of symbols: values that are taken as
/// they are, numbered in the order in which they are met. What is computed by
/// sums and products, or read by `memref.dim` from a buffer whose sizes are
/// known, is no symbol.
///
/// ```
///   %n = memref.dim %x, %c0           symbol 0
///   %m = arith.muli %n, %c4           4 * s0
///   memref.alloc(%m, %n) : memref<?x?xf32>
///                                     16 * s0 * s0 bytes
/// ```
///
/// It is taken for granted that no sum or product wraps around, and that sizes
/// are not negative: what computes with them has to check that.
class SizePolynomials {
public:
  /// Return the bytes of `alloc`, whose layout is row-major; nothing if its
  /// element type has no size in bytes, or if there are too many terms. Valid
  /// until the next call.
  const std::optional<SizePolynomial> &getBytes(mlir::memref::AllocOp alloc,
                                                const mlir::DataLayout &layout);

  /// Return the value of `symbol`.
  mlir::Value getSymbol(unsigned symbol) const { return symbols[symbol]; }

  /// Return true if `value` is there in front of `place`, or can be computed
  /// there from what is: by operations without effects.
  static bool isAvailable(mlir::Value value, mlir::Operation *place,
                          mlir::DominanceInfo &dominance);

private:
  std::optional<SizePolynomial> computeBytes(mlir::memref::AllocOp alloc,
                                             const mlir::DataLayout &layout);
  /// Return the bytes of `type`, whose dynamic sizes are 1; nothing if they are
  /// not known.
  std::optional<int64_t> getFixedBytes(mlir::MemRefType type,
                                       const mlir::DataLayout &layout);
  /// Return `value`; nothing if it may be negative.
  std::optional<SizePolynomial> get(mlir::Value value, unsigned depth);
  /// Return `size`, which is the size of an allocation.
  SizePolynomial getSize(mlir::Value size, unsigned depth);
  SizePolynomial makeSymbol(mlir::Value value);

  llvm::DenseMap<std::pair<mlir::Type, const mlir::DataLayout *>,
                 std::optional<int64_t>>
      fixedBytes;
  std::vector<mlir::Value> symbols;
  llvm::DenseMap<mlir::Value, unsigned> symbolOf;
  /// By memref and dimension.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, unsigned> dimensionOf;
  llvm::DenseMap<mlir::Value, std::optional<SizePolynomial>> known;
  llvm::DenseMap<mlir::Operation *, std::optional<SizePolynomial>> bytesOf;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_SIZEPOLYNOMIAL_H
