//===- ValleyFit.h - Buffers placed into the lowest valley ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_VALLEYFIT_H
#define BUFFER_MERGE_LIB_SCHEDULING_VALLEYFIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace buffer_merge {
/// Buffers without conflicts and fixed offsets, each live in the sections
/// [begin, end); a list for each number.
struct SectionedBuffers {
  llvm::ArrayRef<unsigned> begins, ends;
  unsigned numSections;
  llvm::ArrayRef<int64_t> sizes, alignments;
};

/// Return true if there are few different alignments: time grows with their
/// number.
bool suitsValleys(llvm::ArrayRef<int64_t> alignments);

/// Return the offsets of the buffers, placed from bottom to top: of all that
/// are left, the one that can be put lowest goes on top of what is there; of
/// several, the one that comes first in `ranking`, which holds every index
/// once. The alignments must suit.
///
/// O(n log n) time as a rule, O(n sqrt(n)) at worst.
llvm::SmallVector<int64_t, 0> fitIntoValleys(const SectionedBuffers &buffers,
                                             llvm::ArrayRef<unsigned> ranking);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_VALLEYFIT_H
