//===- ThreadFuzzer.cpp - Diagnostics of many functions -------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of many programs are one module. The passes run on each of them
// in turn, and then on all with threads: diagnostics and IR must be the same.
// Another pass before and after emits diagnostics of its own.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"
#include "ModeFuzzers.h"
#include "Random.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

static llvm::cl::opt<unsigned>
    workers("workers", llvm::cl::desc("With --diagnostics: the threads"),
            llvm::cl::value_desc("N"), llvm::cl::init(8),
            llvm::cl::cat(getCategory()));

/// Passes that have something to say: errors, warnings or remarks.
static const char *const pipelines[] = {
    "buffer-lifetimes",
    "buffer-lifetimes{advise}",
    "buffer-merge{capacity=default:16}",
    "buffer-merge{capacity=default:16 over-capacity=warn}",
    "buffer-merge{left=error}",
    "buffer-merge{limit-peak=none min-gain=0 capacity=default:64}",
    "buffer-lifetimes{advise in-place capacity=default:32 over-capacity=warn}",
    "buffer-merge{pool=stack target={\"stack\": {\"limit\": 16}} left=error}",
};

namespace {
/// Says something about each allocation.
struct NoisePass : PassWrapper<NoisePass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NoisePass)
  void runOnOperation() override {
    getOperation().walk([](memref::AllocOp alloc) {
      alloc.emitWarning("a warning");
      alloc.emitError("an error").attachNote() << "with a note";
    });
  }
};

/// What running passes on a module gives.
struct Outcome {
  std::vector<std::string> diagnostics;
  std::string module;
};

class ThreadFuzzer : public Fuzzer {
public:
  explicit ThreadFuzzer(MLIRContext &context)
      : context(context), threaded(context.getDialectRegistry(),
                                   MLIRContext::Threading::DISABLED),
        pool(llvm::hardware_concurrency(workers)) {
    noun = "modules";
    threaded.setThreadPool(pool);
  }

  std::string checkOptions(uint64_t) override { return ""; }
  OwningOpRef<ModuleOp> generate(uint64_t seed, bool isMerged,
                                 std::string &error) override;
  int runFile(ModuleOp) override {
    llvm::errs() << "error: this mode generates its programs\n";
    return 2;
  }
  std::optional<Failure> runSeed(uint64_t seed) override;
  Failure reduce(uint64_t, Failure failure) override { return failure; }
  std::string describe(uint64_t, const Failure &failure) override {
    return failure.by;
  }
  void printSummary() override;

private:
  /// Run `pipeline` on the functions of the module `text`, in turn or with
  /// threads.
  Outcome run(StringRef text, StringRef pipeline, bool hasNoise,
              bool isThreaded);

  MLIRContext &context;
  MLIRContext threaded;
  llvm::DefaultThreadPool pool;
  uint64_t functions = 0, diagnostics = 0;
};
} // namespace

OwningOpRef<ModuleOp> ThreadFuzzer::generate(uint64_t seed, bool,
                                             std::string &) {
  constexpr uint64_t numPrograms = 24;
  OwningOpRef<ModuleOp> all = ModuleOp::create(UnknownLoc::get(&context));
  GeneratorOptions options;
  options.calls = seed % 2;
  options.maxStatements = 16;
  for (uint64_t k = 0; k < numPrograms; ++k) {
    OwningOpRef<ModuleOp> module =
        generateProgram(context, seed * numPrograms + k, options).module;
    moveSymbols(*module, *all, "p" + std::to_string(k) + "_");
  }
  return all;
}

Outcome ThreadFuzzer::run(StringRef text, StringRef pipeline, bool hasNoise,
                          bool isThreaded) {
  MLIRContext *context = isThreaded ? &threaded : &this->context;
  Outcome outcome;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    std::string line;
    llvm::raw_string_ostream os(line);
    os << diagnostic.getLocation() << ": " << int(diagnostic.getSeverity())
       << ": " << diagnostic;
    for (const Diagnostic &note : diagnostic.getNotes())
      os << "; " << note.getLocation() << ": " << note;
    outcome.diagnostics.push_back(line);
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, context);
  auto build = [&](OpPassManager &manager) {
    if (hasNoise)
      manager.addPass(std::make_unique<NoisePass>());
    (void)parsePassPipeline(pipeline, manager);
    if (hasNoise)
      manager.addPass(std::make_unique<NoisePass>());
  };
  if (isThreaded) {
    PassManager manager(context);
    build(manager.nest<func::FuncOp>());
    (void)manager.run(*module);
  } else {
    // A pass that fails for one of them does not end it for the others.
    PassManager manager(context, func::FuncOp::getOperationName());
    build(manager);
    for (auto function : module->getOps<func::FuncOp>())
      (void)manager.run(function);
  }
  outcome.module = print(*module);
  return outcome;
}

std::optional<Failure> ThreadFuzzer::runSeed(uint64_t seed) {
  std::string error;
  ++programs;
  OwningOpRef<ModuleOp> module = generate(seed, false, error);
  functions += llvm::range_size(module->getOps<func::FuncOp>());
  // Parsed, each operation has a location of its own. In 22.1 not every text
  // of operations of the async dialect can be parsed.
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().printGenericOpForm());
  if (!parseSourceString<ModuleOp>(text, &context))
    return failUnmerged(*module, "it cannot be parsed");
  StringRef pipeline = pipelines[seed % std::size(pipelines)];
  bool hasNoise = seed / std::size(pipelines) % 2 == 0;
  Outcome expected = run(text, pipeline, hasNoise, /*isThreaded=*/false);
  diagnostics += expected.diagnostics.size();
  for (unsigned round = 0; round < 4; ++round) {
    ++merges;
    Outcome actual = run(text, pipeline, hasNoise, /*isThreaded=*/true);
    if (actual.diagnostics.size() != expected.diagnostics.size())
      error = std::to_string(actual.diagnostics.size()) + " of " +
              std::to_string(expected.diagnostics.size()) +
              " diagnostics arrive with threads";
    else if (actual.diagnostics != expected.diagnostics)
      error = "threads change diagnostics or their order";
    else if (actual.module != expected.module)
      error = "threads change the program";
    if (!error.empty())
      return Failure{pipeline.str() + (hasNoise ? ", with another pass" : ""),
                     error, text, actual.module};
  }
  return std::nullopt;
}

void ThreadFuzzer::printSummary() {
  llvm::outs() << "modules " << programs << ", functions " << functions
               << ", diagnostics " << diagnostics << "\n";
}

std::unique_ptr<Fuzzer>
buffer_merge::fuzz::createThreadFuzzer(MLIRContext &context) {
  return std::make_unique<ThreadFuzzer>(context);
}
