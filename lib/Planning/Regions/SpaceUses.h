//===- SpaceUses.h - Uses of a buffer in any memory space -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_SPACEUSES_H
#define BUFFER_MERGE_LIB_PLANNING_SPACEUSES_H

#include "buffer-merge/Analysis/BufferLifetimes.h"

namespace buffer_merge {
/// Return an operation that `buffer`, which is mergeable, cannot be in another
/// memory space for, or null if there is none: then every use takes a memref of
/// any memory space, has no memref as a result, and is host code. The
/// allocation itself stands for a layout.
mlir::Operation *findSpaceObstacle(const BufferLifetime &buffer,
                                   const BufferLifetimes &lifetimes);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_SPACEUSES_H
