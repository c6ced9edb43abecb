//===- What the two fuzzers have in common ----------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options, the loop over the seeds, reports, exit codes. A fuzzer says what a
// seed is, and what to do with it.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_FUZZDRIVER_H
#define BUFFER_MERGE_FUZZ_FUZZDRIVER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace buffer_merge::fuzz {
/// The category of all options of a fuzzer.
llvm::cl::OptionCategory &getCategory();

/// Of the options of both, those that a fuzzer itself looks at.
extern llvm::cl::opt<int64_t> alignment;
extern llvm::cl::opt<std::string> mutation;

/// Why a seed failed.
struct Failure {
  /// What it was merged by: a scheduler or a mode.
  std::string by;
  std::string reason;
  /// The program before and after merging, as text.
  std::string original;
  std::string module;
};

/// The failure of a program that does not get as far as merging.
Failure failUnmerged(mlir::ModuleOp original, const llvm::Twine &reason);

/// Print `module` with the names of its buffers, which are locations.
std::string print(mlir::ModuleOp module);

/// Collects errors as text, and keeps all diagnostics from being printed.
class ErrorCollector {
public:
  explicit ErrorCollector(mlir::MLIRContext *context);
  std::string text;

private:
  mlir::ScopedDiagnosticHandler handler;
};

using Counts = std::map<std::string, uint64_t>;
/// Print ` name=count` for each of `counts` in a line that begins with `title`.
void printCounts(llvm::StringRef title, const Counts &counts);

class Fuzzer {
public:
  virtual ~Fuzzer() = default;

  /// Return what is wrong with the options, or an empty string. A mistake must
  /// not look like a failure that was expected.
  virtual std::string checkOptions(uint64_t firstSeed) = 0;
  /// Return the program of `seed`, merged in the first way if `isMerged`, or
  /// what went wrong.
  virtual mlir::OwningOpRef<mlir::ModuleOp>
  generate(uint64_t seed, bool isMerged, std::string &error) = 0;
  /// Run a program as it is and print what is wrong with it. Returns the exit
  /// code.
  virtual int runFile(mlir::ModuleOp module) = 0;
  virtual std::optional<Failure> runSeed(uint64_t seed) = 0;
  /// Do what was put off.
  virtual std::optional<Failure> finish() { return std::nullopt; }
  /// Return a smaller program that fails as `failure` does.
  virtual Failure reduce(uint64_t seed, Failure failure) = 0;
  /// What to say of a failure of `seed` besides the reason.
  virtual std::string describe(uint64_t seed, const Failure &failure) = 0;
  virtual void printSummary() = 0;

  /// So far; `noun` is what the programs are called.
  const char *noun = "programs";
  uint64_t programs = 0;
  uint64_t merges = 0;
};

/// What is not the same for both fuzzers at the start.
struct FuzzerSetup {
  const char *overview;
  /// Register what is needed besides all dialects and extensions, or null.
  void (*registerDialects)(mlir::DialectRegistry &registry);
  void (*loadDialects)(mlir::MLIRContext &context);
  std::unique_ptr<Fuzzer> (*create)(mlir::MLIRContext &context);
};

/// Run a fuzzer. Returns the exit code: 0 if nothing failed, 1 if a seed did
/// (the other way round with --expect-failure), 2 for a mistake in the options
/// or the file.
int runFuzzer(int argc, char **argv, const FuzzerSetup &setup);
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_FUZZDRIVER_H
