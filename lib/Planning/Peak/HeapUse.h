//===- HeapUse.h - What the heap holds besides pools ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool is held beside results, allocations that stay, inner scopes and
// callees. This is the baseline that the pool is compared with (R7 peak).
// `HeapScopes.h` says why `ProgramHeap` is another answer.
//

#ifndef BUFFER_MERGE_LIB_PLANNING_HEAPUSE_H
#define BUFFER_MERGE_LIB_PLANNING_HEAPUSE_H

#include "Heap.h"
#include "buffer-merge/Planning/MergePlan.h"

#include "llvm/ADT/MapVector.h"

namespace buffer_merge {
struct CallComponent;
struct FunctionContext;

/// An allocation, or an inner scope or a call, during which bytes are held.
struct HeapItem : Hold {
  /// The operation that allocates, or during which bytes are held.
  mlir::Operation *op = nullptr;
  /// The mergeable buffer that it is, or null.
  const BufferLifetime *buffer = nullptr;
  /// It is what the function returns, and not left behind.
  bool isReturned = false;
};

/// What one execution of an alloc scope holds in one memory space.
struct ScopeHeap {
  ScopeHeap(mlir::Region *scope, const ExecutionOrder &order)
      : branches(scope, order), ticks(order.getTicks(scope)) {}

  /// Return `hold` as far as an execution of the scope knows of it.
  Hold clamp(Hold hold) const;

  /// Those of all items.
  BranchTree branches;
  /// Those of the scope.
  TickRange ticks;
  /// In no order that means anything.
  llvm::SmallVector<HeapItem, 0> items;
  /// What scopes around it hold, as of unknown size, if that is freed while
  /// this one runs.
  llvm::SmallVector<Hold, 0> outerItems;
  /// The most bytes that are held at one tick; nothing if that is not known.
  std::optional<int64_t> peak;
  /// A number of bytes that every path through the scope holds at one tick.
  int64_t leastPeak = 0;
  /// The bytes that an execution leaves behind, not counting what it returns.
  Bytes left = {0, 0};
};

/// A baseline of all scopes inside a root: what they hold without pools.
class HeapUse {
public:
  /// Analyze what `lifetimes` are about. A callee outside of the root or
  /// without a body counts as if it allocated nothing, and a scope that several
  /// threads execute as if one did.
  ///
  /// The `parts` of an allocation that was split, if not null, hold together
  /// what the allocation held: the first of them does.
  HeapUse(const BufferLifetimes &lifetimes, FreePoint freePoint,
          const BufferPartMap *parts = nullptr);

  HeapUse(HeapUse &&);
  ~HeapUse();

  FreePoint getFreePoint() const { return freePoint; }

  /// Return what the executions of `scope`, the scope of a mergeable buffer in
  /// `memorySpace`, hold there.
  const ScopeHeap &get(mlir::Region *scope, mlir::Attribute memorySpace) const;

  /// Return what is known of the function around `scope`, the scope of a
  /// mergeable buffer.
  const FunctionContext &getContext(mlir::Region *scope) const;

private:
  struct Function;
  Function &getFunction(mlir::Region *scope) const;
  Function *addFunction(mlir::Operation *op);
  void addComponent(const CallComponent &component);

  const BufferLifetimes &lifetimes;
  FreePoint freePoint;
  llvm::MapVector<mlir::Operation *, std::unique_ptr<Function>> functions;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_HEAPUSE_H
