//===- SplitBuffers.h - One allocation for each value -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_SPLITBUFFERS_H
#define BUFFER_MERGE_TRANSFORMS_SPLITBUFFERS_H

#include "buffer-merge/Analysis/BufferLifetimesOptions.h"

namespace buffer_merge {
/// The options of splitting.
struct SplitBuffersOptions {
  /// What a call may do with a buffer that is passed to it.
  CallPolicy calls = CallPolicy::KeepNothing;
  /// Which memory the threads of a workgroup share.
  WorkgroupOptions workgroup;
  /// Split allocations of dynamic shape as well.
  bool dynamicShapes = false;
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
/// if it is in device code or in workgroup memory, where other threads may
/// still read the earlier value; if its shape is dynamic, unless the options
/// ask for it; or if one of its uses is not understood.
SplitBuffersResult splitBuffers(mlir::Operation *root,
                                const SplitBuffersOptions &options = {});
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_SPLITBUFFERS_H
