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
  /// accessed asynchronously.
  Use,
  /// A cycle of blocks carries the buffer, or executes its allocation more than
  /// once in an iteration.
  Blocks,
  /// There is an operation other than a loop between the loops that carry it.
  LoopNest,
  /// More instances than there may be slots are in use at once, or no bound on
  /// their number is known: an instance may survive any number of iterations.
  TooManyInstances,
  /// A deallocation of an instance may also free a buffer that stays.
  DeallocGroup,
  /// It is in workgroup memory, and a thread may reach the next use of a slot
  /// while another one still accesses the instance before.
  NoBarrier,
};

/// Return the documented name of `obstacle`, such as `too-many-instances`.
llvm::StringRef getObstacleName(CarriedObstacle obstacle);

/// Return what `obstacle` means, as remarks print it, without a final period.
llvm::StringRef getObstacleDescription(CarriedObstacle obstacle);

/// Return what would remove `obstacle`, without a final period; empty
/// if nothing is known, and for `Use`, which has a reason of its own.
llvm::StringRef getObstacleAdvice(CarriedObstacle obstacle);

/// A `memref.alloc` that `BufferLifetimes` refuses as `LoopCarried`, or one
/// that shares a deallocation with such an allocation.
struct CarriedBuffer {
  mlir::memref::AllocOp alloc;
  /// False for a buffer with one instance that is included because it shares a
  /// deallocation with a carried buffer.
  bool isCarried = true;

  /// Why it stays; nothing if `numInstances` slots are enough.
  std::optional<CarriedObstacle> obstacle;
  /// Meaningful only for `CarriedObstacle::Use`.
  UnmergeableReason useReason = UnmergeableReason::UnknownUse;
  /// The operation that `obstacle` is about, or null if that is `alloc` itself.
  mlir::Operation *obstacleOp = nullptr;

  // What follows is meaningful only if there is no obstacle.

  /// The loops in which an iteration may see the buffer of an earlier
  /// iteration, each the parent of the next: from the outermost loop to the
  /// innermost one that contains the allocation. Empty if there are none.
  llvm::SmallVector<mlir::Operation *, 2> loops;
  /// The alloc scope (`findAllocScope`).
  mlir::Region *scope = nullptr;
  /// The home of the buffer is the innermost region that contains the loops and
  /// all values that may be an instance of it: all instances end with an
  /// execution of this region. This is the number of regions between it and
  /// `alloc`.
  unsigned homeLevel = 0;
  /// The maximum number of instances in use at once, at least 1. The instance
  /// of iteration i of the innermost loop is not accessed after iteration i +
  /// numInstances has reached the allocation; iterations are counted from the
  /// entry of the outermost loop. In workgroup memory, a barrier lies between
  /// the accesses of the two, so there may be one more than in one thread.
  int64_t numInstances = 1;
  /// The deallocations of its instances, in the order of execution. They free
  /// only buffers of this analysis.
  llvm::SmallVector<mlir::memref::DeallocOp, 2> deallocs;
};

/// The options of the analysis.
struct CarriedInstancesOptions {
  /// Most instances of one buffer; at least 1. The time that the analysis takes
  /// grows with it.
  int64_t maxInstances = 8;
};

/// Computes the number of instances in use at once, for every buffer that a
/// loop carries from one iteration to the next: those that `BufferLifetimes`
/// refuses as `LoopCarried`, and those for which one slot is enough.
///
/// A loop that allocates a buffer in each iteration and carries it to the next
/// needs as many slots as there are instances alive at once, not as many as
/// there are iterations: multi-buffering, or double buffering with two slots.
/// The idea comes from the multi-view tensors of NNC (L. Liu, NNC tensor
/// allocation algorithm, libnnc.org), which unrolls a loop until its
/// allocations repeat. Here the number of slots follows from a longest path.
/// The age of an instance is the number of times that the allocation has been
/// reached since the instance was allocated, at most once for each iteration of
/// the innermost loop around it. The nodes of the graph are values; an edge
/// leads from a value to one that it is forwarded to, with weight 1 if the
/// allocation is reached between the two:
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
/// weight may keep an instance for any number of iterations:
///
/// ```
///     %next = arith.select %better, %a, %p
///     scf.yield %next
/// ```
///
/// Then there is no bound, and the buffer is left alone.
///
/// Loops are `scf.for`, `scf.while` and `affine.for`. If several loops carry
/// the buffer, they must be nested directly, and the iterations of the
/// innermost one are counted across all of them.
///
/// In workgroup memory, an instance is in use until all threads are done with
/// it: a barrier must come before the first access of the instance that has its
/// slot next. The barriers that count are those in the body of the innermost
/// loop itself, which all threads execute in each iteration. With one more slot
/// a whole iteration lies between the two, and any barrier is enough.
///
/// Deallocations do not count as accesses. If a deallocation may also free
/// other buffers, these are included (as buffers with one instance) if one slot
/// is enough for each and only the deallocation keeps them from being merged;
/// otherwise all of them are left alone. The ownership flags of MLIR's
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

  /// Return all carried buffers, and those that are included with them, in the
  /// order of `BufferLifetimes::getBuffers()`.
  llvm::ArrayRef<CarriedBuffer> getBuffers() const { return buffers; }

private:
  llvm::SmallVector<CarriedBuffer, 0> buffers;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_CARRIEDINSTANCES_H
