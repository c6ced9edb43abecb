//===- StableLoads.h - Loads that all threads agree on ----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_STABLELOADS_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_STABLELOADS_H

#include "buffer-merge/Analysis/BufferLifetimesOptions.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace buffer_merge {
/// Finds loads during which no thread of the workgroup writes the memory: from
/// the barrier before the load to the barrier after it, on every path, nothing
/// does, or from the begin of the kernel, or to its end. If threads load from
/// one address there, they load one value. Barriers that order workgroup memory
/// only (`amdgpu.lds_barrier`) count for loads from it.
///
/// ```
///   %n = load %counts[%block]      stable, although %out may be %counts:
///   barrier                        no thread stores before all have loaded
///   store %x, %out[%i]
/// ```
class StableLoads {
public:
  /// `kernel` must be what threads execute once (`mayRunAgain` is false).
  /// Barriers in `divergentOps` do not count: only some threads may reach them.
  StableLoads(mlir::Region &kernel, const WorkgroupOptions &options,
              const llvm::DenseSet<mlir::Operation *> &divergentOps)
      : kernel(kernel), options(options), divergentOps(divergentOps) {}

  /// Return true if nothing writes `memory` while threads execute `load`.
  bool isStable(mlir::Operation *load, mlir::Value memory);

private:
  /// What comes first.
  enum class First { Barrier, Write, Nothing };

  First scan(mlir::Operation *op, mlir::Value memory, bool isForward,
             unsigned depth);
  First scan(mlir::Block &block, mlir::Operation *from, mlir::Value memory,
             bool isForward, unsigned depth);
  bool isUndisturbed(mlir::Operation *load, mlir::Value memory, bool isForward);

  mlir::Region &kernel;
  const WorkgroupOptions &options;
  const llvm::DenseSet<mlir::Operation *> &divergentOps;
  /// What may be looked at, in operations. Then nothing is stable.
  int64_t budget = 1 << 20;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_STABLELOADS_H
