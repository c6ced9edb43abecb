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

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace buffer_merge;

WindowSearch::WindowSearch(const PackingInstance &instance)
    : instance(instance), isInWindow(instance.size(), false),
      crossings(instance.numSections + 2, 0),
      conflictBegins(instance.size() + 1, 0) {
  for (unsigned i = 0; i < instance.size(); ++i) {
    ++crossings[instance.sectionBegins[i] + 1];
    --crossings[instance.sectionEnds[i]];
  }
  std::partial_sum(crossings.begin(), crossings.end(), crossings.begin());
  for (auto [a, b] : instance.conflicts) {
    ++conflictBegins[a + 1];
    ++conflictBegins[b + 1];
  }
  std::partial_sum(conflictBegins.begin(), conflictBegins.end(),
                   conflictBegins.begin());
  conflictOthers.resize(conflictBegins.back());
  llvm::SmallVector<unsigned, 0> next(conflictBegins);
  for (auto [a, b] : instance.conflicts) {
    conflictOthers[next[a]++] = b;
    conflictOthers[next[b]++] = a;
  }
}

void WindowSearch::start(llvm::ArrayRef<int64_t> newOffsets,
                         int64_t newCapacity) {
  offsets.assign(newOffsets.begin(), newOffsets.end());
  capacity = newCapacity;
  failures = 0;
  offenders.clear();
  for (unsigned i = 0; i < instance.size(); ++i)
    if (offsets[i] + instance.sizes[i] > capacity)
      offenders.push_back(i);
  work += instance.size();
}

/// Take out `center` and about `maxCount` buffers close to it in time, those
/// that end above the capacity first.
void WindowSearch::chooseWindow(unsigned center, unsigned maxCount) {
  for (unsigned index : window)
    isInWindow[index] = false;
  window.clear();
  unsigned begin = instance.sectionBegins[center];
  unsigned end = instance.sectionEnds[center];
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
    if (i == center || instance.fixedOffsets[i] >= 0)
      continue;
    unsigned otherBegin = instance.sectionBegins[i];
    unsigned otherEnd = instance.sectionEnds[i];
    if (otherBegin >= end + reach || otherEnd + reach <= begin)
      continue;
    uint64_t outside = (otherBegin < begin ? begin - otherBegin : 0) +
                       (otherEnd > end ? otherEnd - end : 0);
    uint64_t key = (outside + 1) * (256 + getNextRandom(random) % 1024);
    if (offsets[i] + instance.sizes[i] > capacity)
      key /= 4;
    candidates.push_back({key, i});
  }
  for (unsigned i = conflictBegins[center]; i < conflictBegins[center + 1];
       ++i) {
    unsigned other = conflictOthers[i];
    if (instance.fixedOffsets[other] < 0)
      candidates.push_back({512 + getNextRandom(random) % 1024, other});
  }
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
  unsigned numSections = instance.numSections;
  uint64_t reach = std::max<uint64_t>(1, uint64_t(maxCount) * numSections /
                                             instance.size() / 2);
  reach = 1 + reach / 2 + getNextRandom(random) % reach;
  unsigned begin = instance.sectionBegins[center];
  unsigned end = instance.sectionEnds[center];
  unsigned bestBegin = begin, bestEnd = end;
  for (unsigned i = 0; i < reach && begin != 0; ++i)
    if (crossings[--begin] <= crossings[bestBegin])
      bestBegin = begin;
  for (unsigned i = 0; i < reach && end != numSections; ++i)
    if (crossings[++end] <= crossings[bestEnd])
      bestEnd = end;
  for (unsigned i = 0; i < instance.size(); ++i) {
    if (i != center &&
        (instance.sectionBegins[i] < bestBegin ||
         instance.sectionEnds[i] > bestEnd || instance.fixedOffsets[i] >= 0))
      continue;
    isInWindow[i] = true;
    window.push_back(i);
  }
  work += instance.size() + reach * 2;
}

/// Make the window a problem of its own, in which the others take part as fixed
/// buffers, as far as they concern it: clipped to its sections and to the
/// capacity. Return false if there are too many.
bool WindowSearch::extractWindow(PackingInstance &sub,
                                 llvm::SmallVectorImpl<unsigned> &members) {
  unsigned begin = instance.numSections, end = 0;
  for (unsigned index : window) {
    begin = std::min(begin, instance.sectionBegins[index]);
    end = std::max(end, instance.sectionEnds[index]);
  }
  // Count, in each section, the buffers of the window.
  llvm::SmallVector<unsigned, 0> covered(end - begin + 1, 0);
  for (unsigned index : window) {
    ++covered[instance.sectionBegins[index] - begin];
    --covered[instance.sectionEnds[index] - begin];
  }
  std::partial_sum(covered.begin(), covered.end(), covered.begin());
  // Number of sections before that hold a buffer of the window: others vanish.
  llvm::SmallVector<unsigned, 0> position(end - begin + 1, 0);
  for (unsigned s = 0; s < end - begin; ++s)
    position[s + 1] = position[s] + (covered[s] != 0);
  sub.numSections = position.back();
  sub.unit = 1;
  sub.hasAlignments = instance.hasAlignments;
  sub.upperBound = instance.upperBound;
  llvm::SmallVector<int64_t, 0> totals(sub.numSections + 1, 0);
  llvm::SmallVector<SectionRange> live;
  auto addMember = [&](unsigned index, bool isFixed) {
    // Where it is alive and the window is.
    live.clear();
    instance.forEachLiveRange(index, [&](unsigned from, unsigned to) {
      from = std::max(from, begin);
      to = std::min(to, end);
      if (from >= to || position[from - begin] == position[to - begin])
        return;
      live.push_back({position[from - begin], position[to - begin]});
    });
    if (live.empty())
      return;
    int64_t size = instance.sizes[index];
    if (isFixed)
      size = std::min(size, capacity - offsets[index]);
    for (unsigned i = 0; i < live.size(); ++i) {
      totals[live[i].begin] += size;
      totals[live[i].end] -= size;
      if (i != 0 && live[i - 1].end < live[i].begin)
        sub.gaps.append(members.size(), {live[i - 1].end, live[i].begin});
    }
    members.push_back(index);
    addBuffer(sub, index, size, isFixed, live.front().begin, live.back().end);
  };
  for (unsigned index : window)
    addMember(index, instance.fixedOffsets[index] >= 0);
  for (unsigned i = 0; i < instance.size(); ++i) {
    if (isInWindow[i] || instance.sectionBegins[i] >= end ||
        instance.sectionEnds[i] <= begin || offsets[i] >= capacity)
      continue;
    addMember(i, true);
    if (members.size() > maxMembers)
      return false;
  }
  std::partial_sum(totals.begin(), totals.end(), totals.begin());
  sub.lowerBound = *llvm::max_element(totals);
  return true;
}

/// Add a buffer of the instance to `sub`.
void WindowSearch::addBuffer(PackingInstance &sub, unsigned index, int64_t size,
                             bool isFixed, unsigned begin, unsigned end) const {
  sub.ids.push_back(sub.ids.size());
  sub.sizes.push_back(size);
  sub.alignments.push_back(instance.alignments[index]);
  sub.durations.push_back(instance.durations[index]);
  sub.fixedOffsets.push_back(isFixed ? offsets[index] : -1);
  sub.sectionBegins.push_back(begin);
  sub.sectionEnds.push_back(end);
}

/// Add to `sub` what is in conflict with the window, and the conflicts.
void WindowSearch::addConflicts(PackingInstance &sub,
                                llvm::SmallVectorImpl<unsigned> &members) {
  for (unsigned free = 0; free < window.size(); ++free)
    for (unsigned i = conflictBegins[window[free]];
         i < conflictBegins[window[free] + 1]; ++i) {
      unsigned other = conflictOthers[i];
      if (!isInWindow[other] && offsets[other] >= capacity)
        continue;
      auto *it = llvm::find(members, other);
      unsigned index = it - members.begin();
      if (it == members.end()) {
        // It has no section here: give it one of its own.
        members.push_back(other);
        addBuffer(sub, other,
                  std::min(instance.sizes[other], capacity - offsets[other]),
                  /*isFixed=*/true, sub.numSections, sub.numSections + 1);
        ++sub.numSections;
      }
      sub.conflicts.push_back(std::minmax(free, index));
    }
  llvm::sort(sub.conflicts);
  sub.conflicts.erase(llvm::unique(sub.conflicts), sub.conflicts.end());
}

/// Put the buffers of the window back within the capacity. Return false if they
/// stay where they were.
bool WindowSearch::solveWindow(int64_t maxSteps) {
  PackingInstance sub;
  llvm::SmallVector<unsigned, 0> members;
  if (!extractWindow(sub, members))
    return false;
  addConflicts(sub, members);
  work += int64_t(instance.size()) + members.size() * 16;
  sub.hasFixedOffsets = members.size() != window.size();
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
    if (instance.fixedOffsets[center] >= 0) {
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
        return offsets[index] + instance.sizes[index] <= capacity;
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
