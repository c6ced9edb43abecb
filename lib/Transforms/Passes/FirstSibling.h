//===- FirstSibling.h - Which part of a module has errors -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_FIRSTSIBLING_H
#define BUFFER_MERGE_LIB_TRANSFORMS_FIRSTSIBLING_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace buffer_merge {
/// Return true if `op` is the first operation of its name in its block. A pass
/// that runs on the parts of a module, in several threads, says of one of them
/// what is wrong with all: not of the one that is reached first.
inline bool isFirstSibling(mlir::Operation *op) {
  return op == &*llvm::find_if(*op->getBlock(), [&](mlir::Operation &other) {
           return other.getName() == op->getName();
         });
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_FIRSTSIBLING_H
