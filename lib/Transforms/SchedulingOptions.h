//===- Options of passes that schedule --------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_SCHEDULINGOPTIONS_H
#define BUFFER_MERGE_LIB_TRANSFORMS_SCHEDULINGOPTIONS_H

#include "buffer-merge/Transforms/BufferMerge.h"

#include "mlir/IR/Diagnostics.h"

namespace buffer_merge {
/// The memory spaces that the options of a pass name.
class NamedSpaces {
public:
  /// Return the memory that `text` names, and remember it. Emit one error and
  /// fail if there is none.
  llvm::FailureOr<MemorySpaces> parse(llvm::StringRef text,
                                      mlir::MLIRContext *context);

  /// If `root` is a top-level operation, emit a warning for each name of a
  /// memory that no type inside of it has, with the nearest name of one that
  /// occurs. A part of a module does not say what the rest has.
  void warnIfUnused(mlir::Operation *root) const;

private:
  llvm::SmallVector<std::pair<std::string, MemorySpaces>> names;
};

/// The values of the textual options that the passes share (`schedulingOptions`
/// in Passes.td).
struct SchedulingOptionValues {
  std::string scheduler;
  unsigned effort;
  int64_t alignment;
  CallPolicy calls;
  llvm::SmallVector<std::string> memorySpaces;
  llvm::SmallVector<std::string> capacity;
  DynamicPolicy dynamic;
  int64_t dynamicWaste;
  bool inPlace;
  OverCapacityPolicy overCapacity;
};

/// The values of the textual options for memory of workgroups
/// (`workgroupOptions` in Passes.td).
struct WorkgroupOptionValues {
  BarrierPolicy barriers;
  PoolKind pool;
  int64_t alignment;
};

/// The values of the textual options for the analysis of kernels
/// (`kernelOptions` in Passes.td).
struct KernelOptionValues {
  llvm::SmallVector<std::string> spaces;
  llvm::SmallVector<std::string> barrierOps;
  bool assumeForallSync;
};

/// Translate `values` into `options`, and add the memory spaces that they name
/// to `spaces`. Emit one error and fail if one of them is not possible.
llvm::LogicalResult translateOptions(const SchedulingOptionValues &values,
                                     mlir::MLIRContext *context,
                                     NamedSpaces &spaces,
                                     BufferMergeOptions &options);

/// Add `values` to `options`. Emit one error and fail if one of them is not
/// possible.
llvm::LogicalResult
translateWorkgroupOptions(const WorkgroupOptionValues &values,
                          mlir::MLIRContext *context,
                          BufferMergeOptions &options);

/// Translate `values` into `options`, and add the memory spaces that they name
/// to `spaces`. Emit one error and fail if one of them is not possible.
llvm::LogicalResult translateKernelOptions(const KernelOptionValues &values,
                                           mlir::MLIRContext *context,
                                           NamedSpaces &spaces,
                                           WorkgroupOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_SCHEDULINGOPTIONS_H
