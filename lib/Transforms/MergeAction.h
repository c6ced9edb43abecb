//===- Merges as actions ----------------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_MERGEACTION_H
#define BUFFER_MERGE_LIB_TRANSFORMS_MERGEACTION_H

#include "buffer-merge/Planning/MergePlan.h"
#include "mlir/IR/Action.h"

namespace buffer_merge {
/// One merge: an allocation is replaced by a view of its pool, and its
/// deallocations vanish. Buffers that share a deallocation are one merge, for
/// it vanishes or stays as a whole, and so are the values of an allocation.
///
/// A handler that does not execute the action leaves the allocation and its
/// deallocations as they are; the pool keeps its size, and the offsets of the
/// others stay valid. The IR units of the action are the allocations, and the
/// attributions as values.
class MergeAction : public mlir::tracing::ActionImpl<MergeAction> {
public:
  using Base = mlir::tracing::ActionImpl<MergeAction>;
  MergeAction(llvm::ArrayRef<mlir::IRUnit> allocs) : Base(allocs) {}

  static constexpr llvm::StringLiteral tag = "buffer-merge";

  void print(llvm::raw_ostream &os) const override;
};

/// The buffers of one merge, each as the number of its pool and its number in
/// the pool.
using MergeUnit = llvm::ArrayRef<std::pair<size_t, size_t>>;

/// Call `merge` for all buffers of `pools`: as one action for each merge, in
/// the order of their first buffers, if `context` has an action handler, and
/// without further ado if not.
void forEachMerge(llvm::ArrayRef<const PoolPlan *> pools,
                  mlir::MLIRContext *context,
                  llvm::function_ref<void(MergeUnit)> merge);
} // namespace buffer_merge

MLIR_DECLARE_EXPLICIT_TYPE_ID(buffer_merge::MergeAction)

#endif // BUFFER_MERGE_LIB_TRANSFORMS_MERGEACTION_H
