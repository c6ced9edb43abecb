//===- RegionExecution.h - How an operation runs its regions ----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_REGIONEXECUTION_H
#define BUFFER_MERGE_ANALYSIS_REGIONEXECUTION_H

#include "mlir/IR/OpDefinition.h"

namespace buffer_merge {
/// How often, when and in which threads an operation runs its regions.
enum class RegionExecution {
  /// Each region at most once, in the thread that executes the operation, which
  /// is done when they are: `scf.if`.
  Once,
  /// Any number of times, one execution after the other, in that thread, and
  /// done when they are: `scf.for`.
  Repeated,
  /// Any number of times, possibly by several threads at the same time; all
  /// executions are complete when the operation is: `scf.parallel`.
  Parallel,
  /// The same, but they may begin or last until after the end of the operation:
  /// `async.execute`.
  Deferred,
  /// Nothing is known. In addition, the threads may share memory of other
  /// spaces than the default one, as those of a GPU do.
  Unknown,
};
} // namespace buffer_merge

#include "buffer-merge/Analysis/RegionExecutionOpInterface.h.inc"

namespace buffer_merge {
/// Return how `op`, which has regions, runs them: what its
/// `RegionExecutionOpInterface` says; for operations without that interface
///
/// - what is known of an operation of MLIR whose interfaces do not tell, such
///   as `async.execute`, `gpu.launch`, `affine.if` and those of OpenMP;
/// - for an operation with `RegionBranchOpInterface`: `Parallel` if it has the
///   trait `HasParallelRegion`, `Once` if its invocation bounds limit each
///   region to one execution, `Repeated` if it is a `LoopLikeOpInterface`;
/// - `Unknown` for all others, and for those of dialects whose operations may
///   continue after their end (`mayActLater`): `acc.loop` implements all of
///   these interfaces and may run in parallel.
///
/// Regions of functions are `Unknown`, too.
RegionExecution getRegionExecution(mlir::Operation *op);
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_REGIONEXECUTION_H
