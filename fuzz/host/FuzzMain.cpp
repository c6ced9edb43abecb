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
#include "FuzzDriver.h"
#include "Interpreter.h"
#include "Jit.h"
#include "Merge.h"
#include "ModeFuzzers.h"
#include "ProgramGenerator.h"
#include "Targets.h"

#include "buffer-merge/Scheduling/Scheduler.h"
#include "buffer-merge/Scheduling/ValueParser.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <map>
#include <optional>

using namespace mlir;
using namespace buffer_merge;
using namespace buffer_merge::fuzz;
namespace cl = llvm::cl;

static cl::opt<std::string>
    schedulers("schedulers",
               cl::desc("Schedulers to use: names separated by commas, all, or "
                        "turns for three others every seed"),
               cl::init("turns"), cl::cat(getCategory()));
static cl::opt<bool> carried("carried",
                             cl::desc("Programs with many loops that carry "
                                      "buffers of earlier iterations"),
                             cl::cat(getCategory()));
static cl::opt<bool> asynchronous(
    "async",
    cl::desc("Programs with much asynchronous execution, which are also "
             "merged after they were lowered to coroutines"),
    cl::cat(getCategory()));
static cl::opt<bool>
    inPlace("in-place",
            cl::desc("Let copies take the place of what they copy from"),
            cl::cat(getCategory()));
static cl::opt<bool> reuse("reuse",
                           cl::desc("Programs with many buffers that hold "
                                    "several values one after the other"),
                           cl::cat(getCategory()));
static cl::opt<bool> otherOrders(
    "reorder",
    cl::desc("Put operations into several other orders instead of merging"),
    cl::cat(getCategory()));
static cl::opt<PoolStorage, false, ValueParser<PoolStorage>> storage(
    "pool",
    cl::desc("Where pools come from, where possible; but for alloc and stack, "
             "programs have more functions, which are not run as machine code"),
    cl::values(clEnumValN(PoolStorage::Alloc, "alloc", "an allocation"),
               clEnumValN(PoolStorage::Stack, "stack", "the stack"),
               clEnumValN(PoolStorage::Arena, "arena", "the caller"),
               clEnumValN(PoolStorage::Global, "global", "a global")),
    cl::init(PoolStorage::Alloc), cl::cat(getCategory()));
static cl::opt<bool> lent(
    "lent",
    cl::desc("Programs with many arguments that callers lend to functions, for "
             "buffers of these"),
    cl::cat(getCategory()));
static cl::opt<bool> parallel(
    "parallel",
    cl::desc("Programs with many parallel loops, of any bounds and steps"),
    cl::cat(getCategory()));
static cl::opt<DynamicPolicy, false, ValueParser<DynamicPolicy>> dynamic(
    "dynamic",
    cl::desc("What becomes of dynamic shapes; unless none, programs have many"),
    cl::values(clEnumValN(DynamicPolicy::None, "none", "they stay"),
               clEnumValN(DynamicPolicy::Bounded, "bounded",
                          "those with a bound are merged as well"),
               clEnumValN(DynamicPolicy::Runtime, "runtime",
                          "those of known size are in pools of run-time size")),
    cl::init(DynamicPolicy::None), cl::cat(getCategory()));
static cl::opt<bool> sequential(
    "sequential",
    cl::desc("Programs without tasks, parallel loops and graphs of blocks, "
             "whose peaks can be compared"),
    cl::cat(getCategory()));
static cl::opt<bool>
    target("target",
           cl::desc("Place buffers in the memories of a random target; some of "
                    "them ask for a place"),
           cl::cat(getCategory()));
static cl::opt<std::string>
    limitPeak("limit-peak",
              cl::desc("The option of the pass: as-given, deallocated or none, "
                       "where the oracle must find programs whose peak is "
                       "higher"),
              cl::init("as-given"), cl::cat(getCategory()));
static cl::opt<unsigned>
    jitEvery("jit-every",
             cl::desc("Also run every N-th program as machine code"),
             cl::value_desc("N"), cl::init(0), cl::cat(getCategory()));

using LeakCheck = function_ref<std::string(const ExecutionResult &expected,
                                           const ExecutionResult &actual)>;

/// Return which leak of `actual`, apart from those of `expected` and those that
/// are `ignored` by name, there is; or an empty string.
static std::string findLeak(const ExecutionResult &expected,
                            const ExecutionResult &actual,
                            const llvm::StringSet<> &ignored) {
  std::map<std::string, int64_t> leaks;
  for (const std::string &leak : expected.leaks)
    ++leaks[leak];
  for (const std::string &leak : actual.leaks)
    if (!ignored.contains(leak) && --leaks[leak] < 0)
      return leak + " leaks";
  return "";
}

/// Pools may leak, buffers not.
static std::string leaksOfBuffers(const ExecutionResult &expected,
                                  const ExecutionResult &actual) {
  // They have no names.
  return findLeak(expected, actual, {""});
}

/// Nothing may leak.
static std::string leaksOfAll(const ExecutionResult &expected,
                              const ExecutionResult &actual) {
  if (expected.leaks.empty() && llvm::is_contained(actual.leaks, ""))
    return "a pool leaks";
  return leaksOfBuffers(expected, actual);
}

/// `freesPools` if a pool must not outlive the program.
static LeakCheck getLeakCheck(bool freesPools) {
  return freesPools ? leaksOfAll : leaksOfBuffers;
}

namespace {
struct Summary {
  uint64_t allocs = 0;
  uint64_t mergedAllocs = 0;
  /// Of dynamic shape.
  uint64_t bounded = 0;
  /// In arguments that callers lend.
  uint64_t lent = 0;
  uint64_t programsMerged = 0;
  uint64_t programsRotated = 0;
  uint64_t slots = 0;
  uint64_t programsSplit = 0;
  uint64_t programsPropagated = 0;
  uint64_t programsEmplaced = 0;
  uint64_t programsReordered = 0;
  uint64_t programsLowered = 0;
  uint64_t programsHoisted = 0;
  /// Allocations that were added for values.
  uint64_t values = 0;
  uint64_t withDeallocs = 0;
  uint64_t steps = 0;
  uint64_t outOfSteps = 0;
  /// Merges that the pass refuses with the error that is due.
  uint64_t refused = 0;
  /// Merges whose peak was compared with that of the original program, and
  /// those of them whose peak is lower.
  uint64_t peaksCompared = 0;
  uint64_t lowerPeaks = 0;
  Counts features;
  /// Programs by the form that they were lowered to and merged in.
  Counts forms;
  uint64_t jitRuns = 0;
  /// Programs not run, by the operation that the interpreter does not know.
  Counts unsupported;
};

/// What a pass makes of a program, which is then a program as any other.
struct Rewrite {
  const char *name;
  ModuleOp original;
  std::function<std::string(ModuleOp)> pass;
  OwningOpRef<ModuleOp> module = {};

  Failure fail(const Twine &reason) const {
    return Failure{name, reason.str(), print(original), print(*module)};
  }
};

class ProgramFuzzer : public Fuzzer {
public:
  explicit ProgramFuzzer(MLIRContext &context) : context(context) {}

  std::string checkOptions(uint64_t firstSeed) override;
  OwningOpRef<ModuleOp> generate(uint64_t seed, bool isMerged,
                                 std::string &error) override;
  int runFile(ModuleOp module) override;
  std::optional<Failure> runSeed(uint64_t seed) override;
  std::optional<Failure> finish() override;
  Failure reduce(uint64_t seed, Failure failure) override;
  std::string describe(uint64_t, const Failure &failure) override {
    return "scheduler " + failure.by;
  }
  void printSummary() override;

private:
  std::optional<Failure> runSeed(uint64_t seed,
                                 const GeneratorOptions &options);
  /// Run `original` in all orders, whose results are what is expected of
  /// others. Returns false if it is too long, or sets `error`.
  bool runOriginal(ModuleOp original, const Interpreter &interpreter,
                   std::string &error);
  /// Merge `original` in all ways that are due, and compare.
  std::optional<Failure> compareAll(ModuleOp original, uint64_t seed);
  /// Carry out `rewrite` and count it, if it changes anything; else there is no
  /// `rewrite.module`. Returns what is wrong with it.
  std::optional<Failure> apply(Rewrite &rewrite, uint64_t &count);
  /// Rotate the carried buffers of `original` and compare; then merge the
  /// result, if there were any.
  std::optional<Failure> rotate(ModuleOp original, uint64_t seed,
                                StringRef scheduler);
  /// Give each value of `original` an allocation of its own, and compare: what
  /// a value does not overwrite is not written. Then merge the result.
  std::optional<Failure> split(ModuleOp original, uint64_t seed,
                               StringRef scheduler);
  /// Carry out `rewrite`, run the result and, with `options`, merge that.
  std::optional<Failure> compareRewrite(Rewrite rewrite, uint64_t &count,
                                        const MergeOptions *options = nullptr);
  std::optional<Failure> hoist(ModuleOp original, uint64_t seed,
                               StringRef scheduler);
  /// Put the operations of `original` into `numOrders` random orders, and into
  /// one of lower peak, and compare; with `options`, merge that.
  std::optional<Failure> reorderAll(ModuleOp original, uint64_t seed,
                                    unsigned numOrders,
                                    const MergeOptions *options = nullptr);
  /// Merge `module` where that is possible, and run it. Returns what is wrong,
  /// or an empty string.
  std::string mergeAndRun(ModuleOp module, const MergeOptions &options);
  /// Merge `original` in lowered forms, and compare with it as it is.
  std::optional<Failure> compareForms(ModuleOp original, uint64_t seed,
                                      StringRef scheduler);
  std::optional<Failure> compareForm(ModuleOp original, const Form &form,
                                     const MergeOptions &options);
  std::optional<Failure> compare(ModuleOp original, const MergeOptions &options,
                                 bool checksStability);
  /// Compare with `results` in place of `expected`.
  std::optional<Failure> compareWith(std::vector<ExecutionResult> &results,
                                     ModuleOp original,
                                     const MergeOptions &options);
  /// Compile `executed`, see that every buffer of `original` is still there,
  /// as itself or as a view, and demand the alignments of slices. Returns what
  /// is wrong, or an empty string. `freesPools` becomes true if no pool must
  /// outlive the program.
  std::string checkBuffers(ModuleOp original, ModuleOp executed,
                           const MergeOptions &options,
                           Interpreter &interpreter, bool &freesPools);
  std::string checkBuffer(Operation *before, Operation *after, StringRef name,
                          const MergeOptions &options,
                          Interpreter &interpreter);
  /// Run a program in all orders, add what it does to `results` if they are not
  /// null, and compare: its leaks by `compareLeaks`, which gets what is
  /// expected first. Returns what is wrong, or an empty string.
  std::string run(const Interpreter &program, LeakCheck compareLeaks,
                  std::vector<ExecutionResult> *results = nullptr);
  /// Compare the peak of the last run with that of `original`, where R7 is
  /// about it. Returns what is wrong, or an empty string.
  std::string comparePeaks(ModuleOp original, const MergeOptions &options);
  std::string run(ModuleOp module, LeakCheck compareLeaks = leaksOfBuffers,
                  std::vector<ExecutionResult> *results = nullptr);
  /// Merging again changes nothing, and merging is deterministic.
  std::string checkStability(ModuleOp original, ModuleOp merged,
                             const MergeOptions &options, bool freesPools);

  MLIRContext &context;
  Summary summary;
  JitBatch jit;
  bool usesJit = false;
  std::vector<TaskOrder> orders;
  std::vector<ExecutionResult> expected;
  /// The last run of a merged program.
  ExecutionResult lastRun;
};
} // namespace

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
  options.sequential = sequential;
  options.calls = storage != PoolStorage::Alloc || target;
  options.dynamicShapes = dynamic != DynamicPolicy::None;
  options.elementwise = inPlace;
  options.reuse = reuse;
  options.lent = lent;
  options.parallel = parallel;
  return options;
}

static MergeOptions getMergeOptions(uint64_t seed, StringRef scheduler) {
  static const int64_t alignments[] = {64, 1, 16, 8, 128, 4};
  MergeOptions options;
  options.scheduler = scheduler.str();
  options.alignment =
      alignment ? alignment : alignments[seed % std::size(alignments)];
  options.inPlace = inPlace;
  options.pool = storage;
  if (target && seed % 4 == 0 && storage == PoolStorage::Alloc)
    options.pool = PoolStorage::Global;
  options.exclusiveEntries = storage == PoolStorage::Global && seed % 2;
  options.dynamic = dynamic;
  options.limitPeak = limitPeak;
  options.goal = seed / 7 % 4 == 0 ? Goal::Allocations : Goal::Peak;
  static const int64_t wastes[] = {65536, 65536, 0, 16};
  options.dynamicWaste = wastes[seed / 3 % std::size(wastes)];
  options.mutation = mutation;
  if (target)
    options.target = makeTarget(seed);
  return options;
}

/// The allocations by name: of the original program, or what stands for them:
/// views and allocations.
static std::string collectBuffers(ModuleOp module,
                                  llvm::StringMap<Operation *> &buffers) {
  std::string error;
  module.walk([&](Operation *op) {
    if (!isa<memref::AllocOp, memref::ViewOp, memref::ReinterpretCastOp>(op))
      return;
    // A view or an allocation may be given another layout; a buffer in an
    // argument or in a result is a cast.
    auto names = getBufferNames(op->getLoc());
    if (auto cast = dyn_cast<memref::ReinterpretCastOp>(op))
      if (Operation *source = cast.getSource().getDefiningOp())
        if (!isa<memref::AllocOp>(source) ||
            getBufferNames(source->getLoc()) == names)
          return;
    for (StringRef name : names)
      if (!buffers.try_emplace(name, op).second)
        error = name.str() + " is there twice";
  });
  return error;
}

static bool hasSeveralBlocks(Operation *root) {
  return root
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

/// Return true if `dealloc` is one that merging adds of its own accord: marked,
/// and in a function of several blocks.
static bool isManual(memref::DeallocOp dealloc) {
  auto function = dealloc->getParentOfType<func::FuncOp>();
  return function &&
         dealloc->hasAttr(
             bufferization::BufferizationDialect::kManualDeallocation) &&
         hasSeveralBlocks(function);
}

static bool hasDealloc(ModuleOp module) {
  return module
      .walk([](memref::DeallocOp dealloc) {
        return isManual(dealloc) ? WalkResult::advance()
                                 : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Return why `actual`, apart from leaks, is not what `expected` says, or an
/// empty string.
static std::string compareRuns(const ExecutionResult &expected,
                               const ExecutionResult &actual) {
  if (!actual.failure.empty())
    return actual.failure;
  if (actual.outOfSteps)
    return "the new program takes too many steps";
  return expected.trace == actual.trace
             ? ""
             : "the new program prints something else";
}

std::string ProgramFuzzer::checkBuffer(Operation *before, Operation *after,
                                       StringRef name,
                                       const MergeOptions &options,
                                       Interpreter &interpreter) {
  if (!after)
    return (name + " is gone").str();
  // Another spelling of the same layout may go.
  auto typeAfter = cast<MemRefType>(after->getResult(0).getType());
  auto typeBefore = cast<MemRefType>(before->getResult(0).getType());
  if (typeAfter.getShape() != typeBefore.getShape() ||
      typeAfter.getElementType() != typeBefore.getElementType() ||
      typeAfter.getMemorySpace() != typeBefore.getMemorySpace())
    return (name + " has changed its type").str();
  if (isa<memref::AllocOp>(after))
    return "";
  int64_t required = cast<memref::AllocOp>(before).getAlignment().value_or(1);
  ++summary.mergedAllocs;
  summary.bounded += !typeBefore.hasStaticShape();
  summary.lent += isa<memref::ReinterpretCastOp>(after);
  // Arguments and other pools do without the option rather than take more
  // bytes.
  if (options.pool == PoolStorage::Alloc && options.target.empty() &&
      isa<memref::ViewOp>(after) && options.statesAlignment())
    required = std::max(required, options.alignment);
  interpreter.requireAlignment(name, required);
  return "";
}

std::string ProgramFuzzer::checkBuffers(ModuleOp original, ModuleOp executed,
                                        const MergeOptions &options,
                                        Interpreter &interpreter,
                                        bool &freesPools) {
  llvm::StringMap<Operation *> before, after;
  std::string error = collectBuffers(original, before);
  if (error.empty())
    error = collectBuffers(executed, after);
  if (!error.empty())
    return error;
  error = interpreter.compile(executed);
  if (!error.empty())
    return "the new program has an unknown " + error;
  uint64_t numMergedOutside = summary.mergedAllocs;
  freesPools = true;
  for (auto &entry : before) {
    Operation *op = after.lookup(entry.first());
    error = checkBuffer(entry.second, op, entry.first(), options, interpreter);
    if (!error.empty())
      return error;
    // A buffer that nobody frees may keep its pool from being freed.
    if (isa<memref::ViewOp>(op))
      freesPools &= llvm::any_of(entry.second->getUsers(),
                                 llvm::IsaPred<memref::DeallocOp>);
  }
  if (before.size() != after.size())
    return "buffers appear from nowhere";
  summary.allocs += before.size();
  summary.programsMerged += summary.mergedAllocs > numMergedOutside;
  return "";
}

std::string ProgramFuzzer::run(const Interpreter &program,
                               LeakCheck compareLeaks,
                               std::vector<ExecutionResult> *results) {
  for (auto [order, result] : llvm::zip(orders, expected)) {
    lastRun = program.run(order);
    std::string error = compareRuns(result, lastRun);
    if (error.empty())
      error = compareLeaks(result, lastRun);
    if (!error.empty())
      return (error + " (" + stringify(order) + ")").str();
    if (results)
      results->push_back(lastRun);
  }
  return "";
}

/// Return true if a path through `module` may leave something out.
static bool hasBranches(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return op->getNumRegions() > 1 ? WalkResult::interrupt()
                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

std::string ProgramFuzzer::comparePeaks(ModuleOp original,
                                        const MergeOptions &options) {
  // Loops count as run, a function of several blocks as one path, and `bump`
  // saves nothing on purpose. A global of several entries is as large as the
  // one that needs most.
  if (!sequential || !options.mutation.empty() ||
      options.pool == PoolStorage::Stack || options.exclusiveEntries ||
      !options.target.empty() || options.dynamic == DynamicPolicy::Bounded ||
      options.scheduler == "bump" || orders.size() != 1 ||
      expected[0].skipsLoop || hasSeveralBlocks(original))
    return "";
  // For memory that is there anyway the worst path counts, of which this may
  // not be one.
  if (options.pool != PoolStorage::Alloc && hasBranches(original))
    return "";
  HoldEnd end =
      options.limitPeak == "deallocated" ? HoldEnd::LastUse : HoldEnd::Free;
  ++summary.peaksCompared;
  // A slice may start where one of any alignment ends.
  int64_t padding = options.alignment;
  SetVector<const void *> spaces;
  for (const ExecutionResult *result : {&expected[0], &lastRun})
    for (const HeldAllocation &held : result->held) {
      padding = std::max(padding, held.alignment);
      spaces.insert(held.space);
    }
  // The pools count as their lower bounds, in case that callees have theirs
  // inside of others.
  int64_t bytesAboveBounds = options.pool == PoolStorage::Alloc
                                 ? 0
                                 : getBytesAboveBounds(original, options);
  bool isLower = false;
  for (const void *space : spaces) {
    int64_t asked = getHeapPeak(expected[0].held, end, space, 1);
    int64_t after = getHeapPeak(lastRun.held, end, space, 1);
    isLower |= after < asked;
    // The pool of a callee may have more padding than what is held at the peak,
    // beside a pool of the caller.
    int64_t before =
        std::max(getHeapPeak(expected[0].held, end, space, padding),
                 asked +
                     getMostPadding(expected[0].held, end, space, padding)) +
        bytesAboveBounds;
    if (after > before)
      return "the peak rises from " + std::to_string(before) + " to " +
             std::to_string(after) + " bytes";
  }
  summary.lowerPeaks += isLower;
  return "";
}

std::string ProgramFuzzer::run(ModuleOp module, LeakCheck compareLeaks,
                               std::vector<ExecutionResult> *results) {
  Interpreter interpreter;
  std::string error = interpreter.compile(module);
  if (!error.empty())
    return "the new program has an unknown " + error;
  return run(interpreter, compareLeaks, results);
}

std::string ProgramFuzzer::checkStability(ModuleOp original, ModuleOp merged,
                                          const MergeOptions &options,
                                          bool freesPools) {
  OwningOpRef<ModuleOp> again = merged.clone();
  if (!mergeBuffers(*again, options).empty())
    return "merging a second time fails";
  if (!isSame(*again, merged)) {
    // Views hide things that decide what can be merged: the lists from which
    // the stock deallocation decides at run time what to free, and sizes that
    // are dimensions of buffers. Where a pool of all was not worth it, or would
    // have raised the peak, one of those that are left may be.
    if (!original.lookupSymbol("dealloc_helper") &&
        options.dynamic == DynamicPolicy::None &&
        !isLimitedByPeak(original, options))
      return "merging twice is not merging once";
    std::string error = run(*again, getLeakCheck(freesPools));
    if (!error.empty())
      return error + ", merged twice";
  }
  again = original.clone();
  if (!mergeBuffers(*again, options).empty() || !isSame(*again, merged))
    return "merging is not deterministic";
  return "";
}

std::optional<Failure> ProgramFuzzer::compare(ModuleOp original,
                                              const MergeOptions &options,
                                              bool checksStability) {
  ++merges;
  ErrorCollector errors(&context);
  OwningOpRef<ModuleOp> merged = original.clone();
  auto fail = [&](const Twine &reason) {
    return Failure{options.scheduler, reason.str(), print(original),
                   print(*merged)};
  };
  std::string error = mergeBuffers(*merged, options);
  auto isRefused = [&] {
    StringRef text = errors.text;
    if (!options.target.empty() && mayRefusePins(original, text))
      return true;
    return options.pool == PoolStorage::Global &&
           text.contains("' cannot be a global: ");
  };
  if (!error.empty() && isRefused()) {
    ++summary.refused;
    if (!isSame(*merged, original))
      return fail("an error changes the program: " + errors.text);
    return std::nullopt;
  }
  if (!error.empty())
    return fail("the pass fails: " + error + ": " + errors.text);
  if (failed(verify(*merged)))
    return fail("the merged program is invalid: " + errors.text);

  Interpreter interpreter;
  bool freesPools = true;
  error = checkBuffers(original, *merged, options, interpreter, freesPools);
  if (error.empty() && !options.target.empty())
    error = checkPins(original, *merged, options.target);
  if (error.empty() && hasDealloc(*merged) && !hasDealloc(original))
    error = "a deallocation appears";
  if (error.empty())
    error = run(interpreter, getLeakCheck(freesPools));
  if (error.empty())
    error = comparePeaks(original, options);
  if (!error.empty())
    return fail(error);
  bool isLowerable =
      options.pool == PoolStorage::Alloc || options.pool == PoolStorage::Stack;
  if (usesJit && checksStability && isLowerable)
    jit.add(*merged, expected[0].trace, "merged by " + options.scheduler);
  // One of the schedulers is enough each time.
  if (options.mutation.empty() && checksStability)
    error = checkStability(original, *merged, options, freesPools);
  if (!error.empty())
    return fail(error);
  return std::nullopt;
}

std::optional<Failure>
ProgramFuzzer::compareWith(std::vector<ExecutionResult> &results,
                           ModuleOp original, const MergeOptions &options) {
  std::swap(expected, results);
  auto failure = compare(original, options, /*checksStability=*/true);
  std::swap(expected, results);
  return failure;
}

std::optional<Failure> ProgramFuzzer::apply(Rewrite &rewrite, uint64_t &count) {
  ErrorCollector errors(&context);
  rewrite.module = rewrite.original.clone();
  std::string error = rewrite.pass(*rewrite.module);
  if (!error.empty())
    return rewrite.fail(error + ": " + errors.text);
  if (isSame(*rewrite.module, rewrite.original)) {
    rewrite.module = {};
    return std::nullopt;
  }
  ++count;
  if (failed(verify(*rewrite.module)))
    return rewrite.fail("the program is invalid: " + errors.text);
  OwningOpRef<ModuleOp> again = rewrite.original.clone();
  error = rewrite.pass(*again);
  if (!error.empty() || !isSame(*again, *rewrite.module))
    return rewrite.fail("it is not deterministic");
  if (usesJit)
    jit.add(*rewrite.module, expected[0].trace, rewrite.name);
  return std::nullopt;
}

std::string ProgramFuzzer::mergeAndRun(ModuleOp module,
                                       const MergeOptions &options) {
  ErrorCollector errors(&context);
  std::string error = mergeBuffers(module, options);
  if (!error.empty() && (options.pool == PoolStorage::Global || target))
    return "";
  if (!error.empty())
    return "the pass fails: " + error + ": " + errors.text;
  if (failed(verify(module)))
    return "the merged program is invalid: " + errors.text;
  error = run(module);
  return error.empty() ? "" : error + ", then merged";
}

std::optional<Failure>
ProgramFuzzer::compareRewrite(Rewrite rewrite, uint64_t &count,
                              const MergeOptions *options) {
  auto failure = apply(rewrite, count);
  if (failure || !rewrite.module)
    return failure;
  std::string error = run(*rewrite.module);
  if (error.empty() && options)
    error = mergeAndRun(*rewrite.module, *options);
  if (!error.empty())
    return rewrite.fail(error);
  return std::nullopt;
}

std::optional<Failure> ProgramFuzzer::rotate(ModuleOp original, uint64_t seed,
                                             StringRef scheduler) {
  Rewrite rewrite{"rotated", original, [seed](ModuleOp module) {
                    return rotateBuffers(module, /*inScope=*/seed / 2 % 2);
                  }};
  auto failure = apply(rewrite, summary.programsRotated);
  if (failure || !rewrite.module)
    return failure;
  ModuleOp rotated = *rewrite.module;
  rotated.walk([&](memref::AllocOp op) {
    summary.slots += getBufferName(op.getLoc()).size() > strlen("b1000000") - 1;
  });
  if (hasDealloc(rotated) && !hasDealloc(original))
    return rewrite.fail("a deallocation appears");
  auto runRotated = [&](ModuleOp module,
                        std::vector<ExecutionResult> &results) {
    // Slots are freed if instances were.
    llvm::StringSet<> unfreed;
    module.walk([&](memref::AllocOp op) {
      if (llvm::none_of(op->getUsers(), llvm::IsaPred<memref::DeallocOp>))
        unfreed.insert(getBufferName(op.getLoc()));
    });
    return run(
        module,
        [&](const ExecutionResult &expected, const ExecutionResult &actual) {
          // A clone that nobody frees keeps what it may be: a slot for a
          // buffer.
          ExecutionResult ofBuffers = actual;
          llvm::erase_if(ofBuffers.leaks, [&](const std::string &leak) {
            return unfreed.contains(leak);
          });
          for (std::string &leak : ofBuffers.leaks)
            leak = getBufferOfSlot(leak);
          return findLeak(expected, ofBuffers, {});
        },
        &results);
  };
  OwningOpRef<ModuleOp> again = rotated.clone();
  std::string error = rewrite.pass(*again);
  // Slots need no condition to be freed, which may let others be rotated.
  std::vector<ExecutionResult> resultsAgain, results;
  if (error.empty() && !isSame(*again, rotated))
    error = runRotated(*again, resultsAgain);
  if (!error.empty())
    return rewrite.fail(error + ", rotated twice");
  error = runRotated(rotated, results);
  if (!error.empty())
    return rewrite.fail(error);
  return compareWith(results, rotated, getMergeOptions(seed, scheduler));
}

std::optional<Failure> ProgramFuzzer::split(ModuleOp original, uint64_t seed,
                                            StringRef scheduler) {
  Rewrite rewrite{"split", original, splitBuffers};
  auto failure = apply(rewrite, summary.programsSplit);
  if (failure || !rewrite.module)
    return failure;
  ModuleOp split = *rewrite.module;
  auto count = [](ModuleOp module) {
    uint64_t count = 0;
    module.walk([&](memref::AllocOp) { ++count; });
    return count;
  };
  summary.values += count(split) - count(original);
  OwningOpRef<ModuleOp> again = split.clone();
  std::string error = splitBuffers(*again);
  if (!error.empty() || !isSame(*again, split))
    return rewrite.fail("splitting twice is not splitting once");
  // Values have names of their own.
  auto compareLeaks = [](const ExecutionResult &expected,
                         const ExecutionResult &actual) {
    return expected.leaks.empty() && !actual.leaks.empty()
               ? actual.leaks.front() + " leaks"
               : "";
  };
  std::vector<ExecutionResult> results;
  error = run(split, compareLeaks, &results);
  if (!error.empty())
    return rewrite.fail(error);
  MergeOptions options = getMergeOptions(seed, scheduler);
  if (auto failure = compareWith(results, split, options))
    return failure;
  // What does not become part of a pool is joined again.
  options.splitBuffers = true;
  rewrite.module = original.clone();
  error = mergeAndRun(*rewrite.module, options);
  if (!error.empty())
    return rewrite.fail(error + ", at once");
  return std::nullopt;
}

std::optional<Failure> ProgramFuzzer::hoist(ModuleOp original, uint64_t seed,
                                            StringRef scheduler) {
  MergeOptions options = getMergeOptions(seed, scheduler);
  auto pass = [options](ModuleOp module) {
    return hoistParallelPools(module, options);
  };
  Rewrite rewrite{"hoisted", original, pass};
  auto failure = apply(rewrite, summary.programsHoisted);
  if (failure || !rewrite.module)
    return failure;
  OwningOpRef<ModuleOp> again = rewrite.module->clone();
  std::string error = pass(*again);
  // A buffer in use when its iteration ends is left beside pools that would be
  // freed there, and not once these are slots.
  if (error.empty() && !isSame(*again, *rewrite.module))
    error = run(*again);
  if (!error.empty())
    return rewrite.fail(error + ", hoisted twice");
  error = run(*rewrite.module);
  // Slots are beside other buffers wherever pools can be.
  static const PoolStorage storages[] = {PoolStorage::Alloc, PoolStorage::Stack,
                                         PoolStorage::Global,
                                         PoolStorage::Arena};
  if (options.target.empty() && options.pool == PoolStorage::Alloc)
    options.pool = storages[seed / 2 % std::size(storages)];
  if (error.empty())
    error = mergeAndRun(*rewrite.module, options);
  if (!error.empty())
    return rewrite.fail(error);
  return std::nullopt;
}

std::optional<Failure> ProgramFuzzer::compareForm(ModuleOp original,
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
  auto failure = compareWith(results, *lowered, options);
  usesJit = usesJitOtherwise;
  if (failure)
    failure->by += std::string(", ") + form.name;
  return failure;
}

std::optional<Failure> ProgramFuzzer::compareForms(ModuleOp original,
                                                   uint64_t seed,
                                                   StringRef scheduler) {
  // With --async all that lowers the dialect, and sometimes one of the others.
  constexpr uint64_t rarity = 8;
  bool isAsync = hasAsync(original);
  for (auto [k, form] : llvm::enumerate(getForms())) {
    if (form.isAsync ? !isAsync || !asynchronous : seed % rarity != k)
      continue;
    if (auto failure =
            compareForm(original, form, getMergeOptions(seed, scheduler)))
      return failure;
  }
  return std::nullopt;
}

bool ProgramFuzzer::runOriginal(ModuleOp original,
                                const Interpreter &interpreter,
                                std::string &error) {
  orders = {TaskOrder::Early};
  if (hasOpenOrder(original))
    orders = {TaskOrder::Early, TaskOrder::Late, TaskOrder::Interleaved};
  expected.clear();
  // Half of what it may take with the slots, views and conditions of the
  // passes.
  constexpr uint64_t maxSteps = 200000;
  for (TaskOrder order : orders) {
    expected.push_back(interpreter.run(order, maxSteps));
    const ExecutionResult &result = expected.back();
    summary.steps += result.steps;
    if (result.outOfSteps) {
      ++summary.outOfSteps;
      return false;
    }
    error = result.failure;
    if (error.empty() && result.trace != expected[0].trace)
      error = "not deterministic";
    if (error.empty())
      continue;
    error += (" (" + stringify(order) + ")").str();
    return false;
  }
  return true;
}

std::optional<Failure> ProgramFuzzer::reorderAll(ModuleOp original,
                                                 uint64_t seed,
                                                 unsigned numOrders,
                                                 const MergeOptions *options) {
  // The last one is that of the pass.
  for (unsigned k = 0; k <= numOrders; ++k) {
    bool forPeak = k == numOrders;
    auto change = [&](ModuleOp module) {
      return reorder(module, seed * numOrders + k, forPeak);
    };
    Rewrite rewrite = {forPeak ? "reordered for the peak" : "reordered",
                       original, change};
    uint64_t &count =
        forPeak ? summary.programsLowered : summary.programsReordered;
    if (auto failure = compareRewrite(std::move(rewrite), count, options))
      return failure;
  }
  return std::nullopt;
}

std::optional<Failure> ProgramFuzzer::compareAll(ModuleOp original,
                                                 uint64_t seed) {
  if (otherOrders)
    return reorderAll(original, seed, /*numOrders=*/4);
  std::vector<std::string> names = getSchedulerNames(seed);
  size_t chosen = seed % names.size();
  for (size_t k = 0; k < names.size(); ++k)
    if (auto failure = compare(original, getMergeOptions(seed, names[k]),
                               /*checksStability=*/k == chosen))
      return failure;
  if (!mutation.empty())
    return std::nullopt;
  if (auto failure = rotate(original, seed, names[chosen]))
    return failure;
  if (auto failure = split(original, seed, names[chosen]))
    return failure;
  if (auto failure = compareRewrite({"propagated", original, propagateCopies},
                                    summary.programsPropagated))
    return failure;
  auto emplace = [seed](ModuleOp module) {
    return emplaceBuffers(module, /*strided=*/seed % 2);
  };
  MergeOptions options = getMergeOptions(seed, names[chosen]);
  if (auto failure = compareRewrite({"emplaced", original, emplace},
                                    summary.programsEmplaced, &options))
    return failure;
  if (auto failure = reorderAll(original, seed, /*numOrders=*/1, &options))
    return failure;
  if (auto failure = hoist(original, seed, names[chosen]))
    return failure;
  return compareForms(original, seed, names[chosen]);
}

std::optional<Failure> ProgramFuzzer::runSeed(uint64_t seed,
                                              const GeneratorOptions &options) {
  GeneratedProgram program;
  std::string errors;
  {
    ErrorCollector collector(&context);
    program = generateProgram(context, seed, options);
    errors = collector.text;
  }
  ModuleOp original = *program.module;
  if (target && seed % 3 == 0)
    addPins(original, seed);
  ++programs;
  for (const std::string &feature : program.features)
    ++summary.features[feature];
  if (program.features.count("INVALID"))
    return failUnmerged(original, "invalid program: " + errors);
  Interpreter interpreter;
  std::string unsupported = interpreter.compile(original);
  if (!unsupported.empty()) {
    ++summary.unsupported[unsupported];
    return std::nullopt;
  }
  std::string error;
  if (!runOriginal(original, interpreter, error)) {
    if (error.empty())
      return std::nullopt;
    return failUnmerged(original, error);
  }
  summary.withDeallocs += hasDealloc(original);
  usesJit = options.onlyLowerable;
  if (usesJit)
    jit.add(original, expected[0].trace, "seed " + std::to_string(seed));
  if (auto failure = compareAll(original, seed))
    return failure;
  constexpr size_t batchSize = 32;
  return jit.size() >= batchSize ? finish() : std::nullopt;
}

std::optional<Failure> ProgramFuzzer::runSeed(uint64_t seed) {
  GeneratorOptions options = getGeneratorOptions();
  options.onlyLowerable = jitEvery && seed % jitEvery == 0;
  return runSeed(seed, options);
}

std::optional<Failure> ProgramFuzzer::finish() {
  summary.jitRuns += jit.size();
  std::string error = jit.run();
  if (error.empty())
    return std::nullopt;
  return Failure{"any", error, "", ""};
}

Failure buffer_merge::fuzz::leaveOutStatements(
    GeneratorOptions options, Failure failure,
    function_ref<std::optional<Failure>(const GeneratorOptions &options)> run) {
  size_t size = failure.original.size();
  for (unsigned round = 0; round < 3; ++round) {
    bool changed = false;
    for (unsigned k = 0; k < 200; ++k) {
      if (!options.dropped.insert(k).second)
        continue;
      auto smaller = run(options);
      if (smaller && smaller->by == failure.by &&
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

Failure ProgramFuzzer::reduce(uint64_t seed, Failure failure) {
  return leaveOutStatements(
      getGeneratorOptions(), failure,
      [&](const GeneratorOptions &options) { return runSeed(seed, options); });
}

void ProgramFuzzer::printSummary() {
  llvm::outs() << "programs " << programs << ", merged " << merges
               << " times, with deallocations " << summary.withDeallocs
               << ", out of steps " << summary.outOfSteps << ", refused "
               << summary.refused << "\n"
               << "buffers " << summary.allocs << ", merged "
               << summary.mergedAllocs << " (" << summary.bounded
               << " of dynamic shape, " << summary.lent << " in arguments), in "
               << summary.programsMerged << " merges; programs rotated "
               << summary.programsRotated << ", slots " << summary.slots
               << "; programs split " << summary.programsSplit
               << ", values added " << summary.values << "; propagated "
               << summary.programsPropagated << ", emplaced "
               << summary.programsEmplaced << ", reordered "
               << summary.programsReordered << " (for the peak "
               << summary.programsLowered << "), hoisted "
               << summary.programsHoisted << "; operations executed "
               << summary.steps << ", run as machine code " << summary.jitRuns
               << "\n";
  llvm::outs() << "peaks compared " << summary.peaksCompared << ", lower "
               << summary.lowerPeaks << "\n";
  printCounts("features:", summary.features);
  printCounts("lowered:", summary.forms);
  for (const auto &[name, count] : summary.unsupported)
    llvm::outs() << "not run because of " << name << ": " << count << "\n";
}

int ProgramFuzzer::runFile(ModuleOp module) {
  Interpreter interpreter;
  std::string error = interpreter.compile(module);
  if (!error.empty()) {
    llvm::errs() << "error: the interpreter does not know " << error << "\n";
    return 2;
  }
  bool hasFailed = false;
  for (TaskOrder order :
       {TaskOrder::Early, TaskOrder::Late, TaskOrder::Interleaved}) {
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

std::string ProgramFuzzer::checkOptions(uint64_t firstSeed) {
  OwningOpRef<ModuleOp> empty = ModuleOp::create(UnknownLoc::get(&context));
  for (const std::string &name : getSchedulerNames(firstSeed)) {
    std::string error = mergeBuffers(*empty, getMergeOptions(firstSeed, name));
    if (!error.empty())
      return error;
  }
  return "";
}

OwningOpRef<ModuleOp> ProgramFuzzer::generate(uint64_t seed, bool isMerged,
                                              std::string &error) {
  OwningOpRef<ModuleOp> module =
      std::move(generateProgram(context, seed, getGeneratorOptions()).module);
  if (isMerged)
    error = mergeBuffers(*module,
                         getMergeOptions(seed, getSchedulerNames(seed)[0]));
  return module;
}

int main(int argc, char **argv) {
  return runFuzzer(
      argc, argv,
      {"fuzzer of buffer-merge\n\n"
       "  Random programs, run before and after merging by an interpreter that "
       "knows\n  which buffer wrote each byte.\n",
       registerJitDialects, loadGeneratorDialects,
       [](MLIRContext &context) -> std::unique_ptr<Fuzzer> {
         if (auto fuzzer = createModeFuzzer(context))
           return fuzzer;
         return std::make_unique<ProgramFuzzer>(context);
       }});
}
