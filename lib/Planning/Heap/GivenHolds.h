//===- GivenHolds.h - When a program frees an allocation --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_GIVENHOLDS_H
#define BUFFER_MERGE_LIB_PLANNING_GIVENHOLDS_H

#include "Heap.h"
#include "HeldTicks.h"

namespace buffer_merge {
struct FunctionContext;

/// How the program frees an allocation.
struct Frees {
  /// The operations that may free it, as far as they are known.
  llvm::SmallVector<mlir::Operation *, 1> ops;
  /// Nothing else frees it.
  bool areAll = true;
};

/// Return what may free the result of an allocation or of a call, which has
/// `aliases` if these are known.
Frees findFrees(const std::optional<llvm::SmallVector<mlir::Value>> &aliases,
                const FunctionContext &context, UserEffects &effects);

/// Finds when memory is held in `scope` that is there from one operation to the
/// operations that free it, on each path as the program has them, and for good
/// if there is none.
///
/// In a loop, memory that is never freed counts once; what an iteration may
/// hand over to the next one counts for both.
class GivenHolds {
public:
  /// `branches` are those of `scope`.
  GivenHolds(mlir::Region *scope, const ExecutionOrder &order,
             BranchTree &branches)
      : scope(scope), order(order), branches(branches) {}

  /// Return what is held if `op` leaves `bytes` behind that are there from tick
  /// `first` on and are never freed.
  Hold findForGood(mlir::Operation *op, int64_t first, Bytes bytes) const;

  /// Return what is held if `value`, a result of `op`, is there from tick
  /// `first` on until `frees`.
  llvm::SmallVector<Hold, 1> find(mlir::Operation *op, mlir::Value value,
                                  int64_t first, const Frees &frees,
                                  Bytes bytes) const;

private:
  enum class State { Freed, MaybeFreed, Held };
  /// What is known after some operations.
  struct Walk {
    llvm::SmallVector<TickRange, 1> certain;
    int64_t last = 0;
  };

  State walk(mlir::Block *block, int64_t first, mlir::Value name,
             llvm::ArrayRef<mlir::Operation *> frees, Walk &result) const;
  State walkArms(mlir::Operation *op, mlir::Value name,
                 llvm::ArrayRef<mlir::Operation *> frees, Walk &result) const;
  bool isLeft(mlir::Block *block) const;
  bool isFreedAcrossBlocks(mlir::Operation *op, mlir::Value name,
                           llvm::ArrayRef<mlir::Operation *> frees,
                           int64_t &last) const;

  mlir::Region *scope;
  const ExecutionOrder &order;
  BranchTree &branches;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_GIVENHOLDS_H
