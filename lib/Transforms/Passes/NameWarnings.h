//===- NameWarnings.h - Names that nothing looks at -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_NAMEWARNINGS_H
#define BUFFER_MERGE_LIB_TRANSFORMS_NAMEWARNINGS_H

#include "mlir/IR/Operation.h"

namespace buffer_merge {
/// Emit a warning, with the nearest name that there is, for each attribute of
/// an operation inside `root`, or of an argument of a function, that is named
/// `buffer_merge.` and something else than what this project reads or writes.
void warnAboutAttributes(mlir::Operation *root);

/// Emit a warning, with what makes memrefs of tensors, if `root` is a top-level
/// operation in which operations compute tensors and no value is a memref.
void warnAboutTensors(mlir::Operation *root);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_NAMEWARNINGS_H
