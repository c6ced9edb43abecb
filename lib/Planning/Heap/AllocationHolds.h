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

  FreePoint getFreePoint() const { return freePoint; }

  /// Return the scope in which `inside` allocates: its alloc scope, or the body
  /// of the function.
  mlir::Region *findScope(mlir::Operation *inside) const;

  /// Return when `bytes` are held that the result `value` of an operation is
  /// from tick `first` on. It is the mergeable allocation `buffer`, or if that
  /// is null, it is not mergeable.
  /// `branches` are those of its scope.
  llvm::SmallVector<Hold, 1> find(mlir::Value value, int64_t first, Bytes bytes,
                                  const BufferLifetime *buffer,
                                  BranchTree &branches);

  /// Return true if `value`, which is not mergeable, may be returned. False if
  /// it has too many aliases.
  bool isReturned(mlir::Value value);

private:
  std::optional<llvm::SmallVector<mlir::Value>> getAliases(mlir::Value value);

  const FunctionContext &context;
  FreePoint freePoint;
  AliasBudget budget;
  UserEffects effects;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_ALLOCATIONHOLDS_H
