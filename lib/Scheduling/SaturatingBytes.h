//===- SaturatingBytes.h - Sums and products of bytes -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs may ask for any number of bytes: sums and products of what they ask
// for stop at `maxBytes`.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SATURATINGBYTES_H
#define BUFFER_MERGE_LIB_SCHEDULING_SATURATINGBYTES_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdint>

namespace buffer_merge {
/// Return `a + b`, at most `maxBytes`. Both are 0 or more.
inline int64_t addBytes(int64_t a, int64_t b) {
  return std::min(a, maxBytes - std::min(b, maxBytes)) + std::min(b, maxBytes);
}

/// Return `a * b`, at most `maxBytes`. Both are 0 or more.
inline int64_t multiplyBytes(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? maxBytes
                                          : std::min(product, maxBytes);
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SATURATINGBYTES_H
