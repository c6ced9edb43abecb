//===- PlannedBuffers.h - What a plan gives bytes to ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_PLANNEDBUFFERS_H
#define BUFFER_MERGE_LIB_PLANNING_PLANNEDBUFFERS_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Which allocations a plan takes as one with what is copied into them, at
/// first none; and which of the buffers then as the values that they hold (L10
/// values), or as a whole: at first all that can be, apart from those with a
/// place of their own in the program.
class PlannedBuffers {
public:
  /// `lifetimes` must outlive the object.
  explicit PlannedBuffers(const BufferLifetimes &lifetimes);

  /// Take allocations that can be parts of others as one with these, unless
  /// they are one with others already, or the pool in `plan`, which is without
  /// such parts, would become larger, which `Goal::Traffic` does not mind.
  /// Return true if there are any.
  ///
  /// Time: for each, that of a lower bound of the pool.
  bool emplace(const MergePlan &plan, Goal goal);

  /// Return each allocation or what stands for it, several allocations or its
  /// values, in the order in which they begin.
  llvm::SmallVector<const BufferLifetime *, 0> collect() const;

  /// Return true if there are values.
  bool haveValues() const;

  /// Take as a whole what `plan`, which was made from these, would not put into
  /// smaller pools in all of its values: so that there are never more
  /// allocations than before. Return true if there was any: `plan` is stale
  /// then.
  bool joinWhatStays(const MergePlan &plan);

  /// Take all as a whole, or all as their values that can be.
  void joinAll() { divided.clear(); }
  void divideAll();

  /// Take allocations that are one apart that `plan`, which was made
  /// from these, would not put into a pool. Return true if there were any:
  /// `plan` is stale then.
  bool takeBackWhatStays(const MergePlan &plan);

  /// Take all allocations apart.
  void takeBackAll() { unitedAs.clear(); }

private:
  /// Take `buffers`, which `pool` holds, as one with their parts, apart from
  /// those that are already, if the bound of the pool is at most `limit` then.
  /// Return true if there are any.
  bool unite(const PoolPlan &pool,
             llvm::ArrayRef<const BufferLifetime *> buffers, int64_t limit);

  /// Return each allocation, or what stands for it and its parts.
  llvm::SmallVector<const BufferLifetime *, 0> collectWhole() const;

  const BufferLifetimes &lifetimes;
  /// By allocation that is one with others, what stands for them.
  llvm::DenseMap<mlir::Value, const BufferLifetime *> unitedAs;
  /// Those that are taken as their values.
  llvm::DenseSet<const BufferLifetime *> divided;
};

/// Return true if no plan from whole allocations would have a smaller pool than
/// `plan`, which has values. False means that it is not known.
bool areValuesProvedToHelp(const MergePlan &plan);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_PLANNEDBUFFERS_H
