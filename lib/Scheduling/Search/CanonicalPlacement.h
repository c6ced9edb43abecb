//===- CanonicalPlacement.h - Buffers pushed down ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_CANONICALPLACEMENT_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_CANONICALPLACEMENT_H

#include "PackingInstance.h"

namespace buffer_merge {
/// Place the buffers of `instance`, which has no fixed offsets, in canonical
/// order: always the one with the lowest floor next, the first in `order` of
/// several. Return the offsets in units. About O(n log^2 n) for n buffers.
llvm::SmallVector<int64_t, 0> placeCanonically(const PackingInstance &instance,
                                               llvm::ArrayRef<unsigned> order);

/// Return `offsets`, a valid schedule in bytes of `instance`, with all buffers
/// pushed down as far as they go without changing the order of any two that
/// must not share bytes, in units.
llvm::SmallVector<int64_t, 0> pushDown(const PackingInstance &instance,
                                       llvm::ArrayRef<int64_t> offsets);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_CANONICALPLACEMENT_H
