//===- PassOptions.h - Options of the passes, translated --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_PASSOPTIONS_H
#define BUFFER_MERGE_LIB_TRANSFORMS_PASSOPTIONS_H

#include "OffsetsOption.h"
#include "ReportOption.h"
#include "buffer-merge/Transforms/BufferMerge.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/CommandLine.h"

namespace buffer_merge {
/// The memory spaces that the options of a pass name.
class NamedSpaces {
public:
  /// Return the memory that `text` names, and remember it. Emit one error and
  /// fail if there is none.
  llvm::FailureOr<MemorySpaces> parse(llvm::StringRef text,
                                      mlir::MLIRContext *context);

  /// If `root` is a top-level operation, emit a warning for each name of a
  /// memory that no type inside of it has, with the nearest name of one that
  /// occurs. A part of a module does not say what the rest has.
  void warnIfUnused(mlir::Operation *root) const;

  /// Remember that a region of a target is in the memory `spaces`, or `text`.
  void addRegion(llvm::StringRef text, const MemorySpaces &spaces) {
    regions.emplace_back(text, spaces);
  }
  /// A target may have memories that a program has no use for. But warn if
  /// `root` is a top-level operation, none of its types has the memory of a
  /// region, and one has a memory without a region whose name is nearly that of
  /// the region; if it has the same letters in another order, emit one error
  /// and fail.
  llvm::LogicalResult checkRegions(mlir::Operation *root) const;

private:
  llvm::SmallVector<std::pair<std::string, MemorySpaces>> regions;
  llvm::SmallVector<std::pair<std::string, MemorySpaces>> names;
};

/// Emit one error and fail unless `alignment`, the value of the option `name`,
/// is a power of two that a pool can have.
llvm::LogicalResult checkAlignment(mlir::MLIRContext *context,
                                   llvm::StringRef name, int64_t alignment);

/// Emit one error and fail if a region could have no pool.
llvm::LogicalResult checkMaxPools(mlir::MLIRContext *context,
                                  unsigned maxPools);

/// Emit one error and fail if `bytes`, the value of the option `name`, is
/// negative; `complaint` says that.
llvm::LogicalResult checkBytes(mlir::MLIRContext *context, llvm::StringRef name,
                               int64_t bytes, llvm::StringRef complaint);

/// Set the address of `options.globals`, whose other members are set. Emit one
/// error and fail if `address` is none, or if the members do not fit together.
llvm::LogicalResult setStaticStorage(llvm::StringRef address,
                                     mlir::MLIRContext *context,
                                     MergePlanOptions &options);

/// Set what a pool must save. Emit one error and fail if `text` is neither a
/// number of bytes nor a percentage.
llvm::LogicalResult setMinGain(llvm::StringRef text, mlir::MLIRContext *context,
                               MergePlanOptions &options);

/// Set `options.limitPeak` to the meaning of `text`. Fail with an error if it
/// has none.
llvm::LogicalResult setLimitPeak(llvm::StringRef text,
                                 mlir::MLIRContext *context,
                                 MergePlanOptions &options);

/// Find the scheduler `name`, and check `effort`. Emit one error and fail if
/// either is not possible.
llvm::LogicalResult setScheduler(llvm::StringRef name, unsigned effort,
                                 mlir::MLIRContext *context,
                                 MergePlanOptions &options);

/// Add the memories that `texts` name. Emit one error and fail if one names
/// none, gives a memory two capacities or alignments, or is no number where one
/// has to be.
llvm::LogicalResult addMemorySpaces(llvm::ArrayRef<std::string> texts,
                                    mlir::MLIRContext *context,
                                    NamedSpaces &names,
                                    BufferLifetimesOptions &options);
llvm::LogicalResult addCapacities(llvm::ArrayRef<std::string> texts,
                                  mlir::MLIRContext *context,
                                  NamedSpaces &names,
                                  MergePlanOptions &options);
llvm::LogicalResult addAlignments(llvm::ArrayRef<std::string> texts,
                                  mlir::MLIRContext *context,
                                  NamedSpaces &names,
                                  MergePlanOptions &options);
llvm::LogicalResult addWorkgroupSpaces(llvm::ArrayRef<std::string> texts,
                                       mlir::MLIRContext *context,
                                       NamedSpaces &names,
                                       WorkgroupOptions &options);

/// Add the regions and capacities of the target that `text` stands for; nothing
/// if it is empty. Emit one error and fail if there is none, or if it
/// contradicts the other `options`, of which only regions and capacities may
/// change afterwards.
llvm::LogicalResult setTarget(llvm::StringRef text, mlir::MLIRContext *context,
                              NamedSpaces &names, MergePlanOptions &options);

/// Emit one error and fail if an option asks for what cannot have an effect
/// with the others: buffers share bytes as needed, but no memory has a limit;
/// pools that are not allocated are handed down; entries take turns, but no
/// bytes belong to all of the program. `options` have their capacities and
/// regions.
llvm::LogicalResult checkEffects(mlir::MLIRContext *context,
                                 const MergePlanOptions &options);

/// Emit one error and fail if the option `name` is given without a value.
llvm::LogicalResult checkValue(mlir::MLIRContext *context, llvm::StringRef name,
                               bool isGivenWithoutValue);

/// The same for each of `lists`.
template <typename... Lists>
llvm::LogicalResult checkLists(mlir::MLIRContext *context,
                               const Lists &...lists) {
  auto check = [&](const auto &list) {
    return checkValue(context, list.ArgStr,
                      list.getNumOccurrences() != 0 && list.empty());
  };
  return llvm::success((succeeded(check(lists)) && ...));
}

/// Return true if MLIR has printed a pipeline in which all options of a pass
/// that are empty by default are given, or not, as `areAllGiven` says: it
/// prints all of them, as in a reproducer, and a user does not write all of
/// them.
bool isPrintedPipeline(bool areAllGiven);

/// The same for each of `texts`, all of a pass that are empty by default,
/// unless MLIR has printed them.
template <typename... Texts>
llvm::LogicalResult checkTexts(mlir::MLIRContext *context,
                               const Texts &...texts) {
  if (isPrintedPipeline(((texts.getNumOccurrences() != 0) && ...)))
    return llvm::success();
  return checkLists(context, texts...);
}

/// Set the operations that are barriers. Emit one error and fail if one cannot
/// be in a program.
llvm::LogicalResult setBarrierOps(llvm::ArrayRef<std::string> names,
                                  mlir::MLIRContext *context,
                                  WorkgroupOptions &options);

/// Call `handler` with what the parser of options says in `message`: in one
/// line, and with the nearest of `options`, those of the pass `name`, if there
/// is no such option. It says nothing of a value that it has complained about
/// itself.
llvm::LogicalResult handleOptionError(
    llvm::StringRef message, llvm::StringRef name,
    const llvm::cl::SubCommand &options,
    llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)> handler);

/// A pass with the options `kernelOptions` of Passes.td. `PassBase` is the
/// class that is generated for it.
template <typename PassBase>
class KernelPass : public PassBase {
public:
  using PassBase::PassBase;

  llvm::LogicalResult
  initializeOptions(llvm::StringRef options,
                    llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>
                        handler) override {
    return PassBase::initializeOptions(options, [&](const llvm::Twine &text) {
      return handleOptionError(text.str(), this->getArgument(),
                               **this->workgroupSpaces.Subs.begin(), handler);
    });
  }

protected:
  /// Translate the options. Emit one error and fail if one is wrong.
  llvm::LogicalResult translate(mlir::MLIRContext *context,
                                WorkgroupOptions &options) {
    options = WorkgroupOptions();
    options.assumeForallSync = this->assumeForallSync;
    options.kernelFunctions = this->kernelFunctions;
    return llvm::failure(
        failed(checkLists(context, this->workgroupSpaces, this->barrierOps)) ||
        failed(addWorkgroupSpaces(this->workgroupSpaces, context, namedSpaces,
                                  options)) ||
        failed(setBarrierOps(this->barrierOps, context, options)));
  }

  NamedSpaces namedSpaces;
};

/// A pass that makes a plan: with the options `planOptions` of Passes.td.
template <typename PassBase>
class PlanPass : public KernelPass<PassBase> {
public:
  using KernelPass<PassBase>::KernelPass;

  llvm::LogicalResult initialize(mlir::MLIRContext *context) override {
    mergeOptions = BufferMergeOptions();
    this->namedSpaces = NamedSpaces();
    MergePlanOptions &plan = mergeOptions.plan;
    plan.workgroupAlignment = this->workgroupAlignment;
    plan.overCapacity = this->overCapacity;
    plan.reuse = this->reuse;
    plan.targetSpaces = this->targetSpaces;
    plan.barriers = this->barriers;
    plan.barrierGain = this->barrierGain;
    plan.workgroupPool = this->workgroupPool;
    plan.pool = this->pool;
    plan.handDown = this->handDown;
    plan.entries = this->entries;
    plan.globals.name = this->globalName;
    plan.globals.linkage = this->globalLinkage;
    plan.globals.alignment = this->globalAlignment;
    plan.globals.section = this->globalSection;
    plan.globals.memory = this->globalMemory;
    plan.stackLimit = this->stackLimit;
    plan.left = this->left;
    plan.maxThreads = this->maxThreads;
    plan.maxPools = this->maxPools;
    plan.lifetimes.calls = this->calls;
    plan.lifetimes.dynamic = this->dynamic;
    plan.lifetimes.maxDynamicWaste = this->dynamicWaste;
    plan.lifetimes.findInPlacePairs = this->inPlace;
    mergeOptions.plan.lifetimes.findValues = this->splitBuffers;
    mergeOptions.eraseCopies = this->eraseCopies;
    mergeOptions.arenaChecks = this->arenaChecks;
    mergeOptions.mergeAttributions = this->mergeAttributions;
    if (failed(checkLists(context, this->alignment, this->capacity,
                          this->memorySpaces)) ||
        failed(checkTexts(context, this->target, this->globalName,
                          this->globalSection, this->globalMemory,
                          this->globalAddress, this->offsets, this->report,
                          this->emitHeader, this->emitLinkerScript)) ||
        failed(setMinGain(this->minGain, context, plan)) ||
        failed(setLimitPeak(this->limitPeak, context, plan)) ||
        failed(setScheduler(this->scheduler, this->effort, context, plan)) ||
        failed(
            addAlignments(this->alignment, context, this->namedSpaces, plan)) ||
        failed(addMemorySpaces(this->memorySpaces, context, this->namedSpaces,
                               plan.lifetimes)) ||
        failed(
            addCapacities(this->capacity, context, this->namedSpaces, plan)) ||
        failed(checkBytes(context, "dynamic-waste",
                          plan.lifetimes.maxDynamicWaste,
                          "is not a number of bytes")) ||
        failed(checkAlignment(context, "workgroup-alignment",
                              plan.workgroupAlignment)) ||
        failed(this->translate(context, plan.lifetimes.workgroup)) ||
        failed(setTarget(this->target, context, this->namedSpaces, plan)) ||
        failed(checkEffects(context, plan)) ||
        failed(checkBytes(context, "barrier-gain", plan.barrierGain,
                          "is negative")) ||
        failed(checkBytes(context, "stack-limit", plan.stackLimit,
                          "is negative")) ||
        failed(checkMaxPools(context, plan.maxPools)) ||
        failed(setStaticStorage(this->globalAddress, context, plan)))
      return llvm::failure();
    plan.lifetimes.workgroup.assumeInitialized = this->assumeInitialized;
    offsetsOption.initialize(this->offsets);
    return reportOption.initialize(
        context, {this->report, this->emitHeader, this->emitLinkerScript});
  }

protected:
  /// Return the options for one run, which must not outlive the pass.
  BufferMergeOptions getMergeOptions() const {
    BufferMergeOptions options = mergeOptions;
    options.plan.fixOffsets = [this](mlir::Operation *root, MergePlan &plan,
                                     PlanMessages &messages) {
      return offsetsOption.fixOffsets(root, plan, messages);
    };
    if (!this->offsets.empty())
      options.isPlanGiven = [this](mlir::Operation *root,
                                   const MergePlan &plan) {
        return offsetsOption.haveOffsetsOf(root, plan);
      };
    options.inspectPlan = [this](mlir::Operation *root, const MergePlan &plan) {
      llvm::StringRef source =
          this->offsets.empty() ? this->scheduler : this->offsets;
      return reportOption.write(root, plan, source);
    };
    return options;
  }

private:
  BufferMergeOptions mergeOptions;
  OffsetsOption offsetsOption;
  ReportOption reportOption;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_PASSOPTIONS_H
