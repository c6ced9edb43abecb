//===- SharedFreeList.h - Whole blocks matched best-fit ---------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULERS_SHAREDFREELIST_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULERS_SHAREDFREELIST_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// `shared-free-list`: allocate and free in the order of time; blocks are
/// reused whole. A buffer takes the smallest free block of at least its size
/// and at most 16 times as much; else the largest smaller block of at least a
/// sixteenth, fused with free neighbours as long as bytes are missing, and
/// extended by what is still missing; else a new block.
///
/// - Source: the free list of TVM's pass that merges shared memory allocations
///   (tvm::tir, MergeSharedMemoryAllocations). There, freed blocks are fused
///   wherever they lie, which lets buffers that are alive together overlap;
///   here, only neighbours are.
/// - Objective: a simple plan for the few buffers of a GPU kernel.
/// - Guarantee: none on the pool.
/// - Complexity: O(n log n).
/// - Failure: the pool does not fit the capacity.
///
/// Mixed alignments, conflicts and fixed offsets are honoured by an adapter
/// that keeps the order of buffers from bottom to top and shifts them.
std::unique_ptr<Scheduler> createSharedFreeListScheduler();
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULERS_SHAREDFREELIST_H
