//===- Components.h - Parts that do not touch each other --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_COMPONENTS_H
#define BUFFER_MERGE_LIB_SCHEDULING_COMPONENTS_H

#include "buffer-merge/Scheduling/Verifier.h"

#include "llvm/ADT/ArrayRef.h"

namespace buffer_merge {
/// The connected components of the graph in which two buffers have an edge if
/// they overlap in time or are in conflict. Each can be scheduled alone, and
/// the pool is as large as the largest of theirs.
struct Components {
  /// O(n log n + c) time for c conflicts.
  explicit Components(const SchedulingProblem &problem);

  unsigned count = 0;
  /// Component of each buffer, by `BufferId`. They are numbered in the order of
  /// their first begin.
  llvm::SmallVector<unsigned, 0> of;
};

/// Collects schedules of one problem and keeps the best offsets of each
/// component: a part of one schedule goes together with a part of another.
class BestOfComponents {
public:
  /// `target` is a lower bound of the pool: a component that needs no more is
  /// done. The arguments must outlive the object.
  BestOfComponents(const SchedulingProblem &problem,
                   const Components &components, int64_t target);

  /// Take over what is better in `offsets`, which are valid for the problem.
  void offer(llvm::ArrayRef<int64_t> offsets);

  /// The same for the buffers `ids` alone, at the given offsets: of a
  /// component, all are among them or none is. Something must have been
  /// offered.
  void offer(llvm::ArrayRef<BufferId> ids, llvm::ArrayRef<int64_t> offsets);

  /// Return true if no schedule can be better.
  bool isDone() const { return numOpen == 0; }

  /// Return true if the component needs more than the target, as far as known.
  bool isOpen(unsigned component) const { return heights[component] > target; }

  /// Return the ids of the buffers whose component is open.
  llvm::SmallVector<BufferId, 0> collectOpen() const;

  /// Return true if something was offered.
  bool hasOffsets() const { return isOffered; }

  /// Return the best offsets. Something must have been offered.
  llvm::SmallVector<int64_t, 0> takeOffsets() { return std::move(best); }
  llvm::SmallVector<int64_t, 0> copyOffsets() const { return best; }
  llvm::ArrayRef<int64_t> getOffsets() const { return best; }

  /// Return the pool size of the best offsets.
  int64_t getPoolSize() const;

  int64_t getTarget() const { return target; }

private:
  template <typename Ids>
  void offerOf(const Ids &ids, llvm::ArrayRef<int64_t> offsets);

  const SchedulingProblem &problem;
  const Components &components;
  int64_t target;
  unsigned numOpen;
  bool isOffered = false;
  llvm::SmallVector<int64_t, 0> best, heights;
};

/// Return the problem of the given buffers alone: buffer i is `ids[i]` of
/// `problem`. Conflicts with others, and the capacity, are left out.
SchedulingProblem extractProblem(const SchedulingProblem &problem,
                                 llvm::ArrayRef<BufferId> ids);

/// Return how two fixed offsets of `problem` exclude each other, or nothing.
std::optional<ScheduleViolation>
findFixedViolation(const SchedulingProblem &problem);

/// Return `problem` if it has neither a capacity nor in-place pairs, or a copy
/// without them, which is put in `copy`.
const SchedulingProblem &relaxProblem(const SchedulingProblem &problem,
                                      SchedulingProblem &copy);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_COMPONENTS_H
