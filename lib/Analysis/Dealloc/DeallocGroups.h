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
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace buffer_merge {
/// Buffers that deallocations tie together. A deallocation that may free one of
/// several buffers is erased with all of them, or stays with all of them:
///
/// ```
///   %x = arith.select %c, %a, %b    // group 1: a, b
///   memref.dealloc %x
///   %y = arith.select %d, %b, %e    // group 2: b, e
///   memref.dealloc %y
///   memref.dealloc %f               // group 3: f
/// ```
///
/// If `%e` stays, so does `%b`, because of group 2, and then `%a`, because of
/// group 1. Nothing is said about `%f`.
///
/// There is one group for each deallocation, known by its operand. Numbers
/// stand for the buffers that need not stay as far as is known. Of the others
/// it is enough to know which groups hold one (`addStaying`).
class DeallocGroups {
public:
  /// Begin without groups, for the buffers 0 to `numBuffers` - 1.
  explicit DeallocGroups(size_t numBuffers) : numBuffers(numBuffers) {}

  /// Add an empty group for the deallocation with the operand `dealloc`. Return
  /// false if there is one already.
  bool insert(mlir::OpOperand *dealloc);

  /// Add a buffer, less than `numBuffers`, to the group of `dealloc`, which is
  /// there. Idempotent.
  void add(mlir::OpOperand *dealloc, unsigned buffer);

  /// Note that the group of `dealloc`, which is there, holds a buffer that
  /// stays.
  void addStaying(mlir::OpOperand *dealloc);

  /// A buffer that has to stay, and a deallocation that ties it to another one
  /// that does.
  struct Tied {
    unsigned buffer;
    mlir::OpOperand *dealloc;
  };

  /// Return the buffers that have to stay because of `addStaying`, each once.
  /// Their order, and which deallocation is named if there are several, follow
  /// from the order of the groups. Takes O(n log n) time for groups of n
  /// buffers in all.
  llvm::SmallVector<Tied> findStaying() const;

  /// Return `buffers` and all that groups tie to them, directly or through
  /// others, whether these stay or not. Takes O(n) time.
  llvm::BitVector findTied(llvm::ArrayRef<unsigned> buffers) const;

private:
  struct Group {
    llvm::SmallVector<unsigned, 2> buffers;
    bool isStaying = false;
  };

  /// Return the indices of the groups that each buffer is in.
  llvm::SmallVector<llvm::SmallVector<unsigned, 1>> listGroups() const;

  size_t numBuffers;
  llvm::MapVector<mlir::OpOperand *, Group> groups;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_DEALLOC_DEALLOCGROUPS_H
