//===- NeededMemory.h - The memory that a plan asks for ---------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_NEEDEDMEMORY_H
#define BUFFER_MERGE_LIB_REPORT_NEEDEDMEMORY_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Memory that something other than the functions of a plan provides: an arena
/// that a function is given from outside of the module, or a global.
struct NeededMemory {
  /// What names in C and in linker scripts begin with: `LAYERS_ARENA`. No two
  /// of one plan are the same.
  std::string name;
  /// What it is, as it can be in a comment.
  std::string what;
  int64_t bytes, alignment;
  /// Null for an arena.
  const StaticGlobal *global;
  /// The function that is given the arena; null for a global.
  mlir::func::FuncOp function;
};

/// Return `name` as a part of the name of a macro.
std::string toMacro(llvm::StringRef name);

/// Return `text`, in which there may be any names, as it can be in one line of
/// a comment in C.
std::string toComment(llvm::StringRef text);

/// Return the memory that `plan` asks for: arenas in the order of the
/// functions, or globals in the order of the plan.
llvm::SmallVector<NeededMemory, 0> listNeededMemory(const MergePlan &plan);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_NEEDEDMEMORY_H
