//===- LentArguments.h - Arguments that may hold buffers --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A caller may lend the bytes of a memref that it passes: for as long as the
// function does not need what is in them, they can hold buffers. (XLA calls
// inputs of which the caller gives up the contents donated.)
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_LENTARGUMENTS_H
#define BUFFER_MERGE_LIB_ANALYSIS_LENTARGUMENTS_H

#include "Analysis/FunctionContext.h"
#include "Analysis/UnsharedArguments.h"

namespace buffer_merge {
/// The attribute of an argument that says: nothing but the function accesses
/// these bytes while it runs, or needs what is in them afterwards.
inline constexpr llvm::StringLiteral donatedAttrName("buffer_merge.donated");

/// The attribute of an argument that says: nothing but the function accesses
/// these bytes while it runs.
inline constexpr llvm::StringLiteral outputAttrName("buffer_merge.output");

/// Return what the address of argument `index` of `function` is promised to be
/// a multiple of: by `llvm.align`, or 1.
int64_t getPromisedAlignment(mlir::func::FuncOp function, unsigned index);

/// Return the same if the caller lends its bytes; nothing
/// if not.
std::optional<int64_t> getLentAlignment(mlir::func::FuncOp function,
                                        unsigned index);

/// Return the operands that access `memory`, an argument of the function of
/// `context` or, with `isReturned`, an allocation that it may return, in the
/// order of execution, or nothing if it has a use that is not understood.
std::optional<llvm::SmallVector<mlir::OpOperand *>>
collectAccesses(mlir::Value memory, const FunctionContext &context,
                bool isReturned = false);

/// Return the ticks at which `accesses` to an argument, or to an allocation as
/// if it were at the front of the function, need its bytes, or nothing if that
/// is not known.
std::optional<TickRange> coverAll(llvm::ArrayRef<mlir::OpOperand *> accesses,
                                  const FunctionContext &context);

/// An argument of a function that may hold buffers.
struct LentArgument {
  /// Of static shape, row-major without a layout.
  mlir::BlockArgument value;
  /// Its bytes, 1 or more, and what its address is a multiple of: as its
  /// element type needs, or what `llvm.align` says.
  int64_t bytes, alignment;
  /// The ticks, a closed interval, at which it holds what is its own: up to the
  /// last access if it is donated; from the operation that overwrites all of it
  /// to the end if it is an output. At all others it is free.
  TickRange busy;
};

/// Return the arguments of the function of `context` that may hold buffers, in
/// their order: those with one of the attributes, and outputs that `unshared`
/// proves to be such ones. There are none with uses that are not understood, of
/// which a part may be needed at the end, and none that the function does not
/// access: callers take its bytes for idle during the call then.
llvm::SmallVector<LentArgument, 0>
findLentArguments(const FunctionContext &context, UnsharedArguments &unshared);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_LENTARGUMENTS_H
