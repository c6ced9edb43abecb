//===- BranchAndBound.h - Does a component fit a capacity? ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A complete search for a schedule of one component below a capacity. The
// scheme is MiniMalloc's [1]; the file comment of BranchAndBound.cpp says what
// is pruned, what goes beyond it, and why each of the prunings is sound.
//
// [1] M. D. Moffitt, "MiniMalloc: A Lightweight Memory Allocator for
//     Hardware-Accelerated Machine Learning", ASPLOS 2023, vol. 4,
//     doi 10.1145/3623278.3624752.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_BRANCHANDBOUND_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_BRANCHANDBOUND_H

#include "PackingInstance.h"

#include <memory>

namespace buffer_merge {
/// The search for one instance. It can be stopped after any number of steps and
/// resumed, and it can be restarted with another order of the buffers or a
/// lower capacity without forgetting which states cannot be completed.
class BranchAndBound {
public:
  enum class Outcome {
    /// There is a schedule within the capacity: `getOffsets()`.
    Found,
    /// There is none: a proof.
    Exhausted,
    /// The limit of steps was reached.
    Stopped,
  };

  /// Return true if the search can run on `instance`: it has 1 to `maxBuffers`
  /// buffers, and offsets leave room for the index of a buffer in 64 bits.
  static bool supports(const PackingInstance &instance);
  static constexpr unsigned maxBuffers = 4096;

  /// `instance` must be supported and must outlive this object.
  explicit BranchAndBound(const PackingInstance &instance);
  ~BranchAndBound();

  /// Begin a search for a schedule of at most `capacity` units, which prefers
  /// the buffers that come first in `order`, a permutation of all buffers.
  void start(llvm::ArrayRef<unsigned> order, int64_t capacity);

  /// Continue the search for about `maxSteps` steps. A step is a fixed amount
  /// of work, in the order of a microsecond.
  Outcome resume(int64_t maxSteps);

  /// Return the steps done since construction.
  int64_t getSteps() const;

  /// Return the offsets found, in units: after `Outcome::Found` only.
  llvm::ArrayRef<int64_t> getOffsets() const;

  /// Return how often each section was the reason of a failure, since the first
  /// start: after a start only.
  llvm::ArrayRef<uint64_t> getFailures() const;

  /// The state of the search; see SearchState.h.
  class Search;

private:
  std::unique_ptr<Search> search;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_BRANCHANDBOUND_H
