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

#include "Compatibility.h"
#include "FuzzDriver.h"
#include "Interpreter.h"
#include "KernelGenerator.h"
#include "KernelInterpreter.h"
#include "KernelMerge.h"
#include "SharedMemoryLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>

using namespace mlir;
using namespace buffer_merge;
using namespace buffer_merge::fuzz;
namespace cl = llvm::cl;

static cl::opt<std::string> kinds(
    "kinds",
    cl::desc("Kinds of kernels, separated by commas, or turns for another "
             "one every seed"),
    cl::init("turns"), cl::cat(getCategory()));
static cl::opt<std::string>
    modes("modes",
          cl::desc("Ways to merge: POOL/BARRIERS separated by commas, all, or "
                   "turns for two others every seed"),
          cl::init("turns"), cl::cat(getCategory()));
static cl::opt<std::string>
    orders("orders",
           cl::desc("Thread orders: all, or turns for another one for each set "
                    "of arguments"),
           cl::init("turns"), cl::cat(getCategory()));
static cl::opt<unsigned> numArguments("arguments",
                                      cl::desc("Sets of arguments to run with"),
                                      cl::init(4), cl::cat(getCategory()));
namespace {
struct Summary {
  uint64_t withOwnRaces = 0;
  uint64_t outOfSteps = 0;
  /// Kernels in which a buffer that a loop carries has several slots, and
  /// these.
  uint64_t rotated = 0;
  uint64_t slots = 0;
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
  Counts kinds;
  Counts features;
};

/// A run of the kernel before merging.
struct Expectation {
  LaunchOptions options;
  LaunchResult result;
};

/// A buffer in workgroup memory that the oracle knows by its name.
struct NamedBuffer {
  MemRefType type;
  int64_t alignment = 1;
  /// The offset in its pool, or -1 if it is not merged.
  int64_t offset = -1;
};
using NamedBuffers = std::map<std::string, NamedBuffer>;

class KernelFuzzer : public Fuzzer {
public:
  explicit KernelFuzzer(MLIRContext &context) : context(context) {
    noun = "kernels";
  }

  std::string checkOptions(uint64_t firstSeed) override;
  OwningOpRef<ModuleOp> generate(uint64_t seed, bool isMerged,
                                 std::string &error) override;
  int runFile(ModuleOp module) override;
  std::optional<Failure> runSeed(uint64_t seed) override {
    return runSeed(seed, nullptr, {});
  }
  Failure reduce(uint64_t seed, Failure failure) override;
  std::string describe(uint64_t seed, const Failure &failure) override;
  void printSummary() override;

private:
  /// The same without the statements `dropped`; `statements` become those that
  /// are left.
  std::optional<Failure> runSeed(uint64_t seed,
                                 std::vector<uint64_t> *statements,
                                 const std::set<uint64_t> &dropped);
  /// Run `original` with all arguments.
  std::optional<Failure> runOriginal(const GeneratedKernel &kernel,
                                     uint64_t seed);
  /// The same with one set of them in one order. Returns what is wrong, or an
  /// empty string.
  std::string runOnce(const GeneratedKernel &kernel,
                      const KernelInterpreter &interpreter,
                      const LaunchOptions &options, bool &hasOwnRace);
  /// Give slots to what loops carry in `kernel`, and run it again.
  std::optional<Failure> rotate(GeneratedKernel &kernel);
  std::optional<Failure> compare(const GeneratedKernel &kernel,
                                 const MergeMode &mode, int64_t alignment,
                                 bool checksStability);
  /// See that every buffer of the kernel is still in `merged`, as itself or as
  /// a view, and demand the alignments of slices. Returns what is wrong, or an
  /// empty string.
  std::string checkBuffers(const GeneratedKernel &kernel, ModuleOp merged,
                           int64_t alignment, KernelInterpreter &interpreter);
  /// See to the one buffer, and add its slice to `slices` if it is merged.
  std::string checkBuffer(const GeneratedKernel &kernel, StringRef name,
                          const NamedBuffer &before, const NamedBuffers &after,
                          int64_t alignment, KernelInterpreter &interpreter,
                          std::vector<std::pair<int64_t, int64_t>> &slices);
  std::string checkBarriers(ModuleOp original, ModuleOp merged,
                            const MergeMode &mode);
  /// Run a merged kernel with all arguments. Returns what is wrong, or an empty
  /// string.
  std::string run(ModuleOp merged, const KernelInterpreter &interpreter);
  /// Merge wrongly, and see whether the checker of the library finds the races
  /// that are there.
  std::optional<Failure> testChecker(const GeneratedKernel &kernel,
                                     uint64_t seed);

  MLIRContext &context;
  Summary summary;
  std::vector<Expectation> expectations;
  /// What the runs before merging ask of alignment.
  std::vector<int64_t> keptAlignments;
  /// Some run was too long: nothing is compared.
  bool isOutOfSteps = false;
};
} // namespace

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
    return mergeKernel(module, mode, alignment, kernel.mergeOptions,
                       kernel.workgroupMembers);
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

static std::string collectBuffers(ModuleOp module, NamedBuffers &buffers) {
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
  auto addAll = [&](ArrayRef<BlockArgument> attributions) {
    for (BlockArgument argument : attributions)
      add(argument.getLoc(), argument.getType(), 1, -1);
  };
  module.walk([&](Operation *op) {
    if (auto allocOp = dyn_cast<memref::AllocOp>(op)) {
      add(op->getLoc(), allocOp.getType(), allocOp.getAlignment().value_or(1),
          -1);
    } else if (auto viewOp = dyn_cast<memref::ViewOp>(op)) {
      APInt offset;
      if (matchPattern(viewOp.getByteShift(), m_ConstantInt(&offset)))
        add(op->getLoc(), viewOp.getType(), 1, offset.getSExtValue());
      else if (!getBufferName(op->getLoc()).empty())
        error = "a view is not at a constant offset";
    } else if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op)) {
      addAll(getWorkgroupArguments(kernel));
    } else if (auto launch = dyn_cast<gpu::LaunchOp>(op)) {
      addAll(getWorkgroupArguments(launch));
    }
  });
  return error;
}

static uint64_t countBarriers(ModuleOp module) {
  uint64_t count = 0;
  module.walk([&](Operation *op) {
    count += isa<gpu::BarrierOp, NVVM::BarrierOp>(op) ||
             op->getName().getStringRef() == "nvvm.barrier0";
  });
  return count;
}

std::string
KernelFuzzer::checkBuffer(const GeneratedKernel &kernel, StringRef name,
                          const NamedBuffer &before, const NamedBuffers &after,
                          int64_t alignment, KernelInterpreter &interpreter,
                          std::vector<std::pair<int64_t, int64_t>> &slices) {
  auto found = after.find(name.str());
  if (found == after.end())
    return (name + " is gone").str();
  if (found->second.type != before.type)
    return (name + " has changed its type").str();
  // Not merged, or a view of the program's own.
  int64_t offset = found->second.offset;
  if (offset < 0 || before.offset >= 0)
    return "";
  DataLayout layout(*kernel.module);
  Type element = before.type.getElementType();
  int64_t bytes =
      before.type.getNumElements() * int64_t(layout.getTypeSize(element));
  summary.bufferBytes += bytes;
  slices.push_back({offset, offset + bytes});
  bool isShared = isSharedSpace(before.type.getMemorySpace());
  if (mutation.empty())
    interpreter.requireAlignment(
        name,
        std::max<int64_t>({isShared && !kernel.hasUnknownSpace ? alignment : 1,
                           before.alignment,
                           int64_t(layout.getTypeABIAlignment(element))}));
  return "";
}

std::string KernelFuzzer::checkBuffers(const GeneratedKernel &kernel,
                                       ModuleOp merged, int64_t alignment,
                                       KernelInterpreter &interpreter) {
  NamedBuffers before, after;
  std::string error = collectBuffers(*kernel.module, before);
  if (error.empty())
    error = collectBuffers(merged, after);
  if (!error.empty())
    return error;
  error = interpreter.compile(merged);
  if (!error.empty())
    return "the merged kernel cannot be run: " + error;
  std::vector<std::pair<int64_t, int64_t>> slices;
  for (const auto &[name, buffer] : before) {
    error = checkBuffer(kernel, name, buffer, after, alignment, interpreter,
                        slices);
    if (!error.empty())
      return error;
  }
  if (before.size() != after.size())
    return "buffers appear from nowhere";
  uint64_t sharing = 0;
  int64_t poolBytes = 0;
  for (size_t k = 0; k < slices.size(); ++k) {
    poolBytes = std::max(poolBytes, slices[k].second);
    for (size_t other = 0; other < k; ++other)
      sharing += slices[k].first < slices[other].second &&
                 slices[other].first < slices[k].second;
  }
  summary.buffers += before.size();
  summary.mergedBuffers += slices.size();
  summary.pairs += slices.size() * (slices.size() - !slices.empty()) / 2;
  summary.sharingPairs += sharing;
  summary.mergesWithSharing += sharing > 0;
  summary.poolBytes += poolBytes;
  return "";
}

std::string KernelFuzzer::checkBarriers(ModuleOp original, ModuleOp merged,
                                        const MergeMode &mode) {
  uint64_t before = countBarriers(original), after = countBarriers(merged);
  if (after < before)
    return "a barrier is gone";
  if (after > before && mode.barriers == "existing")
    return "a barrier appears";
  summary.insertedBarriers += after - before;
  return "";
}

/// Say which of the runs of a kernel something happened in.
static std::string describeRun(const LaunchOptions &options) {
  return (" (arguments " + Twine(options.arguments) + ", " +
          stringify(options.order) + ")")
      .str();
}

std::string KernelFuzzer::run(ModuleOp merged,
                              const KernelInterpreter &interpreter) {
  int64_t dynamicBytes = getDynamicBytes(merged);
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
    if (!actual.failure.empty())
      return actual.failure + describeRun(options);
    if (actual.outOfSteps)
      return "the merged kernel takes too many steps" + describeRun(options);
    if (!expectation.result.ownRace.empty())
      continue;
    if (!actual.ownRace.empty())
      return "within a buffer: " + actual.ownRace + describeRun(options);
    if (actual.arguments != expectation.result.arguments)
      return "the merged kernel computes something else" + describeRun(options);
  }
  return "";
}

std::optional<Failure> KernelFuzzer::rotate(GeneratedKernel &kernel) {
  if (!kernel.features.count("carried-tile"))
    return std::nullopt;
  ErrorCollector errors(&context);
  OwningOpRef<ModuleOp> rotated = kernel.module->clone();
  unsigned numSlots = 0;
  std::string error = rotateBuffers(*rotated, numSlots);
  if (!error.empty())
    error += ": " + errors.text;
  else if (failed(verify(*rotated)))
    error = "the kernel with slots is invalid: " + errors.text;
  KernelInterpreter interpreter;
  if (error.empty())
    error = interpreter.compile(*rotated);
  if (error.empty())
    error = run(*rotated, interpreter);
  if (!error.empty())
    return Failure{"rotate-carried-buffers", error, print(*kernel.module),
                   print(*rotated)};
  summary.slots += numSlots;
  summary.rotated += numSlots != 0;
  kernel.module = std::move(rotated);
  return std::nullopt;
}

std::optional<Failure> KernelFuzzer::compare(const GeneratedKernel &kernel,
                                             const MergeMode &mode,
                                             int64_t alignment,
                                             bool checksStability) {
  ModuleOp original = *kernel.module;
  ++merges;
  ErrorCollector errors(&context);
  OwningOpRef<ModuleOp> merged = original.clone();
  auto fail = [&](const Twine &reason) {
    std::string name = mode.name.str();
    for (const std::string &options :
         {kernel.mergeOptions, kernel.workgroupMembers})
      if (!options.empty())
        name += " " + options;
    return Failure{name, reason.str(), print(original), print(*merged)};
  };
  std::string error = merge(*merged, mode, alignment, kernel);
  if (!error.empty())
    return fail("the pass fails: " + error + ": " + errors.text);
  if (failed(verify(*merged)))
    return fail("the merged kernel is invalid: " + errors.text);
  KernelInterpreter interpreter;
  error = checkBuffers(kernel, *merged, alignment, interpreter);
  if (error.empty())
    error = checkBarriers(original, *merged, mode);
  if (!error.empty())
    return fail(error);
  // Views of the program's own may be more than the checker understands.
  if (mutation.empty() && !passesChecker(*merged, kernel.workgroupMembers) &&
      passesChecker(original, kernel.workgroupMembers))
    return fail("the checker objects: " + errors.text);
  if (mutation.empty()) {
    OwningOpRef<ModuleOp> clean = original.clone();
    cleanUp(*clean);
    bool passedBefore = passesChecker(*clean, kernel.workgroupMembers);
    clean = merged->clone();
    cleanUp(*clean);
    if (passedBefore && !passesChecker(*clean, kernel.workgroupMembers))
      return fail("the checker objects after canonicalization: " + errors.text);
  }
  error = run(*merged, interpreter);
  if (!error.empty())
    return fail(error);

  // Merging again changes nothing, and merging is deterministic. One of the
  // modes is enough each time.
  if (!mutation.empty() || !checksStability)
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

std::optional<Failure> KernelFuzzer::testChecker(const GeneratedKernel &kernel,
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
  ErrorCollector quiet(&context);
  bool passes = passesChecker(*merged, kernel.workgroupMembers);
  ++summary.wrongMerges;
  summary.wrongMergesWithRace += !race.empty();
  summary.wrongMergesRejected += !passes;
  if (passes && !race.empty())
    return fail("the checker does not see this: " + race);
  return std::nullopt;
}

std::string KernelFuzzer::runOnce(const GeneratedKernel &kernel,
                                  const KernelInterpreter &interpreter,
                                  const LaunchOptions &options,
                                  bool &hasOwnRace) {
  LaunchResult result = interpreter.run(options);
  ++summary.runs;
  summary.steps += result.steps;
  isOutOfSteps |= result.outOfSteps;
  if (result.outOfSteps)
    return "";
  if (!result.failure.empty())
    return result.failure + describeRun(options);
  // The runs with one set of arguments follow each other.
  if (!expectations.empty() && result.ownRace.empty() &&
      expectations.back().options.arguments == options.arguments &&
      result.arguments != expectations.back().result.arguments)
    return "not deterministic" + describeRun(options);
  hasOwnRace |= !result.ownRace.empty();
  for (auto [kept, actual] : llvm::zip(keptAlignments, result.alignments))
    if (actual < kept)
      kept = 0;
  expectations.push_back({options, std::move(result)});
  return "";
}

std::optional<Failure> KernelFuzzer::runOriginal(const GeneratedKernel &kernel,
                                                 uint64_t seed) {
  ModuleOp original = *kernel.module;
  KernelInterpreter interpreter;
  std::string error = interpreter.compile(original);
  if (!error.empty())
    return failUnmerged(original, "cannot be run: " + error);
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
      LaunchOptions options;
      options.arguments = arguments;
      options.order = ThreadOrder((seed + arguments + k) % numThreadOrders);
      options.allowsDivergentBarriers =
          kernel.features.count("divergent-barrier");
      options.dynamicWorkgroupBytes = getDynamicBytes(original);
      error = runOnce(kernel, interpreter, options, hasOwnRace);
      if (!error.empty())
        return failUnmerged(original, error);
      if (isOutOfSteps)
        return std::nullopt;
    }
  }
  summary.withOwnRaces += hasOwnRace;
  return std::nullopt;
}

std::optional<Failure>
KernelFuzzer::runSeed(uint64_t seed, std::vector<uint64_t> *statements,
                      const std::set<uint64_t> &dropped) {
  GeneratedKernel kernel;
  std::string errors;
  {
    ErrorCollector collector(&context);
    kernel = generateKernel(context, *getKind(seed), seed, dropped);
    errors = collector.text;
  }
  ++programs;
  ++summary.kinds[stringify(*getKind(seed)).str()];
  for (const std::string &feature : kernel.features)
    ++summary.features[feature];
  if (kernel.features.count("INVALID"))
    return failUnmerged(*kernel.module, "invalid kernel: " + errors);
  if (auto failure = runOriginal(kernel, seed))
    return failure;
  if (isOutOfSteps) {
    ++summary.outOfSteps;
    return std::nullopt;
  }
  if (statements)
    *statements = kernel.statements;
  if (auto failure = rotate(kernel))
    return failure;
  SmallVector<MergeMode> chosen = getModes(seed);
  for (size_t k = 0; k < chosen.size(); ++k)
    if (auto failure = compare(kernel, chosen[k], getAlignment(seed),
                               /*checksStability=*/k == seed % chosen.size()))
      return failure;
  return mutation.empty() ? testChecker(kernel, seed) : std::nullopt;
}

/// Leave out statements as long as some failure stays.
Failure KernelFuzzer::reduce(uint64_t seed, Failure failure) {
  std::vector<uint64_t> statements;
  std::set<uint64_t> dropped;
  bool changed = true;
  while (changed) {
    changed = false;
    runSeed(seed, &statements, dropped);
    // From the outside in, as they were generated.
    for (uint64_t statement : statements) {
      dropped.insert(statement);
      auto smaller = runSeed(seed, nullptr, dropped);
      if (smaller && smaller->by == failure.by) {
        failure = *smaller;
        changed = true;
      } else {
        dropped.erase(statement);
      }
    }
  }
  return failure;
}

std::string KernelFuzzer::describe(uint64_t seed, const Failure &failure) {
  return "mode " + failure.by + ", kind " + stringify(*getKind(seed)).str();
}

void KernelFuzzer::printSummary() {
  llvm::outs() << "kernels " << programs << ", merged " << merges
               << " times, with races of their own " << summary.withOwnRaces
               << ", out of steps " << summary.outOfSteps << "\n"
               << "with several slots of a carried buffer " << summary.rotated
               << ", slots " << summary.slots << "\n"
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
  printCounts("kinds:", summary.kinds);
  printCounts("features:", summary.features);
}

int KernelFuzzer::runFile(ModuleOp module) {
  KernelInterpreter interpreter;
  std::string error = interpreter.compile(module);
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
      options.dynamicWorkgroupBytes = getDynamicBytes(module);
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

std::string KernelFuzzer::checkOptions(uint64_t firstSeed) {
  if (getModes(firstSeed).empty()) {
    std::string error = "--modes must be all, turns or some of";
    for (const MergeMode &mode : getMergeModes())
      error += " " + mode.name.str();
    return error;
  }
  if (!getKind(firstSeed)) {
    std::string error = "--kinds must be turns or some of";
    for (unsigned k = 0; k < numKernelKinds; ++k)
      error += " " + stringify(KernelKind(k)).str();
    return error;
  }
  if (orders != "all" && orders != "turns")
    return "--orders must be all or turns";
  GeneratedKernel sample =
      generateKernel(context, *getKind(firstSeed), firstSeed);
  for (const MergeMode &mode : getModes(firstSeed)) {
    OwningOpRef<ModuleOp> copy = sample.module->clone();
    std::string error = merge(*copy, mode, getAlignment(firstSeed), sample);
    if (!error.empty())
      return error;
  }
  return "";
}

OwningOpRef<ModuleOp> KernelFuzzer::generate(uint64_t seed, bool isMerged,
                                             std::string &error) {
  GeneratedKernel kernel = generateKernel(context, *getKind(seed), seed);
  unsigned numSlots = 0;
  if (isMerged)
    error = rotateBuffers(*kernel.module, numSlots);
  if (isMerged && error.empty())
    error =
        merge(*kernel.module, getModes(seed)[0], getAlignment(seed), kernel);
  return std::move(kernel.module);
}

int main(int argc, char **argv) {
  return runFuzzer(
      argc, argv,
      {"fuzzer of buffer-merge for kernels\n\n"
       "  Random kernels, run before and after merging by an interpreter that "
       "knows\n  which thread accessed which byte of which buffer since the "
       "last barrier.\n",
       /*registerDialects=*/nullptr, loadKernelDialects,
       [](MLIRContext &context) -> std::unique_ptr<Fuzzer> {
         return std::make_unique<KernelFuzzer>(context);
       }});
}
