//===- Canonical.h - Buffers from bottom to top -----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULERS_CANONICAL_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULERS_CANONICAL_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// The canonical schedulers: of all buffers that are left, the one that can be
/// put lowest goes there; of several, the one of the highest rank. A buffer is
/// put on top of what is there; gaps below are not used again.
///
/// | name | rank, the largest first |
/// | --- | --- |
/// | `canonical-by-duration` | duration, area, contention |
/// | `canonical-by-contention` | contention, area, duration |
/// | `canonical-by-contention-and-duration` | contention, duration, area |
/// | `canonical-by-contention-and-conflicts` | contention, conflicts, size |
/// | `canonical-by-area` | area |
/// | `canonical-by-size` | size |
///
/// Contention is the largest number of bytes alive at a tick of the lifetime,
/// area is size times duration, conflicts is the number of other buffers that
/// may not share bytes with it.
///
/// - Source: the canonical solutions and static orders (WAT, TAW, TWA) of
///   MiniMalloc (Moffitt, ASPLOS 2023), followed once and without a capacity.
/// - Objective: a skyline without holes: every packing can be written down in
///   this way, given the right ranks.
/// - Guarantee: none on the pool; 1.12 to 1.26 times the lower bound for the
///   best of them on MiniMalloc's instances.
/// - Complexity: O((n + r) log n) for r corrections of an expected offset: 4 to
///   20 times n in practice.
/// - Failure: the pool does not fit the capacity.
llvm::SmallVector<std::unique_ptr<Scheduler>> createCanonicalSchedulers();
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULERS_CANONICAL_H
