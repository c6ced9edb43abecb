//===- Transforms.h - Transforms of buffers as functions --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_TRANSFORMS_H
#define BUFFER_MERGE_TRANSFORMS_TRANSFORMS_H

#include "buffer-merge/Analysis/BufferLifetimesOptions.h"
#include "buffer-merge/Planning/MergePlanOptions.h"

namespace buffer_merge {
/// The options of splitting.
struct SplitBuffersOptions {
  /// What a call may do with a buffer that is passed to it.
  CallPolicy calls = CallPolicy::KeepNothing;
  /// Which memory the threads of a workgroup share.
  WorkgroupOptions workgroup;
};

/// The result of splitting.
struct SplitBuffersResult {
  /// Allocations that were split.
  int64_t numSplit = 0;
  /// The allocations that they became.
  int64_t numParts = 0;
};

/// Replace each `memref.alloc` inside `root` that holds several values, one
/// after the other, by one allocation for each value, as the pass
/// `split-buffers` (Passes.td) describes. An allocation stays as it is if it is
/// not mergeable (`BufferLifetimes`), if it has a place of its own in the
/// program, or if it is in device code or in workgroup memory, where other
/// threads may still read the earlier value.
SplitBuffersResult splitBuffers(mlir::Operation *root,
                                const SplitBuffersOptions &options = {});

/// The options of emplacing.
struct EmplaceBuffersOptions : SplitBuffersOptions {
  /// Emplace buffers even if more bytes are alive at once then.
  bool mayRaisePeak = false;
  /// Emplace buffers into parts that are not contiguous, too.
  bool strided = false;
};

/// The result of emplacing.
struct EmplaceBuffersResult {
  /// Copies that vanished, and so many allocations.
  int64_t numEmplaced = 0;
  /// The bytes of one execution of each of these copies.
  int64_t bytesNotCopied = 0;
};

/// Let each `memref.alloc` inside `root` that is copied into a contiguous part
/// of another one be that part, so that nothing has to be copied, where that
/// meets what the pass `emplace-buffers` (Passes.td) asks for. The outer
/// allocation becomes one of bytes, with a view of each buffer: the types of
/// the buffers are the same as before. With `strided`, a part that is not
/// contiguous makes the inner buffer a subview, and the outer allocation stays.
EmplaceBuffersResult emplaceBuffers(mlir::Operation *root,
                                    const EmplaceBuffersOptions &options = {});

/// The options of propagating copies.
struct PropagateCopiesOptions : SplitBuffersOptions {
  /// What must be saved of the bytes that are alive at once, in the alloc scope
  /// and memory of the buffer, where an operation loses its name or is in a
  /// loop that the copy is not in; the larger of the two numbers counts.
  MinGain minGain;
  /// Do so there as well if it saves nothing.
  bool generalize = false;
};

/// The result of propagating copies.
struct PropagateCopiesResult {
  /// Allocations that vanished, and so many operations that wrote them.
  int64_t numBuffers = 0;
  /// The bytes of one execution of each of these allocations, as far as they
  /// are known.
  int64_t bytesNotMoved = 0;
  /// Operations with another name that became a `linalg.contract` or a
  /// `linalg.generic`.
  int64_t numGeneralized = 0;
};

/// Let operations of `linalg` inside `root` read the source of a copy instead
/// of the copy, a `memref.alloc` that one operation overwrites wholly, which
/// only moves elements: a transposition, a broadcast, a conversion to another
/// type, `memref.copy`. The readers compute the same, in the same order. The
/// pass `propagate-copies` (Passes.td) says what has to be true, and which
/// operations lose their name.
PropagateCopiesResult
propagateCopies(mlir::Operation *root,
                const PropagateCopiesOptions &options = {});

/// The options of reordering.
struct ReorderForPeakOptions : SplitBuffersOptions {
  /// How many states the searches of orders may look at, all together.
  int64_t steps = 200000;
  /// Take the orders that this returns instead, whatever they do to the peak:
  /// it is given the numbers of operations before each one that this must stay
  /// behind.
  ///
  /// Note: defined only here, not as an option of the pass: for tests of the
  /// dependences.
  std::function<llvm::SmallVector<unsigned, 0>(
      llvm::ArrayRef<llvm::SmallVector<unsigned, 4>> preds)>
      chooseOrder;
};

/// The result of reordering.
struct ReorderForPeakResult {
  /// Operations that have to move for the new order, apart from allocations,
  /// views and the like.
  int64_t numMoved = 0;
  /// What the program takes at its peak with `buffer-merge`, before and after,
  /// in bytes. The same if nothing has changed.
  int64_t peakBefore = 0, peakAfter = 0;
};

/// Change the order of operations inside of blocks inside `root` so that fewer
/// bytes are alive at once, as the pass `reorder-for-peak` (Passes.td)
/// describes. Nothing changes unless the peak of the program falls.
ReorderForPeakResult reorderForPeak(mlir::Operation *root,
                                    const ReorderForPeakOptions &options = {});

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
/// be slots of one allocation in front of the loop, as the pass
/// `hoist-parallel-pools` (Passes.td) describes. Emit remarks for all pools. A
/// second run changes nothing. What is left alone is a pool with the next
/// `mergeBuffers`.
llvm::FailureOr<HoistParallelPoolsResult>
hoistParallelPools(mlir::Operation *root,
                   const HoistParallelPoolsOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_TRANSFORMS_H
