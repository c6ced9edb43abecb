//===- OrderSearch.h - Orders for sizes known at run time -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_ORDERSEARCH_H
#define BUFFER_MERGE_LIB_PLANNING_ORDERSEARCH_H

#include "buffer-merge/Planning/MergePlanOptions.h"
#include "buffer-merge/Planning/RuntimePool.h"

namespace buffer_merge {
/// Numbers of bytes of which none is always at most another one: the largest of
/// them is the largest of all that were added. Of sizes that trade off against
/// each other there may be any number, and each is compared with all others:
/// what would be one too many is left out.
class LargestBytes {
public:
  explicit LargestBytes(size_t most = 64) : most(most) {}

  void add(const LinearBytes &bytes);
  llvm::ArrayRef<LinearBytes> get() const { return all; }
  /// Return true if nothing was left out; else they are only at most as large.
  bool isComplete() const { return complete; }

private:
  size_t most;
  bool complete = true;
  llvm::SmallVector<LinearBytes, 4> all;
};

/// What the heap may hold at some ticks beside a pool, and what it holds
/// without the pool at some ticks, on every path through the pool: that much is
/// allowed.
struct PeakBound {
  llvm::SmallVector<LinearBytes, 4> others, given;
};

/// Return the values of the variables of `pool` with `symbols` for what is a
/// value of the program.
llvm::SmallVector<int64_t> evaluateVariables(const RuntimePool &pool,
                                             int64_t symbols);

/// Find orders for `pool`, of which all but the orders is known: schedules for
/// some values of the variables, each of which says which of two buffers is
/// above the other one. With `bounds`, for all values one of the pools keeps to
/// all of them: where that cannot be proved, the values for which it may not
/// hold are those of the next schedule (counterexample-guided), and after a few
/// the search fails. Without them it goes on as long as pools may be larger
/// than what is alive, and fails only if there are too many terms.
///
/// If it fails, `counterexample` has values that no order was found for; none
/// if there are too many terms, which may be fewer for fewer buffers.
bool findOrders(RuntimePool &pool,
                std::optional<llvm::ArrayRef<PeakBound>> bounds,
                const MergePlanOptions &options,
                llvm::SmallVectorImpl<int64_t> &counterexample);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_ORDERSEARCH_H
