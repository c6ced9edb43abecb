//===- SchedulingProblem.h - A problem and its schedule ---------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULINGPROBLEM_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULINGPROBLEM_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

namespace buffer_merge {
/// Index of a buffer in `SchedulingProblem::buffers`.
using BufferId = unsigned;

/// The largest size, alignment, offset or pool size that a problem or a
/// schedule may hold. It leaves room to add two of them and to round the sum
/// up in a signed 64-bit integer, so that schedulers need no overflow checks of
/// their own as long as they stay below it.
inline constexpr int64_t maxBytes = int64_t(1) << 61;

/// A half-open interval of ticks.
struct TickInterval {
  int64_t begin = 0;
  int64_t end = 0;

  bool operator==(const TickInterval &other) const {
    return begin == other.begin && end == other.end;
  }
};

/// A block of bytes that must be its own during a half-open interval of ticks,
/// or during several: the lifetime may have gaps. The block has the same offset
/// in all of them.
///
/// ```
///   offset
///     ^      +-----------+
///     |      |   size    |      alive at ticks begin, ..., end - 1
///     |      +-----------+
///     +------+-----------+---> tick
///          begin        end
/// ```
///
/// Except where it says so, what is said of lifetimes means [begin, end) less
/// the gaps.
struct Buffer {
  /// Bytes, 1 or more.
  int64_t size = 0;
  /// First tick at which the buffer is alive.
  int64_t begin = 0;
  /// First tick after `begin` at which the buffer is no longer alive.
  int64_t end = 0;
  /// The offset must be a multiple of this many bytes: 1 or more, not
  /// necessarily a power of two.
  int64_t alignment = 1;
  /// The offset that the schedule must give this buffer, if it was decided
  /// elsewhere. It must be a multiple of `alignment`.
  std::optional<int64_t> fixedOffset = std::nullopt;
  /// The parts of [begin, end) in which the bytes may belong to others: what
  /// they held before is lost. Sorted and disjoint, none empty, with at least
  /// one live tick before, between and after them. Nearly all buffers have
  /// none.
  llvm::SmallVector<TickInterval, 0> gaps = {};

  /// Return true if both buffers are alive at one tick at least. O(1) time
  /// without gaps, linear in their number with them.
  bool overlapsInTime(const Buffer &other) const {
    return begin < other.end && other.begin < end &&
           ((gaps.empty() && other.gaps.empty()) || overlapsBesideGaps(other));
  }

  /// Return the first gap that is not as it has to be, or null.
  const TickInterval *findMalformedGap() const;

  /// Call `visit(begin, end)` on each interval without a gap, in their order.
  template <typename Visitor>
  void forEachLiveInterval(Visitor &&visit) const {
    int64_t from = begin;
    for (const TickInterval &gap : gaps) {
      visit(from, gap.begin);
      from = gap.end;
    }
    visit(from, end);
  }

  bool operator==(const Buffer &other) const {
    return std::tie(size, begin, end, alignment, fixedOffset, gaps) ==
           std::tie(other.size, other.begin, other.end, other.alignment,
                    other.fixedOffset, other.gaps);
  }

private:
  bool overlapsBesideGaps(const Buffer &other) const;
};

/// Under which condition an operation that reads one buffer for the last time
/// and writes another one for the first time works if they share bytes.
enum class InPlaceCondition {
  /// Both begin at the same offset: the operation reads each byte before it
  /// writes that byte, and no other step of it needs the byte again.
  SameOffset,
  /// At any offsets: the operation has read all that it reads before it writes.
  AnyOffset,
};

/// Two buffers of which the one is in use for the last time at the tick at
/// which the other is for the first time, and which may share bytes all the
/// same. It is a permission, not a demand.
///
/// ```
///   earlier  +-----------+            earlier.end == later.begin + 1
///   later              +-----------+
///                      ^ the tick that both are alive at
/// ```
struct InPlacePair {
  BufferId earlier = 0;
  BufferId later = 0;
  InPlaceCondition condition = InPlaceCondition::SameOffset;

  bool operator==(const InPlacePair &other) const {
    return earlier == other.earlier && later == other.later &&
           condition == other.condition;
  }
};

/// An instance of offline dynamic storage allocation: lifetimes are given,
/// offsets are sought so that the pool is as small as possible.
///
/// Two buffers may share bytes only if their intervals are disjoint, or they
/// are an in-place pair whose condition holds, and they are not listed as a
/// conflict.
struct SchedulingProblem {
  llvm::SmallVector<Buffer, 0> buffers;

  /// Pairs of different buffers that must not share bytes although their
  /// intervals may be disjoint: what an interval cannot say, such as the
  /// absence of a barrier between the last access of one and the first access
  /// of the other by another thread. Unordered; a pair may be listed twice.
  llvm::SmallVector<std::pair<BufferId, BufferId>, 0> conflicts;

  /// Pairs of buffers that may share bytes at the one tick that both are alive
  /// at: the earlier one begins before the later one, and ends one tick after
  /// the later one begins. A pair may be listed twice; it then has both
  /// permissions. A scheduler that takes no notice of them is right all the
  /// same: `runScheduler` makes use of them.
  llvm::SmallVector<InPlacePair, 0> inPlacePairs;

  /// Pairs of different buffers that must have the same offset, whatever their
  /// sizes. Transitive; a pair may be listed twice. No scheduler sees them:
  /// `runScheduler` and `assignRegions` give it one buffer for each group,
  /// which is alive when one of them is.
  llvm::SmallVector<std::pair<BufferId, BufferId>, 0> samePlaces;

  /// The largest pool size in bytes that is of use. Without one, every pool is.
  std::optional<int64_t> capacity;

  /// Return true if no scheduler can tell the two apart: the same buffers,
  /// pairs and capacity in the same order. What was found out about one of them
  /// is then true of the other.
  bool operator==(const SchedulingProblem &other) const {
    return std::tie(capacity, buffers, conflicts, inPlacePairs, samePlaces) ==
           std::tie(other.capacity, other.buffers, other.conflicts,
                    other.inPlacePairs, other.samePlaces);
  }
};

/// Return success if `problem` is well formed: sizes, alignments, intervals,
/// gaps and fixed offsets as their declarations ask, conflicts and same places
/// that name two different buffers, in-place pairs that meet at exactly one
/// tick, and a sum of sizes and alignments below `maxBytes`, so that even the
/// schedule without reuse can be expressed. The error names the first buffer or
/// pair that is not, by its index.
llvm::Error checkProblem(const SchedulingProblem &problem);

/// Return true if a lifetime has a gap.
bool hasGaps(const SchedulingProblem &problem);

/// Return true if an offset is fixed.
bool hasFixedOffsets(const SchedulingProblem &problem);

/// Return `problem` with its ticks replaced by their ranks: the ticks at which
/// a buffer or a gap begins or ends become 0, 1, 2, ... in their order. The
/// same buffers overlap in time, so that a schedule of one problem is one of
/// the other. A scheduler that looks at the length of lifetimes then sees how
/// much happens during them, whatever else the ticks count.
///
/// ```
///   [3, 17), [9, 40)   become   [0, 2), [1, 3)
/// ```
SchedulingProblem rankTicks(const SchedulingProblem &problem);

/// Where a schedule comes from: one part of a scheduler made the pool smaller.
struct ScheduleStep {
  /// A scheduler, or another part, such as `repair`; valid as long as the
  /// scheduler that made the schedule.
  llvm::StringRef part;
  /// Bytes of the pool after it.
  int64_t poolSize = 0;
};

/// A place for every buffer of a problem in one pool.
struct Schedule {
  /// Byte offset of every buffer from the start of the pool, by `BufferId`.
  llvm::SmallVector<int64_t, 0> offsets;
  /// Bytes of the pool: at least the end of every buffer.
  int64_t poolSize = 0;
  /// The start of the pool must be a multiple of this many bytes, so that every
  /// buffer of it is aligned as its problem asks.
  int64_t poolAlignment = 1;
  /// Bytes that every pool of the problem needs, as far as the scheduler has
  /// proved it; 0 if it has not tried. The schedule is optimal if that is its
  /// pool size.
  int64_t provedBound = 0;
  /// How it was found, for a scheduler that consists of several parts: empty
  /// for the others. The pool of each step is smaller than that before it.
  llvm::SmallVector<ScheduleStep, 0> steps = {};
};

/// Return true if `a` and `b` have bytes in common in `schedule`, whenever they
/// are alive.
inline bool shareBytes(const SchedulingProblem &problem,
                       const Schedule &schedule, BufferId a, BufferId b) {
  return schedule.offsets[a] < schedule.offsets[b] + problem.buffers[b].size &&
         schedule.offsets[b] < schedule.offsets[a] + problem.buffers[a].size;
}

/// Return the schedule with the given offsets, its pool no larger and no more
/// aligned than the buffers of `problem` need.
Schedule makeSchedule(const SchedulingProblem &problem,
                      llvm::SmallVector<int64_t, 0> offsets);
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULINGPROBLEM_H
