//===- OverCapacityPolicy.h - Errors or warnings ----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_PLANNING_OVERCAPACITYPOLICY_H
#define BUFFER_MERGE_PLANNING_OVERCAPACITYPOLICY_H

namespace buffer_merge {
/// How a pool that exceeds its capacity is handled (R6 capacity).
enum class OverCapacityPolicy {
  /// It is an error, and nothing is changed.
  Error,
  /// It is made as small as it can be, with a warning.
  Warn,
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_PLANNING_OVERCAPACITYPOLICY_H
