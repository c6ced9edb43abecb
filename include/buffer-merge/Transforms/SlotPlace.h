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
  /// In front of what is carried: at the home of the buffer. Where that is in a
  /// loop, merging makes one pool of it.
  Loop,
  /// In front of all loops: in the alloc scope. They are alive for longer then.
  Scope,
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_SLOTPLACE_H
