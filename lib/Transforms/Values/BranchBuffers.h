//===- BranchBuffers.h - One allocation for exclusive branches --*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_BRANCHBUFFERS_H
#define BUFFER_MERGE_LIB_TRANSFORMS_BRANCHBUFFERS_H

#include "UseOrder.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"
#include "buffer-merge/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseSet.h"

namespace buffer_merge {
struct MergePlan;

/// Lets the allocations of exclusive branches that leave them as one result be
/// one allocation in front of the branch, and can take that back: only one of
/// them is ever executed, but their lifetimes meet after the branch.
///
/// ```
///   %r = scf.if %c {                      %a = memref.alloc()
///     %a = memref.alloc()                 %r = scf.if %c {
///     linalg.fill outs(%a)                  linalg.fill outs(%a)
///     scf.yield %a               ==>        scf.yield %a
///   } else {                              } else {
///     %b = memref.alloc()                   linalg.copy outs(%a)
///     linalg.copy outs(%b)                  scf.yield %a
///     scf.yield %b                        }
///   }                                     memref.load %r[%i]
///   memref.load %r[%i]
/// ```
///
/// The branches are those of `scf.if` and `scf.index_switch`, and blocks with
/// one predecessor that pass the memrefs to an argument of one block. The
/// allocations have the same type and attributes, a static shape and the
/// default memory space, and nothing is allocated, freed or called in front of
/// them in their branches: so the heap holds as much at any time as before.
/// Device code stays as it is: its threads may be in several branches at once.
class BranchBuffers {
public:
  /// Unite what can be united inside `root`.
  void unite(mlir::Operation *root, const SplitBuffersOptions &options);

  /// Return the functions in which an allocation for several branches has no
  /// place in a pool of `plan`.
  llvm::DenseSet<mlir::Operation *> findUnmerged(const MergePlan &plan) const;

  /// Take back what was united in `functions`, as if it had never been. What
  /// was done to them since then must have been taken back before.
  void separate(const llvm::DenseSet<mlir::Operation *> &functions);

  /// Take back everything.
  void separateAll();

  /// Keep what is united.
  void commit();

  /// Return for each allocation of several branches where the others were.
  BranchBufferMap getUnited() const;

private:
  /// One allocation that became another one, `alloc`, which was moved.
  struct United {
    mlir::memref::AllocOp alloc;
    /// The function that holds it.
    mlir::Operation *function;
    /// The operation that `alloc` was in front of.
    mlir::Operation *next;
    struct Other {
      mlir::memref::AllocOp alloc;
      mlir::Operation *next;
      llvm::SmallVector<mlir::OpOperand *, 4> uses;
    };
    llvm::SmallVector<Other, 1> others;
    /// The uses of all of them.
    llvm::SmallVector<UseOrder, 2> orders;
  };

  bool canBeFirst(mlir::memref::AllocOp alloc);
  mlir::memref::AllocOp findMovable(mlir::Value value, mlir::Block *block);
  static void undo(United &entry);
  void uniteAt(mlir::Operation *place,
               llvm::ArrayRef<mlir::memref::AllocOp> allocs);
  void uniteResults(mlir::Operation *branch);
  void uniteArguments(mlir::Block *block);

  /// May allocations in front of the operation be moved?
  llvm::function_ref<bool(mlir::Operation *)> isHost = nullptr;
  llvm::SmallVector<United, 0> united;
  /// By block, the allocations that can be executed at its front.
  llvm::DenseMap<mlir::Block *, llvm::DenseSet<mlir::Operation *>> firstAllocs;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_BRANCHBUFFERS_H
