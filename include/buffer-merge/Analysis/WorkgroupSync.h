//===- WorkgroupSync.h - What barriers keep apart ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_WORKGROUPSYNC_H
#define BUFFER_MERGE_ANALYSIS_WORKGROUPSYNC_H

#include "buffer-merge/Analysis/BufferUses.h"
#include "buffer-merge/Analysis/OtherSync.h"
#include "buffer-merge/Analysis/Uniformity.h"
#include "buffer-merge/Analysis/WorkgroupMemory.h"

namespace buffer_merge {
/// Why one thread may access an object while another still accesses another
/// one.
enum class SyncRule {
  /// There is a path without a barrier from one access to the other.
  NoBarrier,
  /// There is one around a loop: to an access of a later iteration.
  BackEdge,
  /// Both are in one branch or loop in which threads may part, so that no
  /// barrier inside separates them.
  Divergent,
  /// One is an asynchronous copy that may still be in flight.
  InFlight,
};

/// Return the documented name of `rule`: `no-barrier`, `back-edge`,
/// `divergent`, `in-flight`.
llvm::StringRef getRuleName(SyncRule rule);

/// Return what `rule` means, as remarks print it, without a final period.
llvm::StringRef getRuleDescription(SyncRule rule);

/// Two objects of which nothing keeps the accesses of different threads apart,
/// and one such pair of accesses. At least one of the two writes.
struct SyncConflict {
  /// Numbers of the objects; `first < second`.
  unsigned first, second;
  SyncRule rule;
  /// An access of one object, and the access of the other that comes behind it.
  mlir::Operation *from, *to;
};

/// Finds out which objects in workgroup memory may be accessed at the same time
/// by different threads, as if they shared bytes. An object is an allocation, a
/// view of a pool: a value and its aliases.
///
/// Threads run ahead of each other. Only a barrier that all of them execute
/// separates what comes before from what comes behind, so that two objects may
/// share bytes only if, on every path from an access of one to an access of the
/// other, there is one. This is a forward dataflow analysis, over the
/// structured control flow of one kernel: what has been read, written and is
/// still being copied since the last barrier. The same idea as in Triton's
/// membar analysis (lib/Analysis/Membar.cpp), for code in which threads may
/// part.
///
/// - At a branch or loop on which all threads agree (`Uniformity`), paths are
///   followed: both arms, around the loop until nothing changes, past the loop
///   if it may not be executed at all.
/// - In any other operation with regions, all accesses are taken to happen at
///   the same time, and barriers inside do not count.
/// - An asynchronous copy into an object is in flight until a wait for all
///   groups behind the end of its group, and behaves like a write before the
///   next barrier from then on.
///
/// ```
///   store a; load b                     a, b: no-barrier
///   store a; barrier; load b            none
///   for { store a; barrier; load b }    a, b: back-edge, from b to a
/// ```
class WorkgroupSync {
public:
  /// The values by which an object may be accessed; the first is its name.
  using Aliases = llvm::SmallVector<mlir::Value>;

  /// What merging does not need.
  struct Extras {
    /// What may order threads besides barriers; null: it is not looked at.
    const OtherSync *otherSync = nullptr;
    /// Calls in the kernel, each with an object that the callee accesses by
    /// values of its own.
    llvm::ArrayRef<std::pair<mlir::Operation *, unsigned>> calleeAccesses;
  };

  /// Analyze `kernel`, a region of one block (`findKernel`). Objects are
  /// numbered from 0, in the order of `objects`. `callees` are those of the
  /// function around the kernel; they, `options` and `extras` are not used
  /// later.
  WorkgroupSync(mlir::Region &kernel, llvm::ArrayRef<Aliases> objects,
                CallPolicy calls, const CalleeSummaries &callees,
                const WorkgroupOptions &options, const Extras &extras);
  WorkgroupSync(mlir::Region &kernel, llvm::ArrayRef<Aliases> objects,
                CallPolicy calls, const CalleeSummaries &callees,
                const WorkgroupOptions &options)
      : WorkgroupSync(kernel, objects, calls, callees, options, Extras()) {}

  /// Return the pairs of objects that must not share bytes, sorted by their
  /// numbers, each once. Pairs for which `mayShareBytes` is false are left out;
  /// null stands for all pairs. Barriers are assumed before the operations in
  /// `barriers`, each of which is one that `findBarrierPlace` has returned.
  ///
  /// The time is that of one pass over the kernel for each loop nesting level
  /// and one more, times the number of objects accessed between two barriers.
  /// Return nothing if that is too much: millions of pairs in a kernel without
  /// barriers.
  std::optional<llvm::SmallVector<SyncConflict, 0>>
  findConflicts(llvm::function_ref<bool(unsigned, unsigned)> mayShareBytes = {},
                const llvm::DenseSet<mlir::Operation *> &barriers = {}) const;

  /// Return only those pairs of `findConflicts(mayShareBytes)` that are left if
  /// accesses by operations that are not understood do not count, whatever
  /// `Extras::otherSync` has separates all that is before it from all that
  /// comes after it, and a wait for some groups of copies is one for all.
  std::optional<llvm::SmallVector<SyncConflict, 0>> findCertainConflicts(
      llvm::function_ref<bool(unsigned, unsigned)> mayShareBytes) const;

  /// Return true if `op`, which uses a memref in the way of `kind`, is an
  /// access that the analysis understands.
  static bool isUnderstood(BufferUse::Kind kind, mlir::Operation *op);

  /// Return the objects that are allocated in a loop, and of which a thread may
  /// access the one of an iteration while another still accesses that of an
  /// earlier one. In workgroup memory both are the same bytes, whatever pool
  /// they are in: the program has a race as soon as it is lowered. `first` and
  /// `second` are both the object, and the rule is `BackEdge` or `InFlight`.
  /// Loops in which threads may part are not looked at. `barriers` and the time
  /// are those of `findConflicts`; nothing is found if that is too much.
  ///
  /// ```
  ///   for { a = alloc; store a; barrier; load a }    from the load to the
  ///   store
  /// ```
  llvm::SmallVector<SyncConflict, 0> findRacesOfIterations(
      const llvm::DenseSet<mlir::Operation *> &barriers = {}) const;

  /// Return the operation before which a barrier separates `op`, an access,
  /// from whatever comes before that operation: `op` or the outermost operation
  /// around it in which threads may part. If `outsideLoops`, return the
  /// outermost loop around that, if there is one.
  mlir::Operation *findBarrierPlace(mlir::Operation *op,
                                    bool outsideLoops) const;

  /// Return every place at which a barrier may be of use (`findBarrierPlace`),
  /// in the order of the program.
  llvm::SmallVector<mlir::Operation *>
  findBarrierPlaces(bool outsideLoops) const;

  /// Return the barriers of the kernel that all threads execute together, in
  /// the order of the program; `scf.forall` with its barrier at the end is one.
  llvm::ArrayRef<mlir::Operation *> getBarriers() const { return barrierOps; }

  /// Return the region that was analyzed.
  mlir::Region &getKernel() const { return *kernel; }

  /// Return the number of objects: those are 0, 1, ..., `getNumObjects() - 1`.
  unsigned getNumObjects() const { return numbers.size(); }

  /// Return the number of `object`, which must be the first alias of one of
  /// those given to the constructor.
  unsigned getNumber(mlir::Value object) const { return numbers.at(object); }

private:
  struct Access {
    unsigned object;
    bool isRead, isWrite, isCopy;
    bool isUnderstood = true;
  };
  /// One thing that happens in the kernel. Steps are numbered in the order of
  /// the program.
  struct Step {
    enum class Kind {
      Access,
      Barrier,
      /// Copies from here on belong to the next group.
      EndGroup,
      /// All groups that have ended are complete.
      Wait,
      /// Some of them are, which ones is not known.
      PartialWait,
      /// A branch or loop begins, before which a barrier may be.
      Begin,
      /// An object is allocated in a loop, as in each of its iterations.
      Allocate,
      /// Threads may wait for each other in a way that is not known.
      OtherSync,
    };
    Kind kind;
    mlir::Operation *op;
    /// The outermost operation around `op` in which threads may part, or null.
    mlir::Operation *divergentOp;
  };
  /// Steps that follow each other, and where control goes then.
  struct StepBlock {
    unsigned firstStep, lastStep = 0;
    llvm::SmallVector<unsigned, 2> successors;
  };
  class Builder;
  class Solver;

  void collectAccesses(llvm::ArrayRef<Aliases> objects, CallPolicy calls,
                       const CalleeSummaries &callees, const Extras &extras);

  mlir::Region *kernel;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Access, 2>> accesses;
  /// For operations with accesses, `Step::divergentOp`.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> divergentOps;
  llvm::SmallVector<Step, 0> steps;
  llvm::SmallVector<StepBlock, 0> blocks;
  llvm::SmallVector<mlir::Operation *> barrierOps;
  /// The outermost operations in which threads may part and wait for each
  /// other in a way that is not known.
  llvm::DenseSet<mlir::Operation *> haveOtherSync;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_WORKGROUPSYNC_H
