//===- RuntimePoolBuilder.h - Making pools of run-time size -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_RUNTIMEPOOLBUILDER_H
#define BUFFER_MERGE_LIB_TRANSFORMS_RUNTIMEPOOLBUILDER_H

#include "buffer-merge/Planning/RuntimePool.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace buffer_merge {
/// Allocate `pool`, and free it if it is freed, with the computation of its
/// size in front; replace each buffer by a view at its offset. Does not erase
/// the deallocations of the buffers. Where the sizes of all buffers together
/// may be 2^62 bytes or more, the pool asks for more bytes than there are, so
/// that no number of 64 bits wraps around (R9 run-time pools).
///
/// What computes sizes behind the front of the pool moves there, apart from
/// `places`: operations that pools are allocated or freed at. `dominance` stays
/// valid.
///
/// Set `views` to what the buffers have become.
void buildRuntimePool(mlir::RewriterBase &rewriter, const RuntimePool &pool,
                      mlir::DominanceInfo &dominance,
                      const llvm::DenseSet<mlir::Operation *> &places,
                      llvm::SmallVectorImpl<mlir::Value> &views);

/// Let the program fail at the insertion point if `bytes`, of a pool of
/// `function`, are more than `mostBytes`.
void buildCapacityCheck(mlir::RewriterBase &rewriter,
                        mlir::FunctionOpInterface function, mlir::Value bytes,
                        int64_t mostBytes);

/// Let `pools`, whose sizes are computed from those of the arguments alone, be
/// parts of one piece of memory, one after the other behind the first `bytes`
/// of it, with what they need computed at the front of `block`, the entry of a
/// function. `getMemory` returns the memory, given the bytes that it must have:
/// 2^63 - 1 if a number wraps around. Return these bytes.
mlir::Value
buildPoolsBehind(mlir::RewriterBase &rewriter, mlir::Block *block,
                 int64_t bytes, llvm::ArrayRef<const RuntimePool *> pools,
                 llvm::SmallVectorImpl<mlir::Value> &views,
                 llvm::function_ref<mlir::Value(mlir::Value)> getMemory);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_RUNTIMEPOOLBUILDER_H
