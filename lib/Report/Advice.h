//===- Advice.h - What would help, in words ---------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_ADVICE_H
#define BUFFER_MERGE_LIB_REPORT_ADVICE_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Return where `advice` for `pool` is about: the buffer or, for options, the
/// scope.
mlir::Location getAdviceLocation(const PoolPlan &pool,
                                 const PoolAdvice &advice);

/// Return `advice` about `pool` as a sentence without a final period, in which
/// its buffer is called `buffer`: what is said at `getAdviceLocation` is about
/// this one.
std::string describeChange(const PoolPlan &pool, const PoolAdvice &advice,
                           llvm::StringRef buffer = "this buffer");

/// Return what helps `allocation` of `lifetimes`, which stays for `reason`,
/// without a final period; empty if nothing is known to. `reasonOp` is what the
/// reason is about, or null. Where what is there decides, the answer is about
/// that: which operation or attribute would bound the size, whether a promise
/// about `reasonOp` would do.
std::string getLeftAdvice(const BufferLifetimes &lifetimes,
                          UnmergeableReason reason, mlir::Operation *reasonOp,
                          mlir::Operation *allocation);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_ADVICE_H
