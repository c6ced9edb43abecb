//===- HeldTicks.h - When an allocation is held -----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_HELDTICKS_H
#define BUFFER_MERGE_LIB_PLANNING_HELDTICKS_H

#include "Heap.h"

#include "llvm/ADT/MapVector.h"

namespace buffer_merge {
/// What operations do to memory. Each one is asked once: some build lists of
/// all their effects for every answer, and others look at all their regions.
class UserEffects {
public:
  struct Effects {
    bool frees, isEffectFree;
  };

  Effects get(mlir::Operation *op);

private:
  llvm::DenseMap<mlir::Operation *, Effects> known;
};

/// Finds the ticks at which something allocated is held if it is freed right
/// after its last use on the path that is taken.
class HeldTicks {
public:
  /// It is all of `values`, results of `allocation` most often, and is held
  /// from that operation on: at `ticks` of it, which may be empty and begin
  /// after it.
  HeldTicks(mlir::Operation *allocation, llvm::ArrayRef<mlir::Value> values,
            TickRange ticks, const ExecutionOrder &order, UserEffects &effects);

  /// Add the uses of `value`, which it is, and of views of that.
  void addUses(mlir::Value value);

  /// Let `alias` be another value that may be it: it may be held until the last
  /// use of that.
  void addAlias(mlir::Value alias);

  /// Let the argument `alias` of a region be another value that may be it: it
  /// is used there for certain if it is nothing else.
  void addArgument(mlir::BlockArgument alias);

  /// Let `alias`, a result of a branch or the argument of a block, be another
  /// value that may be it: its uses count as uses of it if it is nothing else.
  void addResult(mlir::Value alias);

  /// Let `buffer` be what it is, instead of adding aliases that are no
  /// arguments. Comes last.
  void addLifetime(const BufferLifetime &buffer);

  /// Return what is held if it has `bytes`: nothing if it is never held, and
  /// several items if it may be held several times, because a loop carries it.
  /// The last one is what each execution allocates. `branches` are those of the
  /// scope.
  llvm::SmallVector<Hold, 1> build(Bytes bytes, BranchTree &branches) const;

private:
  void forEachUser(mlir::Value value,
                   llvm::function_ref<void(mlir::Operation *)> function) const;
  bool isCarriedBy(mlir::BlockArgument alias) const;
  bool isAlwaysPassedAs(mlir::BlockArgument alias) const;
  bool isAllocation(mlir::Value value) const;
  bool isOnlyPassedBy(mlir::RegionBranchOpInterface branch,
                      mlir::Region *region, mlir::Value alias) const;
  bool isOnlyPassedAs(mlir::BlockArgument alias) const;
  bool isOnlyResult(mlir::Value alias) const;
  int64_t getFirst(mlir::Value alias) const;
  TickRange findCertain(mlir::Value alias) const;
  void addPassedOn(mlir::Value alias, TickRange held);
  void addCertain(mlir::Operation *user);
  std::optional<TickRange> findAcrossBlocks(BranchTree &branches) const;

  mlir::Operation *allocation;
  llvm::SmallVector<mlir::Value, 1> values;
  const ExecutionOrder &order;
  UserEffects &effects;
  TickRange ticks;
  /// Where it is held for certain, in each block.
  llvm::SmallMapVector<mlir::Block *, TickRange, 1> certain;
  /// When each alias may be held, and whether one of them may be the result of
  /// an earlier execution.
  llvm::SmallVector<Hold, 1> aliases;
  /// Among these, what the last iteration of the loop around the allocation has
  /// allocated: as its arguments (null), and as results of the loop.
  llvm::SmallDenseMap<mlir::Operation *, size_t, 2> passedOn;
  bool isCarried = false;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_HELDTICKS_H
