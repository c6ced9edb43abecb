//===- UnmergeableReason.h - Why an allocation stays ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_UNMERGEABLEREASON_H
#define BUFFER_MERGE_ANALYSIS_UNMERGEABLEREASON_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace buffer_merge {
/// Why an allocation is left as it is. Every allocation that stays has exactly
/// one reason, the first that applies in this order: reasons of the allocation
/// by itself; reasons of its uses, the first such use in the order of
/// execution; reasons of its lifetime; reasons of the pool. Unless
/// `DynamicPolicy::None`, `DynamicShape` comes behind those of its lifetime.
enum class UnmergeableReason {
  // The allocation by itself.

  /// It is allocated by an operation other than `memref.alloc`: it is not a
  /// buffer (`OtherAllocation`).
  NotAnAlloc,
  /// A size is known only at run time.
  DynamicShape,
  /// The layout is not row-major (`isRowMajor`).
  Layout,
  /// `mlir::DataLayout` gives no constant size for the element type.
  ElementType,
  /// The buffer has no bytes.
  ZeroSize,
  /// The number of bytes does not fit a pool.
  SizeOverflow,
  /// A size is known only at run time, and its upper bound may waste more bytes
  /// than are allowed.
  WastefulBound,
  /// Memory of its space does not allow views of another element type (SPIR-V),
  /// may be workgroup memory (a number in device code), or is not among those
  /// to be merged.
  MemorySpace,
  /// The allocation is marked with `bufferization.manual_deallocation`.
  ManualDeallocation,
  /// The allocation cannot be reached from the entry of its function.
  Unreachable,
  /// There is no alloc scope (`findAllocScope`): the allocation is outside of
  /// functions, or an operation around it may run its region in another thread.
  /// A coroutine is such an operation.
  NoAllocScope,
  /// The allocation is in workgroup memory, but its function is not a kernel:
  /// it may be called again without a barrier in between, or by some threads
  /// only.
  NotAKernel,
  /// The allocation is in workgroup memory, and the body of its kernel has
  /// several blocks.
  Unstructured,
  /// The hook `isEligible` returned false, or the allocation is a pool in a
  /// region of the target.
  Ineligible,

  // What happens to its address.

  /// The buffer is returned by its function.
  Returned,
  /// The buffer leaves its alloc scope as the result of an operation.
  LeavesScope,
  /// The buffer itself, not its contents, is stored into memory.
  StoredAsValue,
  /// An operation turns the buffer into something that may hide its address.
  AddressTaken,
  /// The buffer is an operand of `memref.distinct_objects`.
  DistinctObjects,
  /// The buffer is passed to a call, and callees may keep it
  /// (`CallPolicy::Escape`).
  PassedToCall,
  /// `memref.realloc` may free or resize the buffer.
  Reallocated,
  /// An operation other than `memref.dealloc` and `bufferization.dealloc`, or a
  /// callee, may free the buffer.
  ConditionalDealloc,
  /// An operation uses the buffer in an unknown way.
  UnknownUse,
  /// The buffer has more aliases than are visited.
  TooManyAliases,
  /// A unit that barriers of the workgroup do not order accesses the buffer: a
  /// copy engine, or a matrix unit that reads memory itself.
  AsyncProxy,

  // When it is in use.

  /// An access may still be running after the operation that contains it, and
  /// no wait is known to follow.
  Asynchronous,
  /// An access may see the buffer of an earlier execution of the allocation.
  LoopCarried,
  /// The terminator of the alloc scope contains an access, so the pool could
  /// not be freed after it.
  AccessedByTerminator,
  /// No operation accesses the buffer.
  NeverAccessed,
  /// A deallocation of the buffer, or one that depends on a comparison with it,
  /// may also free a buffer that is not merged.
  DeallocGroup,

  // What a pool would be worth.

  /// No other buffer of the same scope and memory space can be merged.
  NoPartner,
  /// A pool would be no smaller than the allocations that it replaces.
  NoGain,
  /// A pool for the buffer would raise the peak of the program: it would be
  /// held
  /// while other memory is needed, or in a region that does without it.
  RaisesPeak,
  /// The pass would have to free the pool, in a memory space in which nothing
  /// lowers a deallocation.
  Unfreeable,
  /// The scheduler found no schedule.
  NotScheduled,
  /// The kernel uses dynamic memory itself, which a pool would overlap; or the
  /// pool is to be dynamic memory, but not all launches of the kernel are
  /// known, or the memory is not aligned enough.
  DynamicMemory,
  /// The target has regions for the memory space, and none of them can have the
  /// pool: executions of the scope may overlap, or other functions have all
  /// bytes.
  NoRegion,
  /// The scope needs more bytes than the capacity of its memory space. This is
  /// an error for `buffer-merge`.
  OverCapacity,
};

/// Why something stays, and the operation that this is about, or null if that
/// is the allocation itself.
struct Refusal {
  Refusal(UnmergeableReason reason, mlir::Operation *op = nullptr)
      : reason(reason), op(op) {}

  UnmergeableReason reason;
  mlir::Operation *op;
};

/// Return the documented name of `reason`, such as `loop-carried`.
llvm::StringRef getReasonName(UnmergeableReason reason);

/// Return what `reason` means, without a final period.
llvm::StringRef getReasonDescription(UnmergeableReason reason);

/// Return what the author of a pipeline can do so that an allocation with
/// `reason` may be merged: a sentence without a final period, or nothing if
/// there is no advice.
llvm::StringRef getReasonAdvice(UnmergeableReason reason);

/// Return the name of `reason` and what it means, with the name of `op`, which
/// it is about, unless that is null.
std::string describeReason(UnmergeableReason reason, mlir::Operation *op);

/// Return all reasons, in the order of the enumeration.
llvm::ArrayRef<UnmergeableReason> getAllReasons();
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_UNMERGEABLEREASON_H
