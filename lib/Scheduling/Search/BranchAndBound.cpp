//===- BranchAndBound.cpp - Does a component fit a capacity? --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two buffers are *neighbours* if they must not share bytes: they share a
// section or they are in conflict. Nothing below asks for more than a graph of
// neighbours, unless it says so; alignment and fixed offsets are dealt with
// where they matter.
//
// A state is a set of buffers that are not placed yet, the *floor* of each (the
// lowest aligned offset above all placed neighbours), and a limit.
//
// **Canonical order** [1]. Take any schedule and push buffers down, lowest
// first: each ends at its floor, and the order of neighbours stays what it was.
// Read in the order of (offset, rank), this is a sequence in which each buffer
// is placed exactly at its floor and keys (floor, rank) never decrease. So only
// such sequences are searched: a state has a *limit*, and a buffer with a key
// below it, called *skipped*, cannot be placed until a neighbour raises its
// floor. Rounding up and neighbours by conflict do not disturb the argument. A
// buffer with a fixed offset never moves; its floor is its offset from the
// start, and a state in which it is skipped or a neighbour reaches above its
// floor cannot be completed.
//
// Of all schedules within the capacity consider one with the smallest sum of
// offsets. It is pushed down, and no buffer of it can be moved to a lower
// place. The search may leave out whatever is not like that (if there is a
// schedule at all, this one is found, or another one before it):
//
// **Dominance** [1]. No buffer is placed at or above floor + size of another
// one x that is still to be placed: all that follow are at or above as well, so
// x could be moved down to its floor. (If x is fixed, it would be skipped.)
//
// The other prunings have files of their own: what buffers rest on and what a
// section needs (ReleaseBound.cpp), twins (SearchSetup.cpp), parts that are
// independent (IndependentGroups.cpp), and what is learned from failures
// (Backjumping.cpp).
//
// Frames are on an explicit stack, and the lists of the buffers to be placed on
// another that grows and shrinks with it: no allocation for a node, no undo of
// floors, no recursion.
//
//===----------------------------------------------------------------------===//

#include "BranchAndBound.h"
#include "SearchState.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <limits>

using namespace buffer_merge;

void BranchAndBound::Search::reserveLists(size_t size) {
  if (lists.size() < listsTop + size)
    lists.resize((listsTop + size) * 2);
}

int64_t BranchAndBound::Search::getDominance(const Key *list,
                                             unsigned size) const {
  int64_t dominance = std::numeric_limits<int64_t>::max();
  for (unsigned i = 0; i < size; ++i)
    dominance =
        std::min(dominance, getFloor(list[i]) + sizes[getRank(list[i])]);
  return dominance;
}

/// Add the skipped buffers with a floor at the limit to `hash`. The limit is
/// the floor of the first buffer that may be placed: nothing comes before it.
StateHash BranchAndBound::Search::getStateHash(const Key *list, unsigned entry,
                                               StateHash hash) const {
  int64_t limit = getFloor(list[entry]);
  for (unsigned i = entry; i-- != 0 && getFloor(list[i]) == limit;) {
    if (isBlocked(list[i]))
      continue;
    addSkipTerm(hash, getRank(list[i]), 1);
  }
  return hash;
}

/// Place the buffer at `index` of the list of `frame` and enter what follows.
/// Return false if that cannot be completed.
bool BranchAndBound::Search::place(const Frame &frame, unsigned index) {
  unsigned size = frame.listSize;
  reserveLists(size);
  const Key *list = &lists[frame.listBegin];
  Key *out = &lists[listsTop];
  Key placedKey = list[index];
  unsigned placed = getRank(placedKey);
  int64_t floor = getFloor(placedKey);
  int64_t top = floor + sizes[placed];
  const uint64_t *row = getRow(placed);
  work += int64_t(size) * 4 + 60;

  StateHash hash = frame.hash;
  addToHash(hash, placed, -(floor + 1));
  raised.clear();
  touched = getLife(placed);
  unsigned kept = 0, entry = 0;
  for (unsigned i = 0; i < size; ++i) {
    Key key = list[i];
    unsigned rank = getRank(key);
    if (i == index) {
      entry = kept;
      continue;
    }
    if (!areNeighbours(row, rank) || getFloor(key) >= top) {
      out[kept++] = key;
      continue;
    }
    int64_t newFloor = top;
    if (alignments[rank] != 1)
      newFloor = llvm::alignTo(uint64_t(top), alignments[rank]);
    if (isFixed[rank] || newFloor + sizes[rank] > capacity)
      return failBetween(placed, rank);
    touched = unite(touched, getLife(rank));
    addToHash(hash, rank, newFloor - getFloor(key));
    bool blocked = twins[rank] == twins[placed] && rank < placed;
    if (blocked != isBlocked(key))
      addSkipTerm(hash, rank, blocked ? 1 : -1);
    raised.push_back(makeKey(newFloor, rank, blocked));
  }
  offsets[ids[placed]] = floor;

  // Merge from the back, so that the keys move once.
  llvm::sort(raised, std::less<>());
  unsigned newSize = kept + raised.size();
  unsigned to = newSize;
  for (unsigned from = kept, r = raised.size(); r != 0;) {
    if (from != 0 && out[from - 1] > raised[r - 1])
      out[--to] = out[--from];
    else
      out[--to] = raised[--r];
  }

  if (newSize != 0) {
    entry = skipBlocked(out, newSize, entry);
    if (entry == newSize)
      return failBy(getRank(out[0]));
    if (const SectionRange *sections = failedStates.find(
            getStateHash(out, entry, hash), getFloor(out[entry])))
      return fail(*sections);
    if (const SectionRange *sections = findFailedPart(out, newSize, entry))
      return fail(*sections);
    if (!computeReleases(out, newSize, entry) ||
        !fitsSections(out, newSize, entry, frame.sectionBegin,
                      frame.sectionEnd))
      return false;
  }
  changeCrossings(placed, -1);
  if (enterGroups({listsTop, newSize, entry, hash, int(frames.size()) - 1,
                   frame.nextGroup, frame.sectionBegin, frame.sectionEnd,
                   /*bound=*/0},
                  placed))
    return true;
  changeCrossings(placed, 1);
  return false;
}

BranchAndBound::Outcome BranchAndBound::Search::resume(int64_t maxSteps) {
  int64_t maxWork = work + maxSteps * workPerStep;
  while (true) {
    if (isFound)
      return Outcome::Found;
    if (isExhausted)
      return Outcome::Exhausted;
    if (work >= maxWork)
      return Outcome::Stopped;

    Frame &frame = frames.back();
    const Key *list = &lists[frame.listBegin];
    frame.next = skipBlocked(list, frame.listSize, frame.next);
    if (frame.next == frame.listSize ||
        getFloor(list[frame.next]) >= frame.dominance) {
      leave(explainEnd(frame));
      continue;
    }
    // With one more buffer skipped, the state itself may be hopeless.
    if (frame.next != frame.entry &&
        (!computeReleases(list, frame.listSize, frame.next) ||
         !fitsSections(list, frame.listSize, frame.next, frame.sectionBegin,
                       frame.sectionEnd))) {
      leave(conflict);
      continue;
    }
    unsigned index = frame.next++;
    unsigned depth = frames.size() - 1;
    frame.life = getLife(getRank(list[index]));
    Frame copy = frame;
    bool isEntered = place(copy, index);
    frames[depth].touched = touched;
    if (isEntered)
      continue;
    tries.push_back({copy.life, conflict});
    if (areDisjoint(touched, conflict))
      leave(conflict);
  }
}

bool BranchAndBound::supports(const PackingInstance &instance) {
  return instance.size() != 0 && instance.size() <= maxBuffers &&
         instance.upperBound < int64_t(1)
                                   << (59 - getRankBits(instance.size()));
}

BranchAndBound::BranchAndBound(const PackingInstance &instance)
    : search(std::make_unique<Search>(instance)) {
  assert(supports(instance) && "check before");
}

BranchAndBound::~BranchAndBound() = default;

void BranchAndBound::start(llvm::ArrayRef<unsigned> order, int64_t capacity) {
  search->start(order, capacity);
}

BranchAndBound::Outcome BranchAndBound::resume(int64_t maxSteps) {
  return search->resume(maxSteps);
}

int64_t BranchAndBound::getSteps() const {
  return search->work / Search::workPerStep;
}

llvm::ArrayRef<uint64_t> BranchAndBound::getFailures() const {
  return search->failures;
}

llvm::ArrayRef<int64_t> BranchAndBound::getOffsets() const {
  return search->offsets;
}
