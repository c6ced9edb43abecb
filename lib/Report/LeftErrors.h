//===- LeftErrors.h - Allocations that must not stay ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_LEFTERRORS_H
#define BUFFER_MERGE_LIB_REPORT_LEFTERRORS_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Emit an error with the reason for every allocation that stays in `plan`,
/// and, if `storage` is not `Alloc`, for every pool that is allocated all the
/// same. Fail if there is one. What is on the stack anyway is none, and what is
/// in `haveLowering`: it needs no heap.
///
/// ```
///   error: the allocation stays: returned, its function returns it
///   error: the pool of 'f' cannot be a global: the function is recursive
/// ```
llvm::LogicalResult
emitLeftErrors(const MergePlan &plan, PoolStorage storage,
               const llvm::DenseSet<mlir::Operation *> &haveLowering);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_LEFTERRORS_H
