//===- LinearScan.h - Linear scan over slots --------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULERS_LINEARSCAN_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULERS_LINEARSCAN_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// `linear-scan`: buffers in the order of their begin; each takes the smallest
/// free slot that holds it, or else the largest free slot, which grows, or else
/// a new slot. A slot is as large as its largest tenant.
///
/// - Source: linear-scan register allocation (Poletto and Sarkar, TOPLAS 1999)
///   with slots for registers, as buffer reuse has been proposed for MLIR.
/// - Objective: few slots. One buffer never shares the bytes of several.
/// - Guarantee: as many slots as buffers are alive at once, at most; none on
///   the pool.
/// - Complexity: O(n log n).
/// - Failure: the pool does not fit the capacity.
///
/// Mixed alignments, conflicts and fixed offsets are honoured by an adapter
/// that keeps the order of buffers from bottom to top and shifts them.
std::unique_ptr<Scheduler> createLinearScanScheduler();
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULERS_LINEARSCAN_H
