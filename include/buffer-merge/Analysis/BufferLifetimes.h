//===- Lifetimes of allocations ---------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_BUFFERLIFETIMES_H
#define BUFFER_MERGE_ANALYSIS_BUFFERLIFETIMES_H

#include "buffer-merge/Analysis/BufferLifetimesOptions.h"
#include "buffer-merge/Analysis/UnmergeableReason.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <memory>

namespace buffer_merge {
class DeviceCode;
class CalleeSummaries;
struct FunctionContext;
class WorkgroupSync;

/// The attribute of an operation that makes a pool in a region of the target:
/// the name of the region, the byte of it at which the pool begins, and the
/// address of that byte, if it is fixed. An allocation that has it is not
/// mergeable (`Ineligible`).
///
/// ```
///   {address = 4096 : i64, name = "sram", offset = 0 : i64}
/// ```
inline constexpr llvm::StringLiteral poolRegionAttrName("buffer_merge.region");

/// A closed interval of ticks: both ends belong to it.
struct TickRange {
  int64_t first;
  int64_t last;

  /// Return the smallest range that contains this one and `other`.
  TickRange hull(TickRange other) const {
    return {std::min(first, other.first), std::max(last, other.last)};
  }
  bool operator==(const TickRange &other) const {
    return first == other.first && last == other.last;
  }
};

/// What one operand does to a buffer.
struct BufferEvent {
  enum class Kind {
    /// The operation accesses the buffer.
    Access,
    /// It starts what accesses the buffer, until something waits for that (L8
    /// asynchronous).
    DeferredAccess,
    /// It only forwards the buffer to another value, which is no view
    /// (`isSourceOfView`).
    Forward,
  };
  mlir::OpOperand *operand;
  Kind kind;

  bool isAccess() const { return kind != Kind::Forward; }
};

/// Which of the values of an allocation a lifetime is about.
struct ValueOfBuffer {
  /// The number of the value, from 0 in the order of execution, and the number
  /// of values, at least 2.
  unsigned index, count;
  /// The first access of the value.
  mlir::Operation *begin;
};

/// What makes one buffer of an allocation and of those that are copied into
/// parts of it, which they can be from the beginning.
struct BufferParts {
  struct Part {
    mlir::memref::AllocOp alloc;
    /// Where it is in the buffer, and what it takes, in bytes.
    int64_t offset, size;
  };
  /// All allocations, in the order of execution.
  llvm::SmallVector<Part, 2> parts;
  /// The copies between them that may be erased. The others are in loops: what
  /// moves accesses out of those must see that a part is written.
  llvm::SmallVector<mlir::memref::CopyOp, 2> copies;
};

/// One `memref.alloc`, or several as one, or one of the values that it holds,
/// or an attribution of a kernel: when it is in use, or why it cannot be
/// merged.
struct BufferLifetime {
  /// The memref: the result of the allocation, or the attribution, an argument
  /// of the body of a `gpu.func`.
  mlir::TypedValue<mlir::MemRefType> alloc;

  /// If the buffer is an allocation with those that are parts of it
  /// (`BufferLifetimes::getEmplacedBuffers`): these. Else null.
  const BufferParts *parts = nullptr;

  /// The innermost function around it, a `FunctionOpInterface`; null if there
  /// is none.
  mlir::Operation *function = nullptr;

  /// The value that this is about; nothing if it is the whole allocation.
  std::optional<ValueOfBuffer> value;

  /// Why the allocation is not mergeable; nothing if it is.
  std::optional<Refusal> refusal;

  /// The allocation is not mergeable, but a workgroup attribution of its
  /// kernel, a `gpu.func`, or bytes that no other buffer has, could replace it:
  /// one object for all executions of the allocation means the same, and
  /// nothing but `deallocs`, which free no other buffer, frees it. Then `size`,
  /// `alignment` and `scope` are known, and it is in use at all ticks; its
  /// events are not known.
  bool isOneObject = false;

  // Where and what is allocated.

  /// The threads of a GPU execute the allocation (`DeviceCode`).
  bool isInDeviceCode = false;

  /// Bytes of the buffer, the upper bound if its shape is dynamic; nothing if
  /// they are not known (`DynamicShape`, `Layout`, `ElementType`,
  /// `SizeOverflow`, `WastefulBound`).
  std::optional<int64_t> size;

  // What follows is meaningful only if the allocation is not refused, or if it
  // is of run-time size.

  /// Bytes to which the buffer must be aligned, a power of two: the maximum of
  /// the alignments of its element type, of the allocation, of
  /// `memref.assume_alignment` and aligned accesses, and of the instructions
  /// that access it.
  int64_t alignment = 1;
  /// The threads of a workgroup share the buffer: synchronization matters in
  /// addition to the lifetime (`WorkgroupSync`).
  bool isWorkgroup = false;
  /// The alloc scope (`findAllocScope`), or for a workgroup buffer its kernel
  /// (`findKernel`).
  mlir::Region *scope = nullptr;

  // When it is in use.

  /// The lifetime: the ticks (program points in the execution order of the
  /// function) during which no other buffer may use the bytes. A closed
  /// interval: both ends belong to it.
  TickRange ticks = {0, 0};
  /// Ticks of the lifetime at which others may use the bytes, because nothing
  /// reads after them what was written before them (L11 gaps). Sorted, with
  /// ticks of use before, between and after them.
  llvm::SmallVector<TickRange, 0> gaps;
  /// Its accesses, and the operands that forward it to other values, in the
  /// order of execution.
  llvm::SmallVector<BufferEvent, 0> events;
  /// The first and the last access in the order of execution. The lifetime may
  /// be longer because of loops around them.
  mlir::Operation *firstAccess = nullptr;
  mlir::Operation *lastAccess = nullptr;
  /// The last operation in the order of execution that uses the buffer or an
  /// alias, apart from `deallocs`. It may come after all accesses: a call that
  /// is passed the buffer and does not access it, an operation that extracts
  /// its address.
  mlir::Operation *lastUse = nullptr;
  /// The last tick at which the address of the buffer may be compared with
  /// others; -1 if it is not. It may come after `lastUse`.
  int64_t lastComparison = -1;
  /// An asynchronous operation may still access the buffer after an execution
  /// of the scope: no wait is known to follow (L8 asynchronous).
  bool isInFlightAtEnd = false;

  // Its deallocations.

  /// The operands of `memref.dealloc` and of `bufferization.dealloc` that may
  /// free the buffer, or whose execution depends on a comparison of its
  /// address. They are erased if the buffer is merged: of the buffers that
  /// share such an operand, all are merged or none.
  llvm::SmallVector<mlir::OpOperand *, 1> deallocs;
  /// Nothing in the function is freed yet, and views of the pool may live
  /// across blocks: `ownership-based-buffer-deallocation` does not understand
  /// them, so the rewrite has to free the pool.
  bool needsManualDealloc = false;

  /// The allocation has a dynamic shape and is in no pool of static size, but
  /// its lifetime is known, so it may be in a pool of run-time size. Its
  /// deallocations free no other buffer.
  bool isOfRuntimeSize = false;

  /// Return the allocation, without its parts; null for an attribution.
  mlir::memref::AllocOp getAllocOp() const;

  /// Return the results of all allocations that the buffer is, or the
  /// attribution.
  llvm::SmallVector<mlir::Value, 2> getAllocs() const;

  /// Return the number of allocations that the buffer is.
  size_t countAllocations() const { return parts ? parts->parts.size() : 1; }

  /// Return the alignment that the allocation or the attribution asks for, or
  /// 1.
  int64_t getRequestedAlignment() const;

  /// Return the operation that the buffer begins at: the allocation, or the
  /// first one of the kernel that it is an attribution of.
  mlir::Operation *getPlace() const;

  /// Return the last tick at which the memory that the buffer has become part
  /// of must be held: no other allocation may get its bytes before, which may
  /// be in use, nor its address, which may be compared. In the program it may
  /// have been freed earlier than that.
  int64_t getHeldUntil() const { return std::max(ticks.last, lastComparison); }

  /// Return the memory space of the allocation, null for the default space.
  mlir::Attribute getMemorySpace() const {
    return alloc.getType().getMemorySpace();
  }

  /// Leave the allocation alone because of `reason`, which is about `op` (null:
  /// the allocation itself). Only the first call has an effect.
  void refuse(UnmergeableReason reason, mlir::Operation *op);
};

/// An operation other than `memref.alloc` that declares to allocate a memref
/// (`MemoryEffects::Allocate`), such as `memref.alloca` and `gpu.alloc`. It
/// stays, with the reason `NotAnAlloc`, and is not a buffer.
struct OtherAllocation {
  mlir::Operation *op;
  /// Bytes of all its memrefs of known size.
  int64_t size;
};

/// Two buffers, mergeable or of run-time size, that may share bytes in one
/// operation: nothing accesses the earlier one after it, and nothing accesses
/// the later one before it.
struct InPlaceBuffers {
  /// Elements of `BufferLifetimes`, allocations or values.
  const BufferLifetime *earlier, *later;
  /// The condition on their offsets.
  InPlaceCondition condition;
  /// The operation: the last access of the earlier one, the first of the later
  /// one.
  mlir::Operation *op;
  /// The ticks of `op`: both buffers are alive at all of them and at no other.
  TickRange ticks;
};

/// An allocation that its function returns, and that could be there earlier and
/// hold others until the function accesses it.
struct LentResult {
  /// An element of `BufferLifetimes`, refused as `Returned`, in the first block
  /// of its function, which is the only one.
  const BufferLifetime *buffer;
  /// The first operation of the function that accesses it.
  mlir::Operation *first;
  /// The ticks from that access to the end of the function.
  TickRange busy;
  /// Buffers of the same type, the last access to which is the first one to it,
  /// by an operation that may work in place: they may be it as well.
  llvm::SmallVector<const BufferLifetime *, 1> inPlace;
};

/// Computes for every `memref.alloc`, and for every attribution of a kernel if
/// the options ask for them, whether it may be merged, and if so its lifetime,
/// by the rules L1 to L12 of docs/Rules.md.
///
/// A lifetime covers every access through every alias, from the first to the
/// last. A loop around an access is covered as a whole, unless the allocation
/// is inside of it as well. A buffer that a later iteration may access is not
/// mergeable: two instances may be alive at once, and one slot would be wrong.
///
/// ```
///   %a = memref.alloc()        // tick 0
///   scf.for ... {              // tick 3     %a is alive in [3, 6]: it is
///     memref.load %a[...]      // tick 4     accessed in the loop, and the
///   }                          // tick 6     loop does it again.
/// ```
///
/// This is an ordinary MLIR analysis, `getAnalysis<BufferLifetimes>()`, of any
/// operation: a function, or a module for all functions inside. It reads only
/// the operation and its regions. Functions are analyzed by the threads of the
/// MLIR context, if it has more than one; the result does not depend on that.
class BufferLifetimes {
public:
  /// Analyze everything inside `root`, with the default options. It must be
  /// valid IR, and not change as long as the result is in use.
  explicit BufferLifetimes(mlir::Operation *root);
  /// The same with `options`, which need not outlive the constructor.
  BufferLifetimes(mlir::Operation *root, const BufferLifetimesOptions &options);

  /// Pairs refer to elements of the object.
  BufferLifetimes(const BufferLifetimes &) = delete;

  /// Return all allocations inside the root: function by function, within one
  /// in the order of execution, behind its attributions. Those outside of
  /// functions come first, in textual order.
  llvm::ArrayRef<BufferLifetime> getBuffers() const { return buffers; }

  /// Return the buffers that stand for an allocation and for those that are
  /// copied into it, if the options ask for them: function by function, in the
  /// order of execution. No allocation is in two of them. The lifetime is that
  /// of all of them together.
  ///
  /// ```
  ///   linalg.exp outs(%a : memref<64xf32>)
  ///   linalg.exp outs(%b : memref<64xf32>)
  ///   %c = memref.alloc() : memref<128xf32>
  ///   memref.copy %a, %c[0..63]       // %c, with %a at byte 0 and %b at 256
  ///   memref.copy %b, %c[64..127]
  /// ```
  llvm::ArrayRef<BufferLifetime> getEmplacedBuffers() const {
    return emplacedBuffers;
  }

  /// Return the values that `buffer`, one of `getBuffers()`, holds one after
  /// the other, in the order of execution (L10 values): each may have bytes of
  /// its own. There are two or more, or none if there is only one, if one of
  /// them could not be merged, or if the options do not ask for them.
  ///
  /// ```
  ///   linalg.fill outs(%a)       // value 0
  ///   memref.load %a[%i]
  ///   linalg.fill outs(%a)       // value 1: it overwrites all of %a
  ///   memref.load %a[%i]
  /// ```
  llvm::ArrayRef<BufferLifetime> getValues(const BufferLifetime &buffer) const;

  /// Return the allocations by other operations inside the root, in the same
  /// order of functions, within one in textual order.
  llvm::ArrayRef<OtherAllocation> getOtherAllocations() const {
    return otherAllocations;
  }

  /// Return the pairs of buffers that can be used in place, if the options ask
  /// for them. Both have the same alloc scope and memory space. In the order of
  /// execution of their operations, then in that of the buffers.
  llvm::ArrayRef<InPlaceBuffers> getInPlaceBuffers() const {
    return inPlaceBuffers;
  }

  /// Return the results that may hold other buffers, if the options ask for
  /// buffers that can be used in place: in the order of `getBuffers()`.
  llvm::ArrayRef<LentResult> getLentResults() const { return lentResults; }

  /// Return the result for all of `alloc`, the result of an allocation or an
  /// attribution, or null if it is none inside the root.
  const BufferLifetime *lookup(mlir::Value alloc) const;

  /// Return what `buffer` is a value of, or `buffer`.
  const BufferLifetime *getWhole(const BufferLifetime *buffer) const;

  /// Return what `buffer` is a value of, or if it has parts, each of these, or
  /// `buffer`.
  llvm::SmallVector<const BufferLifetime *, 1>
  getWholes(const BufferLifetime *buffer) const;

  /// Return the operation that was analyzed.
  mlir::Operation *getRoot() const { return root; }

  /// Return the code inside the root that the threads of a GPU execute.
  const DeviceCode &getDeviceCode() const { return *device; }

  /// Return how allocations of dynamic shape were treated.
  DynamicPolicy getDynamicPolicy() const { return dynamic; }

  /// Return the options for workgroup memory.
  const WorkgroupOptions &getWorkgroupOptions() const { return workgroup; }

  /// Return the hazards between workgroup buffers of `kernel`, regardless of
  /// lifetimes, or null if there are no such buffers in that scope. Its objects
  /// are their memrefs.
  const WorkgroupSync *getWorkgroupSync(mlir::Region *kernel) const {
    return syncs.lookup(kernel).get();
  }

  /// Return what the analyses of `function` share, or null if it has no body or
  /// is not inside the root.
  const FunctionContext *getContext(mlir::Operation *function) const;

  /// Return true if one of these functions has a call.
  bool haveCalls() const;

private:
  void findInPlace(const BufferLifetimesOptions &options);
  void findEmplaced(int64_t alignment);

  mlir::Operation *root;
  DynamicPolicy dynamic;
  WorkgroupOptions workgroup;
  std::shared_ptr<const DeviceCode> device;
  std::shared_ptr<const CalleeSummaries> callees;
  llvm::DenseMap<mlir::Operation *, std::shared_ptr<const FunctionContext>>
      contexts;
  llvm::SmallVector<BufferLifetime, 0> buffers, emplacedBuffers;
  std::deque<BufferParts> parts;
  /// The values of all buffers, those of one together.
  llvm::SmallVector<BufferLifetime, 0> values;
  /// By buffer, the first of its values.
  llvm::DenseMap<const BufferLifetime *, size_t> firstValues;
  llvm::SmallVector<OtherAllocation, 0> otherAllocations;
  llvm::DenseMap<mlir::Region *, std::shared_ptr<const WorkgroupSync>> syncs;
  llvm::SmallVector<InPlaceBuffers, 0> inPlaceBuffers;
  llvm::SmallVector<LentResult, 0> lentResults;
  llvm::DenseMap<mlir::Value, size_t> indices;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_BUFFERLIFETIMES_H
