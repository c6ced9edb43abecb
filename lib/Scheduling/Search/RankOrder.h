//===- RankOrder.h - Static orders of buffers -------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SEARCH_RANKORDER_H
#define BUFFER_MERGE_LIB_SCHEDULING_SEARCH_RANKORDER_H

#include "PackingInstance.h"

#include <array>

namespace buffer_merge {
/// Static orders of the buffers of a component, the most urgent first. A letter
/// is a key: W the lifetime in ticks, T the largest total of a section that the
/// buffer is in, A size times lifetime, Z the size; all decreasing. Remaining
/// ties are broken by the position.
enum class RankOrder { WAT, TAW, TWA, A, Z };

/// Return the buffers of `instance` in `order`.
llvm::SmallVector<unsigned, 0> computeOrder(const PackingInstance &instance,
                                            RankOrder order);

/// Return, for each buffer, the largest total of a section that it is in.
llvm::SmallVector<int64_t, 0>
computeLargestTotals(const PackingInstance &instance);

/// Return the positions of `keys` sorted by decreasing keys, then by position.
llvm::SmallVector<unsigned, 0>
sortByKeys(llvm::ArrayRef<std::array<double, 3>> keys);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SEARCH_RANKORDER_H
