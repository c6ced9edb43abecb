//===- PeakOrder.h - Orders of operations that hold little ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In which order operations are executed decides how many bytes are alive at
// once. Finding the best order is NP-hard (R. Sethi, Complete register
// allocation problems, SIAM J. Comput. 1975); for trees it is not (J. W. H.
// Liu, An application of generalized tree pebbling to sparse matrix
// factorization, SIAM J. Alg. Disc. Meth. 1987).
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_PEAKORDER_H
#define BUFFER_MERGE_LIB_SCHEDULING_PEAKORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace buffer_merge {
/// Operations that may be executed in any order that their dependences allow,
/// and the buffers that they access.
///
/// A buffer is alive from its first access to its last one.
struct OrderProblem {
  struct Item {
    /// 0 or more; those of all items together, and what operations need, fit
    /// into an `int64_t`.
    int64_t bytes = 0;
    /// It is alive in front of all operations, or behind them.
    bool isAliveBefore = false, isAliveAfter = false;
  };
  /// Two items that may have their bytes in common in one operation, if it is
  /// the last access of `earlier` and the first one of `later`.
  struct InPlacePair {
    unsigned earlier, later;
  };
  struct Node {
    /// The operations that it must stay behind, each with a smaller number.
    llvm::SmallVector<unsigned, 4> preds;
    /// The items that it accesses, each once.
    llvm::SmallVector<unsigned, 4> items;
    /// The bytes that only it needs, 0 or more.
    int64_t ownBytes = 0;
    llvm::SmallVector<InPlacePair, 1> inPlace;
  };
  llvm::SmallVector<Item, 0> items;
  /// In the order in which they are.
  llvm::SmallVector<Node, 0> nodes;
};

/// Numbers of nodes, each once, in the order in which they are executed.
using NodeOrder = llvm::SmallVector<unsigned, 0>;

/// Return the most bytes of items and operations that are alive at once if the
/// nodes of `problem` are executed in `order`, which has all of them.
int64_t computePeak(const OrderProblem &problem,
                    llvm::ArrayRef<unsigned> order);

/// Return the bytes that one of the nodes needs by itself at least: no order
/// has a lower peak.
int64_t computePeakBound(const OrderProblem &problem);

/// Return an order of `problem` that respects all dependences, and whose peak
/// is no higher than that of the order that it has. `steps` is how many states
/// may be looked at, and becomes what is left of it.
///
/// - Up to 62 nodes: of least peak, unless `steps` are used up. The states are
///   the sets of nodes that have been executed, the one of least peak first
///   (the dynamic program of B. H. Ahn et al., Ordering chaos: memory-aware
///   scheduling of irregularly wired neural networks, MLSys 2020). What can be
///   executed within the peak so far, and leaves no more bytes than there were,
///   is executed at once: no order is worse for that.
/// - More: list scheduling, by the bytes that are left and by those that are
///   needed meanwhile, forwards and backwards. Then what is around the peak is
///   ordered by the above, as long as that lowers it.
///
/// Time: O(n log n) for n accesses and dependences, apart from the steps.
NodeOrder findPeakOrder(const OrderProblem &problem, int64_t &steps);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_PEAKORDER_H
