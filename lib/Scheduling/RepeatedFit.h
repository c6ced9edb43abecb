//===- RepeatedFit.h - From bottom to top, not strictly ----------*- C++
//-*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_REPEATEDFIT_H
#define BUFFER_MERGE_LIB_SCHEDULING_REPEATEDFIT_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/ArrayRef.h"

namespace buffer_merge {
/// Places the buffers of one small problem from bottom to top again and again,
/// with other rankings. Fixed offsets are not supported.
class RepeatedFit {
public:
  /// `problem` must outlive the object. O(n log n + p) time and O(n + p) memory
  /// for p pairs of buffers that may not share bytes.
  explicit RepeatedFit(const SchedulingProblem &problem);

  /// Return what `fitCanonically()` does. O(n^2 + p) time.
  llvm::SmallVector<int64_t, 0> place(llvm::ArrayRef<BufferId> ranking) const;

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

#endif // BUFFER_MERGE_LIB_SCHEDULING_REPEATEDFIT_H
