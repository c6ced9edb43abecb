//===- BufferOrder.cpp - Orders in which buffers are placed --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Orders are sorts by up to three keys, which are numbers of 64 bits: the keys
// that need more than a look at the buffer (contention, conflicts) are computed
// for all buffers at once, in O(n log n).
//
//===----------------------------------------------------------------------===//

#include "BufferOrder.h"

#include "KeySort.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <array>

using namespace buffer_merge;

namespace {
/// The begins and the ends of buffers, each in ascending order.
struct SortedTicks {
  explicit SortedTicks(llvm::ArrayRef<Buffer> buffers) {
    begins.reserve(buffers.size());
    ends.reserve(buffers.size());
    for (const Buffer &buffer : buffers) {
      begins.push_back(buffer.begin);
      ends.push_back(buffer.end);
    }
    sortNumbers(begins);
    sortNumbers(ends);
  }

  llvm::SmallVector<int64_t, 0> begins, ends;
};
} // namespace

/// Return how many buffers overlap each one in time or are listed as a conflict
/// with it (those that are both count twice).
static llvm::SmallVector<uint64_t, 0>
countConflicts(const SchedulingProblem &problem) {
  SortedTicks ticks(problem.buffers);
  llvm::SmallVector<uint64_t, 0> counts;
  counts.reserve(problem.buffers.size());
  for (const Buffer &buffer : problem.buffers)
    // All that have begun before its end, less those that ended before.
    counts.push_back(
        (llvm::lower_bound(ticks.begins, buffer.end) - ticks.begins.begin()) -
        (llvm::upper_bound(ticks.ends, buffer.begin) - ticks.ends.begin()) - 1);
  for (auto [a, b] : problem.conflicts) {
    ++counts[a];
    ++counts[b];
  }
  return counts;
}

uint64_t buffer_merge::countOverlaps(const SchedulingProblem &problem) {
  SortedTicks ticks(problem.buffers);
  // Each buffer overlaps those that are alive when it begins, one by one.
  uint64_t pairs = 0;
  size_t ended = 0;
  for (const auto &[begun, tick] : llvm::enumerate(ticks.begins)) {
    while (ticks.ends[ended] <= tick)
      ++ended;
    pairs += begun - ended;
  }
  return pairs;
}

/// Return the largest total of a section that each buffer is in.
static llvm::SmallVector<uint64_t, 0>
computeContention(const SchedulingProblem &problem, const Sections &sections) {
  // largest[k][i] is the largest total of 2^k sections from i on. One level at
  // a time is kept; a lifetime is covered by two spans of its level.
  unsigned count = problem.buffers.size();
  llvm::SmallVector<uint64_t, 0> contention(count);
  auto levelOf = [&](BufferId id) {
    return llvm::Log2_32(sections.getEnd(id) - sections.getBegin(id));
  };
  unsigned levels = sections.size() ? llvm::Log2_32(sections.size()) + 1 : 0;
  llvm::SmallVector<llvm::SmallVector<BufferId, 0>> byLevel(levels);
  for (BufferId id = 0; id < count; ++id)
    byLevel[levelOf(id)].push_back(id);
  llvm::SmallVector<int64_t, 0> largest(sections.getTotals());
  for (unsigned level = 0; level < levels; ++level) {
    unsigned span = 1u << level;
    for (BufferId id : byLevel[level])
      contention[id] = std::max(largest[sections.getBegin(id)],
                                largest[sections.getEnd(id) - span]);
    for (size_t i = 0; i + span < largest.size(); ++i)
      largest[i] = std::max(largest[i], largest[i + span]);
  }
  return contention;
}

llvm::SmallVector<BufferId, 0>
buffer_merge::orderBuffers(const SchedulingProblem &problem,
                           const Sections &sections,
                           llvm::ArrayRef<OrderKey> keys) {
  constexpr unsigned maxKeys = 3;
  assert(keys.size() <= maxKeys && "too many keys");
  struct Entry {
    std::array<uint64_t, maxKeys> keys = {};
    BufferId id = 0;
  };
  unsigned count = problem.buffers.size();
  llvm::SmallVector<Entry, 0> entries(count);
  for (BufferId id = 0; id < count; ++id)
    entries[id].id = id;
  for (unsigned k = 0; k < keys.size(); ++k) {
    auto fill = [&](auto valueOf) {
      for (BufferId id = 0; id < count; ++id)
        entries[id].keys[k] = valueOf(id, problem.buffers[id]);
    };
    // Ticks may be anywhere in 64 bits: differences are taken without a sign.
    auto durationOf = [](const Buffer &buffer) {
      return uint64_t(buffer.end) - uint64_t(buffer.begin);
    };
    switch (keys[k]) {
    case OrderKey::Size:
      fill([&](BufferId, const Buffer &buffer) { return buffer.size; });
      break;
    case OrderKey::Duration:
      fill([&](BufferId, const Buffer &buffer) { return durationOf(buffer); });
      break;
    case OrderKey::Area:
      fill([&](BufferId, const Buffer &buffer) {
        return llvm::SaturatingMultiply<uint64_t>(buffer.size,
                                                  durationOf(buffer));
      });
      break;
    case OrderKey::Contention: {
      llvm::SmallVector<uint64_t, 0> contention =
          computeContention(problem, sections);
      fill([&](BufferId id, const Buffer &) { return contention[id]; });
      break;
    }
    case OrderKey::Conflicts: {
      llvm::SmallVector<uint64_t, 0> counts = countConflicts(problem);
      fill([&](BufferId id, const Buffer &) { return counts[id]; });
      break;
    }
    }
  }
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    for (unsigned k = 0; k < maxKeys; ++k)
      if (a.keys[k] != b.keys[k])
        return a.keys[k] > b.keys[k];
    return a.id < b.id;
  });
  llvm::SmallVector<BufferId, 0> order;
  order.reserve(count);
  for (const Entry &entry : entries)
    order.push_back(entry.id);
  return order;
}
