//===- SectionTops.h - How high each section is filled ----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SECTIONTOPS_H
#define BUFFER_MERGE_LIB_SCHEDULING_SECTIONTOPS_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace buffer_merge {
/// The top of what was placed in each section. Both functions take ranges that
/// are not empty, and O(log m) time for m sections.
class SectionTops {
public:
  explicit SectionTops(unsigned numSections);

  /// Return the highest top of the sections [begin, end).
  int64_t getHighest(unsigned begin, unsigned end) const;

  /// Raise those of the sections [begin, end) that are lower to `top`.
  void raise(unsigned begin, unsigned end, int64_t top);

private:
  /// A segment tree over the sections, which are its leaves from node `width`
  /// on; the children of node i are 2i and 2i + 1. `tops` is the largest top
  /// below a node, `marks` a top that all sections below it have reached. Tops
  /// only grow, so that marks are never pushed down.
  size_t width;
  llvm::SmallVector<int64_t, 0> tops, marks;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SECTIONTOPS_H
