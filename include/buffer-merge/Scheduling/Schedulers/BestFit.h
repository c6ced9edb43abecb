//===- BestFit.h - Online best-fit scheduling -------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULERS_BESTFIT_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULERS_BESTFIT_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// `best-fit`: buffers in the order of their begin; each takes the smallest gap
/// between the buffers still alive that holds it, or the top of the pool.
///
/// - Source: best-fit of MLIR's static memory planner
///   (llvm/llvm-project#207403) and the size-first cost model of the
///   compile-time allocation merging RFC.
/// - Objective: little waste in the gap taken. The pool is whatever results.
/// - Guarantee: none on the pool; 1.71 times the lower bound on average on the
///   instances published with MiniMalloc.
/// - Complexity: O(n log n); O(n * a) for a buffers alive at once, if conflicts
///   or fixed offsets concern all of them.
/// - Failure: the pool does not fit the capacity, or a fixed offset is taken.
///
/// Of several gaps of the same size the lowest is taken. Of buffers with the
/// same begin the larger comes first, then the one listed first.
std::unique_ptr<Scheduler> createBestFitScheduler();
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULERS_BESTFIT_H
