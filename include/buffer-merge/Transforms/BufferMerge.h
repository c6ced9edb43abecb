//===- Merging as a library call --------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_BUFFERMERGE_H
#define BUFFER_MERGE_TRANSFORMS_BUFFERMERGE_H

#include "buffer-merge/Planning/MergePlan.h"
#include "buffer-merge/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

namespace buffer_merge {
/// Create a `memref.alloc` with the size, alignment and memory space of `plan`.
mlir::Value createPoolAlloc(mlir::OpBuilder &builder, mlir::Location loc,
                            const PoolPlan &plan);

/// Create a `memref.dealloc` of `pool`.
void createPoolDealloc(mlir::OpBuilder &builder, mlir::Location loc,
                       const PoolPlan &plan, mlir::Value pool);

/// The options of merging.
struct BufferMergeOptions {
  /// What is decided. A scheduler must be given.
  MergePlanOptions plan;

  /// Erase the copies of which source and target become one view, or views of
  /// it with the same elements in the same places; let buffers be the parts of
  /// others that they are copied into, if the plan takes no more for it, with
  /// `findInPlacePairs`; and fill the target of those whose source holds one
  /// scalar.
  bool eraseCopies = true;
  /// With `PoolStorage::Arena`: let public functions and those with a marked
  /// argument assert that the arena is large enough and aligned.
  bool arenaChecks = true;
  /// Find out what would lower the peak of the program: the eight best options
  /// and changes (`MergePlan::advice`); and what would make each pool smaller:
  /// the three best changes (`PoolPlan::advice`). This plans the program up to
  /// eleven times, and schedules each pool up to 21 times.
  bool advise = false;
  /// Called to create a pool with the storage `Alloc`, at the front of its
  /// scope, which is the insertion point of the builder. It may create
  /// operations there. It must return a value of the type `plan.getPoolType()`,
  /// or of that type with more bytes or a dynamic size, that is aligned to
  /// `Pool::schedule.poolAlignment` bytes. Nothing else may use the memory
  /// until the end of the scope. The default is a `memref.alloc`.
  ///
  /// Note: defined only here, not as an option of the passes.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location,
                            const PoolPlan &plan)>
      createPool = createPoolAlloc;

  /// Called to free a pool that `createPool` has made, at each exit of its
  /// scope, if and only if the program frees one of the buffers of the pool (R3
  /// deallocations), or if the function has several blocks and frees nothing
  /// (`PoolPlan::needsManualDealloc`). The default creates a `memref.dealloc`.
  ///
  /// Note: defined only here, not as an option of the passes.
  std::function<void(mlir::OpBuilder &, mlir::Location, const PoolPlan &plan,
                     mlir::Value pool)>
      destroyPool = createPoolDealloc;

  /// Called with the operation and the plan that is made without
  /// `plan.fixOffsets`: return true if the offsets that were decided elsewhere
  /// are those of the plan, which is carried out then. Null if there are none.
  ///
  /// Note: defined only here; the option `offsets` of the passes sets it.
  std::function<bool(mlir::Operation *, const MergePlan &)> isPlanGiven;

  /// Called with the operation and its plan before anything changes, to inspect
  /// the plan or to write a report. If it fails, nothing changes. By default it
  /// does nothing.
  ///
  /// Note: defined only here, not as an option of the passes.
  std::function<llvm::LogicalResult(mlir::Operation *, const MergePlan &)>
      inspectPlan =
          [](mlir::Operation *, const MergePlan &) { return llvm::success(); };
};

/// The result of merging.
struct BufferMergeResult {
  /// Allocations replaced by views, and those left alone.
  int64_t numMerged = 0;
  int64_t numLeft = 0;
  /// `numLeft` by reason, in the order of `getAllReasons()`.
  llvm::SmallVector<int64_t> numLeftByReason;
  /// Of the merged allocations, those of which each value is a buffer of its
  /// own.
  int64_t numSplit = 0;
  /// Copies erased because source and target have become one view.
  int64_t numCopiesErased = 0;
  /// Copies of filled buffers that became fills.
  int64_t numRefilled = 0;
  /// Pools that were made.
  int64_t numPools = 0;
  /// Barriers inserted into kernels.
  int64_t numBarriers = 0;
  /// Bytes of the allocations that pools replace, and of the pools.
  int64_t bytesMerged = 0;
  int64_t bytesPools = 0;
};

/// Replace the buffers of every pool of `plan` that has no reason not to be
/// with views of one memref at the front of the scope (R1 pool, R2 views, R3
/// deallocations), and the allocations that share an earlier one with that one.
/// Decides nothing: the plan is final. `plan` and its lifetimes are stale
/// afterwards.
BufferMergeResult
applyMergePlan(mlir::RewriterBase &rewriter, const MergePlan &plan,
               const BufferMergeOptions &options = BufferMergeOptions());

/// Decide what `mergeBuffers` with the same options would do, and show it to
/// `options.inspectPlan`, then to `show`. Fail if `computeMergePlan` or
/// `inspectPlan` does; that a capacity is exceeded, or that something stays, is
/// no failure here. IR is the same afterwards.
llvm::LogicalResult
inspectMergePlan(mlir::Operation *root, const BufferMergeOptions &options,
                 llvm::function_ref<void(const MergePlan &)> show);

/// Merge what can be merged inside `root`: plan, remarks, rewrite. Allocations
/// that cannot be merged are left alone. Fails without changing anything if a
/// pool exceeds its capacity (unless `options.plan.overCapacity` makes that a
/// warning), or if `computeMergePlan` or `inspectPlan` fails.
///
/// ```
///   BufferMergeOptions options;
///   options.plan.scheduler = lookupScheduler("best-fit");
///   mergeBuffers(module, options);
/// ```
llvm::FailureOr<BufferMergeResult>
mergeBuffers(mlir::Operation *root, const BufferMergeOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_BUFFERMERGE_H
