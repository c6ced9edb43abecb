//===- Bytes of a memref ----------------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_BUFFERSIZE_H
#define BUFFER_MERGE_LIB_ANALYSIS_BUFFERSIZE_H

#include "buffer-merge/Analysis/UnmergeableReason.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include <variant>

namespace buffer_merge {
/// The size and alignment of a memref in bytes.
struct BufferSize {
  /// Number of bytes, the padding between elements included; 0 or more.
  int64_t bytes;
  /// The alignment that the element type needs, a power of two.
  int64_t alignment;
};

/// Return how many bytes a `memref.alloc` of `type` allocates, according to
/// `layout`: elements at a distance of their size rounded up to their
/// alignment, as the lowering to LLVM places them. Or return why the size is
/// not known: `DynamicShape`, `Layout`, `ElementType` or `SizeOverflow`.
///
/// ```
///   memref<3x5xf32>            60 bytes, alignment 4
///   memref<7xi1>                7 bytes, alignment 1
///   memref<2xvector<3xf32>>    32 bytes, alignment 16
/// ```
std::variant<BufferSize, UnmergeableReason>
computeBufferSize(mlir::MemRefType type, const mlir::DataLayout &layout);

/// Return true if `type` is known to have the layout that is not written out. A
/// strided one may be the same, but MLIR would build an affine map of each to
/// tell.
bool hasDefaultLayout(mlir::MemRefType type);

/// Return the distance of the elements of `type` in bytes, or nothing if it is
/// not known.
std::optional<int64_t> getElementBytes(mlir::MemRefType type,
                                       const mlir::DataLayout &layout);

/// Return the alignment in bytes, a power of two, of the address of a load or a
/// store of one value of `type`, as the lowering to LLVM emits it. At most 16
/// for types that `layout` does not know.
///
/// ```
///   f32                  4
///   vector<4xf32>       16
///   vector<8x4xf32>     16: an array of 8 vectors
/// ```
int64_t getNaturalAlignment(mlir::Type type, const mlir::DataLayout &layout);

/// Return true if a vector of `element` takes less in memory than a memref of
/// as many of them: its elements lie bit by bit, without what
/// `computeBufferSize` pads each of them to.
///
/// ```
///   i1, i4       8 or 2 in a byte
///   i24, f80     3 or 10 bytes, and not 4 or 16
/// ```
bool isPackedInVectors(mlir::Type element, const mlir::DataLayout &layout);

/// Return true if elements of `type` lie one after the other in row-major order
/// from offset 0, however the type expresses that: no layout, an identity map,
/// or equivalent strides.
bool isRowMajor(mlir::MemRefType type);

/// Return the maximum size of a pool in bytes: the limit of schedules or the
/// maximum of `index` in `layout`, whichever is smaller. After lowering,
/// offsets and sizes in bytes are signed numbers with the width of `index`; 32
/// bits give 2147483647.
int64_t getMaxPoolBytes(const mlir::DataLayout &layout,
                        mlir::MLIRContext *context);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_BUFFERSIZE_H
