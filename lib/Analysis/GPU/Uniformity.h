//===- Uniformity.h - What threads of a workgroup agree on ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_UNIFORMITY_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_UNIFORMITY_H

#include "Analysis/GPU/ThreadValues.h"
#include "buffer-merge/Analysis/BufferLifetimesOptions.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace buffer_merge {
/// The attribute that declares a value to be uniform.
inline constexpr llvm::StringLiteral uniformAttrName("buffer_merge.uniform");

/// Finds the values that may differ between the threads of one workgroup, and
/// so the branches and loops at which threads may diverge.
///
/// Uniform values are constants, arguments of kernels, values from outside of a
/// `gpu.launch`, ids of blocks, sizes of blocks and grids, and results of
/// `memref.dim` and of operations without effects of the dialects `affine`,
/// `arith`, `complex`, `index`, `math` and `vector` whose operands are all
/// uniform. The counter of a loop with uniform bounds is uniform; a value that
/// such a loop carries is uniform if its initial and its yielded values are.
/// All other values may differ: ids of threads, loaded values, results of calls
/// and shuffles. Uniform are also
///
/// - what is the same known number in each thread of a workgroup of known size
///   (`ThreadValues`), such as `%tid / 32` in one of 32 threads,
/// - what an attribute `buffer_merge.uniform` of the operation that defines it,
///   or of the argument, declares to be,
/// - the result of `gpu.all_reduce`,
/// - the condition of a branch or loop that certainly executes a barrier of the
///   workgroup, because either all threads reach it or none does. This does not
///   apply to what is computed from ids of threads: such a program is wrong,
///   but runs.
///
/// ```
///   scf.for %i = %c0 to %arg step %c1 {     uniform in a kernel
///     %c = arith.cmpi eq, %i, %c0
///     scf.if %c { ... }                     uniform
///     %v = memref.load %m[%i]
///     %d = arith.cmpi eq, %v, %c0
///     scf.if %d { ... }                     threads may diverge
///   }
/// ```
///
/// All together takes time linear in the number of uses. It does not recurse.
class Uniformity {
public:
  /// Analyze the function or launch that contains `kernel` (`findKernel`) or
  /// whose body it is.
  Uniformity(mlir::Region &kernel, const WorkgroupOptions &options);

  /// Return true if all threads of a workgroup have the same `value`, whenever
  /// they execute its definition together.
  bool isUniform(mlir::Value value) const;

  /// Return true if threads that execute `op`, an operation with regions,
  /// together, take the same path through its regions: a loop or branch of
  /// `scf` or `affine`, or `memref.alloca_scope`, with uniform bounds or
  /// condition and regions of one block each; a parallel loop only if each of
  /// them executes one iteration.
  bool isUniformRegionOp(mlir::Operation *op) const;

private:
  void findImplied();
  bool isOneNumber(mlir::Value value) const;
  bool isDivergentArgument(mlir::BlockArgument argument) const;
  bool visit(mlir::Value value,
             llvm::SmallVectorImpl<mlir::Value> &needed) const;

  mlir::Region &kernel;
  const WorkgroupOptions &options;
  /// The function or launch around.
  mlir::Operation *rootOp;
  /// The kernel may run again, and threads pass arguments of their own.
  bool runsAgain;
  /// What may be computed, in numbers. Then no more is known.
  mutable int64_t budget = 1 << 16;
  mutable ThreadValues numbers;
  /// First only what follows from the ids of threads is found, then the rest.
  bool isRest = false;
  /// Branches and loops that all threads take together because of a barrier
  /// inside.
  llvm::DenseSet<mlir::Operation *> implied;

  /// The values that become results and arguments of region operations.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> sources;
  /// Whether values are uniform, as far as that was asked for.
  mutable llvm::DenseMap<mlir::Value, bool> known;
};

/// Return true if no region of `op` has several blocks.
bool hasOneBlockEach(mlir::Operation *op);

/// Return the values that decide which regions of `op`, a loop or branch of
/// `scf` or `affine` or `memref.alloca_scope`, are executed, and how often.
llvm::SmallVector<mlir::Value> getControl(mlir::Operation *op);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_UNIFORMITY_H
