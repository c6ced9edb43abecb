//===- KernelMemory.h - Workgroup memory besides pools ----------*- C++ -*-===//
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

#ifndef BUFFER_MERGE_LIB_PLANNING_KERNELMEMORY_H
#define BUFFER_MERGE_LIB_PLANNING_KERNELMEMORY_H

#include "Analysis/GPU/KernelLaunches.h"
#include "buffer-merge/Planning/MergePlan.h"

#include "mlir/IR/SymbolTable.h"

namespace buffer_merge {
/// The alignment of dynamic workgroup memory in bytes. It is that of the stock
/// lowering to NVVM.
inline constexpr int64_t dynamicMemoryAlignment = 16;

/// Return the most bytes at the start of dynamic memory that are skipped to
/// align a pool to `alignment`, a power of two.
inline int64_t getDynamicSlack(int64_t alignment) {
  return std::max<int64_t>(alignment - dynamicMemoryAlignment, 0);
}

/// Return the bytes of dynamic memory that the pool of `schedule` needs,
/// wherever dynamic memory begins.
inline int64_t getDynamicBytes(const Schedule &schedule) {
  return schedule.poolSize + getDynamicSlack(schedule.poolAlignment);
}

/// A kernel with the functions that it calls, directly or not.
struct KernelCode {
  /// The kernel first, then the bodies of functions in the order of the calls,
  /// each once.
  llvm::SmallVector<mlir::Region *> regions;
  /// It calls a function without a body, other than a math library.
  bool callsExternal = false;
  /// It calls a function that is not known, or not inside of the root, other
  /// than a math library.
  bool callsUnknown = false;
};

/// How code uses dynamic workgroup memory.
enum class DynamicUse {
  None,
  /// By public globals without bytes, which lie after all static memory.
  Separate,
  /// In a way in which static memory may overlap with it.
  Overlapping,
};

/// Adds up what kernels take of workgroup memory, and knows which of them use
/// dynamic memory, and which could have a pool in it.
///
/// Workgroup memory is static: each attribution, global, allocation and barrier
/// object takes its bytes once for a kernel, however often it is used, in the
/// kernel itself or in a function that it calls, directly or not. Gaps between
/// them, which alignment may need, and dynamic memory do not count.
class KernelMemory {
public:
  /// Callees are looked up inside `root` alone: what is around it may be
  /// changed by other threads. It must outlive this object.
  /// `device` is what is device code inside it. The launches inside are all
  /// that there are if it is a top-level operation.
  KernelMemory(mlir::Operation *root, const DeviceCode &device)
      : root(root), device(device) {}

  /// Return everything in the memory `spaces` that `kernel`, a region
  /// (`findKernel`), takes bytes for, apart from the memrefs in `merged`:
  /// what is in the kernel first, then function by function, in the order of
  /// the program. What has no known size does not count, and `unknown`, if it
  /// is not null, is set to the first place of it; nor do functions without a
  /// body.
  ///
  /// Time: linear in the operations of the kernel and its callees.
  llvm::SmallVector<KernelBytes, 0>
  collect(mlir::Region &kernel, const MemorySpaces &spaces,
          const llvm::DenseSet<mlir::Value> &merged,
          std::optional<mlir::Location> *unknown = nullptr);

  /// Return why the body of a `gpu.func`, `kernel`, must not get more static
  /// memory, or nothing if it may: it uses dynamic memory that would overlap
  /// with it, or may call something that does.
  llvm::StringRef checkAttribution(mlir::Region &kernel);

  /// Return why `pool`, of a `gpu.func` or a `gpu.launch`, cannot be dynamic
  /// memory, or nothing if it can. All launches of a `gpu.func` are then added
  /// to `WorkgroupPlan::launches`.
  llvm::StringRef checkDynamic(PoolPlan &pool);

private:
  /// Return `kernel` with the functions that it calls.
  ///
  /// Time: linear in its operations.
  KernelCode findCode(mlir::Region &kernel);

  /// Return how `code` uses dynamic memory: by `gpu.dynamic_shared_memory`, or
  /// by globals without bytes in workgroup memory, of `memref` or of LLVM.
  DynamicUse findDynamicUse(const KernelCode &code);

  /// Return true if `code` has anything that may take static workgroup memory
  /// in any memory space, apart from the memrefs in `merged`.
  bool hasStaticMemory(const KernelCode &code,
                       const llvm::DenseSet<mlir::Value> &merged);

  void addCallee(mlir::Operation *op, KernelCode &code,
                 llvm::SmallPtrSetImpl<mlir::Region *> &seen);
  DynamicUse getDynamicUse(mlir::Operation *op);
  llvm::StringRef checkLaunch(PoolPlan &pool, const KernelCode &code);
  llvm::StringRef checkKernel(PoolPlan &pool);

  mlir::Operation *root;
  const DeviceCode &device;
  mlir::SymbolTableCollection symbolTables;
  /// Found when they are asked for.
  std::optional<KernelLaunches> launches;
};

/// Return the sum of `parts`, at most `maxBytes`.
int64_t sumBytes(llvm::ArrayRef<KernelBytes> parts);

/// Find the kernels inside of `lifetimes` that have no pool in `pools` for a
/// memory space with a capacity, and take more than that capacity as they are.
llvm::SmallVector<OverfullKernel, 0>
findOverfullKernels(const BufferLifetimes &lifetimes,
                    llvm::ArrayRef<PoolPlan> pools,
                    const MergePlanOptions &options, KernelMemory &memory);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_KERNELMEMORY_H
