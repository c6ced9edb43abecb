//===- BufferParts.h - Allocations that are split for a time ----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_BUFFERPARTS_H
#define BUFFER_MERGE_LIB_TRANSFORMS_BUFFERPARTS_H

#include "UseOrder.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"
#include "buffer-merge/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace buffer_merge {
class CalleeSummaries;

class Webs;
struct MergePlan;

/// Splits allocations as `splitBuffers` does, and can take that back.
class BufferParts {
public:
  /// Split all allocations inside `root` that can be split.
  void split(mlir::Operation *root, const SplitBuffersOptions &options);

  /// Join the parts of each allocation for which `shouldJoin` returns true:
  /// these are afterwards as if they had never been split. Return true if there
  /// were any.
  bool join(llvm::function_ref<bool(llvm::ArrayRef<mlir::memref::AllocOp>)>
                shouldJoin);

  /// Join all.
  void joinAll() {
    join([](llvm::ArrayRef<mlir::memref::AllocOp>) { return true; });
  }

  /// Join the allocations that would not become parts of pools of `plan` in
  /// all of their parts, so that there are never more allocations than before.
  /// Return true if there were any: `plan` is stale then.
  bool joinWhatStays(const MergePlan &plan);

  /// Return true if no plan in which all parts are joined would have a smaller
  /// pool than `plan`. False means that it is not known.
  bool areProvedToHelp(const MergePlan &plan) const;

  /// Keep what is split: erase the views that no value uses any more.
  void commit();

  /// Return the parts of allocations that are split, by their operations.
  BufferPartMap getParts() const;

  /// Return what is split.
  SplitBuffersResult getCounts() const;

private:
  struct Split {
    llvm::SmallVector<mlir::memref::AllocOp, 2> parts;
    llvm::SmallVector<mlir::Operation *, 2> begins;
    /// The uses of what had them before.
    llvm::MapVector<mlir::Value, UseOrder> orders;
    /// The operands that were changed, and what they were.
    llvm::SmallVector<std::pair<mlir::OpOperand *, mlir::Value>> changed;
    /// Views and deallocations that were added, views after their sources.
    llvm::SmallVector<mlir::Operation *> added;
    /// The views that may no longer be used, after their sources.
    llvm::SetVector<mlir::Operation *> oldViews;
  };

  void splitFunction(mlir::FunctionOpInterface function,
                     llvm::ArrayRef<mlir::memref::AllocOp> allocs,
                     const CalleeSummaries &callees);
  void apply(mlir::memref::AllocOp alloc,
             llvm::ArrayRef<mlir::OpOperand *> uses, const Webs &webs);
  static void undo(Split &split);

  llvm::SmallVector<Split, 0> splits;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_BUFFERPARTS_H
