//===- RandomProblems.h - Problems for property tests -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_UNITTESTS_SCHEDULING_RANDOMPROBLEMS_H
#define BUFFER_MERGE_UNITTESTS_SCHEDULING_RANDOMPROBLEMS_H

#include "../SeedStep.h"

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include <random>

namespace buffer_merge {
/// What random buffers are like.
struct RandomShape {
  unsigned count = 10;
  /// Lifetimes begin in [0, ticks) and last 1 to `maxDuration` ticks.
  int64_t ticks = 20;
  int64_t maxDuration = 12;
  int64_t maxSize = 1000;
  /// Alignments are powers of two up to 2^maxAlignmentLog2.
  unsigned maxAlignmentLog2 = 0;
};

/// Return random buffers. Of the generator only the raw numbers are used: the
/// distributions of the standard differ between libraries.
inline SchedulingProblem makeRandomProblem(unsigned seed,
                                           const RandomShape &shape) {
  std::mt19937_64 random(seed);
  SchedulingProblem problem;
  for (unsigned i = 0; i < shape.count; ++i) {
    int64_t begin = random() % shape.ticks;
    int64_t duration = 1 + random() % shape.maxDuration;
    int64_t size = 1 + random() % shape.maxSize;
    int64_t alignment = int64_t(1) << (random() % (shape.maxAlignmentLog2 + 1));
    problem.buffers.push_back({size, begin, begin + duration, alignment});
  }
  return problem;
}

/// Cut a rectangle of 64 ticks and 100 bytes at random into `count` buffers:
/// they fit into 100 bytes without a hole.
inline SchedulingProblem makeCutProblem(unsigned seed, unsigned count) {
  std::mt19937_64 random(seed);
  SchedulingProblem problem;
  problem.buffers.push_back({100, 0, 64});
  while (problem.buffers.size() < count) {
    Buffer &buffer = problem.buffers[random() % problem.buffers.size()];
    Buffer other = buffer;
    if (random() % 2 == 0 && buffer.size >= 2) {
      buffer.size = 1 + random() % (buffer.size - 1);
      other.size -= buffer.size;
    } else if (buffer.end - buffer.begin >= 2) {
      buffer.end =
          buffer.begin + 1 + random() % (buffer.end - buffer.begin - 1);
      other.begin = buffer.end;
    } else {
      continue;
    }
    problem.buffers.push_back(other);
  }
  return problem;
}

/// Add up to `count` random conflicts.
inline void addRandomConflicts(unsigned seed, unsigned count,
                               SchedulingProblem &problem) {
  std::mt19937_64 random(seed);
  for (unsigned i = 0; i < count; ++i) {
    BufferId a = random() % problem.buffers.size();
    BufferId b = random() % problem.buffers.size();
    if (a != b)
      problem.conflicts.push_back({a, b});
  }
}

/// Give about half of the buffers that live long enough one gap or two.
inline void addRandomGaps(unsigned seed, SchedulingProblem &problem) {
  std::mt19937_64 random(seed);
  for (Buffer &buffer : problem.buffers) {
    int64_t from = buffer.begin;
    for (unsigned i = random() % 4; i >= 2; --i) {
      // At least one tick before the gap, in it and after it.
      int64_t room = buffer.end - from - 3;
      if (room < 0)
        break;
      int64_t before = random() % (room + 1);
      int64_t length = random() % (room - before + 1);
      int64_t begin = from + 1 + before;
      buffer.gaps.push_back({begin, begin + 1 + length});
      from = buffer.gaps.back().end;
    }
  }
}

/// Fix the offset of every `stride`-th buffer, so far apart that they do not
/// exclude each other. Sizes and alignments are at most 1024.
inline void addFixedOffsets(unsigned stride, SchedulingProblem &problem) {
  for (BufferId i = 0; i < problem.buffers.size(); i += stride)
    problem.buffers[i].fixedOffset = int64_t(1024) * i;
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_UNITTESTS_SCHEDULING_RANDOMPROBLEMS_H
