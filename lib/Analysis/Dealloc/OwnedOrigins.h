//===- OwnedOrigins.h - What flags of ownership allow to free ---*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_OWNEDORIGINS_H
#define BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_OWNEDORIGINS_H

#include "Analysis/BufferUses.h"

namespace buffer_merge {
/// Return a value without which `dealloc`, an operand of a deallocation, is not
/// freed: the condition of the `scf.if` around a `memref.dealloc`, or that of
/// the memref in a `bufferization.dealloc`. Null if none is known.
mlir::Value findFreeCondition(mlir::OpOperand &dealloc);

/// Of the origins of `memref` (`BufferAliases::getOrigins`) return those that
/// it may be a view of where `condition` is true, a value known there as well.
/// Nothing if there are too many values in between.
///
/// MLIR's `ownership-based-buffer-deallocation` lets a flag go with each memref
/// that says whether it is to be freed:
///
/// ```
///   %r, %owned = scf.for ... iter_args(%old = %first, %flag = %false) {
///     scf.if %flag { memref.dealloc %old }      // never %first
///     %new = memref.alloc()
///     scf.yield %new, %true
///   }
/// ```
///
/// What is bound to the memref is followed together with what is bound to the
/// flag at the same time, through arguments and results of blocks and regions
/// and selections; where the flag is false, nothing is freed. Only the way that
/// values take counts, and no outcome of a comparison: so it holds after a
/// merge that changes outcomes as well. `known` is as for `getOrigins`.
std::optional<llvm::SmallVector<mlir::Value>>
getOwnedOrigins(mlir::Value memref, mlir::Value condition,
                const BufferAliases &aliases, DistantOrigins *known = nullptr);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_OWNEDORIGINS_H
