//===- Contradictions.cpp - Problems that have no plan --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `runScheduler` trusts its callers with buffers of one place, and its verifier
// then rejects what schedulers make of them: for callers from C that would look
// like a defect of the library.
//
//===----------------------------------------------------------------------===//

#include "Contradictions.h"
#include "Scheduling/Components.h"
#include "Scheduling/SamePlaces.h"
#include "buffer-merge/Scheduling/Verifier.h"

using namespace buffer_merge;

std::optional<std::string>
buffer_merge::findContradiction(const SchedulingProblem &problem) {
  PlaceGroups groups(problem);
  llvm::ArrayRef<Buffer> places = groups.getProblem().buffers;
  // What is not fixed goes above all that is, one place upon the other: then
  // buffers share bytes with those of their place alone.
  int64_t top = 0;
  for (const Buffer &place : places)
    if (place.fixedOffset)
      top = std::max(top, *place.fixedOffset + place.size);
  llvm::SmallVector<int64_t, 0> offsets;
  for (const Buffer &place : places)
    offsets.push_back(place.fixedOffset ? *place.fixedOffset
                                        : std::exchange(top, top + place.size));
  SchedulingProblem apart = problem;
  apart.capacity.reset();
  for (auto [id, buffer] : llvm::enumerate(apart.buffers))
    if (!places[groups.getGroup(id)].fixedOffset)
      buffer.alignment = 1;
  if (auto violation = findScheduleViolation(
          apart, makeSchedule(apart, groups.expand(offsets)))) {
    bool isInOnePlace =
        !violation->second || groups.getGroup(*violation->first) ==
                                  groups.getGroup(*violation->second);
    return (isInOnePlace ? "buffers of one place exclude each other: "
                         : "fixed offsets exclude each other: ") +
           violation->str();
  }
  // A place is as large as its largest buffer, all the time.
  auto violation = findFixedViolation(groups.getProblem());
  if (!violation)
    return std::nullopt;
  llvm::SmallVector<std::string, 0> names(places.size());
  for (BufferId id = problem.buffers.size(); id-- != 0;)
    names[groups.getGroup(id)] = std::to_string(id);
  return "fixed offsets exclude each other: " + violation->str(names);
}
