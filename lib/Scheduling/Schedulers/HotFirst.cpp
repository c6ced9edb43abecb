//===- HotFirst.cpp - Online chunks by heat and size ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `hot-first` and `size-first`: allocate and free in the order of time, from
// chunks that are split when they are too large, merged with free neighbours,
// and extended when all are too small. What is preferred is the chunk that was
// freed recently and is close in size, or that which is close in size.
//
// A chunk that is extended moves all chunks above it up, those of the past
// included, so that the pool grows by the missing bytes only. Offsets are known
// only in the end.
//
//===----------------------------------------------------------------------===//

#include "../Builtins.h"
#include "../SegmentList.h"

#include <set>

using namespace buffer_merge;

namespace {
/// The pool at a moment of time. Free neighbours are always merged.
class Chunks {
public:
  explicit Chunks(bool prefersHot) : prefersHot(prefersHot) {}

  SegmentId allocate(int64_t size);
  void release(SegmentId id);

  llvm::SmallVector<int64_t, 0> computeOffsets() const {
    return segments.computeOffsets();
  }

private:
  /// How many chunks are looked at in each order.
  static constexpr unsigned maxCandidates = 16;

  /// The smaller the better: how far the size is from `size`, relative to it,
  /// and how long ago the chunk was freed, relative to all that has passed.
  double getCost(SegmentId id, int64_t size) const {
    double difference = std::abs(double(segments.getSize(id)) - double(size));
    double age = double(now - freedAt[id]) / double(now + 1);
    return difference / double(size) + age;
  }

  /// Return the free chunk to take for `size` bytes, or `none`.
  SegmentId choose(int64_t size) const;

  void addFree(SegmentId id) {
    bySize.emplace(segments.getSize(id), id);
    byHeat.emplace(freedAt[id], id);
  }
  void removeFree(SegmentId id) {
    bySize.erase({segments.getSize(id), id});
    byHeat.erase({freedAt[id], id});
  }
  bool isFree(SegmentId id) const {
    return id != SegmentList::none && freedAt[id] >= 0;
  }

  const bool prefersHot;
  SegmentList segments;
  /// When a segment was freed, counted in operations; -1 while it is in use.
  llvm::SmallVector<int64_t, 0> freedAt;
  std::set<std::pair<int64_t, SegmentId>> bySize, byHeat;
  int64_t now = 0;
};
} // namespace

SegmentId Chunks::choose(int64_t size) const {
  auto fit = bySize.lower_bound({size, 0});
  if (!prefersHot)
    // If nothing is large enough, the largest lacks the fewest bytes.
    return fit == bySize.end() ? bySize.rbegin()->second : fit->second;

  SegmentId best = SegmentList::none;
  double bestCost = 0;
  auto consider = [&](SegmentId id) {
    double cost = getCost(id, size);
    if (best == SegmentList::none || cost < bestCost) {
      best = id;
      bestCost = cost;
    }
  };
  unsigned count = 0;
  for (auto it = fit; it != bySize.end() && count < maxCandidates;
       ++it, ++count)
    consider(it->second);
  count = 0;
  for (auto it = byHeat.rbegin(); it != byHeat.rend() && count < maxCandidates;
       ++it, ++count)
    if (segments.getSize(it->second) >= size)
      consider(it->second);
  if (best != SegmentList::none)
    return best;
  count = 0;
  for (auto it = bySize.rbegin(); it != bySize.rend() && count < maxCandidates;
       ++it, ++count)
    consider(it->second);
  return best;
}

SegmentId Chunks::allocate(int64_t size) {
  ++now;
  if (bySize.empty()) {
    freedAt.push_back(-1);
    return segments.append(size);
  }
  SegmentId id = choose(size);
  removeFree(id);
  int64_t available = segments.getSize(id);
  if (available < size) {
    segments.grow(id, size - available);
  } else if (available > size) {
    SegmentId rest = segments.split(id, size);
    freedAt.push_back(freedAt[id]);
    addFree(rest);
  }
  freedAt[id] = -1;
  return id;
}

void Chunks::release(SegmentId id) {
  freedAt[id] = ++now;
  if (SegmentId next = segments.getNext(id); isFree(next)) {
    removeFree(next);
    segments.mergeNext(id);
  }
  if (SegmentId previous = segments.getPrevious(id); isFree(previous)) {
    removeFree(previous);
    segments.mergeNext(previous);
    freedAt[previous] = now;
    id = previous;
  }
  addFree(id);
}

static llvm::SmallVector<int64_t, 0>
placeInSegments(llvm::ArrayRef<Buffer> buffers, bool prefersHot) {
  Chunks chunks(prefersHot);
  llvm::SmallVector<SegmentId, 0> chunkOf(buffers.size());
  replay(
      buffers,
      [&](BufferId id) { chunkOf[id] = chunks.allocate(buffers[id].size); },
      [&](BufferId id) { chunks.release(chunkOf[id]); });
  llvm::SmallVector<int64_t, 0> chunkOffsets = chunks.computeOffsets();
  llvm::SmallVector<int64_t, 0> offsets;
  offsets.reserve(buffers.size());
  for (SegmentId chunk : chunkOf)
    offsets.push_back(chunkOffsets[chunk]);
  return offsets;
}

void buffer_merge::appendHotFirstSchedulers(OnePassSchedulers &schedulers) {
  auto append = [&](llvm::StringRef name, llvm::StringRef description,
                    bool prefersHot) {
    auto function = [prefersHot](const SchedulingProblem &problem) {
      return adapt(problem, [prefersHot](llvm::ArrayRef<Buffer> buffers) {
        return placeInSegments(buffers, prefersHot);
      });
    };
    schedulers.push_back(
        std::make_unique<OnePassScheduler>(name, description, function));
  };
  append("size-first",
         "Free chunks that are close in size, in the order of begin",
         /*prefersHot=*/false);
  append("hot-first",
         "Free chunks that are hot and close in size, in the order of begin",
         /*prefersHot=*/true);
}
