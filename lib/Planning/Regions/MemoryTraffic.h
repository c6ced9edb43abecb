//===- MemoryTraffic.h - Bytes that accesses move ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_MEMORYTRAFFIC_H
#define BUFFER_MERGE_LIB_PLANNING_MEMORYTRAFFIC_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// The bytes that the accesses of a buffer move while its function is executed
/// once, each at most `maxBytes`.
struct MemoryTraffic {
  int64_t readBytes = 0, writtenBytes = 0;
};

/// Estimate what the accesses of `buffer`, which is mergeable, move. Each
/// operand counts its bytes once for each execution of its operation, as
/// written if the operation may write it: all bytes of its type or, for an
/// operation without regions that has one memref and is no call, of the largest
/// vector or scalar that it moves, such as what a load returns. Bytes of
/// dynamic shape are those of the buffer. Loops around an access multiply by
/// their number of iterations, where that is known; branches count as taken.
MemoryTraffic computeTraffic(const BufferLifetime &buffer,
                             const BufferLifetimes &lifetimes);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_MEMORYTRAFFIC_H
