//===- Components.cpp - Parts that do not touch each other ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sweep over the begins cuts time wherever nothing is alive; conflicts unite
// what time separates. Schedules are compared component by component.
//
//===----------------------------------------------------------------------===//

#include "Components.h"

#include "KeySort.h"
#include "Placement.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <limits>

using namespace buffer_merge;

Components::Components(const SchedulingProblem &problem) {
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  llvm::SmallVector<BufferId, 0> order = orderByKey(
      buffers.size(), [&](BufferId id) { return buffers[id].begin; });
  of.resize(buffers.size());
  int64_t latestEnd = 0;
  for (BufferId id : order) {
    if (count == 0 || buffers[id].begin >= latestEnd) {
      ++count;
      latestEnd = buffers[id].end;
    }
    latestEnd = std::max(latestEnd, buffers[id].end);
    of[id] = count - 1;
  }
  if (problem.conflicts.empty())
    return;

  // Conflicts connect what time separates. The lowest number stands for a
  // class, so that the order of the numbers stays that of time.
  llvm::IntEqClasses classes(count);
  for (auto [a, b] : problem.conflicts)
    classes.join(of[a], of[b]);
  classes.compress();
  count = classes.getNumClasses();
  for (unsigned &component : of)
    component = classes[component];
}

BestOfComponents::BestOfComponents(const SchedulingProblem &problem,
                                   const Components &components, int64_t target)
    : problem(problem), components(components), target(target),
      numOpen(components.count),
      heights(components.count, std::numeric_limits<int64_t>::max()) {}

template <typename Ids>
void BestOfComponents::offerOf(const Ids &ids,
                               llvm::ArrayRef<int64_t> offsets) {
  constexpr int64_t none = -1;
  llvm::SmallVector<int64_t> offered(components.count, none);
  for (auto [id, offset] : llvm::zip_equal(ids, offsets)) {
    int64_t &height = offered[components.of[id]];
    height = std::max(height, offset + problem.buffers[id].size);
  }
  for (auto [id, offset] : llvm::zip_equal(ids, offsets))
    if (offered[components.of[id]] < heights[components.of[id]])
      best[id] = offset;
  isOffered = true;
  numOpen = 0;
  for (auto [height, newHeight] : llvm::zip_equal(heights, offered)) {
    if (newHeight != none)
      height = std::min(height, newHeight);
    numOpen += height > target;
  }
}

void BestOfComponents::offer(llvm::ArrayRef<int64_t> offsets) {
  best.resize(offsets.size());
  offerOf(llvm::seq<BufferId>(0, offsets.size()), offsets);
}

void BestOfComponents::offer(llvm::ArrayRef<BufferId> ids,
                             llvm::ArrayRef<int64_t> offsets) {
  offerOf(ids, offsets);
}

int64_t BestOfComponents::getPoolSize() const {
  return heights.empty() ? 0 : *llvm::max_element(heights);
}

llvm::SmallVector<BufferId, 0> BestOfComponents::collectOpen() const {
  llvm::SmallVector<BufferId, 0> ids;
  for (const auto &[index, component] : llvm::enumerate(components.of))
    if (isOpen(component))
      ids.push_back(index);
  return ids;
}

SchedulingProblem buffer_merge::extractProblem(const SchedulingProblem &problem,
                                               llvm::ArrayRef<BufferId> ids) {
  SchedulingProblem part;
  part.buffers.reserve(ids.size());
  for (BufferId id : ids)
    part.buffers.push_back(problem.buffers[id]);
  if (problem.conflicts.empty() && problem.inPlacePairs.empty() &&
      problem.samePlaces.empty())
    return part;
  constexpr BufferId absent = ~BufferId(0);
  llvm::SmallVector<BufferId, 0> newIds(problem.buffers.size(), absent);
  for (const auto &[index, id] : llvm::enumerate(ids))
    newIds[id] = index;
  for (auto [a, b] : problem.conflicts)
    if (newIds[a] != absent && newIds[b] != absent)
      part.conflicts.push_back({newIds[a], newIds[b]});
  for (const InPlacePair &pair : problem.inPlacePairs)
    if (newIds[pair.earlier] != absent && newIds[pair.later] != absent)
      part.inPlacePairs.push_back(
          {newIds[pair.earlier], newIds[pair.later], pair.condition});
  for (auto [a, b] : problem.samePlaces)
    if (newIds[a] != absent && newIds[b] != absent)
      part.samePlaces.push_back({newIds[a], newIds[b]});
  return part;
}

std::optional<ScheduleViolation>
buffer_merge::findFixedViolation(const SchedulingProblem &problem) {
  llvm::SmallVector<BufferId, 0> fixed = collectFixed(problem);
  if (fixed.size() < 2)
    return std::nullopt;
  SchedulingProblem part = extractProblem(problem, fixed);
  llvm::SmallVector<int64_t, 0> offsets;
  for (const Buffer &buffer : part.buffers)
    offsets.push_back(*buffer.fixedOffset);
  std::optional<ScheduleViolation> violation =
      findScheduleViolation(part, makeSchedule(part, std::move(offsets)));
  if (violation)
    for (std::optional<BufferId> *id : {&violation->first, &violation->second})
      if (*id)
        *id = fixed[**id];
  return violation;
}

const SchedulingProblem &
buffer_merge::relaxProblem(const SchedulingProblem &problem,
                           SchedulingProblem &copy) {
  if (!problem.capacity && problem.inPlacePairs.empty())
    return problem;
  copy.buffers = problem.buffers;
  copy.conflicts = problem.conflicts;
  return copy;
}
