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

#include "PackingInstance.h"

#include "llvm/ADT/BitVector.h"

#include <optional>
#include <tuple>

namespace buffer_merge {
/// The search for one instance. It can be stopped after any number of steps and
/// resumed, and started again with another capacity or width.
class BeamSearch {
public:
  enum class Outcome {
    /// There is a schedule within the capacity: `getOffsets()`.
    Found,
    /// No state of the beam could be completed. This is no proof.
    Failed,
    /// The limit of steps was reached.
    Stopped,
  };

  /// Return true if the search can run on `instance`: it has 2 to `maxBuffers`
  /// buffers, none of them with a fixed offset, and offsets below 2^29 units.
  static bool supports(const PackingInstance &instance);
  static constexpr unsigned maxBuffers = 1024;

  /// `instance` must be supported and must outlive this object.
  explicit BeamSearch(const PackingInstance &instance);

  /// Begin a search for a schedule of at most `capacity` units, no less than
  /// the largest sum of a section, that keeps `width` states of each layer, at
  /// least one.
  void start(int64_t capacity, unsigned width);

  /// Continue the search for about `maxSteps` steps. A step is a fixed amount
  /// of work, in the order of a microsecond.
  Outcome resume(int64_t maxSteps);

  /// Return the steps done since construction.
  int64_t getSteps() const { return work / workPerStep; }

  /// Return the offsets found, in units: after `Outcome::Found` only.
  llvm::ArrayRef<int64_t> getOffsets() const { return offsets; }

private:
  /// A buffer that was placed, on the way to a state that was kept.
  struct Node {
    /// The node of the buffer placed before, or `none`.
    unsigned parent;
    unsigned rank;
    int32_t floor;
  };

  /// A state that may be kept: one more buffer placed after `parent`.
  struct Candidate {
    /// The room that was lost; less is better.
    int64_t rating;
    /// In the order of their making.
    uint64_t number;
    uint64_t hash;
    Node node;

    bool operator<(const Candidate &other) const {
      return std::tie(rating, number) < std::tie(other.rating, other.number);
    }
  };

  /// A buffer to be placed: where it can begin at the lowest, in the upper
  /// half, and its rank.
  using Key = int64_t;
  using KeyList = llvm::SmallVector<Key, 0>;

  static constexpr unsigned none = ~0u;
  static constexpr int64_t workPerStep = 1024;

  static Key makeKey(int64_t floor, unsigned rank) {
    return floor << 32 | rank;
  }
  static int64_t getFloor(Key key) { return key >> 32; }
  static unsigned getRank(Key key) { return unsigned(key); }

  void openLayer();
  void expand(unsigned slot);
  bool placeNext(unsigned index);
  bool liftSkipped(Key limit);
  std::optional<int64_t> rate(Key limit);
  void add(Node node, int64_t rating);
  void takeOffsets(Node last);
  int64_t alignTop(int64_t top, unsigned rank) const;

  const PackingInstance &instance;
  const unsigned count;
  int64_t capacity = 0;
  unsigned width = 0;
  int64_t work = 0;

  // By rank: the buffers with the largest area first.
  llvm::SmallVector<unsigned, 0> ids;
  llvm::SmallVector<int32_t, 0> sizes;
  llvm::SmallVector<int64_t, 0> alignments;
  llvm::SmallVector<llvm::SmallVector<SectionRange, 1>, 0> lives;
  llvm::SmallVector<llvm::BitVector, 0> neighbours;
  llvm::SmallVector<uint64_t, 0> factors;

  /// By section: the room at the start, as a logarithm, and what it is worth.
  llvm::SmallVector<int64_t, 0> initialRoom, weights;
  uint64_t random = 0;
  /// What is added to the room of a section before its logarithm is taken.
  int64_t leastRoom = 1;

  llvm::SmallVector<Node, 0> nodes;
  /// The nodes of the present layer are `beamSize` from `firstNode` on, of
  /// which `next` have been expanded; without any, the state with no buffer
  /// placed.
  unsigned firstNode = 0, beamSize = 0, next = 0;
  /// The floors of their buffers by rank, -1 for those that are placed.
  llvm::SmallVector<int32_t, 0> floors, parentFloors;
  /// What may be in the next layer.
  llvm::SmallVector<Candidate, 0> candidates;
  uint64_t numCandidates = 0;

  // Scratch: the state that is expanded, what follows from one more buffer
  // placed, and parts of that.
  KeyList present, following, others, changed;
  llvm::SmallVector<int32_t, 0> sectionTops;

  llvm::SmallVector<int64_t, 0> offsets;
  bool isFound = false;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_BEAMSEARCH_H
