//===- The function that decides deallocations at run time ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_DEALLOCHELPER_H
#define BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_DEALLOCHELPER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace buffer_merge {
/// Return true if `function` does what the function does that
/// `bufferization-lower-deallocations` adds to a module (`dealloc_helper`),
/// whatever its name is: given lists of addresses to free, of addresses to
/// retain and of conditions, it says which are to be freed, and which of the
/// retained own their memory. It is compared with what
/// `bufferization::buildDeallocationLibraryFunction` builds, operation by
/// operation; constants may be anywhere. False if that cannot be told.
bool isDeallocHelper(mlir::func::FuncOp function);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_DEALLOCHELPER_H
