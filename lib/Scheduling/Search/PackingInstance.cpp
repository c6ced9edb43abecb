//===- PackingInstance.cpp - One component of a problem, scaled -----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The components of a problem, bytes divided by what divides all of them.
//
//===----------------------------------------------------------------------===//

#include "PackingInstance.h"

#include "../Components.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace buffer_merge;

/// Return the unit of the buffers `ids`: the largest number that divides all
/// sizes and fixed offsets and that rounding up to an alignment does not leave.
static int64_t computeUnit(const SchedulingProblem &problem,
                           llvm::ArrayRef<BufferId> ids) {
  int64_t unit = 0;
  for (BufferId id : ids) {
    unit = std::gcd(unit, problem.buffers[id].size);
    unit = std::gcd(unit, problem.buffers[id].fixedOffset.value_or(0));
  }
  // An offset of a schedule that cannot be pushed down is a sum of sizes that
  // is rounded up now and then. An alignment that divides the unit rounds
  // nothing; any other must itself be a multiple of the unit. A smaller unit
  // has fewer divisors, so this is repeated until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (BufferId id : ids) {
      int64_t alignment = problem.buffers[id].alignment;
      if (unit % alignment == 0 || alignment % unit == 0)
        continue;
      unit = std::gcd(unit, alignment);
      changed = true;
    }
  }
  return unit;
}

PackingInstance::PackingInstance(SchedulingProblem part)
    : problem(std::move(part)), sections(problem.buffers) {
  for (const Buffer &buffer : problem.buffers) {
    upperBound += buffer.size + buffer.alignment - 1;
    hasFixedOffsets |= buffer.fixedOffset.has_value();
    if (buffer.fixedOffset)
      lowerBound = std::max(lowerBound, *buffer.fixedOffset + buffer.size);
  }
  // Above the highest fixed buffer, one buffer on top of the other.
  upperBound += lowerBound;
  for (int64_t total : sections.getTotals())
    lowerBound = std::max(lowerBound, total);

  auto &conflicts = problem.conflicts;
  for (auto &[a, b] : conflicts)
    if (a > b)
      std::swap(a, b);
  llvm::sort(conflicts);
  conflicts.erase(llvm::unique(conflicts), conflicts.end());
  llvm::erase_if(conflicts, [&](auto pair) {
    return (*this)[pair.first].overlapsInTime((*this)[pair.second]);
  });
}

llvm::SmallVector<PackingInstance, 0>
buffer_merge::splitProblem(const SchedulingProblem &problem) {
  Components components(problem);
  llvm::SmallVector<llvm::SmallVector<BufferId, 0>, 0> members(
      components.count);
  llvm::SmallVector<BufferId, 0> positions;
  positions.reserve(problem.buffers.size());
  for (const auto &[id, component] : llvm::enumerate(components.of)) {
    positions.push_back(members[component].size());
    members[component].push_back(id);
  }
  llvm::SmallVector<SchedulingProblem, 0> parts(components.count);
  for (auto [a, b] : problem.conflicts)
    parts[components.of[a]].conflicts.push_back({positions[a], positions[b]});

  llvm::SmallVector<PackingInstance, 0> instances;
  instances.reserve(components.count);
  for (auto [part, ids] : llvm::zip_equal(parts, members)) {
    const int64_t unit = computeUnit(problem, ids);
    for (BufferId id : ids) {
      Buffer &buffer = part.buffers.emplace_back(problem.buffers[id]);
      buffer.size /= unit;
      buffer.alignment =
          unit % buffer.alignment == 0 ? 1 : buffer.alignment / unit;
      if (buffer.fixedOffset)
        *buffer.fixedOffset /= unit;
    }
    PackingInstance &instance = instances.emplace_back(std::move(part));
    instance.ids = std::move(ids);
    instance.unit = unit;
  }
  return instances;
}

uint64_t buffer_merge::getNextRandom(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}
