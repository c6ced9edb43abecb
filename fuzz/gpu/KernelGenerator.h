//===- Random legal kernels from a seed -------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_GPU_FUZZ_KERNELGENERATOR_H
#define BUFFER_MERGE_GPU_FUZZ_KERNELGENERATOR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <set>
#include <string>
#include <vector>

namespace buffer_merge::fuzz {
/// What a kernel is made of, and what it has many of.
enum class KernelKind {
  /// A `gpu.func` that allocates: a bit of everything.
  Kernel,
  /// A function, as upstream's tests of the NVGPU dialect have it, with memory
  /// in the space of the dialect, in 3 or in "shared"; functions that it calls.
  Function,
  /// The body of a `gpu.launch`.
  Launch,
  /// The body of an `scf.forall`; others inside are mapped to threads,
  /// subgroups, lanes or nothing.
  Forall,
  /// Attributions of all spaces, and `merge-attributions`.
  Attributions,
  /// Static variables and dynamic memory.
  Memory,
  /// Matrices of subgroups, and vectors.
  Matrices,
  /// Barriers of some threads.
  Barriers,
  /// All buffers at the top, and loops that fill and read them.
  Tiles,
  /// Copies of a copy engine, which one thread issues and waits for.
  Engine,
};
constexpr unsigned numKernelKinds = 10;

llvm::StringRef stringify(KernelKind kind);

struct GeneratedKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// What the kernel makes use of: names of statements and shapes of control
  /// flow; `INVALID` if it does not verify.
  std::set<std::string> features;
  /// What `buffer-merge` must be told: options, and members of `workgroup` in
  /// the target, which `check-workgroup-races` must be told, too.
  std::string mergeOptions;
  std::string workgroupMembers;
  /// The kernel has memory that the passes do not know to be of the workgroup.
  bool hasUnknownSpace = false;
  /// The numbers of the statements; they are not in a row.
  std::vector<uint64_t> statements;
};

/// Register what the generator needs; once a context.
void loadKernelDialects(mlir::MLIRContext &context);

/// Return the kernel number `seed` of `kind`, with what launches it. For every
/// thread order and every argument set, it ends,
/// all threads meet at their barriers, and every byte that a thread reads was
/// written before, by itself or on the other side of a barrier. Accesses of one
/// buffer seldom race; the interpreter tells.
///
/// The same seed gives the same kernel everywhere. The statements whose numbers
/// are in `dropped` are left out.
GeneratedKernel generateKernel(mlir::MLIRContext &context, KernelKind kind,
                               uint64_t seed,
                               const std::set<uint64_t> &dropped = {});
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_GPU_FUZZ_KERNELGENERATOR_H
