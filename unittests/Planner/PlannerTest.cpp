//===- PlannerTest.cpp - The planner as a C library -----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../SeedStep.h"
#include "PlannerFixture.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

using namespace buffer_merge;

namespace {
/// What a call came to.
struct Outcome {
  bm_status status;
  bm_result result = BM_RESULT_INIT;
  std::vector<int64_t> offsets;
};
} // namespace

static Outcome plan(const Columns &columns,
                    const bm_options *options = nullptr) {
  bm_problem problem = columns.get();
  Outcome outcome;
  outcome.offsets.assign(columns.sizes.size(), -7);
  outcome.status =
      bm_plan(&problem, options, outcome.offsets.data(), &outcome.result);
  return outcome;
}

static Outcome verify(const Columns &columns,
                      const std::vector<int64_t> &offsets) {
  bm_problem problem = columns.get();
  Outcome outcome;
  outcome.status = bm_verify(&problem, offsets.data(), &outcome.result);
  return outcome;
}

/// Expect that no two buffers share a byte at a tick, without the library.
static void expectDisjoint(const Columns &columns, const Outcome &outcome) {
  for (size_t i = 0; i < columns.sizes.size(); ++i) {
    EXPECT_EQ(outcome.offsets[i] % columns.alignments[i], 0);
    EXPECT_GE(outcome.offsets[i], 0);
    EXPECT_LE(outcome.offsets[i] + columns.sizes[i], outcome.result.pool_size);
    for (size_t j = 0; j < i; ++j) {
      bool meet = columns.begins[i] < columns.ends[j] &&
                  columns.begins[j] < columns.ends[i];
      bool share = outcome.offsets[i] < outcome.offsets[j] + columns.sizes[j] &&
                   outcome.offsets[j] < outcome.offsets[i] + columns.sizes[i];
      EXPECT_FALSE(meet && share) << i << " and " << j;
    }
  }
}

/// Three buffers: the first and the last one may share bytes.
static Columns makeThree() {
  Columns columns;
  columns.add(100, 0, 2);
  columns.add(40, 1, 3);
  columns.add(60, 2, 4);
  return columns;
}

TEST(PlannerTest, Plans) {
  Outcome outcome = plan(makeThree());
  EXPECT_EQ(outcome.status, BM_OK);
  EXPECT_EQ(outcome.result.pool_size, 140);
  EXPECT_EQ(outcome.result.pool_alignment, 1);
  EXPECT_EQ(outcome.result.lower_bound, 140);
  EXPECT_EQ(outcome.result.peak_tick, 1);
  EXPECT_EQ(outcome.result.proved_bound, 140);
  EXPECT_EQ(outcome.result.total_bytes, 200);
  EXPECT_EQ(outcome.result.is_optimal, 1);
  EXPECT_STREQ(outcome.result.message, "");
  EXPECT_EQ(verify(makeThree(), outcome.offsets).status, BM_OK);
}

TEST(PlannerTest, PlansNothing) {
  bm_problem problem = BM_PROBLEM_INIT;
  bm_result result = BM_RESULT_INIT;
  EXPECT_EQ(bm_plan(&problem, nullptr, nullptr, &result), BM_OK);
  EXPECT_EQ(result.pool_size, 0);
  EXPECT_EQ(result.is_optimal, 1);
  EXPECT_EQ(bm_plan(&problem, nullptr, nullptr, nullptr), BM_OK);
  EXPECT_EQ(bm_verify(&problem, nullptr, nullptr), BM_OK);
  EXPECT_EQ(bm_get_bounds(&problem, nullptr), BM_OK);
}

TEST(PlannerTest, PlansRandomProblemsWithEachScheduler) {
  for (size_t i = 0; i < bm_get_num_schedulers(); ++i) {
    bm_options options = BM_OPTIONS_INIT;
    options.scheduler = bm_get_scheduler_name(i);
    EXPECT_STRNE(bm_get_scheduler_description(i), "");
    for (unsigned seed = 0; seed < 10; ++seed) {
      Columns columns = makeRandomColumns(seed, 1 + seed * 4);
      Outcome outcome = plan(columns, &options);
      ASSERT_EQ(outcome.status, BM_OK) << outcome.result.message;
      expectDisjoint(columns, outcome);
    }
  }
  EXPECT_GE(bm_get_num_schedulers(), 10u);
  EXPECT_EQ(bm_get_scheduler_name(bm_get_num_schedulers()), nullptr);
  EXPECT_EQ(bm_get_scheduler_description(size_t(-1)), nullptr);
}

TEST(PlannerTest, HeedsEverythingInTheProblem) {
  Columns columns = makeThree();
  columns.fixedOffsets = {BM_NO_OFFSET, 64, BM_NO_OFFSET};
  EXPECT_EQ(plan(columns).offsets[1], 64);

  columns = makeThree();
  columns.alignments = {32, 16, 1};
  EXPECT_EQ(plan(columns).result.pool_alignment, 32);

  columns = makeThree();
  columns.conflicts = {{0, 2}};
  EXPECT_EQ(plan(columns).result.pool_size, 200);

  columns = makeThree();
  columns.samePlaces = {{0, 2}};
  Outcome outcome = plan(columns);
  EXPECT_EQ(outcome.offsets[0], outcome.offsets[2]);

  // One after the other, but for one tick.
  columns = Columns();
  columns.add(100, 0, 2);
  columns.add(100, 1, 3);
  EXPECT_EQ(plan(columns).result.pool_size, 200);
  for (int64_t atAnyOffset : {0, 1}) {
    columns.inPlace = {{0, 1, atAnyOffset}};
    EXPECT_EQ(plan(columns).result.pool_size, 100);
  }

  // One within a gap of the other.
  columns = Columns();
  columns.add(100, 0, 9);
  columns.add(100, 3, 5);
  columns.gaps = {{0, 1, 2}, {0, 3, 6}};
  EXPECT_EQ(plan(columns).result.pool_size, 100);
}

TEST(PlannerTest, SaysWhatIsWrongWithProblems) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  const struct {
    std::function<void(Columns &)> change;
    const char *message;
  } cases[] = {
      {[](Columns &c) { c.sizes[1] = -5; },
       "buffer 1: size -5 is not positive"},
      {[](Columns &c) { c.sizes[1] = 0; }, "buffer 1: size 0 is not positive"},
      {[](Columns &c) { c.sizes[2] = most; },
       "buffer 2: size or alignment exceeds 2305843009213693952 bytes"},
      {[](Columns &c) { c.sizes[1] = c.sizes[2] = BM_MAX_BYTES; },
       "buffer 1: the sum of sizes exceeds 2305843009213693952 bytes"},
      {[](Columns &c) { c.ends[0] = 0; }, "buffer 0: lifetime [0, 0) is empty"},
      {[](Columns &c) { c.ends[2] = -1; },
       "buffer 2: lifetime [2, -1) is empty"},
      {[](Columns &c) { c.alignments = {1, 48, 1}; },
       "buffer 1: alignment 48 is not a power of two"},
      {[](Columns &c) { c.alignments = {0, 1, 1}; },
       "buffer 0: alignment 0 is not a power of two"},
      {[](Columns &c) { c.alignments = {least, 1, 1}; },
       "buffer 0: alignment -9223372036854775808 is not a power of two"},
      {[](Columns &c) { c.alignments = {int64_t(1) << 62, 1, 1}; },
       "buffer 0: size or alignment exceeds 2305843009213693952 bytes"},
      {[](Columns &c) { c.fixedOffsets = {-1, -1, -2}; },
       "buffer 2: fixed offset -2 is out of range"},
      {[](Columns &c) { c.fixedOffsets = {-1, most, -1}; },
       "buffer 1: fixed offset 9223372036854775807 is out of range"},
      {[](Columns &c) { c.fixedOffsets = {0, 99, -1}; },
       "fixed offsets exclude each other: overlap: buffers 0 and 1 share bytes "
       "at one tick"},
      {[](Columns &c) { c.gaps = {{3, 1, 2}}; },
       "gaps[0]: there is no buffer 3"},
      {[](Columns &c) { c.gaps = {{least, 1, 2}}; },
       "gaps[0]: there is no buffer -9223372036854775808"},
      {[](Columns &c) { c.gaps = {{0, 0, 1}}; },
       "buffer 0: gap [0, 1) is empty or leaves no live tick before or after "
       "it"},
      {[](Columns &c) { c.conflicts = {{0, 1}, {int64_t(1) << 32, 0}}; },
       "conflicts[1]: there is no buffer 4294967296"},
      {[](Columns &c) { c.conflicts = {{1, 1}}; },
       "conflict 0: buffer 1 is in conflict with itself"},
      {[](Columns &c) { c.samePlaces = {{0, -1}}; },
       "same_places[0]: there is no buffer -1"},
      {[](Columns &c) { c.samePlaces = {{0, 1}}; },
       "buffers of one place exclude each other: overlap: buffers 0 and 1 "
       "share bytes at one tick"},
      {[](Columns &c) {
         c.samePlaces = {{0, 2}};
         c.fixedOffsets = {8, -1, 16};
       },
       "buffers of one place exclude each other: fixed-offset: buffer 2 is not "
       "at its fixed offset"},
      {[](Columns &c) {
         c.samePlaces = {{0, 2}};
         c.fixedOffsets = {-1, 8, 16};
       },
       "fixed offsets exclude each other: overlap: buffers 0 and 1 share bytes "
       "at one tick"},
      {[](Columns &c) { c.inPlace = {{0, 1, 2}}; },
       "in_place[0]: at_any_offset is 2, not 0 or 1"},
      {[](Columns &c) { c.inPlace = {{0, 9, 0}}; },
       "in_place[0]: there is no buffer 9"},
      {[](Columns &c) { c.inPlace = {{0, 2, 0}}; },
       "in-place pair 0: the last tick of buffer 0 is not the first of buffer "
       "2"},
      {[](Columns &c) { c.capacity = -1; }, "capacity -1 is negative"},
  };
  for (const auto &testCase : cases) {
    Columns columns = makeThree();
    testCase.change(columns);
    Outcome outcome = plan(columns);
    EXPECT_EQ(outcome.status, BM_INVALID_PROBLEM);
    EXPECT_STREQ(outcome.result.message, testCase.message);
    EXPECT_EQ(outcome.offsets, std::vector<int64_t>(3, -7));
  }
}

TEST(PlannerTest, SaysWhatIsWrongWithArguments) {
  const Columns columns = makeThree();
  bm_result result = BM_RESULT_INIT;
  int64_t offsets[3];
  auto expectError = [&](bm_status status, const char *message) {
    EXPECT_EQ(status, BM_INVALID_ARGUMENT);
    EXPECT_STREQ(result.message, message);
  };
  expectError(bm_plan(nullptr, nullptr, offsets, &result),
              "the pointer to bm_problem is null");
  bm_problem problem = columns.get();
  expectError(bm_plan(&problem, nullptr, nullptr, &result), "offsets is null");
  expectError(bm_verify(&problem, nullptr, &result), "offsets is null");
  expectError(bm_verify(nullptr, offsets, &result),
              "the pointer to bm_problem is null");
  expectError(bm_get_bounds(nullptr, &result),
              "the pointer to bm_problem is null");
  problem.begins = nullptr;
  expectError(bm_plan(&problem, nullptr, offsets, &result), "begins is null");
  problem = columns.get();
  problem.num_gaps = 1;
  problem.gaps = nullptr;
  expectError(bm_plan(&problem, nullptr, offsets, &result), "gaps is null");
  problem = columns.get();
  problem.num_buffers = size_t(1) << 40;
  expectError(bm_plan(&problem, nullptr, offsets, &result),
              "sizes has too many entries: 1099511627776");

  problem = columns.get();
  bm_options options = BM_OPTIONS_INIT;
  options.scheduler = "best-fti";
  expectError(bm_plan(&problem, &options, offsets, &result),
              "there is no scheduler 'best-fti'; the nearest is 'best-fit'");
  options = BM_OPTIONS_INIT;
  options.effort = 10;
  expectError(bm_plan(&problem, &options, offsets, &result),
              "effort 10 is not in [0, 9]");
  options = BM_OPTIONS_INIT;
  options.decision_steps = -1;
  expectError(bm_plan(&problem, &options, offsets, &result),
              "decision_steps -1 is negative");

  // Longer than the message may be: it ends before a character of two bytes.
  options = BM_OPTIONS_INIT;
  std::string name;
  for (int i = 0; i < 300; ++i)
    name += "\xc3\xa4";
  options.scheduler = name.c_str();
  EXPECT_EQ(bm_plan(&problem, &options, offsets, &result), BM_INVALID_ARGUMENT);
  size_t length = std::strlen(result.message);
  EXPECT_GE(length, size_t(BM_MESSAGE_BYTES - 2));
  EXPECT_EQ(result.message[length - 1], '\xa4');
}

TEST(PlannerTest, KnowsVersionsOfStructs) {
  const Columns columns = makeThree();
  int64_t offsets[3];
  bm_result result = BM_RESULT_INIT;
  bm_problem problem = columns.get();
  problem.struct_size = 8;
  EXPECT_EQ(bm_plan(&problem, nullptr, offsets, &result), BM_INVALID_ARGUMENT);
  EXPECT_STREQ(result.message,
               ("struct_size of bm_problem is 8; it is at least " +
                std::to_string(sizeof(bm_problem)))
                   .c_str());
  problem.struct_size = 0;
  EXPECT_EQ(bm_plan(&problem, nullptr, offsets, &result), BM_INVALID_ARGUMENT);

  // A later version, of which nothing is used.
  struct {
    bm_problem problem;
    int64_t more;
  } later = {columns.get(), 0};
  later.problem.struct_size = sizeof(later);
  EXPECT_EQ(bm_plan(&later.problem, nullptr, offsets, &result), BM_OK);
  later.more = 1;
  EXPECT_EQ(bm_plan(&later.problem, nullptr, offsets, &result),
            BM_INVALID_ARGUMENT);
  EXPECT_STREQ(result.message,
               "bm_problem has members that this version of the library does "
               "not know, and that are not zero");

  // With a result of no version, nothing is written.
  problem = columns.get();
  struct {
    bm_result result;
    int64_t more;
  } laterResult = {BM_RESULT_INIT, 5};
  laterResult.result.struct_size = 16;
  laterResult.result.pool_size = 3;
  offsets[0] = -7;
  EXPECT_EQ(bm_plan(&problem, nullptr, offsets, &laterResult.result),
            BM_INVALID_ARGUMENT);
  EXPECT_EQ(laterResult.result.pool_size, 3);
  EXPECT_EQ(offsets[0], -7);
  laterResult.result.struct_size = sizeof(laterResult);
  EXPECT_EQ(bm_plan(&problem, nullptr, offsets, &laterResult.result), BM_OK);
  EXPECT_EQ(laterResult.result.struct_size, sizeof(laterResult));
  EXPECT_EQ(laterResult.result.pool_size, 140);
  EXPECT_EQ(laterResult.more, 0);
}

TEST(PlannerTest, DecidesCapacities) {
  Columns columns = makeThree();
  columns.capacity = 140;
  EXPECT_EQ(plan(columns).status, BM_OK);
  columns.capacity = 139;
  Outcome outcome = plan(columns);
  EXPECT_EQ(outcome.status, BM_OVER_CAPACITY);
  EXPECT_EQ(outcome.result.proved_bound, 140);
  EXPECT_EQ(outcome.result.pool_size, 0);
  EXPECT_EQ(outcome.result.is_optimal, 0);
  EXPECT_NE(std::strstr(outcome.result.message, "proved"), nullptr);
  EXPECT_EQ(outcome.offsets, std::vector<int64_t>(3, -7));

  // What one scheduler finds is no proof.
  bm_options options = BM_OPTIONS_INIT;
  options.scheduler = "bump";
  columns.capacity = 150;
  outcome = plan(columns, &options);
  EXPECT_EQ(outcome.status, BM_OVER_CAPACITY);
  EXPECT_EQ(outcome.result.proved_bound, 140);
  EXPECT_EQ(outcome.result.pool_size, 200);
}

TEST(PlannerTest, Verifies) {
  Columns columns = makeThree();
  Outcome outcome = verify(columns, {0, 100, 0});
  EXPECT_EQ(outcome.status, BM_OK);
  EXPECT_EQ(outcome.result.pool_size, 140);
  EXPECT_EQ(outcome.result.is_optimal, 1);
  outcome = verify(columns, {0, 99, 0});
  EXPECT_EQ(outcome.status, BM_INVALID_PLAN);
  EXPECT_EQ(outcome.result.is_optimal, 0);
  EXPECT_STREQ(outcome.result.message,
               "overlap: buffers 0 and 1 share bytes at one tick");
  EXPECT_EQ(verify(columns, {-1, 100, 0}).status, BM_INVALID_PLAN);
  EXPECT_EQ(
      verify(columns, {std::numeric_limits<int64_t>::max(), 100, 0}).status,
      BM_INVALID_PLAN);
  EXPECT_EQ(
      verify(columns, {std::numeric_limits<int64_t>::min(), 100, 0}).status,
      BM_INVALID_PLAN);
  columns.capacity = 139;
  EXPECT_EQ(verify(columns, {0, 100, 0}).status, BM_INVALID_PLAN);
  columns.capacity = 0;
  columns.fixedOffsets = {BM_NO_OFFSET, 101, BM_NO_OFFSET};
  EXPECT_EQ(verify(columns, {0, 100, 0}).status, BM_INVALID_PLAN);
}

TEST(PlannerTest, ComputesBounds) {
  bm_result result = BM_RESULT_INIT;
  Columns columns = makeThree();
  bm_problem problem = columns.get();
  EXPECT_EQ(bm_get_bounds(&problem, &result), BM_OK);
  EXPECT_EQ(result.lower_bound, 140);
  EXPECT_EQ(result.proved_bound, 140);
  EXPECT_EQ(result.total_bytes, 200);
  EXPECT_EQ(result.pool_size, 0);
}

TEST(PlannerTest, TakesAllTicks) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  Columns columns;
  columns.add(100, least, most);
  columns.add(40, least, least + 1);
  columns.add(60, most - 1, most);
  columns.gaps = {{0, least + 1, most - 1}};
  columns.add(70, -5, 5);
  for (size_t i = 0; i < bm_get_num_schedulers(); ++i) {
    bm_options options = BM_OPTIONS_INIT;
    options.scheduler = bm_get_scheduler_name(i);
    EXPECT_EQ(plan(columns, &options).status, BM_OK) << options.scheduler;
  }
  EXPECT_EQ(plan(columns).result.pool_size, 160);
}

TEST(PlannerTest, TakesAnything) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  const int64_t values[] = {
      0,  1,  2,    3,  4,  7,     8,       16,           100,
      -1, -2, most, 40, 64, least, 1 << 20, BM_MAX_BYTES, most - 1};
  std::mt19937_64 random(5);
  unsigned numPlans = 0;
  for (unsigned i = 0; i < 3000; i += seedStep) {
    // Most values make sense, so that some problems do.
    unsigned odd = 1 + random() % 40;
    auto pick = [&](int64_t value) {
      return random() % odd == 1 ? values[random() % std::size(values)] : value;
    };
    unsigned count = 1 + random() % 6;
    Columns columns;
    for (unsigned j = 0; j < count; ++j) {
      int64_t begin = pick(random() % 9);
      columns.add(pick(1 + random() % 99), begin, pick(random() % 9 + 5));
      columns.alignments.push_back(pick(int64_t(1) << random() % 4));
      columns.fixedOffsets.push_back(pick(BM_NO_OFFSET));
    }
    auto pickBuffer = [&] { return pick(random() % count); };
    for (unsigned j = random() % 3; j > 0; --j)
      columns.gaps.push_back(
          {pickBuffer(), pick(1 + random() % 9), pick(2 + random() % 9)});
    for (unsigned j = random() % 3; j > 0; --j)
      columns.conflicts.push_back({pickBuffer(), pickBuffer()});
    if (random() % 8 == 0)
      columns.samePlaces.push_back({pickBuffer(), pickBuffer()});
    if (random() % 8 == 0)
      columns.inPlace.push_back({pickBuffer(), pickBuffer(), pick(0)});
    columns.capacity = pick(0);
    Outcome outcome = plan(columns);
    EXPECT_LE(outcome.status, BM_OVER_CAPACITY) << outcome.result.message;
    EXPECT_EQ(outcome.status == BM_OK, outcome.result.message[0] == '\0');
    if (outcome.status != BM_OK)
      continue;
    ++numPlans;
    EXPECT_EQ(verify(columns, outcome.offsets).status, BM_OK);
  }
  EXPECT_GE(numPlans, 200 / seedStep);
}

/// A problem that a search works on for a while.
static Columns makeHard() {
  Columns columns = makeRandomColumns(11, 60);
  for (size_t i = 0; i < columns.sizes.size(); ++i) {
    columns.sizes[i] = columns.sizes[i] * 7 + 1;
    columns.ends[i] += 20;
  }
  return columns;
}

TEST(PlannerTest, EndsSearchesWhenAsked) {
  bm_options options = BM_OPTIONS_INIT;
  options.scheduler = "exact";
  options.effort = 5;
  int numCalls = 0;
  options.user_data = &numCalls;
  options.progress = [](void *data, int64_t, int64_t, int64_t) {
    return ++*static_cast<int *>(data) >= 2 ? 1 : 0;
  };
  Columns columns = makeHard();
  Outcome outcome = plan(columns, &options);
  EXPECT_EQ(outcome.status, BM_OK);
  EXPECT_GE(numCalls, 1);
  EXPECT_LE(numCalls, 4);
  expectDisjoint(columns, outcome);

  // What the caller throws stays in, too.
  options.progress = [](void *, int64_t, int64_t, int64_t) -> int {
    throw std::runtime_error("from a callback");
  };
  outcome = plan(columns, &options);
  EXPECT_EQ(outcome.status, BM_INVALID_ARGUMENT);
  EXPECT_STREQ(outcome.result.message, "progress has thrown an exception");
}

TEST(PlannerTest, PlansInThreads) {
  constexpr unsigned numProblems = 8 / seedStep + 2,
                     numThreads = 8 / seedStep + 2;
  std::vector<Columns> problems;
  std::vector<std::vector<int64_t>> expected;
  for (unsigned seed = 0; seed < numProblems; ++seed) {
    problems.push_back(makeRandomColumns(seed, 20 + 2 * seed));
    expected.push_back(plan(problems.back()).offsets);
  }
  std::vector<std::vector<std::vector<int64_t>>> found(numThreads);
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < numThreads; ++thread)
    threads.emplace_back([&, thread] {
      // Each begins with another one.
      found[thread].resize(numProblems);
      for (unsigned i = 0; i < numProblems; ++i) {
        unsigned index = (i + thread) % numProblems;
        found[thread][index] = plan(problems[index]).offsets;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (unsigned thread = 0; thread < numThreads; ++thread)
    EXPECT_EQ(found[thread], expected);
}

TEST(PlannerTest, NamesWhatItReturns) {
  EXPECT_STREQ(bm_get_status_name(BM_OK), "ok");
  EXPECT_STREQ(bm_get_status_name(BM_INVALID_ARGUMENT), "invalid argument");
  EXPECT_STREQ(bm_get_status_name(BM_INVALID_PROBLEM), "invalid problem");
  EXPECT_STREQ(bm_get_status_name(BM_OVER_CAPACITY), "over capacity");
  EXPECT_STREQ(bm_get_status_name(BM_INVALID_PLAN), "invalid plan");
  EXPECT_STREQ(bm_get_status_name(BM_OUT_OF_MEMORY), "out of memory");
  EXPECT_STREQ(bm_get_status_name(BM_INTERNAL_ERROR), "internal error");
  EXPECT_STRNE(bm_get_version(), "");
}
