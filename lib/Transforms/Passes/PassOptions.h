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

  /// Remember that a region of a target is in the memory `spaces`, or `text`.
  void addRegion(llvm::StringRef text, const MemorySpaces &spaces) {
    regions.emplace_back(text, spaces);
  }
  /// If `root` is a top-level operation, emit a warning for each name of a
  /// memory that no type inside of it has, with the nearest name of one that
  /// occurs. A target may have memories that a program has no use for: what is
  /// said of these is only that a memory without a region has nearly the same
  /// name; if that is the name misspelt, emit one error and fail. A part of a
  /// module does not say what the rest has.
  llvm::LogicalResult check(mlir::Operation *root) const;

private:
  llvm::SmallVector<std::pair<std::string, MemorySpaces>> regions;
  llvm::SmallVector<std::pair<std::string, MemorySpaces>> names;
};

/// Emit one error and fail unless `alignment`, the value of the option `name`,
/// is a power of two that a pool can have.
llvm::LogicalResult checkAlignment(mlir::MLIRContext *context,
                                   llvm::StringRef name, int64_t alignment);

/// Return what must be saved according to `text`. Emit one error and fail if
/// that is neither a number of bytes nor a percentage.
llvm::FailureOr<MinGain> parseMinGain(llvm::StringRef text,
                                      mlir::MLIRContext *context);

/// Find the scheduler `name`, and check `effort`. Emit one error and fail if
/// either is not possible.
llvm::LogicalResult setScheduler(llvm::StringRef name, unsigned effort,
                                 mlir::MLIRContext *context,
                                 MergePlanOptions &options);

/// Return the target that `text` stands for, the default one if it is empty.
/// Emit one error and fail if there is none.
llvm::FailureOr<Target> getTarget(llvm::StringRef text,
                                  mlir::MLIRContext *context);

/// Set what `target` says of workgroup memory. Emit one error and fail if it
/// names a memory space or an operation that there is not.
llvm::LogicalResult setWorkgroup(const Target &target,
                                 mlir::MLIRContext *context, NamedSpaces &names,
                                 WorkgroupOptions &options);

/// What options that make a plan say as text.
struct PlanTexts {
  llvm::ArrayRef<std::string> alignment, memorySpaces, capacity;
  llvm::StringRef minGain, limitPeak, scheduler, target;
  unsigned effort;
};

/// Set what `texts` say in `options`, in which all else is set, and return the
/// target. Remember in `names` which memories are named. Emit one error and
/// fail if a text means nothing, contradicts another one, or asks for what
/// cannot have an effect with the others.
llvm::FailureOr<Target> translatePlanOptions(const PlanTexts &texts,
                                             mlir::MLIRContext *context,
                                             NamedSpaces &names,
                                             MergePlanOptions &options);

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

/// The same for each of `texts`, all of a pass that are empty by default,
/// unless MLIR has printed them: it prints all of them, as in a reproducer, and
/// a user does not write all of them.
template <typename... Texts>
llvm::LogicalResult checkTexts(mlir::MLIRContext *context,
                               const Texts &...texts) {
  if (((texts.getNumOccurrences() != 0) && ...))
    return llvm::success();
  return checkLists(context, texts...);
}

/// Call `handler` with what the parser of options says in `message`: in one
/// line, and if there is no such option, with what has replaced it, or the
/// nearest of `options`, those of `name`, null if it has none. It says nothing
/// of a value that it has complained about itself.
llvm::LogicalResult handleOptionError(
    llvm::StringRef message, llvm::StringRef name,
    const llvm::cl::SubCommand *options,
    llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)> handler);

/// A pass that says in one line which of its options does not exist. `PassBase`
/// is the class that is generated for it.
template <typename PassBase>
class OptionsPass : public PassBase {
public:
  using PassBase::PassBase;

  llvm::LogicalResult
  initializeOptions(llvm::StringRef options,
                    llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>
                        handler) override {
    auto handleError = [&](const llvm::Twine &text) {
      return handleOptionError(text.str(), this->getArgument(), getOptions(),
                               handler);
    };
    return PassBase::initializeOptions(options, handleError);
  }

protected:
  /// Return the options of the pass, or null if it has none.
  virtual const llvm::cl::SubCommand *getOptions() const { return nullptr; }
};

/// A pass with the option `target`.
template <typename PassBase>
class KernelPass : public OptionsPass<PassBase> {
public:
  using OptionsPass<PassBase>::OptionsPass;

  llvm::LogicalResult
  initializeOptions(llvm::StringRef options,
                    llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>
                        handler) override {
    if (failed(OptionsPass<PassBase>::initializeOptions(options, handler)))
      return llvm::failure();
    // The parser takes braces around a value away; printed without them, JSON
    // would be several options.
    if (llvm::StringRef(this->target).ltrim().starts_with("\""))
      this->target = "{" + this->target + "}";
    return llvm::success();
  }

protected:
  const llvm::cl::SubCommand *getOptions() const override {
    return *this->target.Subs.begin();
  }

  /// Translate the option. Emit one error and fail if it is wrong.
  llvm::LogicalResult translate(mlir::MLIRContext *context,
                                WorkgroupOptions &options) {
    options = WorkgroupOptions();
    namedSpaces = NamedSpaces();
    llvm::FailureOr<Target> loaded = getTarget(this->target, context);
    return llvm::failure(
        failed(loaded) ||
        failed(setWorkgroup(*loaded, context, namedSpaces, options)));
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
    plan.overCapacity = this->overCapacity;
    plan.reuse = this->reuse;
    plan.barriers = this->barriers;
    plan.workgroupPool = this->workgroupPool;
    plan.pool = this->pool;
    plan.left = this->left;
    plan.goal = this->goal;
    plan.maxPools = this->maxPools;
    plan.lifetimes.calls = this->calls;
    plan.lifetimes.dynamic = this->dynamic;
    plan.lifetimes.attributions = this->mergeAttributions;
    plan.lifetimes.findInPlacePairs = this->inPlace;
    mergeOptions.plan.lifetimes.findValues = this->splitBuffers;
    mergeOptions.eraseCopies = this->eraseCopies;
    if (failed(checkLists(context, this->alignment, this->capacity,
                          this->memorySpaces, this->report)) ||
        failed(
            checkTexts(context, this->target, this->offsets, this->emitHeader)))
      return llvm::failure();
    llvm::FailureOr<Target> target = translatePlanOptions(
        {this->alignment, this->memorySpaces, this->capacity, this->minGain,
         this->limitPeak, this->scheduler, this->target, this->effort},
        context, this->namedSpaces, plan);
    if (failed(target))
      return llvm::failure();
    mergeOptions.arenaChecks = target->arenaChecks;
    offsetsOption.initialize(this->offsets);
    return reportOption.initialize(context, this->report, this->emitHeader);
  }

protected:
  /// Return the options for one run, which must not outlive the pass.
  BufferMergeOptions getMergeOptions() const {
    BufferMergeOptions options = mergeOptions;
    if (!this->offsets.empty()) {
      options.plan.fixOffsets = [this](mlir::Operation *root, MergePlan &plan,
                                       PlanMessages &messages) {
        return offsetsOption.fixOffsets(root, plan, messages);
      };
      options.isPlanGiven = [this](mlir::Operation *root,
                                   const MergePlan &plan) {
        return offsetsOption.haveOffsetsOf(root, plan);
      };
    }
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
