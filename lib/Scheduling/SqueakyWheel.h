//===- SqueakyWheel.h - Better orders from bottom to top --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_SQUEAKYWHEEL_H
#define BUFFER_MERGE_LIB_SCHEDULING_SQUEAKYWHEEL_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace buffer_merge {
/// A sequence of orders for the same buffers, each made from what became of the
/// one before: buffers that ended too high come earlier the next time. Squeaky
/// wheel optimization (D. E. Joslin and D. P. Clements, JAIR 1999); the orders
/// are those of placements from bottom to top (CanonicalFit.h).
class SqueakyWheel {
public:
  /// Begin with `order`, which holds the index of every buffer once. Heights
  /// below `target` are not worth looking for. The problem must outlive the
  /// object.
  SqueakyWheel(const SchedulingProblem &problem,
               llvm::SmallVector<unsigned, 0> order, int64_t target);

  /// The order to be tried next.
  llvm::ArrayRef<unsigned> getOrder() const { return order; }

  /// Make the next order, now that the present one has led to `offsets`.
  /// O(n + k log k) time for k of n buffers that are too high.
  void advance(llvm::ArrayRef<int64_t> offsets);

private:
  const SchedulingProblem &problem;
  llvm::SmallVector<unsigned, 0> order;
  int64_t target;
  int64_t smallest;
  uint64_t random = 0;
  /// The buffers that move, the others, and all, with what they are ordered by:
  /// for `advance` alone, which would allocate them each time.
  using Key = std::pair<int64_t, unsigned>;
  llvm::SmallVector<Key, 0> moved, kept, merged;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_SQUEAKYWHEEL_H
