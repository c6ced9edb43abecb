//===- Algorithms.h - The built-in schedulers -------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the schedulers do that `lookupScheduler` (Scheduler.h) knows from the
// start. n is the number of buffers, p that of pairs of buffers that overlap in
// time or are in conflict.
//
// All of them are deterministic, honour alignments, conflicts and fixed
// offsets, and fail if the pool does not fit the capacity; no other failure is
// possible unless named below. Only `auto` and `exact` look at the effort.
// Except for these two and `bump`, the pool has no guaranteed size. What is
// said of pools in practice is measured by
// benchmarks/SchedulingBenchmark.cpp.
//
// `exact`, `canonical-*`, `greedy-*` and `auto` give the bytes of a buffer to
// others during the gaps of its lifetime. The others do as if there were no
// gaps, except where an offset is fixed.
//
// **One buffer after the other, in a fixed order**
//
// | name | order, the largest first | goes to |
// | --- | --- | --- |
// | `first-fit` | begin (the earliest first), size | the lowest gap |
// | `best-fit` | begin (the earliest first), size | the smallest gap |
// | `greedy-by-size` [1] | size | the smallest gap |
// | `greedy-by-contention` [2] | contention, duration, size | the lowest gap |
//
// A gap is a range of bytes that no placed buffer occupies which is alive at
// the same time or in conflict; the top of the pool is one. Duration is the
// length of the lifetime, area is size times duration, contention the largest
// number of bytes alive at a tick of the lifetime, and conflicts the number of
// other buffers that may not share bytes with it. The position in the problem
// decides in the end.
//
// `best-fit` is that of MLIR's static memory planner
// (llvm/llvm-project#207403), `first-fit` the offset packing that MLIR users
// ask for: several small buffers that are alive together share the bytes of a
// large one before them. O(n log n) time, and O(n a) for a buffers alive at
// once if conflicts or fixed offsets concern all of them. The others place what
// is hard first, in O(n log n + p log p); on problems like those of networks
// they meet the lower bound as a rule.
//
// **From bottom to top**
//
// | name | rank, the largest first |
// | --- | --- |
// | `canonical-by-duration` | duration, area, contention |
// | `canonical-by-contention` | contention, area, duration |
// | `canonical-by-contention-and-duration` | contention, duration, area |
// | `canonical-by-contention-and-conflicts` | contention, conflicts, size |
// | `canonical-by-area` | area |
//
// Of all buffers that are left, the one that can be put lowest goes there, on
// top of what is there; of several, the one of the highest rank. Every packing
// can be written down in this way, given the right ranks. These are the
// canonical solutions and static orders of MiniMalloc [3], followed once and
// without a capacity: 1.12 to 1.26 times the lower bound for the best of them
// on its instances. O(n log n) time as a rule, however many buffers are alive
// at once, O(n sqrt(n)) at worst; conflicts and fixed offsets cost up to 2^20 +
// 64 n corrections of an expected offset.
//
// **Online**, that is allocated and freed in the order of time. Conflicts,
// fixed offsets and mixed alignments are left to an adapter that keeps the
// order of the buffers from bottom to top and shifts them. O(n log n) time.
//
// - `hot-first`: chunks that are split when they are too large, merged with
//   free neighbours, and extended when all are too small; a chunk that was
//   freed recently, and may be in a cache, and whose size is close comes first
//   (of 16 by size and 16 by heat). The default cost model of the compile-time
//   allocation merging RFC for MLIR (llvm/llvm-project#95882); the code and the
//   weights are our own.
// - `size-first`: the same without the heat, the RFC's other model.
// - `linear-scan`: each buffer takes the smallest free slot that holds it, or
//   else the largest free slot, which grows, or else a new slot: no more slots
//   than buffers alive at once. Linear-scan register allocation [4] with slots
//   for registers; no buffer shares the bytes of several.
// - `shared-free-list`: blocks are reused whole. A buffer takes the smallest
//   free block of at least its size and at most 16 times as much; else the
//   largest smaller block of at least a sixteenth, with free neighbours and
//   extended by what is missing; else a new block. The free list by size of
//   TVM's MergeSharedMemoryAllocations, which there fuses blocks wherever they
//   lie.
//
// **Others**
//
// - `bump`: each buffer at the lowest aligned offset above the one before it.
//   No byte is used twice, whatever the lifetimes: merging without reuse tells
//   a wrong lifetime from a wrong rewrite when a miscompile is bisected. O(n),
//   O(n log n) with fixed offsets.
// - `interference-graph`: the largest buffers first, each takes over the bytes
//   of one that does not interfere (the tensor allocation of NNC, libnnc.org).
//   One buffer never takes the bytes of several. O(n log n): at most 128
//   candidates, those closest in time.
// - `exact`: branch and bound, as `solveExact` (Exact.h) does it, for as many
//   steps as the effort selects. Optimal, unless the steps end; exponential up
//   to there. With a capacity, any pool within it. It fails also if it found no
//   schedule within the capacity, or proved that there is none.
// - `auto`, the default: all the others, one after the other, until a pool is
//   as small as the lower bound; of each independent part of the problem the
//   best offsets are kept. Where the schedule is high, it is repaired in
//   between (Repair.h). Then better orders, and search, as far as the effort
//   reaches: as many steps as `exact`, and as many again that begin with the
//   best schedule. Portfolios are those of XLA (ChooseBest) and ExecuTorch; the
//   parts, the order and the search are our own.
//
//   With a capacity, it does not search for a smaller pool than one that fits.
//
//   Guarantee: never larger than the pool of any other built-in scheduler that
//   it ran, because it ran it on the same problem with the same options;
//   optimal where the lower bound is met. All run on every problem of up to
//   10,000 buffers, except that the `greedy-*` are left out where more than
//   2^18 + 32 n pairs of buffers overlap in time, and that `exact` is where a
//   capacity is met before. Of more buffers, one `canonical-*`, `best-fit`,
//   `first-fit`, `size-first` and `linear-scan` are run, however many there
//   are; `exact` is run with a capacity only.
//
//   Complexity: O(n log n) as a rule, besides the steps of the search, which
//   the effort limits.
//
// [1] TFLite's arena; Pisarchyk and Lee, "Efficient Memory Management for Deep
//     Neural Net Inference", arXiv 2001.03288.
// [2] The phase with the highest contention first, as TelaMalloc does (Maas et
//     al., ASPLOS 2023), without its search.
// [3] M. D. Moffitt, "MiniMalloc: A Lightweight Memory Allocator for
//     Hardware-Accelerated Machine Learning", ASPLOS 2023, vol. 4,
//     doi 10.1145/3623278.3624752.
// [4] Poletto and Sarkar, TOPLAS 1999.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_ALGORITHMS_H
#define BUFFER_MERGE_SCHEDULING_ALGORITHMS_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// Return new instances of all built-in schedulers, in no particular order: for
/// portfolios of one's own. `lookupScheduler` has one instance of each.
llvm::SmallVector<std::unique_ptr<Scheduler>> createBuiltinSchedulers();
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_ALGORITHMS_H
