//===- FalseAttributes.h - Who says that memory is not used -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a function gets its bytes from an argument or a global, attributes of
// its own, of its calls, and of the functions that call it may become false
// (`Analysis/AttributeChanges`). What is outside of the module is not seen.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_FALSEATTRIBUTES_H
#define BUFFER_MERGE_LIB_PLANNING_FALSEATTRIBUTES_H

#include "Analysis/AttributeChanges.h"
#include "Analysis/FunctionGraph.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"

namespace buffer_merge {
/// Return for each function of `graph`, by index, an attribute of it, or of
/// what leads to its calls, that becomes false with `changes`; or nothing.
llvm::SmallVector<std::optional<FalseAttribute>, 0>
findFalseForCallers(const FunctionGraph &graph, AttributeChanges changes);

/// The same if the function accesses a global.
llvm::SmallVector<std::optional<FalseAttribute>, 0>
findFalseForGlobals(const FunctionGraph &graph);

/// Return an attribute that becomes false if `function` accesses the memory of
/// an argument that is added, and aborts if that is too small and `mayAbort`;
/// or nothing. What its callers pass is not their concern.
std::optional<FalseAttribute>
findFalseForArena(const FunctionGraph &graph, unsigned function, bool mayAbort);

/// Finds attributes that become false where an argument that the program has
/// holds buffers of its function.
class FalseForArguments {
public:
  /// Time: linear in the functions of `graph` and the operands of its calls.
  /// The functions are those of the root of `lifetimes`.
  FalseForArguments(const FunctionGraph &graph,
                    const BufferLifetimes &lifetimes);

  /// Return an attribute that becomes false if argument `index` of `function`,
  /// a memref, holds buffers, or null. With `isPassed`, their addresses may be
  /// kept or compared.
  const FalseAttribute *lookup(mlir::func::FuncOp function, unsigned index,
                               bool isPassed) const;

private:
  /// A function by its index, and one of its arguments.
  using Argument = std::pair<unsigned, unsigned>;
  /// By argument, an attribute that becomes false.
  using Found = llvm::DenseMap<Argument, FalseAttribute>;

  /// What `operand`, which a call passes, may be.
  struct Sources {
    /// Arguments of the caller.
    llvm::SmallVector<unsigned, 1> arguments;
    /// A global that is a constant, or null.
    mlir::Operation *constant = nullptr;
    /// It may be in another global, or anything.
    bool isGlobal = false, isUnknown = false;
  };

  Sources findSources(const FunctionGraph::Call &call, unsigned operand,
                      const BufferLifetimes &lifetimes) const;
  void findOwn(unsigned function, AttributeChanges argument,
               AttributeChanges all, Found &found);
  void propagate(Found &found);

  const FunctionGraph &graph;
  /// What becomes false if the bytes of an argument are accessed, and if its
  /// address is passed on.
  Found accessed, passed;
  /// By argument of a caller, those of callees that it is passed as.
  llvm::DenseMap<Argument, llvm::SmallVector<Argument, 2>> flows;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_FALSEATTRIBUTES_H
