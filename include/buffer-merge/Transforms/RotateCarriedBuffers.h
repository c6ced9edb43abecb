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
#include "buffer-merge/Transforms/SlotPlace.h"
#include "mlir/IR/PatternMatch.h"

namespace buffer_merge {
/// What rotation does and how.
struct RotateCarriedBuffersOptions {
  /// What is mergeable, and so what is carried.
  BufferLifetimesOptions lifetimes;
  /// How many slots a buffer may have. `calls` should be that of `lifetimes`.
  CarriedInstancesOptions instances;
  /// Where slots are allocated.
  SlotPlace slots = SlotPlace::Loop;
};

/// What rotation has done.
struct RotateCarriedBuffersResult {
  /// Carried allocations that slots replace, and those left alone.
  int64_t numRotated = 0;
  int64_t numLeft = 0;
  /// Slots allocated.
  int64_t numSlots = 0;
};

/// Give every buffer of `instances` without an obstacle its slots:
/// `numInstances` copies of its allocation, in front of the operation in its
/// home, or its scope, that it is in (at the front if that region has several
/// blocks). The allocation becomes an `arith.select` of the slots by a number
/// that the loops carry: that of the iteration modulo the number of slots.
/// Buffers of the same loops and as many slots share it. No data is copied.
///
/// Deallocations of instances vanish, and their slots are freed at every exit
/// of the region that they are allocated in; those of which there were none are
/// not freed. Decides nothing. `instances` is stale afterwards.
RotateCarriedBuffersResult applyRotation(mlir::RewriterBase &rewriter,
                                         const CarriedInstances &instances,
                                         SlotPlace place);

/// Find the loop-carried buffers inside `root`, give slots to those for which a
/// number of slots is proved to be enough, and say by remarks what becomes of
/// each. Running it twice is running it once.
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
