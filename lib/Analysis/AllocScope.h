//===- AllocScope.h - The region that owns a pool ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_ALLOCSCOPE_H
#define BUFFER_MERGE_LIB_ANALYSIS_ALLOCSCOPE_H

#include "buffer-merge/Analysis/RegionExecution.h"
#include "buffer-merge/Analysis/UnmergeableReason.h"
#include "llvm/ADT/DenseMap.h"

#include <variant>

namespace buffer_merge {
/// Return the alloc scope of `op`: the region whose executions own one pool per
/// memory space each, for everything allocated by `op`. The pool is allocated
/// at the front of its entry block.
///
/// It is the region that belongs to the nearest enclosing operation with the
/// trait `AutomaticAllocationScope` that is no sequential loop; or to an
/// `async.func`, which lacks the trait.
///
/// Otherwise return why it has none (`NoAllocScope`): it is outside of
/// functions, or an operation in between is not known to run its region in
/// sequence in one thread, so that concurrent executions would share a pool of
/// the scope.
std::variant<mlir::Region *, Refusal> findAllocScope(mlir::Operation *op);

/// Finds the alloc scopes of many operations, and climbs to each from a region
/// once: a nest of n loops may have allocations at each of its levels. Not to
/// be used by several threads.
class AllocScopes {
public:
  /// Return `findAllocScope(op)`.
  std::variant<mlir::Region *, Refusal> find(mlir::Operation *op) const;

private:
  mutable llvm::DenseMap<mlir::Region *, std::variant<mlir::Region *, Refusal>>
      scopes;
};

/// Return true if `op` runs its regions in sequence, in the thread that
/// executes it, and is done when they are.
inline bool isSequentialRegionOp(mlir::Operation *op) {
  RegionExecution execution = getRegionExecution(op);
  return execution == RegionExecution::Once ||
         execution == RegionExecution::Repeated;
}

/// Return true if `op` runs each of its regions at most once, in sequence. An
/// access inside extends no lifetime to all of `op` (L3 repetition, L5
/// exclusive branches).
inline bool runsRegionsAtMostOnce(mlir::Operation *op) {
  return getRegionExecution(op) == RegionExecution::Once;
}

/// Return true if all work of the regions of an operation is complete when the
/// operation is, however often and in however many threads they run.
bool isDoneAtEnd(RegionExecution execution);
inline bool isDoneAtEnd(mlir::Operation *op) {
  return isDoneAtEnd(getRegionExecution(op));
}

/// Return true if `op` declares all of its successors, and is no part of a
/// coroutine, in the `async` dialect or with LLVM's intrinsics: that returns to
/// its caller when it is first suspended, and resumes later in another thread.
bool isKnownControlFlow(mlir::Operation *op);

/// Return true if that is so of everything inside `function`: its work is
/// complete when it returns. Linear in its size; `ExecutionOrder` has the
/// answer as well.
bool hasKnownControlFlow(mlir::Operation *function);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_ALLOCSCOPE_H
