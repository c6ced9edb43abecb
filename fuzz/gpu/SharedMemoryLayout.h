//===- Where shared memory lies ---------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_GPU_FUZZ_SHAREDMEMORYLAYOUT_H
#define BUFFER_MERGE_GPU_FUZZ_SHAREDMEMORYLAYOUT_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"

namespace buffer_merge::fuzz {
/// Return true if all threads of a workgroup see the memory of `space`: by the
/// attribute of the dialect, its number on NVIDIA's hardware, or a name.
bool isSharedSpace(mlir::Attribute space);

/// The addresses of static variables and of dynamic memory in the shared memory
/// of a workgroup, as MLIR's lowering to NVVM and NVIDIA's assembler assign
/// them.
///
/// `gpu.dynamic_shared_memory` becomes a static variable of one byte, which the
/// assembler puts in front of all others: dynamic memory lies over these. A
/// public external `memref.global` without elements becomes `.extern .shared`,
/// which comes after the static variables; if it is aligned to 16 bytes,
/// `gpu.dynamic_shared_memory` is lowered to it. A private one is a static
/// variable again.
///
/// Nothing is more aligned here than it says it is.
class SharedMemoryLayout {
public:
  struct Range {
    int64_t begin = 0;
    int64_t end = 0;
  };

  /// For what is below `root`; a launch asks for `dynamicBytes`.
  SharedMemoryLayout(mlir::Operation *root, int64_t dynamicBytes);

  /// There is dynamic memory. Without it no two objects can overlap, and there
  /// are no addresses.
  bool hasDynamicMemory() const { return hasDynamic; }
  int64_t getBytes() const { return bytes; }
  Range getAttribution(mlir::Value attribution) const {
    return attributions.lookup(attribution);
  }
  Range getGlobal(mlir::memref::GlobalOp op) const {
    return globals.lookup(op);
  }
  /// What `gpu.dynamic_shared_memory` gives.
  Range getDynamicMemory() const { return dynamic; }

private:
  Range place(mlir::MemRefType type, int64_t alignment, int64_t &next) const;

  mlir::Operation *root;
  llvm::DenseMap<mlir::Value, Range> attributions;
  llvm::DenseMap<mlir::Operation *, Range> globals;
  Range dynamic;
  bool hasDynamic = false;
  int64_t bytes = 0;
};
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_GPU_FUZZ_SHAREDMEMORYLAYOUT_H
