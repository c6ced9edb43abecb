//===- Verifier.cpp - Independent check of a schedule ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Verifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace buffer_merge;

llvm::StringRef buffer_merge::getScheduleRuleName(ScheduleRule rule) {
  switch (rule) {
  case ScheduleRule::Count:
    return "count";
  case ScheduleRule::NegativeOffset:
    return "negative-offset";
  case ScheduleRule::Alignment:
    return "alignment";
  case ScheduleRule::PoolAlignment:
    return "pool-alignment";
  case ScheduleRule::PoolSize:
    return "pool-size";
  case ScheduleRule::Capacity:
    return "capacity";
  case ScheduleRule::FixedOffset:
    return "fixed-offset";
  case ScheduleRule::Overlap:
    return "overlap";
  case ScheduleRule::Conflict:
    return "conflict";
  }
  llvm_unreachable("unknown rule");
}

std::string ScheduleViolation::str(llvm::ArrayRef<std::string> names) const {
  auto nameOf = [&](std::optional<BufferId> id) {
    return names.empty() ? std::to_string(*id) : names[*id];
  };
  auto describe = [&]() -> std::string {
    switch (rule) {
    case ScheduleRule::Count:
      return "the number of offsets is not the number of buffers";
    case ScheduleRule::NegativeOffset:
      return llvm::formatv("buffer {0} is below the pool", nameOf(first)).str();
    case ScheduleRule::Alignment:
      return llvm::formatv("buffer {0} is not at a multiple of its alignment",
                           nameOf(first))
          .str();
    case ScheduleRule::PoolAlignment:
      return llvm::formatv("the pool is not aligned as buffer {0} asks",
                           nameOf(first))
          .str();
    case ScheduleRule::PoolSize:
      return llvm::formatv("buffer {0} ends above the pool", nameOf(first))
          .str();
    case ScheduleRule::Capacity:
      return "the pool is larger than the capacity";
    case ScheduleRule::FixedOffset:
      return llvm::formatv("buffer {0} is not at its fixed offset",
                           nameOf(first))
          .str();
    case ScheduleRule::Overlap:
      return llvm::formatv("buffers {0} and {1} share bytes at one tick",
                           nameOf(first), nameOf(second))
          .str();
    case ScheduleRule::Conflict:
      return llvm::formatv(
                 "buffers {0} and {1} are in conflict and share bytes",
                 nameOf(first), nameOf(second))
          .str();
    }
    llvm_unreachable("unknown rule");
  };
  return llvm::formatv("{0}: {1}", getScheduleRuleName(rule), describe()).str();
}

/// Return the violation of `buffer` at `offset` taken alone, if there is one.
static std::optional<ScheduleRule>
checkPlace(const Buffer &buffer, int64_t offset, const Schedule &schedule) {
  if (offset < 0)
    return ScheduleRule::NegativeOffset;
  if (offset % buffer.alignment != 0)
    return ScheduleRule::Alignment;
  if (schedule.poolAlignment <= 0 ||
      schedule.poolAlignment % buffer.alignment != 0)
    return ScheduleRule::PoolAlignment;
  // Not `offset + size > poolSize`: the offset may be anything.
  if (buffer.size > schedule.poolSize ||
      offset > schedule.poolSize - buffer.size)
    return ScheduleRule::PoolSize;
  if (buffer.fixedOffset && *buffer.fixedOffset != offset)
    return ScheduleRule::FixedOffset;
  return std::nullopt;
}

/// Find two buffers that are alive at one tick and share bytes. All places have
/// passed `checkPlace`.
static std::optional<ScheduleViolation>
findOverlap(const SchedulingProblem &problem, const Schedule &schedule) {
  // At each tick buffers die before others are born: intervals are half open.
  struct Event {
    int64_t tick;
    bool isBegin;
    BufferId id;
  };
  llvm::SmallVector<Event, 0> events;
  events.reserve(2 * problem.buffers.size());
  for (const auto &[index, buffer] : llvm::enumerate(problem.buffers)) {
    events.push_back({buffer.begin, true, static_cast<BufferId>(index)});
    events.push_back({buffer.end, false, static_cast<BufferId>(index)});
  }
  llvm::sort(events, [](const Event &a, const Event &b) {
    return std::tie(a.tick, a.isBegin, a.id) <
           std::tie(b.tick, b.isBegin, b.id);
  });

  // The live buffers by offset. They are disjoint, so that a new one can only
  // share bytes with its two neighbours.
  std::map<int64_t, BufferId> live;
  for (const Event &event : events) {
    int64_t offset = schedule.offsets[event.id];
    if (!event.isBegin) {
      live.erase(offset);
      continue;
    }
    auto above = live.lower_bound(offset);
    if (above != live.end() &&
        offset + problem.buffers[event.id].size > above->first)
      return ScheduleViolation{ScheduleRule::Overlap, above->second, event.id};
    if (above != live.begin()) {
      auto below = std::prev(above);
      if (below->first + problem.buffers[below->second].size > offset)
        return ScheduleViolation{ScheduleRule::Overlap, below->second,
                                 event.id};
    }
    live.emplace_hint(above, offset, event.id);
  }
  return std::nullopt;
}

std::optional<ScheduleViolation>
buffer_merge::findScheduleViolation(const SchedulingProblem &problem,
                                    const Schedule &schedule) {
  if (schedule.offsets.size() != problem.buffers.size())
    return ScheduleViolation{ScheduleRule::Count, {}, {}};
  for (const auto &[index, buffer, offset] :
       llvm::enumerate(problem.buffers, schedule.offsets))
    if (std::optional<ScheduleRule> rule = checkPlace(buffer, offset, schedule))
      return ScheduleViolation{*rule, static_cast<BufferId>(index), {}};
  if (problem.capacity && schedule.poolSize > *problem.capacity)
    return ScheduleViolation{ScheduleRule::Capacity, {}, {}};
  if (std::optional<ScheduleViolation> overlap = findOverlap(problem, schedule))
    return overlap;
  for (auto [a, b] : problem.conflicts)
    if (schedule.offsets[a] < schedule.offsets[b] + problem.buffers[b].size &&
        schedule.offsets[b] < schedule.offsets[a] + problem.buffers[a].size)
      return ScheduleViolation{ScheduleRule::Conflict, a, b};
  return std::nullopt;
}

llvm::Error buffer_merge::verifySchedule(const SchedulingProblem &problem,
                                         const Schedule &schedule) {
  if (std::optional<ScheduleViolation> violation =
          findScheduleViolation(problem, schedule))
    return llvm::createStringError(violation->str());
  return llvm::Error::success();
}
