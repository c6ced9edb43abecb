//===- Carried buffers as remarks -------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_ROTATIONREMARKS_H
#define BUFFER_MERGE_LIB_REPORT_ROTATIONREMARKS_H

#include "buffer-merge/Analysis/CarriedInstances.h"

namespace buffer_merge {
/// Emit the decision for every loop-carried buffer through MLIR's remark
/// engine, if the context has one (`--remark-format`), under the category
/// `buffer-merge`: `Rotated` (passed), or `NotRotated` (missed); and `Hoisted`
/// (passed) for a buffer that is moved with them because it shares a
/// deallocation. Must be called before anything changes. Several threads may do
/// so for different functions.
///
/// | remark | arguments |
/// | --- | --- |
/// | `Rotated` | `Slots`, `Loops`: those that carry the buffer |
/// | `Hoisted` | |
/// | `NotRotated` | `Reason`, `Suggestion` if there is one |
void emitRotationRemarks(const CarriedInstances &instances);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_ROTATIONREMARKS_H
