//===- Banks.h - Spreading buffers over banks -------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_BANKS_H
#define BUFFER_MERGE_SCHEDULING_BANKS_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"
#include "buffer-merge/Scheduling/Target.h"

#include "llvm/ADT/ArrayRef.h"

namespace buffer_merge {
/// Return true if two buffers, whose bytes count from the start of the memory,
/// are in each other's way when they are accessed at the same time: if there is
/// a bank that both have bytes in; if the banks are interleaved, so that every
/// buffer has bytes in many, if both begin in the same one, since accesses go
/// through them at the same pace.
bool shareBank(const BankGeometry &banks, RegionBytes first,
               RegionBytes second);

/// Pairs of buffers that are accessed together, in a memory with banks.
struct BankProblem {
  BankGeometry banks;
  /// Where the pool begins, from the start of the memory.
  int64_t poolBegin = 0;
  /// Pairs of different buffers, each listed once.
  llvm::SmallVector<std::pair<BufferId, BufferId>, 0> pairs;
};

/// Return how many of the pairs share a bank in `schedule`.
int64_t countPairsInSameBank(const SchedulingProblem &problem,
                             const BankProblem &banks,
                             const Schedule &schedule);

/// Return a schedule with as few pairs in the same bank as the search finds,
/// and no larger a pool than `schedule`, which is valid for `problem` and what
/// to begin with. Pairs of `problem` that must not share bytes are those that
/// overlap in time and its conflicts. Buffers that have a fixed offset or are
/// in an in-place pair stay where they are. Verified; `schedule` itself if
/// nothing is gained.
///
/// One buffer after the other is moved to where it shares fewer banks, as long
/// as that helps. Then branch and bound places all of them from bottom to top,
/// each on others or at the begin of a bank, `maxSteps` times at most: of few
/// buffers, that is every schedule that may be better. The result depends on
/// the arguments alone.
Schedule spreadOverBanks(const SchedulingProblem &problem,
                         const BankProblem &banks, Schedule schedule,
                         int64_t maxSteps);
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_BANKS_H
