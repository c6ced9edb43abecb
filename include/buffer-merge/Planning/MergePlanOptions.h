//===- MergePlanOptions.h - How pools are planned ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_PLANNING_MERGEPLANOPTIONS_H
#define BUFFER_MERGE_PLANNING_MERGEPLANOPTIONS_H

#include "buffer-merge/Analysis/BufferLifetimes.h"
#include "buffer-merge/Planning/PlanMessages.h"
#include "buffer-merge/Scheduling/Scheduler.h"
#include "buffer-merge/Scheduling/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace buffer_merge {
/// A global that holds pools.
struct StaticGlobal {
  /// The function whose pool it holds; null if entries share it.
  mlir::func::FuncOp function;
  /// The attribute of its type, or null.
  mlir::Attribute memorySpace;
  int64_t bytes = 0;
  /// In bytes, a power of two.
  int64_t alignment = 1;
  /// The region of the target that it is in, and the byte of the region at
  /// which it begins; empty if it is in none.
  std::string region;
  int64_t regionOffset = 0;
  /// The symbol, which nothing else in the module around has.
  std::string name;
  StaticStorage storage;
};

/// The attribute of a module with a dictionary that says for each global that
/// holds pools, by its symbol, what it takes and where it is to be.
///
/// ```
///   {entries_pool = {alignment = 64 : i64, bytes = 1024 : i64,
///                    section = ".sram"}}
/// ```
inline constexpr llvm::StringLiteral globalsAttrName("buffer_merge.globals");
inline constexpr llvm::StringLiteral sectionName("section");

struct MergePlan;

/// Where a pool is; docs/Pools.md compares the kinds.
enum class PoolStorage {
  /// `memref.alloc` at the front of the alloc scope.
  Alloc,
  /// `memref.alloca` at the front of the alloc scope.
  Stack,
  /// An argument of the function, given by the caller.
  Arena,
  /// A private, uninitialized `memref.global`.
  Global,
  /// An argument of the function that its caller lends to it.
  Argument,
  /// A `memref.alloc` that the function returns, before it needs it for that.
  Result,
  /// One of as many equal parts of a `memref.alloc` in front of a parallel loop
  /// as it has iterations.
  Slots,
  /// Workgroup memory: an attribution of the kernel, a `gpu.func`.
  Attribution,
  /// Workgroup memory: dynamic memory, whose size every launch specifies.
  Dynamic,
};

/// Return the documented name of `storage`, such as `alloc`.
llvm::StringRef getPoolStorageName(PoolStorage storage);

/// Which barriers pools in workgroup memory may rely on.
enum class BarrierPolicy {
  /// Existing barriers.
  Existing,
  /// New barriers as well if that makes the pool smaller, but none in a loop.
  InsertOutsideLoops,
  /// The same, also in loops that all threads execute together.
  Insert,
};

/// How a pool that exceeds its capacity is handled (R6 capacity).
enum class OverCapacityPolicy {
  /// It is an error, and nothing is changed.
  Error,
  /// It is made as small as it can be, with a warning.
  Warn,
};

/// When buffers share bytes.
enum class ReusePolicy {
  /// Wherever they may, so that pools are as small as possible.
  Smallest,
  /// In a memory with a limit, only where its bytes are too few for a buffer
  /// not to wait for another one.
  AsNeeded,
};

/// What a plan is made for, where it cannot have all of it. No goal raises the
/// peak of the program above that of the program without pools (R7 peak).
enum class Goal {
  /// The fewest bytes at the peak of the program, then in all pools and
  /// allocations, then the fewest allocations. Of plans that are equal, the one
  /// in which more buffers are parts of those that they are copied into.
  Peak,
  /// The fewest allocations: a pool of several buffers is worth having (R4
  /// gain) if it is no larger than they are.
  Allocations,
  /// The fewest bytes copied: a buffer is a part of the one that it is copied
  /// into even if more bytes are held at the peak for it.
  Traffic,
};

/// What becomes of allocations that are not merged.
enum class LeftPolicy {
  /// They stay.
  Keep,
  /// Each is an error with its reason, and nothing is changed: for targets
  /// without a heap. So is a pool that is allocated although another storage
  /// was requested.
  Error,
};

/// The most bytes, 0 or more, that a pool, or all that a function and its
/// callees hold at one time, may take of a memory.
struct Capacity {
  MemorySpaces spaces;
  int64_t bytes;
  /// The region of the target that this is all of; empty if it is none.
  std::string region;

  Capacity(MemorySpaces spaces, int64_t bytes)
      : spaces(std::move(spaces)), bytes(bytes) {}
};

/// A memory of the target, and what denotes it in a program.
struct SpaceRegion {
  MemorySpaces spaces;
  TargetRegion region;
};

/// The least gain that makes a pool in allocated memory worth having (R4 gain):
/// the larger of two numbers, and one byte at least.
struct MinGain {
  /// Bytes, 0 or more.
  int64_t bytes = 0;
  /// Percent of what its buffers take, 0 to 100.
  double percent = 1;
};

/// When an allocation, or a pool, ends.
enum class FreePoint {
  /// At the deallocations that free it on the path that is taken, as the
  /// program has them, and never if there is none: also after its scope ends
  /// and its function returns.
  AsGiven,
  /// Right after its last use on the path that is taken.
  Deallocated
};

/// What is decided about allocations, and how.
struct MergePlanOptions {
  /// What is mergeable.
  BufferLifetimesOptions lifetimes;
  /// The algorithm; must not be null.
  const Scheduler *scheduler = nullptr;
  /// Further inputs of the algorithm.
  SchedulerOptions schedulerOptions;
  /// The alignment where nobody asks for one, in bytes.
  static constexpr int64_t defaultAlignment = 64;
  /// The least alignment of pools and of buffers inside them, in bytes: a power
  /// of two. A buffer that needs a larger alignment gets it. Nothing:
  /// `defaultAlignment`, but less where the pool is smaller then (R1 pool).
  std::optional<int64_t> alignment;
  /// The same for workgroup memory, where bytes are scarce. 16 is enough for
  /// the widest loads, stores and copies of a thread.
  int64_t workgroupAlignment = 16;
  /// Which barriers pools in workgroup memory may rely on. New ones are placed
  /// only in kernels that are launched once: a `gpu.func`, a `gpu.launch`, a
  /// function marked as a kernel.
  BarrierPolicy barriers = BarrierPolicy::Existing;
  /// Insert barriers only if each saves more bytes than this on average, and no
  /// one of them could be left out for this or less; or if the pool exceeds its
  /// capacity without them. 0 or more.
  int64_t barrierGain = 0;
  /// The preferred storage of pools in workgroup memory: `Attribution`,
  /// `Dynamic` or `Alloc`. A `gpu.func` can have an attribution or dynamic
  /// memory, a `gpu.launch` only dynamic memory; all other pools are allocated.
  PoolStorage workgroupPool = PoolStorage::Attribution;
  /// How many bytes there are, for each memory that has a limit.
  llvm::SmallVector<Capacity> capacities;
  /// Make pools as small as the effort finds even if larger ones fit: others
  /// take bytes of the same capacity. `computeMergePlan` sets it where that
  /// decides.
  bool shareCapacities = false;
  /// The functions that put buffers into allocations that they return
  /// (`BufferLifetimes::getLentResults`), or null. `computeMergePlan` sets it
  /// to those that hold less then.
  const llvm::DenseSet<mlir::Operation *> *usesResults = nullptr;
  /// The most executions of a parallel body that are under way at the same
  /// time, for capacities; 0 for as many as there are iterations or, if that is
  /// not known, one.
  unsigned maxThreads = 0;
  /// The regions of the target, of which each buffer outside of device code is
  /// placed in one, usually of its memory space (`targetSpaces`): those that
  /// give out their bytes once for the whole program. Spaces without any are
  /// not concerned. If there are some, the root must be the top-level module,
  /// and `pool` is not `Arena` if one is in the default space.
  llvm::SmallVector<SpaceRegion, 0> regions;
  /// Whether a buffer may be placed in a region of another memory space.
  TargetSpaces targetSpaces = TargetSpaces::Own;
  /// Where pools and buffers are aligned to other numbers of bytes than to
  /// `alignment` and `workgroupAlignment`: powers of two.
  llvm::SmallVector<std::pair<MemorySpaces, int64_t>, 0> spaceAlignments;
  /// When buffers share bytes. Concerns pools in a region or a memory with a
  /// capacity, apart from those in workgroup memory, where barriers order the
  /// threads anyway, and from `Arena` and `Global` without a region.
  ReusePolicy reuse = ReusePolicy::Smallest;
  /// How a pool that exceeds it is handled.
  OverCapacityPolicy overCapacity = OverCapacityPolicy::Error;

  /// What becomes of allocations that are not merged.
  LeftPolicy left = LeftPolicy::Keep;

  /// Where pools are, apart from those in workgroup memory: `Alloc`, `Stack`,
  /// `Arena`, `Global` or `Slots`. A pool that cannot be there stays `Alloc`;
  /// with `Slots` it is not made. docs/Pools.md has the conditions. With
  /// `Arena` and `Global` the root must be the top-level module.
  PoolStorage pool = PoolStorage::Alloc;
  /// With `Slots`: the most iterations of a loop; 1 or more.
  int64_t maxSlots = 64;
  /// With `Global`: whether entries have globals of their own, or share one.
  EntryPolicy entries = EntryPolicy::Separate;
  /// With `Global`: where the globals are.
  StaticStorage globals;
  /// Pools of more bytes than this are not put on the stack; 0 or more.
  int64_t stackLimit = 16384;

  /// What comes first.
  Goal goal = Goal::Peak;
  /// What a pool must save; nothing: 1 %, or one byte if `limitPeak` is
  /// nothing.
  std::optional<MinGain> minGain;
  /// Make no pool that would raise the peak of the program above that of the
  /// program without pools, in which allocations end at this point (R7 peak).
  /// Nothing: make pools whatever they do to the peak.
  std::optional<FreePoint> limitPeak = FreePoint::AsGiven;
  /// The most pools of a region in place of one that would raise the peak (R7
  /// peak); 1 or more.
  unsigned maxPools = 4;

  /// Called with the operation and its pools before they are scheduled, to fix
  /// offsets that were decided elsewhere (`Buffer::fixedOffset`). If it fails,
  /// which it says in the messages, there is no plan. A pool whose fixed
  /// offsets exclude each other is left alone. Null: none are fixed.
  ///
  /// Note: defined only here; the option `offsets` of the passes sets it.
  std::function<llvm::LogicalResult(mlir::Operation *, MergePlan &,
                                    PlanMessages &)>
      fixOffsets;

  /// Return the capacity of the memory that `memorySpace` stands for
  /// (`MemorySpaces::contains`), or null if it has no limit.
  const Capacity *findCapacity(mlir::Attribute memorySpace,
                               bool isInDeviceCode) const;

  /// Return true if one of `regions` is in `memorySpace` outside of device
  /// code.
  bool hasRegions(mlir::Attribute memorySpace) const;

  /// Return the least alignment of pools in `memorySpace`, which is workgroup
  /// memory or not.
  int64_t getLeastAlignment(mlir::Attribute memorySpace, bool isInDeviceCode,
                            bool isWorkgroup) const;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_PLANNING_MERGEPLANOPTIONS_H
