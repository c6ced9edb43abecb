//===- Slots of parallel loops as remarks -----------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_SLOTREMARKS_H
#define BUFFER_MERGE_LIB_REPORT_SLOTREMARKS_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Emit the decision for each pool of `plan`, which has been made for
/// `PoolStorage::Slots`, through MLIR's remark engine, if the context has one
/// (`--remark-format`), under the category `buffer-merge`, at the loop: `Slots`
/// (passed), or `NoSlots` (missed). Must be called before anything changes.
/// Several threads may do so for different functions.
///
/// | remark | arguments |
/// | --- | --- |
/// | `Slots` | `Slots`, `SlotBytes`, `Buffers`: those in each slot |
/// | `NoSlots` | `Reason`, `Buffers` |
void emitSlotRemarks(const MergePlan &plan);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_SLOTREMARKS_H
