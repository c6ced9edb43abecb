//===- CloneDeallocs.h - Deallocations of clones ----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_CLONEDEALLOCS_H
#define BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_CLONEDEALLOCS_H

#include "buffer-merge/Analysis/BufferUses.h"

namespace buffer_merge {
/// Return true if `dealloc`, an operand of a deallocation that may free a clone
/// of a buffer of `scope`, may free the buffer after other passes have inlined
/// regions and calls, and have replaced the clone by its source.
///
/// `canonicalize` removes one of two deallocations then: that of the clone if
/// it is in the block of the clone, otherwise that of the source, which for a
/// merged buffer is that of the pool.
bool mayFreeSourceOfClone(mlir::OpOperand &dealloc, mlir::Region *scope,
                          const BufferAliases &aliases);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_CLONEDEALLOCS_H
