//===- PoolSlots.h - A slot of a pool for each iteration --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_POOLSLOTS_H
#define BUFFER_MERGE_LIB_TRANSFORMS_POOLSLOTS_H

#include "buffer-merge/Planning/MergePlan.h"
#include "mlir/IR/PatternMatch.h"

namespace buffer_merge {
/// Allocate the slots for `plan`, a pool with `PoolStorage::Slots`, in front of
/// its loop, and return the slot of the iteration, at the insertion point in
/// the body of the loop:
///
/// ```
///   %slots = memref.alloc() : memref<512xi8>
///   scf.parallel (%i) = (%c2) to (%c10) step (%c2) {
///     // %offset = (%i - 2) / 2 * 128
///     %slot = memref.view %slots[%offset][] : memref<512xi8> to memref<128xi8>
/// ```
mlir::Value createSlot(mlir::RewriterBase &rewriter, const PoolPlan &plan);

/// Free the slots that `slot` is one of, behind the loop.
void freeSlots(mlir::RewriterBase &rewriter, mlir::Value slot);

/// Take back the slots that `slot`, which is not used, is one of.
void discardSlots(mlir::RewriterBase &rewriter, mlir::Value slot);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_POOLSLOTS_H
