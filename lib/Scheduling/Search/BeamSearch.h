//===- BeamSearch.h - Many schedules from bottom to top ---------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch and bound follows one sequence of placements to its end before it
// tries another one at an earlier place: what goes wrong at the bottom is found
// out at the top. A beam places from bottom to top as well, but keeps many
// states at a time, those that have lost the least room. It proves nothing.
//
// The width of the beam says how much is done. Starting again with other widths
// makes it a search that takes as long as it is given; L. Libralesso and F.
// Fontan do so for cutting problems (An anytime tree search algorithm for the
// 2018 ROADEF/EURO challenge glass cutting problem, European Journal of
// Operational Research 291(3), 2021).
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_BEAMSEARCH_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_BEAMSEARCH_H

#include "CanonicalSearch.h"

#include <optional>

namespace buffer_merge {
/// The search for one instance. It can be stopped after any number of steps and
/// resumed, and started again with another capacity or width.
class BeamSearch : public CanonicalSearch {
public:
  /// Return true if the search can run on `instance`: it has 2 to `maxBuffers`
  /// buffers, and is one for branch and bound.
  static bool supports(const PackingInstance &instance) {
    return instance.size() >= 2 && instance.size() <= maxBuffers &&
           CanonicalSearch::supports(instance);
  }
  static constexpr unsigned maxBuffers = 1024;

  /// `instance` must be supported and must outlive this object.
  explicit BeamSearch(const PackingInstance &instance);

  /// Begin a search for a schedule of at most `capacity` units, no less than
  /// the largest sum of a section, that keeps `width` states of each layer, at
  /// least one.
  void start(int64_t newCapacity, unsigned newWidth);

  /// Continue the search for about `maxSteps` steps. `Exhausted` says that no
  /// state of the beam could be completed, which is no proof.
  Outcome resume(int64_t maxSteps);

private:
  /// A buffer that was placed, on the way to a state that was kept.
  struct Node {
    /// The node of the buffer placed before, or `none`.
    unsigned parent;
    Key placed;
  };

  /// A state that may be kept.
  struct Candidate {
    /// The room that was lost; less is better.
    int64_t rating;
    /// In the order of their making.
    uint64_t number;
    uint64_t hash;
    /// The state of the layer, and which of its buffers is placed.
    unsigned slot, index;

    bool operator<(const Candidate &other) const {
      return std::tie(rating, number) < std::tie(other.rating, other.number);
    }
  };

  static constexpr unsigned none = ~0u;

  void openLayer();
  void expand(unsigned slot);
  std::optional<int64_t> rate(const State &state);
  void add(unsigned slot, unsigned index, int64_t rating, StateHash hash);
  void takeOffsets(unsigned node);

  llvm::SmallVector<unsigned, 0> order;
  unsigned width = 0;

  /// By section: the room at the start, as a logarithm, and what it is worth.
  llvm::SmallVector<int64_t, 0> initialRoom, weights;
  uint64_t random = 1;
  /// What is added to the room of a section before its logarithm is taken.
  int64_t leastRoom = 1;

  llvm::SmallVector<Node, 0> nodes;
  /// The states of the present layer, of which `next` have been expanded; their
  /// nodes are those from `firstNode` on, their lists are in `lists`.
  llvm::SmallVector<State, 0> layer, layerBefore;
  KeyList lists, listsBefore;
  unsigned firstNode = 0, next = 0;
  /// What may be in the next layer.
  llvm::SmallVector<Candidate, 0> candidates;
  uint64_t numCandidates = 0;
  /// The list of a state that follows.
  KeyList following;
  bool isFound = false;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_BEAMSEARCH_H
