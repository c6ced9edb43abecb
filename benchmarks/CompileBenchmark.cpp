//===- CompileBenchmark.cpp - How long a pipeline with merging takes -----===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     buffer-merge-compile-benchmark [options] <program.mlir>
//
// Takes a program from its text to the LLVM dialect, as often as asked for, and
// prints as JSON how long each stage took each time, in seconds of processor
// time. What is on tensors is bufferized first. All stages run in one process,
// one after the other and in one thread, so that what slows the machine down
// slows all of them down: the ratios of one round are the result, not the
// seconds.
//
// Merging is measured twice, on two copies of the module: as the pass, and part
// by part. No stage verifies the IR that it leaves.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Planning/MergePlan.h"
#include "buffer-merge/Transforms/BufferMerge.h"
#include "buffer-merge/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <ctime>

using namespace mlir;
using namespace buffer_merge;

namespace cl = llvm::cl;

static cl::OptionCategory category("Options of the benchmark");
static cl::opt<std::string> inputPath(cl::Positional, cl::Required,
                                      cl::desc("<program.mlir>"),
                                      cl::cat(category));
static cl::opt<unsigned> rounds("rounds",
                                cl::desc("How often to run all stages"),
                                cl::init(5), cl::cat(category));
static cl::opt<std::string>
    bufferizedPath("o",
                   cl::desc("Write the program that is merged to this file"),
                   cl::value_desc("path"), cl::cat(category));
static cl::opt<std::string> scheduler("scheduler",
                                      cl::desc("The scheduler to use"),
                                      cl::init("auto"), cl::cat(category));
static cl::opt<std::string> bufferizePasses(
    "bufferize", cl::desc("Passes from tensors to buffers, on a module"),
    cl::init("one-shot-bufferize{bufferize-function-boundaries "
             "function-boundary-type-conversion=identity-layout-map "
             "allow-return-allocs-from-loops}"),
    cl::cat(category));
static cl::opt<std::string>
    cleanupPasses("cleanup",
                  cl::desc("Passes behind bufferization, on a module"),
                  cl::init("canonicalize,cse"), cl::cat(category));
static cl::opt<std::string> deallocatePasses(
    "deallocate", cl::desc("Passes behind merging, on a module"),
    cl::init("buffer-deallocation-pipeline"), cl::cat(category));
static cl::opt<std::string> lowerPasses(
    "lower", cl::desc("Passes from there to LLVM, on a module"),
    cl::init("convert-bufferization-to-memref,"
             "func.func(scf-forall-to-parallel),convert-linalg-to-loops,"
             "func.func(convert-vector-to-scf),lower-affine,"
             "expand-strided-metadata,lower-affine,convert-scf-to-cf,"
             "func.func(memref-expand,arith-expand),convert-vector-to-llvm,"
             "func.func(math-expand-ops),convert-math-to-llvm,"
             "convert-math-to-libm,convert-index-to-llvm,"
             "convert-arith-to-llvm,finalize-memref-to-llvm,"
             "convert-func-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm,"
             "reconcile-unrealized-casts"),
    cl::cat(category));

/// What the shell is told if a program on tensors is not one on buffers after
/// the passes that should make it one.
static constexpr int exitNotBufferized = 3;

/// The seconds of each stage of one round, in the order of the stages.
using Round = llvm::MapVector<StringRef, double>;

/// Return the seconds of processor time of this process, which other processes
/// do not add to as they do to the time of a clock.
static double getSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

/// Run `body` and add its seconds to `stage`; return what `body` returns.
template <typename Body>
static auto measure(Round &round, StringRef stage, Body body) {
  double start = getSeconds();
  auto result = body();
  round[stage] += getSeconds() - start;
  return result;
}

/// Return true if a value in the module, or of a function's type, is a tensor.
static bool usesTensors(ModuleOp module) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  WalkResult result = module.walk([&](Operation *op) {
    bool found = llvm::any_of(op->getOperandTypes(), isTensor) ||
                 llvm::any_of(op->getResultTypes(), isTensor);
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      found |= llvm::any_of(function.getArgumentTypes(), isTensor) ||
               llvm::any_of(function.getResultTypes(), isTensor);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Parse `text`, which diagnostics call by the name of the input.
static OwningOpRef<ModuleOp> parse(MLIRContext &context, StringRef text) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, inputPath),
                             llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, &context);
}

/// Add the passes of `text` to `passes`, which run without verifying the IR.
static LogicalResult parsePasses(StringRef text, PassManager &passes) {
  passes.enableVerifier(false);
  return parsePassPipeline(text, passes, llvm::errs());
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

namespace {
/// The passes of a pipeline. Pass managers remember what they have set up for a
/// context, so that all rounds use the same.
struct Pipelines {
  explicit Pipelines(MLIRContext *context)
      : bufferize(context), cleanup(context), merge(context),
        deallocate(context), lower(context) {}

  LogicalResult initialize() {
    BufferMergePassOptions options;
    options.scheduler = scheduler;
    merge.enableVerifier(false);
    merge.addPass(createBufferMergePass(options));
    return success(succeeded(parsePasses(bufferizePasses, bufferize)) &&
                   succeeded(parsePasses(cleanupPasses, cleanup)) &&
                   succeeded(parsePasses(deallocatePasses, deallocate)) &&
                   succeeded(parsePasses(lowerPasses, lower)));
  }

  PassManager bufferize, cleanup, merge, deallocate, lower;
};
} // namespace

/// Merge part by part, as mergeBuffers() does.
static LogicalResult mergeInParts(Round &round, ModuleOp module) {
  MergePlanOptions options;
  options.scheduler = lookupScheduler(scheduler);
  if (!options.scheduler) {
    llvm::errs() << "unknown scheduler '" << scheduler << "'\n";
    return failure();
  }
  auto lifetimes = measure(round, "analysis", [&] {
    return std::make_unique<BufferLifetimes>(module, BufferLifetimesOptions());
  });
  MergePlan plan = measure(round, "scheduling", [&] {
    PlanMessages messages;
    return *computeMergePlan(*lifetimes, options, messages);
  });
  measure(round, "rewrite", [&] {
    IRRewriter rewriter(module.getContext());
    return applyMergePlan(rewriter, plan);
  });
  return success();
}

/// Run `passes` on the program `text` becomes; return false, and say so, if
/// they fail.
static bool run(Round &round, StringRef stage, PassManager &passes,
                ModuleOp module) {
  LogicalResult result =
      measure(round, stage, [&] { return passes.run(module); });
  if (failed(result))
    llvm::errs() << inputPath << ": " << stage << " failed\n";
  return succeeded(result);
}

/// Return true if `passes`, those behind merging, are for the program `text`:
/// they fail where a program frees its buffers already, or has loops of blocks.
static bool canDeallocate(MLIRContext &context, PassManager &passes,
                          StringRef text) {
  ScopedDiagnosticHandler ignore(&context,
                                 [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = parse(context, text);
  return module && succeeded(passes.run(*module));
}

/// Take `text`, which is at the level of buffers, to the LLVM dialect. If the
/// lowering fails, its stage is missing.
static LogicalResult runRound(Round &round, MLIRContext &context,
                              Pipelines &pipelines, StringRef text,
                              bool deallocates) {
  OwningOpRef<ModuleOp> module =
      measure(round, "parse", [&] { return parse(context, text); });
  if (!module)
    return failure();
  OwningOpRef<ModuleOp> copy = module->clone();
  if (!run(round, "merge", pipelines.merge, *module))
    return failure();
  if (failed(mergeInParts(round, *copy)))
    return failure();
  if (deallocates && !run(round, "deallocate", pipelines.deallocate, *module))
    return failure();
  if (!run(round, "lower", pipelines.lower, *module))
    round.erase("lower");
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerAllPasses();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Measures the stages of a pipeline with --buffer-merge\n");

  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputPath, &error);
  if (!input) {
    llvm::errs() << error << '\n';
    return EXIT_FAILURE;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Pipelines pipelines(&context);
  if (failed(pipelines.initialize()))
    return EXIT_FAILURE;

  SmallVector<Round> results;
  // The first round finds out what there is to merge, and is not counted: it
  // loads dialects and fills the context.
  std::string buffers;
  bool isOnTensors = false;
  bool deallocates = false;
  for (unsigned i = 0; i <= rounds; ++i) {
    Round round;
    OwningOpRef<ModuleOp> module = measure(round, "parse-input", [&] {
      return parse(context, input->getBuffer());
    });
    if (!module)
      return EXIT_FAILURE;
    if (i == 0)
      isOnTensors = usesTensors(*module);
    // Who only asks what the program is on does not need it on buffers.
    if (isOnTensors && (rounds > 0 || !bufferizedPath.empty())) {
      if (!run(round, "bufferize", pipelines.bufferize, *module) ||
          !run(round, "cleanup", pipelines.cleanup, *module))
        return exitNotBufferized;
    }
    if (i == 0) {
      buffers = print(*module);
      deallocates =
          rounds > 0 && canDeallocate(context, pipelines.deallocate, buffers);
      continue;
    }
    module = nullptr;
    if (failed(runRound(round, context, pipelines, buffers, deallocates)))
      return EXIT_FAILURE;
    results.push_back(std::move(round));
  }

  if (!bufferizedPath.empty()) {
    std::unique_ptr<llvm::ToolOutputFile> output =
        openOutputFile(bufferizedPath, &error);
    if (!output) {
      llvm::errs() << error << '\n';
      return EXIT_FAILURE;
    }
    output->os() << buffers;
    output->keep();
  }
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("tensors", isOnTensors);
    json.attribute("deallocates", deallocates);
    json.attributeArray("rounds", [&] {
      for (const Round &round : results)
        json.object([&] {
          for (auto [stage, seconds] : round)
            json.attribute(stage, seconds);
        });
    });
  });
  llvm::outs() << '\n';
  return EXIT_SUCCESS;
}
