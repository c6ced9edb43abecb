//===- AllocScope.h - The region that owns a pool ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_ALLOCSCOPE_H
#define BUFFER_MERGE_LIB_ANALYSIS_ALLOCSCOPE_H

#include "mlir/IR/Operation.h"

namespace buffer_merge {
/// Return the alloc scope of `op`: the region whose executions own one pool per
/// memory space each, for everything allocated by `op`. The pool is allocated
/// at the front of its entry block.
///
/// It is the region that belongs to the nearest enclosing operation of these: a
/// function with the trait `AutomaticAllocationScope`, `scf.forall`,
/// `scf.parallel`, `affine.parallel`, `gpu.launch`, `async.execute`,
/// `memref.alloca_scope`.
///
/// Return null if there is none, or if an operation in between is not known to
/// run its region in sequence in one thread: a pool of the scope would then be
/// shared by concurrent executions.
mlir::Region *findAllocScope(mlir::Operation *op);

/// Return true if `op` runs its regions in sequence, in the thread that
/// executes it, and is done when they are: loops and branches of the `scf` and
/// `affine` dialects, `memref.alloca_scope`.
bool isSequentialRegionOp(mlir::Operation *op);

/// Return true if `op` is a sequential region operation
/// (`isSequentialRegionOp`) that runs each of its regions at most once for each
/// execution of `op`: `scf.if`, `scf.index_switch`, `scf.execute_region`,
/// `affine.if`, `memref.alloca_scope`. An access inside extends no lifetime to
/// all of `op` (L3 repetition, L5 exclusive branches).
bool runsRegionsAtMostOnce(mlir::Operation *op);

/// Return true if all work of the regions of `op` is complete when `op` is,
/// however often and in however many threads they run. False for
/// `async.execute`, `omp.task` and unknown operations.
bool isDoneAtEnd(mlir::Operation *op);

/// Return true if the terminators of all blocks inside `function` declare all
/// of their successors, and the work of the function is complete when it
/// returns.
///
/// False for a coroutine, in the `async` dialect or with LLVM's intrinsics: it
/// returns to its caller when it is first suspended, and resumes later in
/// another thread. Linear in the size of the function.
bool hasKnownControlFlow(mlir::Operation *function);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_ALLOCSCOPE_H
