//===- Producer.h - The operation that makes a buffer -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_PRODUCER_H
#define BUFFER_MERGE_LIB_REPORT_PRODUCER_H

#include "buffer-merge/Analysis/BufferLifetimes.h"

#include <string>

namespace buffer_merge {
/// Return the operation that computes what is in the buffer: the first one in
/// the block of the first access that writes the buffer and reads another one,
/// so that `linalg.matmul` comes before the `linalg.fill` of its result.
/// Without one it is the first access.
mlir::Operation *findProducer(const BufferLifetime &buffer);

/// Return the name of `op`; that of a `linalg.generic`, which says nothing,
/// with the operations in its body: `linalg.generic[arith.addf]`.
std::string describeOperation(mlir::Operation *op);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_PRODUCER_H
