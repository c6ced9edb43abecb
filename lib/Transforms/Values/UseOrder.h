//===- UseOrder.h - The order of the uses of a value ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_USEORDER_H
#define BUFFER_MERGE_LIB_TRANSFORMS_USEORDER_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace buffer_merge {
/// The order that the uses of a value have when the object is made. Bytecode
/// keeps it, so what is taken back must take it back as well.
class UseOrder {
public:
  explicit UseOrder(mlir::Value value);

  /// Let the uses have that order again. Those that the value did not have
  /// come first.
  void restore();

private:
  mlir::Value value;
  /// By use, its place; places begin with 1.
  llvm::DenseMap<mlir::OpOperand *, size_t> places;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_USEORDER_H
