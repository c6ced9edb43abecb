//===- What callees do with buffers -----------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_CALLEESUMMARIES_H
#define BUFFER_MERGE_LIB_ANALYSIS_CALLEESUMMARIES_H

#include "Analysis/BufferUses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace buffer_merge {
/// The attribute of an argument that provides the memory of a pool
/// (`pool=arena`): only the function uses this memory while it runs. A buffer
/// that is passed as this argument is not merged. The function gets an
/// attribute of the same name with the size and alignment that it needs, once
/// they are known.
inline constexpr llvm::StringLiteral arenaAttrName("buffer_merge.arena");

/// What a function does with one argument: a memref, or another value that may
/// hold the address of a buffer (`mayHoldAddress`).
struct ArgumentSummary {
  /// The function, or what it calls, may read or write bytes of the buffer.
  bool isAccessed = false;
  /// Why the caller must not merge a buffer that it passes: the function keeps
  /// its address, frees it, or starts work that may access it after the
  /// function returns. A coroutine may itself run after it returns.
  std::optional<UnmergeableReason> escape;
  /// The alignment of the memref that the function relies on, in bytes, a power
  /// of two; 1 if it relies on none (`getNeededAlignment`).
  int64_t alignment = 1;
  /// The results that may be the buffer, views of it, or hold its address, in
  /// ascending order.
  llvm::SmallVector<unsigned, 1> results;
  /// The results that may be clones of the buffer (`BufferAliases`).
  llvm::SmallVector<unsigned, 1> clonedResults;

  /// Return true if result `index` of the function may be the buffer or a view
  /// of it, or hold its address.
  bool mayBeResult(unsigned index) const {
    return llvm::is_contained(results, index);
  }
  /// Return true if result `index` of the function may be a clone of the
  /// buffer.
  bool mayBeCloned(unsigned index) const {
    return llvm::is_contained(clonedResults, index);
  }
};

/// Analyzes the bodies of called functions, so that a call is as precise as the
/// callee's body instead of worst-case.
///
/// ```
///   func.func @callee(%a: memref<4xf32>, %b: memref<4xf32>) -> memref<4xf32> {
///     memref.dealloc %b                     // %a: result 0, not accessed
///     return %a                             // %b: escape = ConditionalDealloc
///   }
/// ```
class CalleeSummaries {
public:
  /// No callee has a summary; all do what `calls` allows.
  explicit CalleeSummaries(CallPolicy calls = CallPolicy::KeepNothing)
      : calls(calls) {}

  /// Summarize the functions that are called inside `root`, if `root` is a
  /// symbol table; a pass on a single function must not read others. Callees
  /// without a body do what `calls` allows. Callees are summarized before their
  /// callers, recursive ones by a fixed point iteration. Linear in the size of
  /// the functions if they are not recursive.
  CalleeSummaries(mlir::Operation *root, CallPolicy calls);

  /// Return the summary of the argument that `operand` of a call, which may
  /// hold an address, is passed to, or null if there is none.
  const ArgumentSummary *lookup(mlir::OpOperand &operand) const;

  /// Return the function that `call` calls if it is summarized, or null.
  mlir::func::FuncOp getCallee(mlir::func::CallOp call) const;

  /// Return what callees without a summary may do with what is passed to them.
  CallPolicy getPolicy() const { return calls; }

  /// Return true if `op` is a call of the function that
  /// `bufferization-lower-deallocations` adds to a module to decide which
  /// buffers are freed. It is recognized by its body.
  bool isDeallocHelperCall(mlir::Operation *op) const;

  /// Return the aliases inside `function`, given the summaries of its callees.
  /// They are reused from the summary of the function where possible.
  std::shared_ptr<const BufferAliases>
  getAliases(mlir::FunctionOpInterface function) const;

private:
  /// A use of an argument by a call with a summarized callee, directly or
  /// through an alias.
  struct ArgumentUse {
    unsigned argument;
    mlir::OpOperand *use;
  };
  /// A function that is summarized.
  struct Function {
    mlir::func::FuncOp op;
    /// `hasKnownControlFlow`.
    bool isControlFlowKnown = true;
    llvm::SmallVector<ArgumentUse, 0> usesByCalls;
    /// Indices of the summarized functions that this function calls, and that
    /// call it.
    llvm::SmallVector<unsigned, 2> callees, callers;
  };

  llvm::SmallVector<Function, 0> collectFunctions(mlir::Operation *root);
  /// Summarize `function` by itself: all but its `usesByCalls`, which are
  /// found.
  void summarize(Function &function);
  /// Add what callees do to the summaries of their callers.
  void propagate(llvm::ArrayRef<Function> functions);

  CallPolicy calls;
  /// Calls to functions with a body that are summarized.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> callees;
  /// By function and number of the argument.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<ArgumentSummary>>
      summaries;
  /// Inside functions that are summarized; null where they depend on callees.
  llvm::DenseMap<mlir::Operation *, std::shared_ptr<const BufferAliases>>
      aliases;
  llvm::SmallPtrSet<mlir::Operation *, 1> deallocHelpers;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_CALLEESUMMARIES_H
