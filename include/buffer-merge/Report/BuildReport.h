//===- BuildReport.h - From a plan to a report ------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_REPORT_BUILDREPORT_H
#define BUFFER_MERGE_REPORT_BUILDREPORT_H

#include "buffer-merge/Planning/MergePlan.h"
#include "buffer-merge/Report/Report.h"

namespace buffer_merge {
/// Describe `plan`, which was made for `root` and is not carried out yet.
///
/// MLIR does not keep the names of values when it reads a file. The name of a
/// buffer is the first of these that exists:
///
/// 1. the name in its location: `loc("conv1")`;
/// 2. the name before the `=` at its location in the source, if that file can
///   be read: the line that diagnostics quote as well;
/// 3. the name under which `root` prints it, such as `%alloc_3`.
///
/// Must not be called from several threads on parts of one module.
Report buildReport(mlir::Operation *root, const MergePlan &plan,
                   llvm::StringRef scheduler);

/// Describe the pools of `plan` that have no reason yet, in their order, before
/// they are scheduled: all offsets are 0, and so is the pool size. Their
/// numbers in a report, and with them the ids of their buffers, are the same as
/// long as every one of them gets a schedule.
std::vector<ReportPool> describeUnscheduledPools(mlir::Operation *root,
                                                 const MergePlan &plan);
} // namespace buffer_merge

#endif // BUFFER_MERGE_REPORT_BUILDREPORT_H
