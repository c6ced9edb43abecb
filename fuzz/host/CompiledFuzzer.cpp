//===- CompiledFuzzer.cpp - Attributes and addresses ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter runs a program before and after merging: with attributes it
// records what functions do, with addresses it runs under several allocators.
// Then both are compiled ahead of time, and run. What the interpreter prints
// for the original is what all of them are to print.
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"
#include "Compiled.h"
#include "Interpreter.h"
#include "Merge.h"
#include "ModeFuzzers.h"

#include "buffer-merge/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace buffer_merge;
using namespace buffer_merge::fuzz;
namespace cl = llvm::cl;

static cl::opt<bool> attributes(
    "attributes",
    cl::desc("Programs whose functions have attributes of LLVM that are true, "
             "compiled ahead of time; they must still be true"),
    cl::cat(getCategory()));
static cl::opt<bool> addresses(
    "addresses",
    cl::desc("Programs that observe addresses, compiled ahead of time, with "
             "allocators that give what was freed again at once"),
    cl::cat(getCategory()));
static cl::opt<bool> diagnostics(
    "diagnostics",
    cl::desc("Modules of many functions whose diagnostics must be the "
             "same for any number of threads"),
    cl::cat(getCategory()));
static cl::opt<std::string> passOptions(
    "pass-options",
    cl::desc("With --attributes and --addresses: the options of the pass to "
             "merge with, several separated by semicolons; else they take "
             "turns"),
    cl::value_desc("options"), cl::cat(getCategory()));
static cl::opt<unsigned>
    batchSize("batch",
              cl::desc("With --attributes and --addresses: the number of "
                       "programs that are compiled together; 0 compiles none"),
              cl::value_desc("N"), cl::init(128), cl::cat(getCategory()));

/// Options of the pass. The first ones are tried for each program.
static const char *const ways[] = {
    "",
    "limit-peak=none min-gain=0",
    "pool=global min-gain=0",
    "pool=global limit-peak=none min-gain=0",
    "in-place limit-peak=none min-gain=0 erase-copies=false",
    "min-gain=0 alignment=16",
    R"(pool=stack limit-peak=none min-gain=0 target={"stack": {"limit": "1MiB"}})",
    "pool=arena min-gain=0",
    "min-gain=0 split-buffers=false max-pools=1",
    "limit-peak=none min-gain=0 scheduler=best-fit alignment=1",
    "goal=allocations",
    "goal=traffic",
};
static constexpr unsigned numAlways = 3;

static SmallVector<std::string> getWays(uint64_t seed) {
  SmallVector<StringRef> given;
  StringRef(passOptions).split(given, ';');
  SmallVector<std::string> chosen;
  if (!passOptions.empty()) {
    for (StringRef way : given)
      chosen.push_back(way.trim().str());
    return chosen;
  }
  chosen.append(ways, ways + numAlways);
  constexpr unsigned numOthers = std::size(ways) - numAlways;
  for (unsigned k : {0u, numOthers / 2})
    chosen.push_back(ways[numAlways + (seed + k) % numOthers]);
  return chosen;
}

static GeneratorOptions getGeneratorOptions(uint64_t seed) {
  GeneratorOptions options;
  options.onlyLowerable = true;
  options.attributes = attributes;
  options.addresses = addresses;
  options.calls = attributes || seed % 3 == 0;
  options.lent = attributes && seed % 2;
  options.carried = seed % 7 == 3;
  options.reuse = seed % 7 == 5;
  return options;
}

static std::string makeLabel(uint64_t seed, StringRef way) {
  return ("seed " + Twine(seed) + ", " + (way.empty() ? "default" : way)).str();
}

namespace {
class CompiledFuzzer : public Fuzzer {
public:
  explicit CompiledFuzzer(MLIRContext &context)
      : context(context), batch(/*usesGenericFunctions=*/addresses) {}

  std::string checkOptions(uint64_t firstSeed) override;
  OwningOpRef<ModuleOp> generate(uint64_t seed, bool isMerged,
                                 std::string &error) override;
  int runFile(ModuleOp) override {
    llvm::errs() << "error: this mode generates its programs\n";
    return 2;
  }
  std::optional<Failure> runSeed(uint64_t seed) override {
    return runSeed(seed, getGeneratorOptions(seed), batchSize);
  }
  std::optional<Failure> finish() override;
  Failure reduce(uint64_t seed, Failure failure) override;
  std::string describe(uint64_t, const Failure &failure) override {
    return failure.by;
  }
  void printSummary() override;

private:
  std::optional<Failure> runSeed(uint64_t seed, const GeneratorOptions &options,
                                 unsigned numTogether);
  /// Run `program` with all allocators that are due. Returns what is wrong, or
  /// an empty string.
  std::string run(ModuleOp program, const ExecutionResult *expected,
                  ExecutionResult &result, Effects &effects);
  std::optional<Failure> compare(ModuleOp original,
                                 const ExecutionResult &expected, uint64_t seed,
                                 StringRef way, std::set<std::string> &texts);

  MLIRContext &context;
  CompiledBatch batch;
  uint64_t undefined = 0, refused = 0, changed = 0, compiled = 0;
  /// What is in the programs, and failures by the options of the pass.
  Counts features, wrong;
};
} // namespace

std::string CompiledFuzzer::checkOptions(uint64_t) {
  if (attributes && addresses)
    return "--attributes and --addresses are two modes";
  OwningOpRef<ModuleOp> empty = ModuleOp::create(UnknownLoc::get(&context));
  for (const std::string &way : getWays(0))
    if (std::string error = runPass(*empty, createBufferMergePass(), way);
        !error.empty())
      return error;
  return "";
}

std::string CompiledFuzzer::run(ModuleOp program,
                                const ExecutionResult *expected,
                                ExecutionResult &result, Effects &effects) {
  Interpreter interpreter;
  std::string error = interpreter.compile(program);
  if (!error.empty())
    return "the interpreter does not know " + error;
  SmallVector<AddressPolicy> policies = {AddressPolicy::Fresh};
  if (addresses)
    policies.append({AddressPolicy::Lowest, AddressPolicy::Highest});
  for (AddressPolicy policy : policies) {
    ExecutionResult current = interpreter.run(policy, effects);
    if (policy == AddressPolicy::Fresh)
      result = current;
    if (!expected)
      expected = &result;
    if (!current.failure.empty())
      return current.failure;
    // A program that is not merged and takes too long is not looked at.
    if (result.outOfSteps || (expected == &result && result.comparesFreed))
      return "";
    if (current.trace != expected->trace)
      return policy == AddressPolicy::Fresh ? "it prints something else"
                                            : "it prints something else where "
                                              "addresses are given again";
  }
  return "";
}

std::optional<Failure> CompiledFuzzer::compare(ModuleOp original,
                                               const ExecutionResult &expected,
                                               uint64_t seed, StringRef way,
                                               std::set<std::string> &texts) {
  ++merges;
  ErrorCollector errors(&context);
  OwningOpRef<ModuleOp> merged = original.clone();
  std::string error = runPass(*merged, createBufferMergePass(), way);
  if (!error.empty() &&
      StringRef(errors.text).contains("' cannot be a global: ")) {
    ++refused;
    return std::nullopt;
  }
  if (error.empty() && failed(verify(*merged)))
    error = "the merged program is invalid";
  if (!error.empty())
    error += ": " + errors.text;
  if (error.empty() && !texts.insert(print(*merged)).second)
    return std::nullopt;
  ++changed;
  ExecutionResult result;
  Effects effects;
  if (error.empty()) {
    forgetParts(original, *merged);
    error = run(*merged, &expected, result, effects);
    // The arena of @main would have to be given to it.
    if (!way.contains("pool=arena") && batchSize > 0)
      batch.addMerged(*merged, makeLabel(seed, way));
  }
  if (error.empty() && attributes)
    error = findFalseAttribute(*merged, effects);
  if (error.empty())
    return std::nullopt;
  std::string name = way.empty() ? "default" : way.str();
  ++wrong[name];
  return Failure{"options " + name, error, print(original), print(*merged)};
}

std::optional<Failure> CompiledFuzzer::runSeed(uint64_t seed,
                                               const GeneratorOptions &options,
                                               unsigned numTogether) {
  ErrorCollector errors(&context);
  GeneratedProgram program = generateProgram(context, seed, options);
  ModuleOp original = *program.module;
  ++programs;
  ExecutionResult expected;
  Effects effects;
  std::string error = program.features.count("INVALID")
                          ? "invalid program: " + errors.text
                          : run(original, nullptr, expected, effects);
  if (!error.empty())
    return failUnmerged(original, error);
  if (expected.outOfSteps || expected.comparesFreed) {
    ++undefined;
    return std::nullopt;
  }
  if (attributes)
    addAttributes(original, effects, seed, program.features);
  for (const std::string &feature : program.features)
    ++features[feature];
  if (batchSize > 0)
    batch.add(original, expected.trace, makeLabel(seed, "not merged"));
  std::set<std::string> texts = {print(original)};
  std::optional<Failure> first;
  for (const std::string &way : getWays(seed))
    if (auto failure = compare(original, expected, seed, way, texts))
      if (!first)
        first = failure;
  if (batch.size() < numTogether)
    return first;
  auto failure = finish();
  return first ? first : failure;
}

std::optional<Failure> CompiledFuzzer::finish() {
  compiled += batch.size();
  std::vector<Failure> failures = batch.run();
  if (failures.empty())
    return std::nullopt;
  Failure all = failures.front();
  all.by = "compiled";
  all.reason.clear();
  for (const Failure &failure : failures) {
    ++wrong["compiled, " + StringRef(failure.by).split(", ").second.str()];
    all.reason += "\n  " + failure.by + ": " + failure.reason;
  }
  return all;
}

Failure CompiledFuzzer::reduce(uint64_t seed, Failure failure) {
  return leaveOutStatements(getGeneratorOptions(seed), failure,
                            [&](const GeneratorOptions &options) {
                              return runSeed(seed, options, /*numTogether=*/1);
                            });
}

OwningOpRef<ModuleOp> CompiledFuzzer::generate(uint64_t seed, bool isMerged,
                                               std::string &error) {
  OwningOpRef<ModuleOp> module = std::move(
      generateProgram(context, seed, getGeneratorOptions(seed)).module);
  if (attributes) {
    ExecutionResult result;
    Effects effects;
    std::set<std::string> names;
    error = run(*module, nullptr, result, effects);
    addAttributes(*module, effects, seed, names);
  }
  if (isMerged && error.empty())
    error = runPass(*module, createBufferMergePass(), getWays(seed)[0]);
  return module;
}

void CompiledFuzzer::printSummary() {
  llvm::outs() << "programs " << programs << ", undefined or too long "
               << undefined << ", merged " << merges << " times, refused "
               << refused << ", changed and run " << changed
               << "; programs compiled with what they became " << compiled
               << "\n";
  printCounts("features:", features);
  printCounts("wrong:", wrong);
}

std::unique_ptr<Fuzzer>
buffer_merge::fuzz::createModeFuzzer(MLIRContext &context) {
  if (diagnostics)
    return createThreadFuzzer(context);
  context.loadDialect<LLVM::LLVMDialect>();
  if (attributes || addresses)
    return std::make_unique<CompiledFuzzer>(context);
  return nullptr;
}
