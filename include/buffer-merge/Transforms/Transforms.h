//===- Transforms.h - Transforms of buffers as functions --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_TRANSFORMS_H
#define BUFFER_MERGE_TRANSFORMS_TRANSFORMS_H

#include "buffer-merge/Analysis/BufferLifetimesOptions.h"
#include "buffer-merge/Planning/MergePlanOptions.h"

namespace buffer_merge {
/// The options of splitting.
struct SplitBuffersOptions {
  /// What a call may do with a buffer that is passed to it.
  CallPolicy calls = CallPolicy::KeepNothing;
  /// Which memory the threads of a workgroup share.
  WorkgroupOptions workgroup;
};

/// The result of splitting.
struct SplitBuffersResult {
  /// Allocations that were split.
  int64_t numSplit = 0;
  /// The allocations that they became.
  int64_t numParts = 0;
};

/// Replace each `memref.alloc` inside `root` that holds several values, one
/// after the other, by one allocation for each value:
///
/// ```
///   %a = memref.alloc()                  %a = memref.alloc()
///   linalg.fill outs(%a)                 %a_0 = memref.alloc()
///   memref.load %a[%i]          ==>      linalg.fill outs(%a)
///   linalg.fill outs(%a)                 memref.load %a[%i]
///   memref.load %a[%i]                   linalg.fill outs(%a_0)
///                                        memref.load %a_0[%i]
/// ```
///
/// A value begins where an operation writes all elements without reading any.
/// The new allocations follow the old one, which keeps the first value. Views
/// and deallocations are cloned for each of them. An allocation stays as it is
/// if it is not mergeable (`BufferLifetimes`), if it has a place of its own in
/// the program, or if it is in device code or in workgroup memory, where other
/// threads may still read the earlier value.
SplitBuffersResult splitBuffers(mlir::Operation *root,
                                const SplitBuffersOptions &options = {});

/// The options of emplacing.
struct EmplaceBuffersOptions : SplitBuffersOptions {
  /// Emplace buffers even if more bytes are alive at once then.
  bool mayRaisePeak = false;
  /// Emplace buffers into parts that are not contiguous, too.
  bool strided = false;
};

/// The result of emplacing.
struct EmplaceBuffersResult {
  /// Copies that vanished, and so many allocations.
  int64_t numEmplaced = 0;
  /// The bytes of one execution of each of these copies.
  int64_t bytesNotCopied = 0;
};

/// Let each `memref.alloc` inside `root` that is copied into a contiguous part
/// of another one be that part, so that nothing has to be copied:
///
/// ```
///   %a = memref.alloc()                  %c = memref.alloc() : memref<512xi8>
///   linalg.exp outs(%a)                  %a = memref.view %c[256]
///   %c = memref.alloc()           ==>    linalg.exp outs(%a)
///   memref.copy %a, %part_of_c           %whole = memref.view %c[0]
///   linalg.abs ins(%c)                   linalg.abs ins(%whole)
/// ```
///
/// The outer allocation becomes one of bytes, with a view of each buffer: the
/// types of the buffers are the same as before. It moves to the front of the
/// inner one, if necessary together with an operation of `linalg` that has no
/// other memory and fills it. Requirements:
///
///   - both have static, row-major shapes in the same memory, and all their
///     aliases are views; neither is freed, returned, forwarded or accessed
///     asynchronously; neither is in device code or in workgroup memory;
///   - the inner one and the copy are in one block, and nothing but sequential
///     regions is between this block and the outer allocation;
///   - between the first access to the inner one and the copy, nothing accesses
///     the part; as long as the inner one is read after the copy, nothing
///     writes either of them;
///   - the part is as aligned as the inner one needs;
///   - the number of bytes that are alive at once in the function does not
///     grow, unless `mayRaisePeak`.
///
/// With `strided`, the part may also be a `memref.subview` with steps of 1 that
/// is not contiguous, such as columns. Then the inner buffer becomes a subview
/// like that, of a strided type, and the outer allocation stays as it is. The
/// copy has to be one of the inner allocation itself, not of a view; and all
/// uses of the inner buffer and of subviews of it have to be operations that
/// take any layout: `linalg`, loads and stores of elements, `memref.copy`,
/// `memref.dim`, and transfers of vectors.
EmplaceBuffersResult emplaceBuffers(mlir::Operation *root,
                                    const EmplaceBuffersOptions &options = {});

/// The result of refilling.
struct RefillCopiesResult {
  /// Copies that became fills.
  int64_t numRefilled = 0;
  /// Fills that nothing read any more, which were erased.
  int64_t numErased = 0;
};

/// Replace each `memref.copy` inside `root` whose source has been filled with
/// one scalar (`linalg.fill`), and not changed since, by a fill of its target:
/// it moves half of the bytes, and the source is no longer needed.
///
/// ```
///   linalg.fill ins(%x) outs(%a)         linalg.fill ins(%x) outs(%b)
///   memref.copy %a, %b            ==>    linalg.matmul outs(%b)
///   linalg.matmul outs(%b)               linalg.fill ins(%x) outs(%c)
///   memref.copy %a, %c
/// ```
///
/// The source is a `memref.alloc` that `splitBuffers` with the same options
/// could split, the target has the same memory space.
RefillCopiesResult refillCopies(mlir::Operation *root,
                                const SplitBuffersOptions &options = {});

/// The options of propagating copies.
struct PropagateCopiesOptions : SplitBuffersOptions {
  /// What must be saved of the bytes that are alive at once, in the alloc scope
  /// and memory of the buffer, where an operation loses its name or is in a
  /// loop that the copy is not in; the larger of the two numbers counts.
  MinGain minGain;
  /// Do so there as well if it saves nothing.
  bool generalize = false;
};

/// The result of propagating copies.
struct PropagateCopiesResult {
  /// Allocations that vanished, and so many operations that wrote them.
  int64_t numBuffers = 0;
  /// The bytes of one execution of each of these allocations, as far as they
  /// are known.
  int64_t bytesNotMoved = 0;
  /// Operations with another name that became a `linalg.contract` or a
  /// `linalg.generic`.
  int64_t numGeneralized = 0;
};

/// Let operations of `linalg` read the source of a copy instead of the copy.
/// Here, a copy is a `memref.alloc` inside `root` that one operation overwrites
/// wholly, which only moves elements: a transposition, a broadcast, a
/// conversion to another type, `memref.copy`.
///
/// ```
///   %t = memref.alloc()
///   linalg.transpose ins(%w) outs(%t)      linalg.matmul
///   linalg.matmul ins(%x, %t)         ==>    indexing_maps = [..., (n, k),
///   ...]
///                                            ins(%x, %w)
/// ```
///
/// The readers compute the same, in the same order. Indexing maps are composed,
/// and conversions become a part of the body. An operation keeps its name where
/// it may have such maps and conversions; others become a `linalg.contract` or
/// a `linalg.generic`, where that is worth it
/// (`PropagateCopiesOptions::minGain`). Requirements:
///
///   - all other uses of the allocation are inputs of `linalg`, `memref.dim`
///     and `memref.dealloc`, without views;
///   - the readers come after the operation that moves the elements, in its
///     block or in regions of operations there that are done when these are;
///   - until the last of them is done, nothing writes the source: it comes from
///     an allocation of the function, an argument or a global, and what is in
///     between has known effects. Two arguments may be the same memory, unless
///     all callers are known or an attribute says otherwise (`llvm.noalias`);
///   - both have the same memory space, which is not that of a workgroup, and
///     nothing of this is in device code;
///   - the number of bytes that are alive at once in the alloc scope does not
///     grow.
PropagateCopiesResult
propagateCopies(mlir::Operation *root,
                const PropagateCopiesOptions &options = {});

/// The options of hoisting.
struct HoistParallelPoolsOptions {
  /// What is mergeable.
  BufferLifetimesOptions lifetimes;
  /// The algorithm that places the buffers of an iteration; must not be null.
  const Scheduler *scheduler = nullptr;
  /// The least alignment of buffers and slots in bytes, a power of two: slots
  /// of less than a line of a cache would share it between threads.
  int64_t alignment = 64;
  /// The most iterations of a loop that is given slots; 1 or more.
  int64_t maxSlots = 64;
};

/// The result of hoisting.
struct HoistParallelPoolsResult {
  /// Allocations that slots replace, and those in parallel bodies left alone.
  int64_t numHoisted = 0;
  int64_t numLeft = 0;
  /// Slots allocated.
  int64_t numSlots = 0;
};

/// Merge the buffers of each body of a parallel loop inside `root` into one
/// pool, whether that saves bytes or not, and let the pools of all iterations
/// be slots of one allocation in front of the loop, which has as many. Inner
/// loops come first, so that their slots are buffers of the outer ones. Emit
/// remarks for all pools. A second run changes nothing.
///
/// The loops are `scf.parallel`, `scf.forall` and `affine.parallel` outside of
/// device code with constant bounds and steps. If the program frees one of the
/// buffers, the slots are freed behind the loop. What is left alone is a pool
/// with the next `mergeBuffers`.
llvm::FailureOr<HoistParallelPoolsResult>
hoistParallelPools(mlir::Operation *root,
                   const HoistParallelPoolsOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_TRANSFORMS_H
