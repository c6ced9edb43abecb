//===- PoolCollection.h - Which buffers may share a pool --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_POOLCOLLECTION_H
#define BUFFER_MERGE_LIB_PLANNING_POOLCOLLECTION_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Add to `problem` that its buffers `earlier` and `later` are those of `pair`.
void addInPlacePair(SchedulingProblem &problem, BufferId earlier,
                    BufferId later, const InPlaceBuffers &pair);

/// Start a plan: group the mergeable ones of `buffers`, which are of
/// `lifetimes` (`PlannedBuffers`), by alloc scope and memory space,
/// and build the problem of each group, without capacity and conflicts. Nothing
/// is decided yet, except that workgroup memory may have a `NoPool` with the
/// reason `DynamicMemory`.
MergePlan collectPools(const BufferLifetimes &lifetimes,
                       llvm::ArrayRef<const BufferLifetime *> buffers,
                       const MergePlanOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_POOLCOLLECTION_H
