//===- RememberingScheduler.cpp - Equal problems once --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RememberingScheduler.h"

using namespace buffer_merge;

/// Compare what is not a callback.
static bool areOptionsEqual(const SchedulerOptions &a,
                            const SchedulerOptions &b) {
  return a.effort == b.effort && a.maxSteps == b.maxSteps &&
         a.decisionSteps == b.decisionSteps;
}

static uint64_t computeHash(const SchedulingProblem &problem) {
  // A few instructions for each buffer: most problems are met once.
  constexpr uint64_t factor = 0x9e3779b97f4a7c15;
  uint64_t hash = problem.buffers.size();
  for (const Buffer &buffer : problem.buffers)
    hash = (hash ^ buffer.size) * factor + (buffer.begin ^ (buffer.end << 24));
  // The largest two values are reserved for the map.
  return hash >> 1;
}

const RememberingScheduler::Entry *
RememberingScheduler::lookup(uint64_t hash, const SchedulingProblem &problem,
                             const SchedulerOptions &options) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = entries.find(hash);
  if (found == entries.end())
    return nullptr;
  for (const std::unique_ptr<const Entry> &entry : found->second)
    if (entry->problem == problem && areOptionsEqual(entry->options, options))
      return entry.get();
  return nullptr;
}

llvm::Expected<Schedule>
RememberingScheduler::schedule(const SchedulingProblem &problem,
                               const SchedulerOptions &options) const {
  if (options.progress)
    return scheduler.schedule(problem, options);
  const uint64_t hash = computeHash(problem);
  if (const Entry *entry = lookup(hash, problem, options))
    return entry->schedule;
  llvm::Expected<Schedule> schedule = scheduler.schedule(problem, options);
  if (!schedule)
    return schedule;
  auto entry = std::make_unique<Entry>(Entry{problem, options, *schedule});
  std::lock_guard<std::mutex> lock(mutex);
  entries[hash].push_back(std::move(entry));
  return schedule;
}
