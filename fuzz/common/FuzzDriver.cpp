//===- What the two fuzzers have in common --------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzDriver.h"

#include "buffer-merge/Transforms/Passes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"

#include <chrono>

using namespace mlir;
using namespace buffer_merge::fuzz;
namespace cl = llvm::cl;

cl::OptionCategory &buffer_merge::fuzz::getCategory() {
  static cl::OptionCategory category("fuzzer options");
  return category;
}

static cl::opt<std::string>
    inputFile(cl::Positional, cl::desc("[merged program that is run as it is]"),
              cl::value_desc("file"), cl::cat(getCategory()));
static cl::opt<std::string> seeds("seeds",
                                  cl::desc("Seeds to run, A..B, B included"),
                                  cl::value_desc("A..B"), cl::init("0..999"),
                                  cl::cat(getCategory()));
cl::opt<int64_t> buffer_merge::fuzz::alignment(
    "alignment",
    cl::desc("Alignment to ask for; 0 takes another one every seed"),
    cl::init(0), cl::cat(getCategory()));
static cl::opt<int64_t> dumpSeed("dump",
                                 cl::desc("Print the program of a seed"),
                                 cl::value_desc("seed"), cl::init(-1),
                                 cl::cat(getCategory()));
static cl::opt<bool> dumpMerged("merged",
                                cl::desc("With --dump: print it merged"),
                                cl::cat(getCategory()));
static cl::opt<bool>
    reduceFailure("reduce",
                  cl::desc("Print a smaller program for each failure"),
                  cl::cat(getCategory()));
cl::opt<std::string> buffer_merge::fuzz::mutation(
    "mutation",
    cl::desc("Merge wrongly, which must be noticed: all-at-zero, or for "
             "kernels lifetimes-only, which knows no barriers"),
    cl::value_desc("name"), cl::cat(getCategory()));
static cl::opt<bool> expectFailure(
    "expect-failure",
    cl::desc("Succeed at the first seed that fails, fail if none does"),
    cl::cat(getCategory()));
static cl::opt<bool> keepGoing("keep-going",
                               cl::desc("Do not stop at the first failure"),
                               cl::cat(getCategory()));

std::string buffer_merge::fuzz::print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, OpPrintingFlags().enableDebugInfo(true, false));
  return text;
}

Failure buffer_merge::fuzz::failUnmerged(ModuleOp original,
                                         const Twine &reason) {
  return {"none (this is a bug of the generator or interpreter)", reason.str(),
          print(original), ""};
}

ErrorCollector::ErrorCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          text += diagnostic.str() + "; ";
        return success();
      }) {}

void buffer_merge::fuzz::printCounts(StringRef title, const Counts &counts) {
  llvm::outs() << title;
  for (const auto &[name, count] : counts)
    llvm::outs() << " " << name << "=" << count;
  llvm::outs() << "\n";
}

static bool parseSeeds(uint64_t &first, uint64_t &last) {
  auto [low, high] = StringRef(seeds).split("..");
  if (low.getAsInteger(10, first))
    return false;
  last = first;
  return high.empty() || (!high.getAsInteger(10, last) && first <= last);
}

static int fail(const Twine &error) {
  llvm::errs() << "error: " << StringRef(error.str()).trim() << "\n";
  return 2;
}

static int dump(Fuzzer &fuzzer) {
  std::string error;
  OwningOpRef<ModuleOp> module = fuzzer.generate(dumpSeed, dumpMerged, error);
  llvm::outs() << print(*module);
  return error.empty() ? 0 : fail(error);
}

static void report(Fuzzer &fuzzer, uint64_t seed, const Failure &failure) {
  llvm::outs() << "seed " << seed << ", " << fuzzer.describe(seed, failure)
               << ": " << failure.reason << "\n";
  llvm::outs().flush();
  if (expectFailure || !reduceFailure)
    return;
  Failure smaller = fuzzer.reduce(seed, failure);
  llvm::outs() << smaller.reason << "\n// Before:\n"
               << smaller.original << "// After:\n"
               << smaller.module;
}

static int runSeeds(Fuzzer &fuzzer, uint64_t first, uint64_t last) {
  auto start = std::chrono::steady_clock::now();
  uint64_t passed = 0, failed = 0;
  for (uint64_t seed = first; seed <= last; ++seed) {
    std::optional<Failure> failure = fuzzer.runSeed(seed);
    if (seed == last && (!failure || keepGoing)) {
      std::optional<Failure> late = fuzzer.finish();
      if (failure && late)
        report(fuzzer, seed, *late);
      else if (late)
        failure = late;
    }
    if (!failure) {
      ++passed;
      continue;
    }
    ++failed;
    report(fuzzer, seed, *failure);
    if (expectFailure)
      return 0;
    if (!keepGoing)
      break;
  }
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  fuzzer.printSummary();
  llvm::outs() << llvm::format("%.1f %s/s, %.1f merges/s\n",
                               fuzzer.programs / elapsed.count(), fuzzer.noun,
                               fuzzer.merges / elapsed.count())
               << passed << " passed, " << failed << " failed\n";
  if (expectFailure)
    llvm::outs() << "nothing failed, which is not what was expected\n";
  return failed > 0 || expectFailure;
}

int buffer_merge::fuzz::runFuzzer(int argc, char **argv,
                                  const FuzzerSetup &setup) {
  llvm::InitLLVM initLLVM(argc, argv);
  cl::HideUnrelatedOptions(getCategory());
  cl::ParseCommandLineOptions(argc, argv, setup.overview);
  uint64_t first, last;
  if (!parseSeeds(first, last))
    return fail("--seeds must be A..B with A <= B");
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  if (setup.registerDialects)
    setup.registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  setup.loadDialects(context);
  registerBufferMergePasses();
  std::unique_ptr<Fuzzer> fuzzer = setup.create(context);
  std::string error = fuzzer->checkOptions(first);
  if (!error.empty())
    return fail(error);
  if (!inputFile.empty()) {
    OwningOpRef<ModuleOp> module =
        parseSourceFile<ModuleOp>(inputFile, &context);
    return module ? fuzzer->runFile(*module) : 2;
  }
  return dumpSeed >= 0 ? dump(*fuzzer) : runSeeds(*fuzzer, first, last);
}
