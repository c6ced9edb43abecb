//===- ArgumentPools.h - Buffers in arguments -------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_ARGUMENTPOOLS_H
#define BUFFER_MERGE_LIB_PLANNING_ARGUMENTPOOLS_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Choose mergeable buffers of `lifetimes` that arguments hold while these are
/// free (`findLentArguments`), one at a time, and return a decided pool for
/// each argument that holds one.
///
/// Only a buffer that is alive when the function holds most without it is worth
/// that: at each such peak the largest one goes into the smallest argument that
/// can hold it, until none does. It needs the element type of the argument,
/// because nothing in `memref` makes bytes of anything else.
///
/// Arguments that could hold one, but for attributes that would become false,
/// are added to `refused`.
///
/// Allocations that one of `options.usesResults` returns hold buffers in the
/// same way, until the function accesses them, or in place. Of hundreds of
/// buffers only some are tried, and only if the others hold half as much then.
llvm::SmallVector<PoolPlan, 0>
planArgumentPools(const BufferLifetimes &lifetimes,
                  llvm::ArrayRef<const BufferLifetime *> buffers,
                  const MergePlanOptions &options,
                  llvm::SmallVectorImpl<RefusedArgument> &refused);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_ARGUMENTPOOLS_H
