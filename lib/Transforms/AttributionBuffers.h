//===- AttributionBuffers.h - Attributions as allocations -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_ATTRIBUTIONBUFFERS_H
#define BUFFER_MERGE_LIB_TRANSFORMS_ATTRIBUTIONBUFFERS_H

#include "Analysis/GPU/WorkgroupMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseSet.h"

namespace buffer_merge {
/// Lets workgroup attributions be analyzed and merged as allocations.
///
/// ```
///   gpu.func @k() workgroup(%a: T)       gpu.func @k() {
///   {                               =>     %a = memref.alloc() : T
/// ```
class AttributionBuffers {
public:
  /// Replace the workgroup attributions of all kernels inside `root` by
  /// allocations at their front, with the alignment that they have. Those whose
  /// type is not one of workgroup memory by `options`, and those of dynamic
  /// shape, stay.
  void toAllocations(mlir::Operation *root, const WorkgroupOptions &options);

  /// Make those allocations attributions again, at their places and with their
  /// attributes, except those in `merged`, which are erased by now. They come
  /// before what was added to the attributions since.
  void toAttributions(const llvm::DenseSet<mlir::Operation *> &merged);

  /// Return the allocations that were attributions.
  llvm::DenseSet<mlir::Operation *> getAllocations() const;

  /// Emit a remark with the reason for each attribution that was no allocation:
  /// private ones are `MemorySpace`.
  void emitRemarks() const;

private:
  void toAllocations(mlir::gpu::GPUFuncOp kernel,
                     const WorkgroupOptions &options);

  struct Entry {
    mlir::gpu::GPUFuncOp kernel;
    mlir::memref::AllocOp alloc;
    /// Its number among the workgroup attributions of the kernel.
    unsigned index;
    /// The attributes of the attribution, or null.
    mlir::DictionaryAttr attributes;
  };
  /// An attribution that stays, and why.
  struct Left {
    mlir::gpu::GPUFuncOp kernel;
    mlir::Location loc;
    mlir::MemRefType type;
    UnmergeableReason reason;
  };
  /// Kernel by kernel, in the order of the attributions.
  llvm::SmallVector<Entry> entries;
  llvm::SmallVector<Left> left;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_ATTRIBUTIONBUFFERS_H
