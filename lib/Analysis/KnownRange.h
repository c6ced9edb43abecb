//===- Numbers that values may be -------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_KNOWNRANGE_H
#define BUFFER_MERGE_LIB_ANALYSIS_KNOWNRANGE_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ValueRange.h"

#include <optional>

namespace buffer_merge {
/// The least and the greatest number that something may be, both included, as
/// far as they are known.
struct KnownRange {
  std::optional<int64_t> lower;
  std::optional<int64_t> upper;
};

/// Return the range of `map`, which has one result and no symbols, applied to
/// `operands` of type `index`, by MLIR's `ValueBoundsOpInterface` and
/// Fourier-Motzkin elimination. A bound that does not fit 64 bits is not known.
///
/// The cost does not grow with the program: values that are further away than a
/// few dozen operations may be anything, and so may those of which the
/// elimination would take more than a few hundred constraints.
KnownRange computeRange(mlir::AffineMap map, mlir::ValueRange operands);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_KNOWNRANGE_H
