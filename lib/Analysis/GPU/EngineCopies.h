//===- EngineCopies.h - When a copy engine is done --------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_ENGINECOPIES_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_ENGINECOPIES_H

#include "Analysis/GPU/Uniformity.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace buffer_merge {
/// Finds out when the copies of a copy engine into workgroup memory are
/// complete, because the one thread that issues them has waited for the phases
/// of their mbarriers (G12 copy engines). The operations of that thread are
/// executed one by one, with numbers.
///
/// Nothing is known of any copy in a kernel
/// - whose workgroups have an unknown size, or that may run again,
/// - in which several threads issue copies or announce bytes
///   (`nvgpu.mbarrier.arrive.expect_tx`), or it is not known which one does,
///   how often, for which mbarrier, or how many bytes,
/// - in which anything else arrives at one of its mbarriers or gets hold of it,
/// - in which a copy is not announced, or a phase is announced before the
///   thread has waited for the one before,
/// - in which a copy is for several workgroups.
class EngineCopies {
public:
  /// Time: linear in the operations on mbarriers that the thread executes, up
  /// to a limit.
  EngineCopies(mlir::Region &kernel, const Uniformity &uniformity,
               const WorkgroupOptions &options);

  /// Return true if `copy` is one in the kernel of which it may be known when
  /// it is complete.
  bool isKnown(mlir::Operation *copy) const { return copies.contains(copy); }

  /// Return true if all that `copy`, which is known, has started is complete
  /// each time that the threads leave `op`: a wait, or an operation with
  /// regions. The thread that issues copies knows it then, others only after
  /// the next barrier.
  bool isCompleteAfter(mlir::Operation *op, mlir::Operation *copy) const {
    auto it = inFlight.find(op);
    return it != inFlight.end() && !it->second.contains(copy);
  }

private:
  class Walk;

  llvm::DenseSet<mlir::Operation *> copies;
  /// For each operation that all threads execute together, what may be in
  /// flight when they leave it.
  llvm::DenseMap<mlir::Operation *, llvm::DenseSet<mlir::Operation *>> inFlight;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_ENGINECOPIES_H
