//===- PeakLimit.h - Pools that do not raise the peak -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_PEAKLIMIT_H
#define BUFFER_MERGE_LIB_PLANNING_PEAKLIMIT_H

#include "HeapUse.h"

namespace buffer_merge {
/// Return `plan`, which has an allocated pool, or the plans that replace it so
/// that no path through the scope holds more bytes at its peak than without
/// pools (R7 peak): smaller pools, held for less time, or in a branch that may
/// not be taken (`BranchTree`); and one plan without a pool, with the reason
/// `RaisesPeak`, for the buffers that stay.
///
/// That is so whether allocations are freed after their last uses or where
/// stock passes can free them: `heapUses` are the baselines, the first one with
/// `FreePoint::LastUse`.
///
/// Buffers are compared with the padding that their alignment in the pool
/// needs.
llvm::SmallVector<PoolPlan, 0> limitPeak(PoolPlan plan,
                                         llvm::ArrayRef<HeapUse> heapUses,
                                         const MergePlanOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_PEAKLIMIT_H
