//===- Arguments.cpp - What callers of the C library pass in --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structs of other versions, and from columns to a problem. What is only as
// large as the caller says is checked before it is used.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>
#include <limits>

using namespace buffer_merge;

// The size of each struct in its first version.
static constexpr size_t firstProblemSize =
    offsetof(bm_problem, capacity) + sizeof(bm_problem::capacity);
static constexpr size_t firstOptionsSize =
    offsetof(bm_options, user_data) + sizeof(bm_options::user_data);
static constexpr size_t firstResultSize =
    offsetof(bm_result, message) + sizeof(bm_result::message);

namespace {
template <typename... Args>
CallError makeError(bm_status status, const char *format, Args &&...args) {
  return {status, llvm::formatv(format, std::forward<Args>(args)...).str()};
}
} // namespace

static size_t readStructSize(const void *from) {
  size_t size;
  std::memcpy(&size, from, sizeof(size));
  return size;
}

/// Copy a struct of any version over `to`, which keeps what an older version
/// does not have.
template <typename Struct>
static void readStruct(const char *name, const Struct *from, size_t firstSize,
                       Struct &to) {
  if (!from)
    throw makeError(BM_INVALID_ARGUMENT, "the pointer to {0} is null", name);
  const size_t size = readStructSize(from);
  if (size < firstSize)
    throw makeError(BM_INVALID_ARGUMENT,
                    "struct_size of {0} is {1}; it is at least {2}", name, size,
                    firstSize);
  const char *bytes = reinterpret_cast<const char *>(from);
  for (size_t i = sizeof(Struct); i < size; ++i)
    if (bytes[i] != 0)
      throw makeError(BM_INVALID_ARGUMENT,
                      "{0} has members that this version of the library does "
                      "not know, and that are not zero",
                      name);
  std::memcpy(&to, from, std::min(size, sizeof(Struct)));
}

bm_problem buffer_merge::readProblem(const bm_problem *problem) {
  bm_problem copy = BM_PROBLEM_INIT;
  readStruct("bm_problem", problem, firstProblemSize, copy);
  return copy;
}

bm_options buffer_merge::readOptions(const bm_options *options) {
  bm_options copy = BM_OPTIONS_INIT;
  if (options)
    readStruct("bm_options", options, firstOptionsSize, copy);
  if (copy.effort < 0 || copy.effort > 9)
    throw makeError(BM_INVALID_ARGUMENT, "effort {0} is not in [0, 9]",
                    copy.effort);
  if (copy.decision_steps < 0)
    throw makeError(BM_INVALID_ARGUMENT, "decision_steps {0} is negative",
                    copy.decision_steps);
  return copy;
}

bool buffer_merge::writeResult(const bm_result &values, bm_result *result) {
  const size_t size = readStructSize(result);
  if (size < firstResultSize)
    return false;
  char *bytes = reinterpret_cast<char *>(result);
  const size_t numKnown = std::min(size, sizeof(bm_result));
  const size_t skipped = sizeof(size_t);
  std::memcpy(bytes + skipped,
              reinterpret_cast<const char *>(&values) + skipped,
              numKnown - skipped);
  std::memset(bytes + numKnown, 0, size - numKnown);
  return true;
}

static void checkArray(const char *name, const void *array, size_t count) {
  // As many as this are not in memory; what follows may count in 32 bits.
  if (count >= std::numeric_limits<BufferId>::max())
    throw makeError(BM_INVALID_ARGUMENT, "{0} has too many entries: {1}", name,
                    count);
  if (count != 0 && !array)
    throw makeError(BM_INVALID_ARGUMENT, "{0} is null", name);
}

/// Return `index` as the buffer that entry `entry` of `array` names.
static BufferId readIndex(const bm_problem &problem, const char *array,
                          size_t entry, int64_t index) {
  if (index < 0 || uint64_t(index) >= problem.num_buffers)
    throw makeError(BM_INVALID_PROBLEM, "{0}[{1}]: there is no buffer {2}",
                    array, entry, index);
  return BufferId(index);
}

static void addBuffers(const bm_problem &from, SchedulingProblem &to) {
  to.buffers.reserve(from.num_buffers);
  for (size_t i = 0; i < from.num_buffers; ++i) {
    Buffer &buffer = to.buffers.emplace_back();
    buffer.size = from.sizes[i];
    buffer.begin = from.begins[i];
    buffer.end = from.ends[i];
    if (from.alignments) {
      buffer.alignment = from.alignments[i];
      if (buffer.alignment <= 0 ||
          (buffer.alignment & (buffer.alignment - 1)) != 0)
        throw makeError(BM_INVALID_PROBLEM,
                        "buffer {0}: alignment {1} is not a power of two", i,
                        buffer.alignment);
    }
    if (from.fixed_offsets && from.fixed_offsets[i] != BM_NO_OFFSET)
      buffer.fixedOffset = from.fixed_offsets[i];
  }
}

SchedulingProblem
buffer_merge::makeSchedulingProblem(const bm_problem &problem) {
  checkArray("sizes", problem.sizes, problem.num_buffers);
  checkArray("begins", problem.begins, problem.num_buffers);
  checkArray("ends", problem.ends, problem.num_buffers);
  checkArray("gaps", problem.gaps, problem.num_gaps);
  checkArray("conflicts", problem.conflicts, problem.num_conflicts);
  checkArray("in_place", problem.in_place, problem.num_in_place);
  checkArray("same_places", problem.same_places, problem.num_same_places);
  if (problem.capacity < 0)
    throw makeError(BM_INVALID_PROBLEM, "capacity {0} is negative",
                    problem.capacity);

  SchedulingProblem made;
  addBuffers(problem, made);
  for (size_t i = 0; i < problem.num_gaps; ++i) {
    const bm_gap &gap = problem.gaps[i];
    made.buffers[readIndex(problem, "gaps", i, gap.buffer)].gaps.push_back(
        {gap.begin, gap.end});
  }
  for (size_t i = 0; i < problem.num_conflicts; ++i) {
    const bm_pair &pair = problem.conflicts[i];
    made.conflicts.push_back({readIndex(problem, "conflicts", i, pair.first),
                              readIndex(problem, "conflicts", i, pair.second)});
  }
  for (size_t i = 0; i < problem.num_in_place; ++i) {
    const bm_in_place &pair = problem.in_place[i];
    if (pair.at_any_offset != 0 && pair.at_any_offset != 1)
      throw makeError(BM_INVALID_PROBLEM,
                      "in_place[{0}]: at_any_offset is {1}, not 0 or 1", i,
                      pair.at_any_offset);
    made.inPlacePairs.push_back(
        {readIndex(problem, "in_place", i, pair.earlier),
         readIndex(problem, "in_place", i, pair.later),
         pair.at_any_offset ? InPlaceCondition::AnyOffset
                            : InPlaceCondition::SameOffset});
  }
  for (size_t i = 0; i < problem.num_same_places; ++i) {
    const bm_pair &pair = problem.same_places[i];
    made.samePlaces.push_back(
        {readIndex(problem, "same_places", i, pair.first),
         readIndex(problem, "same_places", i, pair.second)});
  }
  if (problem.capacity != 0)
    made.capacity = problem.capacity;
  if (llvm::Error error = checkProblem(made))
    throw CallError{BM_INVALID_PROBLEM, llvm::toString(std::move(error))};
  return made;
}
