//===- BranchBuffers.h - One buffer for exclusive branches ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_BRANCHBUFFERS_H
#define BUFFER_MERGE_LIB_ANALYSIS_BRANCHBUFFERS_H

#include "Analysis/FunctionContext.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace buffer_merge {
/// Allocations that could be one in front of the branch that they leave as one
/// result: only one of them is ever executed, but their lifetimes meet after
/// the branch.
///
/// ```
///   %r = scf.if %c {                      %a = memref.alloc()
///     %a = memref.alloc()                 %r = scf.if %c {
///     linalg.fill outs(%a)                  linalg.fill outs(%a)
///     scf.yield %a                ~         scf.yield %a
///   } else {                              } else {
///     %b = memref.alloc()                   linalg.copy outs(%a)
///     linalg.copy outs(%b)                  scf.yield %a
///     scf.yield %b                        }
///   }                                     memref.load %r[%i]
///   memref.load %r[%i]
/// ```
struct BranchGroup {
  mlir::memref::AllocOp first;
  std::shared_ptr<const BranchArms> arms;
};

/// Return such groups of the function of `context`, which has a known control
/// flow, in the order of their places: none has an allocation of another one.
///
/// The branches are those of `scf.if`, `scf.index_switch` and `affine.if`, and
/// blocks with one predecessor that pass the memrefs to an argument of one
/// block. The allocations have the same type and attributes, a static shape and
/// the default memory space. None is in device code: its threads may be in
/// several branches at once.
llvm::SmallVector<BranchGroup, 0>
findBranchBuffers(const FunctionContext &context);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_BRANCHBUFFERS_H
