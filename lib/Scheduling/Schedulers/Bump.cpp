//===- Bump.cpp - Scheduling without reuse --------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Schedulers/Bump.h"

#include "../Placement.h"

using namespace buffer_merge;

namespace {
class BumpScheduler final : public Scheduler {
public:
  llvm::StringRef getName() const override { return "bump"; }

  llvm::StringRef getDescription() const override {
    return "One buffer after the other, without reuse: the baseline";
  }

  bool reusesBytes() const override { return false; }

  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override;
};
} // namespace

llvm::Expected<Schedule>
BumpScheduler::schedule(const SchedulingProblem &problem,
                        const SchedulerOptions &options) const {
  llvm::SmallVector<ByteRange> fixed;
  for (const Buffer &buffer : problem.buffers)
    if (buffer.fixedOffset)
      fixed.push_back({*buffer.fixedOffset, *buffer.fixedOffset + buffer.size});
  llvm::sort(fixed, std::less<>());

  llvm::SmallVector<int64_t, 0> offsets;
  offsets.reserve(problem.buffers.size());
  int64_t top = 0;
  const ByteRange *nextFixed = fixed.begin();
  for (const Buffer &buffer : problem.buffers) {
    if (buffer.fixedOffset) {
      offsets.push_back(*buffer.fixedOffset);
      continue;
    }
    int64_t offset = alignUp(top, buffer.alignment);
    for (; nextFixed != fixed.end() && nextFixed->begin < offset + buffer.size;
         ++nextFixed)
      offset = alignUp(std::max(offset, nextFixed->end), buffer.alignment);
    offsets.push_back(offset);
    top = offset + buffer.size;
  }
  Schedule schedule = makeSchedule(problem, std::move(offsets));
  if (problem.capacity && schedule.poolSize > *problem.capacity)
    return makeCapacityError(getName(), schedule.poolSize, *problem.capacity);
  return schedule;
}

std::unique_ptr<Scheduler> buffer_merge::createBumpScheduler() {
  return std::make_unique<BumpScheduler>();
}
