//===- ArenaRewriter.h - Arenas as arguments of functions -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_ARENAREWRITER_H
#define BUFFER_MERGE_LIB_TRANSFORMS_ARENAREWRITER_H

#include "Planning/ArenaPlan.h"

#include "mlir/IR/PatternMatch.h"

namespace buffer_merge {
/// Gives functions the arenas of a plan.
class ArenaRewriter {
public:
  /// `plan` must outlive the object.
  explicit ArenaRewriter(const ArenaPlan &plan) : plan(plan) {}

  /// Append an argument for the arena to functions that have none.
  void addArguments(mlir::RewriterBase &rewriter);

  /// Forward parts of the arenas to callees, check what comes from outside, and
  /// say how much is needed: by an attribute, and by functions to be called.
  /// The pools of the functions must have been made.
  void forwardArenas(mlir::RewriterBase &rewriter);

private:
  mlir::func::FuncOp getFunction(unsigned index) const {
    return plan.getGraph().getFunctions()[index].op;
  }
  void forward(mlir::RewriterBase &rewriter, const FunctionGraph::Call &call);
  void createChecks(mlir::RewriterBase &rewriter, unsigned function);
  void createQueries(mlir::RewriterBase &rewriter, unsigned function);

  const ArenaPlan &plan;
  /// By index in the graph.
  llvm::SmallVector<std::optional<unsigned>, 0> arguments;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_ARENAREWRITER_H
