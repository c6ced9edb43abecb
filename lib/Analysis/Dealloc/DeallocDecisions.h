//===- What decides deallocations at run time -------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_DEALLOCDECISIONS_H
#define BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_DEALLOCDECISIONS_H

#include "Analysis/FunctionContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace buffer_merge {
/// Buffers that are merged together or not at all, because which of them is
/// freed is decided by comparing them.
struct DecisionGroup {
  /// The buffers that the comparisons are about.
  llvm::SmallSetVector<mlir::Value, 4> buffers;
  /// The operands of deallocations that depend on the comparisons.
  llvm::SmallSetVector<mlir::OpOperand *, 4> deallocs;
  /// What else depends on them, or null: then none may be merged.
  mlir::Operation *otherUse = nullptr;
};

/// Finds out what the addresses of buffers are used for where MLIR's
/// deallocation passes compare them to decide at run time what is to be freed.
///
/// ```
///   %p = memref.extract_aligned_pointer_as_index %a
///   %q = memref.extract_aligned_pointer_as_index %r   // %r: %a or %b
///   %c = arith.cmpi ne, %p, %q
///   scf.if %c {
///     memref.dealloc %a
///   }
/// ```
///
/// Understood are comparisons of two addresses for equality, lists of addresses
/// that are given to a `dealloc_helper`, and `bufferization.dealloc`.
///
/// The argument why such buffers can be merged: buffers of a pool have another
/// address than anything that is not in the pool, as they had before, as long
/// as the pool is held (`getObservers`). Two of them may have the same one
/// afterwards. So the outcome of a comparison
/// changes only if both sides may be merged buffers, and not both the same one.
/// What depends on such an outcome may be the deallocation of merged buffers
/// alone, which vanishes.
class DeallocDecisions {
public:
  /// `context` must outlive the object.
  explicit DeallocDecisions(const FunctionContext &context);

  /// Return true if the address that `op` extracts serves comparisons alone
  /// that are known here.
  bool isUnderstood(mlir::memref::ExtractAlignedPointerAsIndexOp op) const {
    return understood.contains(op);
  }

  /// Return the origins of what `dealloc`, an operand of a deallocation, may
  /// free, as far as flags of ownership say. Nothing if there are too many
  /// values in between. It is found out once, and valid as long as the object:
  /// all buffers that may be freed together ask for it.
  const std::optional<llvm::SmallVector<mlir::Value>> &
  getFreed(mlir::OpOperand &dealloc) const;

  /// Return the last operation of each block that compares the address that
  /// `op` extracts, which is understood. It may come after every use of the
  /// buffer.
  llvm::ArrayRef<mlir::Operation *>
  getObservers(mlir::memref::ExtractAlignedPointerAsIndexOp op) const {
    return understood.find(op)->second;
  }

  /// Return the groups of buffers, in program order, if those for which
  /// `isCandidate` holds may be merged.
  llvm::SmallVector<DecisionGroup, 0>
  collectGroups(llvm::function_ref<bool(mlir::Value)> isCandidate) const;

private:
  /// What is decided together: by one call of a `dealloc_helper`, or by one
  /// `bufferization.dealloc`. Of `freed`, each is freed if its condition holds,
  /// and if it has another address than all of `retained` and the ones before.
  struct Decision {
    mlir::Operation *op;
    llvm::SmallVector<mlir::Value> freed;
    llvm::SmallVector<mlir::Value> conditions;
    llvm::SmallVector<mlir::Value> retained;
    /// The values that say whether a memref is to be freed, for each of
    /// `freed`; empty for `bufferization.dealloc`, which frees it itself.
    llvm::SmallVector<llvm::SmallVector<mlir::Value, 1>> isFreed;
    /// The values that say whether a memref owns its memory afterwards, for
    /// each of `retained`.
    llvm::SmallVector<llvm::SmallVector<mlir::Value, 1>> isOwned;
  };

  class OutcomeFlow;

  void addHelperCall(mlir::Operation *call);
  void addDealloc(mlir::bufferization::DeallocOp op);

  const BufferAliases &aliases;
  /// What extracts an address that is understood, and the last operation of
  /// each block that compares it.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 1>>
      understood;
  llvm::SmallVector<mlir::arith::CmpIOp> comparisons;
  llvm::SmallVector<Decision, 0> decisions;
  /// Where addresses are stored to lists of decisions, and the calls that are
  /// given the lists.
  llvm::DenseMap<mlir::OpOperand *, mlir::Operation *> addressStores;
  /// The uses of conditions by decisions: which, and for which of `freed`.
  llvm::DenseMap<mlir::OpOperand *, std::pair<size_t, size_t>> conditions;
  /// The conditions without which the values of `Decision::isFreed` are false.
  llvm::DenseMap<mlir::Value, mlir::Value> conditionOf;
  /// What `getFreed` has found.
  mutable llvm::DenseMap<
      mlir::OpOperand *,
      std::unique_ptr<const std::optional<llvm::SmallVector<mlir::Value>>>>
      freedBy;
  mutable DistantOrigins distant;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_DEALLOCDECISIONS_H
