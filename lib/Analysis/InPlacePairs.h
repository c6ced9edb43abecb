//===- Buffers that may be in place of each other ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_INPLACEPAIRS_H
#define BUFFER_MERGE_LIB_ANALYSIS_INPLACEPAIRS_H

#include "Analysis/FunctionContext.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"

namespace buffer_merge {
/// Finds buffers that may be in place of each other.
class InPlacePairs {
public:
  /// `lifetimes` have the contexts of all functions. Both must outlive the
  /// object.
  InPlacePairs(const BufferLifetimes &lifetimes,
               const BufferLifetimesOptions &options)
      : lifetimes(lifetimes), options(options) {}

  /// Return which of `buffers` may be in place of each other: mergeable or
  /// those of run-time size of one scope and memory space that die and begin in
  /// one operation, of which `options.getInPlaceCondition` says that it works
  /// in place; or in one call, of which the body of the callee shows it.
  ///
  /// `buffers` are all those of one function and their values (others are
  /// skipped); `context` is of that function. The order of the result is as
  /// `BufferLifetimes::getInPlaceBuffers` has it. An operation with more than
  /// 64 operands is not looked at.
  llvm::SmallVector<InPlaceBuffers>
  find(llvm::ArrayRef<const BufferLifetime *> buffers,
       const FunctionContext &context);

  /// Return those of `results`, allocations that the function of `context`
  /// returns, that can hold others and whose uses are understood, with those of
  /// `buffers`, the ones of that function, that they may be in place of.
  llvm::SmallVector<LentResult, 0>
  findLentResults(llvm::ArrayRef<const BufferLifetime *> results,
                  llvm::ArrayRef<const BufferLifetime *> buffers,
                  const FunctionContext &context);

private:
  using Condition = std::optional<InPlaceCondition>;

  /// Return the condition of one pair of operands of an operation.
  Condition getCondition(mlir::OpOperand &read, mlir::OpOperand &written,
                         const FunctionContext &context);
  /// Return the condition under which `op`, the last access of `earlier` and
  /// the first one of `later`, works in place, or nothing.
  Condition checkOperation(mlir::Operation *op, mlir::Value earlier,
                           mlir::Value later, const FunctionContext &context);
  /// Return the same for buffers.
  Condition checkBuffers(mlir::Operation *op, const BufferLifetime &earlier,
                         const BufferLifetime &later,
                         const FunctionContext &context);
  /// Return the condition under which two arguments of one function, of which
  /// the callers do not need the contents of `earlier` after the call and those
  /// of `later` before it, may share bytes, or nothing.
  Condition checkArguments(mlir::BlockArgument earlier,
                           mlir::BlockArgument later);

  const BufferLifetimes &lifetimes;
  const BufferLifetimesOptions &options;
  /// By function and numbers of arguments, what `checkArguments` returned;
  /// nothing for what is being computed.
  llvm::DenseMap<std::tuple<mlir::Operation *, unsigned, unsigned>, Condition>
      known;
  /// How many calls lead to the function that is looked at.
  unsigned depth = 0;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_INPLACEPAIRS_H
