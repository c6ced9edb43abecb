//===- WorkgroupMemory.h - Memory shared by a workgroup ---------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_WORKGROUPMEMORY_H
#define BUFFER_MERGE_ANALYSIS_WORKGROUPMEMORY_H

#include "buffer-merge/Analysis/UnmergeableReason.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

#include <functional>
#include <string>
#include <variant>

namespace buffer_merge {
class DeviceCode;

/// Options for workgroup memory and the threads that share it.
struct WorkgroupOptions {
  /// Memory spaces that are workgroup memory in addition to
  /// `#gpu.address_space<workgroup>`, such as the number 3.
  llvm::SmallVector<mlir::Attribute> spaces;

  /// Those that are workgroup memory in device code (`DeviceCode`) only.
  llvm::SmallVector<mlir::Attribute> deviceSpaces;

  /// Full names of operations, such as `my_dialect.barrier`, that are barriers
  /// in addition to those that `isWorkgroupBarrier` knows.
  llvm::SmallVector<std::string> barrierOps;

  /// Return true for further operations that are barriers: when a thread has
  /// executed the operation, every thread of the workgroup has arrived at it,
  /// and all threads see all writes to workgroup memory before it.
  ///
  /// It is called by one thread at a time; null: there are none.
  ///
  /// Note: defined only here, not as an option of the passes.
  std::function<bool(mlir::Operation *)> isBarrier = nullptr;

  /// The end of an `scf.forall` that is mapped to threads or warps is a barrier
  /// (G5 loops over threads): `transform.gpu.map_nested_forall_to_threads`
  /// places one after each.
  bool assumeForallSync = true;

  /// Return true if `space` is memory that the threads of a workgroup share, in
  /// device code or on the host.
  bool isWorkgroupSpace(mlir::Attribute space, bool isInDeviceCode) const;

  /// Return true if `op`, executed by all threads, is a barrier for the
  /// workgroup and its memory: `gpu.barrier`, `nvvm.barrier0`, `nvvm.barrier`
  /// without operands, `rocdl.barrier`, `amdgpu.lds_barrier`, and what the
  /// options add. Barriers of only some threads, waits and fences are not.
  bool isWorkgroupBarrier(mlir::Operation *op) const;
};

/// Return the kernel that `op`, an allocation of workgroup memory, belongs to:
/// the region that every workgroup executes once. It is the body of a
/// `gpu.func` that is a kernel, of a `gpu.launch`, of an `scf.forall` of the
/// host that is not mapped to threads, or of a function outside of device
/// modules that is marked as a kernel or not called by anything that `device`
/// has analyzed. Loops and branches in between do not matter: the memory
/// belongs to the kernel (G6 kernel).
///
/// Or return why there is none: `NoAllocScope`, `NotAKernel` or `Unstructured`.
std::variant<mlir::Region *, Refusal> findKernel(mlir::Operation *op,
                                                 const DeviceCode &device);

/// Return true if `kernel` may run again in the same workgroup without a
/// barrier in between: all but the bodies of `gpu.func` and `gpu.launch`.
bool mayRunAgain(mlir::Region *kernel);

/// Return true if the iterations of `op`, an `scf.forall`, are threads or
/// groups of threads of one workgroup, by its mapping: `#gpu.thread`, `warp`,
/// `warpgroup`, `lane`, with a `#gpu.mask` or without.
bool isMappedToThreads(mlir::Operation *op);

/// Return true if code around `op` is compiled to SPIR-V, which cannot view
/// workgroup memory as another type.
bool isCompiledToSPIRV(mlir::Operation *op);

/// Return true if `op`, of a dialect whose operations may be asynchronous,
/// accesses workgroup memory like an ordinary load or store and is complete at
/// its end: `nvgpu.ldmatrix`.
bool isOrdinaryAccess(mlir::Operation *op);

/// Return true if `op` is an asynchronous copy that `nvgpu.device_async_wait`
/// waits for.
bool isAsyncCopy(mlir::Operation *op);
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_WORKGROUPMEMORY_H
