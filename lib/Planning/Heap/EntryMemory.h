//===- EntryMemory.h - RAM and flash of each entry --------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a target without a heap must have for each function that is called from
// outside of the module. Sums of what the program says; what the compiler adds,
// such as frames and code, is not known here.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_ENTRYMEMORY_H
#define BUFFER_MERGE_LIB_PLANNING_ENTRYMEMORY_H

#include "Footprint.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace buffer_merge {
/// A memref that an entry is given, of known size, other than its arena.
struct EntryArgument {
  unsigned number;
  /// The alignment is that of the elements, or what `llvm.align` promises.
  int64_t bytes, alignment;
  /// The entry writes it.
  bool isOutput;
};

/// The bytes of one function and of all that it calls.
struct EntryMemory {
  mlir::func::FuncOp function;
  /// The globals and arenas that hold its pools.
  int64_t poolBytes = 0;
  /// The most bytes that are allocated at one time beside these.
  int64_t heapBytes = 0;
  /// The allocations on the stack along the path of calls that has most.
  int64_t stackBytes = 0;
  /// Globals of the program with a value: those that are constant, and others.
  int64_t constantBytes = 0, variableBytes = 0;
  /// Memrefs that it is given and only reads, and those that it writes or
  /// returns.
  int64_t inputBytes = 0, outputBytes = 0;
  /// In their order.
  llvm::SmallVector<EntryArgument, 4> arguments;
  /// What these numbers lack, without a final period.
  llvm::SmallVector<llvm::StringRef, 2> unknown;
};

/// Return the memory of each function that `plan`, which has arenas, may see
/// called from outside of the module, in the order of the program. `footprint`
/// is that of the plan.
llvm::SmallVector<EntryMemory, 0>
computeEntryMemory(const MergePlan &plan, const Footprint &footprint);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_ENTRYMEMORY_H
