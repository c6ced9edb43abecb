//===- What callees do with memrefs -----------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_CALLEESUMMARIES_H
#define BUFFER_MERGE_ANALYSIS_CALLEESUMMARIES_H

#include "buffer-merge/Analysis/BufferUses.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace buffer_merge {
/// The attribute of an argument that a function takes its pool from, if it is
/// asked to: memory that is the function's own for as long as it runs. A buffer
/// that is passed for it is not merged. The function itself has an attribute of
/// the same name, with what it needs of the memory, once that is known.
inline constexpr llvm::StringLiteral arenaAttrName("buffer_merge.arena");

/// What a function does with one memref that it is given.
struct ArgumentSummary {
  /// The function, or what it calls, may read or write bytes of the memref.
  bool isAccessed = false;
  /// Why the caller must not merge a buffer that it passes: the function keeps
  /// the memref somewhere, frees it, or lets something access it that may still
  /// be running when it returns.
  std::optional<UnmergeableReason> escape;
  /// Bytes that the function takes the memref to be aligned to, a power of two;
  /// 1 if it takes nothing for granted (`getNeededAlignment`).
  int64_t alignment = 1;
  /// The results that may be views of the memref, in ascending order.
  llvm::SmallVector<unsigned, 1> results;

  /// Return true if result `index` of the function may be a view of the memref.
  bool mayBeResult(unsigned index) const {
    return llvm::is_contained(results, index);
  }
};

/// Looks into the bodies of called functions, so that a call means for a buffer
/// what the callee does and not what any callee might.
///
/// ```
///   func.func @callee(%a: memref<4xf32>, %b: memref<4xf32>) -> memref<4xf32> {
///     memref.dealloc %b                     // %a: result 0, not accessed
///     return %a                             // %b: escape = ConditionalDealloc
///   }
/// ```
class CalleeSummaries {
public:
  /// Know no callee.
  CalleeSummaries() = default;

  /// Summarize the functions that are called inside `root`, if `root` is a
  /// symbol table; a pass on a single function must not look at others. Callees
  /// without a body do what `calls` allows. Recursion is followed to a fixed
  /// point.
  CalleeSummaries(mlir::Operation *root, CallPolicy calls);

  /// Return what the callee does with `operand`, an operand of memref type of a
  /// call, or null if it is not known.
  const ArgumentSummary *lookup(mlir::OpOperand &operand) const;

  /// Return true if `op` is a call of the function that
  /// `bufferization-lower-deallocations` adds to a module to decide what is to
  /// be freed, which is recognized by its body.
  bool isDeallocHelperCall(mlir::Operation *op) const;

  /// Return the aliases inside `function`, with what is known of its callees.
  /// Where a summary of the function needed the same, they are not found again.
  std::shared_ptr<const BufferAliases>
  getAliases(mlir::FunctionOpInterface function) const;

private:
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

#endif // BUFFER_MERGE_ANALYSIS_CALLEESUMMARIES_H
