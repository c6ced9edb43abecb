//===- WindowSearch.h - Repair of a few buffers at a time -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_WINDOWSEARCH_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_WINDOWSEARCH_H

#include "../Placement.h"
#include "PackingInstance.h"

namespace buffer_merge {
/// Local search for a schedule within a capacity: take out the buffers around
/// one that ends above it, put them back below it by branch and bound with all
/// the others fixed, and repeat ("ruin and recreate"). It proves nothing, but
/// it works on components of any size.
class WindowSearch {
public:
  /// `instance` must outlive this object.
  explicit WindowSearch(const PackingInstance &instance);

  /// Begin with `offsets`, a valid schedule, and look for one of at most
  /// `capacity` units.
  void start(llvm::ArrayRef<int64_t> offsets, int64_t capacity);

  /// Continue for about `maxSteps` steps. Return true if `getOffsets()` is
  /// within the capacity.
  bool resume(int64_t maxSteps);

  /// The present schedule: always valid, in units.
  llvm::ArrayRef<int64_t> getOffsets() const { return offsets; }

  /// Steps done since construction; see `BranchAndBound::resume`.
  int64_t getSteps() const { return work / workPerStep; }

private:
  void chooseWindow(unsigned center, unsigned maxCount);
  void chooseStretch(unsigned center, unsigned maxCount);
  bool solveWindow(int64_t maxSteps);
  std::optional<SchedulingProblem> extractWindow() const;
  /// Larger windows, or ones with more neighbours, are given up.
  static constexpr unsigned maxWindow = 1000, maxMembers = 2000;

  static constexpr int64_t workPerStep = 1024;

  const PackingInstance &instance;
  int64_t capacity = 0;
  llvm::SmallVector<int64_t, 0> offsets;
  /// Buffers that end above the capacity.
  llvm::SmallVector<unsigned, 0> offenders;
  /// The buffers taken out.
  llvm::SmallVector<unsigned, 0> window;
  llvm::SmallVector<bool, 0> isInWindow;
  /// Buffers alive in section s - 1 and s.
  llvm::SmallVector<unsigned, 0> crossings;
  ConflictLists conflicts;
  unsigned failures = 0;
  int64_t work = 0;
  uint64_t random = 0;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_WINDOWSEARCH_H
