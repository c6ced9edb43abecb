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

#include <vector>

using namespace buffer_merge;

namespace {
/// The buffers of one place, and what they are among themselves.
struct Place {
  llvm::SmallVector<BufferId, 0> ids;
  SchedulingProblem problem;

  /// Return how they exclude each other, or nothing.
  std::optional<ScheduleViolation> findViolation() const;
};
} // namespace

/// Let `violation` speak of the buffers that `getId` returns.
template <typename GetId>
static void rename(ScheduleViolation &violation, GetId getId) {
  for (std::optional<BufferId> *id : {&violation.first, &violation.second})
    if (*id)
      *id = getId(**id);
}

std::optional<ScheduleViolation> Place::findViolation() const {
  int64_t offset = 0;
  for (const Buffer &buffer : problem.buffers)
    if (buffer.fixedOffset)
      offset = *buffer.fixedOffset;
  std::optional<ScheduleViolation> violation = findScheduleViolation(
      problem,
      makeSchedule(problem, llvm::SmallVector<int64_t, 0>(ids.size(), offset)));
  if (violation)
    rename(*violation, [&](BufferId index) { return ids[index]; });
  return violation;
}

/// Return the places of `groups`, each with what `problem` says of its buffers.
static std::vector<Place> splitPlaces(const SchedulingProblem &problem,
                                      const PlaceGroups &groups) {
  std::vector<Place> places(groups.getProblem().buffers.size());
  llvm::SmallVector<BufferId, 0> indexInPlace;
  for (BufferId id = 0; id < problem.buffers.size(); ++id) {
    Place &place = places[groups.getGroup(id)];
    indexInPlace.push_back(place.ids.size());
    place.ids.push_back(id);
    place.problem.buffers.push_back(problem.buffers[id]);
  }
  for (auto [a, b] : problem.conflicts)
    if (groups.getGroup(a) == groups.getGroup(b))
      places[groups.getGroup(a)].problem.conflicts.push_back(
          {indexInPlace[a], indexInPlace[b]});
  for (const InPlacePair &pair : problem.inPlacePairs)
    if (groups.getGroup(pair.earlier) == groups.getGroup(pair.later))
      places[groups.getGroup(pair.later)].problem.inPlacePairs.push_back(
          {indexInPlace[pair.earlier], indexInPlace[pair.later],
           pair.condition});
  return places;
}

std::optional<std::string>
buffer_merge::findContradiction(const SchedulingProblem &problem) {
  auto describe = [](const char *what, const ScheduleViolation &violation) {
    return what + violation.str();
  };
  if (problem.samePlaces.empty()) {
    if (auto violation = findFixedViolation(problem))
      return describe("fixed offsets exclude each other: ", *violation);
    return std::nullopt;
  }
  PlaceGroups groups(problem);
  std::vector<Place> places = splitPlaces(problem, groups);
  for (const Place &place : places)
    if (auto violation = place.findViolation())
      return describe("buffers of one place exclude each other: ", *violation);
  auto violation = findFixedViolation(groups.getProblem());
  if (!violation)
    return std::nullopt;
  rename(*violation, [&](BufferId group) { return places[group].ids.front(); });
  return describe("fixed offsets exclude each other: ", *violation);
}
