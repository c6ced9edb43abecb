//===- PlacementTest.cpp - Tests of what schedulers share ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferOrder.h"
#include "CanonicalFit.h"
#include "Components.h"
#include "GapFit.h"
#include "KeySort.h"
#include "LifetimeBits.h"
#include "LifetimeTree.h"
#include "OverlapTree.h"
#include "RandomProblems.h"
#include "Sections.h"
#include "SegmentList.h"
#include "Skyline.h"
#include "SqueakyWheel.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace buffer_merge;

static llvm::SmallVector<BufferId, 0> makeIds(unsigned count) {
  llvm::SmallVector<BufferId, 0> ids(count);
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

TEST(Sections, OneForEachLargestLiveSet) {
  SchedulingProblem problem;
  problem.buffers = {{1, 0, 4}, {2, 1, 6}, {4, 5, 7}};
  Sections sections(problem.buffers);
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(sections.getTotals()[0], 3);
  EXPECT_EQ(sections.getTotals()[1], 6);
  EXPECT_EQ(sections.getBegin(0), 0u);
  EXPECT_EQ(sections.getEnd(0), 1u);
  EXPECT_EQ(sections.getBegin(1), 0u);
  EXPECT_EQ(sections.getEnd(1), 2u);
  EXPECT_EQ(sections.getBegin(2), 1u);
  EXPECT_EQ(sections.getEnd(2), 2u);
}

TEST(Sections, OverlapAsTheLifetimesDo) {
  for (unsigned seed = 0; seed < 50; seed += seedStep) {
    SchedulingProblem problem = makeRandomProblem(seed, {30, 60, 20});
    Sections sections(problem.buffers);
    EXPECT_LE(sections.size(), problem.buffers.size());
    EXPECT_EQ(*std::max_element(sections.getTotals().begin(),
                                sections.getTotals().end()),
              computeLowerBound(problem).bytes);
    for (BufferId a = 0; a < 30; ++a)
      for (BufferId b = 0; b < 30; ++b)
        EXPECT_EQ(sections.getBegin(a) < sections.getEnd(b) &&
                      sections.getBegin(b) < sections.getEnd(a),
                  problem.buffers[a].overlapsInTime(problem.buffers[b]));
  }
}

TEST(Sections, GapsAreRangesOfThem) {
  //   a a a . . . a a .
  //   . . . . b . . . .
  //   . . c c c c . c c
  SchedulingProblem problem;
  problem.buffers = {{1, 0, 8}, {2, 4, 5}, {4, 2, 9}};
  problem.buffers[0].gaps = {{3, 6}};
  problem.buffers[2].gaps = {{6, 7}};
  Sections sections(problem.buffers);
  // The gap of c is in none of the largest sets.
  EXPECT_EQ(sections.getTotals(), (llvm::ArrayRef<int64_t>{5, 6, 5}));
  llvm::ArrayRef<SectionRange> gaps = sections.getGaps().of(0);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].begin, 1u);
  EXPECT_EQ(gaps[0].end, 2u);
  EXPECT_TRUE(sections.getGaps().of(1).empty());
  EXPECT_TRUE(sections.getGaps().of(2).empty());
}

TEST(Sections, OverlapAsTheLifetimesWithGapsDo) {
  for (unsigned seed = 0; seed < 100; seed += seedStep) {
    SchedulingProblem problem = makeRandomProblem(seed, {20, 40, 20});
    addRandomGaps(seed, problem);
    Sections sections(problem.buffers);
    EXPECT_EQ(*std::max_element(sections.getTotals().begin(),
                                sections.getTotals().end()),
              computeLowerBound(problem).bytes);
    llvm::SmallVector<llvm::SmallVector<bool>> live;
    for (BufferId id = 0; id < 20; ++id) {
      live.emplace_back(sections.size(), false);
      sections.forEachLiveRange(id, [&](unsigned begin, unsigned end) {
        EXPECT_LT(begin, end);
        std::fill(live[id].begin() + begin, live[id].begin() + end, true);
      });
    }
    for (BufferId a = 0; a < 20; ++a)
      for (BufferId b = 0; b < 20; ++b) {
        bool share = false;
        for (unsigned s = 0; s < sections.size(); ++s)
          share |= live[a][s] && live[b][s];
        EXPECT_EQ(share, problem.buffers[a].overlapsInTime(problem.buffers[b]));
      }
  }
}

TEST(Sections, TicksMayBeAnywhere) {
  SchedulingProblem problem;
  problem.buffers = {{1, INT64_MIN, INT64_MIN + 1},
                     {1, INT64_MIN, INT64_MAX},
                     {1, INT64_MAX - 1, INT64_MAX}};
  Sections sections(problem.buffers);
  EXPECT_EQ(sections.size(), 2u);
  EXPECT_EQ(orderBuffers(problem, sections, {OrderKey::Area}).front(), 1u);
}

TEST(OverlapTree, FindsWhatWasInserted) {
  for (unsigned seed = 0; seed < 50; seed += seedStep) {
    SchedulingProblem problem = makeRandomProblem(seed, {1 + seed, 50, 20});
    if (seed % 2 != 0)
      addRandomGaps(seed, problem);
    llvm::ArrayRef<Buffer> buffers = problem.buffers;
    OverlapTree tree(buffers, makeIds(buffers.size()));
    for (BufferId id = 0; id < buffers.size(); ++id) {
      // Every third one stays outside.
      if (id % 3 != 2)
        tree.insert(id);
      llvm::SmallVector<BufferId> found, expected;
      tree.forEachOverlap(buffers[id],
                          [&](BufferId other) { found.push_back(other); });
      for (BufferId other = 0; other <= id; ++other)
        if (other % 3 != 2 && buffers[id].overlapsInTime(buffers[other]))
          expected.push_back(other);
      llvm::sort(found);
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(BufferOrder, ContentionIsTheLargestSumAlive) {
  // Alive: 1, 1 + 8, 8 + 2, 2.
  SchedulingProblem problem;
  problem.buffers = {{1, 0, 2}, {8, 1, 3}, {2, 2, 4}, {3, 9, 10}};
  Sections sections(problem.buffers);
  using Key = OrderKey;
  EXPECT_EQ(orderBuffers(problem, sections, {Key::Contention}),
            (llvm::SmallVector<BufferId, 0>{1, 2, 0, 3}));
  EXPECT_EQ(orderBuffers(problem, sections, {Key::Conflicts, Key::Size}),
            (llvm::SmallVector<BufferId, 0>{1, 2, 0, 3}));
  EXPECT_EQ(orderBuffers(problem, sections, {Key::Duration, Key::Size}),
            (llvm::SmallVector<BufferId, 0>{1, 2, 0, 3}));
}

TEST(GapFit, OnlineIsInTheOrderOfTime) {
  for (unsigned seed = 0; seed < 100; seed += seedStep) {
    // Few buffers are found in another way than many.
    unsigned count = seed % 10 == 0 ? 600 : 60;
    SchedulingProblem problem =
        makeRandomProblem(seed, {count, count, 30, 50, 5});
    if (seed % 2)
      addRandomConflicts(seed, 20, problem);
    if (seed % 3 == 0)
      addFixedOffsets(9, problem);
    llvm::SmallVector<BufferId, 0> order =
        orderByBegin(problem.buffers,
                     [&](BufferId id) { return -problem.buffers[id].size; });
    for (GapChoice choice : {GapChoice::First, GapChoice::Best})
      EXPECT_EQ(fitOnline(problem, choice), fitInOrder(problem, order, choice));
  }
}

/// What `fitCanonically` does, in quadratic time.
static llvm::SmallVector<int64_t, 0>
fitOneByOne(const SchedulingProblem &problem,
            llvm::ArrayRef<BufferId> ranking) {
  llvm::ArrayRef<Buffer> buffers = problem.buffers;
  llvm::SmallVector<int64_t, 0> lowest(buffers.size(), 0);
  llvm::SmallVector<BufferId, 0> left(ranking.begin(), ranking.end());
  ConflictLists conflicts(problem);
  while (!left.empty()) {
    auto *next =
        std::min_element(left.begin(), left.end(), [&](BufferId a, BufferId b) {
          return lowest[a] < lowest[b];
        });
    BufferId id = *next;
    left.erase(next);
    int64_t top = lowest[id] + buffers[id].size;
    for (BufferId other : left)
      if (buffers[id].overlapsInTime(buffers[other]) ||
          llvm::is_contained(conflicts.of(id), other))
        lowest[other] =
            std::max(lowest[other], alignUp(top, buffers[other].alignment));
  }
  return lowest;
}

TEST(CanonicalFit, PutsTheLowestFirst) {
  for (unsigned seed = 0; seed < 6; seed += seedStep) {
    SchedulingProblem problem = makeRandomProblem(seed, {200, 200, 30, 50, 5});
    if (seed % 2)
      addRandomConflicts(seed, 200, problem);
    if (seed % 3 == 0)
      addRandomGaps(seed, problem);
    Sections sections(problem.buffers);
    llvm::SmallVector<BufferId, 0> ranking =
        orderBuffers(problem, sections, {OrderKey::Contention});
    EXPECT_EQ(fitOneByOne(problem, ranking),
              fitCanonically(problem, sections, ranking));
  }
}

/// Remove buffers from a set in the order in which it finds them.
template <typename Set>
static void checkFindsTheFirstWithin() {
  std::mt19937_64 random(0);
  for (unsigned count : {0u, 1u, 8u, 9u, 100u, 700u}) {
    llvm::SmallVector<Buffer, 0> buffers;
    for (unsigned i = 0; i < count; ++i) {
      int64_t begin = random() % 50;
      buffers.push_back({1, begin, begin + 1 + int64_t(random() % 20)});
    }
    Sections sections(buffers);
    llvm::SmallVector<unsigned, 0> ranking = makeIds(count);
    Set set(sections, ranking, ranking);
    for (unsigned step = 0; step < 200; ++step) {
      unsigned begin = random() % (sections.size() + 1);
      unsigned end = begin + random() % (sections.size() + 1 - begin);
      unsigned expected = Set::none;
      for (unsigned rank : llvm::reverse(ranking))
        if (sections.getBegin(rank) >= begin && sections.getEnd(rank) <= end)
          expected = rank;
      ASSERT_EQ(set.findFirst(begin, end), expected);
      if (expected == Set::none)
        continue;
      set.remove(expected);
      llvm::erase(ranking, expected);
    }
  }
}

TEST(LifetimeTree, FindsTheFirstWithin) {
  checkFindsTheFirstWithin<LifetimeTree>();
}

TEST(LifetimeBits, FindsTheFirstWithin) {
  checkFindsTheFirstWithin<LifetimeBits>();
}

TEST(CanonicalFit, ValleysAreCanonical) {
  // Few buffers and many are found in other ways.
  for (unsigned seed = 0; seed < 12; seed += seedStep) {
    SchedulingProblem problem =
        makeRandomProblem(seed, {seed < 8 ? 600u : 1100u, 400, 40, 50});
    // Alignments that sizes are no multiples of: one, or several.
    const int64_t alignments[] = {1, 16, 48, 2, 10};
    for (auto [index, buffer] : llvm::enumerate(problem.buffers))
      buffer.alignment = alignments[seed % 3 == 0 ? index % 5 : seed % 2];
    Sections sections(problem.buffers);
    llvm::SmallVector<BufferId, 0> ranking =
        orderBuffers(problem, sections, {OrderKey::Contention});
    EXPECT_EQ(fitOneByOne(problem, ranking),
              fitCanonically(problem, sections, ranking));
  }
}

TEST(CanonicalFit, IsValid) {
  for (unsigned seed = 0; seed < 40; seed += seedStep) {
    SchedulingProblem problem =
        makeRandomProblem(seed, {1 + 20 * seed, 300, 40, 50, seed % 6});
    Sections sections(problem.buffers);
    llvm::SmallVector<BufferId, 0> ranking =
        orderBuffers(problem, sections, {OrderKey::Size});
    EXPECT_FALSE(findScheduleViolation(
        problem,
        makeSchedule(problem, fitCanonically(problem, sections, ranking))));
  }
}

TEST(CanonicalFit, NoBuffers) {
  SchedulingProblem problem;
  EXPECT_TRUE(fitCanonically(problem, Sections(problem.buffers), {}).empty());
}

TEST(SqueakyWheel, OrderOfOffsetsLeadsBackToThem) {
  for (unsigned seed = 0; seed < 10; seed += seedStep) {
    SchedulingProblem problem = makeRandomProblem(seed, {200, 200, 40, 50});
    Sections sections(problem.buffers);
    llvm::SmallVector<int64_t, 0> offsets =
        fitCanonically(problem, sections, makeIds(200));
    EXPECT_EQ(fitCanonically(problem, sections, orderByOffset(offsets)),
              offsets);
  }
}

TEST(SqueakyWheel, WhatIsTooHighComesEarlier) {
  constexpr unsigned count = 100;
  SchedulingProblem problem;
  problem.buffers.assign(count, {10, 0, 1});
  llvm::SmallVector<int64_t, 0> offsets(count, 0);
  SqueakyWheel wheel(problem, makeIds(count), 10);
  // Return the position of `moved`, and check that no other one is moved.
  auto advance = [&](unsigned moved) {
    llvm::SmallVector<unsigned> before(wheel.getOrder()), after;
    wheel.advance(offsets);
    after.assign(wheel.getOrder().begin(), wheel.getOrder().end());
    unsigned position = llvm::find(after, moved) - after.begin();
    EXPECT_LE(position, llvm::find(before, moved) - before.begin());
    llvm::erase(before, moved);
    llvm::erase(after, moved);
    EXPECT_EQ(before, after);
    return position;
  };
  // Up to 100, so that the limit is 55.
  offsets[70] = 45;
  offsets[90] = 90;
  unsigned position = 90;
  for (unsigned i = 0; i < 40; ++i)
    position = advance(90);
  EXPECT_LT(position, 20u);
  // Up to 55, so that the limit is 32.
  offsets[90] = 0;
  for (unsigned i = 0; i < 40; ++i)
    position = advance(70);
  EXPECT_LT(position, 20u);
  // Below the limit, what is above the target counts.
  offsets[70] = 0;
  offsets[50] = 20;
  advance(50);
  offsets[50] = 5;
  for (unsigned i = 0; i < 40; ++i)
    position = advance(50);
  EXPECT_LT(position, 20u);
}

TEST(Skyline, SettlingMakesAnyOffsetsRight) {
  std::mt19937_64 random(0);
  for (unsigned seed = 0; seed < 100; seed += seedStep) {
    SchedulingProblem problem = makeRandomProblem(seed, {40, 40, 20, 50, 5});
    if (seed % 2)
      addRandomConflicts(seed, 20, problem);
    if (seed % 3 == 0)
      addFixedOffsets(9, problem);
    llvm::SmallVector<int64_t, 0> offsets;
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      offsets.push_back(random() % 1000);
    EXPECT_FALSE(findScheduleViolation(
        problem, makeSchedule(problem, settle(problem, offsets))));
  }
}

TEST(Skyline, SettlingRaisesNothingThatWasRight) {
  for (unsigned seed = 0; seed < 50; seed += seedStep) {
    SchedulingProblem problem = makeRandomProblem(seed, {40, 40, 20, 50, 5});
    llvm::SmallVector<int64_t, 0> offsets = fitOnline(problem, GapChoice::Best);
    llvm::SmallVector<int64_t, 0> settled = settle(problem, offsets);
    for (auto [before, after] : llvm::zip_equal(offsets, settled))
      EXPECT_LE(after, before);
  }
}

TEST(SegmentList, WhatWasMergedKeepsItsDistance) {
  SegmentList segments;
  SegmentId a = segments.append(10), b = segments.append(20),
            c = segments.append(5);
  segments.mergeNext(a);
  // a is [0, 30) with b at 10. It is split at 15 and grows there by 7.
  SegmentId upper = segments.split(a, 15);
  EXPECT_EQ(segments.getSize(upper), 15);
  EXPECT_EQ(segments.getNext(a), upper);
  EXPECT_EQ(segments.getPrevious(c), upper);
  segments.grow(a, 7);
  EXPECT_EQ(segments.computeOffsets(),
            (llvm::SmallVector<int64_t, 0>{0, 10, 37, 22}));
  EXPECT_EQ(b, 1u);
}

TEST(Components, TimeAndConflictsConnect) {
  SchedulingProblem problem;
  problem.buffers = {{1, 5, 7}, {1, 0, 2}, {1, 1, 3}, {1, 3, 5}, {1, 6, 8}};
  Components byTime(problem);
  EXPECT_EQ(byTime.count, 3u);
  EXPECT_EQ(byTime.of, (llvm::SmallVector<unsigned, 0>{2, 0, 0, 1, 2}));
  problem.conflicts = {{4, 1}};
  Components both(problem);
  EXPECT_EQ(both.count, 2u);
  EXPECT_EQ(both.of, (llvm::SmallVector<unsigned, 0>{0, 0, 0, 1, 0}));
}

TEST(Components, TheBestOfEachIsKept) {
  SchedulingProblem problem;
  problem.buffers = {{4, 0, 1}, {4, 0, 1}, {4, 1, 2}, {4, 1, 2}};
  Components components(problem);
  BestOfComponents best(problem, components, 8);
  EXPECT_FALSE(best.isDone());
  best.offer({0, 4, 0, 6});
  EXPECT_FALSE(best.isDone());
  EXPECT_EQ(best.collectOpen(), (llvm::SmallVector<BufferId, 0>{2, 3}));
  best.offer({0, 9, 4, 0});
  EXPECT_TRUE(best.isDone());
  EXPECT_EQ(best.getOffsets(), (llvm::ArrayRef<int64_t>{0, 4, 4, 0}));
}
