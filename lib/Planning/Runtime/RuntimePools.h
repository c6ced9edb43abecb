//===- RuntimePools.h - What is in pools of run-time size -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_RUNTIMEPOOLS_H
#define BUFFER_MERGE_LIB_PLANNING_RUNTIMEPOOLS_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Add pools of run-time size to `plan`, which is complete otherwise (R9
/// run-time pools). In each block, the buffers of which all sizes can be
/// computed in front of the first of them are in one pool: those of run-time
/// size, and those of static size that the plan has in an allocated pool of
/// the block or in none; the former pool vanishes. If the peak is limited
/// and cannot be proved to stay, buffers at either end of the block are left
/// out, and if that does not help, there is no pool.
void addRuntimePools(MergePlan &plan, const MergePlanOptions &options);

/// Add pools of the tiles of run-time size in each kernel whose workgroup
/// memory is dynamic: sizes that its launches know, at the front of the kernel
/// (G15 tiles of run-time size).
void addKernelPools(MergePlan &plan, const MergePlanOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_RUNTIMEPOOLS_H
