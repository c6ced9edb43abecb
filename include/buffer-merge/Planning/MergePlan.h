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
#include "buffer-merge/Analysis/SyncConflict.h"
#include "buffer-merge/Planning/MergePlanOptions.h"
#include "buffer-merge/Planning/RuntimePool.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/ReuseAsNeeded.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <variant>

namespace buffer_merge {
/// A pool that is to be made.
struct Pool {
  /// Where it is.
  PoolStorage storage = PoolStorage::Alloc;
  /// Why `storage` is not the one that was requested, without a final period;
  /// empty if the request was met.
  std::string storageNote;
  /// The operation that `storageNote` is about, or null.
  mlir::Operation *storageObstacle = nullptr;
  /// Verified. In the hook `MergePlanOptions::fixOffsets`, before pools are
  /// scheduled, it is empty.
  Schedule schedule;
};

/// No pool is to be made.
struct NoPool {
  /// `NoPartner` or `NoGain` (R4 gain), `RaisesPeak` (R7 peak), `Unfreeable`,
  /// `NotScheduled`, `OverCapacity`, `SizeOverflow`, or `DeallocGroup` for a
  /// pool that shares a deallocation with one of these; for workgroup memory,
  /// `DynamicMemory`.
  UnmergeableReason reason;
  /// Details, such as the message of the scheduler if it found no schedule.
  std::string message = "";
  /// The schedule of the pool that is not made, if there is one.
  std::optional<Schedule> schedule = std::nullopt;
  /// Why it cannot have the storage that was requested, for which it would be
  /// made, without a final period, and the operation that prevents it, or null;
  /// empty if that is not the reason.
  std::string storageNote = "";
  mlir::Operation *storageObstacle = nullptr;
};

/// One use of workgroup memory by a kernel.
struct KernelBytes {
  /// `attribution`, `allocation`, `global`, `barrier object`, `reduction`, or
  /// `alignment`: what is skipped to align a pool in dynamic memory.
  llvm::StringRef kind;
  mlir::Location loc;
  /// Greater than 0.
  int64_t bytes;
};

/// What the threads of a workgroup add to a pool that they share.
struct WorkgroupPlan {
  /// Their synchronization; null if all buffers are refused, and share nothing.
  const WorkgroupSync *sync;
  /// Where the pool is if it is made.
  PoolStorage storage = PoolStorage::Alloc;
  /// Why `storage` is not the one that was requested, without a final period;
  /// empty if it is.
  std::string storageNote;
  /// For `Dynamic`: where the pool is if it exceeds dynamic memory, or nothing
  /// if there is no other place.
  std::optional<PoolStorage> otherStorage;
  /// For `Dynamic` in a `gpu.func`, all its launches.
  llvm::SmallVector<mlir::gpu::LaunchFuncOp> launches;
  /// Make the pool even if it saves nothing, because allocations in workgroup
  /// memory have no lowering in MLIR.
  bool isWantedAnyway = false;
  /// Everything else that the kernel and its callees have in the same memory,
  /// and its bytes. They count towards the capacity, `kernelCapacity`; nothing
  /// if there is no capacity.
  llvm::SmallVector<KernelBytes, 0> others;
  int64_t otherBytes = 0;
  int64_t kernelCapacity = 0;

  /// The pairs of buffers with disjoint lifetimes that must not share bytes
  /// because of a hazard between threads. The numbers are indices of
  /// `PoolPlan::buffers`; sorted. Pairs that `barriers` separate are not
  /// included.
  llvm::SmallVector<SyncConflict, 0> conflicts;
  /// What should be known about these pairs, such as that there are too many to
  /// list, so that no two buffers share a byte; usually empty.
  std::string note;
  /// Barriers may be inserted to separate some of these pairs:
  /// `PoolPlan::problem` contains only the others.
  bool mayInsertBarriers = false;
  /// An operation in the kernel or a callee that excludes inserted barriers
  /// (`OtherSync`), or null. Set only if the options ask for insertion.
  mlir::Operation *barrierObstacle = nullptr;
  /// The operations before which barriers are to be inserted, in the order of
  /// the program.
  llvm::SmallVector<mlir::Operation *> barriers;
  /// Those of them that need a proxy fence in front of the barrier.
  llvm::SmallVector<mlir::Operation *> fencedBarriers;
  /// The bytes of the pool without these barriers, if there are any and it does
  /// not exceed its capacity.
  std::optional<int64_t> bytesWithoutBarriers;
};

/// The memory of the target that a pool is in.
struct PoolRegion {
  /// Never null.
  std::shared_ptr<const TargetRegion> region;
  /// The bytes of the region that the pool may take: those up to `end` from
  /// `begin`, which is aligned as its buffers ask, on.
  RegionBytes range;
  /// The schedule that the buffers were chosen with; nothing if they do not
  /// fit.
  std::optional<Schedule> schedule;
  /// What accesses of the buffers move.
  int64_t movedBytes = 0;
  /// The buffers that fit no region of the memory space, which are in this pool
  /// for want of another place, and the bytes of a pool for them alone.
  unsigned numOutside = 0;
  int64_t outsideBytes = 0;
  /// By buffer, with `TargetSpaces::Any`: an operation that the buffer cannot
  /// leave its memory space for, or null. Else empty.
  llvm::SmallVector<mlir::Operation *, 0> spaceObstacles;

  /// Return the name of the region with underscores for what symbols do not
  /// have.
  std::string getSymbol() const;

  /// Return the address of the pool, if it is fixed.
  std::optional<int64_t> getAddress() const {
    if (!region->address)
      return std::nullopt;
    return *region->address + range.begin;
  }
};

/// What is left of the reuse of bytes in a pool (`ReusePolicy::AsNeeded`).
struct PoolReuse {
  /// What is left, and what there was when the pool was as small as possible.
  ReuseCost cost, costOfSmallest;
  /// What each pair would cost that shares bytes.
  llvm::SmallVector<ReusePenalty, 0> penalties = {};
};

/// What the banks of its region mean for a pool. A pair is one of buffers that
/// one operation accesses.
struct PoolBanks {
  int64_t numPairs = 0;
  /// The pairs that share a bank, and those that did before buffers were
  /// spread.
  int64_t numInSameBank = 0, numInSameBankBefore = 0;
};

/// A change that makes a pool smaller. Of two that save as many bytes, the
/// first one of these is better.
enum class AdviceKind {
  /// The option `in-place`.
  InPlace,
  /// The option `barriers=insert`.
  InsertBarriers,
  /// The option `split-buffers`.
  SplitBuffers,
  /// A buffer that is copied to an argument, and is computed there instead.
  InArgument,
  /// A buffer that one structured operation fills and another one reads: both
  /// become one operation, which does not need it.
  Fuse,
  /// A buffer that is not kept between two of its accesses: computed again, or
  /// kept in another memory meanwhile.
  Between,
  /// All buffers of one type with half as many elements in one dimension: a
  /// smaller tile or batch.
  Halve,
  /// A buffer that is not in the pool: in another memory, or provided by the
  /// caller.
  Elsewhere,
};

/// A change that was tried.
struct PoolAdvice {
  AdviceKind kind;
  /// The bytes by which the pool is smaller; greater than 0.
  int64_t savedBytes;
  /// The buffer that it is about: of `Halve` the first one of the type. Nothing
  /// for options.
  std::optional<BufferId> buffer = std::nullopt;
  /// For `Between`, the ticks at which the buffer need not be kept.
  TickInterval ticks = {};
  /// For `Halve`, the dimension: the largest one.
  unsigned dimension = 0;

  /// Return the option to choose, such as `in-place`; empty if it is a change
  /// of the program.
  llvm::StringRef getOption() const;
};

/// A change that lowers the peak of the program, or merges more allocations of
/// which the sizes are known only at run time. It was tried.
struct ProgramAdvice {
  /// Options of the passes, separated by spaces: `in-place max-pools=16`;
  /// empty for a change of the program.
  std::string options;
  /// The bytes by which the peak is lower; 0 or more.
  int64_t savedBytes = 0;
  /// How many more allocations of run-time size are merged; 0 or more, and
  /// greater than 0 if no bytes are saved.
  int64_t numMerged = 0;
  /// For a change of the program: the index of the pool that it makes smaller,
  /// and the change.
  std::optional<size_t> pool = std::nullopt;
  PoolAdvice change = {AdviceKind::Elsewhere, 0};
};

/// The mergeable buffers of one alloc scope in one memory space, and the pool
/// that replaces them, or why there is none.
struct PoolPlan {
  /// The alloc scope, or the kernel (`BufferLifetime::scope`), or a region
  /// inside that may not run (R7 peak).
  mlir::Region *scope = nullptr;
  /// The attribute of the memref type of the pool, or null: with
  /// `TargetSpaces::Any` not that of all buffers.
  mlir::Attribute memorySpace;
  /// In the order of execution of their allocations; a `BufferId` is an index.
  /// Those of a pool in dynamic workgroup memory may be refused: they share no
  /// bytes (`BufferLifetime::isOneObject`).
  llvm::SmallVector<const BufferLifetime *> buffers;
  /// The operations of one block of `scope` that the pool is allocated
  /// before and freed after; null for the front and for all exits of the scope.
  mlir::Operation *first = nullptr;
  mlir::Operation *last = nullptr;
  /// The part for workgroup memory; nothing elsewhere.
  std::optional<WorkgroupPlan> workgroup;
  /// The program says where a buffer is, or beside which others: by attributes
  /// of the allocations (docs/Targets.md). What it says is in `problem`, and
  /// the pool is made even if it saves nothing.
  bool isPinned = false;
  /// Nothing says how its buffers are aligned, apart from what they need.
  bool mayAlignLess = false;
  /// Nothing needs its bytes: what fills its buffers is erased, and what copies
  /// them fills its target (L12 refills). It is not allocated.
  bool isErased = false;
  /// The region of the target that it is in, if it has regions for the memory
  /// space (`MergePlanOptions::regions`). The pool is then made in any case,
  /// and its buffers take multiples of the granule. Of several pools of one
  /// scope and memory space, each is in another region or another free range.
  std::optional<PoolRegion> region;
  /// With `ReusePolicy::AsNeeded`, if its schedule was changed for that.
  std::optional<PoolReuse> reuse;
  /// If its region has banks.
  std::optional<PoolBanks> banks;

  /// With `PoolStorage::Argument` and `Result`: the argument, or the result of
  /// an allocation, that the buffers are in, each at its start; null with
  /// others.
  mlir::Value host;
  /// Return the operation of the block of `host`, an allocation, that it is
  /// moved in front of: the first one that allocates a buffer, or itself.
  mlir::Operation *getHostPlace() const;

  /// The calls that are given a part of the pool for the time they take: what
  /// the callees need of it. With `PoolStorage::Arena` and `Global`.
  llvm::SmallVector<mlir::func::CallOp, 0> calls;

  /// The input of the scheduler: `buildSchedulingProblem` of the buffers, with
  /// their conflicts and in-place pairs. The parts of `calls` follow `buffers`.
  SchedulingProblem problem;
  /// What the buffers take without a pool: the sum of their sizes, each rounded
  /// up to the alignment that its allocation asks for; and what each callee of
  /// `calls` needs.
  int64_t totalBytes = 0;
  /// The lower bound of `problem`.
  LowerBound lowerBound;
  /// The bytes that are left for the pool, 0 or more, if its memory has a
  /// limit: the capacity minus `WorkgroupPlan::otherBytes`. (The capacity of
  /// `problem` is at least 1.)
  std::optional<int64_t> capacity;
  /// The bytes that the scope needs, if they exceed `capacity`: the size of the
  /// pool that the scheduler would make or, without a pool, of all buffers.
  /// With `OverCapacityPolicy::Error` the pool is not made then.
  std::optional<int64_t> excessiveBytes;
  /// Whether a search has proved that nothing fits; if it has ended before, how
  /// far it went.
  bool isExcessProved = false;
  std::string undecidedNote;

  /// What should be known about its capacity; usually empty.
  llvm::StringRef capacityNote;

  /// Changes that would make the pool smaller, the best first. Only if the
  /// options ask for it.
  llvm::SmallVector<PoolAdvice, 0> advice;

  /// The decision.
  std::variant<Pool, NoPool> decision;

  /// Return the pool, or null if there is none.
  const Pool *getPool() const { return std::get_if<Pool>(&decision); }
  Pool *getPool() { return std::get_if<Pool>(&decision); }

  /// Return why there is no pool, or null if there is one.
  const NoPool *getNoPool() const { return std::get_if<NoPool>(&decision); }

  /// Return why there is no pool, or nothing if there is one.
  std::optional<UnmergeableReason> getReason() const;

  /// Return the schedule of the pool, or of the pool that is not made; null if
  /// there is none.
  const Schedule *getSchedule() const;

  /// Return the number of allocations among the buffers: of the values of one
  /// the first counts.
  size_t countAllocations() const;

  /// Return true if the program deallocates one of the buffers, so that the
  /// pool must be freed at the end of its scope (R3 deallocations).
  bool isDeallocated() const;

  /// Return the bytes that every pool for these buffers needs, as proved by the
  /// scheduler or by `computeProvedBound`: at least `lowerBound`. A pool of
  /// this size is optimal. Like `lowerBound`, it ignores fixed offsets, except
  /// for those that attributes of the program ask for.
  int64_t getProvedBound() const;

  /// Return the type of the pool, which there must be: a memref of as many i8
  /// as its schedule needs.
  mlir::MemRefType getPoolType() const;

  /// Return the address of the buffer `id` or, without one, of the pool, if it
  /// is fixed.
  std::optional<int64_t> getAddress(std::optional<BufferId> id) const;

  /// Return true if threads of a GPU execute the scope.
  bool isInDeviceCode() const { return buffers.front()->isInDeviceCode; }

  /// Return true if an asynchronous operation may access one of the buffers
  /// after an execution of the scope (L8 asynchronous), so the pool must
  /// outlive it.
  bool isInFlightAtEnd() const;

  /// Return true if the program frees nothing, and no later pass could free the
  /// pool (`BufferLifetime::needsManualDealloc`).
  bool needsManualDealloc() const;
};

/// An allocation that is not mergeable.
struct UnmergeableBuffer {
  const BufferLifetime *buffer;
  /// Why: that of its lifetime, or `RaisesPeak` (R7 peak) if it could be in a
  /// pool of run-time size otherwise.
  Refusal refusal;
};

/// An allocation in workgroup memory that is in no pool and becomes an
/// attribution of its kernel, because MLIR has no lowering of the allocation.
struct OwnAttribution {
  const BufferLifetime *buffer;
  /// In bytes, a power of two.
  int64_t alignment;
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

/// What a scope holds at its peak.
struct HeldPart {
  /// The allocation, or for a pool the operation that it begins at.
  mlir::Operation *op;
  /// Bytes of one execution, and how many executions may be under way at the
  /// same time.
  int64_t bytes, executions;
  /// The index of the pool in `MergePlan::pools`, if it is one.
  std::optional<size_t> pool;
};

/// A scope that exceeds the capacity of a memory space together with the scopes
/// inside and with callees, although none of them does by itself.
struct OverfullScope {
  /// The operation whose region is the scope.
  mlir::Operation *scopeOp;
  mlir::Attribute memorySpace;
  /// The most bytes that are held at one tick, and the capacity, which is less.
  int64_t bytes, capacity;
  /// Smaller pools, with which it fits, are not proved to be impossible.
  bool isOpen = false;
  /// What is held then.
  llvm::SmallVector<HeldPart, 0> parts;
};

class ArenaPlan;
class ProgramHeap;

/// An argument that could hold buffers, and why it does not.
struct RefusedArgument {
  mlir::BlockArgument argument;
  std::string reason;
};

/// What shall become of every allocation that was analyzed: final when
/// `computeMergePlan` returns it. It refers to the lifetimes that it was made
/// from, and to the IR, which must not have changed when it is carried out.
struct MergePlan {
  /// The lifetimes that the plan was made from; never null. The plan need not
  /// own them.
  std::shared_ptr<const BufferLifetimes> lifetimes;
  /// A pool was given up because the finished plan would have raised the peak
  /// of a function all the same (R7 peak).
  bool hasRaisedPeak = false;
  /// When what is held without pools, the baseline of reports, ends.
  FreePoint freePoint = FreePoint::AsGiven;
  /// What is held without pools; null if nothing has asked yet.
  std::shared_ptr<const ProgramHeap> baseline;
  /// With `PoolStorage::Arena` and `Global`: the functions that get arenas.
  /// Else null.
  std::shared_ptr<const ArenaPlan> arenas;
  /// With `PoolStorage::Global`: the globals that are made, in the order of the
  /// functions.
  llvm::SmallVector<StaticGlobal, 0> globals;
  /// In the order of the first buffer of each.
  llvm::SmallVector<PoolPlan, 0> pools;
  /// Pools of run-time size, function by function. Their buffers are neither in
  /// `pools` nor in `unmergeable`.
  llvm::SmallVector<RuntimePool, 0> runtimePools;
  /// Arguments that hold no buffers because of what attributes say.
  llvm::SmallVector<RefusedArgument, 0> refusedArguments;
  /// The allocations that are not mergeable, in the order of the lifetimes.
  llvm::SmallVector<UnmergeableBuffer, 0> unmergeable;
  /// Of these and of the pools that are not made, those that become
  /// attributions.
  llvm::SmallVector<OwnAttribution, 0> ownAttributions;
  /// Allocations by operations other than `memref.alloc`, in the order of the
  /// lifetimes; the statistics do not count them.
  llvm::ArrayRef<OtherAllocation> otherAllocations;
  /// Kernels that exceed a capacity without a pool.
  llvm::SmallVector<OverfullKernel, 0> overfullKernels;
  /// Scopes that exceed a capacity together with others.
  llvm::SmallVector<OverfullScope, 0> overfullScopes;
  /// What would lower the peak of the program, the best first. Only if the
  /// options ask for it.
  llvm::SmallVector<ProgramAdvice, 0> advice;
  /// With that: the operation that alone needs as many bytes as the program
  /// holds at its peak, so that no plan holds less; null if there is none.
  mlir::Operation *peakOp = nullptr;
};

/// Return true if the buffers of `pool` are in a result.
bool isInResult(const PoolPlan &pool);

/// Return the scheduling problem of `buffers`, which are in one function, with
/// an alignment of at least `alignment` bytes each, a power of two. A
/// `BufferId` is an index of `buffers`. Lifetimes are half-open.
SchedulingProblem
buildSchedulingProblem(llvm::ArrayRef<const BufferLifetime *> buffers,
                       int64_t alignment);

/// Decide what becomes of the allocations of `lifetimes`, which must outlive
/// the plan: group the mergeable buffers by alloc scope and memory space,
/// schedule each group and verify its schedule, and choose where each pool is.
/// `options.lifetimes` are not used. IR does not change. An allocation that
/// holds several values (`BufferLifetimes::getValues`) is a buffer for each of
/// them if all of them become parts of a pool, and if no smaller pool is found
/// otherwise.
///
/// Set `messages` to what there is to say about the plan, and emit nothing
/// (`emitMessages`). Fail, with one error in `messages`, if the options ask for
/// what is impossible: an arena that the program does not allow, offsets that
/// do not fit. A pool that exceeds its capacity is no failure: it is in the
/// plan, with its reason (`emitCapacityErrors`).
llvm::FailureOr<MergePlan> computeMergePlan(const BufferLifetimes &lifetimes,
                                            const MergePlanOptions &options,
                                            PlanMessages &messages);

/// The same for everything inside `root`. The plan holds the lifetimes.
llvm::FailureOr<MergePlan> computeMergePlan(mlir::Operation *root,
                                            const MergePlanOptions &options,
                                            PlanMessages &messages);
} // namespace buffer_merge

#endif // BUFFER_MERGE_PLANNING_MERGEPLAN_H
