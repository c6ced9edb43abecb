//===- WorkgroupRaces.h - Races between views of one pool -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_WORKGROUPRACES_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_WORKGROUPRACES_H

#include "buffer-merge/Analysis/WorkgroupSync.h"

namespace buffer_merge {
/// Two views of one pool in workgroup memory that overlap and that different
/// threads may access at the same time, at least one of them for a write.
struct WorkgroupRace {
  /// The views, or the pool itself where it is accessed without a view.
  mlir::Value first, second;
  /// Why the accesses are not synchronized.
  SyncRule rule;
  /// An access through one, and a following access through the other with no
  /// barrier in between.
  mlir::Operation *from, *to;
};

/// Two such views for which races are neither found nor excluded: one of them
/// has an unknown use, their positions are not known, or an operation between
/// the accesses may order them (`OtherSync`).
struct UnknownWorkgroupUse {
  mlir::Value first, second;
  /// The operation that uses one of them or may order the accesses, or the
  /// kernel if its control flow is not understood.
  mlir::Operation *op;
};

/// The result of `findWorkgroupRaces`, in the order of the program.
struct WorkgroupRaces {
  /// Each pair of views once, with one pair of accesses.
  llvm::SmallVector<WorkgroupRace, 0> races;
  llvm::SmallVector<UnknownWorkgroupUse, 0> unknownUses;
};

/// Find the races in workgroup memory of the kernels inside `root` that merging
/// can introduce: races between overlapping views of one pool. Pools are
/// workgroup attributions, all `gpu.dynamic_shared_memory` of one kernel
/// together with globals without a size, allocations, and `memref.get_global`
/// of one global, also in callees. The bytes of a `memref.view` are known if it
/// has a constant offset and static sizes.
///
/// Accesses through one view are not compared with each other: merging does not
/// change them. Subviews of one view that overlap without being equal are not
/// checked. So this must run before equal views are merged into one (`cse`),
/// and before a view is copied.
///
/// It shares `WorkgroupSync` with merging, but neither the lifetimes nor the
/// schedule.
WorkgroupRaces findWorkgroupRaces(mlir::Operation *root, CallPolicy calls,
                                  const WorkgroupOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_WORKGROUPRACES_H
