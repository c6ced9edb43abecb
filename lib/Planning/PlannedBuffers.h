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
/// Which allocations a plan takes as the values that they hold, and which as a
/// whole: at first all that hold several values (L10 values) as these, apart
/// from those with a place of their own in the program.
class PlannedBuffers {
public:
  /// `lifetimes` must outlive the object.
  explicit PlannedBuffers(const BufferLifetimes &lifetimes);

  /// Return each allocation or, in place of it, its values, in the order of
  /// `BufferLifetimes::getBuffers`.
  llvm::SmallVector<const BufferLifetime *, 0> collect() const;

  /// Return true if there are values.
  bool haveValues() const { return !divided.empty(); }

  /// Take as a whole what `plan`, which was made from these, would not put into
  /// smaller pools in all of its values: so that there are never more
  /// allocations than before. Return true if there was any: `plan` is stale
  /// then.
  bool joinWhatStays(const MergePlan &plan);

  /// Take all as a whole.
  void joinAll() { divided.clear(); }

private:
  const BufferLifetimes &lifetimes;
  /// The allocations that are taken as their values.
  llvm::DenseSet<mlir::Operation *> divided;
};

/// Return true if no plan from whole allocations would have a smaller pool than
/// `plan`, which has values. False means that it is not known.
bool areValuesProvedToHelp(const MergePlan &plan);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_PLANNEDBUFFERS_H
