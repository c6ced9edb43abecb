//===- BranchAndBound.h - Does a component fit a capacity? ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_BRANCHANDBOUND_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_BRANCHANDBOUND_H

#include "CanonicalSearch.h"
#include "FailedStates.h"

#include <optional>

namespace buffer_merge {
/// A complete search for a schedule of one component below a capacity. It can
/// be stopped after any number of steps and resumed, and it can be restarted
/// with another order of the buffers or a lower capacity without forgetting
/// which states cannot be completed. The file comment of BranchAndBound.cpp
/// says what it learns from them.
class BranchAndBound : public CanonicalSearch {
public:
  /// `instance` must be supported and must outlive this object.
  explicit BranchAndBound(const PackingInstance &instance)
      : CanonicalSearch(instance) {}

  /// Begin a search for a schedule of at most `capacity` units, which prefers
  /// the buffers that come first in `order`, a permutation of all buffers.
  void start(llvm::ArrayRef<unsigned> order, int64_t newCapacity);

  /// Continue the search for about `maxSteps` steps. `Exhausted` is a proof
  /// that there is no schedule.
  Outcome resume(int64_t maxSteps);

  /// Return how often each section was the reason of a failure, since the first
  /// start.
  llvm::ArrayRef<uint64_t> getFailures() const { return failures; }

private:
  /// One node of the search.
  struct Frame {
    /// The keys of the buffers to be placed: `lists[listBegin, +listSize)`.
    size_t listBegin;
    unsigned listSize;
    /// The first buffer that may be placed, and the one that is tried next.
    unsigned entry, next;
    /// Buffers with a floor at or above this are not worth placing.
    int64_t dominance;
    StateHash hash;
    /// The sections of the buffer placed last, and of those that it raised.
    SectionRange life, touched;
    /// Where the tries of the frame begin in `tries`.
    unsigned firstTry;
  };

  /// A buffer that was placed, and the sections in which that failed.
  struct Try {
    SectionRange life, conflict;
  };

  /// What a state looks like in some sections.
  struct PartialState {
    StateHash hash;
    /// The floor of the first buffer that can be placed.
    int64_t limit;
  };

  State getState(const Frame &frame) const {
    return {&lists[frame.listBegin], frame.listSize, frame.entry, frame.hash};
  }
  void enter(const State &state);
  bool placeNext(const Frame &frame, unsigned index);
  StateHash getStateHash(const State &state) const;
  SectionRange closeConflict(const Frame &frame, SectionRange range) const;
  SectionRange explainEnd(const Frame &frame) const;
  void leave(SectionRange range);
  std::optional<PartialState> getPart(const State &state, SectionRange range);
  const SectionRange *findFailedPart(const State &state);
  void rememberPart(const State &state, SectionRange range);

  llvm::SmallVector<Frame, 0> frames;
  /// The lists of all frames, one after the other.
  KeyList lists;
  size_t listsTop = 0;

  FailedStates failedStates;
  llvm::SmallVector<Try, 0> tries;
  /// Sections that states failed in, the latest first.
  llvm::SmallVector<SectionRange, 4> recent;
  bool isExhausted = false;
  bool isFound = false;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_BRANCHANDBOUND_H
