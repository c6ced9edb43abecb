//===- StorageChoice.h - Where pools are ------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_STORAGECHOICE_H
#define BUFFER_MERGE_LIB_PLANNING_STORAGECHOICE_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
class ArenaPlan;
class FunctionGraph;

/// Decide for each pool of `plan`, which is scheduled, whether it can be where
/// `options` ask for; else it stays allocated, with a note. docs/Pools.md has
/// the conditions.
void chooseStorage(const FunctionGraph &graph, const ArenaPlan &arenas,
                   MergePlan &plan, const MergePlanOptions &options);

/// Return the schedule of `plan` in a storage that is worth having even if the
/// pool saves nothing, and change its problem accordingly: no larger than its
/// buffers, if their alignments allow that. Return nothing if there is to be
/// no pool.
std::optional<Schedule> scheduleForStorage(PoolPlan &plan,
                                           const MergePlanOptions &options);

/// Return why the pool of `plan` with `schedule` cannot be on the stack, or
/// nothing if it can.
std::string checkStack(const PoolPlan &plan, const Schedule &schedule,
                       const FunctionGraph &graph,
                       const MergePlanOptions &options);

/// Return why the pool of `plan` cannot be a global, one for the whole program,
/// and the operation that prevents it, if any; or nothing if it can.
std::pair<llvm::StringRef, mlir::Operation *>
checkGlobal(const PoolPlan &plan, const FunctionGraph &graph);

/// Return why the pool of `plan` with `schedule` cannot be one of several slots
/// in front of its loop, or nothing if it can.
llvm::StringRef checkSlots(const PoolPlan &plan, const Schedule &schedule,
                           const MergePlanOptions &options);

/// Return how many bytes one slot of a pool with `schedule`, which may be
/// `PoolStorage::Slots`, is behind the other: all of them are aligned.
int64_t getSlotDistance(const Schedule &schedule);

/// Give up pools, with the reason `DeallocGroup`, that share a deallocation
/// with a pool that shall not be: it vanishes or stays as a whole.
void refuseSharedDeallocs(llvm::MutableArrayRef<PoolPlan> pools);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_STORAGECHOICE_H
