//===- Builtins.h - The list of built-in schedulers -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the files of `Schedulers` meet: buffer-merge/Scheduling/Algorithms.h
// says what each of them does. Not part of the public interface.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_BUILTINS_H
#define BUFFER_MERGE_LIB_SCHEDULING_BUILTINS_H

#include "buffer-merge/Scheduling/Scheduler.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace buffer_merge {
/// A scheduler that places every buffer once and never looks back: all that
/// there is to it is a function from a problem to offsets. It has no use for
/// the effort, and learns only in the end whether its pool fits the capacity.
class OnePassScheduler final : public Scheduler {
public:
  /// A pool of `limit` bytes is of no use: as soon as its own is as large, it
  /// may end and return nothing.
  using Function = std::function<llvm::SmallVector<int64_t, 0>(
      const SchedulingProblem &problem, int64_t limit)>;

  /// What it costs.
  enum class Cost {
    /// Little enough for problems of every length.
    Low,
    Medium,
    /// It grows with the pairs of buffers that overlap in time or are in
    /// conflict.
    Pairs,
  };

  /// The strings must outlive the scheduler.
  OnePassScheduler(llvm::StringRef name, llvm::StringRef description,
                   Function function, Cost cost = Cost::Medium,
                   bool reuses = true)
      : name(name), description(description), function(std::move(function)),
        cost(cost), reuses(reuses) {}

  llvm::StringRef getName() const override { return name; }
  llvm::StringRef getDescription() const override { return description; }
  bool reusesBytes() const override { return reuses; }
  Cost getCost() const { return cost; }

  /// Return offsets for `problem`, without regard to its capacity, or nothing
  /// if the pool would be `limit` bytes or more.
  llvm::SmallVector<int64_t, 0> place(const SchedulingProblem &problem,
                                      int64_t limit) const {
    return function(problem, limit);
  }

  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override;

private:
  llvm::StringRef name;
  llvm::StringRef description;
  Function function;
  Cost cost;
  bool reuses;
};
using OnePassSchedulers = llvm::SmallVector<std::unique_ptr<OnePassScheduler>>;

/// Create every built-in scheduler that places each buffer once. The registry
/// and `auto` both take the list from here: what is registered takes part in
/// `auto`, in this order: those that are most likely to meet the lower bound
/// come first.
OnePassSchedulers createOnePassSchedulers();

// One family each, which appends itself.
void appendOrderedSchedulers(OnePassSchedulers &schedulers);
void appendFreeListSchedulers(OnePassSchedulers &schedulers);
std::unique_ptr<OnePassScheduler> createBumpScheduler();
std::unique_ptr<OnePassScheduler> createInterferenceGraphScheduler();

std::unique_ptr<Scheduler> createExactScheduler();
std::unique_ptr<Scheduler> createAutoScheduler();

/// Run `place`, which gets a limit as well and honours sizes and lifetimes and
/// knows nothing else, and make what it returns right. Sizes are rounded up to
/// their alignment for it; where all alignments are the same, what fits is
/// aligned without further ado. Otherwise the buffers settle (Skyline.h) in the
/// order that it chose. If it returns nothing, so does this.
llvm::SmallVector<int64_t, 0>
adapt(const SchedulingProblem &problem, int64_t limit,
      llvm::function_ref<llvm::SmallVector<int64_t, 0>(
          llvm::ArrayRef<Buffer> buffers, int64_t limit)>
          place);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_BUILTINS_H
