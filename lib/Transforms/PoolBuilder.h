//===- PoolBuilder.h - Making pools -----------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_POOLBUILDER_H
#define BUFFER_MERGE_LIB_TRANSFORMS_POOLBUILDER_H

#include "buffer-merge/Transforms/BufferMerge.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

namespace buffer_merge {
/// Makes and frees pools. Several pools of one scope are made in the order in
/// which they are asked for.
class PoolBuilder {
public:
  /// `plan` must outlive the object.
  PoolBuilder(mlir::RewriterBase &rewriter, const BufferMergeOptions &options,
              const MergePlan &plan)
      : rewriter(rewriter), options(options), mergePlan(plan) {}

  /// Make `plan`'s pool available at the front of its scope. Return a memref
  /// of i8 that views can be made of.
  mlir::Value create(const PoolPlan &plan);

  /// Make the global that the plan has for `function` in `memorySpace` or, if
  /// that is not null, in `region`, unless it is one that entries share and
  /// that is there already. Return its memref, which is taken at the insertion
  /// point.
  mlir::Value createGlobal(mlir::func::FuncOp function,
                           mlir::Attribute memorySpace,
                           const PoolRegion *region = nullptr);

  /// Return the constant `offset`, at which a view of `pool` begins. There is
  /// one behind the pools at the front of a scope, for all views of these, and
  /// one behind each pool that is made later.
  mlir::Value getOffset(mlir::Value pool, int64_t offset);

  /// Free `pool` wherever control leaves its scope (R3 deallocations), if it is
  /// a kind of pool that is freed. If the program frees nothing itself, mark
  /// what passes that insert deallocations must leave alone. Return what was
  /// created for that. The operations of the plan must still be there.
  llvm::SmallVector<mlir::Operation *> freeAtExits(const PoolPlan &plan,
                                                   mlir::Value pool);

  /// Let `pool` be dynamic memory of its kernel. Add to `views` what the
  /// buffers have become.
  void buildKernelPool(const RuntimePool &pool,
                       llvm::SmallVectorImpl<mlir::Value> &views);

  /// Take back `pool`, of which no view was made.
  void discard(const PoolPlan &plan, mlir::Value pool);

  /// Erase the constants of `getOffset` that nothing uses.
  void eraseUnusedOffsets();

  /// Say what is to be known of the globals that were made in the attribute
  /// `globalsAttrName` of the modules that they are in.
  void describeGlobals();

private:
  mlir::RewriterBase &rewriter;
  const BufferMergeOptions &options;
  const MergePlan &mergePlan;
  /// What has been made of the globals of the plan.
  llvm::DenseMap<const StaticGlobal *, mlir::memref::GlobalOp> globals;
  /// The last operation of the last pool of each scope.
  llvm::DenseMap<mlir::Region *, mlir::Operation *> lastOps;
  /// The scopes of the pools that are at their front.
  llvm::DenseMap<mlir::Value, mlir::Region *> fronts;
  /// Constants by offset, and the last one that was made.
  struct Offsets {
    llvm::DenseMap<int64_t, mlir::Value> constants;
    mlir::Operation *last = nullptr;
  };
  /// Those of the pools at the front of a scope, and of each other pool.
  llvm::DenseMap<mlir::Region *, Offsets> frontOffsets;
  llvm::DenseMap<mlir::Value, Offsets> offsets;
  mlir::SymbolTableCollection symbolTables;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_POOLBUILDER_H
