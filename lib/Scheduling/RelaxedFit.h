//===- RelaxedFit.h - From bottom to top, not strictly ----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_RELAXEDFIT_H
#define BUFFER_MERGE_LIB_SCHEDULING_RELAXEDFIT_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/ArrayRef.h"

namespace buffer_merge {
/// Places the buffers of one small problem from bottom to top again and again,
/// with other rankings and tolerances. Fixed offsets are not supported.
class RelaxedFit {
public:
  /// `problem` must outlive the object. O(n log n + p) time and O(n + p) memory
  /// for p pairs of buffers that may not share bytes.
  explicit RelaxedFit(const SchedulingProblem &problem);

  /// Of all buffers that can be put at most `tolerance` bytes higher than the
  /// one that can be put lowest, put the one that comes first in `ranking`,
  /// until none is left. Without tolerance the result is that of
  /// `fitCanonically()`. O(n^2 + p) time.
  llvm::SmallVector<int64_t, 0> place(llvm::ArrayRef<BufferId> ranking,
                                      int64_t tolerance) const;

private:
  llvm::ArrayRef<BufferId> neighborsOf(BufferId id) const {
    return llvm::ArrayRef(neighbors).slice(begins[id],
                                           begins[id + 1] - begins[id]);
  }

  const SchedulingProblem &problem;
  /// The buffers that each one may not share bytes with, all in a row.
  llvm::SmallVector<BufferId, 0> neighbors;
  llvm::SmallVector<size_t, 0> begins;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_RELAXEDFIT_H
