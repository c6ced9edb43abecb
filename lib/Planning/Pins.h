//===- Pins.h - Where the program wants a buffer ----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of a `memref.alloc` that decide about its place. They are never
// obeyed against the analysis: what cannot be is one error, and nothing is
// changed.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_PINS_H
#define BUFFER_MERGE_LIB_PLANNING_PINS_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// A string: the region of the target that the buffer is in, one of its memory
/// space. (Of what makes a pool, the attribute of this name is a dictionary.)
inline constexpr llvm::StringLiteral pinnedRegionAttrName(poolRegionAttrName);

/// An integer, 0 or more: the byte of the region that the buffer begins at, or
/// of the pool if its memory space has no regions.
inline constexpr llvm::StringLiteral
    pinnedOffsetAttrName("buffer_merge.offset");

/// An integer, 0 or more: the address that the buffer begins at, in a region of
/// its memory space that has an address. Of a view that a buffer has become,
/// the address that it has.
inline constexpr llvm::StringLiteral
    bufferAddressAttrName("buffer_merge.address");

/// A string: what other buffers of the function call this one.
inline constexpr llvm::StringLiteral bufferNameAttrName("buffer_merge.name");

/// The name of another buffer, or an array of names: this one shares no byte
/// with it.
inline constexpr llvm::StringLiteral apartAttrName("buffer_merge.apart");

/// The name of another buffer: this one begins at the same byte. The two must
/// not be alive at the same time, except in place.
inline constexpr llvm::StringLiteral togetherAttrName("buffer_merge.together");

/// Return true if `alloc`, which may be null, has one of these attributes. It
/// stays one buffer: it is not split, not united with others, and never in an
/// argument.
bool hasPin(mlir::Operation *alloc);

/// Return true if `alloc`, which may be null, asks for a byte or an address to
/// begin at.
bool hasPinnedOffset(mlir::Operation *alloc);

/// Remove what has been carried out from `op`, which `alloc` has become: all of
/// these attributes but its name.
void removePins(mlir::Operation *op);

/// Take the pins of all buffers of `plan`, whose pools are neither prepared nor
/// divided among regions yet, into the problems of the pools. Add one error
/// and fail if one is malformed, names what does not exist, or contradicts what
/// the analysis has found. Do nothing with `PoolStorage::Slots`.
llvm::LogicalResult takePins(const BufferLifetimes &lifetimes,
                             const MergePlanOptions &options, MergePlan &plan,
                             PlanMessages &messages);

/// A place in a region that a buffer is pinned to.
struct PinnedPlace {
  /// One of `MergePlanOptions::regions`; null for any.
  const TargetRegion *region = nullptr;
  /// The byte of the region that the buffer begins at.
  std::optional<int64_t> offset;
};

/// Return where `buffer`, whose pins `takePins` has accepted and whose memory
/// space has regions, must be.
PinnedPlace getPinnedPlace(const BufferLifetime &buffer,
                           const MergePlanOptions &options);

/// Add one error and fail if fixed offsets of `problem`, whose buffers are the
/// first ones of `buffers`, are misaligned or exclude each other.
llvm::LogicalResult
checkPinnedOffsets(llvm::ArrayRef<const BufferLifetime *> buffers,
                   const SchedulingProblem &problem, PlanMessages &messages);

/// Add one error and fail unless all pins are obeyed by `plan`, which is
/// final. A pool that exceeds its capacity has an error of its own. Succeed
/// with `PoolStorage::Slots`.
llvm::LogicalResult checkPins(const BufferLifetimes &lifetimes,
                              const MergePlanOptions &options, MergePlan &plan,
                              PlanMessages &messages);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_PINS_H
