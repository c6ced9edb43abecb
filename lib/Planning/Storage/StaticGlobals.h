//===- StaticGlobals.h - The globals of a plan ------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_STATICGLOBALS_H
#define BUFFER_MERGE_LIB_PLANNING_STATICGLOBALS_H

#include "buffer-merge/Planning/MergePlan.h"

#include "mlir/IR/BuiltinOps.h"

namespace buffer_merge {
/// Set `plan.globals`: the globals that hold its pools, in regions of the
/// target or as `options.pool` asks for, and what functions hand on to callees,
/// in the order of the functions, with the storage that `options` ask for. A
/// private global whose name is taken gets another one; add one error and fail
/// if another one cannot.
llvm::LogicalResult collectGlobals(mlir::ModuleOp module, MergePlan &plan,
                                   const MergePlanOptions &options,
                                   PlanMessages &messages);

/// Return the global of `plan` for `function` in `region` of the target or, if
/// that is null, in `memorySpace`, which may be the one that entries share;
/// null if there is none.
const StaticGlobal *findGlobal(const MergePlan &plan,
                               mlir::func::FuncOp function,
                               mlir::Attribute memorySpace,
                               const PoolRegion *region = nullptr);

/// Return `name` with underscores for what symbols and sections do not have.
std::string toSymbolPart(llvm::StringRef name);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_STATICGLOBALS_H
