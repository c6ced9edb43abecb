//===- Gain.h - What a pool saves -------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_GAIN_H
#define BUFFER_MERGE_LIB_PLANNING_GAIN_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Return the bytes that an allocation of `buffer` takes: its size, which must
/// be known, rounded up to the alignment that it asks for.
int64_t getAllocatedBytes(const BufferLifetime &buffer);

/// Return what `buffers` take without a pool: the sum of what their allocations
/// do, at most `maxBytes`.
int64_t getAllocatedBytes(llvm::ArrayRef<const BufferLifetime *> buffers);

/// Return how often `op`, a loop, executes its body, if that is known: for the
/// product of several loops in one, as in `scf.forall`, at most `maxBytes`.
std::optional<int64_t> getNumIterations(mlir::Operation *op);

/// Return how many executions of the body of `scopeOp`, an operation whose
/// region is an alloc scope, may be under way at the same time: as many as a
/// parallel loop has iterations, or as loops around a task start, but no more
/// than `maxThreads` unless that is 0. Return nothing if only that could tell:
/// the number of iterations is not known.
std::optional<int64_t> countConcurrentExecutions(mlir::Operation *scopeOp,
                                                 unsigned maxThreads);

/// Return the bytes that the pool of `plan`, which has one, takes: its size,
/// rounded up to the alignment that the allocations of its buffers ask for.
int64_t getPoolBytes(const PoolPlan &plan);

/// The same for a pool of `poolSize` bytes.
int64_t getPoolBytes(const PoolPlan &plan, int64_t poolSize);

/// Return the bytes that must be saved of `bytes` bytes to be worth it: 1 or
/// more.
int64_t getNeededGain(int64_t bytes, const MinGain &minGain);

/// Return the same for `MergePlanOptions::minGain`.
int64_t getNeededGain(int64_t bytes, const MergePlanOptions &options);

/// Return true if a pool of `poolSize` bytes for the buffers of `plan` is worth
/// having (R4 gain): it saves as much as `options.minGain` asks for, in bytes
/// or, if it takes no more of these, in allocations that are not executed. Like
/// them, it counts with its size rounded up to what the allocations ask for. In
/// workgroup memory, which nothing is held beside, and where the buffers exceed
/// their capacity, one byte is enough.
bool hasGain(const PoolPlan &plan, int64_t poolSize,
             const MergePlanOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_GAIN_H
