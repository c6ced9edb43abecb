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
  /// What the algorithm is told besides the problem.
  SchedulerOptions schedulerOptions;
  /// The least alignment of pools and of buffers inside them, in bytes: a power
  /// of two. What a buffer itself needs raises it.
  int64_t alignment = 64;
  /// The same for workgroup memory, which has few bytes to waste. 16 is what
  /// the widest loads, stores and copies of a thread need.
  int64_t workgroupAlignment = 16;
  /// Which barriers pools in workgroup memory may rely on. New ones are placed
  /// in a `gpu.func` and a `gpu.launch` only.
  BarrierPolicy barriers = BarrierPolicy::Existing;
  /// What pools in workgroup memory are, where the kernel can have such: an
  /// attribution in a `gpu.func`, dynamic memory in that and in a `gpu.launch`.
  /// Elsewhere they are allocated.
  PoolKind workgroupPool = PoolKind::Attribution;
  /// Allocations in workgroup memory that need no pool in order to be lowered.
  /// A pool of these alone must save bytes.
  llvm::DenseSet<mlir::Operation *> haveLowering;
  /// The most bytes that one pool may take, for each memory that has a limit.
  llvm::SmallVector<Capacity> capacities;
  /// What becomes of pools that exceed it.
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
  /// A pool is made even if it saves nothing, because allocations in workgroup
  /// memory have no lowering in MLIR.
  bool isWantedAnyway = false;
  /// What keeps accesses of those threads apart; null if they do not share it.
  const WorkgroupSync *sync = nullptr;
  /// The pairs of buffers that could share bytes as far as their lifetimes are
  /// concerned, but may not because of their threads. The numbers are those of
  /// `buffers`; sorted. Pairs that `barriers` keep apart are not among them.
  llvm::SmallVector<SyncConflict, 0> conflicts;
  /// Barriers could separate some of them, and may be inserted: `problem` has
  /// only the others.
  bool mayInsertBarriers = false;
  /// An operation in the kernel or what it calls beside which no barrier may be
  /// inserted (`OtherSync`), or null. Set only if barriers were asked for.
  mlir::Operation *barrierObstacle = nullptr;
  /// The operations before which barriers are to be inserted, in the order of
  /// the program.
  llvm::SmallVector<mlir::Operation *> barriers;
  /// For `Dynamic` in a `gpu.func`, all its launches.
  llvm::SmallVector<mlir::gpu::LaunchFuncOp> launches;

  /// Bytes that the kernel, with the functions that it calls, takes of the same
  /// memory besides: attributions, globals, allocations that stay, barrier
  /// objects, reductions. They count towards the capacity; 0 if there is none.
  int64_t otherBytes = 0;
  /// They leave nothing of it.
  bool isFull = false;

  /// What the scheduler is asked: `buildSchedulingProblem` of the buffers, with
  /// their conflicts and in-place pairs.
  SchedulingProblem problem;
  /// Bytes of all buffers: what they take without a pool.
  int64_t totalBytes = 0;
  /// Of `problem`.
  LowerBound lowerBound;
  /// Verified; empty if the scheduler found none.
  Schedule schedule;

  /// Why there shall be no pool: `NoPartner` or `NoGain` (R4 gain),
  /// `NotScheduled`, `OverCapacity`, `SizeOverflow`, or `DeallocGroup` for a
  /// pool that shares a deallocation with one of these; for workgroup memory,
  /// `DynamicMemory`. Nothing if there shall be one.
  std::optional<UnmergeableReason> reason;
  /// The bytes that the scope needs if they exceed the capacity: those of the
  /// pool that the scheduler would make or, without a pool, of all buffers. 0
  /// if they do not. With `OverCapacityPolicy::Error` there is the reason
  /// `OverCapacity` as well; with `Warn` that is never a reason.
  int64_t neededBytes = 0;
  /// What the scheduler said if it found no schedule.
  std::string message;

  /// Where the pool is.
  PoolStorage storage = PoolStorage::Alloc;
  /// Why `storage` is `Alloc` although another one was asked for, without a
  /// final period; empty if it is what was asked for.
  std::string storageNote;

  /// Return true if a deallocation of one of the buffers is in the program, so
  /// that the pool must be freed at the end of its scope (R3 deallocations).
  bool isDeallocated() const;

  /// Return the bytes that every pool for these buffers needs as far as the
  /// scheduler has proved it, or `computeProvedBound` does: at least
  /// `lowerBound`. A pool of this size is optimal. As for `lowerBound`, offsets
  /// that were decided elsewhere do not count.
  int64_t getProvedBound() const;

  /// Return the bytes that are left for the pool: the capacity, which there
  /// must be, less `otherBytes`; 0 if those take it all. (A problem has a
  /// capacity of 1 or more.)
  int64_t getCapacity() const;

  /// Return the type of the pool: a memref of as many i8 as `schedule` needs.
  mlir::MemRefType getPoolType() const;

  /// Return true if an asynchronous operation may access one of the buffers
  /// when an execution of the scope is done (L8 asynchronous), so that the pool
  /// must live longer than that.
  bool isInFlightAtEnd() const;

  /// Return true if nothing is freed yet, and no later pass could free the pool
  /// (`BufferLifetime::needsManualDealloc`).
  bool needsManualDealloc() const;
};

/// Something in workgroup memory that a kernel takes bytes for.
struct KernelBytes {
  /// `attribution`, `allocation`, `global`, `barrier object` or `reduction`.
  llvm::StringRef kind;
  mlir::Location loc;
  /// Greater than 0.
  int64_t bytes;
};

/// A kernel that has no pool in a memory space, and takes more of it than its
/// capacity: nothing in it can be made smaller.
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
  /// `unmergeable` themselves; those that they replace are not.
  llvm::SmallVector<SharedAllocation, 0> shared;
  /// The allocations that are not mergeable, in the order of the lifetimes.
  llvm::SmallVector<const BufferLifetime *> unmergeable;
  /// What is allocated by operations other than `memref.alloc`, in the order of
  /// the lifetimes: it is not counted among the allocations.
  llvm::ArrayRef<OtherAllocation> otherAllocations;
  /// Kernels that exceed a capacity and have no pool to blame.
  llvm::SmallVector<OverfullKernel, 0> overfullKernels;
};

/// Return the scheduling problem of `buffers`, whose lifetimes are of one
/// function, with an alignment of at least `alignment` bytes each, a power of
/// two. A `BufferId` is an index of `buffers`. Ticks are ranks among the ticks
/// at which one of the buffers begins or ends, and lifetimes half-open.
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
