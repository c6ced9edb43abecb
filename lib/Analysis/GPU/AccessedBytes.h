//===- AccessedBytes.h - The bytes that an access touches -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_ACCESSEDBYTES_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_ACCESSEDBYTES_H

#include "Analysis/GPU/ThreadValues.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace buffer_merge {
/// Return whether `use`, an access, may read and whether it may write.
std::pair<bool, bool> getReadAndWrite(mlir::OpOperand &use);

/// What one operand of one execution of an operation accesses of a buffer.
struct AccessedBytes {
  /// It may read bytes of the buffer.
  bool mayRead = false;
  /// It writes all of `runs`, in each thread that executes it.
  bool mustWrite = false;
  /// The write is that of an asynchronous copy.
  bool isCopy = false;
  /// The first byte, counted from that of the buffer. If it is not known, any
  /// byte may be read and none need be written.
  ThreadValues::Lanes first;
  /// Half-open ranges of bytes, counted from `first`: all that may be read or
  /// written. Empty: not known.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 1> runs;
  /// The memref and its indices, which are the operands of `map` if there is
  /// one. Empty if the access depends on anything else, such as a mask.
  llvm::SmallVector<mlir::Value, 3> key;
  mlir::AffineMap map;

  /// Return true if each thread accesses the same elements by both accesses, as
  /// long as the values of `key` are the same.
  bool isSameElement(const AccessedBytes &other) const {
    return !key.empty() && key == other.key && map == other.map &&
           !runs.empty() && runs == other.runs;
  }
};

/// Return what `use`, an access of the buffer that `alloc` allocates, touches
/// of it if the values are those of `values`. Understood are loads and stores
/// of `memref`, `affine` and `vector`, asynchronous copies, matrices of
/// subgroups, and whole memrefs (`findWholeOverwrite`), through subviews,
/// casts, transpositions, reshapes and views of bytes.
AccessedBytes getAccessedBytes(mlir::OpOperand &use, mlir::Value alloc,
                               ThreadValues &values,
                               const mlir::DataLayout &layout);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_ACCESSEDBYTES_H
