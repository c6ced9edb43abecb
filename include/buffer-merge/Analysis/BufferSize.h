//===- Bytes of a memref ----------------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_BUFFERSIZE_H
#define BUFFER_MERGE_ANALYSIS_BUFFERSIZE_H

#include "buffer-merge/Analysis/UnmergeableReason.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include <variant>

namespace buffer_merge {
/// The bytes that a memref takes and where they may start.
struct BufferSize {
  /// Number of bytes, the padding between elements included; 0 or more.
  int64_t bytes;
  /// The alignment that the element type needs, a power of two.
  int64_t alignment;
};

/// Return how many bytes a `memref.alloc` of `type` allocates, according to
/// `layout`: elements at a distance of their size rounded up to their
/// alignment, as the lowering to LLVM places them. Or return why that is not
/// known: `DynamicShape`, `Layout`, `ElementType` or `SizeOverflow`.
///
/// ```
///   memref<3x5xf32>            60 bytes, alignment 4
///   memref<7xi1>                7 bytes, alignment 1
///   memref<2xvector<3xf32>>    32 bytes, alignment 16
/// ```
std::variant<BufferSize, UnmergeableReason>
computeBufferSize(mlir::MemRefType type, const mlir::DataLayout &layout);

/// Return the alignment in bytes, a power of two, of the address of a load or a
/// store of one value of `type`, as the lowering to LLVM emits it. What
/// `layout` does not know needs no more than 16.
///
/// ```
///   f32                  4
///   vector<4xf32>       16
///   vector<8x4xf32>     16: an array of 8 vectors
/// ```
int64_t getNaturalAlignment(mlir::Type type, const mlir::DataLayout &layout);

/// Return true if elements of `type` lie one after the other in row-major order
/// from offset 0, whichever attribute says so: no layout, an identity map, or
/// strides that amount to the same.
bool isRowMajor(mlir::MemRefType type);

/// Return the most bytes that a pool may have: no more than schedules know, nor
/// than `index` counts in `layout`. Lowered, offsets and sizes in bytes are
/// signed numbers of that many bits; 32 bits give 2147483647.
int64_t getMaxPoolBytes(const mlir::DataLayout &layout,
                        mlir::MLIRContext *context);
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_BUFFERSIZE_H
