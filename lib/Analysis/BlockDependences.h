//===- BlockDependences.h - What may change its place in a block *- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_BLOCKDEPENDENCES_H
#define BUFFER_MERGE_LIB_ANALYSIS_BLOCKDEPENDENCES_H

#include "Analysis/MemoryWrites.h"

namespace buffer_merge {
/// Operations that follow each other in a block, all of which may be executed
/// in any order that their dependences allow (T1 to T3); or one that nothing
/// may cross.
struct OrderedOps {
  struct Op {
    mlir::Operation *op;
    /// The numbers of operations before it that it must stay behind.
    llvm::SmallVector<unsigned, 4> preds;
    /// It accesses no memory and has no regions: an allocation, a view,
    /// arithmetic.
    bool isLight = false;
    /// It only frees memory.
    bool isFree = false;
  };
  /// In the order in which they are.
  llvm::SmallVector<Op, 0> ops;
};

/// Finds out which operations of one function must stay behind which others.
class BlockDependences {
public:
  /// `lifetimes`, which `context` belongs to, and `unshared` must outlive the
  /// object, and the function must not change.
  BlockDependences(const FunctionContext &context,
                   const BufferLifetimes &lifetimes,
                   UnsharedArguments &unshared);

  /// Return true if something in `block` may move: it is executed in sequence,
  /// and not by the threads of a GPU.
  bool mayReorder(mlir::Block &block) const;

  /// Return all operations of `block` in their order.
  ///
  /// Time: linear in the operations inside and what they access. What would
  /// take more, because of deep nests, is not crossed.
  llvm::SmallVector<OrderedOps, 0> find(mlir::Block &block);

private:
  /// What an operation does with memory that comes from `origin`, null for all
  /// that may be the same from outside of the function.
  struct Access {
    enum class Kind { Mention, Read, Write, Free };
    mlir::Value origin;
    Kind kind;
  };
  using Accesses = llvm::SmallVector<Access, 4>;
  /// For one origin, numbers of operations.
  struct Memory {
    std::optional<unsigned> write;
    llvm::SmallVector<unsigned, 2> reads, mentions;
  };

  bool hasSize(mlir::Value origin) const;
  bool isCrossed(mlir::Operation *op, mlir::Operation *outer) const;
  bool addOrigins(mlir::Value memref, Access::Kind kind, Accesses &accesses);
  bool addAccesses(mlir::Operation *op, Accesses &accesses);
  std::optional<Accesses> getAccesses(mlir::Operation *op);

  const FunctionContext &context;
  const BufferLifetimes &lifetimes;
  MemoryOrigins origins;
  /// How many operations may still be looked at.
  int64_t stepsLeft;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_BLOCKDEPENDENCES_H
