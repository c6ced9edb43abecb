//===- BranchTree.h - What a path takes or leaves out -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_BRANCHTREE_H
#define BUFFER_MERGE_LIB_PLANNING_BRANCHTREE_H

#include "Analysis/ExecutionOrder.h"

namespace buffer_merge {
/// The branches of an alloc scope: what a path through the scope takes as a
/// whole or not at all. A path that takes a branch takes its parents.
///
/// Branch 0 is what every path takes. A region of an operation that runs each
/// of several regions at most once, such as `scf.if`, is a branch. So is a
/// block of a region of several blocks, unless every path takes it that takes
/// its immediate dominator. Loops count as run at least once, of regions and of
/// blocks: what every iteration reaches belongs to the branch of the loop.
///
/// ```
///   ^entry -> ^then -> ^exit     branch 0: ^entry, ^exit
///   ^entry -> ^exit              branch 1: ^then
/// ```
class BranchTree {
public:
  /// A part of the ticks of the scope.
  struct Part {
    unsigned branch;
    TickRange ticks;
  };

  /// `order` must outlive the object.
  BranchTree(mlir::Region *scope, const ExecutionOrder &order);

  /// Return the branch of `block`, inside the scope. Branches are found when
  /// they are asked for; what has none of its own belongs to its parent.
  unsigned getBranch(mlir::Block *block);

  /// Return the last tick until which all blocks from `block` on, one of
  /// several of its region, are in the branch of `block` or inside it.
  int64_t getLastTickInBranch(mlir::Block *block);

  /// Return the last tick until which what follows `block`, with the blocks
  /// around it, is in its branch or inside it.
  int64_t getLastTick(mlir::Block *block);

  /// Return the first tick of the outermost loop around `block` in the scope,
  /// or `first` if that comes before it or there is none.
  int64_t getLoopBegin(mlir::Block *block, int64_t first);

  /// Return the tick that stands for what is left behind.
  int64_t getEnd() const { return parts.front().ticks.last + 1; }

  /// Return the first block of a branch.
  mlir::Block *getFront(unsigned branch) const { return fronts[branch]; }

  /// Return the parent of each branch, a smaller number; 0 for 0.
  llvm::ArrayRef<unsigned> getParents() const { return parents; }

  /// Return the ticks of all branches: of parts that overlap, the later one is
  /// inside the earlier one.
  llvm::ArrayRef<Part> getParts() const { return parts; }

private:
  unsigned addBranch(unsigned parent, mlir::Block *front, TickRange ticks);
  void addBlocks(mlir::Region &region);
  void addLastTicks(llvm::ArrayRef<mlir::Block *> blocks);

  const ExecutionOrder &order;
  llvm::SmallVector<unsigned> parents;
  llvm::SmallVector<mlir::Block *> fronts;
  llvm::SmallVector<Part> parts;
  llvm::DenseMap<mlir::Block *, unsigned> branches;
  llvm::DenseMap<mlir::Block *, int64_t> lastTicks;
  /// What `getLoopBegin` has returned.
  llvm::DenseMap<mlir::Block *, int64_t> loopBegins;
};

/// Return true if `region`, of an operation inside an alloc scope, may not run.
bool mayNotRun(mlir::Region &region);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_BRANCHTREE_H
