//===- Arguments.h - What callers of the C library pass in ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNER_ARGUMENTS_H
#define BUFFER_MERGE_LIB_PLANNER_ARGUMENTS_H

#include "buffer-merge-c/Planner.h"
#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include <string>

namespace buffer_merge {
/// Why a call fails. Thrown, for the entry points catch what there is anyway.
struct CallError {
  bm_status status;
  std::string message;
};

/// Return a copy of `*problem`, of whichever version it is. Throws an error of
/// the argument.
bm_problem readProblem(const bm_problem *problem);

/// The same for options, of which null stands for the default ones; effort and
/// steps are in their bounds.
bm_options readOptions(const bm_options *options);

/// Return what `problem` says, which `checkProblem` accepts. Throws an error of
/// the argument or of the problem.
SchedulingProblem makeSchedulingProblem(const bm_problem &problem);

/// Write `values` to `*result`, as much as its version has, with its
/// `struct_size` as it was. Return false if no version has that size.
bool writeResult(const bm_result &values, bm_result *result);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNER_ARGUMENTS_H
