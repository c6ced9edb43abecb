//===- Pipelines with merging -----------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_PIPELINES_H
#define BUFFER_MERGE_TRANSFORMS_PIPELINES_H

#include "buffer-merge/Transforms/Passes.h"

namespace buffer_merge {
/// The options of `buildBufferMergePipeline`.
struct BufferMergePipelineOptions {
  /// Let callers pass the buffers that a private function returns, so that they
  /// can be merged there (`buffer-results-to-out-params`).
  bool outParams = true;
  /// Give operations a `tensor.empty` of their own before bufferization
  /// (`unshare-empty-tensors`).
  bool unshareEmpty = true;
  /// Let operations read the source of a transposed, broadcast or converted
  /// copy
  /// (`propagate-copies`).
  bool propagate = true;
  /// Compute buffers inside of those that they are copied into
  /// (`emplace-buffers`).
  bool emplace = false;
  /// Do so in parts that are not contiguous, too, whatever `emplace` is.
  bool emplaceStrided = false;
  /// Give the buffers of parallel loops of at most this many iterations slots
  /// in front of the loop (`hoist-parallel-pools`); 0 for no loop.
  int64_t parallelSlots = 0;
  /// Insert deallocations, as early as may be, before merging: a pool is then
  /// freed, and never needs more than what it replaces. Without it nothing is
  /// freed, unless a later pass does so.
  bool deallocate = true;
  /// The options of `buffer-merge`.
  BufferMergePassOptions merge;
};

/// Add the passes that convert a module from `linalg` on tensors to buffers
/// with one pool for each scope, to a pass manager on modules:
///
/// ```
///   unshare-empty-tensors                   if `unshareEmpty`
///   eliminate-empty-tensors
///   one-shot-bufferize      function boundaries, identity layouts
///   buffer-results-to-out-params            if `outParams`
///   canonicalize, cse
///   refill-copies
///   propagate-copies                        if `propagate`
///   emplace-buffers                         if `emplace`, with `strided` if
///                                           `emplaceStrided`
///   hoist-parallel-pools                    if `parallelSlots`, as `max-slots`
///   buffer-deallocation-pipeline            if `deallocate`
///   optimize-allocation-liveness            if `deallocate`
///   buffer-merge
///   canonicalize, cse
/// ```
void buildBufferMergePipeline(mlir::OpPassManager &pm,
                              const BufferMergePipelineOptions &options = {});

/// Register the above as `buffer-merge-pipeline`, with the options
/// `out-params`, `unshare-empty`, `propagate`, `emplace`, `emplace-strided`,
/// `parallel-slots`, `deallocate` and `merge`; the last one has the options of
/// `buffer-merge`, in their textual form.
///
/// ```
///   buffer-merge-pipeline{out-params=false merge={scheduler=best-fit}}
/// ```
void registerBufferMergePipelines();
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_PIPELINES_H
