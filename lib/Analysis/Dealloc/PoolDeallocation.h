//===- Whether a pool may be freed in place of its buffers ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_POOLDEALLOCATION_H
#define BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_POOLDEALLOCATION_H

#include "DeallocDecisions.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"

namespace buffer_merge {
/// Finds out for the buffers of one function whether the deallocation of a pool
/// can stand for those of its buffers, and whether somebody else would free it.
class PoolDeallocation {
public:
  /// `context` must outlive the object.
  explicit PoolDeallocation(const FunctionContext &context)
      : function(context.function), decisions(context) {}

  /// Return true if `dealloc`, an operand of a deallocation that is an alias of
  /// the buffer of `alloc`, may free it.
  bool mayFree(mlir::OpOperand &dealloc, mlir::Value alloc) const;

  /// Return true if the address that `op` extracts serves comparisons alone
  /// that decide what is freed. `refuseUnfreeable` looks at them.
  bool isUnderstood(mlir::memref::ExtractAlignedPointerAsIndexOp op) const {
    return decisions.isUnderstood(op);
  }

  /// Return the last operation of each block that compares that address.
  llvm::ArrayRef<mlir::Operation *>
  getObservers(mlir::memref::ExtractAlignedPointerAsIndexOp op) const {
    return decisions.getObservers(op);
  }

  /// Return true if `ownership-based-buffer-deallocation` may run on the
  /// function later and would have to follow views of a pool of `scope` from
  /// block to block.
  bool needsManualDealloc(mlir::Region *scope);

  /// Refuse those of `buffers`, all of the function, whose deallocations cannot
  /// vanish: that share one with a buffer that stays (`DeallocGroup`), or of
  /// which the addresses decide something else (`AddressTaken`). And those that
  /// may still be in use where their pool would be freed (`Asynchronous`). Adds
  /// to `deallocs` of the others what depends on comparisons of their
  /// addresses.
  void refuseUnfreeable(llvm::MutableArrayRef<BufferLifetime> buffers) const;

private:
  void checkGroups(llvm::MutableArrayRef<BufferLifetime> buffers) const;

  mlir::FunctionOpInterface function;
  DeallocDecisions decisions;
  /// What `needsManualDealloc` has found out about the function, and about
  /// scopes.
  std::optional<bool> isWithoutDeallocs;
  llvm::DenseMap<mlir::Region *, bool> manualScopes;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_POOLDEALLOCATION_H
