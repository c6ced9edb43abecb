//===- HeapUse.h - What the heap holds besides pools ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool is held beside results, allocations that stay, inner scopes and
// callees. This is the baseline that the pool is compared with: the program as
// it is, with every allocation freed after its last use.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_HEAPUSE_H
#define BUFFER_MERGE_LIB_PLANNING_HEAPUSE_H

#include "Analysis/ExecutionOrder.h"
#include "buffer-merge/Planning/MergePlan.h"

#include "llvm/ADT/MapVector.h"

namespace buffer_merge {
/// Bytes that the heap holds at the ticks from `ticks.first` to `ticks.last`.
struct HeapItem {
  TickRange ticks;
  /// At most and at least: an inner scope or a callee has several paths.
  int64_t bytes, leastBytes;
  /// They are held until this tick at least: the last use may be of a view
  /// that nothing accesses.
  int64_t leastLast;
  /// The operation that allocates them, or that they are held during.
  mlir::Operation *op;
  /// The inner scope, or the body of the callee, whose peak they are, or null.
  mlir::Region *inner = nullptr;
  /// How many executions of `inner` they are the peaks of.
  int64_t executions = 1;
  /// The plan of the pool that they are, or null.
  const PoolPlan *pool = nullptr;
};

/// What one execution of an alloc scope holds in one memory space.
struct ScopeHeap {
  /// The mergeable buffers of the scope.
  llvm::SmallVector<const BufferLifetime *> buffers;
  /// Everything else: allocations that stay, and what inner scopes and callees
  /// hold at most.
  llvm::SmallVector<HeapItem> items;
  /// The most bytes that are held at one tick, and the first such tick.
  int64_t peak = 0;
  int64_t peakTick = 0;
  /// A number of bytes that every path through the scope holds at one tick.
  int64_t leastPeak = 0;
};

/// Return true if `region`, of an operation inside an alloc scope, may not run.
bool mayNotRun(mlir::Region &region);

/// Return the bytes that an allocation of `buffer` takes: its size rounded up
/// to the alignment that it asks for. Its size must be known.
int64_t getAllocatedBytes(const BufferLifetime &buffer);

/// What `HeapUse` is about, if not the baseline.
struct HeapUseOptions {
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

/// The baseline of all scopes inside a root.
class HeapUse {
public:
  /// Analyze what `lifetimes` are about. A callee outside of the root or
  /// without a body counts as if it allocated nothing, a scope that several
  /// threads execute as if one did, and a recursion as one frame.
  explicit HeapUse(const BufferLifetimes &lifetimes,
                   const HeapUseOptions &options = HeapUseOptions());

  ~HeapUse();

  /// Return what the executions of `scope`, the scope of a mergeable buffer in
  /// `memorySpace`, hold there.
  const ScopeHeap &get(mlir::Region *scope, mlir::Attribute memorySpace) const;

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

  /// Return the ticks from the allocation of `buffer`, which is mergeable, to
  /// its last access.
  TickRange getHeldTicks(const BufferLifetime &buffer) const;

  /// Return the most bytes that `buffers`, mergeable and of one scope, take at
  /// one tick if each is freed after its last use.
  int64_t findPeak(llvm::ArrayRef<const BufferLifetime *> buffers) const;

  /// Return the execution order of the function around `scope`, the scope of a
  /// mergeable buffer.
  const ExecutionOrder &getOrder(mlir::Region *scope) const;

  /// Return the calls in the function around `scope` that may execute it again
  /// before they return: whatever is held across them is held once for each
  /// frame.
  llvm::ArrayRef<mlir::Operation *>
  getRecursiveCalls(mlir::Region *scope) const;

private:
  struct Function;
  const Function &getFunction(mlir::Region *scope) const;
  /// Add what `plan` makes, and return the buffers that it is made for.
  llvm::DenseSet<const BufferLifetime *>
  addPools(const MergePlan &plan,
           llvm::function_ref<Function *(mlir::Operation *)> getFunction);
  void addCalls(mlir::Operation *root);

  HeapUseOptions options;
  llvm::MapVector<mlir::Operation *, std::unique_ptr<Function>> functions;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_HEAPUSE_H
