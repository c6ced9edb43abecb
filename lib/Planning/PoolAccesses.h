//===- PoolAccesses.h - Which operations access which buffers ---*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_POOLACCESSES_H
#define BUFFER_MERGE_LIB_PLANNING_POOLACCESSES_H

#include "buffer-merge/Planning/MergePlan.h"

#include "llvm/ADT/BitVector.h"

namespace buffer_merge {
/// The accesses to the buffers of one pool: a guide to what is better, which no
/// proof depends on.
class PoolAccesses {
public:
  /// `pool` has no parts of calls.
  explicit PoolAccesses(const PoolPlan &pool);

  /// Return the pairs of buffers that one operation accesses, each once;
  /// sorted.
  llvm::SmallVector<std::pair<BufferId, BufferId>, 0> getPairs() const;

  /// Return true if the first access to `later` depends on all accesses to
  /// `earlier`, directly or not, whatever the offsets are: on what another
  /// operation has written to a buffer of the pool, and that one on others in
  /// turn. Operations count in the order of the program, each once. With more
  /// than 4096 of them, nothing is known to depend.
  bool waitsAnyway(BufferId earlier, BufferId later) const;

private:
  /// An operation, and what it does with a buffer.
  struct Access {
    unsigned op;
    BufferId buffer;
    bool isWrite;
  };

  void findDependences(llvm::ArrayRef<Access> accesses, size_t numBuffers);

  /// By buffer: the operations that access it, as numbers in the order of the
  /// program; sorted.
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>, 0> opsOf;
  /// By operation, those that it depends on; empty if there are too many.
  llvm::SmallVector<llvm::BitVector, 0> dependences;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_POOLACCESSES_H
