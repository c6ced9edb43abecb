//===- WorkgroupRaces.h - Races between views of one pool -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_WORKGROUPRACES_H
#define BUFFER_MERGE_ANALYSIS_WORKGROUPRACES_H

#include "buffer-merge/Analysis/WorkgroupSync.h"

namespace buffer_merge {
/// Two views of one pool in workgroup memory that have bytes in common and that
/// different threads may access at the same time, at least one of them writing.
struct WorkgroupRace {
  /// The views, or the pool itself where it is accessed without a view.
  mlir::Value first, second;
  /// Why nothing keeps the threads apart.
  SyncRule rule;
  /// An access through one, and the access through the other that comes behind
  /// it with no barrier in between.
  mlir::Operation *from, *to;
};

/// Two such views of which nothing is known about races: one is used in a way
/// that is not understood, their places are not known, or something between
/// their accesses may order them (`OtherSync`).
struct UnknownWorkgroupUse {
  mlir::Value first, second;
  /// The operation that uses one of them or may order the accesses, or the
  /// kernel if it is its control flow that is not understood.
  mlir::Operation *op;
};

/// What `findWorkgroupRaces` has found, in the order of the program.
struct WorkgroupRaces {
  /// Each pair of views once, with one pair of accesses.
  llvm::SmallVector<WorkgroupRace, 0> races;
  llvm::SmallVector<UnknownWorkgroupUse, 0> unknownUses;
};

/// Look at everything in workgroup memory of the kernels inside `root` for
/// races that merging can introduce: between views of one pool that have bytes
/// in common. Pools are workgroup attributions, all
/// `gpu.dynamic_shared_memory` of one kernel together with globals without a
/// size, allocations, and `memref.get_global` of one global, also in callees. A
/// `memref.view` of one with a constant offset and static sizes has the bytes
/// that it says; of others nothing is known.
///
/// Accesses through one view are not compared with each other: what the program
/// does with one of its buffers is its own business. If its subviews overlap
/// without being equal, that is not checked. So this must run before
/// equal views are made one (`cse`), and before a view is copied.
///
/// It shares `WorkgroupSync` with merging, not the lifetimes nor the schedule.
WorkgroupRaces findWorkgroupRaces(mlir::Operation *root, CallPolicy calls,
                                  const WorkgroupOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_WORKGROUPRACES_H
