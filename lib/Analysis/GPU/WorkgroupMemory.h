//===- WorkgroupMemory.h - Memory shared by a workgroup ---------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_WORKGROUPMEMORY_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_WORKGROUPMEMORY_H

#include "buffer-merge/Analysis/BufferLifetimesOptions.h"
#include "buffer-merge/Analysis/UnmergeableReason.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <functional>
#include <string>
#include <variant>

namespace buffer_merge {
class DeviceCode;

/// Return true if a loop around `op` is mapped to threads (`getLoopMapping`).
bool isInThreads(mlir::Operation *op);

/// Return the kernel that `op`, an allocation of workgroup memory, belongs to:
/// the region that every workgroup executes once. It is the body of a
/// `gpu.func` that is a kernel, of a `gpu.launch`, of a parallel loop of the
/// host that is mapped to workgroups, of an `scf.forall` there without a
/// mapping, or of a function outside of device modules that is marked as a
/// kernel or not called by anything that `device` has analyzed. Loops and
/// branches in between do not matter: the memory belongs to the kernel (G6
/// kernel).
///
/// Or return why there is none: `NoAllocScope`, `NotAKernel` or `Unstructured`.
std::variant<mlir::Region *, Refusal> findKernel(mlir::Operation *op,
                                                 const DeviceCode &device);

/// Return the function that `value` is an argument of, not an attribution; null
/// if there is none.
mlir::FunctionOpInterface getFunctionOfArgument(mlir::Value value);

/// Return the attributions of `kernel`, a `gpu.func` or `gpu.launch`, in
/// workgroup memory; none for others.
llvm::ArrayRef<mlir::BlockArgument>
getWorkgroupAttributions(mlir::Operation *kernel);

/// Return the alignment that `attribution`, one of a `gpu.func`, asks for,
/// or 1.
int64_t getAttributionAlignment(mlir::BlockArgument attribution);

/// Return true if `value` is an attribution of a `gpu.func` or `gpu.launch` in
/// workgroup memory.
bool isWorkgroupAttribution(mlir::Value value);

/// Return true if `kernel` may run again in the same workgroup without a
/// barrier in between: all but the bodies of `gpu.func`, of `gpu.launch`, of
/// functions that are marked with `gpu.kernel` or count as kernels by
/// `options`, and of loops that are mapped to workgroups, unless something else
/// than such loops is between two of them.
bool mayRunAgain(mlir::Region *kernel, const WorkgroupOptions &options);

/// Who executes an iteration of a parallel loop.
enum class LoopMapping {
  /// No attribute `mapping`, or another operation.
  None,
  /// A workgroup.
  Workgroup,
  /// A thread, or a group of threads of one workgroup.
  Threads,
  /// Something else, or not the same for all dimensions.
  Other,
};

/// Return what the attribute `mapping` of `op` says, if that is an
/// `scf.forall`, `scf.parallel` or `affine.parallel`: `#gpu.block` and
/// `#gpu.loop_dim_map` of blocks; `#gpu.thread`, `warp`, `warpgroup`, `lane`,
/// with a `#gpu.mask` or without, and `#gpu.loop_dim_map` of threads. Each
/// iteration is executed by one of them, which executes one at most.
LoopMapping getLoopMapping(mlir::Operation *op);

/// Return true if code around `op` is compiled to SPIR-V, which cannot view
/// workgroup memory as another type.
bool isCompiledToSPIRV(mlir::Operation *op);

/// Return true if `op`, of a dialect whose operations may be asynchronous,
/// accesses workgroup memory like an ordinary load or store and is complete at
/// its end: `nvgpu.ldmatrix`, `nvgpu.warpgroup.mma.store`,
/// `amdgpu.transpose_load`.
bool isOrdinaryAccess(mlir::Operation *op);

/// Return the alignment of a buffer of `size` bytes in workgroup memory that
/// copy engines and matrix units may want: 128 bytes, and eight rows of them
/// for swizzled tiles.
inline int64_t getEngineAlignment(int64_t size) {
  constexpr int64_t row = 128, swizzle = 1024;
  return size < swizzle ? row : swizzle;
}

/// Return true if `op` is an asynchronous copy that `nvgpu.device_async_wait`
/// waits for.
bool isAsyncCopy(mlir::Operation *op);

/// What accesses workgroup memory. All but threads do so in the asynchronous
/// proxy, and are done when a wait says so.
enum class AccessUnit {
  /// Threads, and copies that they wait for in groups.
  Threads,
  /// Copy engines that write, and complete phases of mbarriers.
  Loads,
  /// Copy engines that read, for groups of `nvgpu.tma.async.store`.
  Stores,
  /// Matrix units that read, for groups of `nvgpu.warpgroup.mma`.
  Matrices,
};

/// Return what accesses memory for `op`, or what executes the groups that `op`
/// ends or waits for.
AccessUnit getAccessUnit(mlir::Operation *op);

/// Return the operations that read a matrix through the descriptor that `op`
/// makes of it; none if `op` makes none, or it may be used otherwise.
llvm::SmallVector<mlir::Operation *> getMatrixReaders(mlir::Operation *op);

/// Return true if `op` is a fence of the executing thread between its accesses
/// and later ones in the asynchronous proxy.
bool isProxyFence(mlir::Operation *op);

/// Create one for all accesses to workgroup memory. NVVM is loaded.
void createProxyFence(mlir::OpBuilder &b, mlir::Location loc);

/// Return true if `op` ends a group of asynchronous accesses: those before it
/// that are in no group yet.
bool isEndOfGroup(mlir::Operation *op);

/// Return the number of the youngest groups that may not be complete after
/// `op`, a wait of the executing thread for all others; nothing if `op` is no
/// such wait.
std::optional<unsigned> getGroupsInFlight(mlir::Operation *op);

/// Return true if the end of `op` is a barrier, because it is an `scf.forall`
/// that is mapped to threads (G5 loops over threads) and in no other such loop,
/// and canonicalization does not erase it, whatever it finds out about values:
/// some effect in it certainly stays.
bool endsWithBarrier(mlir::Operation *op, const WorkgroupOptions &options);

/// Return true if the body of the loop `op` is known to be executed, by some
/// thread if the loop is mapped to threads.
bool isExecutedAtLeastOnce(mlir::Operation *op);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_WORKGROUPMEMORY_H
