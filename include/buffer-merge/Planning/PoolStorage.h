//===- PoolStorage.h - Where a pool comes from ------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_PLANNING_POOLSTORAGE_H
#define BUFFER_MERGE_PLANNING_POOLSTORAGE_H

#include "llvm/ADT/StringRef.h"

namespace buffer_merge {
/// The storage of a pool; docs/Pools.md compares the kinds. For a pool in
/// workgroup memory it is `Alloc`, and `PoolKind` gives the kind.
enum class PoolStorage {
  /// `memref.alloc` at the front of the alloc scope.
  Alloc,
  /// `memref.alloca` at the front of the alloc scope.
  Stack,
  /// An argument of the function, given by the caller.
  Arena,
  /// A private, uninitialized `memref.global`.
  Global,
};

/// Return the documented name of `storage`, such as `alloc`.
llvm::StringRef getPoolStorageName(PoolStorage storage);
} // namespace buffer_merge

#endif // BUFFER_MERGE_PLANNING_POOLSTORAGE_H
