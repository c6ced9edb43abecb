//===- PlannerFixture.h - Problems of the C library -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_UNITTESTS_PLANNER_PLANNERFIXTURE_H
#define BUFFER_MERGE_UNITTESTS_PLANNER_PLANNERFIXTURE_H

#include "buffer-merge-c/Planner.h"

#include <random>
#include <vector>

namespace buffer_merge {
/// The columns of a problem, and the problem that points to them.
struct Columns {
  std::vector<int64_t> sizes, begins, ends, alignments, fixedOffsets;
  std::vector<bm_gap> gaps;
  std::vector<bm_pair> conflicts, samePlaces;
  std::vector<bm_in_place> inPlace;
  int64_t capacity = 0;

  void add(int64_t size, int64_t begin, int64_t end) {
    sizes.push_back(size);
    begins.push_back(begin);
    ends.push_back(end);
  }

  /// Valid until a column changes.
  bm_problem get() const {
    bm_problem problem = BM_PROBLEM_INIT;
    problem.num_buffers = sizes.size();
    problem.sizes = sizes.data();
    problem.begins = begins.data();
    problem.ends = ends.data();
    problem.alignments = alignments.empty() ? nullptr : alignments.data();
    problem.fixed_offsets =
        fixedOffsets.empty() ? nullptr : fixedOffsets.data();
    problem.num_gaps = gaps.size();
    problem.gaps = gaps.data();
    problem.num_conflicts = conflicts.size();
    problem.conflicts = conflicts.data();
    problem.num_in_place = inPlace.size();
    problem.in_place = inPlace.data();
    problem.num_same_places = samePlaces.size();
    problem.same_places = samePlaces.data();
    problem.capacity = capacity;
    return problem;
  }
};

inline Columns makeRandomColumns(unsigned seed, unsigned count) {
  std::mt19937_64 random(seed);
  Columns columns;
  for (unsigned i = 0; i < count; ++i) {
    int64_t begin = random() % count;
    columns.add(1 + random() % 1000, begin, begin + 1 + random() % 12);
    columns.alignments.push_back(int64_t(1) << random() % 7);
  }
  return columns;
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_UNITTESTS_PLANNER_PLANNERFIXTURE_H
