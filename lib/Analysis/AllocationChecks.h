//===- What an allocation is by itself --------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_ALLOCATIONCHECKS_H
#define BUFFER_MERGE_LIB_ANALYSIS_ALLOCATIONCHECKS_H

#include "Analysis/DynamicSize.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"

namespace buffer_merge {
/// Return why the allocation of `buffer` by itself, apart from its size, cannot
/// be merged (`MemorySpace`, `ManualDeallocation`), or nothing.
std::optional<UnmergeableReason>
checkKind(const BufferLifetime &buffer, const BufferLifetimesOptions &options);

/// Check the allocation of `buffer`, of which `isInDeviceCode` is known,
/// without regard to its scope and its uses. Fills in what follows from its
/// type and its attributes: `size`, `alignment` and `isWorkgroup`. Return the
/// reason why it stays, if there is one.
std::optional<UnmergeableReason>
checkAllocation(BufferLifetime &buffer, const mlir::DataLayout &layout,
                DynamicSizes &dynamicSizes,
                const BufferLifetimesOptions &options);

/// Return an operation that a size of `alloc` depends on, directly or not, and
/// that cannot be executed earlier than it is, such as a load or a call; null
/// if there is none, or only far away.
mlir::Operation *findSizeOperation(mlir::memref::AllocOp alloc);

/// Return `op` if it is an operation other than `memref.alloc` that allocates a
/// memref.
std::optional<OtherAllocation> findOtherAllocation(mlir::Operation *op);

/// Raise the alignment of `buffer` to what its allocation asks for.
void addRequestedAlignment(BufferLifetime &buffer);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_ALLOCATIONCHECKS_H
