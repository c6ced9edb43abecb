//===- WorkgroupPool.h - Pools in workgroup memory --------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_WORKGROUPPOOL_H
#define BUFFER_MERGE_LIB_TRANSFORMS_WORKGROUPPOOL_H

#include "buffer-merge/Planning/MergePlan.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"

namespace buffer_merge {
/// Make the bytes of `plan`, whose storage is `Attribution` or `Dynamic`, and
/// return them as a memref of `i8`.
///
/// An attribution gets the attribute `llvm.align`: without it, LLVM aligns an
/// array of `i8` to 1 byte. Dynamic memory gets its size at every launch. In a
/// `gpu.func` it is a public `memref.global` without bytes, one for the module,
/// which is added to `symbolTables`; in a `gpu.launch` it is
/// `gpu.dynamic_shared_memory`.
mlir::Value createWorkgroupPool(mlir::RewriterBase &rewriter,
                                const PoolPlan &plan,
                                mlir::SymbolTableCollection &symbolTables);

/// Let `pool` be dynamic memory of its kernel behind what is of static size,
/// and let its launches compute how much that is. Add to `views` what the
/// buffers have become.
void buildKernelPool(mlir::RewriterBase &rewriter, const RuntimePool &pool,
                     mlir::SymbolTableCollection &symbolTables,
                     llvm::SmallVectorImpl<mlir::Value> &views);

/// Replace the allocation by an attribution of its kernel. Its deallocations
/// stay.
void replaceByAttribution(mlir::RewriterBase &rewriter,
                          const OwnAttribution &own);

/// Erase the workgroup attributions of `kernel` that are in `merged`, which
/// have no uses any more.
void eraseAttributions(mlir::RewriterBase &rewriter,
                       mlir::gpu::GPUFuncOp kernel,
                       const llvm::DenseSet<mlir::Value> &merged);

/// Insert a `gpu.barrier` before each of `WorkgroupPlan::barriers`.
void insertBarriers(mlir::RewriterBase &rewriter, const PoolPlan &plan);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_WORKGROUPPOOL_H
