//===- PeakLimits.h - Plans that do not raise the peak ----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_PEAKLIMITS_H
#define BUFFER_MERGE_LIB_PLANNING_PEAKLIMITS_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
class ArenaPlan;

/// Replace the pools of `plan` that would raise the peak of the program (R7
/// peak): those that are allocated, on the stack, or in one of `arenas`, which
/// is null without `PoolStorage::Arena` and is not computed yet.
void limitPeaks(const ArenaPlan *arenas, MergePlan &plan,
                const MergePlanOptions &options);

/// Give up pools of `plan`, the largest first, of functions that hold more
/// bytes at their peak than without pools, padding aside: `limitPeaks` promises
/// that there are none, and this measures the plan instead of the way to it.
void enforcePeaks(MergePlan &plan, const MergePlanOptions &options);

/// Return the functions in which what `plan` puts into results may raise the
/// peak of a path (R7 peak).
llvm::DenseSet<mlir::Operation *> findRaisedByResults(const MergePlan &plan);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_PEAKLIMITS_H
