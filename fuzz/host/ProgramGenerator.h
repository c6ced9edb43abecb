//===- Random legal programs from a seed ------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_PROGRAMGENERATOR_H
#define BUFFER_MERGE_FUZZ_PROGRAMGENERATOR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <set>
#include <string>

namespace buffer_merge::fuzz {
struct GeneratorOptions {
  /// Leave out what does not lower to LLVM with the stock passes, so that the
  /// program can also run as machine code.
  bool onlyLowerable = false;
  /// Many loops that hand buffers of earlier iterations on.
  bool carried = false;
  /// No asynchronous or parallel execution, and no graphs of blocks; more
  /// calls.
  bool sequential = false;
  /// Much asynchronous execution, also across functions.
  bool async = false;
  /// More functions, some of which call themselves or are public, and more
  /// calls.
  bool calls = false;
  /// Functions with arguments that callers lend, and calls of them; no
  /// asynchronous or parallel execution, which would have to be done with them.
  bool lent = false;
  /// Many parallel loops, from any lower bound on and in steps of any size.
  bool parallel = false;
  /// Many allocations of dynamic shape, with sizes that are equal, bounded, or
  /// neither.
  bool dynamicShapes = false;
  /// Many operations of linalg, most of them element by element.
  bool elementwise = false;
  /// Buffers that hold several values, one after the other, also because their
  /// allocations were hoisted out of loops.
  bool reuse = false;
  /// Values that are read before calls and used after them.
  bool attributes = false;
  /// Addresses that are observed; see GeneratorAddresses.cpp.
  bool addresses = false;
  /// An upper bound for the number of statements, to reduce a failure; 0 is the
  /// generator's own choice.
  unsigned maxStatements = 0;
  /// The statements, counted in the order of their generation, that are left
  /// out; the rest of the program stays as near to the same as it can.
  std::set<unsigned> dropped;
};

struct GeneratedProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// What the program makes use of: names of statements, shapes of control flow
  /// and passes that were run on it.
  std::set<std::string> features;
  /// The program frees buffers.
  bool hasDeallocs = false;
  /// Statements generated, dropped ones included.
  unsigned numStatements = 0;
};

/// Register what the generator needs; once a context.
void loadGeneratorDialects(mlir::MLIRContext &context);

/// Return the program number `seed`. It verifies, every byte that it reads was
/// written before, it terminates, and what it passes to `@use_i64` does not
/// depend on the order in which its parallel and asynchronous parts run.
///
/// The same seed gives the same program on every machine.
GeneratedProgram generateProgram(mlir::MLIRContext &context, uint64_t seed,
                                 const GeneratorOptions &options = {});
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_PROGRAMGENERATOR_H
