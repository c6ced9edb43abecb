//===- Planner.cpp - The planner as a C library ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points: each does its work with exceptions, within one function
// that lets none out. This library has a copy of LLVM's support library that
// nobody else sees, so that its handlers are free to set.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge-c/Planner.h"
#include "Arguments.h"
#include "Scheduling/Components.h"
#include "Scheduling/SamePlaces.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Scheduler.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

using namespace buffer_merge;

/// Let what would abort throw instead.
static void installHandlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_bad_alloc_error_handler(
        [](void *, const char *, bool) { throw std::bad_alloc(); });
    llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
      throw CallError{BM_INTERNAL_ERROR, reason};
    });
  });
}

static void setMessage(bm_result &values, llvm::StringRef message) {
  size_t size = std::min(message.size(), sizeof(values.message) - 1);
  // Not within a character of several bytes.
  while (size < message.size() && size > 0 &&
         (static_cast<unsigned char>(message[size]) & 0xC0) == 0x80)
    --size;
  std::memset(values.message, 0, sizeof(values.message));
  std::memcpy(values.message, message.data(), size);
  std::replace(values.message, values.message + size, '\n', ' ');
}

/// Call `run(values)`, which returns a status or throws, and write what it has
/// found to `result`, which may be null.
template <typename Run>
static bm_status call(bm_result *result, Run &&run) noexcept {
  bm_result values = BM_RESULT_INIT;
  // The caller would not learn of anything else that is written.
  if (result && !writeResult(values, result))
    return BM_INVALID_ARGUMENT;
  bm_status status;
  try {
    installHandlers();
    status = run(values);
  } catch (const CallError &error) {
    status = error.status;
    setMessage(values, error.message);
  } catch (const std::bad_alloc &) {
    status = BM_OUT_OF_MEMORY;
    setMessage(values, "out of memory");
  } catch (...) {
    status = BM_INTERNAL_ERROR;
    setMessage(values, "an exception that the library does not expect");
  }
  if (result)
    writeResult(values, result);
  return status;
}

static void describeProblem(const SchedulingProblem &problem,
                            bm_result &values) {
  LowerBound bound = computeLowerBound(problem);
  values.lower_bound = bound.bytes;
  values.peak_tick = bound.peakTick;
  values.proved_bound = bound.bytes;
  values.total_bytes = computeTotalBytes(problem);
}

static void describeSchedule(const Schedule &schedule, bm_result &values) {
  values.pool_size = schedule.poolSize;
  values.pool_alignment = schedule.poolAlignment;
  values.proved_bound = std::max(values.proved_bound, schedule.provedBound);
  values.is_optimal = schedule.poolSize == values.proved_bound;
}

static const Scheduler &findScheduler(const char *name) {
  if (!name)
    name = "auto";
  if (const Scheduler *scheduler = lookupScheduler(name))
    return *scheduler;
  throw CallError{BM_INVALID_ARGUMENT,
                  ("there is no scheduler '" + llvm::json::fixUTF8(name) +
                   "'; the nearest is '" + findNearestScheduler(name) + "'")
                      .str()};
}

/// Return what in `problem`, which is well formed, excludes each other whatever
/// the capacity, in words: fixed offsets, or buffers of one place that are
/// alive at one tick, in conflict, or fixed elsewhere. Nothing if it has a
/// plan.
///
/// `runScheduler` trusts its callers with buffers of one place, and its
/// verifier then rejects what schedulers make of them: for callers from C that
/// would look like a defect of the library.
static std::optional<std::string>
findContradiction(const SchedulingProblem &problem) {
  PlaceGroups groups(problem);
  llvm::ArrayRef<Buffer> places = groups.getProblem().buffers;
  // What is not fixed goes above all that is, one place upon the other: then
  // buffers share bytes with those of their place alone.
  int64_t top = 0;
  for (const Buffer &place : places)
    if (place.fixedOffset)
      top = std::max(top, *place.fixedOffset + place.size);
  llvm::SmallVector<int64_t, 0> offsets;
  for (const Buffer &place : places)
    offsets.push_back(place.fixedOffset ? *place.fixedOffset
                                        : std::exchange(top, top + place.size));
  SchedulingProblem apart = problem;
  apart.capacity.reset();
  for (auto [id, buffer] : llvm::enumerate(apart.buffers))
    if (!places[groups.getGroup(id)].fixedOffset)
      buffer.alignment = 1;
  if (auto violation = findScheduleViolation(
          apart, makeSchedule(apart, groups.expand(offsets)))) {
    bool isInOnePlace =
        !violation->second || groups.getGroup(*violation->first) ==
                                  groups.getGroup(*violation->second);
    return (isInOnePlace ? "buffers of one place exclude each other: "
                         : "fixed offsets exclude each other: ") +
           violation->str();
  }
  // A place is as large as its largest buffer, all the time.
  auto violation = findFixedViolation(groups.getProblem());
  if (!violation)
    return std::nullopt;
  llvm::SmallVector<std::string, 0> names(places.size());
  for (BufferId id = problem.buffers.size(); id-- != 0;)
    names[groups.getGroup(id)] = std::to_string(id);
  return "fixed offsets exclude each other: " + violation->str(names);
}

bm_status bm_plan(const bm_problem *problem, const bm_options *options,
                  int64_t *offsets, bm_result *result) {
  return call(result, [&](bm_result &values) {
    const bm_problem given = readProblem(problem);
    const bm_options how = readOptions(options);
    const Scheduler &scheduler = findScheduler(how.scheduler);
    const SchedulingProblem made = makeSchedulingProblem(given);
    if (!offsets && !made.buffers.empty())
      throw CallError{BM_INVALID_ARGUMENT, "offsets is null"};
    if (std::optional<std::string> contradiction = findContradiction(made))
      throw CallError{BM_INVALID_PROBLEM, *contradiction};

    SchedulerOptions schedulerOptions;
    schedulerOptions.effort = unsigned(how.effort);
    schedulerOptions.decisionSteps = how.decision_steps;
    // The schedulers are compiled without exceptions: one that passed through
    // them would not free what they have.
    bool hasThrown = false;
    auto progress = [&](const SearchProgress &at) {
      try {
        return how.progress(how.user_data, at.steps, at.poolSize,
                            at.lowerBound) == 0;
      } catch (...) {
        hasThrown = true;
        return false;
      }
    };
    if (how.progress)
      schedulerOptions.progress = progress;
    describeProblem(made, values);
    llvm::Expected<Schedule> schedule =
        runScheduler(scheduler, made, schedulerOptions);
    if (hasThrown) {
      llvm::consumeError(schedule.takeError());
      throw CallError{BM_INVALID_ARGUMENT, "progress has thrown an exception"};
    }
    if (schedule) {
      describeSchedule(*schedule, values);
      std::copy(schedule->offsets.begin(), schedule->offsets.end(), offsets);
      return BM_OK;
    }
    bm_status status = BM_INTERNAL_ERROR;
    llvm::handleAllErrors(
        schedule.takeError(),
        [&](const CapacityError &error) {
          status = BM_OVER_CAPACITY;
          int64_t &bytes =
              error.isProved() ? values.proved_bound : values.pool_size;
          bytes = std::max(bytes, error.getNeededBytes());
          setMessage(values, error.message());
        },
        [&](const llvm::ErrorInfoBase &error) {
          setMessage(values, values.message + error.message());
        });
    return status;
  });
}

bm_status bm_verify(const bm_problem *problem, const int64_t *offsets,
                    bm_result *result) {
  return call(result, [&](bm_result &values) {
    const SchedulingProblem made = makeSchedulingProblem(readProblem(problem));
    if (!offsets && !made.buffers.empty())
      throw CallError{BM_INVALID_ARGUMENT, "offsets is null"};
    describeProblem(made, values);
    for (size_t i = 0; i < made.buffers.size(); ++i)
      if (offsets[i] > maxBytes - made.buffers[i].size)
        throw CallError{BM_INVALID_PLAN,
                        "buffer " + std::to_string(i) + ": offset " +
                            std::to_string(offsets[i]) + " is out of range"};
    Schedule schedule = makeSchedule(
        made,
        llvm::SmallVector<int64_t, 0>(offsets, offsets + made.buffers.size()));
    std::optional<ScheduleViolation> violation =
        findScheduleViolation(made, schedule);
    describeSchedule(schedule, values);
    if (!violation)
      return BM_OK;
    values.is_optimal = 0;
    setMessage(values, violation->str());
    return BM_INVALID_PLAN;
  });
}

bm_status bm_get_bounds(const bm_problem *problem, bm_result *result) {
  return call(result, [&](bm_result &values) {
    const SchedulingProblem made = makeSchedulingProblem(readProblem(problem));
    describeProblem(made, values);
    values.proved_bound =
        std::max(values.proved_bound, computeProvedBound(made));
    return BM_OK;
  });
}

const char *bm_get_status_name(bm_status status) {
  switch (status) {
  case BM_OK:
    return "ok";
  case BM_INVALID_ARGUMENT:
    return "invalid argument";
  case BM_INVALID_PROBLEM:
    return "invalid problem";
  case BM_OVER_CAPACITY:
    return "over capacity";
  case BM_INVALID_PLAN:
    return "invalid plan";
  case BM_OUT_OF_MEMORY:
    return "out of memory";
  case BM_INTERNAL_ERROR:
    return "internal error";
  }
  return "unknown";
}

namespace {
/// A scheduler in words that last as long as the process.
struct SchedulerText {
  std::string name, description;
};
} // namespace

/// Return null instead of the texts if there is no memory for them.
static const std::vector<SchedulerText> *getSchedulerTexts() noexcept {
  try {
    static const std::vector<SchedulerText> texts = [] {
      std::vector<SchedulerText> list;
      for (const Scheduler *scheduler : getRegisteredSchedulers())
        list.push_back(
            {scheduler->getName().str(), scheduler->getDescription().str()});
      return list;
    }();
    return &texts;
  } catch (...) {
    return nullptr;
  }
}

size_t bm_get_num_schedulers(void) {
  const std::vector<SchedulerText> *texts = getSchedulerTexts();
  return texts ? texts->size() : 0;
}

const char *bm_get_scheduler_name(size_t index) {
  const std::vector<SchedulerText> *texts = getSchedulerTexts();
  return texts && index < texts->size() ? (*texts)[index].name.c_str()
                                        : nullptr;
}

const char *bm_get_scheduler_description(size_t index) {
  const std::vector<SchedulerText> *texts = getSchedulerTexts();
  return texts && index < texts->size() ? (*texts)[index].description.c_str()
                                        : nullptr;
}

const char *bm_get_version(void) { return BUFFER_MERGE_VERSION; }
