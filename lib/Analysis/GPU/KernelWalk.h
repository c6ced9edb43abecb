//===- KernelWalk.h - The ways of threads through a kernel ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_KERNELWALK_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_KERNELWALK_H

#include "Analysis/GPU/Uniformity.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/BitVector.h"

#include <any>

namespace buffer_merge {
/// Who executes an operation.
struct Threads {
  /// The lanes whose threads surely do.
  llvm::BitVector surely;
  /// The lanes whose threads may, or threads that are like them: those without
  /// a lane, which differ in dimensions of unknown size, and others that are
  /// not known.
  llvm::BitVector maybe;
  /// All threads, together: barriers and waits count.
  bool areTogether = true;
  /// Not the threads of the lanes, but others that are not known: numbers that
  /// depend on the thread in dimensions of unknown size, or in all.
  bool hidesFirst = false, hidesAll = false;
  /// The innermost operation around, if there is one, whose regions any threads
  /// may execute in any order.
  mlir::Operation *unknownOp = nullptr;

  /// All threads of the workgroup surely do.
  bool areAll() const { return areTogether && surely.all(); }
  bool areHidden(const ThreadValues::Lanes &value) const {
    return (hidesFirst && value.isOfFirst) || (hidesAll && !value.isUniform());
  }
};

/// Follows the threads of a workgroup through the structured control flow of a
/// kernel. A derived class is told what they execute, and keeps what it wants
/// to know at each point of the program.
///
/// - At a branch or loop on which all threads agree (`Uniformity`), paths are
///   followed: each arm from what is known before, and what is known behind is
///   joined; once around a loop, whose last iterations may follow by
///   themselves; and past it, if it may not be executed at all.
/// - Where a condition is known in all lanes, an arm is executed by the threads
///   that take it, and by none if there are none.
/// - A loop that is mapped to threads, all of which execute an iteration, is
///   followed as what each of them executes once.
/// - Loops with known bounds may be unrolled: each iteration is executed by
///   itself, with a number for its counter.
/// - The regions of other operations may be executed by any threads, in any
///   order, or not at all.
class KernelWalk {
public:
  virtual ~KernelWalk() = default;

protected:
  /// What a derived class knows at a point of the program.
  using State = std::any;

  /// `budget` is that of `ThreadValues`.
  KernelWalk(const WorkgroupOptions &options, const Uniformity &uniformity,
             const BlockSize &size, int64_t &budget)
      : options(options), uniformity(uniformity), values(size, budget) {}

  /// Walk through `block`, executed by `threads`. Return false if the derived
  /// class has given up.
  virtual bool run(mlir::Block &block, State &state, const Threads &threads);

  /// Return all threads of the workgroup.
  Threads getAllThreads() const;

  /// `threads` begin to execute `op`. If `isParting`, they may part in its
  /// regions, after they were together. Return false to give up.
  virtual bool enter(mlir::Operation *op, State &state, const Threads &threads,
                     bool isParting) = 0;
  /// They are done.
  virtual void leave(mlir::Operation *op, State &state,
                     const Threads &threads) = 0;

  /// Return whether `op` matters.
  virtual bool isOfInterest(mlir::Operation *op) const { return true; }
  /// Return whether branches and loops in which threads part are followed, as
  /// far as it is known who executes what.
  virtual bool followsParted() const = 0;
  /// Return whether `loop` may be unrolled.
  virtual bool canUnroll(mlir::Operation *loop) const = 0;
  /// Return whether one of the last iterations of `loop`, whose counter is
  /// bound, follows by itself if the loop is not unrolled.
  virtual bool isByItself(mlir::LoopLikeOpInterface loop) { return false; }

  /// Return what is known where one of several ways from `state` begins.
  virtual State fork(const State &state) { return state; }
  /// A way that ends with `other` leads to `state` as well.
  virtual void join(State &state, const State &other) = 0;
  /// A loop that begins with `begin` begins again after `end`, or goes on.
  virtual void repeat(const State &begin, State &end) {}
  /// A loop that ends with `state` may be skipped by a way from `before`.
  virtual void skip(State &state, const State &before) { join(state, before); }

  const WorkgroupOptions &options;
  const Uniformity &uniformity;
  ThreadValues values;
  /// What is executed is one of the last iterations, by itself.
  bool isLast = false;

private:
  /// The lower bound, the upper bound and the step of a loop with one counter.
  using Bounds = std::array<ThreadValues::Lanes, 3>;

  Bounds getBounds(mlir::LoopLikeOpInterface op, unsigned index);
  bool runOp(mlir::Operation *op, State &state, const Threads &threads);
  bool runRegions(mlir::Operation *op, State &state, const Threads &threads,
                  bool areAll);
  bool runUnknown(mlir::Operation *op, State &state, Threads threads);
  bool runArms(mlir::Operation *op, State &state, Threads threads);
  bool runIf(mlir::Operation *op, const ThreadValues::Lanes &condition,
             State &state, const Threads &threads);
  bool runWhile(mlir::Operation *op, State &state, const Threads &threads);
  bool runFor(mlir::LoopLikeOpInterface op, State &state, Threads threads,
              bool areAll);
  bool runEach(mlir::Operation *op, State &state, Threads threads);
  bool runForall(mlir::LoopLikeOpInterface op, State &state, Threads threads,
                 bool areAll);
  void bindCounters(mlir::LoopLikeOpInterface op, llvm::ArrayRef<Bounds> bounds,
                    int64_t iteration);
  bool runIterations(mlir::LoopLikeOpInterface op,
                     llvm::ArrayRef<Bounds> bounds,
                     llvm::ArrayRef<int64_t> counts, State &state,
                     Threads threads);
  int64_t countLast(mlir::LoopLikeOpInterface op, const Bounds &bounds,
                    int64_t count);
  bool runOnceForAll(mlir::LoopLikeOpInterface op, State &state,
                     Threads threads);
  bool isStridedByBlock(mlir::Operation *op) const;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_KERNELWALK_H
