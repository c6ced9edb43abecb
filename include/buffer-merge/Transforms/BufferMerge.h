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

/// The options of merging.
struct BufferMergeOptions {
  /// The options of the analysis.
  BufferLifetimesOptions lifetimes;
  /// The options of planning. A scheduler must be given.
  MergePlanOptions plan;

  /// Merge the workgroup attributions of kernels as well, if that saves bytes.
  /// They are converted to allocations first, and back to attributions if they
  /// stay.
  bool mergeAttributions = false;
  /// The storage of pools. If it is not possible for a pool, the pool is
  /// allocated, or there is an error and nothing changes; docs/Pools.md lists
  /// the cases.
  PoolStorage pool = PoolStorage::Alloc;
  /// Pools of more bytes than this are not put on the stack; 0 or more.
  int64_t stackLimit = 16384;

  /// Called to create a pool with the storage `Alloc`, at the front of its
  /// scope, which is the insertion point of the builder. It may create
  /// operations there. It must return a value of the type `plan.getPoolType()`,
  /// or of that type with more bytes or a dynamic size, that is aligned to
  /// `plan.schedule.poolAlignment` bytes. Nothing else may use the memory until
  /// the end of the scope. The default is a `memref.alloc`.
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

  /// Called with the operation and its pools before they are scheduled, to fix
  /// offsets that were decided elsewhere (`Buffer::fixedOffset`). If it fails,
  /// nothing changes. A pool with contradictory fixed offsets is left alone. By
  /// default it does nothing.
  ///
  /// Note: defined only here; the option `offsets` of the passes sets it.
  std::function<llvm::LogicalResult(mlir::Operation *, MergePlan &)>
      fixOffsets =
          [](mlir::Operation *, MergePlan &) { return llvm::success(); };

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
  /// Allocations of dynamic shape replaced by earlier ones of equal size. They
  /// are neither merged nor left.
  int64_t numShared = 0;
  /// Pools that were made.
  int64_t numPools = 0;
  /// Barriers inserted into kernels.
  int64_t numBarriers = 0;
  /// Bytes of the allocations that pools replace, and of the pools.
  int64_t bytesMerged = 0;
  int64_t bytesPools = 0;
};

/// Replace the buffers of every pool of `plan` without a reason by views of one
/// pool at the front of the scope (R1 pool, R2 views, R3 deallocations), and
/// allocations that share an earlier allocation by that one. Makes no
/// decisions: the plan contains them all, including the storage of each pool.
/// The function of a pool with the storage `Arena` must have an argument for
/// it. `plan` and its lifetimes are invalid afterwards.
BufferMergeResult
applyMergePlan(mlir::RewriterBase &rewriter, const MergePlan &plan,
               const BufferMergeOptions &options = BufferMergeOptions());

/// Merge what can be merged inside `root`: lifetimes, plan, remarks, rewrite.
/// Allocations that cannot be merged are left alone. Fails without changing
/// anything if a pool exceeds its capacity (unless `options.plan.overCapacity`
/// makes that a warning), if `fixOffsets` or `inspectPlan` fails, or if
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
