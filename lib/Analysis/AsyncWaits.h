//===- Waits for asynchronous operations ------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_ASYNCWAITS_H
#define BUFFER_MERGE_LIB_ANALYSIS_ASYNCWAITS_H

#include "mlir/IR/Operation.h"

namespace buffer_merge {
/// Return the first operation after `ancestor`, in its block, after which all
/// work that `op` has started is complete, or null if none is found. `ancestor`
/// is `op` or an operation around it. What is found follows on every path,
/// because whatever leads from `op` to it is in the block of `op` or in that of
/// `ancestor`.
///
/// These are found: `async.await` of the token of an `async.execute`,
/// `async.await_all` of a group that the token was added to, a `gpu.wait` that
/// blocks, an `nvgpu.device_async_wait` for all groups, each for the operation
/// itself or for one that depends on it; and `memref.dma_wait` or
/// `affine.dma_wait` with the tag of the `dma_start` of the same dialect, if
/// nothing else uses the tag; and what is promised to be a wait
/// (`untilAttrName`).
///
/// ```
///   %t = gpu.launch_func async ... args(%buffer : memref<4xf32>)
///   %u = gpu.memcpy async [%t] ...
///   gpu.wait [%u]                               // found
/// ```
///
/// A wait for `op` waits for its own work, not for work that its regions have
/// started without waiting for it.
mlir::Operation *findWait(mlir::Operation *op, mlir::Operation *ancestor);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_ASYNCWAITS_H
