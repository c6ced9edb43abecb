//===- FirstFit.h - First-fit by lifetime -----------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULERS_FIRSTFIT_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULERS_FIRSTFIT_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// `first-fit`: each buffer at the lowest offset that is free for its whole
/// lifetime, in the order of begin, then size (largest first), then position.
///
/// - Source: first fit for offline dynamic storage allocation; the offset
///   packing that MLIR users ask for, where a large buffer is followed by
///   several small ones that are alive together: they share its bytes.
/// - Objective: a low top for each buffer as it is placed.
/// - Guarantee: none on the pool.
/// - Complexity: O(n log n) unless many gaps are just too small; O(n * a) for a
///   buffers alive at once, if conflicts or fixed offsets concern all of them.
/// - Failure: the pool does not fit the capacity.
std::unique_ptr<Scheduler> createFirstFitScheduler();
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULERS_FIRSTFIT_H
