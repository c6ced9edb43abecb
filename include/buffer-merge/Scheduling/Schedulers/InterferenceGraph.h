//===- InterferenceGraph.h - Hand-overs between buffers ---------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULERS_INTERFERENCEGRAPH_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULERS_INTERFERENCEGRAPH_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// `interference-graph`: the largest buffers first, of several those that
/// interfere with the most others, each inserted into the allocation graph. An
/// edge of that graph is a range of bytes that one buffer hands over to
/// another; the first is handed over by nobody, the last to nobody.
///
/// ```
///            [0, 64)        [0, 64)                    [0, 16)
///    start ----------> a ------------> end     a -> c ---------> end
///                                              a --------------> end
///    c of 16 bytes is inserted into a -> end:       [16, 64)
/// ```
///
/// A buffer may go to any edge whose two ends do not interfere with it, at the
/// range's begin. Of these candidates the one that needs the fewest new bytes
/// is taken, then the one that wastes the fewest. New bytes can be had at the
/// top of a block only. Without a candidate, the buffer starts a new block, and
/// with it a companion: the largest buffer left (of the next 32) that can
/// follow or precede it in the same bytes.
///
/// - Source: the tensor allocation of NNC (libnnc.org, liuliu/ccv): graph of
///   interference, graph of allocation, candidates of a tensor and a
///   companion. There, only the size of the pool is derived for a candidate;
///   here, every edge carries offsets.
/// - Objective: few new bytes for each buffer.
/// - Guarantee: none on the pool. One buffer never takes the bytes of several,
///   so that 2 to 5 times the lower bound are usual.
/// - Complexity: O(n log n): at most 64 edges are candidates, those that are
///   closest in time.
/// - Failure: the pool does not fit the capacity.
///
/// Mixed alignments, conflicts and fixed offsets are honoured by an adapter
/// that keeps the order of buffers from bottom to top and shifts them.
std::unique_ptr<Scheduler> createInterferenceGraphScheduler();
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULERS_INTERFERENCEGRAPH_H
