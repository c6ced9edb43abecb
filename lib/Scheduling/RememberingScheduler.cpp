//===- RememberingScheduler.cpp - Equal problems once --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RememberingScheduler.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

/// Return true if no scheduler can tell `a` from `b`.
static bool areEqual(const Buffer &a, const Buffer &b) {
  return a.size == b.size && a.begin == b.begin && a.end == b.end &&
         a.alignment == b.alignment && a.fixedOffset == b.fixedOffset &&
         a.gaps == b.gaps;
}

static bool areEqual(const SchedulingProblem &a, const SchedulingProblem &b) {
  return a.buffers.size() == b.buffers.size() && a.capacity == b.capacity &&
         a.conflicts == b.conflicts && a.inPlacePairs == b.inPlacePairs &&
         a.samePlaces == b.samePlaces &&
         llvm::all_of(llvm::zip_equal(a.buffers, b.buffers),
                      [](const auto &pair) {
                        return areEqual(std::get<0>(pair), std::get<1>(pair));
                      });
}

/// Compare what is not a callback.
static bool areEqual(const SchedulerOptions &a, const SchedulerOptions &b) {
  return a.effort == b.effort && a.maxSteps == b.maxSteps &&
         a.decisionSteps == b.decisionSteps;
}

static uint64_t computeHash(const SchedulingProblem &problem) {
  uint64_t hash = problem.buffers.size();
  for (const Buffer &buffer : problem.buffers)
    hash = llvm::hash_combine(hash, buffer.size, buffer.begin, buffer.end);
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
    if (areEqual(entry->problem, problem) && areEqual(entry->options, options))
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
