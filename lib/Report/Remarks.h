//===- Plans and lifetimes as remarks ---------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_REMARKS_H
#define BUFFER_MERGE_LIB_REPORT_REMARKS_H

#include "buffer-merge/Analysis/CarriedInstances.h"
#include "buffer-merge/Planning/MergePlan.h"

#include "mlir/IR/Remarks.h"

#include <mutex>

namespace buffer_merge {
/// Return what should be known about `pool` besides numbers: details of why
/// there is none, or of its threads; usually empty.
std::string getPoolNote(const PoolPlan &pool);

/// Emit the results of the analysis as remark diagnostics: one at every
/// allocation, with its lifetime as a half-open interval of ticks or the reason
/// why it cannot be merged; one at every alloc scope and memory space, with the
/// bytes that its buffers take, the largest number alive at one tick, and the
/// bytes of the pool; and one at `root` for every reason, with counts and
/// bytes.
///
/// ```
///   remark: lifetime [2, 9), 65536 bytes
///   remark: lifetime [9, 12), 65536 bytes, value 2 of 3
///   remark: not mergeable: returned, its function returns it ('func.return')
///   remark: pool: 3 buffers of 196608 bytes, 131072 alive at tick 4, pool of
///           131072 bytes
///   remark: left alone: 1 allocation of 65536 bytes: returned
/// ```
void emitLifetimeRemarks(mlir::Operation *root, const MergePlan &plan);

/// Emit the decisions through MLIR's remark engine, if the context has one
/// (`--remark-format`), under the category `buffer-merge`; for a top-level
/// operation also the analysis remark `Program`, at its location, under the
/// category `memory-footprint`: `AllocatedBytes`, `BaselineBytes` and
/// `PeakBytes` of its `Footprint`. Must be called before the plan is carried
/// out. Several threads may call it for different functions. docs/Reports.md
/// has tables of these and the following remarks, and of their arguments.
void emitMergeRemarks(const MergePlan &plan);

/// Emit the decision for each pool of `plan`, which has been made for
/// `PoolStorage::Slots`, through MLIR's remark engine, if the context has one
/// (`--remark-format`), under the category `buffer-merge`, at the loop: `Slots`
/// (passed), or `NoSlots` (missed). Must be called before anything changes.
/// Several threads may do so for different functions.
void emitSlotRemarks(const MergePlan &plan);

/// Emit the decision for every loop-carried buffer through MLIR's remark
/// engine, if the context has one (`--remark-format`), under the category
/// `buffer-merge`: `Rotated` (passed), or `NotRotated` (missed); and `Hoisted`
/// (passed) for a buffer that is moved with them because it shares a
/// deallocation. Must be called before anything changes. Several threads may do
/// so for different functions.
void emitRotationRemarks(const CarriedInstances &instances);

/// Return the lock that whoever emits remarks must hold, or nothing if nobody
/// listens in `context`, which may be null. In 22.1 the streamers of the remark
/// engine do not expect two threads: of functions that are processed at the
/// same time, remarks would be lost or torn.
std::optional<std::lock_guard<std::mutex>>
lockRemarks(mlir::MLIRContext *context);

/// Return what the remark `name` about `op` is filed under.
mlir::remark::RemarkOpts getRemarkOpts(llvm::StringRef name,
                                       mlir::Operation *op);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_REMARKS_H
