//===- DynamicMemory.h - Dynamic workgroup memory ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel has one piece of dynamic workgroup memory, of the size that its
// launch gives. It must lie after the static memory of the kernel. The stock
// lowering of `gpu.dynamic_shared_memory` does not always see to that:
//
//                              NVIDIA                  AMD
//   gpu.dynamic_shared_memory  at 0, over the statics  after, aligned to 1
//   memref.global, no bytes,   after, aligned          after, aligned
//     public, no initial value
//
// On NVIDIA it becomes a static variable of one byte. A public global becomes
// `.extern .shared`, as in CUDA, whatever lowers it.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_DYNAMICMEMORY_H
#define BUFFER_MERGE_LIB_PLANNING_DYNAMICMEMORY_H

#include "Analysis/GPU/KernelLaunches.h"
#include "KernelMemory.h"

namespace buffer_merge {
/// The alignment of dynamic workgroup memory in bytes. It is that of the stock
/// lowering to NVVM.
inline constexpr int64_t dynamicMemoryAlignment = 16;

/// Knows which kernels use dynamic memory, and which could have a pool in it.
class DynamicMemory {
public:
  /// The launches inside `root` are all that there are if it is a top-level
  /// operation. `memory` is of the same root, and must outlive this object.
  DynamicMemory(mlir::Operation *root, KernelMemory &memory)
      : root(root), memory(memory) {}

  /// Return why the body of a `gpu.func`, `kernel`, must not get more static
  /// memory, or nothing if it may: it uses dynamic memory that would overlap
  /// with it, or may call something that does.
  llvm::StringRef checkAttribution(mlir::Region &kernel);

  /// Return why `pool`, of a `gpu.func` or a `gpu.launch`, cannot be dynamic
  /// memory, or nothing if it can. All launches of a `gpu.func` are then added
  /// to `WorkgroupPlan::launches`.
  llvm::StringRef checkDynamic(PoolPlan &pool);

private:
  llvm::StringRef checkLaunch(PoolPlan &pool);
  llvm::StringRef checkKernel(PoolPlan &pool);

  mlir::Operation *root;
  KernelMemory &memory;
  /// Found when they are asked for.
  std::optional<KernelLaunches> launches;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_DYNAMICMEMORY_H
