//===- SamePlaces.h - Buffers that have one place ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SAMEPLACES_H
#define BUFFER_MERGE_LIB_SCHEDULING_SAMEPLACES_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/ArrayRef.h"

namespace buffer_merge {
/// The groups of `SchedulingProblem::samePlaces`.
class PlaceGroups {
public:
  /// `problem` must be well formed.
  explicit PlaceGroups(const SchedulingProblem &problem);

  /// Return the problem with one buffer for each group, and for each buffer in
  /// none: alive when one of the group is, as large as its largest and as
  /// aligned as all of them ask, at the fixed offset of the first that has one.
  /// It has no same places, and no in-place pairs of grouped buffers. Conflicts
  /// inside of a group, and buffers of one that are alive at the same time, are
  /// not seen: the verifier has to.
  const SchedulingProblem &getProblem() const { return united; }

  /// Return the buffer of `getProblem` that stands for `id`.
  BufferId getGroup(BufferId id) const { return groupOf[id]; }

  /// Return the offsets of all buffers if those of `getProblem` have `offsets`.
  llvm::SmallVector<int64_t, 0> expand(llvm::ArrayRef<int64_t> offsets) const;

private:
  SchedulingProblem united;
  llvm::SmallVector<BufferId, 0> groupOf;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SAMEPLACES_H
