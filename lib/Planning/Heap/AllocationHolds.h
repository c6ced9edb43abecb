//===- AllocationHolds.h - When allocations are held ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_ALLOCATIONHOLDS_H
#define BUFFER_MERGE_LIB_PLANNING_ALLOCATIONHOLDS_H

#include "Analysis/FunctionContext.h"
#include "GivenHolds.h"
#include "HeldTicks.h"
#include "buffer-merge/Planning/MergePlanOptions.h"

namespace buffer_merge {
/// Finds when the allocations of one function are held if they end at one
/// `FreePoint`: the one answer for baselines, plans and reports.
class AllocationHolds {
public:
  /// `context` must outlive the object.
  AllocationHolds(const FunctionContext &context, FreePoint freePoint)
      : context(context), freePoint(freePoint) {}

  /// The result of an operation, and what may be it, if that is not too much.
  struct Allocated {
    mlir::Value value;
    /// The mergeable allocation that it is; null if it is not mergeable.
    const BufferLifetime *buffer;
    std::optional<llvm::SmallVector<mlir::Value>> aliases;
  };

  /// Return what is known of `value`, which is the allocation `buffer` if that
  /// is not null.
  Allocated describe(mlir::Value value, const BufferLifetime *buffer);

  /// Return when `bytes` are held that `allocated` is from tick `first` on.
  /// `branches` are those of its scope.
  llvm::SmallVector<Hold, 1> find(const Allocated &allocated, int64_t first,
                                  Bytes bytes, BranchTree &branches);

  /// Return true if `allocated`, which is not mergeable, may be returned. False
  /// if it has too many aliases.
  bool isReturned(const Allocated &allocated) const;

private:
  llvm::SmallVector<mlir::Value>
  getWithoutClones(const Allocated &allocated) const;

  const FunctionContext &context;
  FreePoint freePoint;
  AliasBudget budget;
  UserEffects effects;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_ALLOCATIONHOLDS_H
