//===- SyncConflict.h - Hazards between threads -----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_SYNCCONFLICT_H
#define BUFFER_MERGE_ANALYSIS_SYNCCONFLICT_H

#include "mlir/IR/Operation.h"

namespace buffer_merge {
/// The kinds of hazards: why one thread may access an object while another
/// thread still accesses another object.
enum class SyncRule {
  /// There is a path without a barrier from one access to the other (G1
  /// barriers).
  NoBarrier,
  /// There is such a path around a loop, to an access of a later iteration (G2
  /// back edges).
  BackEdge,
  /// Both are in one branch or loop in which threads may diverge, so no barrier
  /// inside separates them (G3 uniform control flow).
  Divergent,
  /// One is an asynchronous copy that may still be in flight (G4 asynchronous
  /// copies).
  InFlight,
  /// A copy engine writes one after something has accessed the other, and no
  /// fence between the two ways to memory is looked for (G12 copy engines).
  Proxy,
};

/// Return the documented name of `rule`: `no-barrier`, `back-edge`,
/// `divergent`, `in-flight`, `proxy`.
llvm::StringRef getRuleName(SyncRule rule);

/// Return what `rule` means, as remarks print it, without a final period.
llvm::StringRef getRuleDescription(SyncRule rule);

/// Two objects with a hazard, and one pair of accesses that no barrier
/// separates. At least one of the two writes.
struct SyncConflict {
  /// Numbers of the objects; `first < second`.
  unsigned first, second;
  SyncRule rule;
  /// An access of one object, and a following access of the other.
  mlir::Operation *from, *to;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_SYNCCONFLICT_H
