//===- IndependentGroups.cpp - Parts to be searched alone -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// **Decomposition**, as in MiniMalloc. When no buffer that is still to be
// placed crosses the boundary between two sections (and no conflict does), the
// sides are independent: each is searched on its own, and if one has no
// solution, neither has the state before. The limit stays what it was: the
// restriction of a canonical sequence to a side is canonical. A side of one
// buffer needs no search; this is what MiniMalloc calls hatless pruning, except
// that there the buffer has to be placed first.
//
//===----------------------------------------------------------------------===//

#include "SearchState.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace buffer_merge;

void BranchAndBound::Search::changeCrossings(unsigned rank, int change) {
  int *data = crossings.data();
  for (unsigned s = sectionBegins[rank], e = sectionEnds[rank] - 1; s < e; ++s)
    data[s] += change;
}

/// Return true if a state may fall apart now that the buffer `rank` is placed.
bool BranchAndBound::Search::hasOpenBoundary(unsigned rank) const {
  if (hasConflict[rank])
    return true;
  for (unsigned s = sectionBegins[rank], e = sectionEnds[rank] - 1; s < e; ++s)
    if (crossings[s] == 0)
      return true;
  return false;
}

/// Enter the state `whole`, whose list is at the top of `lists`, after `placed`
/// was placed; split into groups if it falls apart. Return false if a group is
/// known to fail.
bool BranchAndBound::Search::enterGroups(Group whole, unsigned placed) {
  unsigned numGroups = groups.size();
  if (whole.listSize != 0 && !hasOpenBoundary(placed)) {
    listsTop += whole.listSize;
    enter(whole, placed, numGroups, whole.listBegin);
    return true;
  }
  numberSegments(whole);
  llvm::SmallVector<Group, 16> found;
  collectGroups(whole, found);

  // A single buffer goes to its floor, which is known to be low enough.
  llvm::erase_if(found, [&](const Group &group) {
    Key key = lists[group.listBegin];
    if (group.listSize != 1 || group.entry != 0 || isBlocked(key))
      return false;
    offsets[ids[getRank(key)]] = getFloor(key);
    return true;
  });
  for (Group &group : found) {
    const Key *groupList = &lists[group.listBegin];
    group.entry = skipBlocked(groupList, group.listSize, group.entry);
    if (group.entry == group.listSize)
      return failBy(getRank(groupList[0]));
    if (const SectionRange *sections =
            failedStates.find(getStateHash(groupList, group.entry, group.hash),
                              getFloor(groupList[group.entry])))
      return fail(*sections);
  }
  // The one most likely to fail first.
  llvm::sort(found, [](const Group &a, const Group &b) {
    return std::tuple(-a.bound, a.listSize, a.listBegin) <
           std::tuple(-b.bound, b.listSize, b.listBegin);
  });
  listsTop += whole.listSize;
  unsigned nextGroup = whole.nextGroup;
  for (Group &group : llvm::reverse(found)) {
    group.nextGroup = nextGroup;
    nextGroup = groups.size();
    groups.push_back(group);
  }
  if (nextGroup == none) {
    isFound = true;
    return true;
  }
  Group first = groups[nextGroup];
  enter(first, placed, numGroups, whole.listBegin);
  return true;
}

/// Number the stretches of sections that no buffer of `whole` leaves, and unite
/// those that a conflict connects.
void BranchAndBound::Search::numberSegments(const Group &whole) {
  unsigned numSegments = 0;
  for (unsigned s = whole.sectionBegin; s < whole.sectionEnd; ++s) {
    segmentOf[s] = numSegments;
    numSegments += crossings[s] == 0 || s + 1 == whole.sectionEnd;
  }
  work += whole.sectionEnd - whole.sectionBegin + whole.listSize * 4;
  groupOf.resize(numSegments);
  std::iota(groupOf.begin(), groupOf.end(), 0);
  if (conflicts.empty())
    return;
  llvm::SmallVector<bool, 0> isListed(count, false);
  for (unsigned i = 0; i < whole.listSize; ++i)
    isListed[getRank(lists[whole.listBegin + i])] = true;
  for (auto [a, b] : conflicts) {
    if (!isListed[a] || !isListed[b])
      continue;
    unsigned left = findSegment(a), right = findSegment(b);
    groupOf[std::max(left, right)] = std::min(left, right);
  }
  work += count + conflicts.size() * 4;
}

/// Return the first segment of the group that the buffer of `rank` is in.
unsigned BranchAndBound::Search::findSegment(unsigned rank) {
  unsigned segment = segmentOf[sectionBegins[rank]];
  while (groupOf[segment] != segment)
    segment = groupOf[segment] = groupOf[groupOf[segment]];
  return segment;
}

/// Sort the list of `whole` by groups, and describe each of them.
void BranchAndBound::Search::collectGroups(
    const Group &whole, llvm::SmallVectorImpl<Group> &found) {
  const Key *list = &lists[whole.listBegin];
  llvm::SmallVector<unsigned, 32> indexOf(groupOf.size(), none);
  for (unsigned i = 0; i < whole.listSize; ++i) {
    unsigned rank = getRank(list[i]);
    unsigned segment = findSegment(rank);
    if (indexOf[segment] == none) {
      indexOf[segment] = found.size();
      found.push_back({0, 0, 0, {}, whole.failDepth, none, ~0u, 0, 0});
    }
    Group &group = found[indexOf[segment]];
    ++group.listSize;
    group.entry += i < whole.entry;
    addToHash(group.hash, rank, getFloor(list[i]) + 1);
    if (isBlocked(list[i]))
      addSkipTerm(group.hash, rank, 1);
    group.sectionBegin = std::min(group.sectionBegin, sectionBegins[rank]);
    group.sectionEnd = std::max(group.sectionEnd, sectionEnds[rank]);
  }
  sorted.assign(list, list + whole.listSize);
  size_t begin = whole.listBegin;
  llvm::SmallVector<size_t, 16> ends;
  for (Group &group : found) {
    group.listBegin = begin;
    ends.push_back(begin);
    begin += group.listSize;
    for (unsigned s = group.sectionBegin; s < group.sectionEnd; ++s)
      group.bound = std::max(group.bound, getSectionTop(s));
  }
  for (Key key : sorted)
    lists[ends[indexOf[findSegment(getRank(key))]]++] = key;
}

/// Push the frame of `group`.
void BranchAndBound::Search::enter(const Group &group, unsigned placed,
                                   unsigned numGroups, size_t numListed) {
  frames.push_back({group.listBegin, group.listSize, group.entry, group.entry,
                    getDominance(&lists[group.listBegin], group.listSize),
                    group.hash, placed, group.failDepth, group.nextGroup,
                    numGroups, numListed, group.sectionBegin, group.sectionEnd,
                    /*life=*/{0, 0}, /*touched=*/{0, 0},
                    unsigned(tries.size())});
}

/// Leave frames until the one at `depth` is the last.
void BranchAndBound::Search::popTo(int depth) {
  while (int(frames.size()) - 1 > depth) {
    Frame &frame = frames.back();
    if (frame.placed != none)
      changeCrossings(frame.placed, 1);
    groups.truncate(frame.numGroups);
    listsTop = frame.numListed;
    tries.truncate(frame.firstTry);
    frames.pop_back();
  }
}
