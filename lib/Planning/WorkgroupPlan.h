//===- WorkgroupPlan.h - Plans for workgroup memory -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_WORKGROUPPLAN_H
#define BUFFER_MERGE_LIB_PLANNING_WORKGROUPPLAN_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Knows which kernels could have a pool in dynamic memory.
class DynamicMemory {
public:
  /// The launches inside `root` are all that there are if it is a top-level
  /// operation.
  explicit DynamicMemory(mlir::Operation *root) : root(root) {}

  /// Return true if the kernel `scopeOp`, a `gpu.func` or a `gpu.launch`, uses
  /// no dynamic memory yet and every launch of it is known. Those of a
  /// `gpu.func` are added to `launches`.
  bool isAvailable(mlir::Operation *scopeOp,
                   llvm::SmallVectorImpl<mlir::gpu::LaunchFuncOp> &launches);

private:
  void collectLaunches();

  mlir::Operation *root;
  bool isCollected = false;
  llvm::DenseMap<mlir::SymbolRefAttr,
                 llvm::SmallVector<mlir::gpu::LaunchFuncOp, 1>>
      launchesOf;
};

/// Set what `pool` shall be, and `DynamicMemory` as its reason if it cannot be
/// that.
void chooseWorkgroupPool(PoolPlan &pool, PoolKind wanted,
                         DynamicMemory &dynamicMemory);

/// Return true if `schedule` is no larger and no more aligned than dynamic
/// memory can be.
bool fitsDynamicMemory(const Schedule &schedule);

/// Find the pairs of buffers of `pool`, whose problem has their intervals, that
/// its threads do not allow to share bytes. Add those to its problem that no
/// barrier which `policy` allows could separate.
void addSyncConflicts(PoolPlan &pool, BarrierPolicy policy);

/// Schedule `pool` by `run`. If `policy` allows it and it makes the pool
/// smaller, choose barriers to be inserted: as few as a greedy choice needs,
/// proved to be enough for the bytes that are shared.
llvm::Expected<Schedule> scheduleWorkgroupPool(
    PoolPlan &pool, BarrierPolicy policy,
    llvm::function_ref<llvm::Expected<Schedule>(const SchedulingProblem &)>
        run);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_WORKGROUPPLAN_H
