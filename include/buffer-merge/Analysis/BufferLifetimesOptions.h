//===- BufferLifetimesOptions.h - Options of the analysis -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_BUFFERLIFETIMESOPTIONS_H
#define BUFFER_MERGE_ANALYSIS_BUFFERLIFETIMESOPTIONS_H

#include "buffer-merge/Analysis/InPlace.h"
#include "buffer-merge/Analysis/MemorySpaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <functional>
#include <string>

namespace buffer_merge {
/// What an opaque callee, whose body is not analyzed, may do with a memref that
/// is passed to it.
enum class CallPolicy {
  /// It accesses the memref and may return it, but does not keep it: MLIR's
  /// function-boundary convention.
  KeepNothing,
  /// It may keep it.
  Escape,
};

/// How allocations are treated whose size is known only at run time.
enum class DynamicPolicy {
  /// They stay.
  None,
  /// Those whose sizes can be computed in front of the first of them are in one
  /// pool, whose bytes and offsets are computed there.
  Runtime,
  /// Those with a constant upper bound are merged with the size of the bound;
  /// the others are treated as with `Runtime`.
  Bounded,
};

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

  /// A function outside of device modules that owns workgroup memory is a
  /// kernel, launched as a `gpu.func` is: once for a workgroup, with the same
  /// arguments for all threads. Functions marked with `gpu.kernel` always are.
  bool kernelFunctions = false;

  /// No thread reads an element of a buffer in workgroup memory that has not
  /// been written since the buffer was allocated. Then the contents of a buffer
  /// do not outlive an iteration of a loop if all accesses are inside, with
  /// addresses and conditions that are the same in each iteration (G10 tiles);
  /// otherwise this must be proved.
  bool assumeInitialized = false;

  /// Return true if `space` is memory that the threads of a workgroup share, in
  /// device code or on the host.
  bool isWorkgroupSpace(mlir::Attribute space, bool isInDeviceCode) const;

  /// Return true if `op`, executed by all threads, is a barrier for the
  /// workgroup and its memory: `gpu.barrier`, `nvvm.barrier0`, `nvvm.barrier`
  /// of all threads with a constant number or none, `rocdl.barrier`,
  /// `amdgpu.lds_barrier`, and what the options add. Barriers of only some
  /// threads, waits and fences are not.
  bool isWorkgroupBarrier(mlir::Operation *op) const;
};

/// The options of the analysis.
struct BufferLifetimesOptions {
  /// What a call may do with a buffer that is passed to it.
  CallPolicy calls = CallPolicy::KeepNothing;

  /// The memory spaces whose allocations are merged. By default all spaces that
  /// this library understands.
  std::optional<llvm::SmallVector<MemorySpaces>> memorySpaces;

  /// Which memory the threads of a workgroup share, and what synchronizes them.
  WorkgroupOptions workgroup;

  /// Take the attributions of `gpu.func` for buffers as well. Those in
  /// workgroup memory of static shape may be merged.
  bool attributions = false;

  /// Return false to leave an allocation alone, with the reason `Ineligible`.
  /// It is called for allocations whose type and position allow merging:
  /// function by function, in the order of execution, in the thread that
  /// started the analysis; not for attributions. If it is empty (the default),
  /// all of them are eligible, and functions may be analyzed in parallel.
  ///
  /// Note: defined only here, not as an option of the passes.
  std::function<bool(mlir::memref::AllocOp)> isEligible;

  /// How allocations of dynamic shape are treated.
  DynamicPolicy dynamic = DynamicPolicy::Runtime;

  /// With `DynamicPolicy::Bounded`, the most bytes by which a buffer may be
  /// smaller than its slice of the pool; 0 or more.
  int64_t maxDynamicWaste = 65536;

  /// Find the values that allocations hold one after the other
  /// (`BufferLifetimes::getValues`).
  bool findValues = true;

  /// Take copies of buffers that were filled for what they become, fills of
  /// their targets: they do not read their sources. Whoever changes the program
  /// by the lifetimes has to replace them (`applyMergePlan` does).
  bool findRefills = false;

  /// Find buffers that can be parts of those that they are copied into
  /// (`BufferLifetimes::getEmplacedBuffers`).
  bool findEmplaced = false;

  /// Such a part begins at a multiple of this many bytes, a power of two, as it
  /// would by itself.
  int64_t partAlignment = 1;

  /// Find pairs of buffers that an operation can use in place.
  bool findInPlacePairs = true;

  /// Return the condition under which two memref operands of one operation, one
  /// read and the other written, may share bytes, or nothing if they must not;
  /// `InPlaceOpInterface::getInPlaceCondition` documents the conditions. The
  /// default uses the interface, and knows `linalg` operations and copies. For
  /// a call of which it returns nothing, it is asked for what the callee does.
  /// It is called by one thread at a time.
  ///
  /// Note: defined only here, not as an option of the passes.
  std::function<std::optional<InPlaceCondition>(mlir::OpOperand &read,
                                                mlir::OpOperand &written)>
      getInPlaceCondition = buffer_merge::getInPlaceCondition;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_BUFFERLIFETIMESOPTIONS_H
