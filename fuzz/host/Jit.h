//===- Programs as machine code ---------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_JIT_H
#define BUFFER_MERGE_FUZZ_JIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace buffer_merge::fuzz {
/// Register what lowering to machine code needs; once, before the context.
void registerJitDialects(mlir::DialectRegistry &registry);

/// Move the functions and globals of `module` to `batch`, with `prefix` in
/// front of the names of all but declarations.
void moveSymbols(mlir::ModuleOp module, mlir::ModuleOp batch,
                 const std::string &prefix);

/// Programs that are compiled together, because starting a compiler takes
/// longer than compiling one of them.
class JitBatch {
public:
  /// Add `module`, which runs under the name `label` and is to pass `expected`
  /// to `@use_i64`.
  void add(mlir::ModuleOp module, std::vector<int64_t> expected,
           std::string label);

  size_t size() const { return programs.size(); }

  /// Lower, compile and run all programs and forget them. Returns an empty
  /// string or what went wrong first, with the label of the program.
  std::string run();

private:
  struct Program {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::vector<int64_t> expected;
    std::string label;
  };
  friend class CompiledBatch;
  /// Lower `programs` and let the functions of all be in one module, with
  /// the number of the program in front of their names; null and `error` if one
  /// cannot be lowered.
  static mlir::OwningOpRef<mlir::ModuleOp>
  link(llvm::MutableArrayRef<Program> programs, size_t firstNumber,
       bool usesGenericFunctions, std::string &error);

  std::vector<Program> programs;
};
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_JIT_H
