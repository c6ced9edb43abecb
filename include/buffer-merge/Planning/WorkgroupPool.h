//===- WorkgroupPool.h - What pools of workgroups are -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_PLANNING_WORKGROUPPOOL_H
#define BUFFER_MERGE_PLANNING_WORKGROUPPOOL_H

namespace buffer_merge {
/// Where the bytes of a pool come from.
enum class PoolKind {
  /// A `memref.alloc` at the front of the scope.
  Alloc,
  /// A workgroup attribution of the kernel, a `gpu.func`.
  Attribution,
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_PLANNING_WORKGROUPPOOL_H
