//===- HeapScopes.h - Functions and scopes, inside out ----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a scope holds is known when it is known what its callees and its inner
// scopes hold: the order in which `ProgramHeap` goes through a program.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_HEAPSCOPES_H
#define BUFFER_MERGE_LIB_PLANNING_HEAPSCOPES_H

#include "Analysis/FunctionContext.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace buffer_merge {
/// An alloc scope, or the body of a function, and a memory space.
using HeapKey = std::pair<mlir::Region *, mlir::Attribute>;

/// Functions that may call each other, most often one.
struct CallComponent {
  struct Call {
    mlir::Operation *op;
    /// The member that it is in.
    mlir::Operation *caller;
    /// The function that is called; null if it is not known or has no body.
    mlir::Operation *callee;
    /// The callee may call the caller: it is a member.
    bool isRecursive;
  };

  llvm::SmallVector<mlir::FunctionOpInterface, 1> members;
  /// Those in the members.
  llvm::SmallVector<Call, 0> calls;
};

/// Return the functions inside of `root`, callees first.
llvm::SmallVector<CallComponent, 0> findCallComponents(mlir::Operation *root);

/// Return the alloc scope of `inside`, or the body of the function if it has
/// none.
mlir::Region *findHeapScope(const FunctionContext &context,
                            mlir::Operation *inside);

/// Return `keys` of one function, with those of all scopes around, the
/// innermost first; of one depth, in the order in which they were found.
llvm::SmallVector<HeapKey> sortInsideOut(const FunctionContext &context,
                                         llvm::ArrayRef<HeapKey> keys);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_HEAPSCOPES_H
