//===- What to merge, and where to ------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_PLANNING_MERGEPLAN_H
#define BUFFER_MERGE_PLANNING_MERGEPLAN_H

#include "buffer-merge/Analysis/BufferLifetimes.h"
#include "buffer-merge/Planning/OverCapacityPolicy.h"
#include "buffer-merge/Planning/PoolStorage.h"
#include "buffer-merge/Planning/SharedAllocation.h"
#include "buffer-merge/Planning/WorkgroupPool.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Scheduler.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace buffer_merge {
/// The most bytes, 0 or more, that one pool may take of a memory.
struct Capacity {
  MemorySpaces spaces;
  int64_t bytes;

  Capacity(MemorySpaces spaces, int64_t bytes)
      : spaces(std::move(spaces)), bytes(bytes) {}
};

struct MergePlan;

/// What is decided about allocations, and how.
struct MergePlanOptions {
  /// What is mergeable.
  BufferLifetimesOptions lifetimes;
  /// The algorithm; must not be null.
  const Scheduler *scheduler = nullptr;
  /// Further inputs of the algorithm.
  SchedulerOptions schedulerOptions;
  /// The least alignment of pools and of buffers inside them, in bytes: a power
  /// of two. A buffer that needs a larger alignment gets it.
  int64_t alignment = 64;
  /// The same for workgroup memory, where bytes are scarce. 16 is enough for
  /// the widest loads, stores and copies of a thread.
  int64_t workgroupAlignment = 16;
  /// Which barriers pools in workgroup memory may rely on. New ones are placed
  /// in a `gpu.func` and a `gpu.launch` only.
  BarrierPolicy barriers = BarrierPolicy::Existing;
  /// The preferred kind of pools in workgroup memory. A `gpu.func` can have an
  /// attribution or dynamic memory, a `gpu.launch` only dynamic memory; all
  /// other pools are allocated.
  PoolKind workgroupPool = PoolKind::Attribution;
  /// Allocations in workgroup memory that can be lowered without a pool. A pool
  /// that contains only these must save bytes.
  llvm::DenseSet<mlir::Operation *> haveLowering;
  /// The most bytes that one pool may take, for each memory that has a limit.
  llvm::SmallVector<Capacity> capacities;
  /// How a pool that exceeds it is handled.
  OverCapacityPolicy overCapacity = OverCapacityPolicy::Error;

  /// Where pools are, apart from those in workgroup memory. What is not
  /// possible for a pool stays `Alloc`, or is an error: docs/Pools.md says
  /// which. With `Arena` and `Global` the root must be the top-level module.
  PoolStorage pool = PoolStorage::Alloc;
  /// Pools of more bytes than this are not put on the stack; 0 or more.
  int64_t stackLimit = 16384;

  /// Called with the operation and its pools before they are scheduled, to fix
  /// offsets that were decided elsewhere (`Buffer::fixedOffset`). If it fails,
  /// there is no plan. A pool whose fixed offsets exclude each other is left
  /// alone. By default it does nothing.
  ///
  /// Note: defined only here; the option `offsets` of the passes sets it.
  std::function<llvm::LogicalResult(mlir::Operation *, MergePlan &)>
      fixOffsets =
          [](mlir::Operation *, MergePlan &) { return llvm::success(); };

  /// Return the capacity of the memory that `memorySpace` stands for
  /// (`MemorySpaces::contains`), or null if it has no limit.
  const Capacity *findCapacity(mlir::Attribute memorySpace,
                               bool isInDeviceCode) const;
};

/// The mergeable buffers of one alloc scope in one memory space, and the pool
/// that may replace them.
struct PoolPlan {
  /// The alloc scope, or the kernel (`BufferLifetime::scope`).
  mlir::Region *scope;
  /// The attribute of the memref types, or null.
  mlir::Attribute memorySpace;
  /// In the order of execution of their allocations; a `BufferId` is an index.
  llvm::SmallVector<const BufferLifetime *> buffers;

  /// The threads of a workgroup share the pool.
  bool isWorkgroup = false;
  /// What the pool is; `Alloc` if it is not in workgroup memory.
  PoolKind kind = PoolKind::Alloc;
  /// Make the pool even if it saves nothing, because allocations in workgroup
  /// memory have no lowering in MLIR.
  bool isWantedAnyway = false;
  /// The synchronization of those threads; null if they do not share it.
  const WorkgroupSync *sync = nullptr;
  /// The pairs of buffers with disjoint lifetimes that must not share bytes
  /// because of a hazard between threads. The numbers are indices of `buffers`;
  /// sorted. Pairs that `barriers` separate are not included.
  llvm::SmallVector<SyncConflict, 0> conflicts;
  /// Barriers may be inserted to separate some of these pairs: `problem`
  /// contains only the others.
  bool mayInsertBarriers = false;
  /// An operation in the kernel or a callee that excludes inserted barriers
  /// (`OtherSync`), or null. Set only if `barriers` asks for insertion.
  mlir::Operation *barrierObstacle = nullptr;
  /// The operations before which barriers are to be inserted, in the order of
  /// the program.
  llvm::SmallVector<mlir::Operation *> barriers;
  /// For `Dynamic` in a `gpu.func`, all its launches.
  llvm::SmallVector<mlir::gpu::LaunchFuncOp> launches;

  /// Bytes of everything else that the kernel and its callees have in the same
  /// memory: attributions, globals, allocations that stay, barrier objects,
  /// reductions. They count towards the capacity; 0 if there is no capacity.
  int64_t otherBytes = 0;
  /// True if `otherBytes` already uses up the whole capacity.
  bool isFull = false;

  /// The input of the scheduler: `buildSchedulingProblem` of the buffers, with
  /// their conflicts and in-place pairs.
  SchedulingProblem problem;
  /// The sum of the sizes of all buffers.
  int64_t totalBytes = 0;
  /// The lower bound of `problem`.
  LowerBound lowerBound;
  /// Verified; empty if the scheduler found none.
  Schedule schedule;

  /// Why there is to be no pool: `NoPartner` or `NoGain` (R4 gain),
  /// `NotScheduled`, `OverCapacity`, `SizeOverflow`, or `DeallocGroup` for a
  /// pool that shares a deallocation with one of these; for workgroup memory,
  /// `DynamicMemory`. Nothing if the pool is to be made.
  std::optional<UnmergeableReason> reason;
  /// The bytes that the scope needs, if they exceed the capacity, and otherwise
  /// 0: the size of the pool that the scheduler would make or, without a pool,
  /// of all buffers. With `OverCapacityPolicy::Error` the reason is
  /// `OverCapacity` then; with `Warn` that is never a reason.
  int64_t neededBytes = 0;
  /// The message of the scheduler if it found no schedule.
  std::string message;

  /// Where the pool is.
  PoolStorage storage = PoolStorage::Alloc;
  /// Why `storage` is `Alloc` although another storage was requested, without a
  /// final period; empty if the request was met.
  std::string storageNote;

  /// Return true if the program deallocates one of the buffers, so that the
  /// pool must be freed at the end of its scope (R3 deallocations).
  bool isDeallocated() const;

  /// Return the bytes that every pool for these buffers needs, as proved by the
  /// scheduler or by `computeProvedBound`: at least `lowerBound`. A pool of
  /// this size is optimal. Like `lowerBound`, it ignores fixed offsets.
  int64_t getProvedBound() const;

  /// Return the bytes that are left for the pool: the capacity minus
  /// `otherBytes`, but not less than 0. There must be a capacity. (The capacity
  /// of a problem is at least 1.)
  int64_t getCapacity() const;

  /// Return the type of the pool: a memref of as many i8 as `schedule` needs.
  mlir::MemRefType getPoolType() const;

  /// Return true if an asynchronous operation may access one of the buffers
  /// after an execution of the scope (L8 asynchronous), so the pool must
  /// outlive it.
  bool isInFlightAtEnd() const;

  /// Return true if the program frees nothing, and no later pass could free the
  /// pool (`BufferLifetime::needsManualDealloc`).
  bool needsManualDealloc() const;
};

/// One use of workgroup memory by a kernel.
struct KernelBytes {
  /// `attribution`, `allocation`, `global`, `barrier object` or `reduction`.
  llvm::StringRef kind;
  mlir::Location loc;
  /// Greater than 0.
  int64_t bytes;
};

/// A kernel that exceeds the capacity of a memory space without having a pool
/// there: merging cannot make it smaller.
struct OverfullKernel {
  /// The operation whose region is the kernel.
  mlir::Operation *kernel;
  mlir::Attribute memorySpace;
  /// The sum of `parts`, and the capacity, which is less.
  int64_t bytes, capacity;
  llvm::SmallVector<KernelBytes, 0> parts;
};

class ArenaPlan;

/// What shall become of every allocation that was analyzed: final when
/// `computeMergePlan` returns it. It refers to the lifetimes that it was made
/// from, and to the IR, which must not have changed when it is carried out.
struct MergePlan {
  /// The lifetimes, if they belong to the plan.
  std::shared_ptr<const BufferLifetimes> lifetimes;
  /// With `PoolStorage::Arena`: the functions that get arenas. Else null.
  std::shared_ptr<const ArenaPlan> arenas;
  /// In the order of the first buffer of each.
  llvm::SmallVector<PoolPlan, 0> pools;
  /// Allocations of dynamic shape that replace others of equal size. They are
  /// in `unmergeable`; the allocations that they replace are not.
  llvm::SmallVector<SharedAllocation, 0> shared;
  /// The allocations that are not mergeable, in the order of the lifetimes.
  llvm::SmallVector<const BufferLifetime *> unmergeable;
  /// Allocations by operations other than `memref.alloc`, in the order of the
  /// lifetimes; the statistics do not count them.
  llvm::ArrayRef<OtherAllocation> otherAllocations;
  /// Kernels that exceed a capacity without a pool.
  llvm::SmallVector<OverfullKernel, 0> overfullKernels;
};

/// Return the scheduling problem of `buffers`, which are in one function, with
/// an alignment of at least `alignment` bytes each, a power of two. A
/// `BufferId` is an index of `buffers`. Ticks are ranks among the ticks at
/// which one of the buffers begins or ends, and lifetimes half-open.
SchedulingProblem
buildSchedulingProblem(llvm::ArrayRef<const BufferLifetime *> buffers,
                       int64_t alignment);

/// Decide what becomes of the allocations of `lifetimes`, which must outlive
/// the plan: group the mergeable buffers by alloc scope and memory space,
/// schedule each group and verify its schedule, and choose where each pool is.
/// `options.lifetimes` are not used. IR does not change.
///
/// Emit one error and fail if the options ask for what is impossible: a pool
/// that must be a global and cannot, an arena that the program does not allow,
/// offsets that do not fit. A pool that exceeds its capacity is no failure: it
/// is in the plan, with its reason (`emitCapacityErrors`).
llvm::FailureOr<MergePlan> computeMergePlan(const BufferLifetimes &lifetimes,
                                            const MergePlanOptions &options);

/// The same for everything inside `root`. The plan holds the lifetimes.
llvm::FailureOr<MergePlan> computeMergePlan(mlir::Operation *root,
                                            const MergePlanOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_PLANNING_MERGEPLAN_H
