//===- SampledHeap.h - A heap for some sizes --------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the heap holds if all symbols are 1, 2, 4 and so on: a pool that raises
// the peak for one of them need not be proved to raise none.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_SAMPLEDHEAP_H
#define BUFFER_MERGE_LIB_PLANNING_SAMPLEDHEAP_H

#include "Analysis/SizePolynomial.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"

#include <array>

namespace buffer_merge {
/// Return `bytes` where all symbols are `symbols`, saturated.
int64_t evaluate(const SizePolynomial &bytes, int64_t symbols);

/// By power of two, from 1 on, a number of bytes where all symbols are that.
using SampledBytes = std::array<int64_t, 14>;

/// Return `bytes` rounded up to `alignment`, as far as they can be summed up.
SampledBytes sampleBytes(const SizePolynomial &bytes, int64_t alignment);

/// Return `bytes` for all symbols.
SampledBytes sampleBytes(int64_t bytes);

/// What is held at the ticks of one block.
class SampledHeap {
public:
  explicit SampledHeap(TickRange ticks);

  // What there is, and what the program holds for certain.
  void addHeld(TickRange held, const SampledBytes &bytes);
  void addCertain(TickRange held, const SampledBytes &bytes);
  /// Something is held at `ticks` that may be of another size each time.
  void addVarying(TickRange ticks);
  /// Every execution of the block comes by `tick`.
  void addOwnTick(int64_t tick);

  /// A buffer that may be in a pool.
  struct Member {
    /// When it is in use, and when it is held now.
    TickRange ticks;
    llvm::SmallVector<TickRange, 1> held;
    SampledBytes bytes;
  };

  /// To be called once, behind all of them, with all members that there are.
  void finish(llvm::ArrayRef<Member *> members);

  /// Return a tick at which every pool of `members`, which is held at `held`,
  /// would raise the peak for one of the samples: the one next to the tick at
  /// which most of their bytes are alive, which is set. Nothing if there is
  /// none.
  std::optional<int64_t> findExcess(llvm::ArrayRef<const Member *> members,
                                    TickRange held, int64_t &aliveTick);

  /// Let `bytes` be held at `held` in place of `members`.
  void replace(llvm::ArrayRef<const Member *> members, TickRange held,
               const SampledBytes &bytes);

private:
  /// Find the least room of `sample`, where that at the ticks with the numbers
  /// `changed` is another one.
  void findLeastRoom(size_t sample, TickRange changed);
  /// Something that is held; behind `finish`, from one number of `ticks` to
  /// another.
  struct Hold {
    TickRange ticks;
    SampledBytes bytes;
  };
  using Sums =
      std::array<std::vector<int64_t>, std::tuple_size_v<SampledBytes>>;

  /// Return the number of the last of `ticks` that is not behind `tick`.
  int64_t getNumber(int64_t tick) const;
  void makeNumbers(TickRange &range) const;

  TickRange block;
  /// Those at which anything begins, or has ended before; the first is that of
  /// the block.
  std::vector<int64_t> ticks;
  std::vector<Hold> held, certain;
  std::vector<TickRange> varying;
  std::vector<int64_t> ownTicks;
  /// By number of a tick: how much more than is held may be; and the least of
  /// that from there on.
  Sums room, leastRoom;
  /// The sample that was too much the last time.
  size_t lastExcess = 0;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_SAMPLEDHEAP_H
