//===- SampledHeap.cpp - A heap for some sizes ----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampledHeap.h"
#include "Scheduling/SaturatingBytes.h"

#include <cstdlib>
#include <numeric>

using namespace buffer_merge;

/// Millions of these can be summed up.
static constexpr int64_t maxSample = int64_t(1) << 40;

int64_t buffer_merge::evaluate(const SizePolynomial &bytes, int64_t symbols) {
  int64_t sum = 0;
  for (const auto &[product, coefficient] : bytes) {
    int64_t term = coefficient;
    for (size_t i = 0; i < product.size(); ++i)
      term = multiplyBytes(term, symbols);
    sum = addBytes(sum, term);
  }
  return sum;
}

SampledBytes buffer_merge::sampleBytes(int64_t bytes) {
  SampledBytes samples;
  samples.fill(std::min(bytes, maxSample));
  return samples;
}

SampledBytes buffer_merge::sampleBytes(const SizePolynomial &bytes,
                                       int64_t alignment) {
  SampledBytes samples;
  for (auto [index, sample] : llvm::enumerate(samples))
    sample =
        std::min<int64_t>(llvm::alignTo(evaluate(bytes, int64_t(1) << index),
                                        static_cast<uint64_t>(alignment)),
                          maxSample);
  return samples;
}

/// Add `bytes` to what changes at the first of `range` and behind the last one.
static void addTo(std::vector<int64_t> &changes, TickRange range,
                  int64_t bytes) {
  changes[range.first] += bytes;
  changes[range.last + 1] -= bytes;
}

SampledHeap::SampledHeap(TickRange ticks) : block(ticks) {}

void SampledHeap::addHeld(TickRange range, const SampledBytes &bytes) {
  held.push_back({range, bytes});
}

void SampledHeap::addCertain(TickRange range, const SampledBytes &bytes) {
  certain.push_back({range, bytes});
}

void SampledHeap::addVarying(TickRange range) { varying.push_back(range); }

void SampledHeap::addOwnTick(int64_t tick) {
  if (tick >= block.first && tick <= block.last)
    ownTicks.push_back(tick);
}

int64_t SampledHeap::getNumber(int64_t tick) const {
  return llvm::upper_bound(ticks, tick) - ticks.begin() - 1;
}

void SampledHeap::makeNumbers(TickRange &range) const {
  range.first = getNumber(std::max(range.first, block.first));
  range.last = getNumber(std::min(range.last, block.last));
}

void SampledHeap::finish(llvm::ArrayRef<Member *> members) {
  // What is outside of the block is empty.
  auto isOutside = [&](TickRange range) {
    return range.last < range.first || range.last < block.first ||
           range.first > block.last;
  };
  llvm::erase_if(held, [&](const Hold &hold) { return isOutside(hold.ticks); });
  llvm::erase_if(certain,
                 [&](const Hold &hold) { return isOutside(hold.ticks); });
  llvm::erase_if(varying, isOutside);
  ticks = {block.first, block.last + 1};
  auto addTicks = [&](TickRange range) {
    ticks.push_back(std::max(range.first, block.first));
    ticks.push_back(std::min(range.last, block.last) + 1);
  };
  for (const Hold &hold : held)
    addTicks(hold.ticks);
  for (const Hold &hold : certain)
    addTicks(hold.ticks);
  llvm::for_each(varying, addTicks);
  for (Member *member : members) {
    llvm::erase_if(member->held, isOutside);
    addTicks(member->ticks);
  }
  llvm::sort(ticks);
  ticks.erase(llvm::unique(ticks), ticks.end());

  Sums changes, certainSums;
  for (size_t sample = 0; sample < changes.size(); ++sample) {
    changes[sample].resize(ticks.size() + 1);
    certainSums[sample].resize(ticks.size() + 1);
  }
  for (Hold &hold : held) {
    makeNumbers(hold.ticks);
    for (auto [sums, bytes] : llvm::zip(changes, hold.bytes))
      addTo(sums, hold.ticks, bytes);
  }
  for (Hold &hold : certain) {
    makeNumbers(hold.ticks);
    for (auto [sums, bytes] : llvm::zip(certainSums, hold.bytes))
      addTo(sums, hold.ticks, bytes);
  }
  std::vector<int64_t> numVarying(ticks.size() + 1);
  for (TickRange range : varying) {
    makeNumbers(range);
    addTo(numVarying, range, 1);
  }
  std::partial_sum(numVarying.begin(), numVarying.end(), numVarying.begin());
  for (size_t sample = 0; sample < changes.size(); ++sample) {
    std::vector<int64_t> &held = changes[sample], &sums = certainSums[sample];
    std::partial_sum(held.begin(), held.end(), held.begin());
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
    int64_t given = 0;
    for (int64_t tick : ownTicks)
      given = std::max(given, sums[getNumber(tick)]);
    room[sample].resize(ticks.size());
    for (size_t tick = 0; tick < ticks.size(); ++tick)
      room[sample][tick] = (numVarying[tick] ? sums[tick] : given) - held[tick];
  }
  leastRoom = room;
  for (size_t sample = 0; sample < room.size(); ++sample)
    findLeastRoom(sample, {0, static_cast<int64_t>(ticks.size()) - 1});
  for (Member *member : members) {
    makeNumbers(member->ticks);
    for (TickRange &range : member->held)
      makeNumbers(range);
  }
}

void SampledHeap::findLeastRoom(size_t sample, TickRange changed) {
  const std::vector<int64_t> &all = room[sample];
  std::vector<int64_t> &least = leastRoom[sample];
  const int64_t end = ticks.size() - 1;
  for (int64_t tick = changed.last; tick >= 0; --tick) {
    int64_t now =
        tick == end ? all[tick] : std::min(all[tick], least[tick + 1]);
    // In front of what has changed it is the same from there on.
    if (tick < changed.first && now == least[tick])
      return;
    least[tick] = now;
  }
}

void SampledHeap::replace(llvm::ArrayRef<const Member *> members,
                          TickRange held, const SampledBytes &bytes) {
  makeNumbers(held);
  TickRange changed = held;
  for (const Member *member : members)
    for (TickRange range : member->held)
      changed = changed.hull(range);
  for (size_t sample = 0; sample < room.size(); ++sample) {
    std::vector<int64_t> more(changed.last - changed.first + 2);
    auto add = [&](TickRange range, int64_t bytes) {
      addTo(more, {range.first - changed.first, range.last - changed.first},
            bytes);
    };
    for (const Member *member : members)
      for (TickRange range : member->held)
        add(range, member->bytes[sample]);
    add(held, -std::min(bytes[sample], maxSample));
    std::partial_sum(more.begin(), more.end(), more.begin());
    for (int64_t tick = changed.first; tick <= changed.last; ++tick)
      room[sample][tick] += more[tick - changed.first];
    findLeastRoom(sample, changed);
  }
}

std::optional<int64_t>
SampledHeap::findExcess(llvm::ArrayRef<const Member *> members,
                        TickRange poolHeld, int64_t &aliveTick) {
  // It may begin between two of the ticks.
  int64_t poolHeldFirst = poolHeld.first;
  makeNumbers(poolHeld);
  // Behind `last`, what the members hold does not change any more.
  int64_t first = poolHeld.first, last = poolHeld.first;
  const int64_t end = ticks.size() - 1;
  for (const Member *member : members) {
    auto include = [&](TickRange range) {
      first = std::min(first, range.first);
      last =
          std::max(last, range.last + 1 >= end ? range.first : range.last + 1);
    };
    include(member->ticks);
    llvm::for_each(member->held, include);
  }
  last = std::max(last, first);
  std::vector<int64_t> alive, without;
  for (size_t number = 0; number < room.size(); ++number) {
    // What was too much before is likely to be it again.
    size_t sample = (lastExcess + number) % room.size();
    alive.assign(last - first + 2, 0);
    without.assign(last - first + 2, 0);
    auto add = [&](std::vector<int64_t> &changes, TickRange range,
                   int64_t bytes) {
      changes[range.first - first] += bytes;
      changes[std::min(range.last + 1 - first, last - first + 1)] -= bytes;
    };
    for (const Member *member : members) {
      add(alive, member->ticks, member->bytes[sample]);
      for (TickRange range : member->held)
        add(without, range, member->bytes[sample]);
    }
    std::partial_sum(alive.begin(), alive.end() - 1, alive.begin());
    std::partial_sum(without.begin(), without.end() - 1, without.begin());
    int64_t peakTick =
        std::max_element(alive.begin(), alive.end() - 1) - alive.begin();
    int64_t most = alive[peakTick];
    peakTick += first;
    std::optional<int64_t> excess;
    auto isNear = [&](int64_t tick) {
      return !excess || std::abs(ticks[tick] - ticks[peakTick]) <
                            std::abs(ticks[*excess] - ticks[peakTick]);
    };
    int64_t tick = poolHeld.first;
    for (; tick <= std::min(poolHeld.last, last); ++tick)
      if (most - without[tick - first] > room[sample][tick] && isNear(tick))
        excess = tick;
    if (tick <= poolHeld.last &&
        most - without[last - first] > leastRoom[sample][tick])
      for (; tick <= poolHeld.last; ++tick)
        if (most - without[last - first] > room[sample][tick] && isNear(tick))
          excess = tick;
    if (excess) {
      lastExcess = sample;
      aliveTick = ticks[peakTick];
      return std::max(poolHeldFirst, ticks[*excess]);
    }
  }
  return std::nullopt;
}
