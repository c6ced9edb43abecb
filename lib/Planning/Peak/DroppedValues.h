//===- DroppedValues.h - What canonicalization removes ----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_DROPPEDVALUES_H
#define BUFFER_MERGE_LIB_PLANNING_DROPPEDVALUES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace buffer_merge {
struct FunctionContext;

/// The memrefs that canonicalization removes, with which the stock deallocation
/// begins: results of operations of `scf` and arguments of their regions that
/// nothing uses. What is only passed on as one of these is not in use there.
class DroppedValues {
public:
  explicit DroppedValues(const FunctionContext &context);

  /// Return true if `value` is removed.
  bool contains(mlir::Value value) const { return values.contains(value); }

  /// Return true if `use` is removed with the values that it passes something
  /// on as.
  bool contains(mlir::OpOperand &use) const { return uses.contains(&use); }

private:
  llvm::DenseSet<mlir::Value> values;
  llvm::DenseSet<mlir::OpOperand *> uses;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_DROPPEDVALUES_H
