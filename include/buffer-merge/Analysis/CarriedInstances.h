//===- Instances of loop-carried buffers ------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_CARRIEDINSTANCES_H
#define BUFFER_MERGE_ANALYSIS_CARRIEDINSTANCES_H

#include "buffer-merge/Analysis/BufferLifetimes.h"

namespace buffer_merge {
/// Why the instances of a loop-carried buffer are not given slots.
enum class CarriedObstacle {
  /// An operation uses the buffer in a way that rules it out, for
  /// `CarriedBuffer::useReason`: it escapes, may be freed conditionally, or is
  /// accessed after the operation that does so is done.
  Use,
  /// Blocks hand the buffer to each other, or execute its allocation more than
  /// once in an iteration.
  Blocks,
  /// Between the loops that carry it lies an operation that is no loop.
  LoopNest,
  /// More instances than there may be slots are in use at once, or no bound on
  /// their number is known: an instance may be kept for any number of
  /// iterations.
  TooManyInstances,
  /// A deallocation of an instance may also free a buffer that stays.
  DeallocGroup,
};

/// Return the documented name of `obstacle`, such as `too-many-instances`.
llvm::StringRef getObstacleName(CarriedObstacle obstacle);

/// Return what `obstacle` means, as remarks print it, without a final period.
llvm::StringRef getObstacleDescription(CarriedObstacle obstacle);

/// A `memref.alloc` that `BufferLifetimes` refuses as `LoopCarried`, or one
/// that a deallocation ties to such a one.
struct CarriedBuffer {
  mlir::memref::AllocOp alloc;
  /// False for a buffer of which there is one instance, taken along because of
  /// a deallocation that it shares with one that is carried.
  bool isCarried = true;

  /// Why it stays; nothing if `numInstances` slots are enough.
  std::optional<CarriedObstacle> obstacle;
  /// Meaningful for `CarriedObstacle::Use` alone.
  UnmergeableReason useReason = UnmergeableReason::UnknownUse;
  /// The operation that `obstacle` is about, or null if that is `alloc` itself.
  mlir::Operation *obstacleOp = nullptr;

  // What follows is meaningful only if there is no obstacle.

  /// The loops of which an iteration may see the buffer of an earlier one, each
  /// the next one's parent: from the outermost to the innermost that holds the
  /// allocation. Empty if there are none.
  llvm::SmallVector<mlir::Operation *, 2> loops;
  /// The alloc scope (`findAllocScope`).
  mlir::Region *scope = nullptr;
  /// The home of the buffer is the innermost region that holds the loops and
  /// all that may be an instance of it: when an execution of it ends, so do all
  /// instances. This is how many regions it is up from that of `alloc`.
  unsigned homeLevel = 0;
  /// The most instances in use at once, at least 1. The instance of iteration i
  /// of the innermost loop is not accessed after iteration i + numInstances has
  /// reached the allocation; iterations are counted from where the outermost
  /// loop is entered.
  int64_t numInstances = 1;
  /// The deallocations of its instances, in the order of execution. They free
  /// buffers of this analysis only.
  llvm::SmallVector<mlir::memref::DeallocOp, 2> deallocs;
};

/// What a user of the analysis may decide.
struct CarriedInstancesOptions {
  /// What a call may do with a buffer that it is given.
  CallPolicy calls = CallPolicy::KeepNothing;

  /// Most instances of one buffer; at least 1. The time that the analysis takes
  /// grows with it.
  int64_t maxInstances = 8;
};

/// Computes how many instances are in use at once, of every buffer that a loop
/// hands on from one iteration to the next: those that `BufferLifetimes`
/// refuses as `LoopCarried`, and those for which one slot is enough.
///
/// A loop that allocates in each iteration and hands the buffer on to the next
/// needs as many slots as there are instances alive at once, not as many as
/// there are iterations: the multi-view tensors of NNC (L. Liu, NNC tensor
/// allocation algorithm, libnnc.org), which come from unrolling a loop until
/// its allocations repeat. Here they come from a longest path. The age of an
/// instance is the number of times that an iteration of the innermost loop
/// around the allocation has reached the allocation since the iteration that
/// made it. Values are nodes; an edge leads from a value to one that it is
/// handed on to, and weighs 1 if the allocation is reached between the two:
///
/// ```
///   scf.for ... iter_args(%p = ..., %q = ...) {
///                           // %q: age 0     an instance is made as %a, is
///     %a = memref.alloc()   // %p: age 1     %q in the next iteration and %p
///     use(%p, %q, %a)       // of ages 2, 1, 0: three instances, in the one
///     scf.yield %q, %a      // after that
///   }
/// ```
///
/// An instance that is accessed at age a needs a + 1 slots. A cycle of positive
/// weight keeps an instance for as long as it likes:
///
/// ```
///     %next = arith.select %better, %a, %p
///     scf.yield %next
/// ```
///
/// there is no bound then, and the buffer is left alone.
///
/// Loops are `scf.for`, `scf.while` and `affine.for`. Where several loops carry
/// the buffer, each must be nested in the other directly, and iterations of the
/// innermost are counted throughout.
///
/// Deallocations do not count as accesses. One that may free other buffers
/// takes these along (as buffers with one instance) if one slot is enough for
/// each and they would be mergeable but for the dealloc; else all of them are
/// left alone. The ownership flags of MLIR's
/// `ownership-based-buffer-deallocation` are understood: with
///
/// ```
///   scf.for ... iter_args(%p = %first, %owned = %false) {
///     scf.if %owned { memref.dealloc %p }
///     scf.yield %a, %true
///   }
/// ```
///
/// `%first` is not freed.
class CarriedInstances {
public:
  /// Analyze everything inside `root`, for which `lifetimes` was computed.
  CarriedInstances(mlir::Operation *root, const BufferLifetimes &lifetimes,
                   const CarriedInstancesOptions &options);

  /// Return all carried buffers, and those that are taken along, in the
  /// order of `BufferLifetimes::getBuffers()`.
  llvm::ArrayRef<CarriedBuffer> getBuffers() const { return buffers; }

private:
  llvm::SmallVector<CarriedBuffer, 0> buffers;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_CARRIEDINSTANCES_H
