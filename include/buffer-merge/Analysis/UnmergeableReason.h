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

namespace buffer_merge {
/// Why an allocation is left as it is. Every allocation that stays has
/// exactly one reason. What the allocation is by itself comes first; then what
/// is done with its address, the first such use in the order of execution; then
/// when it is in use; then what a pool would be worth.
enum class UnmergeableReason {
  // The allocation by itself.

  /// It is allocated by an operation other than `memref.alloc`: it is no buffer
  /// (`OtherAllocation`).
  NotAnAlloc,
  /// A size is known at run time only.
  DynamicShape,
  /// The layout is not row-major (`isRowMajor`).
  Layout,
  /// `mlir::DataLayout` gives no constant size for the element type.
  ElementType,
  /// The buffer has no bytes.
  ZeroSize,
  /// The number of bytes does not fit a pool.
  SizeOverflow,
  /// A size is known at run time only, and its upper bound may waste more bytes
  /// than are allowed.
  WastefulBound,
  /// Memory of its space does not allow views of another element type (SPIR-V),
  /// may be that of a workgroup (a number in device code), or is not among
  /// those to be merged.
  MemorySpace,
  /// The allocation is marked with `bufferization.manual_deallocation`.
  ManualDeallocation,
  /// The allocation cannot be reached from the entry of its function.
  Unreachable,
  /// There is no alloc scope: no enclosing operation whose executions own a
  /// pool each, or an operation in between that may run its region
  /// concurrently. Or the control flow of the function is not known: a
  /// coroutine.
  NoAllocScope,
  /// The allocation is in workgroup memory, but its function is no kernel: it
  /// may be called again without a barrier in between, or by some threads only.
  NotAKernel,
  /// The allocation is in workgroup memory, and the body of its kernel has
  /// several blocks.
  Unstructured,
  /// A hook of the caller said no.
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
  /// The buffer is passed to a call, and calls are not trusted to forget it.
  PassedToCall,
  /// `memref.realloc` may free or resize the buffer.
  Reallocated,
  /// An operation other than `memref.dealloc` and `bufferization.dealloc` may
  /// free the buffer, or a callee.
  ConditionalDealloc,
  /// An operation uses the buffer in a way that is not known.
  UnknownUse,
  /// More values may be the buffer than are looked at.
  TooManyAliases,
  /// Something that is not ordered by barriers of the workgroup accesses the
  /// buffer: a copy engine, a matrix unit that reads memory by itself.
  AsyncProxy,

  // When it is in use.

  /// An access may still be running when the operation that contains it is
  /// done, and no wait is known to follow.
  Asynchronous,
  /// An access may see the buffer of an earlier execution of the allocation.
  LoopCarried,
  /// The terminator of the alloc scope contains an access, so that the pool
  /// could not be freed behind it.
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
  /// The scheduler found no schedule.
  NotScheduled,
  /// The kernel uses dynamic memory itself, with which a pool would overlap; or
  /// the pool shall be dynamic memory, but not all launches of the kernel are
  /// known, or the memory is not aligned enough.
  DynamicMemory,
  /// What the scope needs exceeds the capacity of its memory space. For
  /// `buffer-merge` that is an error.
  OverCapacity,
};

/// Return the documented name of `reason`, such as `loop-carried`.
llvm::StringRef getReasonName(UnmergeableReason reason);

/// Return what `reason` means, as remarks print it, without a final period.
llvm::StringRef getReasonDescription(UnmergeableReason reason);

/// Return all reasons, in the order of the enumeration.
llvm::ArrayRef<UnmergeableReason> getAllReasons();
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_UNMERGEABLEREASON_H
