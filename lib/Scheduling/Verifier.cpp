//===- Verifier.cpp - Independent check of a schedule ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sweep over time that keeps the live ranges by offset and looks at the
// neighbours of each one that is added. It shares no code with any scheduler.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Verifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace buffer_merge;

namespace {
struct RuleText {
  llvm::StringLiteral name;
  /// What it means that it is broken by the buffers `{0}` and `{1}`.
  const char *violation;
};
} // namespace

/// In the order of `ScheduleRule`.
static constexpr RuleText ruleTexts[] = {
    {"count", "the number of offsets is not the number of buffers"},
    {"negative-offset", "buffer {0} is below the pool"},
    {"alignment", "buffer {0} is not at a multiple of its alignment"},
    {"pool-alignment", "the pool is not aligned as buffer {0} asks"},
    {"pool-size", "buffer {0} ends above the pool"},
    {"capacity", "the pool is larger than the capacity"},
    {"fixed-offset", "buffer {0} is not at its fixed offset"},
    {"overlap", "buffers {0} and {1} share bytes at one tick"},
    {"conflict", "buffers {0} and {1} are in conflict and share bytes"},
    {"same-place", "buffers {0} and {1} are not at the same offset"}};

llvm::StringRef buffer_merge::getScheduleRuleName(ScheduleRule rule) {
  return ruleTexts[unsigned(rule)].name;
}

std::string ScheduleViolation::str(llvm::ArrayRef<std::string> names) const {
  auto nameOf = [&](std::optional<BufferId> id) -> std::string {
    if (!id)
      return "";
    return names.empty() ? std::to_string(*id) : names[*id];
  };
  // Not every text has both buffers.
  return (getScheduleRuleName(rule) + ": " +
          llvm::formatv(/*Validate=*/false, ruleTexts[unsigned(rule)].violation,
                        nameOf(first), nameOf(second))
              .str())
      .str();
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

namespace {
/// The in-place pairs of which the condition holds, by the later buffer.
class Permissions {
public:
  Permissions(const SchedulingProblem &problem, const Schedule &schedule) {
    for (const InPlacePair &pair : problem.inPlacePairs) {
      const Buffer &earlier = problem.buffers[pair.earlier];
      const Buffer &later = problem.buffers[pair.later];
      bool meetsAtOneTick =
          earlier.begin < later.begin && earlier.end - 1 == later.begin;
      bool isAtSameOffset =
          schedule.offsets[pair.earlier] == schedule.offsets[pair.later];
      if (meetsAtOneTick &&
          (isAtSameOffset || pair.condition == InPlaceCondition::AnyOffset))
        pairs.emplace_back(pair.later, pair.earlier);
    }
    llvm::sort(pairs, std::less<>());
  }

  /// Return true if `later` may share bytes with `earlier`.
  bool allows(BufferId earlier, BufferId later) const {
    return llvm::binary_search(pairs, std::pair(later, earlier), std::less<>());
  }

private:
  llvm::SmallVector<std::pair<BufferId, BufferId>, 0> pairs;
};
} // namespace

/// Find two buffers that are alive at one tick and share bytes, although they
/// are not in place of each other. All places have passed `checkPlace`.
static std::optional<ScheduleViolation>
findOverlap(const SchedulingProblem &problem, const Schedule &schedule) {
  // At each tick buffers die before others are born: intervals are half open.
  // Those that return from a gap were there before those that are born.
  enum class Kind { End, Return, Begin };
  struct Event {
    int64_t tick;
    Kind kind;
    BufferId id;
  };
  llvm::SmallVector<Event, 0> events;
  events.reserve(2 * problem.buffers.size());
  for (const auto &[index, buffer] : llvm::enumerate(problem.buffers)) {
    auto id = static_cast<BufferId>(index);
    events.push_back({buffer.begin, Kind::Begin, id});
    for (const TickInterval &gap : buffer.gaps) {
      events.push_back({gap.begin, Kind::End, id});
      events.push_back({gap.end, Kind::Return, id});
    }
    events.push_back({buffer.end, Kind::End, id});
  }
  llvm::sort(events, [](const Event &a, const Event &b) {
    return std::tie(a.tick, a.kind, a.id) < std::tie(b.tick, b.kind, b.id);
  });

  // The live buffers by offset: those that were born before this tick (some
  // return from a gap at it), and those that are born at it. Only one of each
  // can share bytes in place, and the earlier one is gone at the next tick, so
  // that each map holds disjoint buffers.
  Permissions permissions(problem, schedule);
  using LiveBuffers = std::map<int64_t, BufferId>;
  LiveBuffers live, born;
  auto endOf = [&](LiveBuffers::const_iterator it) {
    return it->first + problem.buffers[it->second].size;
  };
  // Return the first buffer in `buffers` that shares bytes with `id` and may
  // not. A buffer that may be there is passed over once for each pair.
  auto findSharer = [&](const LiveBuffers &buffers,
                        BufferId id) -> std::optional<BufferId> {
    int64_t begin = schedule.offsets[id];
    int64_t end = begin + problem.buffers[id].size;
    auto it = buffers.upper_bound(begin);
    if (it != buffers.begin() && endOf(std::prev(it)) > begin)
      --it;
    for (; it != buffers.end() && it->first < end; ++it)
      if (!permissions.allows(it->second, id))
        return it->second;
    return std::nullopt;
  };
  int64_t bornAt = 0;
  for (const Event &event : events) {
    int64_t offset = schedule.offsets[event.id];
    if (event.kind == Kind::End) {
      auto it = live.find(offset);
      if (it != live.end() && it->second == event.id)
        live.erase(it);
      else
        born.erase(offset);
      continue;
    }
    // All that end at this tick or before are gone by now.
    if (event.tick != bornAt)
      live.merge(born);
    bornAt = event.tick;
    for (const LiveBuffers *buffers : {&live, &born})
      if (std::optional<BufferId> other = findSharer(*buffers, event.id))
        return ScheduleViolation{ScheduleRule::Overlap, *other, event.id};
    (event.kind == Kind::Return ? live : born).emplace(offset, event.id);
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
  for (auto [a, b] : problem.samePlaces)
    if (schedule.offsets[a] != schedule.offsets[b])
      return ScheduleViolation{ScheduleRule::SamePlace, a, b};
  return std::nullopt;
}

llvm::Error buffer_merge::verifySchedule(const SchedulingProblem &problem,
                                         const Schedule &schedule) {
  if (std::optional<ScheduleViolation> violation =
          findScheduleViolation(problem, schedule))
    return llvm::createStringError(violation->str());
  return llvm::Error::success();
}
