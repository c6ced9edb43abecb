//===- FreeLists.cpp - Online chunks that are free -----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedulers that allocate and free in the order of time, each from a list of
// the chunks that are free. They differ in which one they take, and in whether
// chunks that are too large are split and free neighbours merged. Where all are
// too small, one is extended: all chunks above it move up, those of the past
// included, so that the pool grows by the missing bytes only. Offsets are known
// only in the end.
//
//===----------------------------------------------------------------------===//

#include "../Builtins.h"
#include "../SegmentList.h"

#include <set>

using namespace buffer_merge;

namespace {
/// Which free chunk is taken.
enum class ChunkChoice {
  /// The smallest that is large enough, or the largest.
  Size,
  /// One that is close in size and was freed recently.
  Heat,
  /// The smallest that is large enough and at most 16 times as large, or the
  /// largest of at least a sixteenth; no other.
  Range,
};

struct FreeListRule {
  llvm::StringLiteral name, description;
  ChunkChoice choice;
  /// Chunks that are too large are split, and free neighbours are merged at
  /// once; otherwise only if a chunk of `Range` is too small.
  bool splits;
};

/// The pool at a moment of time.
class FreeList {
public:
  explicit FreeList(const FreeListRule &rule) : rule(rule) {}

  SegmentId allocate(int64_t size);
  void release(SegmentId id);

  /// Return the bytes of all chunks, each of which some buffer has needed.
  int64_t getPoolSize() const { return segments.getTotalSize(); }

  llvm::SmallVector<int64_t, 0> computeOffsets() const {
    return segments.computeOffsets();
  }

private:
  SegmentId choose(int64_t size) const;
  SegmentId chooseHot(int64_t size) const;
  SegmentId mergeNeighbours(SegmentId id, int64_t size);

  void addFree(SegmentId id) {
    bySize.emplace(segments.getSize(id), id);
    if (rule.choice == ChunkChoice::Heat)
      byHeat.emplace(freedAt[id], id);
  }
  void removeFree(SegmentId id) {
    bySize.erase({segments.getSize(id), id});
    if (rule.choice == ChunkChoice::Heat)
      byHeat.erase({freedAt[id], id});
  }
  bool isFree(SegmentId id) const {
    return id != SegmentList::none && freedAt[id] >= 0;
  }

  const FreeListRule &rule;
  SegmentList segments;
  /// When a segment was freed, counted in operations; -1 while it is in use.
  llvm::SmallVector<int64_t, 0> freedAt;
  std::set<std::pair<int64_t, SegmentId>> bySize, byHeat;
  int64_t now = 0;
};
} // namespace

/// Return the chunk that costs least: how far its size is from `size`, relative
/// to it, and how long ago it was freed, relative to all that has passed.
SegmentId FreeList::chooseHot(int64_t size) const {
  SegmentId best = SegmentList::none;
  double bestCost = 0;
  // Of the first of each order.
  constexpr unsigned maxCandidates = 16;
  auto consider = [&](auto it, auto end, int64_t least) {
    for (unsigned i = 0; it != end && i < maxCandidates; ++it, ++i) {
      SegmentId id = it->second;
      if (segments.getSize(id) < least)
        continue;
      double difference = std::abs(double(segments.getSize(id)) - double(size));
      double cost = difference / double(size) +
                    double(now - freedAt[id]) / double(now + 1);
      if (best == SegmentList::none || cost < bestCost) {
        best = id;
        bestCost = cost;
      }
    }
  };
  consider(bySize.lower_bound({size, 0}), bySize.end(), size);
  consider(byHeat.rbegin(), byHeat.rend(), size);
  if (best == SegmentList::none)
    consider(bySize.rbegin(), bySize.rend(), 0);
  return best;
}

/// Return the free chunk to take for `size` bytes, or `none`.
SegmentId FreeList::choose(int64_t size) const {
  if (bySize.empty())
    return SegmentList::none;
  if (rule.choice == ChunkChoice::Heat)
    return chooseHot(size);
  constexpr int64_t matchRange = 16;
  const bool isRange = rule.choice == ChunkChoice::Range;
  auto fit = bySize.lower_bound({size, 0});
  if (fit != bySize.end() && (!isRange || fit->first / matchRange <= size))
    return fit->second;
  if (fit == bySize.begin() ||
      (isRange && std::prev(fit)->first < size / matchRange))
    return SegmentList::none;
  // If nothing is large enough, the largest lacks the fewest bytes.
  return std::prev(fit)->second;
}

/// Merge `id`, which is not free, with free neighbours until it has `size`
/// bytes. Return what it is part of.
SegmentId FreeList::mergeNeighbours(SegmentId id, int64_t size) {
  while (segments.getSize(id) < size) {
    SegmentId next = segments.getNext(id), previous = segments.getPrevious(id);
    if (isFree(next)) {
      removeFree(next);
      segments.mergeNext(id);
    } else if (isFree(previous)) {
      removeFree(previous);
      segments.mergeNext(previous);
      id = previous;
    } else {
      break;
    }
  }
  return id;
}

SegmentId FreeList::allocate(int64_t size) {
  ++now;
  SegmentId id = choose(size);
  if (id == SegmentList::none) {
    freedAt.push_back(-1);
    return segments.append(size);
  }
  removeFree(id);
  if (rule.choice == ChunkChoice::Range)
    id = mergeNeighbours(id, size);
  int64_t available = segments.getSize(id);
  if (available < size) {
    segments.grow(id, size - available);
  } else if (available > size && rule.splits) {
    SegmentId rest = segments.split(id, size);
    freedAt.push_back(freedAt[id]);
    addFree(rest);
  }
  freedAt[id] = -1;
  return id;
}

void FreeList::release(SegmentId id) {
  ++now;
  if (rule.splits)
    id = mergeNeighbours(id, maxBytes);
  freedAt[id] = now;
  addFree(id);
}

static llvm::SmallVector<int64_t, 0>
place(llvm::ArrayRef<Buffer> buffers, int64_t limit, const FreeListRule &rule) {
  FreeList list(rule);
  llvm::SmallVector<SegmentId, 0> chunkOf(buffers.size());
  bool isPlaced = replay(
      buffers,
      [&](BufferId id) {
        chunkOf[id] = list.allocate(buffers[id].size);
        return list.getPoolSize() < limit;
      },
      [&](BufferId id) { list.release(chunkOf[id]); });
  if (!isPlaced)
    return {};
  llvm::SmallVector<int64_t, 0> chunkOffsets = list.computeOffsets();
  llvm::SmallVector<int64_t, 0> offsets;
  offsets.reserve(buffers.size());
  for (SegmentId chunk : chunkOf)
    offsets.push_back(chunkOffsets[chunk]);
  return offsets;
}

void buffer_merge::appendFreeListSchedulers(OnePassSchedulers &schedulers) {
  static constexpr FreeListRule rules[] = {
      {"size-first",
       "Free chunks that are close in size, in the order of begin",
       ChunkChoice::Size, /*splits=*/true},
      {"hot-first",
       "Free chunks that are hot and close in size, in the order of begin",
       ChunkChoice::Heat, /*splits=*/true},
      {"linear-scan",
       "Slots as large as their largest tenant, in the order of begin",
       ChunkChoice::Size, /*splits=*/false},
      {"shared-free-list",
       "Whole free blocks of about the size, as for GPU shared memory",
       ChunkChoice::Range, /*splits=*/false},
  };
  using Cost = OnePassScheduler::Cost;
  for (const FreeListRule &rule : rules)
    schedulers.push_back(std::make_unique<OnePassScheduler>(
        rule.name, rule.description,
        [&rule](const SchedulingProblem &problem, int64_t limit) {
          return adapt(problem, limit,
                       [&](llvm::ArrayRef<Buffer> buffers, int64_t limit) {
                         return place(buffers, limit, rule);
                       });
        },
        rule.choice == ChunkChoice::Size ? Cost::Low : Cost::Medium));
}
