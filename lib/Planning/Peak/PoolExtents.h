//===- PoolExtents.h - Where a pool begins and ends -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_POOLEXTENTS_H
#define BUFFER_MERGE_LIB_PLANNING_POOLEXTENTS_H

#include "Analysis/ExecutionOrder.h"
#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Where a pool begins and ends in a block: the operations that it is allocated
/// before and freed after, and their ticks, half-open.
struct PoolExtent {
  mlir::Operation *first = nullptr, *last = nullptr;
  int64_t begin = 0, end = 0;
};

/// Finds where pools of some of the buffers of a plan begin and end.
class PoolExtents {
public:
  /// `whole` and `order` must outlive this.
  PoolExtents(const PoolPlan &whole, const ExecutionOrder &order)
      : whole(whole), order(order) {}

  /// Return the block of `region` around all allocations of `ids`; null if
  /// there is no such block.
  mlir::Block *getHome(mlir::Region &region,
                       llvm::ArrayRef<BufferId> ids) const;

  /// Return where a pool of `ids` begins and ends if it is allocated and freed
  /// in `block`; an extent without operations if that is impossible.
  PoolExtent getExtent(mlir::Block &block, llvm::ArrayRef<BufferId> ids) const;

  /// Return the begins and ends of what `getExtent` returns for each buffer
  /// alone in each block around its allocation; most of them once.
  llvm::SmallVector<int64_t, 0> collectTicks() const;

private:
  using Ids = llvm::ArrayRef<BufferId>;
  mlir::Operation *getLastUse(BufferId id) const;
  bool extend(PoolExtent &extent, BufferId id, mlir::Operation *first,
              mlir::Operation *last) const;
  mlir::Operation *findEnd(mlir::Operation *op, int64_t tick) const;

  const PoolPlan &whole;
  const ExecutionOrder &order;
  /// The operations of blocks in which an end was looked for.
  mutable llvm::DenseMap<mlir::Block *, llvm::SmallVector<mlir::Operation *, 0>>
      opsOf;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_POOLEXTENTS_H
