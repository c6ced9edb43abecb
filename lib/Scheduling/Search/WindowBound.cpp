//===- WindowBound.cpp - What a few sections need -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Relaxations that look at one section at a time prove no more than its sum:
// addresses cut into pieces, or buffers that may move from section to section,
// can always be packed within the largest sum, and so can three sections in a
// row (LowerBound.cpp). What is left is to leave out sections, and to decide
// what remains by branch and bound. A search of all sections meets the same
// contradiction again and again, for each way to place what is elsewhere.
//
//===----------------------------------------------------------------------===//

#include "WindowBound.h"
#include "../../Mutation.h"
#include "ComponentSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <limits>
#include <utility>

using namespace buffer_merge;

SchedulingProblem buffer_merge::clipToSections(const PackingInstance &instance,
                                               unsigned begin, unsigned end) {
  SchedulingProblem part;
  constexpr unsigned outside = ~0u;
  llvm::SmallVector<unsigned, 0> positions(instance.size(), outside);
  for (unsigned i = 0; i < instance.size(); ++i) {
    Buffer clipped = instance[i];
    clipped.gaps.clear();
    bool isAlive = false;
    instance.sections.forEachLiveRange(i, [&](int64_t from, int64_t to) {
      from = std::max<int64_t>(from, begin);
      to = std::min<int64_t>(to, end);
      if (from >= to)
        return;
      if (!isAlive)
        clipped.begin = from;
      else if (clipped.end < from)
        clipped.gaps.push_back({clipped.end, from});
      clipped.end = to;
      isAlive = true;
    });
    if (!isAlive)
      continue;
    positions[i] = part.buffers.size();
    part.buffers.push_back(std::move(clipped));
  }
  for (auto [a, b] : instance.problem.conflicts)
    if (positions[a] != outside && positions[b] != outside)
      part.conflicts.emplace_back(positions[a], positions[b]);
  return part;
}

WindowBound::WindowBound(const PackingInstance &instance) : instance(instance) {
  constexpr int64_t unknown = std::numeric_limits<int64_t>::max();
  for (unsigned width = 4; width < instance.sections.size();
       width += std::max(2u, width / 3)) {
    const unsigned last = instance.sections.size() - width;
    const unsigned stride = width / 4;
    for (unsigned begin = 0; begin < last; begin += stride)
      windows.push_back({begin, begin + width, unknown});
    windows.push_back({last, last + width, unknown});
  }
}

WindowBound::~WindowBound() = default;

/// Count the sections in which `offsets` are above `bound`, from left to right.
void WindowBound::countHighSections(int64_t bound,
                                    llvm::ArrayRef<int64_t> offsets) {
  work += int64_t(instance.size()) + instance.sections.size();
  // First how many buffers above the bound begin and end at each section.
  highBefore.assign(instance.sections.size() + 1, 0);
  for (unsigned i = 0; i < instance.size(); ++i) {
    if (offsets[i] + instance[i].size <= bound)
      continue;
    instance.sections.forEachLiveRange(i, [&](unsigned begin, unsigned end) {
      ++highBefore[begin];
      --highBefore[end];
    });
  }
  unsigned numAlive = 0, numSections = 0;
  for (unsigned &entry : highBefore) {
    numAlive += std::exchange(entry, numSections);
    numSections += numAlive != 0;
  }
  countedBound = bound;
}

/// Return true if `offsets` are within `bound` in `window`.
bool WindowBound::fits(const Window &window, int64_t bound,
                       llvm::ArrayRef<int64_t> offsets) {
  if (offsets.empty())
    return false;
  if (bound != countedBound)
    countHighSections(bound, offsets);
  return highBefore[window.begin] == highBefore[window.end];
}

/// Open the next window that may need more than `bound`. Return false if there
/// is none in this round.
bool WindowBound::openWindow(int64_t bound, llvm::ArrayRef<int64_t> offsets) {
  while (next != windows.size()) {
    Window &window = windows[next++];
    work += 16;
    if (window.height <= bound)
      continue;
    if (fits(window, bound, offsets)) {
      window.height = bound;
      continue;
    }
    part.emplace(clipToSections(instance, window.begin, window.end));
    work += int64_t(instance.size()) * 8;
    if (!BranchAndBound::supports(*part))
      continue;
    search = std::make_unique<ComponentSearch>(*part, /*seed=*/window.begin);
    // The first proof, at the bound, is followed by others further and further
    // above it.
    ahead = 0;
    left = budget;
    return true;
  }
  next = 0;
  budget *= 4;
  llvm::erase_if(windows,
                 [&](const Window &window) { return window.height <= bound; });
  return false;
}

/// Go on with the open window for about `maxSteps` steps, and raise `bound` to
/// what is proved. Return false if there is nothing left to do in this round.
bool WindowBound::searchWindow(int64_t &bound, int64_t maxSteps) {
  Window &window = windows[next - 1];
  if (bound >= window.height)
    return false;
  int64_t capacity = std::min(bound + ahead, window.height - 1);
  int64_t before = search->getSteps();
  auto outcome = search->decide(capacity, std::min(left, maxSteps));
  int64_t steps = search->getSteps() - before;
  work += steps * workPerStep;
  left -= steps;
  if (isMutated("window-bound-without-proof") && left <= 0)
    outcome = ComponentSearch::Outcome::Exhausted;
  switch (outcome) {
  case ComponentSearch::Outcome::Exhausted:
    bound = capacity + 1;
    ahead = 2 * ahead + 1;
    left = budget;
    return true;
  case ComponentSearch::Outcome::Found:
    window.height = search->getHeight();
    ahead = (window.height - bound) / 2;
    left = budget;
    return true;
  case ComponentSearch::Outcome::Stopped:
    if (left > 0)
      return true;
    left = budget;
    return std::exchange(ahead, 0) != 0;
  }
  llvm_unreachable("unknown outcome");
}

int64_t WindowBound::raise(int64_t bound, llvm::ArrayRef<int64_t> offsets,
                           int64_t maxSteps) {
  const int64_t maxWork = work + maxSteps * workPerStep;
  countedBound = -1;
  while (!windows.empty() && work < maxWork) {
    if (!search && !openWindow(bound, offsets))
      continue;
    if (!searchWindow(bound, (maxWork - work) / workPerStep + 1))
      search.reset();
  }
  return bound;
}
