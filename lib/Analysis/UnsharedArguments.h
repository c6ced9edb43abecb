//===- UnsharedArguments.h - What all callers show of arguments -*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_UNSHAREDARGUMENTS_H
#define BUFFER_MERGE_LIB_ANALYSIS_UNSHAREDARGUMENTS_H

#include "Analysis/FunctionGraph.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"

namespace buffer_merge {
/// Finds the arguments that nothing but the function accesses while it runs,
/// because each of its callers shows that.
///
/// ```
///   %a = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
///   %b = memref.alloc() : memref<4xf32>
///   func.call @f(%a, %b)    // both, if @f is private and this its only call
///   func.call @g(%a, %a)    // none
/// ```
class UnsharedArguments {
public:
  /// `lifetimes` must outlive the object.
  explicit UnsharedArguments(const BufferLifetimes &lifetimes)
      : lifetimes(lifetimes) {}

  /// Return false if `getAlignment` knows nothing of the arguments of
  /// `function`: a quick answer.
  bool mayKnowCallers(mlir::func::FuncOp function) const;

  /// Return what the address of argument `index` of `function`, a memref, is a
  /// multiple of at each call, a power of two; or nothing if a call is not
  /// known, or something else may access the memref during a call.
  std::optional<int64_t> getAlignment(mlir::func::FuncOp function,
                                      unsigned index);

  /// Return who calls whom inside of the root of the lifetimes.
  const FunctionGraph &getGraph();

private:
  /// Return the node of `function` if all of its callers are known, or null.
  const FunctionGraph::Function *findNode(mlir::func::FuncOp function);
  std::optional<int64_t> compute(mlir::func::FuncOp function, unsigned index);
  std::optional<int64_t> checkCall(mlir::func::CallOp call, unsigned index);

  const BufferLifetimes &lifetimes;
  /// Made when it is needed.
  std::optional<FunctionGraph> graph;
  /// What was returned. Nothing for what is being computed: an argument that
  /// recursive functions pass on to each other is not known.
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, std::optional<int64_t>>
      known;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_UNSHAREDARGUMENTS_H
