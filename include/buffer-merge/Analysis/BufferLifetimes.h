//===- Lifetimes of allocations ---------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_BUFFERLIFETIMES_H
#define BUFFER_MERGE_ANALYSIS_BUFFERLIFETIMES_H

#include "buffer-merge/Analysis/BufferUses.h"
#include "buffer-merge/Analysis/DeviceCode.h"
#include "buffer-merge/Analysis/DynamicSize.h"
#include "buffer-merge/Analysis/ExecutionOrder.h"
#include "buffer-merge/Analysis/InPlace.h"
#include "buffer-merge/Analysis/MemorySpaces.h"
#include "buffer-merge/Analysis/WorkgroupSync.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <functional>

namespace buffer_merge {
/// What a user of the analysis may decide.
struct BufferLifetimesOptions {
  /// What a call may do with a buffer that it is given.
  CallPolicy calls = CallPolicy::KeepNothing;

  /// The memory spaces of which allocations are merged. By default all of which
  /// this library understands.
  std::optional<llvm::SmallVector<MemorySpaces>> memorySpaces;

  /// Which memory is shared by the threads of a workgroup, and what keeps them
  /// apart.
  WorkgroupOptions workgroup;

  /// Return false to leave an allocation alone, with the reason `Ineligible`.
  /// It is asked for allocations that could be merged as far as their type and
  /// their place are concerned: function by function, in the order of
  /// execution, by the thread that the analysis was started in. Empty, the
  /// default: all of them are eligible, and several functions may be looked at
  /// at once.
  ///
  /// Note: defined only here, not as an option of the passes.
  std::function<bool(mlir::memref::AllocOp)> isEligible;

  /// What becomes of allocations of dynamic shape.
  DynamicPolicy dynamic = DynamicPolicy::None;

  /// With `DynamicPolicy::Bounded`, the most bytes by which a buffer may be
  /// smaller than what is reserved for it; 0 or more.
  int64_t maxDynamicWaste = 65536;

  /// Look for buffers that may be in place of each other.
  bool findInPlacePairs = false;

  /// Return under which condition the buffers of two operands of memref type of
  /// one operation, the one read, the other one written, may share bytes, or
  /// nothing if they must not; what that means is said at
  /// `InPlaceOpInterface::getInPlaceCondition`. By default the interface is
  /// asked, and `linalg` operations and copies are known. With
  /// `findInPlacePairs` functions are looked at one after the other.
  ///
  /// Note: defined only here, not as an option of the passes.
  std::function<std::optional<InPlaceCondition>(mlir::OpOperand &read,
                                                mlir::OpOperand &written)>
      getInPlaceCondition = buffer_merge::getInPlaceCondition;
};

/// One `memref.alloc`: when it is in use, or why it cannot be merged.
struct BufferLifetime {
  mlir::memref::AllocOp alloc;

  // Why it stays.

  /// Why the allocation is not mergeable; nothing if it is.
  std::optional<UnmergeableReason> reason;
  /// The operation that `reason` is about, or null if that is `alloc` itself.
  mlir::Operation *reasonOp = nullptr;

  // Where and what is allocated.

  /// The threads of a GPU execute the allocation (`DeviceCode`).
  bool isInDeviceCode = false;

  /// Bytes of the buffer, the upper bound if its shape is dynamic; 0 if they
  /// are not known (`DynamicShape`, `Layout`, `ElementType`, `SizeOverflow`,
  /// `WastefulBound`).
  int64_t size = 0;

  // What follows is meaningful only if there is no reason, or the buffer is
  // shareable.

  /// Bytes to which the buffer must be aligned: what its element type needs,
  /// what the allocation asks for, what `memref.assume_alignment` and aligned
  /// accesses promise, and what the accesses need. A power of two.
  int64_t alignment = 1;
  /// The threads of a workgroup share the buffer: what keeps their accesses
  /// apart matters besides the lifetime (`WorkgroupSync`).
  bool isWorkgroup = false;
  /// The alloc scope (`findAllocScope`), or for a workgroup buffer its kernel
  /// (`findKernel`).
  mlir::Region *scope = nullptr;

  // When it is in use.

  /// The lifetime: the ticks during which the buffer's bytes must be its own,
  /// in the execution order of its function. Closed: both ends belong to it.
  TickRange ticks = {0, 0};
  /// The first and the last access in the order of execution. The lifetime may
  /// be longer, because of the loops that they are in.
  mlir::Operation *firstAccess = nullptr;
  mlir::Operation *lastAccess = nullptr;
  /// An asynchronous operation may access the buffer when an execution of the
  /// scope is done: no wait is known to follow (L8 asynchronous).
  bool isInFlightAtEnd = false;

  // Who frees it.

  /// The operands of `memref.dealloc` and of `bufferization.dealloc` that may
  /// free the buffer, or that are executed or not because of a comparison of
  /// its address. They vanish if the buffer is merged: all buffers that have
  /// one of them in common are merged, or none.
  llvm::SmallVector<mlir::OpOperand *, 1> deallocs;
  /// Nothing in the function is freed yet, and views of the pool may live
  /// across blocks: `ownership-based-buffer-deallocation` would not understand
  /// them, so that who makes the pool has to free it.
  bool needsManualDealloc = false;

  // With whom it may share an allocation.

  /// The allocation has a dynamic shape and stays, but its lifetime is known,
  /// so that it may share one allocation with others of equal size. Its
  /// deallocations free nothing else.
  bool isShareable = false;
  /// No byte of the buffer is in use outside of the region that allocates it.
  /// Meaningful for shareable buffers alone.
  bool staysInRegion = false;
  /// A `memref.dim` asks for a size of it. Meaningful for shareable buffers
  /// alone.
  bool isSizeUsed = false;

  /// Return the memory space of the allocation, null for the default space.
  mlir::Attribute getMemorySpace() const {
    mlir::memref::AllocOp op = alloc;
    return op.getType().getMemorySpace();
  }

  /// Let the allocation stay because of `reason`, which is about `op` (null:
  /// the allocation itself). The first reason counts, later ones do nothing.
  void refuse(UnmergeableReason reason, mlir::Operation *op);
};

/// An operation other than `memref.alloc` that allocates a memref, by its own
/// account (`MemoryEffects::Allocate`), such as `memref.alloca` and
/// `gpu.alloc`. It stays, with the reason `NotAnAlloc`, and is no buffer.
struct OtherAllocation {
  mlir::Operation *op;
  /// Bytes of all the memrefs that it allocates, as far as they are known.
  int64_t size;
};

/// Two mergeable buffers that may share bytes in one operation: in its only
/// execution after which nothing accesses the earlier one any more, and before
/// which nothing has accessed the later one.
struct InPlaceBuffers {
  /// Indices of `BufferLifetimes::getBuffers()`.
  size_t earlier, later;
  /// Where their bytes may be then.
  InPlaceCondition condition;
  /// The operation: the last access of the one, the first of the other.
  mlir::Operation *op;
  /// The ticks of `op`: both buffers are alive at all of them and at no other.
  TickRange ticks;
};

/// Computes for every `memref.alloc` whether it may be merged, and if so its
/// lifetime, by the rules L1 to L9 of docs/Rules.md.
///
/// A lifetime covers every access through every alias, from the first to the
/// last. Loops around an access that the allocation is not inside of are
/// covered whole. A buffer that an access of a later iteration may see is not
/// mergeable: of two instances that are alive at once, one slot would be wrong.
///
/// ```
///   %a = memref.alloc()        // tick 0
///   scf.for ... {              // tick 3     %a is alive in [3, 6]: it is
///     memref.load %a[...]      // tick 4     accessed in the loop, and the
///   }                          // tick 6     loop does it again.
/// ```
///
/// It is an ordinary MLIR analysis, `getAnalysis<BufferLifetimes>()`, of any
/// operation: of a function, of a module for all functions inside. It reads the
/// operation and what is inside alone. Functions are analyzed by the threads of
/// the MLIR context, if it has more than one; the result does not depend on it.
class BufferLifetimes {
public:
  /// Analyze everything inside `root`, with the default options. It must be
  /// valid IR, and not change as long as the result is in use.
  explicit BufferLifetimes(mlir::Operation *root);
  /// The same with `options`, which are not used later.
  BufferLifetimes(mlir::Operation *root, const BufferLifetimesOptions &options);

  /// Return all allocations inside the root: function by function, within one
  /// in the order of execution. Those outside of functions come first, in
  /// textual order.
  llvm::ArrayRef<BufferLifetime> getBuffers() const { return buffers; }

  /// Return what other operations allocate inside the root, in the same order
  /// of functions, within one in textual order.
  llvm::ArrayRef<OtherAllocation> getOtherAllocations() const {
    return otherAllocations;
  }

  /// Return the buffers that may be in place of each other, if the options ask
  /// for them; of both the alloc scope and the memory space are the same. In
  /// the order of execution of their operations, then in that of the buffers.
  llvm::ArrayRef<InPlaceBuffers> getInPlaceBuffers() const {
    return inPlaceBuffers;
  }

  /// Return what is known of `alloc`, or null if it is not inside the root.
  const BufferLifetime *lookup(mlir::memref::AllocOp alloc) const;

  /// Return the operation that was analyzed.
  mlir::Operation *getRoot() const { return root; }

  /// Return which code inside the root the threads of a GPU execute.
  const DeviceCode &getDeviceCode() const { return device; }

  /// Return what was given about workgroup memory.
  const WorkgroupOptions &getWorkgroupOptions() const { return workgroup; }

  /// Return which workgroup buffers of `kernel` must not share bytes whatever
  /// their lifetimes are, or null if there are no such buffers in that scope.
  /// Its objects are the results of their allocations.
  const WorkgroupSync *getWorkgroupSync(mlir::Region *kernel) const {
    auto it = syncs.find(kernel);
    return it == syncs.end() ? nullptr : it->second.get();
  }

private:
  mlir::Operation *root;
  WorkgroupOptions workgroup;
  DeviceCode device;
  llvm::SmallVector<BufferLifetime, 0> buffers;
  llvm::SmallVector<OtherAllocation, 0> otherAllocations;
  llvm::DenseMap<mlir::Region *, std::unique_ptr<const WorkgroupSync>> syncs;
  llvm::SmallVector<InPlaceBuffers, 0> inPlaceBuffers;
  llvm::DenseMap<mlir::Operation *, size_t> indices;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_BUFFERLIFETIMES_H
