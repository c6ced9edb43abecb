//===- SearchSetup.cpp - Before the first node ----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// **Twins** are buffers with the same sections, without a conflict, a fixed
// offset, an alignment or a gap. If two of them lie directly on top of each
// other, the exchange of the two is a schedule as well. So when a twin is
// placed, the larger ones that are not placed yet are *blocked*, until a
// neighbour raises their floor again: they are like skipped buffers from then
// on. This needs more than the smallest sum of offsets; consider the smallest
// sum of
//     offset * size * (1 + epsilon * preference)
// instead, with a preference that is larger for larger twins. Moving a buffer
// down still makes it smaller, and so does putting the larger of two twins
// (the first in the instance, if they are of one size) below the other. The
// preference does not depend on the order that is searched, and neither do
// the blocked buffers, which are part of a state.
//
//===----------------------------------------------------------------------===//

#include "../../Mutation.h"
#include "SearchState.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <limits>
#include <numeric>

using namespace buffer_merge;

unsigned buffer_merge::getRankBits(unsigned count) {
  return llvm::Log2_32_Ceil(std::max(count, 2u));
}

BranchAndBound::Search::Search(const PackingInstance &instance)
    : instance(instance), count(instance.size()),
      wordsPerRow(llvm::divideCeil(count, 64)), rankBits(getRankBits(count)) {
  offsets.assign(count, 0);
  ids.resize(count);
  sizes.resize(count);
  alignments.resize(count);
  isFixed.resize(count);
  twins.resize(count);
  sectionBegins.resize(count);
  sectionEnds.resize(count);
  hasConflict.resize(count);
  factors.resize(count);
  skipTerms.resize(count);
  neighbours.resize(size_t(count) * wordsPerRow);
  failures.assign(instance.sections.size(), 0);
  segmentOf.resize(instance.sections.size());
  uint64_t seed = 1;
  for (unsigned i = 0; i < count; ++i) {
    baseFactors.push_back({getNextRandom(seed) | 1, getNextRandom(seed) | 1});
    baseSkipTerms.push_back({getNextRandom(seed), getNextRandom(seed)});
  }
  findTwins();
}

/// Find the buffers that are alive in the same sections and are not special.
void BranchAndBound::Search::findTwins() {
  llvm::SmallVector<bool, 0> isSpecial(count, false);
  for (auto [a, b] : instance.problem.conflicts)
    isSpecial[a] = isSpecial[b] = true;
  for (unsigned i = 0; i < count; ++i)
    if (instance[i].alignment != 1 || instance[i].fixedOffset ||
        (!isMutated("twins-with-gaps") &&
         !instance.sections.getGaps().of(i).empty()))
      isSpecial[i] = true;
  const Sections &sections = instance.sections;
  twinOrder.resize(count);
  std::iota(twinOrder.begin(), twinOrder.end(), 0);
  llvm::sort(twinOrder, [&](unsigned a, unsigned b) {
    return std::tuple(sections.getBegin(a), sections.getEnd(a),
                      -instance[a].size,
                      a) < std::tuple(sections.getBegin(b), sections.getEnd(b),
                                      -instance[b].size, b);
  });
  // The twins of a buffer are known by the first of them.
  baseTwins.resize(count);
  unsigned first = none;
  for (unsigned index : twinOrder) {
    baseTwins[index] = index;
    if (isSpecial[index])
      continue;
    if (first != none && sections.getBegin(first) == sections.getBegin(index) &&
        sections.getEnd(first) == sections.getEnd(index))
      baseTwins[index] = first;
    else
      first = index;
  }
}

/// Return `order` with the twins exchanged so that the largest is first.
llvm::SmallVector<unsigned, 0>
BranchAndBound::Search::sortTwins(llvm::ArrayRef<unsigned> order) const {
  // The next one of each set of twins, by the first of them.
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 0> members(count);
  for (unsigned index : llvm::reverse(twinOrder))
    members[baseTwins[index]].push_back(index);
  llvm::SmallVector<unsigned, 0> sortedOrder;
  for (unsigned index : order)
    sortedOrder.push_back(members[baseTwins[index]].pop_back_val());
  return sortedOrder;
}

void BranchAndBound::Search::start(llvm::ArrayRef<unsigned> order,
                                   int64_t newCapacity) {
  assert(order.size() == count && "not a permutation");
  // Whatever the instance, this is enough.
  newCapacity = std::min(newCapacity, instance.upperBound);
  if (newCapacity > capacity)
    failedStates.clear();
  capacity = newCapacity;
  isFound = isExhausted = false;
  if (capacity < instance.lowerBound) {
    isExhausted = true;
    return;
  }
  chooseTopType();
  frames.clear();
  groups.clear();
  tries.clear();
  listsTop = 0;

  llvm::SmallVector<unsigned, 0> rankOf(count);
  for (auto [rank, index] : llvm::enumerate(sortTwins(order))) {
    rankOf[index] = rank;
    ids[rank] = index;
    sizes[rank] = instance[index].size;
    alignments[rank] = instance[index].alignment;
    isFixed[rank] = instance[index].fixedOffset.has_value();
    sectionBegins[rank] = instance.sections.getBegin(index);
    sectionEnds[rank] = instance.sections.getEnd(index);
    hasConflict[rank] = false;
    twins[rank] = baseTwins[index];
    factors[rank] = baseFactors[index];
    skipTerms[rank] = baseSkipTerms[index];
  }
  llvm::fill(neighbours, 0);
  for (unsigned a = 0; a < count; ++a) {
    uint64_t *row = &neighbours[size_t(a) * wordsPerRow];
    unsigned begin = sectionBegins[a], end = sectionEnds[a];
    for (unsigned b = 0; b < count; ++b)
      row[b / 64] |= uint64_t(sectionBegins[b] < end && begin < sectionEnds[b])
                     << (b % 64);
    row[a / 64] &= ~(uint64_t(1) << (a % 64));
  }
  separateAtGaps();
  conflicts.clear();
  for (auto [first, second] : instance.problem.conflicts) {
    unsigned a = rankOf[first], b = rankOf[second];
    conflicts.emplace_back(a, b);
    hasConflict[a] = hasConflict[b] = true;
    neighbours[size_t(a) * wordsPerRow + b / 64] |= uint64_t(1) << (b % 64);
    neighbours[size_t(b) * wordsPerRow + a / 64] |= uint64_t(1) << (a % 64);
  }
  work += int64_t(count) * count / 2;

  crossings.assign(instance.sections.size(), 0);
  for (unsigned rank = 0; rank < count; ++rank)
    changeCrossings(rank, 1);

  // The root: nothing is placed and nothing is skipped.
  sorted.clear();
  StateHash hash;
  for (unsigned rank = 0; rank < count; ++rank) {
    int64_t floor = instance[ids[rank]].fixedOffset.value_or(0);
    if (floor + sizes[rank] > capacity) {
      isExhausted = true;
      return;
    }
    sorted.push_back(makeKey(floor, rank, false));
    addToHash(hash, rank, floor + 1);
  }
  llvm::sort(sorted);
  reserveLists(count);
  llvm::copy(sorted, lists.begin());
  if (!computeReleases(lists.data(), count, 0) ||
      !fitsSections(lists.data(), count, 0, 0, instance.sections.size())) {
    isExhausted = true;
    return;
  }
  listsTop = count;
  enter({0, count, 0, hash, -1, none, 0, instance.sections.size(), 0}, none, 0,
        0);
}

/// Buffers that share sections in gaps only are no neighbours.
void BranchAndBound::Search::separateAtGaps() {
  if (instance.sections.getGaps().empty() || isMutated("neighbours-in-gaps"))
    return;
  llvm::SmallVector<bool, 0> isLive(instance.sections.size(), false);
  auto mark = [&](unsigned rank, bool value) {
    instance.sections.forEachLiveRange(
        ids[rank], [&](unsigned begin, unsigned end) {
          std::fill(isLive.begin() + begin, isLive.begin() + end, value);
        });
  };
  auto isMarked = [&](unsigned rank) {
    bool result = false;
    instance.sections.forEachLiveRange(ids[rank], [&](unsigned begin,
                                                      unsigned end) {
      result |= std::find(isLive.begin() + begin, isLive.begin() + end, true) !=
                isLive.begin() + end;
    });
    return result;
  };
  for (unsigned a = 0; a < count; ++a) {
    if (instance.sections.getGaps().of(ids[a]).empty())
      continue;
    mark(a, true);
    for (unsigned b = 0; b < count; ++b) {
      if (!areNeighbours(getRow(a), b) || isMarked(b))
        continue;
      neighbours[size_t(a) * wordsPerRow + b / 64] &=
          ~(uint64_t(1) << (b % 64));
      neighbours[size_t(b) * wordsPerRow + a / 64] &=
          ~(uint64_t(1) << (a % 64));
    }
    mark(a, false);
  }
}

/// A section may be filled up to twice the capacity before that is noticed.
void BranchAndBound::Search::chooseTopType() {
  if (capacity <= std::numeric_limits<int16_t>::max() / 2)
    sectionTops.emplace<0>(instance.sections.size());
  else if (capacity <= std::numeric_limits<int32_t>::max() / 2)
    sectionTops.emplace<1>(instance.sections.size());
  else
    sectionTops.emplace<2>(instance.sections.size());
}
