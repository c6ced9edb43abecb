//===- AttributionBuffers.h - Attributions as allocations -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_ATTRIBUTIONBUFFERS_H
#define BUFFER_MERGE_LIB_TRANSFORMS_ATTRIBUTIONBUFFERS_H

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
  /// allocations at their front, with the alignment that they have.
  void toAllocations(mlir::Operation *root);

  /// Make those allocations attributions again, in their order and with their
  /// attributes, except those in `merged`.
  void toAttributions(const llvm::DenseSet<mlir::Operation *> &merged);

  /// Return the allocations that were attributions.
  llvm::DenseSet<mlir::Operation *> getAllocations() const;

private:
  struct Entry {
    mlir::gpu::GPUFuncOp kernel;
    mlir::memref::AllocOp alloc;
    /// The attributes of the attribution, or null.
    mlir::DictionaryAttr attributes;
  };
  llvm::SmallVector<Entry> entries;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_ATTRIBUTIONBUFFERS_H
