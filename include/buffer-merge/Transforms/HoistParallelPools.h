//===- Slots for the pools of parallel loops --------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_HOISTPARALLELPOOLS_H
#define BUFFER_MERGE_TRANSFORMS_HOISTPARALLELPOOLS_H

#include "buffer-merge/Planning/MergePlanOptions.h"

namespace buffer_merge {
/// The options of hoisting.
struct HoistParallelPoolsOptions {
  /// What is mergeable.
  BufferLifetimesOptions lifetimes;
  /// The algorithm that places the buffers of an iteration; must not be null.
  const Scheduler *scheduler = nullptr;
  /// The least alignment of buffers and slots in bytes, a power of two: slots
  /// of less than a line of a cache would share it between threads.
  int64_t alignment = 64;
  /// The most iterations of a loop that is given slots; 1 or more.
  int64_t maxSlots = 64;
};

/// The result of hoisting.
struct HoistParallelPoolsResult {
  /// Allocations that slots replace, and those in parallel bodies left alone.
  int64_t numHoisted = 0;
  int64_t numLeft = 0;
  /// Slots allocated.
  int64_t numSlots = 0;
};

/// Merge the buffers of each body of a parallel loop inside `root` into one
/// pool, whether that saves bytes or not, and let the pools of all iterations
/// be slots of one allocation in front of the loop, which has as many. Inner
/// loops come first, so that their slots are buffers of the outer ones. Emit
/// remarks for all pools. A second run changes nothing.
///
/// The loops are `scf.parallel`, `scf.forall` and `affine.parallel` outside of
/// device code with constant bounds and steps. If the program frees one of the
/// buffers, the slots are freed behind the loop. What is left alone is a pool
/// with the next `mergeBuffers`.
llvm::FailureOr<HoistParallelPoolsResult>
hoistParallelPools(mlir::Operation *root,
                   const HoistParallelPoolsOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_HOISTPARALLELPOOLS_H
