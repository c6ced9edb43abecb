//===- What the fuzzer does to a program ------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_MERGE_H
#define BUFFER_MERGE_FUZZ_MERGE_H

#include "buffer-merge/Analysis/BufferLifetimesOptions.h"
#include "buffer-merge/Planning/MergePlanOptions.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace buffer_merge::fuzz {
/// How to merge.
struct MergeOptions {
  std::string scheduler;
  /// 64 is what the pass chooses if nothing says it.
  int64_t alignment = 64;
  bool statesAlignment() const { return alignment != 64; }
  /// Merge with the option `in-place`.
  bool inPlace = false;
  /// Merge the values of an allocation as buffers of their own. They have one
  /// name, so that the interpreter does not tell them apart.
  bool splitBuffers = false;
  /// Where pools come from, where that is possible; of any size.
  PoolStorage pool = PoolStorage::Alloc;
  /// Let public functions share one global.
  bool exclusiveEntries = false;
  /// What becomes of dynamic shapes.
  DynamicPolicy dynamic = DynamicPolicy::None;
  int64_t dynamicWaste = 65536;
  /// `limit-peak` of the pass (R7 peak).
  std::string limitPeak = "as-given";
  Goal goal = Goal::Peak;
  /// The memories of the target, as JSON; empty for none. Pools that exceed
  /// them are no failure.
  std::string target;
  /// `all-at-zero` to show that the fuzzer notices what is wrong: the pass is
  /// not used at all, see `mergeAtZero`. Empty for the pass.
  std::string mutation;
};

/// Run `pass` with `options`, as text, on `module`. Returns an empty string or
/// what went wrong.
std::string runPass(mlir::ModuleOp module, std::unique_ptr<mlir::Pass> pass,
                    llvm::StringRef options = "");

/// Merge the buffers of `module`. Returns an empty string or what went wrong.
std::string mergeBuffers(mlir::ModuleOp module, const MergeOptions &options);

/// Return true if `mergeBuffers` leaves buffers of `module` alone because a
/// pool with them would raise the peak, or, with that limit, would save too
/// little: which others are worth a pool depends on the peak.
bool isLimitedByPeak(mlir::ModuleOp module, const MergeOptions &options);

/// Return the bytes of arenas and globals of `module` that `mergeBuffers` makes
/// because the scheduler does not reach their lower bounds.
int64_t getBytesAboveBounds(mlir::ModuleOp module, const MergeOptions &options);

/// Rotate the loop-carried buffers of `module`, with their slots in front of
/// all loops if `inScope`. An operation that takes the place of an allocation
/// keeps its name; slot S of buffer bN is buffer b(1000000 + 100 N + S) from
/// then on. Returns an empty string or what went wrong.
std::string rotateBuffers(mlir::ModuleOp module, bool inScope);

/// Return the name of the buffer for which `rotateBuffers` has made the slot
/// `name`; `name` if it is of no slot.
std::string getBufferOfSlot(llvm::StringRef name);

/// Give each value that an allocation of `module` holds one of its own. Value V
/// of buffer bN, but the first, is buffer b(2000000 + 1000 N + V) from then on.
/// Returns an empty string or what went wrong.
std::string splitBuffers(mlir::ModuleOp module);

/// Let operations of `module` read what copies were made of. Returns an empty
/// string or what went wrong.
std::string propagateCopies(mlir::ModuleOp module);

/// Put operations of `module` into another order that their dependences allow:
/// by chance, or with `forPeak` one with a lower peak. Returns an empty string
/// or what went wrong.
std::string reorder(mlir::ModuleOp module, uint64_t seed, bool forPeak);

/// Let those views of `merged` be parts (`partAttrName`) that may share bytes,
/// because `original` copies one of the buffers into the other one, and it is
/// inside of that: what is written as one of them is read as the other one.
void forgetParts(mlir::ModuleOp original, mlir::ModuleOp merged);

/// Let buffers of `module` that are copied into parts of others be these parts,
/// which have the names of the others. Returns an empty string or what went
/// wrong.
std::string emplaceBuffers(mlir::ModuleOp module, bool strided);

/// Give the buffers of parallel loops of `module` slots in front of the loops,
/// by the scheduler and the alignment of `options`. Returns an empty string or
/// what went wrong.
std::string hoistParallelPools(mlir::ModuleOp module,
                               const MergeOptions &options);

/// A merge that is wrong on purpose, and needs no analysis: every allocation of
/// static size in the entry block of a function goes to offset 0 of one pool.
/// An oracle that does not object to this is of no use.
void mergeAtZero(mlir::ModuleOp module);
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_MERGE_H
