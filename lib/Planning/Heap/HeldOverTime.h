//===- HeldOverTime.h - What a function and its callees hold ----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_HELDOVERTIME_H
#define BUFFER_MERGE_LIB_PLANNING_HELDOVERTIME_H

#include "Footprint.h"
#include "ProgramHeap.h"

namespace buffer_merge {
/// Return what `function` holds in `planned`, with all that it calls, on one
/// time axis: a call takes as many ticks as its callee has. Sorted by time.
/// Where that would be very many items, some calls and inner scopes, those that
/// hold least, are one item of the most that they hold.
llvm::SmallVector<HeldItem, 0>
findHeldOverTime(const ProgramHeap &planned,
                 mlir::FunctionOpInterface function);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_HELDOVERTIME_H
