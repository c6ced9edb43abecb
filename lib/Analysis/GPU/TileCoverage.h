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
/// Proves that the contents of a buffer in workgroup memory do not outlive an
/// execution of a block, such as an iteration of the loop around it (G10
/// tiles): whatever a thread reads there, the threads have written since the
/// execution began, and a barrier has made it visible, or the thread has
/// written it itself.
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
class TileCoverage {
public:
  /// `alloc` is a buffer of static shape of a kernel that workgroups of
  /// `blockSize` (`findBlockSize`) execute, and `uses` are the uses of it and
  /// its aliases that access it. The arguments must outlive the object.
  /// `budget` is what may be computed, in numbers and operations; it is used up
  /// by and by, and then nothing is proved.
  TileCoverage(mlir::Value alloc, llvm::ArrayRef<mlir::OpOperand *> uses,
               const BlockSize &blockSize, const Uniformity &uniformity,
               const WorkgroupOptions &options, const mlir::DataLayout &layout,
               int64_t &budget);

  /// Return true if everything that is read in an execution of `block` is
  /// written in it before. All threads execute the block together, and it holds
  /// all of the accesses.
  bool isFilledBeforeUse(mlir::Block &block) const;

  /// Return true if the accesses in `block` are the same in each execution of
  /// it: their indices and all conditions around them are computed from what
  /// is outside of `outermost`, an operation around the block, and from ids.
  /// Then an element that an execution reads before it is written is one that
  /// the first execution has read without anything in it.
  bool isSameEachTime(mlir::Block &block, mlir::Operation *outermost) const;

private:
  class Execution;

  mlir::Value alloc;
  llvm::ArrayRef<mlir::OpOperand *> uses;
  BlockSize blockSize;
  const Uniformity &uniformity;
  const WorkgroupOptions &options;
  const mlir::DataLayout &layout;
  int64_t &budget;
  int64_t bytes = 0;
};

/// Return the operation in front of which the buffer that `alloc` allocates
/// could be allocated without a difference, so that its lifetime is not longer
/// than necessary (G10 tiles): in the innermost block that holds all accesses
/// and whose executions need nothing from each other, as `coverage` proves it,
/// or as `options` allow to assume. Return the allocation if there is none.
mlir::Operation *
findTileHome(mlir::Operation *alloc, llvm::ArrayRef<mlir::OpOperand *> uses,
             const TileCoverage &coverage, const Uniformity &uniformity,
             mlir::Region &kernel, const WorkgroupOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_TILECOVERAGE_H
