//===- RefillCopies.h - Fills in place of copies of fills -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_REFILLCOPIES_H
#define BUFFER_MERGE_TRANSFORMS_REFILLCOPIES_H

#include "buffer-merge/Transforms/SplitBuffers.h"

namespace buffer_merge {
/// The result of refilling.
struct RefillCopiesResult {
  /// Copies that became fills.
  int64_t numRefilled = 0;
  /// Fills that nothing read any more, which were erased.
  int64_t numErased = 0;
};

/// Replace each `memref.copy` inside `root` whose source has been filled with
/// one scalar (`linalg.fill`), and not changed since, by a fill of its target:
/// it moves half of the bytes, and the source is no longer needed.
///
/// ```
///   linalg.fill ins(%x) outs(%a)         linalg.fill ins(%x) outs(%b)
///   memref.copy %a, %b            ==>    linalg.matmul outs(%b)
///   linalg.matmul outs(%b)               linalg.fill ins(%x) outs(%c)
///   memref.copy %a, %c
/// ```
///
/// The source is a `memref.alloc` that `splitBuffers` with the same options
/// could split, the target has the same memory space.
RefillCopiesResult refillCopies(mlir::Operation *root,
                                const SplitBuffersOptions &options = {});
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_REFILLCOPIES_H
