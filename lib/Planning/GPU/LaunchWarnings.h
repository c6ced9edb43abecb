//===- LaunchWarnings.h - Launches that contradict kernels ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_LAUNCHWARNINGS_H
#define BUFFER_MERGE_LIB_PLANNING_LAUNCHWARNINGS_H

#include "buffer-merge/Planning/PlanMessages.h"

namespace buffer_merge {
/// Add a warning for each `gpu.launch_func` inside `root` that launches a
/// kernel there with another constant number of threads than its
/// `known_block_size` says: plans rely on that.
///
/// Time: linear in the operations inside `root`, if a kernel in one of its
/// modules has the attribute.
void addLaunchWarnings(mlir::Operation *root, PlanMessages &messages);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_LAUNCHWARNINGS_H
