//===- Pools that the caller provides ---------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function takes its pool from an argument, the arena. What is behind the
// pool it hands on to its callees, each of which is done with it when it
// returns:
//
//   arena of the caller  | own pool | arena of one callee       |
//                                   | arena of another |
//
// so that a function needs the bytes of its own pool and the most that one
// callee needs.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_ARENA_H
#define BUFFER_MERGE_LIB_TRANSFORMS_ARENA_H

#include "FunctionGraph.h"
#include "buffer-merge/Transforms/BufferMerge.h"

#include "mlir/IR/BuiltinOps.h"

namespace buffer_merge {
/// Return the number of the argument of `function` that is marked as its arena
/// (`arenaAttrName`), the first of several, or nothing.
std::optional<unsigned> findArenaArgument(mlir::func::FuncOp function);

/// Who gets an arena, how large it is, and who hands it to whom.
class ArenaPlan {
public:
  explicit ArenaPlan(const FunctionGraph &graph) : graph(graph) {}

  /// Decide which functions can have an arena. Emit one error and fail if an
  /// argument that is marked as arena cannot be one.
  llvm::LogicalResult initialize(mlir::ModuleOp module);

  /// Return why `pool` cannot come from an arena, or nothing if it can.
  llvm::StringRef check(const PoolPlan &pool) const;

  /// Compute who needs how much for the pools of `plan` that have the storage
  /// `Arena`. Emit one error and fail if that is known to be too much for what
  /// there is, or cannot be told. `plan` must outlive the calls that follow.
  llvm::LogicalResult compute(mlir::ModuleOp module, const MergePlan &plan,
                              const BufferMergeOptions &options);

  /// Append an argument for the arena to functions that have none.
  void addArguments(mlir::RewriterBase &rewriter);

  /// Hand parts of the arenas to callees, check what comes from outside, and
  /// say how much is needed: by an attribute, and by functions to be called.
  /// The pools of the functions must have been made.
  void handOn(mlir::RewriterBase &rewriter);

private:
  /// What becomes of one function of the graph.
  struct Arena {
    /// The argument, once there is one.
    std::optional<unsigned> argument;
    /// The program has marked the argument.
    bool isMarked = false;
    /// An earlier run has made pools in the arena.
    bool isFixed = false;
    /// Why the function can have no arena; empty if it can.
    llvm::StringRef obstacle;
    /// What it takes for a pool of its own.
    const PoolPlan *pool = nullptr;
    /// What it needs, its callees included.
    int64_t bytes = 0, alignment = 1;
    /// Where the arena of callees starts.
    int64_t calleeOffset = 0;
  };

  llvm::LogicalResult collectMarked(mlir::ModuleOp module);
  llvm::LogicalResult checkMarked(unsigned function);
  bool isHandedOn(const FunctionGraph::Call &call) const;
  llvm::LogicalResult checkCall(const FunctionGraph::Call &call);
  void findObstacles(mlir::ModuleOp module);
  llvm::LogicalResult computeNeeds(const BufferMergeOptions &options);
  int64_t getHandedBytes(unsigned function) const;
  llvm::LogicalResult checkSizes();
  llvm::LogicalResult checkQueries(mlir::ModuleOp module);

  /// Return true if this run gives `function` an arena, or uses that which it
  /// has.
  bool isActive(unsigned function) const;
  /// Return true if `function` may be given an arena that no function of the
  /// module has cut to measure.
  bool isCalledFromOutside(unsigned function) const;

  void handOn(mlir::RewriterBase &rewriter, const FunctionGraph::Call &call);
  void createChecks(mlir::RewriterBase &rewriter, unsigned function);
  void createQueries(mlir::RewriterBase &rewriter, unsigned function);

  const FunctionGraph &graph;
  /// By index in the graph.
  llvm::SmallVector<Arena, 0> arenas;
  /// Declarations of the functions that tell what is needed, to be defined.
  llvm::DenseMap<mlir::StringAttr, mlir::func::FuncOp> declarations;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_ARENA_H
