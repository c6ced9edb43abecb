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
#include "mlir/IR/PatternMatch.h"

namespace buffer_merge {
/// Create a `memref.alloc` with the size, alignment and memory space of `plan`.
mlir::Value createPoolAlloc(mlir::OpBuilder &builder, mlir::Location loc,
                            const PoolPlan &plan);

/// Create a `memref.dealloc` of `pool`.
void createPoolDealloc(mlir::OpBuilder &builder, mlir::Location loc,
                       const PoolPlan &plan, mlir::Value pool);

/// What merging does and how.
struct BufferMergeOptions {
  /// What is mergeable.
  BufferLifetimesOptions lifetimes;
  /// How pools are scheduled. A scheduler must be given.
  MergePlanOptions plan;

  /// Merge the workgroup attributions of kernels as well, if that saves bytes.
  /// They are made allocations for that, and attributions again if they stay.
  bool mergeAttributions = false;
  /// Where pools come from. What is not possible for a pool stays `Alloc`, or
  /// is an error that changes nothing: docs/Pools.md says which.
  PoolStorage pool = PoolStorage::Alloc;
  /// Pools of more bytes than this are not put on the stack; 0 or more.
  int64_t stackLimit = 16384;

  /// Called to make a pool with the storage `Alloc`, at the front of its scope:
  /// at the insertion point of the builder, where operations may be created. It
  /// must return a value of the type `plan.getPoolType()`, or of that type with
  /// more bytes or a dynamic size, that is aligned to
  /// `plan.schedule.poolAlignment` bytes and belongs to nobody else until the
  /// scope is done. By default it is a `memref.alloc`.
  ///
  /// Note: defined only here, not as an option of the passes.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location,
                            const PoolPlan &plan)>
      createPool = createPoolAlloc;

  /// Called to free a pool that `createPool` has made, at each exit of its
  /// scope, if and only if the program frees one of the buffers of the pool
  /// (R3 deallocations), or if the function has several blocks and nothing is
  /// freed yet
  /// (`PoolPlan::needsManualDealloc`). By default it creates a
  /// `memref.dealloc`.
  ///
  /// Note: defined only here, not as an option of the passes.
  std::function<void(mlir::OpBuilder &, mlir::Location, const PoolPlan &plan,
                     mlir::Value pool)>
      destroyPool = createPoolDealloc;

  /// Called with the operation and its pools before they are scheduled, to fix
  /// offsets that were decided elsewhere (`Buffer::fixedOffset`). If it fails,
  /// nothing changes. A pool whose fixed offsets exclude each other is left
  /// alone. By default it does nothing.
  ///
  /// Note: defined only here; the option `offsets` of the passes sets it.
  std::function<llvm::LogicalResult(mlir::Operation *, MergePlan &)>
      fixOffsets =
          [](mlir::Operation *, MergePlan &) { return llvm::success(); };

  /// Called with the operation and its plan before anything changes, to look at
  /// the plan or to write a report on it. If it fails, nothing changes. By
  /// default it does nothing.
  ///
  /// Note: defined only here, not as an option of the passes.
  std::function<llvm::LogicalResult(mlir::Operation *, const MergePlan &)>
      inspectPlan =
          [](mlir::Operation *, const MergePlan &) { return llvm::success(); };
};

/// What merging has done.
struct BufferMergeResult {
  /// Allocations replaced by views, and those left alone.
  int64_t numMerged = 0;
  int64_t numLeft = 0;
  /// `numLeft` by reason, in the order of `getAllReasons()`.
  llvm::SmallVector<int64_t> numLeftByReason;
  /// Allocations of dynamic shape replaced by earlier ones of equal size. They
  /// are neither merged nor left.
  int64_t numShared = 0;
  /// Pools made.
  int64_t numPools = 0;
  /// Barriers inserted into kernels.
  int64_t numBarriers = 0;
  /// Bytes of the allocations that pools replace, and of the pools.
  int64_t bytesMerged = 0;
  int64_t bytesPools = 0;
};

/// Replace the buffers of every pool of `plan` that has no reason not to be by
/// views of one allocation at the front of the scope (R1 pool, R2 views, R3
/// deallocations), and the allocations that share an earlier one by that one.
/// Decides nothing: where a pool comes from, its plan says. The function of a
/// pool with the storage `Arena` must have an argument for it. `plan` and the
/// lifetimes behind it are stale afterwards.
BufferMergeResult
applyMergePlan(mlir::RewriterBase &rewriter, const MergePlan &plan,
               const BufferMergeOptions &options = BufferMergeOptions());

/// Merge what can be merged inside `root`: lifetimes, plan, remarks, rewrite.
/// What cannot be merged is left alone. It fails, with nothing changed, if a
/// pool exceeds its capacity (unless `options.plan.overCapacity` says that this
/// is a warning), if `fixOffsets` or `inspectPlan` fails, or if
/// `options.pool` is not possible.
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
