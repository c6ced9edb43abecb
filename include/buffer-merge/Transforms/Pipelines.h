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

#include "mlir/Pass/PassOptions.h"

namespace buffer_merge {
/// The options of `buildBufferMergePipeline`, and of `buffer-merge-pipeline` as
/// text.
struct BufferMergePipelineOptions
    : public mlir::PassPipelineOptions<BufferMergePipelineOptions> {
  Option<bool> outParams{
      *this, "out-params",
      llvm::cl::desc("Let callers pass the buffers that private functions "
                     "return (buffer-results-to-out-params)."),
      llvm::cl::init(true)};
  Option<bool> unshareEmpty{
      *this, "unshare-empty",
      llvm::cl::desc("Give operations a tensor.empty of their own before "
                     "bufferization (unshare-empty-tensors)."),
      llvm::cl::init(true)};
  Option<bool> propagate{
      *this, "propagate",
      llvm::cl::desc(
          "Let operations read the source of a transposed, broadcast "
          "or converted copy (propagate-copies)."),
      llvm::cl::init(true)};
  Option<bool> emplace{
      *this, "emplace",
      llvm::cl::desc("Compute buffers inside of those that they are copied "
                     "into (emplace-buffers)."),
      llvm::cl::init(false)};
  Option<bool> emplaceStrided{
      *this, "emplace-strided",
      llvm::cl::desc("Do so in parts that are not contiguous, too, whatever "
                     "emplace says."),
      llvm::cl::init(false)};
  Option<bool> reorder{
      *this, "reorder",
      llvm::cl::desc("Order operations such that fewer bytes are alive at once "
                     "(reorder-for-peak)."),
      llvm::cl::init(false)};
  Option<int64_t> parallelSlots{
      *this, "parallel-slots",
      llvm::cl::desc("Give the buffers of parallel loops of at most this many "
                     "iterations slots in front of the loop "
                     "(hoist-parallel-pools); 0 for no loop."),
      llvm::cl::init(0)};
  /// Before merging, as early as may be: a pool never needs more than what it
  /// replaces then. Without it nothing is freed, unless a later pass does so.
  Option<bool> deallocate{
      *this, "deallocate",
      llvm::cl::desc("Free what is allocated, the pools among it."),
      llvm::cl::init(true)};
  Option<std::string> mergeText{
      *this, "merge",
      llvm::cl::desc("Options of buffer-merge, such as {scheduler=best-fit}."),
      llvm::cl::init("")};
  /// The options of `buffer-merge`, where they are not text.
  BufferMergePassOptions merge;
};

/// Add the passes that convert a module from `linalg` on tensors to buffers
/// with one pool for each scope, to a pass manager on modules:
///
/// ```
///   unshare-empty-tensors                   if `unshareEmpty`
///   eliminate-empty-tensors
///   one-shot-bufferize      function boundaries, identity layouts, loops may
///                           yield new buffers
///   buffer-results-to-out-params            if `outParams`, where it may be
///   canonicalize, cse
///   propagate-copies                        if `propagate`
///   emplace-buffers                         if `emplace`, with `strided` if
///                                           `emplaceStrided`
///   reorder-for-peak                        if `reorder`
///   hoist-parallel-pools                    if `parallelSlots`, as `max-slots`
///   buffer-deallocation-pipeline            if `deallocate`
///   optimize-allocation-liveness            if `deallocate`, where it is right
///   buffer-merge
///   canonicalize, cse
/// ```
void buildBufferMergePipeline(mlir::OpPassManager &pm,
                              const BufferMergePipelineOptions &options = {});

/// Register the above as `buffer-merge-pipeline`, whose option `merge` has the
/// options of `buffer-merge`, in their textual form.
///
/// ```
///   buffer-merge-pipeline{out-params=false merge={scheduler=best-fit}}
/// ```
void registerBufferMergePipelines();
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_PIPELINES_H
