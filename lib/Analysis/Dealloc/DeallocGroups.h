//===- Buffers that deallocations tie together ------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_DEALLOCGROUPS_H
#define BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_DEALLOCGROUPS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"

namespace buffer_merge {
/// Buffers that deallocations tie together. A deallocation that may free one of
/// several buffers is erased with all of them, or stays with all of them:
///
/// ```
///   %x = arith.select %c, %a, %b    // ties a, b
///   memref.dealloc %x
///   %y = arith.select %d, %b, %e    // ties b, e
///   memref.dealloc %y
///   memref.dealloc %f
/// ```
///
/// If `%e` stays, so do `%b` and `%a`. Nothing is said about `%f`.
class DeallocGroups {
public:
  /// Begin with the buffers 0 to `numBuffers` - 1, each by itself.
  explicit DeallocGroups(size_t numBuffers) : groups(numBuffers) {}

  /// Tie `buffer` to the others of the deallocation with the operand `dealloc`.
  /// Return true if it is the first one.
  bool add(mlir::OpOperand *dealloc, unsigned buffer) {
    auto [it, isNew] = anyBuffer.try_emplace(dealloc, buffer);
    groups.join(it->second, buffer);
    return isNew;
  }

  /// Note that `dealloc`, which has a buffer, may free one that stays.
  void addStaying(mlir::OpOperand *dealloc) { staying.push_back(dealloc); }

  /// Return the group of `buffer`: the first one of all that are tied to it.
  unsigned getGroup(unsigned buffer) const { return groups.findLeader(buffer); }

  /// Return the groups that have to stay, each with the deallocation that was
  /// noted first.
  llvm::DenseMap<unsigned, mlir::OpOperand *> findStaying() const {
    llvm::DenseMap<unsigned, mlir::OpOperand *> found;
    for (mlir::OpOperand *dealloc : staying)
      found.try_emplace(getGroup(anyBuffer.lookup(dealloc)), dealloc);
    return found;
  }

private:
  llvm::IntEqClasses groups;
  llvm::DenseMap<mlir::OpOperand *, unsigned> anyBuffer;
  llvm::SmallVector<mlir::OpOperand *> staying;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_DEALLOCGROUPS_H
