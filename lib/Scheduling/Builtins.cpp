//===- Builtins.cpp - The list of built-in schedulers --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The list from which both the registry and `auto` take their schedulers. It
// names each of them; static constructors would be dropped by a linker with the
// archive member that nobody refers to.
//
// And what passes have in common: the check of the capacity in the end, and the
// adapter for those that know nothing of alignments, conflicts and fixed
// offsets.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "Skyline.h"
#include "buffer-merge/Scheduling/Algorithms.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

OnePassSchedulers buffer_merge::createOnePassSchedulers() {
  OnePassSchedulers schedulers;
  appendOrderedSchedulers(schedulers);
  appendFreeListSchedulers(schedulers);
  schedulers.push_back(createInterferenceGraphScheduler());
  schedulers.push_back(createBumpScheduler());
  return schedulers;
}

llvm::SmallVector<std::unique_ptr<Scheduler>>
buffer_merge::createBuiltinSchedulers() {
  llvm::SmallVector<std::unique_ptr<Scheduler>> schedulers;
  for (std::unique_ptr<OnePassScheduler> &scheduler : createOnePassSchedulers())
    schedulers.push_back(std::move(scheduler));
  schedulers.push_back(createExactScheduler());
  schedulers.push_back(createAutoScheduler());
  return schedulers;
}

llvm::Expected<Schedule>
OnePassScheduler::schedule(const SchedulingProblem &problem,
                           const SchedulerOptions &options) const {
  Schedule schedule = makeSchedule(problem, function(problem, maxBytes));
  if (problem.capacity && schedule.poolSize > *problem.capacity)
    return makeCapacityError(name, schedule.poolSize, *problem.capacity);
  return schedule;
}

llvm::SmallVector<int64_t, 0>
buffer_merge::adapt(const SchedulingProblem &problem, int64_t limit,
                    llvm::function_ref<llvm::SmallVector<int64_t, 0>(
                        llvm::ArrayRef<Buffer> buffers, int64_t limit)>
                        place) {
  if (problem.buffers.empty())
    return {};
  bool isConstrained = !problem.conflicts.empty(), isRounded = true;
  const int64_t alignment = problem.buffers.front().alignment;
  for (const Buffer &buffer : problem.buffers) {
    isConstrained |= buffer.fixedOffset.has_value();
    isRounded &= buffer.size % buffer.alignment == 0;
    // What settles may come to lie lower than it was put.
    if (isConstrained || buffer.alignment != alignment)
      limit = maxBytes;
  }
  llvm::SmallVector<Buffer, 0> rounded;
  if (!isRounded) {
    rounded = problem.buffers;
    for (Buffer &buffer : rounded)
      buffer.size = alignUp(buffer.size, buffer.alignment);
  }
  llvm::ArrayRef<Buffer> plain = isRounded ? problem.buffers : rounded;
  // The topmost need not end at a multiple of the alignment.
  llvm::SmallVector<int64_t, 0> offsets =
      place(plain, limit == maxBytes ? limit : limit + alignment);
  auto isAligned = [](const auto &pair) {
    const auto &[offset, buffer] = pair;
    return offset % buffer.alignment == 0;
  };
  if (offsets.empty())
    return offsets;
  if (!isConstrained &&
      llvm::all_of(llvm::zip_equal(offsets, plain), isAligned))
    return offsets;
  return settle(problem, offsets);
}
