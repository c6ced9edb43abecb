//===- ProgramHeap.h - What the heap of a program holds ---------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program takes, as it is with every allocation freed after its last
// use, or as planned: for numbers that users see and for capacities. Unlike
// `HeapUse`, which compares paths, it adds up the most that may be held
// (`HeapScopes.h` says why).
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_PROGRAMHEAP_H
#define BUFFER_MERGE_LIB_PLANNING_PROGRAMHEAP_H

#include "Analysis/ExecutionOrder.h"
#include "buffer-merge/Planning/MergePlan.h"

#include "llvm/ADT/MapVector.h"

namespace buffer_merge {
struct CallComponent;

/// Bytes that the heap holds at the ticks from `ticks.first` to `ticks.last`.
struct ProgramHeapItem {
  TickRange ticks;
  int64_t bytes;
  /// The operation that allocates them, or that they are held during.
  mlir::Operation *op;
  /// The inner scope, or the body of the callee, whose peak they are, or null.
  mlir::Region *inner = nullptr;
  /// How many executions of `inner` they are the peaks of.
  int64_t executions = 1;
  /// The plan of the pool that they are, or null.
  const PoolPlan *pool = nullptr;
  /// The function returns them, and does not leave them behind.
  bool isReturned = false;
};

/// What one execution of an alloc scope holds in one memory space.
struct ProgramScopeHeap {
  /// The mergeable buffers of the scope.
  llvm::SmallVector<const BufferLifetime *> buffers;
  /// Everything else: allocations that stay, and what inner scopes and callees
  /// hold at most.
  llvm::SmallVector<ProgramHeapItem> items;
  /// The most bytes that are held at one tick, and the first such tick.
  int64_t peak = 0;
  int64_t peakTick = 0;
  /// The bytes that an execution leaves behind.
  int64_t left = 0;
};

/// What `ProgramHeap` is about, if not the baseline.
struct ProgramHeapOptions {
  /// When allocations end, and pools that are allocated.
  FreePoint freePoint = FreePoint::Deallocated;
  /// The plan that is carried out: its pools are held instead of their buffers.
  /// Null for the baseline.
  const MergePlan *plan = nullptr;
  /// Allocations that were split: they are held as a whole.
  const BufferPartMap *parts = nullptr;
  /// Count a scope once for each execution that may be under way at the same
  /// time (`countConcurrentExecutions`), with this many threads at most, and
  /// what may be under way until later until the end of the scope around it.
  std::optional<unsigned> maxThreads;
};

/// What all scopes inside a root hold, at most.
class ProgramHeap {
public:
  /// Analyze what `lifetimes` are about. A callee outside of the root or
  /// without a body counts as if it allocated nothing, a scope that several
  /// threads execute as if one did, and a recursion as one frame.
  explicit ProgramHeap(
      const BufferLifetimes &lifetimes,
      const ProgramHeapOptions &options = ProgramHeapOptions());

  ~ProgramHeap();

  /// Return what an execution of `scope` holds in `memorySpace`, or null if
  /// that is nothing.
  const ProgramScopeHeap *lookup(mlir::Region *scope,
                                 mlir::Attribute memorySpace) const;

  /// Call `function` for each function and each scope inside, and each memory
  /// space in which it holds something.
  void forEachScope(
      llvm::function_ref<void(mlir::Region *scope, mlir::Attribute memorySpace,
                              const ProgramScopeHeap &heap)>
          function) const;

  /// Return the ticks from the allocation of `buffer`, which is mergeable, to
  /// its end.
  TickRange getHeldTicks(const BufferLifetime &buffer) const;

  /// Return the most bytes that `buffers`, mergeable and of one scope, take at
  /// one tick without a pool.
  int64_t findPeak(llvm::ArrayRef<const BufferLifetime *> buffers) const;

private:
  struct Function;
  Function &getFunction(mlir::Region *scope) const;
  /// Add what `plan` makes, and return the buffers that it is made for.
  llvm::DenseSet<const BufferLifetime *>
  addPools(const MergePlan &plan,
           llvm::function_ref<Function *(mlir::Operation *)> getFunction);
  void addComponent(const BufferLifetimes &lifetimes,
                    const CallComponent &component);

  ProgramHeapOptions options;
  llvm::MapVector<mlir::Operation *, std::unique_ptr<Function>> functions;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_PROGRAMHEAP_H
