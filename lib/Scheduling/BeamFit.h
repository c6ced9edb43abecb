//===- BeamFit.h - Buffers placed in time, several ways at once -*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_BEAMFIT_H
#define BUFFER_MERGE_LIB_SCHEDULING_BEAMFIT_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace buffer_merge {
/// Return the offsets of a schedule of at most `height` bytes for `problem`,
/// which has neither conflicts nor fixed offsets, or nothing if none is found.
///
/// Buffers are placed in the order of their begins, as an online allocator
/// would, but `width` arrangements of the live buffers are kept at a time (beam
/// search; B. T. Lowerre, The HARPY speech recognition system, 1976): those
/// that leave the largest gaps now and as their buffers die. Where few buffers
/// are alive at once there are few arrangements that differ, and a narrow beam
/// misses none that matters.
///
/// ```
///   height 4   .bbbbb    The first fit would put b on top of a, and would have
///              ...ccc    no place for c when a is dead. The arrangement with b
///              aaaccc    right below the height is kept as well.
///              aaaccc
/// ```
///
/// O(n log n + n w m^3) time for n buffers, m of them alive at once, and a
/// width of w, and never more than O(n log n + n w): it gives up where too many
/// buffers are alive. O(n w) memory. `width` must be at least 1 and at most
/// 256, `height` positive. `mayGoOn` is asked now and then; if it says no,
/// nothing is found.
std::optional<llvm::SmallVector<int64_t, 0>>
fitWithBeam(const SchedulingProblem &problem, int64_t height, unsigned width,
            llvm::function_ref<bool()> mayGoOn = nullptr);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_BEAMFIT_H
