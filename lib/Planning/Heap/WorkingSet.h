//===- WorkingSet.h - What one operation needs ------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_WORKINGSET_H
#define BUFFER_MERGE_LIB_PLANNING_WORKINGSET_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// What one operation accesses.
struct WorkingSet {
  /// The bytes of the allocations, 0 if there is none, and of what calls access
  /// that lead to its function. One that may be written in place of another one
  /// counts once.
  int64_t bytes = 0;
  mlir::Operation *op = nullptr;
};

/// Return the largest working set of an operation, the first of several: no
/// plan holds less at its peak unless the operation becomes another one, by
/// fusion or by tiling. What is not known to be accessed, such as a result or
/// one of several buffers, device memory, and what is in arguments does not
/// count.
///
/// Time: linear in the accesses and calls.
WorkingSet findLargestWorkingSet(const MergePlan &plan);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_WORKINGSET_H
