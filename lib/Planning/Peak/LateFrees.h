//===- LateFrees.h - What stock passes free at the end only -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a program without deallocations, `ownership-based-buffer-deallocation`
// frees the allocations of a block at its end, and
// `optimize-allocation-liveness` moves a deallocation to the last use. It can
// do so only if nothing else in the block may be the same allocation: otherwise
// the addresses are compared at run time, at the end of the block.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_LATEFREES_H
#define BUFFER_MERGE_LIB_PLANNING_LATEFREES_H

#include "DroppedValues.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace buffer_merge {
struct FunctionContext;

/// What is freed at the end of its block although its last use is before.
class LateFrees {
public:
  explicit LateFrees(const FunctionContext &context);

  /// Return true if `value`, which an operation allocates or returns, is freed
  /// at the end of the block, because another value of the block may be or may
  /// not be this one: a result of a loop that carries it, of a branch or of a
  /// selection, or any that may be any allocation. False if the program frees
  /// it itself.
  bool isFreedLate(mlir::Value value);

  /// Return true if a value of `block`, such as the result of a call, may be
  /// any allocation.
  bool areFreedLate(mlir::Block &block);

  const DroppedValues &getDroppedValues() const { return dropped; }

private:
  bool mayBeAny(mlir::Value value) const;

  const FunctionContext &context;
  DroppedValues dropped;
  bool haveOneOfSeveral;
  llvm::DenseMap<mlir::Block *, bool> known;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_LATEFREES_H
