//===- WindowSearch.cpp - Repair of a few buffers at a time ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ruin and recreate (Schrimpf et al., Journal of Computational Physics 2000):
// the buffers around one that is too high, or of a stretch of time, are taken
// out and put back by branch and bound, with all others fixed.
//
//===----------------------------------------------------------------------===//

#include "WindowSearch.h"
#include "ComponentSearch.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace buffer_merge;

WindowSearch::WindowSearch(const PackingInstance &instance)
    : instance(instance), isInWindow(instance.size(), false),
      crossings(instance.sections.size() + 2, 0), conflicts(instance.problem) {
  for (unsigned i = 0; i < instance.size(); ++i) {
    ++crossings[instance.sections.getBegin(i) + 1];
    --crossings[instance.sections.getEnd(i)];
  }
  std::partial_sum(crossings.begin(), crossings.end(), crossings.begin());
}

void WindowSearch::start(llvm::ArrayRef<int64_t> newOffsets,
                         int64_t newCapacity) {
  offsets.assign(newOffsets.begin(), newOffsets.end());
  capacity = newCapacity;
  failures = 0;
  offenders.clear();
  for (unsigned i = 0; i < instance.size(); ++i)
    if (offsets[i] + instance[i].size > capacity)
      offenders.push_back(i);
  work += instance.size();
}

/// Take out `center` and about `maxCount` buffers close to it in time, those
/// that end above the capacity first.
void WindowSearch::chooseWindow(unsigned center, unsigned maxCount) {
  for (unsigned index : window)
    isInWindow[index] = false;
  window.clear();
  unsigned begin = instance.sections.getBegin(center);
  unsigned end = instance.sections.getEnd(center);
  // Distance in sections beyond the center's, then at random. A buffer with a
  // long lifetime sticks out far, and rarely is worth moving.
  struct Candidate {
    uint64_t key;
    unsigned index;
    bool operator<(const Candidate &other) const {
      return std::tie(key, index) < std::tie(other.key, other.index);
    }
  };
  llvm::SmallVector<Candidate, 0> candidates;
  unsigned reach = 2 + getNextRandom(random) % 8;
  for (unsigned i = 0; i < instance.size(); ++i) {
    if (i == center || instance[i].fixedOffset)
      continue;
    unsigned otherBegin = instance.sections.getBegin(i);
    unsigned otherEnd = instance.sections.getEnd(i);
    if (otherBegin >= end + reach || otherEnd + reach <= begin)
      continue;
    uint64_t outside = (otherBegin < begin ? begin - otherBegin : 0) +
                       (otherEnd > end ? otherEnd - end : 0);
    uint64_t key = (outside + 1) * (256 + getNextRandom(random) % 1024);
    if (offsets[i] + instance[i].size > capacity)
      key /= 4;
    candidates.push_back({key, i});
  }
  for (unsigned other : conflicts.of(center))
    if (!instance[other].fixedOffset)
      candidates.push_back({512 + getNextRandom(random) % 1024, other});
  work += instance.size() + int64_t(candidates.size()) * 16;
  llvm::sort(candidates, std::less<>());
  window.push_back(center);
  isInWindow[center] = true;
  for (const Candidate &candidate : candidates) {
    if (window.size() >= maxCount)
      break;
    if (isInWindow[candidate.index])
      continue;
    isInWindow[candidate.index] = true;
    window.push_back(candidate.index);
  }
}

/// Take out `center` and the buffers of a stretch of sections around it, about
/// `maxCount`, that do not leave it. It ends where few buffers do.
void WindowSearch::chooseStretch(unsigned center, unsigned maxCount) {
  for (unsigned index : window)
    isInWindow[index] = false;
  window.clear();
  unsigned numSections = instance.sections.size();
  uint64_t reach = std::max<uint64_t>(1, uint64_t(maxCount) * numSections /
                                             instance.size() / 2);
  reach = 1 + reach / 2 + getNextRandom(random) % reach;
  unsigned begin = instance.sections.getBegin(center);
  unsigned end = instance.sections.getEnd(center);
  unsigned bestBegin = begin, bestEnd = end;
  for (unsigned i = 0; i < reach && begin != 0; ++i)
    if (crossings[--begin] <= crossings[bestBegin])
      bestBegin = begin;
  for (unsigned i = 0; i < reach && end != numSections; ++i)
    if (crossings[++end] <= crossings[bestEnd])
      bestEnd = end;
  for (unsigned i = 0; i < instance.size(); ++i) {
    if (i != center &&
        (instance.sections.getBegin(i) < bestBegin ||
         instance.sections.getEnd(i) > bestEnd || instance[i].fixedOffset))
      continue;
    isInWindow[i] = true;
    window.push_back(i);
  }
  work += instance.size() + reach * 2;
}

/// Make the window a problem of its own, in which the others take part as fixed
/// buffers, as far as they concern it: clipped to its sections and to the
/// capacity. Those of the window come first. Return nothing if they are too
/// many.
std::optional<SchedulingProblem> WindowSearch::extractWindow() const {
  const Sections &sections = instance.sections;
  llvm::BitVector covered(sections.size());
  for (unsigned index : window)
    covered.set(sections.getBegin(index), sections.getEnd(index));
  SchedulingProblem part;
  llvm::DenseMap<unsigned, BufferId> positions;
  auto add = [&](unsigned index, int64_t begin, int64_t end) -> Buffer & {
    positions[index] = part.buffers.size();
    Buffer &buffer = part.buffers.emplace_back(instance[index]);
    buffer.begin = begin;
    buffer.end = end;
    buffer.gaps.clear();
    if (isInWindow[index])
      return buffer;
    buffer.size = std::min(buffer.size, capacity - offsets[index]);
    buffer.fixedOffset = offsets[index];
    return buffer;
  };
  auto addAlive = [&](unsigned index) {
    // Where it is alive and the window is.
    llvm::SmallVector<TickInterval> live;
    sections.forEachLiveRange(index, [&](unsigned from, unsigned to) {
      int first = covered.find_first_in(from, to);
      if (first != -1)
        live.push_back({first, covered.find_last_in(from, to) + 1});
    });
    if (live.empty())
      return;
    Buffer &buffer = add(index, live.front().begin, live.back().end);
    for (unsigned i = 1; i < live.size(); ++i)
      buffer.gaps.push_back({live[i - 1].end, live[i].begin});
  };
  for (unsigned index : window)
    addAlive(index);
  for (unsigned i = 0; i < instance.size(); ++i) {
    if (isInWindow[i] || offsets[i] >= capacity)
      continue;
    addAlive(i);
    if (part.buffers.size() > maxMembers)
      return std::nullopt;
  }
  // What is in conflict with it has a tick of its own, if it has none here.
  int64_t next = sections.size();
  for (unsigned index : window)
    for (unsigned other : conflicts.of(index)) {
      if (!isInWindow[other] && offsets[other] >= capacity)
        continue;
      if (!positions.contains(other)) {
        add(other, next, next + 1);
        ++next;
      }
      part.conflicts.emplace_back(positions[index], positions[other]);
    }
  return part;
}

/// Put the buffers of the window back within the capacity. Return false if they
/// stay where they were.
bool WindowSearch::solveWindow(int64_t maxSteps) {
  std::optional<SchedulingProblem> part = extractWindow();
  if (!part)
    return false;
  PackingInstance sub(std::move(*part));
  work += int64_t(instance.size()) + int64_t(sub.size()) * 16;
  if (sub.lowerBound > capacity || !BranchAndBound::supports(sub))
    return false;

  // It need not hold the present offsets, which are above the capacity.
  ComponentSearch search(sub, getNextRandom(random));
  ComponentSearch::Outcome outcome = search.decide(capacity, maxSteps);
  work += search.getSteps() * workPerStep;
  if (outcome != ComponentSearch::Outcome::Found)
    return false;
  for (unsigned free = 0; free < window.size(); ++free)
    offsets[window[free]] = search.getOffsets()[free];
  return true;
}

bool WindowSearch::resume(int64_t maxSteps) {
  int64_t maxWork = work + maxSteps * workPerStep;
  while (!offenders.empty() && work < maxWork) {
    // Now and then other buffers are shuffled, so that the next attempt finds
    // another surrounding.
    bool isRepair = failures % 4 != 3;
    unsigned center = isRepair
                          ? offenders[getNextRandom(random) % offenders.size()]
                          : unsigned(getNextRandom(random) % instance.size());
    if (instance[center].fixedOffset) {
      ++failures;
      work += workPerStep;
      continue;
    }
    // Larger windows with more steps as smaller ones fail.
    unsigned level = std::min(failures / 4, 5u);
    int64_t maxCount = int64_t(16) << level;
    if (failures % 2 == 0)
      chooseStretch(center, maxCount);
    else
      chooseWindow(center, std::min<int64_t>(maxCount, 64));
    if (window.size() <= maxWindow && solveWindow(maxCount * 8 << level)) {
      llvm::erase_if(offenders, [&](unsigned index) {
        return offsets[index] + instance[index].size <= capacity;
      });
      if (isRepair) {
        failures = 0;
        continue;
      }
    }
    ++failures;
  }
  return offenders.empty();
}
