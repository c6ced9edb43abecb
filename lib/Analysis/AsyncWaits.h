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
/// Return the first operation of the block of `op` after which everything is
/// done that `op`, a producer of a token, has started: an `async.await` or a
/// `gpu.wait` of the token, or of one that depends on it. As it is in the same
/// block, it follows on every path. Return null if no such operation is found.
///
/// ```
///   %t = gpu.launch_func async ... args(%buffer : memref<4xf32>)
///   %u = gpu.memcpy async [%t] ...
///   gpu.wait [%u]                               // found
/// ```
mlir::Operation *findWait(mlir::Operation *op);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_ASYNCWAITS_H
