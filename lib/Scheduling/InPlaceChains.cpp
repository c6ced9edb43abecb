//===- InPlaceChains.cpp - Which in-place pairs to make use of ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InPlaceChains.h"

#include "Sections.h"
#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace buffer_merge;

static constexpr BufferId none = InPlaceChains::none;

namespace {
/// Links pairs, those for which it is worth while.
class PairLinker {
public:
  explicit PairLinker(const SchedulingProblem &problem);

  /// Return the chains of all pairs.
  InPlaceChains linkAll();
  /// Return the chains of those that the smallest pool needs.
  InPlaceChains linkNeeded();

private:
  /// A same-offset pair that may be linked, and the section that both are alive
  /// in.
  struct Link {
    BufferId earlier, later;
    unsigned section;
    bool isFixed;
  };

  void start();
  bool isFree(const Link &link) const {
    return chains.next[link.earlier] == none &&
           chains.previous[link.later] == none;
  }
  void link(const Link &link);
  BufferId findUnit(BufferId id);
  int64_t getSize(BufferId id) { return sizes[findUnit(id)]; }
  int64_t computeTotals();
  bool linkFor(int64_t target);

  const SchedulingProblem &problem;
  Sections sections;
  /// In the order in which they are preferred.
  llvm::SmallVector<Link, 0> links;
  /// The buffers of pairs that need no common offset.
  llvm::BitVector isEarlier, isLater;

  InPlaceChains chains;
  /// A forest whose roots stand for units, and the bytes of each root.
  llvm::SmallVector<BufferId, 0> parent;
  llvm::SmallVector<int64_t, 0> sizes;
  /// By section: the bytes of units.
  llvm::SmallVector<int64_t, 0> totals;
};
} // namespace

PairLinker::PairLinker(const SchedulingProblem &problem)
    : problem(problem), sections(problem.buffers),
      isEarlier(problem.buffers.size()), isLater(problem.buffers.size()),
      chains(0) {
  for (const InPlacePair &pair : problem.inPlacePairs) {
    if (pair.condition != InPlaceCondition::SameOffset) {
      isEarlier.set(pair.earlier);
      isLater.set(pair.later);
      continue;
    }
    const Buffer &earlier = problem.buffers[pair.earlier];
    const Buffer &later = problem.buffers[pair.later];
    const bool isFixed = earlier.fixedOffset && later.fixedOffset;
    // What is fixed is decided.
    if (!isFixed || *earlier.fixedOffset == *later.fixedOffset)
      links.push_back(
          {pair.earlier, pair.later, sections.getBegin(pair.later), isFixed});
  }
  auto getKey = [&](const Link &link) {
    return std::pair(!link.isFixed,
                     -std::min(problem.buffers[link.earlier].size,
                               problem.buffers[link.later].size));
  };
  llvm::stable_sort(links, [&](const Link &a, const Link &b) {
    return getKey(a) < getKey(b);
  });
}

/// Begin without links but those that are fixed.
void PairLinker::start() {
  const size_t count = problem.buffers.size();
  chains = InPlaceChains(count);
  parent.resize(count);
  std::iota(parent.begin(), parent.end(), 0);
  sizes.clear();
  for (const Buffer &buffer : problem.buffers)
    sizes.push_back(buffer.size);
  for (const Link &fixed : links)
    if (fixed.isFixed && isFree(fixed))
      link(fixed);
}

BufferId PairLinker::findUnit(BufferId id) {
  while (parent[id] != id)
    id = parent[id] = parent[parent[id]];
  return id;
}

void PairLinker::link(const Link &link) {
  chains.next[link.earlier] = link.later;
  chains.previous[link.later] = link.earlier;
  BufferId earlier = findUnit(link.earlier), later = findUnit(link.later);
  parent[later] = earlier;
  sizes[earlier] = std::max(sizes[earlier], sizes[later]);
}

/// Compute the bytes that units need in each section, and return the most.
int64_t PairLinker::computeTotals() {
  totals.assign(sections.size() + 1, 0);
  // What begins and ends at the ticks of pairs that need no common offset.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 0> halves;
  if (isEarlier.any())
    halves.resize(sections.size());
  for (BufferId id = 0; id < problem.buffers.size(); ++id) {
    const int64_t size = getSize(id);
    sections.forEachLiveRange(id, [&](unsigned begin, unsigned end) {
      totals[begin] += size;
      totals[end] -= size;
    });
    const unsigned begin = sections.getBegin(id);
    if (chains.previous[id] != none) {
      // It was counted there already.
      totals[begin] -= size;
      totals[begin + 1] += size;
    } else if (isLater.test(id)) {
      halves[begin].second += size;
    }
    if (isEarlier.test(id) && chains.next[id] == none)
      halves[sections.getEnd(id) - 1].first += size;
  }
  std::partial_sum(totals.begin(), totals.end(), totals.begin());
  for (auto [total, half] : llvm::zip(totals, halves))
    total -= std::min(half.first, half.second);
  return *llvm::max_element(totals);
}

/// Link what a pool of `target` bytes needs. Return true if that is enough.
bool PairLinker::linkFor(int64_t target) {
  // Each round may make units larger, and so other pairs needed: a few times,
  // where it comes to an end.
  constexpr unsigned maxRounds = 32;
  start();
  for (unsigned round = 0; round < maxRounds; ++round) {
    if (computeTotals() <= target)
      return true;
    bool isChanged = false;
    for (const Link &wanted : links) {
      int64_t &total = totals[wanted.section];
      if (total <= target || !isFree(wanted))
        continue;
      total -= std::min(getSize(wanted.earlier), getSize(wanted.later));
      link(wanted);
      isChanged = true;
    }
    if (!isChanged)
      return false;
  }
  return false;
}

InPlaceChains PairLinker::linkAll() {
  start();
  for (const Link &wanted : links)
    if (isFree(wanted))
      link(wanted);
  return std::move(chains);
}

InPlaceChains PairLinker::linkNeeded() {
  // Without any link that is not fixed, the largest total is enough.
  int64_t least = computeLowerBound(problem).bytes;
  if (!linkFor(least)) {
    start();
    for (int64_t most = computeTotals(); least < most;) {
      const int64_t middle = least + (most - least) / 2;
      if (linkFor(middle))
        most = *llvm::max_element(totals);
      else
        least = middle + 1;
    }
    linkFor(least);
  }
  return std::move(chains);
}

/// Cut the chains that hold both buffers of a conflict.
static void cutAtConflicts(const SchedulingProblem &problem,
                           InPlaceChains &chains) {
  if (problem.conflicts.empty())
    return;
  size_t count = problem.buffers.size();
  llvm::SmallVector<BufferId, 0> chainOf(count, none), position(count, 0);
  for (BufferId head = 0; head < count; ++head) {
    if (chains.previous[head] != none)
      continue;
    BufferId numSeen = 0;
    for (BufferId id = head; id != none; id = chains.next[id]) {
      chainOf[id] = head;
      position[id] = numSeen++;
    }
  }
  for (auto [a, b] : problem.conflicts) {
    if (chainOf[a] != chainOf[b])
      continue;
    BufferId behind = position[a] < position[b] ? b : a;
    BufferId &previous = chains.previous[behind];
    if (previous == none)
      continue;
    chains.next[previous] = none;
    previous = none;
  }
}

InPlaceChains buffer_merge::linkInPlace(const SchedulingProblem &problem,
                                        InPlaceChoice choice) {
  PairLinker linker(problem);
  InPlaceChains chains =
      choice == InPlaceChoice::All ? linker.linkAll() : linker.linkNeeded();
  cutAtConflicts(problem, chains);
  return chains;
}
