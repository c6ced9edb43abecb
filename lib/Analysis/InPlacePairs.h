//===- Buffers that may be in place of each other ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_INPLACEPAIRS_H
#define BUFFER_MERGE_LIB_ANALYSIS_INPLACEPAIRS_H

#include "Analysis/FunctionContext.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"

namespace buffer_merge {
/// Return which of `buffers` may be in place of each other: mergeable or
/// shareable ones of one scope and memory space that die and begin in one
/// operation, of which `options.getInPlaceCondition` says that it works in
/// place.
///
/// `buffers` are all those of one function and their values (others are
/// skipped); `context` is of that function. The order of the result is as
/// `BufferLifetimes::getInPlaceBuffers` has it. An operation with more than 64
/// operands is not looked at.
llvm::SmallVector<InPlaceBuffers>
findInPlacePairs(llvm::ArrayRef<const BufferLifetime *> buffers,
                 const FunctionContext &context,
                 const BufferLifetimesOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_INPLACEPAIRS_H
