//===- SharedAllocation.h - One allocation for several ----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_PLANNING_SHAREDALLOCATION_H
#define BUFFER_MERGE_PLANNING_SHAREDALLOCATION_H

#include "buffer-merge/Analysis/BufferLifetimes.h"
#include "buffer-merge/Planning/MergePlanOptions.h"

namespace buffer_merge {
/// Shareable buffers of equal size and disjoint lifetimes that share one
/// allocation.
///
/// ```
///   %a = memref.alloc(%n)            %a = memref.alloc(%n)
///   ... accesses %a                  ... accesses %a
///   %b = memref.alloc(%n)     -->
///   ... accesses %b                  ... accesses %a
/// ```
struct SharedAllocation {
  /// Two or more, in the order of execution of their allocations. The first
  /// allocation dominates the others, which it replaces.
  llvm::SmallVector<const BufferLifetime *> buffers;
  /// The alignment that the first allocation must have, or nothing if its
  /// current alignment is enough.
  std::optional<int64_t> alignment;
  /// The deallocation that stays, or null. All others of the buffers are
  /// erased.
  mlir::memref::DeallocOp lastDealloc;
  /// The allocation is freed by a new deallocation, at the end of its block.
  bool isFreedAtEnd = false;
};

/// Find shareable buffers, not `others`, that can share one allocation: they
/// have the same
/// type and alloc scope, sizes that are proved to be equal, and disjoint
/// lifetimes, and one allocation dominates the others.
///
/// If buffers are deallocated, the end of all their uses must be known: either
/// all are allocated in one block, in which the last one is deallocated, or
/// they are not used outside of the region that allocates the first one, and
/// that region has one block.
///
/// With `limitPeak`, the heap never holds more than without sharing, whatever
/// the sizes are: a buffer ends there, and the allocation that it shares is
/// held until the next one is allocated only if nothing is freed in between
/// after something was allocated.
///
/// ```
///   memref.dealloc %a        // held until %b instead: as much as behind %b
///   memref.dealloc %x
///   %y = memref.alloc(%m)
///   %b = memref.alloc(%n)
/// ```
///
/// Each buffer is compared with a limited number of allocations, in the order
/// of execution: O(n log n) time for n buffers.
llvm::SmallVector<SharedAllocation, 0> findSharedAllocations(
    const BufferLifetimes &lifetimes,
    std::optional<FreePoint> limitPeak = std::nullopt,
    const llvm::DenseSet<const BufferLifetime *> &others = {});
} // namespace buffer_merge

#endif // BUFFER_MERGE_PLANNING_SHAREDALLOCATION_H
