//===- SlotPlace.h - Where slots are allocated ------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_SLOTPLACE_H
#define BUFFER_MERGE_TRANSFORMS_SLOTPLACE_H

namespace buffer_merge {
/// Where slots are allocated.
enum class SlotPlace {
  /// In front of the loops that carry the buffer, at the home of the buffer. If
  /// that is in another loop, merging hoists the slots with the pool.
  Loop,
  /// In front of all loops, in the alloc scope. The slots are then alive
  /// longer.
  Scope,
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_SLOTPLACE_H
