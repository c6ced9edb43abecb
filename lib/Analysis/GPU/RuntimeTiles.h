//===- RuntimeTiles.h - Tiles of run-time size ------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_RUNTIMETILES_H
#define BUFFER_MERGE_LIB_ANALYSIS_RUNTIMETILES_H

#include "Analysis/FunctionContext.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace buffer_merge {
/// A size that each launch of a kernel gives besides its arguments.
struct LaunchSize {
  /// The number of blocks, and not that of threads in a block.
  bool isOfGrid;
  mlir::gpu::Dimension dimension;
};

/// Return which of them `value` is: the result of `gpu.block_dim` or
/// `gpu.grid_dim`; nothing if it is none.
std::optional<LaunchSize> findLaunchSize(mlir::Value value);

/// How a kernel uses a tile.
struct TileUse {
  /// From the first operation of the kernel with an access to the first barrier
  /// behind the last one: a barrier is between any two tiles of which these
  /// ticks do not meet.
  TickRange ticks;
  /// In bytes, what accesses need.
  int64_t alignment = 1;
};

/// Return how `alloc`, in workgroup memory, is used. Nothing if it is not in
/// the one block of a kernel, if it is never accessed, or if there may be other
/// accesses than those of `memref`, `vector`, `affine` and `linalg` operations,
/// which are done when the operation is.
std::optional<TileUse> findTileUse(mlir::memref::AllocOp alloc,
                                   const FunctionContext &context,
                                   const WorkgroupOptions &workgroup);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_RUNTIMETILES_H
