//===- TileCoverage.h - Tiles that are filled before use --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_TILECOVERAGE_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_TILECOVERAGE_H

#include "Analysis/GPU/ThreadValues.h"
#include "Analysis/GPU/Uniformity.h"
#include "buffer-merge/Analysis/BufferLifetimesOptions.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace buffer_merge {
/// A buffer of static shape in workgroup memory that may be a tile.
struct Tile {
  mlir::Value alloc;
  /// The uses of it and its aliases that access it.
  llvm::ArrayRef<mlir::OpOperand *> uses;
  /// The kernel that it belongs to, the size of the workgroups that execute
  /// that (`findBlockSize`), and what their threads agree on.
  mlir::Region &kernel;
  BlockSize blockSize;
  const Uniformity &uniformity;
  const WorkgroupOptions &options;
  const mlir::DataLayout &layout;
  /// What may be computed, in numbers and operations. It is used up by and by,
  /// and then nothing is proved.
  int64_t &budget;
};

/// Return true if the contents of `tile` do not outlive an execution of
/// `block`, such as an iteration of the loop around it (G10 tiles): whatever a
/// thread reads there, the threads have written since the execution began, and
/// a barrier has made it visible, or the thread has written it itself. All
/// threads execute the block together, and it holds all of the accesses.
///
/// Accesses are executed for all threads of the workgroup, with numbers for
/// their indices as far as these follow from the ids of threads and from loops
/// with known bounds, and a bit for each byte of the buffer. Branches whose
/// condition is not known and loops whose bounds are not known leave behind
/// only what is written on every path. Where the size of the workgroup is not
/// known, writes are those of the threads whose id is 0 in that dimension.
///
/// ```
///   for %k {                       a workgroup of 32 x 32 threads
///     store %a[%ty, %tx]           writes [0, 32) x [0, 32)
///     barrier
///     load %a[%tx, %ty]            reads [0, 32) x [0, 32): covered
///   }
/// ```
bool isFilledBeforeUse(const Tile &tile, mlir::Block &block);

/// Return the operation in front of which `tile` could be allocated without a
/// difference, so that its lifetime is not longer than necessary (G10 tiles):
/// in the innermost block that holds all accesses and whose executions need
/// nothing from each other, as `isFilledBeforeUse` proves it, or as the options
/// allow to assume. Return null if there is none.
mlir::Operation *findTileHome(const Tile &tile);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_TILECOVERAGE_H
