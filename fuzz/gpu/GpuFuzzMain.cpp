//===- Compare kernels before and after merging --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every seed: generate a kernel, run it thread by thread, merge its buffers
// in several ways, run the results, and compare.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "KernelGenerator.h"
#include "KernelInterpreter.h"
#include "KernelMerge.h"
#include "SharedMemoryLayout.h"

#include "buffer-merge/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringMap.h"
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

static cl::OptionCategory category("buffer-merge-gpu-fuzz options");
static cl::opt<std::string> kernelFile(cl::Positional,
                                       cl::desc("[kernel to run as it is]"),
                                       cl::cat(category));
static cl::opt<std::string> seeds("seeds",
                                  cl::desc("Seeds to run, A..B, B included"),
                                  cl::value_desc("A..B"), cl::init("0..999"),
                                  cl::cat(category));
static cl::opt<std::string> kinds(
    "kinds",
    cl::desc("Kinds of kernels, separated by commas, or turns for another "
             "one every seed"),
    cl::init("turns"), cl::cat(category));
static cl::opt<std::string>
    modes("modes",
          cl::desc("Ways to merge: POOL/BARRIERS separated by commas, all, or "
                   "turns for two others every seed"),
          cl::init("turns"), cl::cat(category));
static cl::opt<std::string>
    orders("orders",
           cl::desc("Thread orders: all, or turns for another one for each set "
                    "of arguments"),
           cl::init("turns"), cl::cat(category));
static cl::opt<unsigned> numArguments("arguments",
                                      cl::desc("Sets of arguments to run with"),
                                      cl::init(4), cl::cat(category));
static cl::opt<int64_t>
    alignment("alignment",
              cl::desc("Alignment to ask for; 0 takes another one every seed"),
              cl::init(0), cl::cat(category));
static cl::opt<int64_t> dumpSeed("dump", cl::desc("Print the kernel of a seed"),
                                 cl::value_desc("seed"), cl::init(-1),
                                 cl::cat(category));
static cl::opt<bool> dumpMerged("merged",
                                cl::desc("With --dump: print it merged"),
                                cl::cat(category));
static cl::opt<bool>
    reduceFailure("reduce", cl::desc("Print a smaller kernel for each failure"),
                  cl::cat(category));
static cl::opt<std::string>
    mutation("mutation",
             cl::desc("Merge wrongly, which must be noticed: all-at-zero, or "
                      "lifetimes-only, which knows no barriers"),
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
  std::string mode;
  std::string reason;
  /// The kernel before and after merging, as text.
  std::string original;
  std::string module;
};

struct Summary {
  uint64_t kernels = 0;
  uint64_t withOwnRaces = 0;
  uint64_t outOfSteps = 0;
  uint64_t merges = 0;
  uint64_t mergesWithSharing = 0;
  uint64_t buffers = 0;
  uint64_t mergedBuffers = 0;
  /// Pairs of merged buffers of one kernel, and those that have bytes in
  /// common.
  uint64_t pairs = 0;
  uint64_t sharingPairs = 0;
  uint64_t bufferBytes = 0;
  uint64_t poolBytes = 0;
  uint64_t runs = 0;
  uint64_t steps = 0;
  uint64_t barriers = 0;
  uint64_t insertedBarriers = 0;
  uint64_t handovers = 0;
  /// Merges that are wrong on purpose, those with a race, and those that the
  /// checker of the library objects to.
  uint64_t wrongMerges = 0;
  uint64_t wrongMergesWithRace = 0;
  uint64_t wrongMergesRejected = 0;
  std::map<StringRef, uint64_t> kinds;
  std::map<std::string, uint64_t> features;
};

/// A run of the kernel before merging.
struct Expectation {
  LaunchOptions options;
  LaunchResult result;
};

class Fuzzer {
public:
  explicit Fuzzer(MLIRContext &context) : context(context) {}

  std::optional<Failure> runSeed(uint64_t seed,
                                 GeneratedKernel *generated = nullptr,
                                 const std::set<uint64_t> &dropped = {});

  Summary summary;

private:
  /// Run `original` with all arguments.
  std::optional<Failure> runOriginal(const GeneratedKernel &kernel,
                                     uint64_t seed);
  std::optional<Failure> compare(const GeneratedKernel &kernel,
                                 const MergeMode &mode, int64_t alignment,
                                 bool checkStability);
  /// Merge wrongly, and see whether the checker of the library finds the races
  /// that are there.
  std::optional<Failure> testChecker(const GeneratedKernel &kernel,
                                     uint64_t seed);

  MLIRContext &context;
  std::vector<Expectation> expectations;
  /// What the runs before merging ask of alignment.
  std::vector<int64_t> keptAlignments;
  /// Some run was too long: nothing is compared.
  bool isOutOfSteps = false;
};
} // namespace

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, OpPrintingFlags().enableDebugInfo(true, false));
  return text;
}

static int64_t getAlignment(uint64_t seed) {
  static const int64_t alignments[] = {16, 1, 4, 128, 64, 8};
  return alignment ? alignment : alignments[seed % std::size(alignments)];
}

static SmallVector<MergeMode> getModes(uint64_t seed) {
  ArrayRef<MergeMode> all = getMergeModes();
  if (!mutation.empty())
    return {all[0]};
  if (modes == "all")
    return SmallVector<MergeMode>(all);
  if (modes == "turns")
    return {all[seed % all.size()], all[(seed * 3 + 1) % all.size()]};
  SmallVector<MergeMode> chosen;
  SmallVector<StringRef> names;
  StringRef(modes).split(names, ',');
  for (StringRef name : names) {
    auto mode = llvm::find_if(
        all, [&](const MergeMode &mode) { return mode.name == name; });
    if (mode == all.end())
      return {};
    chosen.push_back(*mode);
  }
  return chosen;
}

/// The kind of the kernel number `seed`, or nothing if the option names none.
static std::optional<KernelKind> getKind(uint64_t seed) {
  SmallVector<StringRef> names;
  StringRef(kinds).split(names, ',');
  SmallVector<KernelKind> chosen;
  for (unsigned k = 0; k < numKernelKinds; ++k)
    if (kinds == "turns" || llvm::is_contained(names, stringify(KernelKind(k))))
      chosen.push_back(KernelKind(k));
  if (kinds != "turns" && chosen.size() != names.size())
    return std::nullopt;
  return chosen[seed % chosen.size()];
}

static std::string merge(ModuleOp module, const MergeMode &mode,
                         int64_t alignment, const GeneratedKernel &kernel) {
  if (mutation == "all-at-zero")
    mergeAllAtZero(module);
  else if (mutation == "lifetimes-only")
    mergeByLifetimes(module);
  else if (!mutation.empty())
    return "unknown mutation '" + mutation + "'";
  else
    return mergeKernel(module, mode, alignment,
                       kernel.mergeOptions + " " + kernel.kernelOptions);
  return "";
}

/// The dynamic workgroup memory that the launch asks for.
static int64_t getDynamicBytes(ModuleOp module) {
  int64_t bytes = 0;
  module.walk([&](Operation *op) {
    Value value;
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      value = launch.getDynamicSharedMemorySize();
    else if (auto launch = dyn_cast<gpu::LaunchOp>(op))
      value = launch.getDynamicSharedMemorySize();
    APInt size;
    if (value && matchPattern(value, m_ConstantInt(&size)))
      bytes = size.getSExtValue();
  });
  return bytes;
}

namespace {
/// A buffer in workgroup memory that the oracle knows by its name.
struct NamedBuffer {
  MemRefType type;
  int64_t alignment = 1;
  /// The offset in its pool, or -1 if it is not merged.
  int64_t offset = -1;
};
} // namespace

static std::string collectBuffers(ModuleOp module,
                                  std::map<std::string, NamedBuffer> &buffers) {
  std::string error;
  auto add = [&](Location loc, Type type, int64_t alignment, int64_t offset) {
    std::string name = getBufferName(loc).str();
    if (!name.empty() &&
        !buffers
             .try_emplace(
                 name, NamedBuffer{cast<MemRefType>(type), alignment, offset})
             .second)
      error = name + " is there twice";
  };
  module.walk([&](Operation *op) {
    if (auto allocOp = dyn_cast<memref::AllocOp>(op)) {
      add(op->getLoc(), allocOp.getType(), allocOp.getAlignment().value_or(1),
          -1);
    } else if (auto viewOp = dyn_cast<memref::ViewOp>(op)) {
      APInt offset;
      if (matchPattern(viewOp.getByteShift(), m_ConstantInt(&offset)))
        add(op->getLoc(), viewOp.getType(), 1, offset.getSExtValue());
      else
        error = "a view is not at a constant offset";
    } else if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op)) {
      for (BlockArgument argument : kernel.getWorkgroupAttributions())
        add(argument.getLoc(), argument.getType(), 1, -1);
    } else if (auto launch = dyn_cast<gpu::LaunchOp>(op)) {
      for (BlockArgument argument : launch.getWorkgroupAttributions())
        add(argument.getLoc(), argument.getType(), 1, -1);
    }
  });
  return error;
}

static uint64_t countBarriers(ModuleOp module) {
  uint64_t count = 0;
  module.walk([&](Operation *op) {
    count += isa<gpu::BarrierOp, NVVM::BarrierOp, NVVM::Barrier0Op>(op);
  });
  return count;
}

std::optional<Failure> Fuzzer::compare(const GeneratedKernel &kernel,
                                       const MergeMode &mode, int64_t alignment,
                                       bool checkStability) {
  ModuleOp original = *kernel.module;
  ++summary.merges;
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      diagnostics += diagnostic.str() + "; ";
    return success();
  });
  OwningOpRef<ModuleOp> merged = original.clone();
  auto fail = [&](const Twine &reason) {
    std::string name = mode.name.str();
    for (const std::string &options :
         {kernel.mergeOptions, kernel.kernelOptions})
      if (!options.empty())
        name += " " + options;
    return Failure{name, reason.str(), print(original), print(*merged)};
  };
  std::string error = merge(*merged, mode, alignment, kernel);
  if (!error.empty())
    return fail("the pass fails: " + error + ": " + diagnostics);
  if (failed(verify(*merged)))
    return fail("the merged kernel is invalid: " + diagnostics);

  // Every buffer is still there, as itself or as a view.
  std::map<std::string, NamedBuffer> before, after;
  error = collectBuffers(original, before);
  if (error.empty())
    error = collectBuffers(*merged, after);
  if (!error.empty())
    return fail(error);
  KernelInterpreter interpreter;
  error = interpreter.compile(*merged);
  if (!error.empty())
    return fail("the merged kernel cannot be run: " + error);
  DataLayout layout(original);
  std::vector<std::pair<int64_t, int64_t>> slices;
  int64_t poolBytes = 0;
  for (const auto &[name, buffer] : before) {
    auto found = after.find(name);
    if (found == after.end())
      return fail(name + " is gone");
    if (found->second.type != buffer.type)
      return fail(name + " has changed its type");
    // Not merged, or a view of the program's own.
    if (found->second.offset < 0 || buffer.offset >= 0)
      continue;
    Type element = buffer.type.getElementType();
    int64_t bytes =
        buffer.type.getNumElements() * int64_t(layout.getTypeSize(element));
    summary.bufferBytes += bytes;
    slices.push_back({found->second.offset, found->second.offset + bytes});
    poolBytes = std::max(poolBytes, slices.back().second);
    bool isShared = isSharedSpace(buffer.type.getMemorySpace());
    if (mutation.empty())
      interpreter.requireAlignment(
          name, std::max<int64_t>(
                    {isShared && !kernel.hasUnknownSpace ? alignment : 1,
                     buffer.alignment,
                     int64_t(layout.getTypeABIAlignment(element))}));
  }
  if (before.size() != after.size())
    return fail("buffers appear from nowhere");
  uint64_t sharing = 0;
  for (size_t k = 0; k < slices.size(); ++k)
    for (size_t other = 0; other < k; ++other)
      sharing += slices[k].first < slices[other].second &&
                 slices[other].first < slices[k].second;
  summary.buffers += before.size();
  summary.mergedBuffers += slices.size();
  summary.pairs += slices.size() * (slices.size() - !slices.empty()) / 2;
  summary.sharingPairs += sharing;
  summary.mergesWithSharing += sharing > 0;
  summary.poolBytes += poolBytes;
  uint64_t barriersBefore = countBarriers(original);
  uint64_t barriersAfter = countBarriers(*merged);
  if (barriersAfter < barriersBefore)
    return fail("a barrier is gone");
  if (barriersAfter > barriersBefore && mode.barriers == "existing")
    return fail("a barrier appears");
  summary.insertedBarriers += barriersAfter - barriersBefore;
  // Views of the program's own may be more than the checker understands.
  if (mutation.empty() && !passesChecker(*merged, kernel.kernelOptions) &&
      passesChecker(original, kernel.kernelOptions))
    return fail("the checker objects: " + diagnostics);

  int64_t dynamicBytes = getDynamicBytes(*merged);
  for (const Expectation &expectation : expectations) {
    LaunchOptions options = expectation.options;
    options.dynamicWorkgroupBytes = dynamicBytes;
    if (mutation.empty())
      options.demandedAlignments = keptAlignments;
    options.maxSteps *= 2;
    LaunchResult actual = interpreter.run(options);
    ++summary.runs;
    summary.steps += actual.steps;
    summary.barriers += actual.barriers;
    summary.handovers += actual.handovers;
    std::string where = (" (arguments " + Twine(options.arguments) + ", " +
                         stringify(options.order) + ")")
                            .str();
    if (!actual.failure.empty())
      return fail(actual.failure + where);
    if (actual.outOfSteps)
      return fail("the merged kernel takes too many steps" + where);
    if (expectation.result.ownRace.empty() &&
        actual.arguments != expectation.result.arguments)
      return fail("the merged kernel computes something else" + where);
  }

  // Merging again changes nothing, and merging is deterministic. One of the
  // modes is enough each time.
  if (!mutation.empty() || !checkStability)
    return std::nullopt;
  OwningOpRef<ModuleOp> again = merged->clone();
  error = merge(*again, mode, alignment, kernel);
  if (!error.empty() || print(*again) != print(*merged))
    return fail("merging twice is not merging once");
  again = original.clone();
  error = merge(*again, mode, alignment, kernel);
  if (!error.empty() || print(*again) != print(*merged))
    return fail("merging is not deterministic");
  return std::nullopt;
}

std::optional<Failure> Fuzzer::testChecker(const GeneratedKernel &kernel,
                                           uint64_t seed) {
  ModuleOp original = *kernel.module;
  // The checker knows no addresses, and no memory that it is not told of.
  if (kernel.hasUnknownSpace ||
      SharedMemoryLayout(original, 0).hasDynamicMemory())
    return std::nullopt;
  OwningOpRef<ModuleOp> merged = original.clone();
  if (seed % 4 == 0)
    mergeAllAtZero(*merged);
  else
    mergeByLifetimes(*merged);
  KernelInterpreter interpreter;
  std::string error = interpreter.compile(*merged);
  auto fail = [&](const Twine &reason) {
    return Failure{"checker", reason.str(), print(original), print(*merged)};
  };
  if (!error.empty())
    return fail("the merged kernel cannot be run: " + error);
  std::string race;
  for (const Expectation &expectation : expectations) {
    LaunchResult actual = interpreter.run(expectation.options);
    ++summary.runs;
    if (race.empty() && actual.isRace)
      race = actual.failure;
  }
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  bool passes = passesChecker(*merged, kernel.kernelOptions);
  ++summary.wrongMerges;
  summary.wrongMergesWithRace += !race.empty();
  summary.wrongMergesRejected += !passes;
  if (passes && !race.empty())
    return fail("the checker does not see this: " + race);
  return std::nullopt;
}

std::optional<Failure> Fuzzer::runOriginal(const GeneratedKernel &kernel,
                                           uint64_t seed) {
  ModuleOp original = *kernel.module;
  auto fail = [&](const Twine &reason) {
    return Failure{"none (this is a bug of the generator or interpreter)",
                   reason.str(), print(original), ""};
  };
  KernelInterpreter interpreter;
  std::string error = interpreter.compile(original);
  if (!error.empty())
    return fail("cannot be run: " + error);
  expectations.clear();
  keptAlignments.clear();
  isOutOfSteps = false;
  for (const auto &wanted : interpreter.getWantedAlignments())
    keptAlignments.push_back(wanted.alignment);
  bool hasOwnRace = false;
  for (unsigned arguments = 0; arguments < numArguments; ++arguments) {
    for (unsigned k = 0; k < numThreadOrders; ++k) {
      // One more for the first set: without races, the order must not matter.
      bool isExtra = arguments == 1 && k == 1;
      if (orders == "turns" && k != 0 && !isExtra)
        continue;
      Expectation expectation;
      expectation.options.arguments = arguments;
      expectation.options.order =
          ThreadOrder((seed + arguments + k) % numThreadOrders);
      expectation.options.allowsDivergentBarriers =
          kernel.features.count("divergent-barrier");
      expectation.options.dynamicWorkgroupBytes = getDynamicBytes(original);
      LaunchResult &result = expectation.result;
      result = interpreter.run(expectation.options);
      ++summary.runs;
      summary.steps += result.steps;
      if (result.outOfSteps) {
        isOutOfSteps = true;
        return std::nullopt;
      }
      std::string where = (" (arguments " + Twine(arguments) + ", " +
                           stringify(expectation.options.order) + ")")
                              .str();
      if (!result.failure.empty())
        return fail(result.failure + where);
      if (k != 0 && result.ownRace.empty() &&
          result.arguments != expectations.back().result.arguments)
        return fail("not deterministic" + where);
      hasOwnRace |= !result.ownRace.empty();
      for (auto [kept, actual] : llvm::zip(keptAlignments, result.alignments))
        if (actual < kept)
          kept = 0;
      expectations.push_back(std::move(expectation));
    }
  }
  summary.withOwnRaces += hasOwnRace;
  return std::nullopt;
}

std::optional<Failure> Fuzzer::runSeed(uint64_t seed,
                                       GeneratedKernel *generated,
                                       const std::set<uint64_t> &dropped) {
  std::string diagnostics;
  GeneratedKernel kernel;
  {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "; ";
      return success();
    });
    kernel = generateKernel(context, *getKind(seed), seed, dropped);
  }
  ++summary.kernels;
  ++summary.kinds[stringify(*getKind(seed))];
  for (const std::string &feature : kernel.features)
    ++summary.features[feature];
  if (kernel.features.count("INVALID"))
    return Failure{"none (this is a bug of the generator)",
                   "invalid kernel: " + diagnostics, print(*kernel.module), ""};
  if (auto failure = runOriginal(kernel, seed))
    return failure;
  if (isOutOfSteps) {
    ++summary.outOfSteps;
    return std::nullopt;
  }
  if (generated)
    generated->statements = kernel.statements;
  SmallVector<MergeMode> chosen = getModes(seed);
  for (size_t k = 0; k < chosen.size(); ++k)
    if (auto failure = compare(kernel, chosen[k], getAlignment(seed),
                               /*checkStability=*/k == seed % chosen.size()))
      return failure;
  return mutation.empty() ? testChecker(kernel, seed) : std::nullopt;
}

/// Leave out statements as long as some failure stays.
static Failure reduce(Fuzzer &fuzzer, uint64_t seed, Failure failure) {
  GeneratedKernel kernel;
  std::set<uint64_t> dropped;
  bool changed = true;
  while (changed) {
    changed = false;
    fuzzer.runSeed(seed, &kernel, dropped);
    // From the outside in, as they were generated.
    for (uint64_t statement : std::vector<uint64_t>(kernel.statements)) {
      dropped.insert(statement);
      auto smaller = fuzzer.runSeed(seed, nullptr, dropped);
      if (smaller && smaller->mode == failure.mode) {
        failure = *smaller;
        changed = true;
      } else {
        dropped.erase(statement);
      }
    }
  }
  return failure;
}

static void printSummary(const Summary &summary, double seconds) {
  llvm::outs() << "kernels " << summary.kernels << ", merged " << summary.merges
               << " times, with races of their own " << summary.withOwnRaces
               << ", out of steps " << summary.outOfSteps << "\n"
               << "buffers " << summary.buffers << ", merged "
               << summary.mergedBuffers << "; bytes " << summary.bufferBytes
               << ", in pools of " << summary.poolBytes << "\n"
               << "pairs in one pool " << summary.pairs << ", sharing bytes "
               << summary.sharingPairs << ", in " << summary.mergesWithSharing
               << " merges; barriers inserted " << summary.insertedBarriers
               << "\n"
               << "runs " << summary.runs << ", operations executed "
               << summary.steps << ", barriers passed " << summary.barriers
               << ", bytes handed over " << summary.handovers << "\n"
               << "wrong merges " << summary.wrongMerges << ", with a race "
               << summary.wrongMergesWithRace << ", rejected by the checker "
               << summary.wrongMergesRejected << "\n";
  llvm::outs() << "kinds:";
  for (const auto &[name, count] : summary.kinds)
    llvm::outs() << " " << name << "=" << count;
  llvm::outs() << "\nfeatures:";
  for (const auto &[name, count] : summary.features)
    llvm::outs() << " " << name << "=" << count;
  llvm::outs() << "\n";
  llvm::outs() << llvm::format("%.1f kernels/s, %.1f merges/s\n",
                               summary.kernels / seconds,
                               summary.merges / seconds);
}

/// Run the kernel in a file, in all orders, and say what goes wrong.
static int runFile(MLIRContext &context) {
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(kernelFile, &context);
  if (!module)
    return 2;
  KernelInterpreter interpreter;
  std::string error = interpreter.compile(*module);
  if (!error.empty()) {
    llvm::errs() << "error: the kernel cannot be run: " << error << "\n";
    return 2;
  }
  // What a vector was aligned to before merging is not known.
  std::vector<int64_t> demanded;
  for (const auto &wanted : interpreter.getWantedAlignments())
    demanded.push_back(
        isa<vector::LoadOp, vector::StoreOp>(wanted.op) ? 1 : wanted.alignment);
  bool failed = false;
  for (unsigned arguments = 0; arguments < numArguments; ++arguments)
    for (unsigned k = 0; k < numThreadOrders; ++k) {
      LaunchOptions options;
      options.arguments = arguments;
      options.order = ThreadOrder(k);
      options.dynamicWorkgroupBytes = getDynamicBytes(*module);
      options.demandedAlignments = demanded;
      LaunchResult result = interpreter.run(options);
      failed |= !result.failure.empty();
      llvm::outs() << "arguments " << arguments << ", "
                   << stringify(options.order) << ": "
                   << (!result.failure.empty() ? result.failure
                       : result.outOfSteps     ? "too many steps"
                       : !result.ownRace.empty()
                           ? "within a buffer: " + result.ownRace
                           : "no race")
                   << "\n";
    }
  return failed;
}

static bool parseSeeds(uint64_t &first, uint64_t &last) {
  auto [low, high] = StringRef(seeds).split("..");
  if (low.getAsInteger(10, first))
    return false;
  last = first;
  return high.empty() || (!high.getAsInteger(10, last) && first <= last);
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "fuzzer of buffer-merge for kernels\n\n"
      "  Random kernels, run before and after merging by an interpreter that "
      "knows\n  which thread accessed which byte of which buffer since the "
      "last "
      "barrier.\n");
  uint64_t first, last;
  if (!parseSeeds(first, last)) {
    llvm::errs() << "error: --seeds must be A..B with A <= B\n";
    return 2;
  }
  if (getModes(first).empty()) {
    llvm::errs() << "error: --modes must be all, turns or some of";
    for (const MergeMode &mode : getMergeModes())
      llvm::errs() << " " << mode.name;
    llvm::errs() << "\n";
    return 2;
  }
  if (!getKind(first)) {
    llvm::errs() << "error: --kinds must be turns or some of";
    for (unsigned k = 0; k < numKernelKinds; ++k)
      llvm::errs() << " " << stringify(KernelKind(k));
    llvm::errs() << "\n";
    return 2;
  }
  if (orders != "all" && orders != "turns") {
    llvm::errs() << "error: --orders must be all or turns\n";
    return 2;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  loadKernelDialects(context);
  registerBufferMergePasses();
  if (!kernelFile.empty())
    return runFile(context);

  Fuzzer fuzzer(context);
  if (dumpSeed >= 0) {
    GeneratedKernel kernel =
        generateKernel(context, *getKind(dumpSeed), dumpSeed);
    std::string error;
    if (dumpMerged)
      error = merge(*kernel.module, getModes(dumpSeed)[0],
                    getAlignment(dumpSeed), kernel);
    llvm::outs() << print(*kernel.module);
    llvm::errs() << error;
    return error.empty() ? 0 : 2;
  }
  // A mistake in the options must not look like a failure that was expected.
  GeneratedKernel sample = generateKernel(context, *getKind(first), first);
  for (const MergeMode &mode : getModes(first)) {
    OwningOpRef<ModuleOp> copy = sample.module->clone();
    std::string error = merge(*copy, mode, getAlignment(first), sample);
    if (error.empty())
      continue;
    llvm::errs() << "error: " << StringRef(error).trim() << "\n";
    return 2;
  }

  auto start = std::chrono::steady_clock::now();
  uint64_t passed = 0, failed = 0;
  for (uint64_t seed = first; seed <= last; ++seed) {
    std::optional<Failure> failure = fuzzer.runSeed(seed);
    if (!failure) {
      ++passed;
      continue;
    }
    ++failed;
    llvm::outs() << "seed " << seed << ", mode " << failure->mode << ", kind "
                 << stringify(*getKind(seed)) << ": " << failure->reason
                 << "\n";
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
