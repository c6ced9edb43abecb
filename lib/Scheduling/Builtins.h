//===- Builtins.h - The list of built-in schedulers -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_BUILTINS_H
#define BUFFER_MERGE_LIB_SCHEDULING_BUILTINS_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// Create every built-in scheduler that places each buffer once. The registry
/// and `auto` both take the list from here: what is registered takes part in
/// `auto`. Those that are most likely to meet the lower bound come first.
llvm::SmallVector<std::unique_ptr<Scheduler>> createOnePassSchedulers();
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_BUILTINS_H
