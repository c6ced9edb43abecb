//===- AliveBytes.h - Bytes that are alive over time ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_ALIVEBYTES_H
#define BUFFER_MERGE_LIB_TRANSFORMS_ALIVEBYTES_H

#include "buffer-merge/Analysis/BufferLifetimes.h"

#include "llvm/ADT/MapVector.h"

namespace buffer_merge {
/// The bytes that are alive at each tick of one alloc scope, in one memory
/// space.
class AliveBytes {
public:
  /// Bytes, negative if they are no longer alive, from `ticks.first` to
  /// `ticks.last`.
  struct Change {
    TickRange ticks;
    int64_t bytes;
  };

  /// The bytes of buffers, by their alloc scope and memory space.
  using Scopes =
      llvm::MapVector<std::pair<mlir::Region *, mlir::Attribute>, AliveBytes>;

  /// Add to `changes` that `bytes` are alive at `ticks` without `gaps`.
  static void add(TickRange ticks, llvm::ArrayRef<TickRange> gaps,
                  int64_t bytes, llvm::SmallVectorImpl<Change> &changes);

  /// Return the bytes of those of `buffers` that are mergeable.
  static Scopes collect(llvm::ArrayRef<const BufferLifetime *> buffers);

  /// `buffers` are alive at first.
  explicit AliveBytes(llvm::ArrayRef<Change> buffers = {});

  /// Apply `changes`, to ticks between the first and the last one of the
  /// buffers, unless more bytes would be alive then than ever before. Return
  /// true if they are applied. Takes time linear in the number of these ticks.
  bool applyWithinPeak(llvm::ArrayRef<Change> changes);

  /// Let `applyWithinPeak` allow up to `bytes` from now on.
  void setLimit(int64_t bytes) { limit = bytes; }

  /// Apply `changes` in any case.
  void apply(llvm::ArrayRef<Change> changes);

  /// Return the most bytes that are alive at one tick.
  int64_t getPeak() const;

private:
  int64_t begin = 0;
  /// The bytes at tick `begin + i`.
  llvm::SmallVector<int64_t, 0> alive;
  /// The peak at first, or what `setLimit` says.
  int64_t limit = 0;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_ALIVEBYTES_H
