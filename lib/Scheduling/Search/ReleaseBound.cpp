//===- ReleaseBound.cpp - What is left does not fit -----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// **Lifting.** A skipped buffer b ends above its present floor, so it will rest
// on a neighbour that is still to be placed:
//     release(b) = min over such x of release(x) + size(x), rounded up,
// where release(x) is the floor of x, and no less than the limit. The smallest
// solution of these equations is found as shortest paths are. If there is no x,
// or b then ends above the capacity, the state cannot be completed. If all
// such x have a release at or above floor + size of b, then b could be moved
// down to its floor, and the state is left out like in dominance.
//
// **Release-time bound.** The buffers of a section are jobs on one machine,
// which is idle or works on one at a time; each takes its size and is not begun
// before its release. Earliest release first gives the least end, and that must
// be within the capacity. It is at least floor + total of the section, the
// bound of MiniMalloc, with both of its floors. The bound is computed for each
// new state, and again for a state before each further alternative: the one
// tried last has become a skipped buffer.
//
//===----------------------------------------------------------------------===//

#include "../../Mutation.h"
#include "CanonicalSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace buffer_merge;

/// Compute the releases of the buffers that are skipped (those before `entry`)
/// or blocked into `releases`. Return false if the state cannot be completed.
bool CanonicalSearch::computeReleases(const State &state) {
  const auto [list, size, entry, hash] = state;
  releases.clear();
  if (entry == size)
    return failBy(getRank(list[0]));
  constexpr int64_t never = std::numeric_limits<int64_t>::max() / 2;
  for (unsigned i = 0; i < size; ++i) {
    if (i >= entry && !isBlocked(list[i]))
      continue;
    unsigned rank = getRank(list[i]);
    if (isFixed[rank])
      return failBy(rank);
    const uint64_t *row = getRow(rank);
    int64_t ownFloor = getFloor(list[i]);
    int64_t best = never, lowest = never;
    unsigned j = entry;
    for (; j < size; ++j) {
      int64_t floor = getFloor(list[j]);
      if (floor >= best)
        break;
      unsigned other = getRank(list[j]);
      if (!areNeighbours(row, other) || isBlocked(list[j]))
        continue;
      lowest = std::min(lowest, floor);
      best = std::min(best, floor + sizes[other]);
    }
    work += (j - entry) * 2 + 4;
    if (alignments[rank] != 1 && best != never)
      best = llvm::alignTo(uint64_t(best), alignments[rank]);
    releases.push_back({best, rank, ownFloor + sizes[rank], lowest});
  }
  work += size / 2;
  // Shortest paths: the least release is final, the others may get smaller.
  unsigned numReleases = releases.size();
  work += int64_t(numReleases) * numReleases;
  for (unsigned i = 0; i < numReleases; ++i) {
    auto *least = std::min_element(releases.begin() + i, releases.end());
    std::swap(releases[i], *least);
    const Release present = releases[i];
    int64_t top = present.release + sizes[present.rank];
    if (top > capacity)
      return failBy(present.rank);
    const uint64_t *row = getRow(present.rank);
    for (unsigned j = i + 1; j < numReleases; ++j) {
      Release &other = releases[j];
      if (top >= other.release || !areNeighbours(row, other.rank))
        continue;
      int64_t release = top;
      if (alignments[other.rank] != 1)
        release = llvm::alignTo(uint64_t(top), alignments[other.rank]);
      other.release = std::min(other.release, release);
    }
  }
  // One that has room below all of its neighbours could be moved down.
  for (const Release &present : releases) {
    if (present.lowestNeighbour < present.roomTop)
      continue;
    const uint64_t *row = getRow(present.rank);
    if (llvm::none_of(releases, [&](const Release &other) {
          return other.release < present.roomTop &&
                 areNeighbours(row, other.rank);
        }))
      return failBy(present.rank);
  }
  return true;
}

/// See below; `allTops` is `sectionTops`.
template <typename T>
bool CanonicalSearch::fitsSections(llvm::SmallVector<T, 0> &allTops,
                                   const State &state) {
  T *tops = allTops.data();
  const unsigned numSections = allTops.size();
  std::fill(tops, tops + numSections, T(0));
  int64_t cells = numSections;
  const bool hasGaps = !instance.sections.getGaps().empty() &&
                       !isMutated("release-bound-in-gaps");
  auto add = [&](int64_t release, unsigned rank) {
    T start = release, bytes = sizes[rank];
    auto addRange = [&](unsigned begin, unsigned end) {
      cells += end - begin;
      for (unsigned s = begin; s < end; ++s)
        tops[s] = T(std::max(tops[s], start) + bytes);
    };
    if (hasGaps)
      instance.sections.forEachLiveRange(ids[rank], addRange);
    else
      addRange(sectionBegins[rank], sectionEnds[rank]);
  };
  const Release *next = releases.begin(), *end = releases.end();
  for (Key key : llvm::ArrayRef(state.list, state.size).slice(state.entry)) {
    if (isBlocked(key))
      continue;
    int64_t floor = getFloor(key);
    for (; next != end && next->release <= floor; ++next)
      add(next->release, next->rank);
    add(floor, getRank(key));
  }
  for (; next != end; ++next)
    add(next->release, next->rank);
  T highest = 0;
  for (unsigned s = 0; s < numSections; ++s)
    highest = std::max(highest, tops[s]);
  work += cells / 4 + int64_t(state.size) * 6;
  if (highest <= capacity)
    return true;
  // One that the last placement has not touched tells more.
  unsigned worst = numSections;
  for (unsigned s = 0; s < numSections; ++s) {
    if (tops[s] <= capacity)
      continue;
    worst = s;
    if (s < touched.begin || s >= touched.end)
      break;
  }
  return fail({worst, worst + 1});
}

/// Compute the release-time bound of the sections from `releases` and the
/// buffers from the entry on.
bool CanonicalSearch::fitsSections(const State &state) {
  return std::visit([&](auto &tops) { return fitsSections(tops, state); },
                    sectionTops);
}
