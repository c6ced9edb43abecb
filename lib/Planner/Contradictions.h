//===- Contradictions.h - Problems that have no plan ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNER_CONTRADICTIONS_H
#define BUFFER_MERGE_LIB_PLANNER_CONTRADICTIONS_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include <optional>
#include <string>

namespace buffer_merge {
/// Return what in `problem`, which is well formed, excludes each other whatever
/// the capacity, in words: fixed offsets, or buffers of one place that are
/// alive at one tick, in conflict, or fixed elsewhere. Nothing if it has a
/// plan.
std::optional<std::string> findContradiction(const SchedulingProblem &problem);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNER_CONTRADICTIONS_H
