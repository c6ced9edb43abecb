//===- WorkgroupPool.h - What pools of workgroups are -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_PLANNING_WORKGROUPPOOL_H
#define BUFFER_MERGE_PLANNING_WORKGROUPPOOL_H

#include <cstdint>

namespace buffer_merge {
/// The alignment of dynamic workgroup memory in bytes. It is that of the stock
/// lowering to NVVM.
inline constexpr int64_t dynamicMemoryAlignment = 16;

/// What a pool in workgroup memory is. (`PoolStorage` is for all other pools.)
enum class PoolKind {
  /// A `memref.alloc` at the front of the scope.
  Alloc,
  /// A workgroup attribution of the kernel, a `gpu.func`.
  Attribution,
  /// Dynamic memory, whose size every launch specifies.
  Dynamic,
};

/// Which barriers pools in workgroup memory may rely on.
enum class BarrierPolicy {
  /// Existing barriers.
  Existing,
  /// New barriers as well if that makes the pool smaller, but none in a loop.
  InsertOutsideLoops,
  /// The same, also in loops that all threads execute together.
  Insert,
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_PLANNING_WORKGROUPPOOL_H
