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
// it is, with every allocation freed after its last use. `HeapScopes.h` says
// why `ProgramHeap` is another answer.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_HEAPUSE_H
#define BUFFER_MERGE_LIB_PLANNING_HEAPUSE_H

#include "HeapTimeline.h"
#include "HeldTicks.h"
#include "buffer-merge/Planning/MergePlan.h"

#include "llvm/ADT/MapVector.h"

namespace buffer_merge {
struct CallComponent;
struct FunctionContext;
class LateFrees;

/// An allocation, or an inner scope or a call, during which bytes are held.
struct HeapItem : HeldItem {
  /// The operation that allocates, or during which bytes are held.
  mlir::Operation *op = nullptr;
  /// The mergeable buffer that it is, or null.
  const BufferLifetime *buffer = nullptr;
};

/// What one execution of an alloc scope holds in one memory space.
struct ScopeHeap {
  ScopeHeap(mlir::Region *scope, const ExecutionOrder &order)
      : branches(scope, order) {}

  /// Those of all items.
  BranchTree branches;
  /// In no order that means anything.
  llvm::SmallVector<HeapItem, 0> items;
  /// What scopes around it hold, as of unknown size, if that is freed while
  /// this one runs.
  llvm::SmallVector<HeldItem, 0> outerItems;
  /// The most bytes that are held at one tick; nothing if that is not known.
  std::optional<int64_t> peak;
  /// A number of bytes that every path through the scope holds at one tick.
  int64_t leastPeak = 0;
};

/// A baseline of all scopes inside a root: what they hold without pools.
class HeapUse {
public:
  /// Analyze what `lifetimes` are about. A callee outside of the root or
  /// without a body counts as if it allocated nothing, and a scope that several
  /// threads execute as if one did. With `EndOfBlock`, what stock passes cannot
  /// free after its last use (`LateFrees`) is held until the end of the block.
  HeapUse(const BufferLifetimes &lifetimes, FreePoint freePoint);

  HeapUse(HeapUse &&);
  ~HeapUse();

  FreePoint getFreePoint() const { return freePoint; }

  /// Return true if something is freed later with `EndOfBlock`.
  bool hasLateFrees() const { return anyIsFreedLate; }

  /// Return what the executions of `scope`, the scope of a mergeable buffer in
  /// `memorySpace`, hold there.
  const ScopeHeap &get(mlir::Region *scope, mlir::Attribute memorySpace) const;

  /// Return what is known of the function around `scope`, the scope of a
  /// mergeable buffer.
  const FunctionContext &getContext(mlir::Region *scope) const;

  /// Return what stock passes free late in the function around `scope`, the
  /// scope of a mergeable buffer.
  LateFrees &getLateFrees(mlir::Region *scope) const;

  /// Return the ticks, sorted, of the calls of callees that are not known in
  /// the function around `scope`, the scope of a mergeable buffer.
  llvm::ArrayRef<int64_t> getUnknownCalls(mlir::Region *scope) const;

private:
  struct Function;
  Function &getFunction(mlir::Region *scope) const;
  Function *addFunction(mlir::Operation *op);
  void addComponent(const CallComponent &component);

  const BufferLifetimes &lifetimes;
  FreePoint freePoint;
  bool anyIsFreedLate = false;
  llvm::MapVector<mlir::Operation *, std::unique_ptr<Function>> functions;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_HEAPUSE_H
