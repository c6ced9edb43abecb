//===- RuntimePool.h - Pools of run-time size -------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool of which sizes and offsets are computed when the program runs, in
// front of its first buffer (R9 run-time pools).
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_PLANNING_RUNTIMEPOOL_H
#define BUFFER_MERGE_PLANNING_RUNTIMEPOOL_H

#include "buffer-merge/Analysis/BufferLifetimes.h"

namespace buffer_merge {
/// A number of bytes as a sum over the variables of a pool: the element 0 is a
/// constant, the element i + 1 the coefficient of variable i. All are 0 or
/// more, and what is missing at the end is 0.
using LinearBytes = llvm::SmallVector<int64_t, 4>;

/// Return `a` plus `b`.
LinearBytes getSum(const LinearBytes &a, const LinearBytes &b);

/// Return the value of `bytes` where the variables are `values`, saturated.
int64_t evaluate(const LinearBytes &bytes, llvm::ArrayRef<int64_t> values);

/// Return the largest of `all` where the variables are `values`, saturated; 0
/// if there are none.
int64_t evaluateLargest(llvm::ArrayRef<LinearBytes> all,
                        llvm::ArrayRef<int64_t> values);

/// Return true if `a` is at most `b` whatever the variables are: no coefficient
/// is larger.
bool isAtMost(const LinearBytes &a, const LinearBytes &b);

/// A number that is known when the program runs, 0 or more.
struct SizeVariable {
  /// It is the product of these values, of type index.
  llvm::SmallVector<mlir::Value, 2> factors;
  /// Or it is this number, in terms of earlier variables, rounded up to a
  /// multiple of the alignment of the pool; empty if it is not.
  LinearBytes rounded;
  /// It is of no known size, and only proofs mention it.
  bool isUnknown = false;
};

/// Where the buffers of a pool are: an order of all that are alive together.
/// Each is above those that it meets in time and that come before it.
struct PoolOrder {
  /// By buffer, its offset in bytes: the largest of these. There is one or
  /// more, and none of them is always at most another one.
  llvm::SmallVector<llvm::SmallVector<LinearBytes, 1>, 0> offsets;
  /// The bytes of the pool: the largest of these.
  llvm::SmallVector<LinearBytes, 2> sizes;
};

/// Buffers of one block, some of which are of run-time size, in one pool.
///
/// ```
///   %a = memref.alloc(%n) : memref<?xf32>      // dead before %c is alive
///   %b = memref.alloc(%m) : memref<?xf32>
///   %c = memref.alloc(%k) : memref<?xf32>
/// ```
///
/// becomes, rounded up to the alignment,
///
/// ```
///   %size = max(4 * %n + 4 * %m, 4 * %k + 4 * %m)
///   %pool = memref.alloc(%size) : memref<?xi8>
///   %b = memref.view %pool[0][%m]
///   %a = memref.view %pool[4 * %m][%n]
///   %c = memref.view %pool[4 * %m][%k]
/// ```
struct RuntimePool {
  /// It is a part of the arena of its function, behind what is of static size
  /// there: its variables are computed from the sizes of the arguments.
  bool isInArena = false;
  /// It is in the dynamic workgroup memory of its kernel, behind `staticBytes`
  /// of it.
  bool isInKernel = false;
  int64_t staticBytes = 0;
  /// All launches of that kernel, which compute the size from their operands.
  llvm::SmallVector<mlir::Operation *, 1> launches;
  /// What the pool is allocated in front of, and freed behind; `last` is null
  /// if it is not freed.
  mlir::Operation *first = nullptr;
  mlir::Operation *last = nullptr;
  /// The ticks at which it is held: of a pool that is not freed, as long as the
  /// limit of the peak says.
  TickRange held = {0, 0};
  mlir::Attribute memorySpace;
  /// Of the pool and of all offsets, in bytes: a power of two.
  int64_t alignment = 1;
  /// In the order of execution, whole allocations.
  llvm::SmallVector<const BufferLifetime *, 0> buffers;
  /// By buffer, when it is in use; empty if that is when its lifetime says.
  llvm::SmallVector<TickRange, 0> ticks;
  /// By buffer, its bytes, a multiple of the alignment.
  llvm::SmallVector<LinearBytes, 0> bytes;
  /// By buffer, the number of the one that it is in place of, if any: it begins
  /// in the operation that the other one ends in, and has the same bytes and
  /// offsets. What is missing at the end is in place of none.
  llvm::SmallVector<std::optional<size_t>, 0> inPlaceOf;
  llvm::SmallVector<SizeVariable, 0> variables;
  /// One or more. The smallest pool is chosen when the program runs.
  llvm::SmallVector<PoolOrder, 1> orders;
  /// What is alive at one tick: the largest of these. No pool is smaller.
  llvm::SmallVector<LinearBytes, 2> alive;
  /// The most bytes that it may have, which the program checks: what the
  /// capacity of its memory space leaves beside what is of static size; nothing
  /// if there is no limit.
  std::optional<int64_t> mostBytes = std::nullopt;
  /// For whatever sizes, the heap holds no more than without the pool (R7
  /// peak).
  bool isPeakProved = false;
};

/// The buffers of a pool that are in place of each other, as one.
struct PoolUnit {
  /// From the first of the ticks of its buffers to the last one.
  TickRange ticks;
  LinearBytes bytes;
};

/// What takes bytes of a pool.
struct PoolUnits {
  llvm::SmallVector<PoolUnit, 0> units;
  /// By buffer of the pool, the number of its unit.
  llvm::SmallVector<size_t, 0> unitOf;
};

/// Return the units of `pool`, in the order of the first buffers of each.
PoolUnits collectUnits(const RuntimePool &pool);

/// Return true if no two buffers of `pool` share bytes while both are alive,
/// unless one is in place of the other, and all are inside of it and aligned,
/// for whatever values of the variables and in each of its orders. Does not
/// rest on how orders are found.
bool verifyRuntimePool(const RuntimePool &pool);

/// Return the bytes of `pool` where all that is known at run time is 0.
int64_t getLeastBytes(const RuntimePool &pool);

/// Return the largest of `all`, numbers of bytes of `pool`, in words, such as
/// `max(64 * dim(arg0, 1), 128 * arg2 + 256)`. A value that is neither an
/// argument nor a dimension of one is `v` with a number.
std::string describeBytes(const RuntimePool &pool,
                          llvm::ArrayRef<LinearBytes> all);

/// Return the bytes of `pool` in words: of several orders, the least.
std::string describeBytes(const RuntimePool &pool);
} // namespace buffer_merge

#endif // BUFFER_MERGE_PLANNING_RUNTIMEPOOL_H
