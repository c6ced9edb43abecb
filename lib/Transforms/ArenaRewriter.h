//===- ArenaRewriter.h - Arenas as arguments of functions -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_ARENAREWRITER_H
#define BUFFER_MERGE_LIB_TRANSFORMS_ARENAREWRITER_H

#include "Planning/Storage/ArenaPlan.h"
#include "PoolBuilder.h"

#include "mlir/IR/PatternMatch.h"

namespace buffer_merge {
/// Gives functions the arenas of a plan.
class ArenaRewriter {
public:
  /// `plan` must outlive the object. With `hasChecks`, functions that are
  /// called from outside check what they get.
  ArenaRewriter(const ArenaPlan &plan, bool hasChecks)
      : plan(plan), hasChecks(hasChecks) {}

  /// Append an argument for the arena to functions that have none, unless their
  /// arenas are their own.
  void addArguments(mlir::RewriterBase &rewriter);

  /// Note that `pool`, a global, is the arena of `function`.
  void setOwn(mlir::Operation *function, mlir::Value pool) {
    memory[*plan.getGraph().lookup(function)] = pool;
  }

  /// Return the arena of `function`, an argument.
  mlir::Value getArena(mlir::Operation *function) const {
    return memory[*plan.getGraph().lookup(function)];
  }

  /// Note that the arena of `function` must have `bytes`, which is computed
  /// from the sizes of its arguments at its front.
  void setNeeded(mlir::Operation *function, mlir::Value bytes) {
    needed[*plan.getGraph().lookup(function)] = bytes;
  }

  /// Forward parts of the arenas to callees, check what comes from outside, and
  /// say how much is needed: by an attribute, and by functions to be called.
  /// The pools of the functions must have been made; `pools` makes the global
  /// of a function without a pool of its own.
  void forwardArenas(mlir::RewriterBase &rewriter, PoolBuilder &pools);

private:
  mlir::func::FuncOp getFunction(unsigned index) const {
    return plan.getGraph().getFunctions()[index].op;
  }
  void forward(mlir::RewriterBase &rewriter, unsigned call, PoolBuilder &pools);
  void createChecks(mlir::RewriterBase &rewriter, unsigned function);
  void createConstant(mlir::RewriterBase &rewriter, unsigned function,
                      mlir::Operation *previous);
  void createQueries(mlir::RewriterBase &rewriter, unsigned function);

  const ArenaPlan &plan;
  bool hasChecks;
  /// By index in the graph: the numbers of the arguments, and the arenas.
  llvm::SmallVector<std::optional<unsigned>, 0> arguments;
  llvm::SmallVector<mlir::Value, 0> memory;
  /// What depends on the sizes of arguments.
  llvm::DenseMap<unsigned, mlir::Value> needed;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_ARENAREWRITER_H
