//===- CanonicalFit.h - Buffers placed from bottom to top -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_CANONICALFIT_H
#define BUFFER_MERGE_LIB_SCHEDULING_CANONICALFIT_H

#include "Placement.h"
#include "Sections.h"

namespace buffer_merge {
/// Place the buffers from bottom to top: of all that are left, the one that can
/// be put lowest goes there; of several, the one that comes first in `ranking`,
/// which holds every id once.
///
/// O(n log n) time as a rule, O(n sqrt(n)) at worst. With conflicts, fixed
/// offsets, gaps or more than 16 different alignments O((n + r) log n), where r
/// counts how often the offset of a buffer had to be corrected before its turn
/// came: 64 n + 2^20 at most. Buffers that come after that may be put although
/// others could be put lower.
llvm::SmallVector<int64_t, 0> fitCanonically(const SchedulingProblem &problem,
                                             const Sections &sections,
                                             llvm::ArrayRef<BufferId> ranking);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_CANONICALFIT_H
