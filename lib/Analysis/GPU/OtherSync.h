//===- OtherSync.h - Synchronization that is not modeled --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_OTHERSYNC_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_OTHERSYNC_H

#include "Analysis/GPU/WorkgroupMemory.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace buffer_merge {
/// Return true if the callee of `call` is, by its name, in a math library of a
/// device (`__nv_`, `__ocml_`): it has no workgroup memory, and waits for no
/// thread.
bool isMathLibraryCall(mlir::CallOpInterface call);

/// Finds the operations by which threads may wait for each other in ways that
/// `WorkgroupSync` does not model, in kernels and their callees.
class OtherSync {
public:
  enum class Kind {
    /// Operations that may use the hardware barrier that `gpu.barrier` is
    /// lowered to, for some of the threads: `nvvm.barrier` and
    /// `nvvm.barrier.arrive` of number 0 or a number that is not constant,
    /// split and named barriers of `rocdl` and `xegpu`, and inline assembly and
    /// intrinsics with `bar` in their text. An inserted `gpu.barrier` might
    /// pair with it.
    SharedBarrier,
    /// Operations that may order accesses of threads or complete copies: all of
    /// the above, named barriers, barriers of clusters and subgroups, waits for
    /// an `mbarrier` or for copies, and any barrier in a callee.
    Any,
  };

  /// Analyze everything inside `root`. Both kinds include unregistered
  /// operations, unless `options` declare them as barriers, and calls of
  /// functions without a body or outside of `root`, other than the math
  /// libraries of devices (`__nv_`, `__ocml_`).
  ///
  /// Time: linear in the operations inside `root`.
  OtherSync(mlir::Operation *root, Kind kind, const WorkgroupOptions &options);

  /// Return `op` if it is such an operation, one in its callee if it is a call,
  /// or null. Operations inside the regions of `op` do not count.
  mlir::Operation *lookup(mlir::Operation *op) const {
    return found.lookup(op);
  }

  /// Return the first such operation in `region`, or null.
  mlir::Operation *findIn(mlir::Region &region) const;

private:
  /// By operation: calls, and the operations themselves.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> found;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_OTHERSYNC_H
