//===- Builtins.h - The list of built-in schedulers -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the files of `Schedulers` meet: buffer-merge/Scheduling/Algorithms.h
// says what each of them does. Not part of the public interface.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_BUILTINS_H
#define BUFFER_MERGE_LIB_SCHEDULING_BUILTINS_H

#include "OnePassScheduler.h"

namespace buffer_merge {
using OnePassSchedulers = llvm::SmallVector<std::unique_ptr<OnePassScheduler>>;

/// Create every built-in scheduler that places each buffer once. The registry
/// and `auto` both take the list from here: what is registered takes part in
/// `auto`, in this order: those that are most likely to meet the lower bound
/// come first.
OnePassSchedulers createOnePassSchedulers();

// One family each, which appends itself.
void appendOrderedSchedulers(OnePassSchedulers &schedulers);
void appendFreeListSchedulers(OnePassSchedulers &schedulers);
std::unique_ptr<OnePassScheduler> createBumpScheduler();
std::unique_ptr<OnePassScheduler> createInterferenceGraphScheduler();

std::unique_ptr<Scheduler> createExactScheduler();
std::unique_ptr<Scheduler> createAutoScheduler();
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_BUILTINS_H
