//===- Compare programs before and after merging -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every seed: generate a program, run it in the interpreter, merge its
// buffers with several schedulers, run the results, and compare.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "Interpreter.h"
#include "Jit.h"
#include "Merge.h"
#include "ProgramGenerator.h"

#include "buffer-merge/Scheduling/Scheduler.h"
#include "buffer-merge/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>
#include <optional>

using namespace mlir;
using namespace buffer_merge;
using namespace buffer_merge::fuzz;
namespace cl = llvm::cl;

static cl::OptionCategory category("buffer-merge-fuzz options");
static cl::opt<std::string>
    inputFile(cl::Positional,
              cl::desc("[program that somebody else has merged, to run]"),
              cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string> seeds("seeds",
                                  cl::desc("Seeds to run, A..B, B included"),
                                  cl::value_desc("A..B"), cl::init("0..999"),
                                  cl::cat(category));
static cl::opt<std::string>
    schedulers("schedulers",
               cl::desc("Schedulers to use: names separated by commas, all, or "
                        "turns for three others every seed"),
               cl::init("turns"), cl::cat(category));
static cl::opt<int64_t>
    alignment("alignment",
              cl::desc("Alignment to ask for; 0 takes another one every seed"),
              cl::init(0), cl::cat(category));
static cl::opt<bool> carried("carried",
                             cl::desc("Programs with many loops that carry "
                                      "buffers of earlier iterations"),
                             cl::cat(category));
static cl::opt<bool> asynchronous(
    "async",
    cl::desc("Programs with much asynchronous execution, which are also "
             "merged after they were lowered to coroutines"),
    cl::cat(category));
static cl::opt<bool>
    inPlace("in-place",
            cl::desc("Let copies take the place of what they copy from"),
            cl::cat(category));
static cl::opt<PoolStorage> storage(
    "pool",
    cl::desc("Where pools come from, where possible; but for alloc and stack, "
             "programs have more functions, which are not run as machine code"),
    cl::values(clEnumValN(PoolStorage::Alloc, "alloc", "an allocation"),
               clEnumValN(PoolStorage::Stack, "stack", "the stack"),
               clEnumValN(PoolStorage::Arena, "arena", "the caller"),
               clEnumValN(PoolStorage::Global, "global", "a global")),
    cl::init(PoolStorage::Alloc), cl::cat(category));
static cl::opt<DynamicPolicy> dynamic(
    "dynamic",
    cl::desc("What becomes of dynamic shapes; unless none, programs have many"),
    cl::values(clEnumValN(DynamicPolicy::None, "none", "they stay"),
               clEnumValN(DynamicPolicy::Equal, "equal",
                          "those of one size share an allocation"),
               clEnumValN(DynamicPolicy::Bounded, "bounded",
                          "those with a bound are merged as well")),
    cl::init(DynamicPolicy::None), cl::cat(category));
static cl::opt<int64_t> dumpSeed("dump",
                                 cl::desc("Print the program of a seed"),
                                 cl::value_desc("seed"), cl::init(-1),
                                 cl::cat(category));
static cl::opt<bool> dumpMerged("merged",
                                cl::desc("With --dump: print it merged"),
                                cl::cat(category));
static cl::opt<bool>
    reduceFailure("reduce",
                  cl::desc("Print a smaller program for the first failure"),
                  cl::cat(category));
static cl::opt<unsigned>
    jitEvery("jit-every",
             cl::desc("Also run every N-th program as machine code"),
             cl::value_desc("N"), cl::init(0), cl::cat(category));
static cl::opt<std::string>
    mutation("mutation",
             cl::desc("all-at-zero: merge wrongly, which must be noticed"),
             cl::value_desc("name"), cl::cat(category));
static cl::opt<bool> expectFailure(
    "expect-failure",
    cl::desc("Succeed at the first seed that fails, fail if none does"),
    cl::cat(category));
static cl::opt<bool> keepGoing("keep-going",
                               cl::desc("Do not stop at the first failure"),
                               cl::cat(category));

namespace {
/// Why a seed failed.
struct Failure {
  std::string scheduler;
  std::string reason;
  /// The program before and after merging, as text.
  std::string original;
  std::string module;
};

struct Summary {
  uint64_t programs = 0;
  uint64_t merges = 0;
  uint64_t allocs = 0;
  uint64_t mergedAllocs = 0;
  /// Of dynamic shape: merged, and with the allocation of another one.
  uint64_t bounded = 0;
  uint64_t shared = 0;
  uint64_t programsMerged = 0;
  uint64_t programsRotated = 0;
  uint64_t slots = 0;
  uint64_t withDeallocs = 0;
  uint64_t steps = 0;
  uint64_t outOfSteps = 0;
  /// Merges that the pass refuses with the error that is due.
  uint64_t refused = 0;
  std::map<std::string, uint64_t> features;
  /// Programs by the form that they were lowered to and merged in.
  std::map<std::string, uint64_t> forms;
  uint64_t jitRuns = 0;
  /// Programs not run, by the operation that the interpreter does not know.
  std::map<std::string, uint64_t> unsupported;
};

class Fuzzer {
public:
  explicit Fuzzer(MLIRContext &context) : context(context) {}

  std::optional<Failure> runSeed(uint64_t seed,
                                 const GeneratorOptions &options = {});
  /// Run what is left of the programs for the machine.
  std::optional<Failure> finishJit();
  MergeOptions getMergeOptions(uint64_t seed, StringRef scheduler) const;

  Summary summary;
  JitBatch jit;

private:
  /// Rotate the carried buffers of `original` and compare; then merge the
  /// result, if there were any.
  std::optional<Failure> rotate(ModuleOp original,
                                const GeneratedProgram &program, uint64_t seed,
                                StringRef scheduler);
  /// Merge `original` in lowered forms, and compare with it as it is.
  std::optional<Failure> compareForms(ModuleOp original,
                                      const GeneratedProgram &program,
                                      uint64_t seed, StringRef scheduler);
  std::optional<Failure> compareForm(ModuleOp original,
                                     const GeneratedProgram &program,
                                     const Form &form,
                                     const MergeOptions &options);
  std::optional<Failure> compare(ModuleOp original,
                                 const GeneratedProgram &program,
                                 const MergeOptions &options,
                                 bool checkStability);

  MLIRContext &context;
  bool usesJit = false;
  std::vector<ExecutionOrder> orders;
  std::vector<ExecutionResult> expected;
};
} // namespace

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo(true, false);
  module.print(os, flags);
  return text;
}

/// Return true if the modules are the same. The text decides; it is only
/// slower, and asked where graphs of blocks are too much for the other way.
static bool isSame(ModuleOp one, ModuleOp other) {
  return OperationEquivalence::isEquivalentTo(one, other,
                                              OperationEquivalence::None) ||
         print(one) == print(other);
}

static std::vector<std::string> getSchedulerNames(uint64_t seed) {
  std::vector<std::string> names;
  if (!mutation.empty() && schedulers == "turns")
    return {"first-fit"};
  if (schedulers == "all" || schedulers == "turns") {
    auto registered = getRegisteredSchedulers();
    for (const Scheduler *scheduler : registered)
      names.push_back(scheduler->getName().str());
    if (schedulers == "all" || names.size() <= 3)
      return names;
    auto at = [&](uint64_t k) { return names[k % names.size()]; };
    return {at(seed), at(seed * 3 + 1), at(seed * 7 + 2)};
  }
  SmallVector<StringRef> parts;
  StringRef(schedulers).split(parts, ',');
  for (StringRef part : parts)
    names.push_back(part.str());
  return names;
}

static GeneratorOptions getGeneratorOptions() {
  GeneratorOptions options;
  options.carried = carried;
  options.async = asynchronous;
  options.calls = storage != PoolStorage::Alloc;
  options.dynamicShapes = dynamic != DynamicPolicy::None;
  options.elementwise = inPlace;
  return options;
}

MergeOptions Fuzzer::getMergeOptions(uint64_t seed, StringRef scheduler) const {
  static const int64_t alignments[] = {64, 1, 16, 8, 128, 4};
  MergeOptions options;
  options.scheduler = scheduler.str();
  options.alignment =
      alignment ? alignment : alignments[seed % std::size(alignments)];
  options.inPlace = inPlace;
  options.pool = storage;
  options.dynamic = dynamic;
  static const int64_t wastes[] = {65536, 65536, 0, 16};
  options.dynamicWaste = wastes[seed / 3 % std::size(wastes)];
  options.mutation = mutation;
  return options;
}

/// The allocations by name: of the original program, or what stands for them:
/// views, allocations, and marks of those that are shared.
static std::string collectBuffers(ModuleOp module,
                                  llvm::StringMap<Operation *> &buffers) {
  std::string error;
  module.walk([&](Operation *op) {
    if (!isa<memref::AllocOp, memref::ViewOp, UnrealizedConversionCastOp>(op))
      return;
    StringRef name = getBufferName(op->getLoc());
    if (!name.empty() && !buffers.try_emplace(name, op).second)
      error = name.str() + " is there twice";
  });
  return error;
}

/// Return true if `dealloc` is one that merging adds of its own accord: marked,
/// and in a function of several blocks.
static bool isManual(memref::DeallocOp dealloc) {
  auto function = dealloc->getParentOfType<func::FuncOp>();
  if (!function ||
      !dealloc->hasAttr(
          bufferization::BufferizationDialect::kManualDeallocation))
    return false;
  return function
      ->walk([](Operation *op) {
        return llvm::any_of(op->getRegions(),
                            [](Region &region) {
                              return !region.empty() && !region.hasOneBlock();
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool hasDealloc(ModuleOp module) {
  return module
      .walk([](memref::DeallocOp dealloc) {
        return isManual(dealloc) ? WalkResult::advance()
                                 : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Return why `actual` is not what `expected` says, or an empty string.
/// `freesPools` if a pool must not outlive the program.
static std::string compareRuns(const ExecutionResult &expected,
                               const ExecutionResult &actual, bool freesPools) {
  if (!actual.failure.empty())
    return actual.failure;
  if (actual.outOfSteps)
    return "the merged program takes too many steps";
  if (expected.trace != actual.trace)
    return "the merged program prints something else";
  std::map<std::string, int64_t> leaks;
  for (const std::string &leak : expected.leaks)
    ++leaks[leak];
  for (const std::string &leak : actual.leaks) {
    if (leak.empty() && freesPools && expected.leaks.empty())
      return "a pool leaks";
    if (!leak.empty() && --leaks[leak] < 0)
      return leak + " leaks";
  }
  return "";
}

std::optional<Failure> Fuzzer::compare(ModuleOp original,
                                       const GeneratedProgram &program,
                                       const MergeOptions &options,
                                       bool checkStability) {
  ++summary.merges;
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      diagnostics += diagnostic.str() + "; ";
    return success();
  });
  OwningOpRef<ModuleOp> merged = original.clone(), marked;
  ModuleOp executed = *merged;
  auto fail = [&](const Twine &reason) {
    return Failure{options.scheduler, reason.str(), print(original),
                   print(executed)};
  };
  std::string error = mergeBuffers(*merged, options);
  if (!error.empty() && options.pool == PoolStorage::Global &&
      StringRef(diagnostics).contains("' cannot be a global: ")) {
    ++summary.refused;
    if (!isSame(*merged, original))
      return fail("an error changes the program: " + diagnostics);
    return std::nullopt;
  }
  if (!error.empty())
    return fail("the pass fails: " + error + ": " + diagnostics);
  if (failed(verify(*merged)))
    return fail("the merged program is invalid: " + diagnostics);
  if (options.dynamic != DynamicPolicy::None) {
    marked = original.clone();
    error = mergeWithMarks(*marked, options);
    if (!error.empty())
      return fail("the pass fails with aliases: " + error + ": " + diagnostics);
    executed = *marked;
  }

  // Every allocation is still there, as itself or as a view.
  llvm::StringMap<Operation *> before, after;
  error = collectBuffers(original, before);
  if (error.empty())
    error = collectBuffers(executed, after);
  if (!error.empty())
    return fail(error);
  Interpreter interpreter;
  error = interpreter.compile(executed);
  if (!error.empty())
    return fail("the merged program has an unknown " + error);
  uint64_t numMerged = 0;
  bool freesPools = true;
  for (auto &entry : before) {
    Operation *op = after.lookup(entry.first());
    if (!op)
      return fail(entry.first() + " is gone");
    // Another spelling of the same layout may go.
    auto typeAfter = cast<MemRefType>(op->getResult(0).getType());
    auto typeBefore = cast<MemRefType>(entry.second->getResult(0).getType());
    if (typeAfter.getShape() != typeBefore.getShape() ||
        typeAfter.getElementType() != typeBefore.getElementType() ||
        typeAfter.getMemorySpace() != typeBefore.getMemorySpace())
      return fail(entry.first() + " has changed its type");
    if (isa<memref::AllocOp>(op))
      continue;
    auto alignment = cast<memref::AllocOp>(entry.second).getAlignment();
    if (isa<UnrealizedConversionCastOp>(op)) {
      ++summary.shared;
      interpreter.requireAlignment(entry.first(), alignment.value_or(1));
      continue;
    }
    ++numMerged;
    summary.bounded += !typeBefore.hasStaticShape();
    // A buffer that nobody frees may keep its pool from being freed.
    freesPools &= llvm::any_of(entry.second->getUsers(),
                               llvm::IsaPred<memref::DeallocOp>);
    interpreter.requireAlignment(
        entry.first(),
        std::max<int64_t>(options.alignment, alignment.value_or(1)));
  }
  if (before.size() != after.size())
    return fail("buffers appear from nowhere");
  summary.allocs += before.size();
  summary.mergedAllocs += numMerged;
  summary.programsMerged += numMerged > 0;
  if (hasDealloc(*merged) && !hasDealloc(original))
    return fail("a deallocation appears");

  auto run = [&](const Interpreter &program) -> std::string {
    for (auto [order, result] : llvm::zip(orders, expected)) {
      std::string error = compareRuns(result, program.run(order), freesPools);
      if (!error.empty())
        return (error + " (" + stringify(order) + ")").str();
    }
    return "";
  };
  error = run(interpreter);
  if (!error.empty())
    return fail(error);
  if (marked) {
    // The aliases are operations, too, so that lifetimes are longer by a tick
    // and a scheduler may decide otherwise.
    eraseMarks(*marked);
    if (!isSame(*marked, *merged)) {
      Interpreter withoutMarks;
      error = withoutMarks.compile(*merged);
      if (error.empty())
        error = run(withoutMarks);
      if (!error.empty())
        return fail(error + ", without marks");
    }
  }

  bool isLowerable =
      options.pool == PoolStorage::Alloc || options.pool == PoolStorage::Stack;
  if (usesJit && checkStability && isLowerable)
    jit.add(*merged, expected[0].trace, "merged by " + options.scheduler);

  // Merging again changes nothing, and merging is deterministic. One of the
  // schedulers is enough each time.
  if (!options.mutation.empty() || !checkStability)
    return std::nullopt;
  OwningOpRef<ModuleOp> again = merged->clone();
  error = mergeBuffers(*again, options);
  if (!error.empty())
    return fail("merging a second time fails");
  if (!isSame(*again, *merged)) {
    // Views hide things that decide what can be merged: the lists from which
    // the stock deallocation decides at run time what to free, and sizes that
    // are dimensions of buffers. Where a pool of all was not worth it, one of
    // those that are left may be.
    if (!original.lookupSymbol("dealloc_helper") &&
        options.dynamic != DynamicPolicy::Bounded)
      return fail("merging twice is not merging once");
    Interpreter mergedTwice;
    error = mergedTwice.compile(*again);
    if (error.empty())
      error = run(mergedTwice);
    if (!error.empty())
      return fail(error + ", merged twice");
  }
  again = original.clone();
  error = mergeBuffers(*again, options);
  if (!error.empty() || !isSame(*again, *merged))
    return fail("merging is not deterministic");
  return std::nullopt;
}

/// Return why the leaks of a rotated program are not those of the original, or
/// an empty string.
static std::string compareLeaks(ModuleOp rotated,
                                const ExecutionResult &expected,
                                const ExecutionResult &actual) {
  // Slots are freed if instances were.
  llvm::StringSet<> unfreed;
  rotated.walk([&](memref::AllocOp op) {
    if (llvm::none_of(op->getUsers(), llvm::IsaPred<memref::DeallocOp>))
      unfreed.insert(getBufferName(op.getLoc()));
  });
  std::map<std::string, int64_t> leaks;
  for (const std::string &leak : expected.leaks)
    ++leaks[leak];
  for (const std::string &leak : actual.leaks)
    if (!unfreed.contains(leak) && --leaks[leak] < 0)
      return leak + " leaks";
  return "";
}

std::optional<Failure> Fuzzer::rotate(ModuleOp original,
                                      const GeneratedProgram &program,
                                      uint64_t seed, StringRef scheduler) {
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + "; ";
    return success();
  });
  bool inScope = seed / 2 % 2;
  OwningOpRef<ModuleOp> rotated = original.clone();
  auto fail = [&](const Twine &reason) {
    return Failure{"rotation", reason.str(), print(original), print(*rotated)};
  };
  std::string error = rotateBuffers(*rotated, inScope);
  if (!error.empty())
    return fail(error + ": " + diagnostics);
  if (isSame(*rotated, original))
    return std::nullopt;
  ++summary.programsRotated;
  rotated->walk([&](memref::AllocOp op) {
    summary.slots += getBufferName(op.getLoc()).size() > strlen("b1000000") - 1;
  });
  if (failed(verify(*rotated)))
    return fail("the rotated program is invalid: " + diagnostics);
  if (hasDealloc(*rotated) && !hasDealloc(original))
    return fail("a deallocation appears");
  OwningOpRef<ModuleOp> again = rotated->clone();
  error = rotateBuffers(*again, inScope);
  if (!error.empty() || !isSame(*again, *rotated))
    return fail("rotating twice is not rotating once");
  again = original.clone();
  error = rotateBuffers(*again, inScope);
  if (!error.empty() || !isSame(*again, *rotated))
    return fail("rotating is not deterministic");
  Interpreter interpreter;
  error = interpreter.compile(*rotated);
  if (!error.empty())
    return fail("the rotated program has an unknown " + error);
  std::vector<ExecutionResult> results;
  for (auto [order, result] : llvm::zip(orders, expected)) {
    ExecutionResult actual = interpreter.run(order);
    error = actual.failure;
    if (error.empty() && actual.outOfSteps)
      error = "the rotated program takes too many steps";
    if (error.empty() && actual.trace != result.trace)
      error = "the rotated program prints something else";
    if (error.empty())
      error = compareLeaks(*rotated, result, actual);
    if (!error.empty())
      return fail(error + " (" + stringify(order) + ")");
    results.push_back(std::move(actual));
  }
  if (usesJit)
    jit.add(*rotated, expected[0].trace, "rotated");
  // Now it is a program as any other.
  std::swap(expected, results);
  auto failure = compare(*rotated, program, getMergeOptions(seed, scheduler),
                         /*checkStability=*/true);
  std::swap(expected, results);
  return failure;
}

std::optional<Failure> Fuzzer::compareForm(ModuleOp original,
                                           const GeneratedProgram &program,
                                           const Form &form,
                                           const MergeOptions &options) {
  OwningOpRef<ModuleOp> lowered = lower(original, form);
  if (!lowered) {
    ++summary.forms[(Twine("no-") + form.name).str()];
    return std::nullopt;
  }
  ++summary.forms[form.name];
  auto fail = [&](const Twine &reason) {
    return Failure{(Twine("none, ") + form.name).str(), reason.str(),
                   print(original), print(*lowered)};
  };
  Interpreter interpreter;
  std::string error = interpreter.compile(*lowered);
  if (!error.empty())
    return fail("the lowered program has an unknown " + error);
  // What leaks in the end may be another thing; what is printed may not.
  std::vector<ExecutionResult> results;
  for (auto [order, result] : llvm::zip(orders, expected)) {
    ExecutionResult actual = interpreter.run(order);
    summary.steps += actual.steps;
    if (actual.outOfSteps) {
      ++summary.outOfSteps;
      return std::nullopt;
    }
    error = actual.failure;
    if (error.empty() && actual.trace != result.trace)
      error = "the lowered program prints something else";
    if (!error.empty())
      return fail(error + " (" + stringify(order) + ")");
    results.push_back(std::move(actual));
  }
  // The lowering of the machine does not begin in the middle.
  bool usesJitOtherwise = std::exchange(usesJit, false);
  std::swap(expected, results);
  auto failure = compare(*lowered, program, options, /*checkStability=*/true);
  std::swap(expected, results);
  usesJit = usesJitOtherwise;
  if (failure)
    failure->scheduler += std::string(", ") + form.name;
  return failure;
}

std::optional<Failure> Fuzzer::compareForms(ModuleOp original,
                                            const GeneratedProgram &program,
                                            uint64_t seed,
                                            StringRef scheduler) {
  // With --async all that lowers the dialect, and sometimes one of the others.
  constexpr uint64_t rarity = 8;
  ArrayRef<Form> forms = getForms();
  bool isAsync = hasAsync(original);
  for (auto [k, form] : llvm::enumerate(forms)) {
    if (form.isAsync ? !isAsync || !asynchronous : seed % rarity != k)
      continue;
    if (auto failure = compareForm(original, program, form,
                                   getMergeOptions(seed, scheduler)))
      return failure;
  }
  return std::nullopt;
}

std::optional<Failure> Fuzzer::runSeed(uint64_t seed,
                                       const GeneratorOptions &options) {
  std::string diagnostics;
  std::optional<GeneratedProgram> generated;
  {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "; ";
      return success();
    });
    generated = generateProgram(context, seed, options);
  }
  GeneratedProgram &program = *generated;
  ModuleOp original = *program.module;
  auto failGenerator = [&](const Twine &reason) {
    return Failure{"none (this is a bug of the generator or interpreter)",
                   reason.str(), print(original), ""};
  };
  ++summary.programs;
  for (const std::string &feature : program.features)
    ++summary.features[feature];
  if (program.features.count("INVALID"))
    return failGenerator("invalid program: " + diagnostics);

  Interpreter interpreter;
  std::string unsupported = interpreter.compile(original);
  if (!unsupported.empty()) {
    ++summary.unsupported[unsupported];
    return std::nullopt;
  }
  orders = {ExecutionOrder::Early};
  if (hasOpenOrder(original))
    orders = {ExecutionOrder::Early, ExecutionOrder::Late,
              ExecutionOrder::Interleaved};
  expected.clear();
  for (ExecutionOrder order : orders) {
    expected.push_back(interpreter.run(order));
    const ExecutionResult &result = expected.back();
    summary.steps += result.steps;
    if (result.outOfSteps) {
      ++summary.outOfSteps;
      return std::nullopt;
    }
    if (!result.failure.empty())
      return failGenerator(result.failure + " (" + stringify(order) + ")");
    if (result.trace != expected[0].trace)
      return failGenerator(Twine("not deterministic (") + stringify(order) +
                           ")");
  }
  summary.withDeallocs += hasDealloc(original);
  usesJit = options.onlyLowerable;
  if (usesJit)
    jit.add(original, expected[0].trace, "seed " + std::to_string(seed));
  std::vector<std::string> names = getSchedulerNames(seed);
  for (size_t k = 0; k < names.size(); ++k)
    if (auto failure =
            compare(original, program, getMergeOptions(seed, names[k]),
                    /*checkStability=*/k == seed % names.size()))
      return failure;
  if (mutation.empty())
    if (auto failure =
            rotate(original, program, seed, names[seed % names.size()]))
      return failure;
  if (mutation.empty())
    if (auto failure =
            compareForms(original, program, seed, names[seed % names.size()]))
      return failure;
  constexpr size_t batchSize = 32;
  if (jit.size() >= batchSize)
    return finishJit();
  return std::nullopt;
}

std::optional<Failure> Fuzzer::finishJit() {
  summary.jitRuns += jit.size();
  std::string error = jit.run();
  if (error.empty())
    return std::nullopt;
  return Failure{"any", error, "", ""};
}

/// Leave out statements as long as the failure stays.
static Failure reduce(Fuzzer &fuzzer, uint64_t seed, Failure failure) {
  GeneratorOptions options = getGeneratorOptions();
  size_t size = failure.original.size();
  for (unsigned round = 0; round < 3; ++round) {
    bool changed = false;
    for (unsigned k = 0; k < 200; ++k) {
      if (!options.dropped.insert(k).second)
        continue;
      auto smaller = fuzzer.runSeed(seed, options);
      if (smaller && smaller->scheduler == failure.scheduler &&
          smaller->original.size() <= size) {
        changed |= smaller->original.size() < size;
        size = smaller->original.size();
        failure = *smaller;
      } else {
        options.dropped.erase(k);
      }
    }
    if (!changed)
      break;
  }
  return failure;
}

static void printSummary(const Summary &summary, double seconds) {
  llvm::outs() << "programs " << summary.programs << ", merged "
               << summary.merges << " times, with deallocations "
               << summary.withDeallocs << ", out of steps "
               << summary.outOfSteps << ", refused " << summary.refused << "\n"
               << "buffers " << summary.allocs << ", merged "
               << summary.mergedAllocs << " (" << summary.bounded
               << " of dynamic shape), shared " << summary.shared << ", in "
               << summary.programsMerged << " merges; programs rotated "
               << summary.programsRotated << ", slots " << summary.slots
               << "; operations executed " << summary.steps
               << ", run as machine code " << summary.jitRuns << "\n";
  llvm::outs() << "features:";
  for (const auto &[name, count] : summary.features)
    llvm::outs() << " " << name << "=" << count;
  llvm::outs() << "\n";
  llvm::outs() << "lowered:";
  for (const auto &[name, count] : summary.forms)
    llvm::outs() << " " << name << "=" << count;
  llvm::outs() << "\n";
  for (const auto &[name, count] : summary.unsupported)
    llvm::outs() << "not run because of " << name << ": " << count << "\n";
  llvm::outs() << llvm::format("%.1f programs/s, %.1f merges/s\n",
                               summary.programs / seconds,
                               summary.merges / seconds);
}

static bool parseSeeds(uint64_t &first, uint64_t &last) {
  auto [low, high] = StringRef(seeds).split("..");
  if (low.getAsInteger(10, first))
    return false;
  last = first;
  return high.empty() || (!high.getAsInteger(10, last) && first <= last);
}

/// Run the program in `path`, in all orders, and say what is wrong with it.
static int runFile(MLIRContext &context, StringRef path) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, &context);
  if (!module)
    return 2;
  Interpreter interpreter;
  std::string error = interpreter.compile(*module);
  if (!error.empty()) {
    llvm::errs() << "error: the interpreter does not know " << error << "\n";
    return 2;
  }
  bool hasFailed = false;
  for (ExecutionOrder order : {ExecutionOrder::Early, ExecutionOrder::Late,
                               ExecutionOrder::Interleaved}) {
    ExecutionResult result = interpreter.run(order);
    hasFailed |= !result.failure.empty();
    llvm::outs() << stringify(order) << ": "
                 << (result.failure.empty() ? "prints" : result.failure);
    if (result.failure.empty())
      for (int64_t value : result.trace)
        llvm::outs() << " " << value;
    for (const std::string &leak : result.leaks)
      llvm::outs() << "; " << (leak.empty() ? "a pool" : leak) << " leaks";
    llvm::outs() << "\n";
  }
  return hasFailed;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "fuzzer of buffer-merge\n\n"
                              "  Random programs, run before and after merging "
                              "by an interpreter that knows\n"
                              "  which buffer wrote each byte.\n");
  uint64_t first, last;
  if (!parseSeeds(first, last)) {
    llvm::errs() << "error: --seeds must be A..B with A <= B\n";
    return 2;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerJitDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  loadGeneratorDialects(context);

  if (!inputFile.empty())
    return runFile(context, inputFile);

  registerBufferMergePasses();

  Fuzzer fuzzer(context);
  // A mistake in the options must not look like a failure that was expected.
  OwningOpRef<ModuleOp> empty = ModuleOp::create(UnknownLoc::get(&context));
  for (const std::string &name : getSchedulerNames(first)) {
    std::string error =
        mergeBuffers(*empty, fuzzer.getMergeOptions(first, name));
    if (error.empty())
      continue;
    llvm::errs() << "error: " << StringRef(error).trim() << "\n";
    return 2;
  }
  if (dumpSeed >= 0) {
    GeneratedProgram program =
        generateProgram(context, dumpSeed, getGeneratorOptions());
    OpPrintingFlags flags;
    flags.enableDebugInfo(true, false);
    if (dumpMerged)
      mergeBuffers(
          *program.module,
          fuzzer.getMergeOptions(dumpSeed, getSchedulerNames(dumpSeed)[0]));
    program.module->print(llvm::outs(), flags);
    return 0;
  }

  auto start = std::chrono::steady_clock::now();
  uint64_t passed = 0, failed = 0;
  for (uint64_t seed = first; seed <= last; ++seed) {
    GeneratorOptions generatorOptions = getGeneratorOptions();
    generatorOptions.onlyLowerable = jitEvery && seed % jitEvery == 0;
    std::optional<Failure> failure = fuzzer.runSeed(seed, generatorOptions);
    if (!failure && seed == last)
      failure = fuzzer.finishJit();
    if (!failure) {
      ++passed;
      continue;
    }
    ++failed;
    llvm::outs() << "seed " << seed << ", scheduler " << failure->scheduler
                 << ": " << failure->reason << "\n";
    llvm::outs().flush();
    if (expectFailure)
      return 0;
    if (reduceFailure) {
      Failure smaller = reduce(fuzzer, seed, *failure);
      llvm::outs() << smaller.reason << "\n// Before:\n"
                   << smaller.original << "// After:\n"
                   << smaller.module;
    }
    if (!keepGoing)
      break;
  }
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  printSummary(fuzzer.summary, elapsed.count());
  llvm::outs() << passed << " passed, " << failed << " failed\n";
  if (expectFailure)
    llvm::outs() << "nothing failed, which is not what was expected\n";
  return failed > 0 || expectFailure;
}
