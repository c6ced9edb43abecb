//===- BranchAndBound.cpp - Does a component fit a capacity? --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Depth first, with frames on an explicit stack and the lists of the buffers to
// be placed on another that grows and shrinks with it: no allocation for a
// node, no undo of floors, no recursion. States and their prunings are those of
// CanonicalSearch.cpp; here is what is learned from failures.
//
// **Failed states.** Whether a state can be completed depends on the buffers to
// be placed, their floors and the limit alone: whatever lies below is out of
// reach, and the argument about the smallest sum of offsets only ever moves
// buffers that are still to be placed. So failed states are remembered, across
// orders too: the rank takes part only through the set of skipped buffers with
// a floor at the limit, which is added to the state's hash as the blocked ones
// are. A state that failed with a lower or equal limit or at a higher or equal
// capacity has failed. Two 64-bit sums of products with random odd factors
// stand for a state: one selects the place in the table, both are compared, so
// that two states are taken for one with a probability of about 2^-120.
//
// **Jumps** [1]. A failure is due to some sections, its *conflict*, in this
// sense: if all lifetimes are clipped to these sections, the state cannot be
// completed either. A state that breaks one of the rules above has a section in
// conflict: the one that is too high, or one of the buffer that cannot be
// placed. The rules hold for the clipped state as well: a buffer has fewer
// neighbours there to rest on, so that releases are no lower. Dominance needs a
// section of x.
//
// A placement has *touched* the sections of its buffer and of those that it
// raised. If it fails and the conflict is none of these, the clipped state was
// the same before: no alternative can help, and the state before has failed
// with it. Otherwise, when there is no alternative left, the conflict of the
// state begins with that of any alternative and is united with those of all the
// others that are alive in it, until there are no more. (Follow the schedule of
// the clipped problem with the smallest sum through the search: what it places
// next is an alternative that failed with a part of the conflict, or it comes
// after one that did not touch the conflict and failed within it.) Conflicts
// are ranges of sections here: more sections than needed do no harm.
//
// **Failed parts.** What a failed state looks like in the sections of its
// conflict is remembered like a state. States are compared with these parts in
// the few ranges that were in conflict last, if they are touched.
//
// [1] P. Prosser, "Hybrid Algorithms for the Constraint Satisfaction Problem",
//     Computational Intelligence 9(3), 1993: conflict-directed backjumping. R.
//     Dechter, "Enhancement Schemes for Constraint Processing", Artificial
//     Intelligence 41(3), 1990: learning from conflicts.
//
//===----------------------------------------------------------------------===//

#include "BranchAndBound.h"

#include "../../Mutation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>

using namespace buffer_merge;

/// Add the skipped buffers with a floor at the limit to the hash. The limit is
/// the floor of the first buffer that may be placed: nothing comes before it.
StateHash BranchAndBound::getStateHash(const State &state) const {
  StateHash hash = state.hash;
  int64_t limit = getFloor(state.list[state.entry]);
  for (unsigned i = state.entry; i-- != 0 && getFloor(state.list[i]) == limit;)
    if (!isBlocked(state.list[i]))
      addSkipTerm(hash, getRank(state.list[i]), 1);
  return hash;
}

/// Push the frame of `state`, whose list is at the top of `lists`.
void BranchAndBound::enter(const State &state) {
  frames.push_back({listsTop, state.size, state.entry, state.entry,
                    getDominance(state), state.hash, /*life=*/{0, 0},
                    /*touched=*/{0, 0}, unsigned(tries.size())});
  listsTop += state.size;
}

void BranchAndBound::start(llvm::ArrayRef<unsigned> order,
                           int64_t newCapacity) {
  newCapacity = std::min(newCapacity, instance.upperBound);
  if (newCapacity > capacity)
    failedStates.clear();
  isFound = false;
  frames.clear();
  tries.clear();
  listsTop = 0;
  State root;
  isExhausted = !begin(order, newCapacity, lists, root);
  if (!isExhausted)
    enter(root);
}

/// Place the buffer at `index` of the list of `frame` and enter what follows.
/// Return false if that cannot be completed.
bool BranchAndBound::placeNext(const Frame &frame, unsigned index) {
  if (lists.size() < listsTop + frame.listSize)
    lists.resize((listsTop + frame.listSize) * 2);
  State state = getState(frame), next;
  if (!place(state, index, &lists[listsTop], next))
    return false;
  offsets[ids[getRank(state.list[index])]] = getFloor(state.list[index]);
  isFound = next.size == 0;
  if (isFound)
    return true;
  const SectionRange *failed =
      failedStates.find(getStateHash(next), getFloor(next.list[next.entry]));
  if (!failed)
    failed = findFailedPart(next);
  if (failed && !isLeftOut("search-no-goods"))
    return fail(*failed);
  if (!canComplete(next))
    return false;
  enter(next);
  return true;
}

/// Return `range` with the sections in which those alternatives of `frame`
/// failed that are alive in it.
SectionRange BranchAndBound::closeConflict(const Frame &frame,
                                           SectionRange range) const {
  llvm::ArrayRef<Try> own = llvm::ArrayRef(tries).drop_front(frame.firstTry);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Try &attempt : own) {
      if (areDisjoint(attempt.life, range))
        continue;
      SectionRange larger = unite(range, attempt.conflict);
      changed |= larger.begin != range.begin || larger.end != range.end;
      range = larger;
    }
  }
  return range;
}

/// Return the sections because of which nothing is left to be tried in `frame`.
SectionRange BranchAndBound::explainEnd(const Frame &frame) const {
  const Key *list = &lists[frame.listBegin];
  SectionRange range = {~0u, 0};
  if (tries.size() > frame.firstTry) {
    range = tries.back().conflict;
  }
  if (frame.next == frame.listSize)
    return range;
  // The buffer that could be moved down.
  for (unsigned i = 0; i < frame.listSize; ++i) {
    unsigned rank = getRank(list[i]);
    if (getFloor(list[i]) + sizes[rank] != frame.dominance)
      continue;
    if (range.end == 0)
      return {sectionBegins[rank], sectionBegins[rank] + 1};
    return {std::min(range.begin, sectionEnds[rank] - 1),
            std::max(range.end, sectionBegins[rank] + 1)};
  }
  llvm_unreachable("the least end is that of a buffer");
}

/// Return what a state looks like in the sections `range`, unless no buffer can
/// be placed there.
std::optional<BranchAndBound::PartialState>
BranchAndBound::getPart(const State &state, SectionRange range) {
  const auto [list, size, entry, hash] = state;
  // A limit that the first buffer to be placed there exceeds is no other.
  const uint64_t name = uint64_t(range.begin) << 32 | range.end;
  PartialState part = {{name * 0x9e3779b97f4a7c15, name * 0xbf58476d1ce4e5b9},
                       -1};
  for (unsigned i = 0; i < size; ++i) {
    unsigned rank = getRank(list[i]);
    if (areDisjoint(getLife(rank), range))
      continue;
    addToHash(part.hash, rank, getFloor(list[i]) + 1);
    if (isBlocked(list[i]))
      addSkipTerm(part.hash, rank, 1);
    else if (i >= entry && part.limit < 0)
      part.limit = getFloor(list[i]);
  }
  work += size * 2;
  if (part.limit < 0)
    return std::nullopt;
  for (unsigned i = entry; i-- != 0 && getFloor(list[i]) >= part.limit;) {
    unsigned rank = getRank(list[i]);
    if (!isBlocked(list[i]) && !areDisjoint(getLife(rank), range))
      addSkipTerm(part.hash, rank, 1);
  }
  return part;
}

/// Return the sections in which a state is one that failed before, or null. It
/// is compared in sections that failed lately and that have changed.
const SectionRange *BranchAndBound::findFailedPart(const State &state) {
  for (SectionRange *it = recent.begin(); it != recent.end(); ++it) {
    if (areDisjoint(*it, touched))
      continue;
    std::optional<PartialState> part = getPart(state, *it);
    if (!part)
      continue;
    if (const SectionRange *found =
            failedStates.find(part->hash, part->limit)) {
      std::rotate(recent.begin(), it, it + 1);
      return found;
    }
  }
  return nullptr;
}

/// Remember that `state` failed because of what is in the sections `range`.
void BranchAndBound::rememberPart(const State &state, SectionRange range) {
  if (range.begin == 0 && range.end == instance.sections.size())
    return;
  std::optional<PartialState> part = getPart(state, range);
  if (!part)
    return;
  failedStates.insert(part->hash, part->limit, range);
  auto *it = llvm::find_if(recent, [&](SectionRange other) {
    return other.begin == range.begin && other.end == range.end;
  });
  constexpr unsigned maxRecent = 3;
  if (it == recent.end()) {
    if (recent.size() < maxRecent)
      recent.push_back(range);
    it = std::prev(recent.end());
  }
  *it = range;
  std::rotate(recent.begin(), it, it + 1);
}

/// Leave the last frame, which failed because of the sections `range`, and all
/// those before it that have nothing to do with them.
void BranchAndBound::leave(SectionRange range) {
  while (true) {
    const Frame &frame = frames.back();
    range = closeConflict(frame, range);
    State state = getState(frame);
    failedStates.insert(getStateHash(state), getFloor(state.list[state.entry]),
                        range);
    rememberPart(state, range);
    listsTop = frame.listBegin;
    tries.truncate(frame.firstTry);
    frames.pop_back();
    if (frames.empty()) {
      isExhausted = true;
      return;
    }
    const Frame &before = frames.back();
    tries.push_back({before.life, range});
    if (!areDisjoint(before.touched, range) || isLeftOut("search-jumps"))
      return;
  }
}

BranchAndBound::Outcome BranchAndBound::resume(int64_t maxSteps) {
  int64_t maxWork = work + maxSteps * workPerStep;
  while (true) {
    if (isFound)
      return Outcome::Found;
    if (isExhausted)
      return Outcome::Exhausted;
    if (work >= maxWork)
      return Outcome::Stopped;

    Frame &frame = frames.back();
    State state = getState(frame);
    frame.next = skipBlocked(state, frame.next);
    if (frame.next == frame.listSize ||
        getFloor(state.list[frame.next]) >= frame.dominance) {
      leave(explainEnd(frame));
      continue;
    }
    // With one more buffer skipped, the state itself may be hopeless.
    state.entry = frame.next;
    if (frame.next != frame.entry && !isLeftOut("search-entry") &&
        !canComplete(state)) {
      leave(conflict);
      continue;
    }
    unsigned index = frame.next++;
    unsigned depth = frames.size() - 1;
    frame.life = getLife(getRank(state.list[index]));
    Frame copy = frame;
    bool isEntered = placeNext(copy, index);
    frames[depth].touched = touched;
    if (isEntered)
      continue;
    tries.push_back({copy.life, conflict});
    if (areDisjoint(touched, conflict) && !isLeftOut("search-jumps"))
      leave(conflict);
  }
}
