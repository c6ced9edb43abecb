//===- ProgramCapacity.h - Scopes that hold too much together ---*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_PROGRAMCAPACITY_H
#define BUFFER_MERGE_LIB_PLANNING_PROGRAMCAPACITY_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Find the scopes of the program that `plan` was made for that hold more bytes
/// at one tick than the capacity of a memory, together with the scopes inside
/// and with callees (R6 capacity). Those that hold a pool, a scope or a callee
/// which exceeds the capacity by itself are not among them.
///
/// Time: as `ProgramHeap`; nothing without capacities.
llvm::SmallVector<OverfullScope, 0>
findOverfullScopes(const MergePlan &plan, const MergePlanOptions &options);

/// Set `OverfullScope::isOpen` of those of `plan`.
void findOpenScopes(MergePlan &plan);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_PROGRAMCAPACITY_H
