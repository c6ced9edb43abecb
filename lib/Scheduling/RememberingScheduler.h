//===- RememberingScheduler.h - Equal problems once -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a network are often the same function several times, and a plan
// is made several times: with the values of allocations as buffers and without,
// with fewer buffers. Not part of the public interface.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_REMEMBERINGSCHEDULER_H
#define BUFFER_MERGE_LIB_SCHEDULING_REMEMBERINGSCHEDULER_H

#include "buffer-merge/Scheduling/Scheduler.h"
#include "llvm/ADT/DenseMap.h"

#include <mutex>

namespace buffer_merge {
/// Asks another scheduler, and remembers what it returns: an equal problem with
/// equal options has the same schedule, because schedulers are pure functions.
/// Errors are not remembered. With a callback for progress, which may interrupt
/// a search, nothing is.
class RememberingScheduler final : public Scheduler {
public:
  /// `scheduler` must outlive the object.
  explicit RememberingScheduler(const Scheduler &scheduler)
      : scheduler(scheduler) {}

  llvm::StringRef getName() const override { return scheduler.getName(); }
  llvm::StringRef getDescription() const override {
    return scheduler.getDescription();
  }
  bool reusesBytes() const override { return scheduler.reusesBytes(); }

  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override;

private:
  struct Entry {
    SchedulingProblem problem;
    SchedulerOptions options;
    Schedule schedule;
  };
  const Entry *lookup(uint64_t hash, const SchedulingProblem &problem,
                      const SchedulerOptions &options) const;

  const Scheduler &scheduler;
  /// Guards `entries`. Two threads may schedule equal problems at the same
  /// time; they find the same.
  mutable std::mutex mutex;
  /// By a hash of the problem, which only says where to look.
  mutable llvm::DenseMap<uint64_t,
                         llvm::SmallVector<std::unique_ptr<const Entry>, 1>>
      entries;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_REMEMBERINGSCHEDULER_H
