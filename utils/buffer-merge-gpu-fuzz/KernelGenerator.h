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
struct GeneratedKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// What the kernel makes use of: names of statements and shapes of control
  /// flow; `INVALID` if it does not verify.
  std::set<std::string> features;
  /// The numbers of the statements; they are not in a row.
  std::vector<uint64_t> statements;
};

/// Register what the generator needs; once a context.
void loadKernelDialects(mlir::MLIRContext &context);

/// Return the kernel number `seed`, in a `gpu.module`, with a host function
/// that launches it. For every thread order and every argument set, it ends,
/// all threads meet at their barriers, and every byte that a thread reads was
/// written before, by itself or on the other side of a barrier. Accesses of one
/// buffer seldom race; the interpreter tells.
///
/// The same seed gives the same kernel everywhere. The statements whose numbers
/// are in `dropped` are left out.
GeneratedKernel generateKernel(mlir::MLIRContext &context, uint64_t seed,
                               const std::set<uint64_t> &dropped = {});
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_GPU_FUZZ_KERNELGENERATOR_H
