//===- Who calls whom, and when ---------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_FUNCTIONGRAPH_H
#define BUFFER_MERGE_LIB_ANALYSIS_FUNCTIONGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace buffer_merge {
/// The functions with a body inside a module, or one function alone, and the
/// direct calls among them. What is not a direct call may call any function
/// that something else than a direct call refers to; it calls no other. What
/// comes from outside of the module is not known and not accounted for.
///
/// Linear in the size of the IR.
class FunctionGraph {
public:
  /// A `func.call` of a function with a body.
  struct Call {
    mlir::func::CallOp op;
    unsigned caller, callee;
    /// Something around the call, up to the function, may run its region
    /// concurrently, or may be done before the call is; or the caller is a
    /// coroutine, which others may run beside.
    bool isConcurrent;
  };

  struct Function {
    mlir::func::FuncOp op;
    /// Indices of calls, in textual order: those inside, and those of it.
    llvm::SmallVector<unsigned, 4> calls, callers;
    /// An operation that refers to the function other than by a call from a
    /// `func.func`, such as `func.constant`; null if there is none.
    mlir::Operation *otherUse = nullptr;
    /// It may return before it is done (`hasKnownControlFlow`).
    bool isCoroutine = false;
    /// Two executions may be on one stack.
    bool isRecursive = false;
    /// The function may be executed twice at the same time, even if all that
    /// is outside of the module calls it once: the operation that leads to
    /// that, or null.
    mlir::Operation *concurrentUse = nullptr;
  };

  /// No functions.
  FunctionGraph() = default;
  explicit FunctionGraph(mlir::Operation *root);

  /// Return the functions, in textual order.
  llvm::ArrayRef<Function> getFunctions() const { return functions; }
  llvm::ArrayRef<Call> getCalls() const { return calls; }

  /// Return the indices of all functions, every callee before its callers
  /// unless they are recursive.
  llvm::ArrayRef<unsigned> getCalleesFirst() const { return calleesFirst; }

  /// Return the indices of the functions with a call of which the callee is not
  /// known: it may call each function with another use.
  llvm::ArrayRef<unsigned> getUnknownCallers() const { return unknownCallers; }

  /// Return the index of `op`, or nothing if it is not among the functions.
  std::optional<unsigned> lookup(mlir::Operation *op) const;

  /// Return the index of `function` and those of all functions that its calls
  /// lead to, each once.
  llvm::SmallVector<unsigned> findReached(unsigned function) const;

private:
  void collectCalls(mlir::Operation *root);
  void findCycles();
  void findConcurrentUses();

  llvm::SmallVector<Function, 0> functions;
  llvm::SmallVector<Call, 0> calls;
  llvm::SmallVector<unsigned> calleesFirst;
  llvm::DenseMap<mlir::Operation *, unsigned> indices;
  /// Functions with a call of which the callee is not known.
  llvm::SmallVector<unsigned> unknownCallers;
};

/// Return true if the program may be linked with another body of `function`:
/// its linkage says so.
bool mayBeReplaced(mlir::func::FuncOp function);

/// Return true if what is outside of the module may call `function`: it is
/// public, has a C interface, which is public in any case, or may be replaced.
bool isCalledFromOutside(mlir::func::FuncOp function);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_FUNCTIONGRAPH_H
