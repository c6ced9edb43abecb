//===- Compiled.h - Programs compiled ahead of time -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_COMPILED_H
#define BUFFER_MERGE_FUZZ_COMPILED_H

#include "FuzzDriver.h"
#include "Jit.h"

namespace buffer_merge::fuzz {
/// Programs that are compiled by clang together: those before merging by one
/// run, and what they became by another one. They are linked into one
/// executable, which runs each in a process of its own.
class CompiledBatch {
public:
  /// With `usesGenericFunctions` the heap is that of runtime/Compiled.c, which
  /// gives what was freed again at once, and of which the compiler knows
  /// nothing; else malloc.
  explicit CompiledBatch(bool usesGenericFunctions)
      : usesGenericFunctions(usesGenericFunctions) {}

  /// Add `original`, which is to pass `expected` to `@use_i64`.
  void add(mlir::ModuleOp original, std::vector<int64_t> expected,
           std::string label);
  /// Add what the last original became.
  void addMerged(mlir::ModuleOp merged, std::string label);

  size_t size() const { return original.size(); }

  /// Compile and run all programs and forget them. Returns the failures.
  std::vector<Failure> run();

private:
  using Program = JitBatch::Program;

  bool usesGenericFunctions;
  std::vector<Program> original, merged;
  /// The text of the programs, in the order in which they are run.
  std::vector<std::string> originalTexts, mergedTexts;
  /// The number of the original of each of `merged`.
  std::vector<size_t> origins;
};
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_COMPILED_H
