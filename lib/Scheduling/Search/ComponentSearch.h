//===- ComponentSearch.h - Anytime search for one component -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_COMPONENTSEARCH_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_COMPONENTSEARCH_H

#include "BranchAndBound.h"

namespace buffer_merge {
class SqueakyWheel;
class BeamSearch;

/// Branch and bound on one component: as a decision procedure, and repeatedly
/// at shrinking capacities. All numbers are in units of the instance.
class ComponentSearch {
public:
  using Outcome = BranchAndBound::Outcome;

  /// `instance` must outlive this object, `offsets` be a valid schedule of it.
  ComponentSearch(const PackingInstance &instance,
                  llvm::SmallVector<int64_t, 0> offsets);
  ComponentSearch(ComponentSearch &&);
  ~ComponentSearch();

  /// The smallest schedule known and its height.
  llvm::ArrayRef<int64_t> getOffsets() const { return offsets; }
  int64_t getHeight() const { return height; }
  /// No schedule is lower than this: proved.
  int64_t getLowerBound() const { return lowerBound; }
  /// Steps done since construction.
  int64_t getSteps() const;

  /// Search for about `maxSteps` steps for a schedule of at most `capacity`.
  /// A later call with the same capacity goes on where the last one stopped.
  /// The bounds above are updated with the outcome.
  Outcome decide(int64_t capacity, int64_t maxSteps);

  /// Search for about `maxSteps` steps for lower schedules; heights below
  /// `target` are not worth looking for. Later calls go on.
  void improve(int64_t target, int64_t maxSteps);

private:
  /// Which capacity is tried, and for how long.
  struct Attempt {
    Attempt(const PackingInstance &instance, llvm::ArrayRef<unsigned> tenths);

    /// Return the capacity between `floor` and `height` to be tried.
    int64_t getCapacity(int64_t floor, int64_t height) const;
    /// Go on to the next fraction of the gap, with more steps after the last.
    void fail();

    /// The fractions tried in turn, in tenths of the gap.
    llvm::ArrayRef<unsigned> tenths;
    unsigned next = 0;
    int64_t budget;
    /// Steps left to the present one.
    int64_t left;
  };

  Outcome search(int64_t capacity, int64_t maxSteps);
  void improveBySearch(int64_t floor, int64_t maxSteps);
  bool isTurnOfBeam() const;
  bool searchByBeam(int64_t capacity, int64_t maxSteps);
  void improveByBeam(int64_t floor, int64_t maxSteps);
  void improveByOrders(int64_t floor, int64_t maxSteps);
  void startRun();
  llvm::SmallVector<unsigned, 0> makeRandomOrder();

  const PackingInstance &instance;
  llvm::SmallVector<int64_t, 0> offsets;
  int64_t height;
  int64_t lowerBound;

  std::unique_ptr<BranchAndBound> solver;
  llvm::SmallVector<llvm::SmallVector<unsigned, 0>, 3> orders;

  /// The capacity being decided; -1: none.
  int64_t capacity = -1;
  /// Runs started at this capacity, and the steps left to the present one.
  unsigned numRuns = 0;
  int64_t stepsLeft = 0;
  /// Steps given to deterministic and to random runs.
  int64_t deterministicSteps = 0, randomSteps = 0;
  unsigned numDeterministic = 0, numRandom = 0;
  uint64_t random = 0;

  std::unique_ptr<BeamSearch> beam;
  /// The capacity that `beam` works for; -1: none.
  int64_t beamCapacity = -1;
  unsigned numBeams = 0;

  std::unique_ptr<SqueakyWheel> wheel;
  int64_t orderSteps = 0, savedSteps = 0;

  Attempt searchAttempt, beamAttempt;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_COMPONENTSEARCH_H
