//===- Bump.h - Scheduling without reuse ------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULERS_BUMP_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULERS_BUMP_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// `bump`: one buffer after the other, no byte is used twice.
///
/// - Source: the arena without free of every allocator course; the "trivial"
///   planner of MLIR's static memory planner (llvm/llvm-project#205125).
/// - Objective: none. It is the baseline, and merging without reuse tells a
///   wrong lifetime from a wrong rewrite when a miscompile is bisected.
/// - Guarantee: no two buffers share bytes, whatever their lifetimes.
/// - Complexity: O(n), O(n log n) with fixed offsets.
/// - Failure: the sum of sizes does not fit the capacity.
///
/// Buffers with a fixed offset are placed first; each other buffer, in the
/// order of the problem, goes to the lowest aligned offset that is above the
/// one before it and hits no fixed buffer.
std::unique_ptr<Scheduler> createBumpScheduler();
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULERS_BUMP_H
