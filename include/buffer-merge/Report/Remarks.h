//===- Plans and lifetimes as remarks ---------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_REPORT_REMARKS_H
#define BUFFER_MERGE_REPORT_REMARKS_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Emit what the analysis found as remark diagnostics: one at every allocation,
/// with its lifetime as a half-open interval of ticks or the reason why it
/// cannot be merged; one at every alloc scope and memory space, with the bytes
/// that its buffers take, the largest number alive at one tick, and the bytes
/// of the pool; and one at `root` for every reason, with counts and bytes.
///
/// ```
///   remark: lifetime [2, 9), 65536 bytes
///   remark: not mergeable: returned, its function returns it ('func.return')
///   remark: pool: 3 buffers of 196608 bytes, 131072 alive at tick 4, pool of
///           131072 bytes
///   remark: left alone: 1 allocation of 65536 bytes: returned
/// ```
void emitLifetimeRemarks(mlir::Operation *root, const MergePlan &plan);

/// Emit what was decided through MLIR's remark engine, if the context has one
/// (`--remark-format`), under the category `buffer-merge`: `Merged` (passed)
/// and `NotMerged` (missed) for every allocation, `Pool` (analysis) for every
/// pool that replaces buffers. Must be called before the plan is carried out.
/// Several threads may do so for different functions.
///
/// | remark | arguments |
/// | --- | --- |
/// | `Merged` | `Offset`, `Bytes`, `Begin`, `End` |
/// | `NotMerged` | `Reason`, `Bytes`, `Suggestion` if there is one |
/// | `Pool` | `PoolBytes`, `LowerBound`, `AllocatedBytes`, `SavedBytes`, |
/// |        | `Buffers` |
void emitMergeRemarks(const MergePlan &plan);

/// Emit in the same way `NotMerged` for an attribution at `loc` of `kernel`, a
/// function, that has the type `type` and stays for `reason`.
void emitAttributionRemark(mlir::Operation *kernel, mlir::Location loc,
                           mlir::MemRefType type, UnmergeableReason reason);
} // namespace buffer_merge

#endif // BUFFER_MERGE_REPORT_REMARKS_H
