//===- PeakLimit.h - Pools that do not raise the peak -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_PEAKLIMIT_H
#define BUFFER_MERGE_LIB_PLANNING_PEAKLIMIT_H

#include "Planning/Heap/ProgramHeap.h"

namespace buffer_merge {
/// What a pool holds for a callee, whose pool is a part of it, during a call.
struct CalleePart {
  mlir::Operation *call;
  /// Its index in the graph of functions.
  unsigned callee;
  /// The part as a buffer of the caller.
  Buffer place;
  /// The bytes that the callee would leave behind without pools, and that are
  /// in the part.
  int64_t leftBytes = 0;
};

/// Return `plan`, which has a pool, or the plans that replace it so
/// that no path through the scope holds more bytes at its peak than without
/// pools (R7 peak): smaller pools, held for less time, or in a branch that may
/// not be taken (`BranchTree`); and one plan without a pool, with the reason
/// `RaisesPeak`, for the buffers that stay. `baseline` is the baseline.
///
/// What a pool takes for the alignment of its buffers does not count.
///
/// A pool that is not allocated has `parts` for callees, and is held as long as
/// the scope runs: if it would raise the peak of the worst path it has fewer
/// buffers, or none if not `mayBeHeld`, and there are allocated pools for the
/// others. It counts as its lower bound, so that what the scheduler does not
/// reach is no reason to allocate. What `erased` holds does not count at
/// all (`PoolPlan::isErased`).
llvm::SmallVector<PoolPlan, 0>
limitPeak(PoolPlan plan, const ProgramHeap &baseline,
          const MergePlanOptions &options, llvm::ArrayRef<CalleePart> parts,
          const llvm::DenseSet<const BufferLifetime *> &erased, bool mayBeHeld);

/// Return true if the worst path through the function body `scope` would hold
/// more bytes at its peak than without pools if it held `parts` of callees as
/// long as it runs, and no pool of its own.
bool raisePeak(mlir::Region *scope, llvm::ArrayRef<CalleePart> parts,
               const ProgramHeap &baseline, const MergePlanOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_PEAKLIMIT_H
