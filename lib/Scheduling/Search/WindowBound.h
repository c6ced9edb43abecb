//===- WindowBound.h - What a few sections need -----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_WINDOWBOUND_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_WINDOWBOUND_H

#include "PackingInstance.h"

#include <memory>
#include <optional>

namespace buffer_merge {
class ComponentSearch;

/// Return the part of `instance` that is in the sections [begin, end):
/// lifetimes are clipped to them, which are its ticks, and all else is left
/// out. No schedule of `instance` is lower than the lowest one of the part.
/// O(n) time for n buffers.
SchedulingProblem clipToSections(const PackingInstance &instance,
                                 unsigned begin, unsigned end);

/// A lower bound that is above the largest section: stretches of sections,
/// *windows*, are searched on their own, from short ones to long ones, with
/// more steps in each round. Whatever one of them needs all need. Three
/// sections in a row never need more than the largest of them, so windows begin
/// with four.
class WindowBound {
public:
  /// `instance` must outlive this object.
  explicit WindowBound(const PackingInstance &instance);
  ~WindowBound();

  /// Search for about `maxSteps` steps for windows that need more than `bound`
  /// units. Return what is proved to be needed, `bound` if that is nothing new.
  /// Windows in which `offsets`, a schedule of the instance, is within the
  /// bound are left out; it may be empty. Later calls go on.
  int64_t raise(int64_t bound, llvm::ArrayRef<int64_t> offsets,
                int64_t maxSteps);

  /// Return true if all windows are known to fit what `raise` returned last.
  bool isDone() const { return windows.empty(); }

  /// Steps done since construction; see `BranchAndBound::resume`.
  int64_t getSteps() const { return work / workPerStep; }

private:
  struct Window {
    unsigned begin, end;
    /// The window is known to fit this many units.
    int64_t height;
  };

  bool openWindow(int64_t bound, llvm::ArrayRef<int64_t> offsets);
  bool searchWindow(int64_t &bound, int64_t maxSteps);
  void countHighSections(int64_t bound, llvm::ArrayRef<int64_t> offsets);
  bool fits(const Window &window, int64_t bound,
            llvm::ArrayRef<int64_t> offsets);

  static constexpr int64_t workPerStep = 1024;

  const PackingInstance &instance;
  /// Those that may need more than the bound.
  llvm::SmallVector<Window, 0> windows;
  /// The one to be opened next.
  unsigned next = 0;
  /// Steps for each decision in this round.
  int64_t budget = 500;

  /// How many sections before each, and before the end, `offsets` of the
  /// present call exceed `countedBound` in.
  llvm::SmallVector<unsigned, 0> highBefore;
  int64_t countedBound = -1;

  // The window that is open, the one before `next`.
  std::optional<PackingInstance> part;
  std::unique_ptr<ComponentSearch> search;
  /// What is asked for above the bound.
  int64_t ahead = 0;
  /// Steps left to the present decision.
  int64_t left = 0;
  int64_t work = 0;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_WINDOWBOUND_H
