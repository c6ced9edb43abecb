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
class BufferAliases;
struct FunctionContext;

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
  /// It is `value`, the result of an operation, and is held from tick `first`
  /// on, of that operation or directly behind it.
  HeldTicks(mlir::Value value, int64_t first, const FunctionContext &context,
            UserEffects &effects);

  /// Return what is held if it has `bytes` and may be `aliases`; `buffer`, if
  /// it is not null, is the lifetime that it has. That is nothing if it is
  /// never held, and several items if it may be held several times, because a
  /// loop carries it. The last one is what each execution allocates. `branches`
  /// are those of the scope.
  llvm::SmallVector<Hold, 1> find(llvm::ArrayRef<mlir::Value> aliases,
                                  const BufferLifetime *buffer, Bytes bytes,
                                  BranchTree &branches);

private:
  bool isPassedOnInVain(mlir::OpOperand &use) const;
  void forEachUser(mlir::Value value,
                   llvm::function_ref<void(mlir::Operation *)> function) const;
  bool isCarriedBy(mlir::BlockArgument alias) const;
  bool isAlwaysPassedAs(mlir::BlockArgument alias) const;
  bool isAllocation(mlir::Value value) const;
  bool isOnlyPassedAs(mlir::Value alias) const;
  bool isOnlyResult(mlir::Value alias) const;
  int64_t getFirst(mlir::Value alias) const;
  void addUses(mlir::Value value);
  void addAlias(mlir::Value alias);
  void addArgument(mlir::BlockArgument alias);
  void addResult(mlir::Value alias);
  void addLifetime(const BufferLifetime &buffer);
  TickRange findCertain(mlir::Value alias) const;
  void addPassedOn(mlir::Value alias, TickRange held);

  mlir::Operation *allocation;
  mlir::Value value;
  const ExecutionOrder &order;
  const BufferAliases &bufferAliases;
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
