//===- HandDown.h - Allocated pools with parts for callees ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With `MergePlanOptions::handDown`, a private function whose callers are all
// known has its pool inside of theirs, as with `PoolStorage::Arena`
// (`ArenaPlan`). What is at the top is allocated, and so must not raise the
// peak (R7 peak).
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_HANDDOWN_H
#define BUFFER_MERGE_LIB_PLANNING_HANDDOWN_H

#include "ArenaPlan.h"
#include "Planning/Heap/ProgramHeap.h"

namespace buffer_merge {
/// Chooses the functions that hand parts of their allocated pools down to their
/// callees. A plan is made with those that may, and made again without those
/// that `refuse` finds, until there are none:
///
///   do: plan = scheduled; place(plan); ...; while (refuse(plan));
class HandDown {
public:
  /// All pools of `scheduled` are allocated or not made. It and `lifetimes`
  /// must outlive the object.
  HandDown(const BufferLifetimes &lifetimes, const MergePlan &scheduled,
           const MergePlanOptions &options);

  /// Put pools of `plan`, a copy of the scheduled one, into those of callers.
  llvm::LogicalResult place(mlir::ModuleOp module, MergePlan &plan,
                            PlanMessages &messages);

  /// Find pools of `plan` that exceed their capacity or save too little with
  /// what they hand down, or raise the peak: in no later plan they hand
  /// anything down. Return true if there are any.
  bool refuse(MergePlan &plan);

private:
  const PoolPlan *lookup(const PoolPlan &pool) const;
  llvm::DenseSet<const PoolPlan *> choose(const ArenaPlan &arenas,
                                          MergePlan &plan) const;
  bool isWorthIt(const PoolPlan &pool) const;
  bool raisesPeak(const PoolPlan &pool, MergePlan &plan,
                  std::optional<ProgramHeap> &planned) const;

  const BufferLifetimes &lifetimes;
  const MergePlanOptions &options;
  /// By function, the pool that may be inside of others, and have others
  /// inside.
  llvm::DenseMap<mlir::Operation *, const PoolPlan *> pools;
  /// The functions that may hand something down.
  llvm::DenseSet<mlir::Operation *> owners;
  /// How often `refuse` has found any.
  unsigned numRounds = 0;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_HANDDOWN_H
