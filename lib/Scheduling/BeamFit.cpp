//===- BeamFit.cpp - Buffers placed in time, several ways at once --------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A beam search in the order of time. A layer is what is alive after one more
// buffer was placed; each of its arrangements is rated by its gaps, and the
// best of them are kept. The way back through the layers gives the offsets.
//
//===----------------------------------------------------------------------===//

#include "BeamFit.h"

#include "KeySort.h"
#include "Placement.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace buffer_merge;

/// Enough for seven buffers alive at once, if not everywhere.
static constexpr uint64_t workPerBuffer = 256;

namespace {
/// A live buffer of one arrangement.
struct Slot {
  int64_t offset;
  int64_t top;
  /// When the buffer dies.
  int64_t end;
};

/// One more buffer put into one of the arrangements.
struct Candidate {
  uint64_t score;
  uint64_t hash;
  int64_t offset;
  /// The arrangement, and the slot that the buffer is put before.
  unsigned parent;
  unsigned position;
};

/// The beam, layer by layer. The arrangements of a layer are of the same
/// buffers: those that are alive.
class Beam {
public:
  Beam(const SchedulingProblem &problem, int64_t height, unsigned width)
      : problem(problem), height(height), width(width),
        shift(std::max(llvm::Log2_64_Ceil(height), 24u) - 24) {}

  std::optional<llvm::SmallVector<int64_t, 0>>
  run(llvm::function_ref<bool()> mayGoOn);

private:
  llvm::MutableArrayRef<Slot> getArrangement(unsigned index) {
    return llvm::MutableArrayRef(slots).slice(index * numLive, numLive);
  }
  void removeDead(int64_t tick);
  void expand(unsigned parent, const Buffer &buffer);
  void consider(unsigned parent, unsigned position, int64_t offset,
                const Buffer &buffer);
  uint64_t computeScore();
  bool keepBest(const Buffer &buffer);
  void settle();

  const SchedulingProblem &problem;
  int64_t height;
  unsigned width;
  /// Sizes are rated without their lowest bits, so that squares do not overflow
  /// and no floating-point number is needed, which might be rounded differently
  /// elsewhere.
  unsigned shift;
  /// Slots that were looked at to rate arrangements.
  uint64_t work = 0;

  /// The arrangements one after the other, each in the order of offset.
  llvm::SmallVector<Slot, 0> slots, nextSlots;
  unsigned numArrangements = 1;
  unsigned numLive = 0;

  llvm::SmallVector<Candidate, 0> candidates;
  /// An arrangement with the buffer that is tried.
  llvm::SmallVector<Slot, 0> trial;

  /// The buffers in the order of time, and the offsets of the first
  /// `numSettled`, on which all arrangements agree.
  llvm::SmallVector<BufferId, 0> order;
  llvm::SmallVector<int64_t, 0> offsets;
  size_t numSettled = 0;
  /// For each layer after these and each arrangement, where the buffer was put
  /// and the arrangement of the layer before. Layers have `width` entries.
  llvm::SmallVector<int64_t, 0> history;
  llvm::SmallVector<uint8_t, 0> parents;
};
} // namespace

void Beam::removeDead(int64_t tick) {
  llvm::erase_if(slots, [&](const Slot &slot) { return slot.end <= tick; });
  numLive = slots.size() / numArrangements;
}

/// Rate the arrangement `trial`: the squares of its gaps, now and after each of
/// its buffers has died. One large gap is worth more than two small ones, and
/// buffers that die together lie best side by side.
uint64_t Beam::computeScore() {
  uint64_t score = 0;
  auto addGap = [&](int64_t floor, int64_t ceiling) {
    uint64_t gap = uint64_t(ceiling - floor) >> shift;
    score += gap * gap;
  };
  while (true) {
    work += trial.size();
    int64_t floor = 0;
    int64_t nextDeath = std::numeric_limits<int64_t>::max();
    for (const Slot &slot : trial) {
      addGap(floor, slot.offset);
      floor = slot.top;
      nextDeath = std::min(nextDeath, slot.end);
    }
    addGap(floor, height);
    llvm::erase_if(trial,
                   [&](const Slot &slot) { return slot.end == nextDeath; });
    if (trial.empty())
      return score;
  }
}

void Beam::consider(unsigned parent, unsigned position, int64_t offset,
                    const Buffer &buffer) {
  llvm::ArrayRef<Slot> arrangement = getArrangement(parent);
  trial.assign(arrangement.begin(), arrangement.end());
  trial.insert(trial.begin() + position,
               Slot{offset, offset + buffer.size, buffer.end});
  uint64_t hash = 0;
  for (const Slot &slot : trial) {
    hash = (hash ^ uint64_t(slot.offset)) * 0x9e3779b97f4a7c15;
    hash = (hash ^ (hash >> 29) ^ uint64_t(slot.end)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 32) ^ uint64_t(slot.top)) * 0x94d049bb133111eb;
  }
  candidates.push_back({computeScore(), hash, offset, parent, position});
}

void Beam::expand(unsigned parent, const Buffer &buffer) {
  int64_t floor = 0;
  for (unsigned position = 0; position <= numLive; ++position) {
    llvm::ArrayRef<Slot> arrangement = getArrangement(parent);
    int64_t ceiling =
        position == numLive ? height : arrangement[position].offset;
    int64_t low = alignUp(floor, buffer.alignment);
    if (low + buffer.size <= ceiling) {
      consider(parent, position, low, buffer);
      int64_t high = ceiling - buffer.size;
      high -= high % buffer.alignment;
      if (high != low)
        consider(parent, position, high, buffer);
    }
    if (position != numLive)
      floor = arrangement[position].top;
  }
}

/// Make the best of the candidates the next layer. Return false if there is
/// none.
bool Beam::keepBest(const Buffer &buffer) {
  llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
    return std::tie(b.score, a.hash, a.parent, a.position, a.offset) <
           std::tie(a.score, b.hash, b.parent, b.position, b.offset);
  });
  size_t layer = history.size();
  history.resize(layer + width, 0);
  parents.resize(layer + width, 0);
  nextSlots.clear();
  unsigned count = 0;
  uint64_t lastHash = 0;
  for (const Candidate &candidate : candidates) {
    // The same arrangement in two ways has the same score twice.
    if (count != 0 && candidate.hash == lastHash)
      continue;
    lastHash = candidate.hash;
    llvm::ArrayRef<Slot> arrangement = getArrangement(candidate.parent);
    nextSlots.append(arrangement.begin(),
                     arrangement.begin() + candidate.position);
    nextSlots.push_back(
        {candidate.offset, candidate.offset + buffer.size, buffer.end});
    nextSlots.append(arrangement.begin() + candidate.position,
                     arrangement.end());
    history[layer + count] = candidate.offset;
    parents[layer + count] = candidate.parent;
    if (++count == width)
      break;
  }
  std::swap(slots, nextSlots);
  numArrangements = count;
  ++numLive;
  return count != 0;
}

/// Settle the offsets of the layers in which all arrangements come from the
/// same one, and forget these layers: that is most of them.
void Beam::settle() {
  llvm::BitVector origins(width), earlier(width);
  origins.set(0, numArrangements);
  size_t layer = history.size() / width;
  while (layer != 0 && origins.count() != 1) {
    --layer;
    earlier.reset();
    for (unsigned index : origins.set_bits())
      earlier.set(parents[layer * width + index]);
    std::swap(origins, earlier);
  }
  const size_t end = layer;
  for (unsigned index = origins.find_first(); layer-- != 0;) {
    offsets[order[numSettled + layer]] = history[layer * width + index];
    index = parents[layer * width + index];
  }
  numSettled += end;
  history.erase(history.begin(), history.begin() + end * width);
  parents.erase(parents.begin(), parents.begin() + end * width);
}

std::optional<llvm::SmallVector<int64_t, 0>>
Beam::run(llvm::function_ref<bool()> mayGoOn) {
  const llvm::SmallVector<Buffer, 0> &buffers = problem.buffers;
  offsets.resize(buffers.size());
  order = orderByBegin(buffers, [&](BufferId id) {
    return std::pair(-buffers[id].size, -buffers[id].end);
  });
  const uint64_t maxWork = workPerBuffer * width * buffers.size();
  constexpr size_t questionStride = 4096, minLayers = 4096;
  size_t maxLayers = minLayers;
  for (const auto &[index, id] : llvm::enumerate(order)) {
    if (work > maxWork ||
        (mayGoOn && index % questionStride == 0 && !mayGoOn()))
      return std::nullopt;
    removeDead(buffers[id].begin);
    candidates.clear();
    for (unsigned parent = 0; parent < numArrangements; ++parent)
      expand(parent, buffers[id]);
    if (!keepBest(buffers[id]))
      return std::nullopt;
    // Where arrangements never agree, layers are looked at twice on average.
    if (history.size() == maxLayers * width) {
      settle();
      maxLayers = std::max(minLayers, 2 * history.size() / width);
    }
  }
  // The best one comes first.
  numArrangements = 1;
  settle();
  return std::move(offsets);
}

std::optional<llvm::SmallVector<int64_t, 0>>
buffer_merge::fitWithBeam(const SchedulingProblem &problem, int64_t height,
                          unsigned width, llvm::function_ref<bool()> mayGoOn) {
  return Beam(problem, height, width).run(mayGoOn);
}
