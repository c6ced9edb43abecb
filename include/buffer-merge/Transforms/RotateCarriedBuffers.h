//===- Slots for loop-carried buffers ---------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_ROTATECARRIEDBUFFERS_H
#define BUFFER_MERGE_TRANSFORMS_ROTATECARRIEDBUFFERS_H

#include "buffer-merge/Analysis/CarriedInstances.h"
#include "mlir/IR/PatternMatch.h"

namespace buffer_merge {
/// Where slots are allocated.
enum class SlotPlace {
  /// In front of the loops that carry the buffer, at the home of the buffer. If
  /// that is in another loop, merging hoists the slots with the pool.
  Loop,
  /// In front of all loops, in the alloc scope. The slots are then alive
  /// longer. Those that nothing frees stay in the branches that they are in.
  Scope,
};

/// The options of rotation.
struct RotateCarriedBuffersOptions {
  /// The options of the analysis, which finds the carried buffers.
  BufferLifetimesOptions lifetimes;
  /// How many slots a buffer may have.
  CarriedInstancesOptions instances;
  /// Where slots are allocated.
  SlotPlace slots = SlotPlace::Loop;
};

/// The result of rotation.
struct RotateCarriedBuffersResult {
  /// Carried allocations that slots replace, and those left alone.
  int64_t numRotated = 0;
  int64_t numLeft = 0;
  /// Slots allocated.
  int64_t numSlots = 0;
};

/// Replace every buffer of `instances` without an obstacle by slots:
/// `numInstances` copies of its allocation, in its home or its scope (`place`),
/// in front of the operation there that contains the buffer (at the front if
/// that region has several blocks). The allocation becomes an `arith.select` of
/// the slots by a number that the loops carry: the number of the iteration
/// modulo the number of slots. Buffers of the same loops with the same number
/// of slots share it. No data is copied.
///
/// Deallocations of instances are erased, and their slots are freed at every
/// exit of the region that they are allocated in. Slots of buffers without a
/// deallocation are not freed. Makes no decisions. `instances` is invalid
/// afterwards.
RotateCarriedBuffersResult applyRotation(mlir::RewriterBase &rewriter,
                                         const CarriedInstances &instances,
                                         SlotPlace place);

/// Find the loop-carried buffers inside `root`, replace those by slots for
/// which a number of slots is proved to be enough, and emit remarks for all. A
/// second run changes nothing.
///
/// ```
///   RotateCarriedBuffersOptions options;
///   options.instances.maxInstances = 2;
///   rotateCarriedBuffers(module, options);
/// ```
RotateCarriedBuffersResult
rotateCarriedBuffers(mlir::Operation *root,
                     const RotateCarriedBuffersOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_ROTATECARRIEDBUFFERS_H
