//===- FunctionOrder.h - Orders of the operations of a function -*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_FUNCTIONORDER_H
#define BUFFER_MERGE_LIB_TRANSFORMS_FUNCTIONORDER_H

#include "Analysis/UnsharedArguments.h"
#include "buffer-merge/Transforms/Transforms.h"

namespace buffer_merge {
/// Operations that follow each other in a block, and another order of them.
struct NewOrder {
  llvm::SmallVector<mlir::Operation *, 0> before, after;
  /// What follows them; never null, and never moved.
  mlir::Operation *next = nullptr;
  /// Those that have to move for it, apart from allocations, views and the
  /// like.
  int64_t numMoved = 0;

  /// Put them into the order `after`, or back into `before`.
  void apply() const { place(after); }
  void undo() const { place(before); }

private:
  void place(llvm::ArrayRef<mlir::Operation *> ops) const {
    for (mlir::Operation *op : ops)
      op->moveBefore(next);
  }
};

/// Return new orders of operations in `function` with which fewer bytes are
/// alive at once in it: none if there are no such orders. `steps` is how many
/// states may be looked at, and becomes what is left of it.
///
/// Only what is around the peak has a new order: nothing of which the old one
/// needs no more bytes than the function needs in any case.
llvm::SmallVector<NewOrder, 0>
findNewOrders(mlir::Operation *function, const BufferLifetimes &lifetimes,
              UnsharedArguments &unshared, const ReorderForPeakOptions &options,
              int64_t &steps);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_FUNCTIONORDER_H
