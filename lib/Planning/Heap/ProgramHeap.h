//===- ProgramHeap.h - What the heap of a program holds ---------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each scope of a program holds over time, as it is or as planned: for the
// limit of peaks, which compares paths, and for capacities and reports, which
// ask for the most that may be held.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_PROGRAMHEAP_H
#define BUFFER_MERGE_LIB_PLANNING_PROGRAMHEAP_H

#include "Heap.h"
#include "buffer-merge/Planning/MergePlan.h"

#include "llvm/ADT/MapVector.h"

namespace buffer_merge {
class ProgramHeap;
struct CallComponent;
struct FunctionContext;

/// Bytes that are held at one tick.
struct HeldBytes {
  /// At most, as far as they are known.
  int64_t most = 0;
  /// At least, on every path.
  int64_t least = 0;
  /// Bytes of unknown size, or too many to be compared, may be held as well.
  bool isUnknown = false;

  /// Add `other`, which is held at the same tick; the most at most `maxBytes`.
  void add(HeldBytes other);
  /// Return them for a `Hold`.
  Bytes getBytes() const {
    return {isUnknown ? std::nullopt : std::optional(most), least};
  }
};

/// Bytes that are held because of one operation.
struct HeapItem : Hold {
  HeldBytes bytes;
  /// The operation that allocates them, or that they are held during.
  mlir::Operation *op = nullptr;
  /// The mergeable allocation that they are, or null.
  const BufferLifetime *buffer = nullptr;
  /// The plan of the pool that they are, or null.
  const PoolPlan *pool = nullptr;
  /// They are a pool of run-time size.
  bool isRuntimePool = false;
  /// The inner scope, or the body of the callee, whose peak they are, or null;
  /// and the executions of it that may be under way at the same time.
  mlir::Region *inner = nullptr;
  int64_t executions = 1;
  /// The function returns them, and does not leave them behind.
  bool isReturned = false;
  /// The callers of the function hold them, in their arenas.
  bool isArena = false;
};

/// What one execution of an alloc scope holds in one memory space.
struct ScopeHeap {
  ScopeHeap(BranchTree branches, TickRange ticks)
      : branches(std::move(branches)), ticks(ticks) {}

  /// Return `hold` as far as an execution of the scope knows of it.
  Hold clamp(Hold hold) const;

  /// Return true if on every path the same is allocated, and nothing is freed:
  /// not by callees either, or as much stays of what they allocate. Then one
  /// pool at the front raises no peak.
  bool growsOnly() const;

  /// Those of all items.
  BranchTree branches;
  /// Those of the scope.
  TickRange ticks;
  /// In no order that means anything.
  llvm::SmallVector<HeapItem, 0> items;
  /// What scopes around it hold, as of unknown size, if that is freed while
  /// this one runs.
  llvm::SmallVector<Hold, 0> outerItems;
  /// The most bytes that are held at one tick, and the first such tick; and a
  /// number of bytes that every path holds at one tick, 0 if a plan is carried
  /// out.
  HeldBytes peak;
  int64_t peakTick = 0;
  /// What an execution leaves behind, not counting what it returns.
  HeldBytes left;
};

/// What `ProgramHeap` is about.
struct ProgramHeapOptions {
  /// When allocations end, and pools that are allocated.
  FreePoint freePoint = FreePoint::Deallocated;
  /// The plan is carried out: its pools are held instead of their buffers,
  /// those of run-time size with the least bytes. Else what is held is the
  /// baseline.
  bool isPlanned = false;
  /// Take what the plan puts into results as being there, whether the rest is
  /// carried out or not.
  bool usesResults = false;
  /// Pools on the stack count as well.
  bool countsStack = true;
  /// Count a scope once for each execution that may be under way at the same
  /// time (`countConcurrentExecutions`), with this many threads at most, and
  /// what may be under way until later until the end of the scope around it.
  std::optional<unsigned> maxThreads;
  /// What the same lifetimes hold otherwise, of which calls and branches are
  /// taken, or null. It is needed only by the constructor.
  const ProgramHeap *other = nullptr;
};

/// Return the most bytes that `items` hold at one tick, and the first such
/// tick.
std::pair<int64_t, int64_t>
findPeak(llvm::ArrayRef<std::pair<TickRange, int64_t>> items);

/// What all scopes inside a root hold.
class ProgramHeap {
public:
  /// Analyze the program of `plan`, which need not outlive the constructor, but
  /// for what items refer to. A callee outside of the root or without a body
  /// counts as if it allocated nothing, a scope that several threads execute as
  /// if one did if there is no `maxThreads`, and what a recursion holds as of
  /// unknown size.
  ProgramHeap(const MergePlan &plan, const ProgramHeapOptions &options);

  ProgramHeap(ProgramHeap &&);
  ~ProgramHeap();

  FreePoint getFreePoint() const { return options.freePoint; }

  /// Return what an execution of `scope` holds in `memorySpace`, or null if
  /// that is nothing.
  const ScopeHeap *lookup(mlir::Region *scope,
                          mlir::Attribute memorySpace) const;

  /// Call `function` for each function and each scope inside, and each memory
  /// space in which it holds something.
  void forEachScope(
      llvm::function_ref<void(mlir::Region *scope, mlir::Attribute memorySpace,
                              const ScopeHeap &heap)>
          function) const;

  /// Return what is known of the function around `scope`, which holds
  /// something.
  const FunctionContext &getContext(mlir::Region *scope) const;

  const BufferLifetimes &getLifetimes() const { return lifetimes; }

private:
  struct Function;
  Function *findFunction(mlir::Region *scope) const;
  Function *addFunction(mlir::Operation *function);
  void addBuffers(const MergePlan &plan);
  void addPools(const MergePlan &plan,
                llvm::DenseSet<const BufferLifetime *> &merged);
  void addComponent(const CallComponent &component);

  const BufferLifetimes &lifetimes;
  ProgramHeapOptions options;
  /// Null until it is needed.
  std::shared_ptr<const llvm::SmallVector<CallComponent, 0>> calls;
  llvm::MapVector<mlir::Operation *, std::unique_ptr<Function>> functions;
};

/// Return what the program of `plan`, of which this may be known, holds without
/// pools.
std::shared_ptr<const ProgramHeap> findBaseline(const MergePlan &plan);

/// The same, and keep it there.
const ProgramHeap &getBaseline(MergePlan &plan);

/// Return what it holds with pools, those on the stack if `countsStack`;
/// `baseline` is what it does without.
ProgramHeap analyzePlanned(const MergePlan &plan, const ProgramHeap &baseline,
                           bool countsStack);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_PROGRAMHEAP_H
