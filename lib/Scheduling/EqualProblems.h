//===- EqualProblems.h - Problems that cannot be told apart -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_EQUALPROBLEMS_H
#define BUFFER_MERGE_LIB_SCHEDULING_EQUALPROBLEMS_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

namespace buffer_merge {
/// Return true if no scheduler can tell `a` from `b`: the same buffers, pairs
/// and capacity in the same order. What was found out about one of them is then
/// true of the other. Takes time only as far as they are equal.
bool areEqual(const SchedulingProblem &a, const SchedulingProblem &b);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_EQUALPROBLEMS_H
