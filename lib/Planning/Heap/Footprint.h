//===- Footprint.h - The bytes of a program ---------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program takes as it is, with every allocation freed after its last
// use, and as it is planned. All three count what stays, and none what has no
// known size. An allocation takes its size rounded up to the alignment that it
// asks for; a parallel body counts as run by one thread. In workgroup memory
// nothing is freed: a kernel takes all of its buffers.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_FOOTPRINT_H
#define BUFFER_MERGE_LIB_PLANNING_FOOTPRINT_H

#include "buffer-merge/Planning/MergePlan.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace buffer_merge {
class ProgramHeap;

/// Bytes at the peak.
struct PeakBytes {
  /// Without pools, and with allocations that end at `MergePlan::freePoint`.
  int64_t baseline = 0;
  /// The plan is carried out.
  int64_t planned = 0;
  /// For a function: of these, the globals of its pools and of what it calls.
  int64_t globals = 0;
  /// How many more bytes the plan takes than the program without pools if all
  /// that is allocated is freed after its last use in both; 0 if not more.
  int64_t excessIfDeallocated = 0;
};

/// Something that a function, or a callee, holds for a part of its time.
struct HeldItem {
  /// When; what is left behind is held at the tick after the last one as well.
  TickRange ticks = {0, -1};
  int64_t bytes = 0;
  /// The function that holds them; null for globals.
  mlir::FunctionOpInterface function;
  /// They are a pool, or the peak of the body of the callee or of the inner
  /// scope: at most one of these. Neither for globals and for allocations that
  /// stay. A callee of which every item is there by itself has 0 bytes.
  bool isPool = false;
  mlir::Region *inner = nullptr;
  /// The operation that allocates them, or that they are held during, or null.
  mlir::Operation *op = nullptr;
  /// They are the globals of pools, of callees too.
  bool isGlobals = false;
  /// The function returns them.
  bool isReturned = false;
};

/// What a program takes.
struct Footprint {
  /// All allocations, each once.
  int64_t allocatedBytes = 0;
  /// The program: for each memory space, that of the function that holds most
  /// there, callees in the program included. Globals are held all the time.
  PeakBytes peak;
  /// The functions that hold anything, in the order of the program. The sum
  /// over all memory spaces.
  llvm::SmallVector<std::pair<mlir::FunctionOpInterface, PeakBytes>> functions;
  /// The function of these that holds most as planned, of equal ones one that
  /// calls the others, or null; and what it holds, callees included: in one
  /// memory space, the most at one tick is what counts of it for `peak`. A call
  /// takes as many ticks as its callee has.
  mlir::FunctionOpInterface largest;
  llvm::SmallVector<HeldItem, 0> largestHolds;
  /// For each pool of the plan, the most bytes that its buffers take at one
  /// tick without a pool.
  llvm::SmallVector<int64_t, 0> poolBaselines;
};

/// Return the bytes of the globals in `memorySpace` that `plan` makes.
int64_t countGlobalBytes(const MergePlan &plan, mlir::Attribute memorySpace);

/// Return the bytes of the globals that `plan` makes for `function` and for
/// what it calls.
int64_t countReachedGlobals(const MergePlan &plan, mlir::Operation *function);

/// Return the bytes of the arena of `op` if it is a part of those of callers,
/// which count already; else 0.
int64_t countInnerArena(const MergePlan &plan, mlir::Operation *op);

/// Compute what the program that `plan` was made for takes. Its IR must not
/// have changed since.
///
/// Time: linear in the operations of the functions that allocate, apart from
/// sorting.
Footprint computeFootprint(const MergePlan &plan);

/// Return `Footprint::peak.planned` alone.
int64_t computePeakBytes(const MergePlan &plan);

/// Return the functions that hold more bytes at their peak with `plan` than
/// without pools, by more than all of its pools take for alignment. `baseline`
/// is what they hold without pools.
llvm::SmallVector<mlir::FunctionOpInterface>
findRaisedPeaks(const MergePlan &plan, const ProgramHeap &baseline);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_FOOTPRINT_H
