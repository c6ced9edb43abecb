//===- Webs.h - The values that an allocation holds in turn -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_WEBS_H
#define BUFFER_MERGE_LIB_ANALYSIS_WEBS_H

#include "BufferUses.h"
#include "ExecutionOrder.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/SetVector.h"

namespace buffer_merge {
class ExecutionOrder;

/// Return true if `use` is the source of a view that another allocation of the
/// same type could have as well: an operation without effects that makes one
/// memref of it, and can be cloned.
bool isSourceOfView(mlir::OpOperand &use);

/// Return the source of the view that `value` is (`isSourceOfView`), or null.
mlir::Value getSourceOfView(mlir::Value value);

/// Limits the blocks that are looked at for the allocations of one function,
/// because each of n allocations may be in use in n blocks: to a few dozen
/// times as many as there are. Allocations after that are not understood.
/// Regions of one block are always free.
class WebBudget {
public:
  explicit WebBudget(const ExecutionOrder &order)
      : left(maxFactor * order.getNumBlocks()) {}

private:
  friend class Webs;
  static constexpr int64_t maxFactor = 64;
  int64_t left;
};

/// Divides the accesses to one allocation into webs: the accesses of two webs
/// have nothing to do with each other, so that each web can have an allocation
/// of its own. A web is what a compiler gives a register: definitions and the
/// uses that they reach, transitively (S. Muchnick, Advanced Compiler Design
/// and Implementation, 1997, section 16.3.3).
///
/// ```
///   linalg.fill outs(%a)         // web 0: it overwrites all of %a
///   memref.load %a[%i]           // web 0
///   memref.copy %b, %a           // web 1
///   memref.store %x, %a[%i]      // web 1: it overwrites a part of %a only
///   memref.load %a[%i]           // web 1
/// ```
///
/// Only an operation that writes all elements (`findWholeOverwrite`) begins
/// something new. Any other access may read what is there before it, and
/// belongs to every web that reaches it: they are one. What the allocation
/// holds at first counts as a definition.
///
/// Uses that forward the memref to another value than a view (block arguments,
/// results of branches, loops, selections and calls) are all in one web with
/// all accesses to these values.
///
/// Control flow is followed inside sequential loops and branches and between
/// blocks. Any other operation with accesses inside counts as one access. The
/// cost is linear in the number of uses, times the depth of nesting, and in the
/// number of blocks.
class Webs {
public:
  /// Analyze `alloc` with `uses`, all uses of it and its aliases in the order
  /// of execution. With `wantsSplit` nothing is known if there is one web that
  /// begins in the block of the allocation: it takes less time to see that.
  Webs(mlir::memref::AllocOp alloc, llvm::ArrayRef<ClassifiedUse> uses,
       WebBudget &budget, bool wantsSplit = false);

  /// Return true if another allocation could replace this one for each web: all
  /// its uses are understood, and it is freed only through itself or its views.
  bool areSeparable() const { return known && separable; }

  /// Return the number of webs.
  unsigned size() const { return begins.size(); }

  /// Return the number of the web of `use`, which is an access or forwards the
  /// memref to something else than a view; nothing for any other use. Webs are
  /// numbered in the order of their first uses.
  std::optional<unsigned> lookup(mlir::OpOperand *use) const;

  /// Return true if `value` is an allocation of the buffer, or a view of it
  /// that is reached by views only.
  bool isView(mlir::Value value) const { return views.contains(value); }

  /// Return true if it is one that has all elements of the allocation.
  bool isViewOfAll(mlir::Value value) const { return views.lookup(value); }

  /// Return true if the webs other than the first would need many times as many
  /// views of their own as there are `uses`, all uses of the allocation: where
  /// each of n values is accessed through the last of n views.
  bool needManyViews(llvm::ArrayRef<ClassifiedUse> uses) const;

  /// Return the first access of web `index`.
  mlir::Operation *getBegin(unsigned index) const { return begins[index]; }

  /// Return the operation that overwrites the whole buffer and with which web
  /// `index` begins on every path, or null if there are several, or if what the
  /// allocation holds at first belongs to the web. Other accesses of the web
  /// may write as well.
  mlir::Operation *getOnlyOverwrite(unsigned index) const {
    return overwrites[index];
  }

  /// Return the accesses in front of which the whole buffer is as an operation
  /// that overwrites all of it has left it, or as it was at first: no access
  /// for which `mayWrite` returns true comes in between.
  llvm::DenseSet<mlir::OpOperand *>
  findUnchanged(llvm::function_ref<bool(mlir::OpOperand &)> mayWrite) const;

  /// Return the operation in front of which the allocation could be executed
  /// instead of where it is, so that its lifetime is not longer than necessary:
  /// the innermost region that contains all accesses, such that nothing is read
  /// there that was written before the operation. Return the allocation if
  /// there is none.
  ///
  /// ```
  ///   %a = memref.alloc()
  ///   scf.for ... {
  ///     linalg.fill outs(%a)     // here: each iteration overwrites %a before
  ///     memref.load %a[%i]       // it reads it
  ///   }
  /// ```
  mlir::Operation *findHome(mlir::DominanceInfo &dominance) const;

  /// Return ticks at which the bytes may belong to others, sorted and with live
  /// ticks in between: no access may read after them what was written before
  /// them, and no access is at them. These are not all: there is none in what
  /// counts as one access, and none if an access is outside of the region of
  /// the allocation. `order` is that of the function.
  ///
  /// ```
  ///   scf.for ... {
  ///     memref.load %a[%i]       // what the last iteration has written
  ///     ...                      // dead
  ///     memref.copy %b, %a
  ///   }
  /// ```
  llvm::SmallVector<TickRange> findDeadTicks(const ExecutionOrder &order) const;

private:
  /// A point of the control flow: in front of or after a loop or a branch, the
  /// front of a block, or one operation with all accesses inside.
  struct Node {
    llvm::SmallVector<unsigned, 2> predecessors;
    /// It writes all elements, and reads none.
    bool isWhole = false;
    /// It may access some.
    bool isAccess = false;
    /// What is in the buffer in front of it may be read.
    bool isLive = false;
  };
  struct BlockNodes {
    unsigned first, last;
  };

  /// Return true if something other than the first value may begin anywhere, or
  /// that in another block: otherwise there is one web, at the allocation.
  bool mayBegin() const;
  void collect(llvm::ArrayRef<ClassifiedUse> uses);
  void findItems();
  void addItem(mlir::Operation *item, bool isWhole);
  bool buildGraph(WebBudget &budget);
  void addEdges(mlir::Block *block);
  void findLive();
  void unite();
  unsigned addNode();
  void addEdge(unsigned from, unsigned to) {
    nodes[to].predecessors.push_back(from);
  }
  mlir::Operation *findHomeIn(mlir::Region *region,
                              mlir::DominanceInfo &dominance) const;

  mlir::memref::AllocOp alloc;
  /// The allocation, or the operation that several begin in front of.
  mlir::Region *root;
  bool known = true, separable = true;

  /// A use that counts, and the operation that represents it in the graph.
  struct Access {
    mlir::OpOperand *use;
    mlir::Operation *item = nullptr;
    /// It forwards the memref, or is an access through a forwarded memref.
    bool isAnchored = false;
  };
  llvm::SmallVector<Access> accesses;
  /// The views of the allocation, and whether they have all of its elements.
  llvm::SmallDenseMap<mlir::Value, bool, 8> views;
  /// Operations that hold accesses in sequential regions.
  llvm::SetVector<mlir::Operation *> parents;
  /// The accesses, the operations of `parents` and the allocation in each
  /// block, in order.
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<mlir::Operation *, 4>> items;
  llvm::DenseSet<mlir::Operation *> seen, whole;

  llvm::SmallVector<Node, 0> nodes;
  llvm::DenseMap<mlir::Block *, BlockNodes> blocks;
  /// The nodes of an operation: one, or for a parent those before and after it.
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> opNodes;

  llvm::DenseMap<mlir::OpOperand *, unsigned> webOf;
  llvm::SmallVector<mlir::Operation *> begins, overwrites;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_WEBS_H
