//===- KernelLaunches.h - Where kernels are launched ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_KERNELLAUNCHES_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_KERNELLAUNCHES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace buffer_merge {
/// Finds the launches of kernels.
class KernelLaunches {
public:
  /// Analyze everything inside `root`. Its launches are all that there are if
  /// it is a top-level operation.
  ///
  /// Time: linear in the operations inside, and their attributes.
  explicit KernelLaunches(mlir::Operation *root);

  /// Return why not all launches of `kernel` are known, or nothing if they are;
  /// then there is at least one.
  llvm::StringRef check(mlir::gpu::GPUFuncOp kernel) const;

  /// Return the known launches of `kernel`.
  llvm::ArrayRef<mlir::gpu::LaunchFuncOp>
  lookup(mlir::gpu::GPUFuncOp kernel) const;

private:
  void addUses(mlir::Operation *op, mlir::SymbolTableCollection &symbolTables);

  mlir::Operation *root;
  llvm::DenseMap<mlir::Operation *,
                 llvm::SmallVector<mlir::gpu::LaunchFuncOp, 1>>
      launchesOf;
  /// Kernels, and modules with kernels, that something other than a
  /// `gpu.launch_func` refers to.
  llvm::DenseSet<mlir::Operation *> haveOtherUse;
  /// A runtime function is called that launches kernels by their names.
  bool isAnyLaunchedByName = false;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_KERNELLAUNCHES_H
