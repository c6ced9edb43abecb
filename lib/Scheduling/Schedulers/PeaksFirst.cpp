//===- PeaksFirst.cpp - The peaks first, then what is between ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `peaks-first`: the buffers that are alive where nearly as many bytes are
// alive as at the highest peak are placed first, from bottom to top. All others
// go around them, first-fit in the order of time: between the peaks there is
// room to spare.
//
//===----------------------------------------------------------------------===//

#include "../BufferOrder.h"
#include "../Builtins.h"
#include "../CanonicalFit.h"
#include "../Components.h"
#include "../KeySort.h"
#include "../OnlineFit.h"
#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

/// Return the buffers that are alive where more than `threshold` bytes are, and
/// those with a fixed offset, which the others have to avoid.
static llvm::SmallVector<BufferId, 0>
collectTall(const SchedulingProblem &problem, const Sections &sections,
            int64_t threshold) {
  llvm::SmallVector<unsigned, 0> tallBefore = {0};
  tallBefore.reserve(sections.size() + 1);
  for (int64_t total : sections.getTotals())
    tallBefore.push_back(tallBefore.back() + (total > threshold));
  llvm::SmallVector<BufferId, 0> tall;
  for (BufferId id = 0; id < problem.buffers.size(); ++id)
    if (tallBefore[sections.getBegin(id)] < tallBefore[sections.getEnd(id)] ||
        problem.buffers[id].fixedOffset)
      tall.push_back(id);
  return tall;
}

/// Return the best offsets of each component among a few canonical orders.
static llvm::SmallVector<int64_t, 0> placeTall(const SchedulingProblem &problem,
                                               int64_t target) {
  using Key = OrderKey;
  const llvm::SmallVector<Key, 3> rankings[] = {
      {Key::Contention, Key::Conflicts, Key::Size},
      {Key::Contention, Key::Duration, Key::Area},
      {Key::Contention, Key::Area, Key::Duration},
  };
  Sections sections(problem.buffers);
  Components components(problem);
  BestOfComponents best(problem, components, target);
  for (llvm::ArrayRef<Key> keys : rankings) {
    best.offer(fitCanonically(problem, sections,
                              orderBuffers(problem, sections, keys)));
    if (best.isDone())
      break;
  }
  return best.takeOffsets();
}

/// Return how often one of `tall` and one of the other buffers overlap in time.
static uint64_t countMeetings(const SchedulingProblem &problem,
                              llvm::ArrayRef<BufferId> tall) {
  llvm::SmallVector<int64_t, 0> begins, ends;
  llvm::SmallVector<bool, 0> isTall(problem.buffers.size(), false);
  for (BufferId id : tall) {
    isTall[id] = true;
    begins.push_back(problem.buffers[id].begin);
    ends.push_back(problem.buffers[id].end);
  }
  sortNumbers(begins);
  sortNumbers(ends);
  uint64_t meetings = 0;
  for (auto [buffer, isOneOfThem] : llvm::zip_equal(problem.buffers, isTall)) {
    if (isOneOfThem)
      continue;
    uint64_t begun = llvm::lower_bound(begins, buffer.end) - begins.begin();
    uint64_t ended = llvm::upper_bound(ends, buffer.begin) - ends.begin();
    meetings += begun - ended;
  }
  return meetings;
}

/// Place the buffers `tall`, then the others around them.
static llvm::SmallVector<int64_t, 0>
placeAround(const SchedulingProblem &problem, llvm::ArrayRef<BufferId> tall,
            int64_t target) {
  // The others look at each one that they meet. Where those are many, there is
  // nothing between the peaks.
  constexpr uint64_t maxMeetings = 64;
  size_t count = problem.buffers.size();
  if (tall.size() == count ||
      countMeetings(problem, tall) > maxMeetings * count)
    return placeTall(problem, target);
  llvm::SmallVector<int64_t, 0> tallOffsets =
      placeTall(extractProblem(problem, tall), target);
  // What is placed is fixed for the others.
  SchedulingProblem rest = problem;
  for (auto [id, offset] : llvm::zip_equal(tall, tallOffsets))
    rest.buffers[id].fixedOffset = offset;
  return fitOnline(rest, GapChoice::First);
}

static llvm::SmallVector<int64_t, 0>
placePeaks(const SchedulingProblem &problem) {
  unsigned count = problem.buffers.size();
  Sections sections(problem.buffers);
  int64_t target = computeLowerBound(problem).bytes;
  llvm::SmallVector<int64_t, 0> best;
  int64_t bestSize = 0;
  constexpr unsigned lastPercent = 95;
  constexpr unsigned maxTries = 2;
  unsigned numTries = 0;
  for (unsigned percent : {60u, 70u, 80u, 90u, lastPercent}) {
    llvm::SmallVector<BufferId, 0> tall =
        collectTall(problem, sections, target / 100 * percent);
    if (tall.size() > count / 4 && percent != lastPercent)
      continue;
    llvm::SmallVector<int64_t, 0> offsets = placeAround(problem, tall, target);
    int64_t poolSize = makeSchedule(problem, offsets).poolSize;
    if (best.empty() || poolSize < bestSize) {
      best = std::move(offsets);
      bestSize = poolSize;
    }
    if (bestSize <= target || ++numTries == maxTries)
      break;
  }
  return best;
}

std::unique_ptr<OnePassScheduler> buffer_merge::createPeaksFirstScheduler() {
  return std::make_unique<OnePassScheduler>(
      "peaks-first",
      "What is alive at the peaks from bottom to top, the rest first-fit",
      placePeaks, PassCost::SomePairs);
}
