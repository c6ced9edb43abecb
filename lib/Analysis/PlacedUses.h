//===- PlacedUses.h - Which bytes of an allocation are used -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_PLACEDUSES_H
#define BUFFER_MERGE_LIB_ANALYSIS_PLACEDUSES_H

#include "BufferUses.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace buffer_merge {
/// The bytes `begin`, ..., `end - 1` of an allocation.
struct ByteRange {
  int64_t begin, end;

  bool overlaps(const ByteRange &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// An access to an allocation through a view.
struct PlacedUse {
  mlir::OpOperand *operand;
  /// What may be accessed; nothing if it may be all.
  std::optional<ByteRange> bytes;
};

/// Return the accesses to `alloc`, through it and its views, in an arbitrary
/// order. Return nothing if one of the aliases is not a view
/// (`isSourceOfView`), or if a use is none of these: an access that is complete
/// at the end of its operation, one that needs no bytes, and a deallocation.
std::optional<llvm::SmallVector<PlacedUse>>
collectPlacedUses(mlir::memref::AllocOp alloc, const CalleeSummaries &callees,
                  const mlir::DataLayout &layout);

/// Return what `value` is a view of, by views only, and the byte of that from
/// which the offset of the type of `value` counts; nothing if it is not known.
std::pair<mlir::Value, std::optional<int64_t>> findBase(mlir::Value value);

/// Return the allocation that `value` is a view of, by views only, and the
/// bytes that it has: nothing if these are not known, or the allocation is
/// null.
std::pair<mlir::memref::AllocOp, std::optional<ByteRange>>
findPlace(mlir::Value value, const mlir::DataLayout &layout);

/// Return the bytes that `value`, a memref, may have if its offset counts from
/// the byte `base`; nothing if they are not known.
std::optional<ByteRange> getBytes(mlir::Value value,
                                  std::optional<int64_t> base,
                                  const mlir::DataLayout &layout);

/// Return true if the elements of `type` lie one after the other in row-major
/// order, from wherever its first one is. Its sizes and strides are static.
bool isContiguous(mlir::MemRefType type);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_PLACEDUSES_H
