//===- ModeFuzzers.h - Fuzzers of compiled programs and threads -*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_MODEFUZZERS_H
#define BUFFER_MERGE_FUZZ_MODEFUZZERS_H

#include "FuzzDriver.h"
#include "ProgramGenerator.h"

namespace buffer_merge::fuzz {
/// Return the fuzzer that the options ask for with --attributes, --addresses or
/// --diagnostics, or null.
std::unique_ptr<Fuzzer> createModeFuzzer(mlir::MLIRContext &context);

/// The fuzzer of diagnostics.
std::unique_ptr<Fuzzer> createThreadFuzzer(mlir::MLIRContext &context);

/// Leave out statements as long as `run` fails as `failure` does. Returns the
/// last failure.
Failure leaveOutStatements(
    GeneratorOptions options, Failure failure,
    llvm::function_ref<std::optional<Failure>(const GeneratorOptions &options)>
        run);
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_MODEFUZZERS_H
