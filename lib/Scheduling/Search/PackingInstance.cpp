//===- PackingInstance.cpp - One component of a problem, scaled -----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A component becomes arrays: bytes divided by what divides all of them, ticks
// reduced to sections.
//
//===----------------------------------------------------------------------===//

#include "PackingInstance.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace buffer_merge;

namespace {
/// Sets of buffers that are merged, with path halving.
class UnionFind {
public:
  explicit UnionFind(size_t count) : parents(count) {
    std::iota(parents.begin(), parents.end(), 0);
  }
  unsigned find(unsigned index) {
    while (parents[index] != index)
      index = parents[index] = parents[parents[index]];
    return index;
  }
  void unite(unsigned a, unsigned b) { parents[find(a)] = find(b); }

private:
  llvm::SmallVector<unsigned, 0> parents;
};
} // namespace

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

/// Fill in the sections of `instance` and all that follows from them.
static void computeSections(const SchedulingProblem &problem,
                            PackingInstance &instance) {
  llvm::SmallVector<Buffer, 0> buffers;
  buffers.reserve(instance.size());
  for (auto [id, size] : llvm::zip_equal(instance.ids, instance.sizes)) {
    buffers.push_back(problem.buffers[id]);
    buffers.back().size = size;
  }
  Sections sections(buffers);
  instance.sectionBegins.assign(sections.getBegins());
  instance.sectionEnds.assign(sections.getEnds());
  instance.gaps = sections.getGaps();
  instance.numSections = sections.size();
  for (int64_t total : sections.getTotals())
    instance.lowerBound = std::max(instance.lowerBound, total);
}

llvm::SmallVector<PackingInstance, 0>
buffer_merge::splitProblem(const SchedulingProblem &problem) {
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  llvm::SmallVector<BufferId, 0> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](BufferId a, BufferId b) {
    return std::tuple(buffers[a].begin, a) < std::tuple(buffers[b].begin, b);
  });
  UnionFind sets(buffers.size());
  int64_t end = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const Buffer &buffer = buffers[order[i]];
    if (i != 0 && buffer.begin < end)
      sets.unite(order[i], order[i - 1]);
    end = i == 0 ? buffer.end : std::max(end, buffer.end);
  }
  for (auto [a, b] : problem.conflicts)
    sets.unite(a, b);

  // Number the components as the sweep meets them.
  llvm::SmallVector<PackingInstance, 0> instances;
  llvm::SmallVector<unsigned, 0> componentOf(buffers.size(), ~0u);
  for (BufferId id : order) {
    unsigned &component = componentOf[sets.find(id)];
    if (component != ~0u)
      continue;
    component = instances.size();
    instances.emplace_back();
  }
  llvm::SmallVector<unsigned, 0> positions(buffers.size());
  for (BufferId id = 0; id < buffers.size(); ++id) {
    unsigned component = componentOf[sets.find(id)];
    componentOf[id] = component;
    positions[id] = instances[component].size();
    instances[component].ids.push_back(id);
  }

  for (PackingInstance &instance : instances) {
    instance.unit = computeUnit(problem, instance.ids);
    for (BufferId id : instance.ids) {
      const Buffer &buffer = buffers[id];
      int64_t size = buffer.size / instance.unit;
      int64_t alignment =
          std::max<int64_t>(1, instance.unit % buffer.alignment == 0
                                   ? 1
                                   : buffer.alignment / instance.unit);
      instance.sizes.push_back(size);
      instance.alignments.push_back(alignment);
      instance.durations.push_back(buffer.end - buffer.begin);
      instance.hasAlignments |= alignment != 1;
      instance.upperBound += size + alignment - 1;
      if (!buffer.fixedOffset) {
        instance.fixedOffsets.push_back(-1);
        continue;
      }
      int64_t offset = *buffer.fixedOffset / instance.unit;
      instance.hasFixedOffsets = true;
      instance.fixedOffsets.push_back(offset);
      instance.lowerBound = std::max(instance.lowerBound, offset + size);
    }
    // Above the highest fixed buffer, one buffer on top of the other.
    if (instance.hasFixedOffsets)
      instance.upperBound += instance.lowerBound;
    computeSections(problem, instance);
  }

  for (auto [a, b] : problem.conflicts) {
    PackingInstance &instance = instances[componentOf[a]];
    if (!buffers[a].overlapsInTime(buffers[b]))
      instance.conflicts.push_back(std::minmax(positions[a], positions[b]));
  }
  for (PackingInstance &instance : instances) {
    llvm::sort(instance.conflicts);
    instance.conflicts.erase(llvm::unique(instance.conflicts),
                             instance.conflicts.end());
  }
  return instances;
}

uint64_t buffer_merge::getNextRandom(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

llvm::SmallVector<int64_t, 0>
buffer_merge::computeSectionTotals(const PackingInstance &instance) {
  llvm::SmallVector<int64_t, 0> totals(instance.numSections + 1, 0);
  for (unsigned i = 0; i < instance.size(); ++i) {
    instance.forEachLiveRange(i, [&](unsigned begin, unsigned end) {
      totals[begin] += instance.sizes[i];
      totals[end] -= instance.sizes[i];
    });
  }
  std::partial_sum(totals.begin(), totals.end(), totals.begin());
  totals.pop_back();
  return totals;
}
