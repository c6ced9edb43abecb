//===- ExecutionOrder.h - Ticks and cycles of a function --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_EXECUTIONORDER_H
#define BUFFER_MERGE_LIB_ANALYSIS_EXECUTIONORDER_H

#include "buffer-merge/Analysis/BufferLifetimes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace buffer_merge {
/// Numbers the operations of a function in the order of execution (L1 order).
/// The numbers are called ticks; a tick is a program point.
///
/// An operation without regions has one tick. An operation with regions has a
/// first and a last tick, with the ticks of the operations inside between them.
///
/// Blocks of a region are numbered in a reverse post-order of the CFG in which
/// every cycle is contiguous: a weak topological order (F. Bourdoncle,
/// Efficient chaotic iteration strategies with widenings, FMPA 1993). Plain
/// reverse post-order is not enough: it may number a block that follows a loop
/// between the blocks of the loop. A buffer that is alive from before the loop
/// to after it would then not be alive in all of it.
///
/// ```
///   entry -> head <-> body        entry  head  body  exit
///            head --> exit               `--cycle--'
/// ```
///
/// Blocks that cannot be reached from the entry of their region come last.
///
/// Construction takes time linear in the number of operations, times the depth
/// of nesting of CFG cycles. It does not recurse.
class ExecutionOrder {
public:
  /// Number everything inside `root`.
  explicit ExecutionOrder(mlir::Operation *root);

  /// Return the ticks of `op`, which must lie inside the root.
  TickRange getTicks(mlir::Operation *op) const;

  /// Return the ticks of all operations of `block`, which is not empty.
  TickRange getTicks(mlir::Block *block) const;

  /// Return the ticks from the first operation of the first block of `region`
  /// to the last of the last. The region is not empty.
  TickRange getTicks(mlir::Region *region) const;

  /// Return the number of ticks: they are 0, 1, ..., `getNumTicks() - 1`.
  int64_t getNumTicks() const { return numTicks; }

  /// Return the copies inside the root, in the order of execution.
  llvm::ArrayRef<mlir::memref::CopyOp> getCopies() const { return copies; }

  /// Return the number of blocks inside the root.
  int64_t getNumBlocks() const { return blocks.size(); }

  /// Return true if all operations inside the root have known control flow
  /// (AllocScope.h).
  bool hasKnownControlFlow() const { return isControlFlowKnown; }

  /// Return true if there is a path from the entry of its region to `block`.
  bool isReachable(mlir::Block *block) const;

  /// Return the ticks of the outermost cycle of blocks that contains `block`
  /// but not `without`, a block of the same region or null. Return nothing if
  /// there is no such cycle.
  ///
  /// ```
  ///   ^a -> ^b -> ^c -> ^b     getCycle(^b, ^a) = ticks of ^b and ^c
  ///                            getCycle(^c, ^b) = nothing
  /// ```
  std::optional<TickRange> getCycle(mlir::Block *block,
                                    mlir::Block *without) const;

  /// Return true if a path from `from` to `to`, blocks of one region, may take
  /// a back edge of a cycle that contains both. For such a pair `to` is not
  /// numbered after `from`.
  bool isBackEdge(mlir::Block *from, mlir::Block *to) const;

  /// Return the uses of `values`, by operations inside the root: in the order
  /// of execution, and the uses by one operation in the order of its operands.
  llvm::SmallVector<mlir::OpOperand *>
  collectUses(llvm::ArrayRef<mlir::Value> values) const;

private:
  /// A cycle of blocks, contiguous in the order of its region.
  struct Cycle {
    /// The innermost cycle around this one, or -1.
    int parent;
    /// Positions of its first and last block in the order of the region.
    unsigned firstBlock, lastBlock;
    TickRange ticks;
  };
  struct BlockInfo {
    /// Position in the order of the region.
    unsigned position;
    /// The innermost cycle that holds the block, or -1.
    int cycle;
    bool reachable;
    TickRange ticks;
  };

  /// Fix the order of the blocks of `region` and find its cycles.
  llvm::SmallVector<mlir::Block *> orderBlocks(mlir::Region &region);

  /// Return the outermost cycle around `block` whose blocks do not include
  /// position `without`, or -1.
  int findCycle(mlir::Block *block, std::optional<unsigned> without) const;

  llvm::DenseMap<mlir::Operation *, TickRange> opTicks;
  llvm::DenseMap<mlir::Block *, BlockInfo> blocks;
  llvm::SmallVector<Cycle> cycles;
  llvm::SmallVector<mlir::memref::CopyOp, 0> copies;
  int64_t numTicks = 0;
  bool isControlFlowKnown = true;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_EXECUTIONORDER_H
